/* SPDX-License-Identifier: Apache-2.0 */
#include "base/csv.h"

#include "base/str.h"

#include <string.h>

static const char delimiters[] = ",;\t|";

const char *
delimiter_word(char delimiter)
{
	return delimiter == ';' ? "semicolon"
	    : delimiter == '\t' ? "tab"
	    : delimiter == '|'	? "vertical bar"
				: "comma";
}

/* ---- a record ---- */

const char *
csv_line_over(const char *p, const char *end, bool last)
{
	if (*p == '\r' && p + 1 == end && !last)
		return NULL;
	return p + 1 + (*p == '\r' && p + 1 < end && p[1] == '\n');
}

enum csv_end
csv_record(const char *p, const char *end, char delimiter, char quote, bool last,
    const char **stop, const char **next)
{
	bool bad = false;

	for (bool first = true;; first = false, p++) {
		if ((first || p[-1] == delimiter) && p < end && quote && *p == quote) {
			do {
				p = memchr(p + 1, quote, (size_t)(end - p - 1));
				if (!p || (p + 1 == end && !last))
					return p || !last ? CSV_MORE : CSV_OPEN_QUOTE;
			} while (p + 1 < end && p[1] == quote && p++);
			p++;
			bad = bad ||
			    (p < end && *p != delimiter && *p != '\r' && *p != '\n');
		}
		while (p < end && *p != delimiter && *p != '\r' && *p != '\n')
			p++;
		if (p < end && *p == delimiter)
			continue;
		*stop = p;
		if (p == end)
			return last ? (*next = end, bad ? CSV_BAD_QUOTE : CSV_ENDS) : CSV_MORE;
		*next = csv_line_over(p, end, last);
		return !*next ? CSV_MORE : bad ? CSV_BAD_QUOTE : CSV_ENDS;
	}
}

char *
csv_cut(char *p, const char *stop, char delimiter, char quote, struct csv_value *out)
{
	char *to = p, *from = p;
	bool quoted = p < stop && quote && *p == quote;

	if (quoted) {
		for (p++; *p != quote || (p + 1 < stop && p[1] == quote); p++) {
			p += *p == quote;
			*to++ = *p;
		}
		p++;
	} else {
		while (p < stop && *p != delimiter)
			p++;
		to = p;
	}
	*to = '\0';
	*out = (struct csv_value){ from, (size_t)(to - from), quoted };
	return p + 1;
}

/* ---- the delimiter ---- */

enum { LOOKED = 200 };

size_t
csv_values(const char *p, const char *stop, char delimiter, char quote)
{
	size_t n = 1;
	bool quoted = false;

	for (const char *q = p; q < stop; q++)
		if (quote && *q == quote && (quoted || q == p || q[-1] == delimiter))
			quoted = !quoted;
		else if (!quoted)
			n += *q == delimiter;
	return n;
}

/* Returns how many of the first lines have as many values as the first one, if it has several.
 * *all: every line has. */
static size_t
delimiter_fits(const char *text, size_t n, bool last, char delimiter, char quote, size_t *values,
    bool *all)
{
	const char *p = text, *end = text + n, *stop, *next;
	size_t fits = 0, lines = 0;

	*values = 0;
	while (p < end && lines < LOOKED &&
	    csv_record(p, end, delimiter, quote, last, &stop, &next) == CSV_ENDS) {
		size_t here = csv_values(p, stop, delimiter, quote);

		if (stop > p) {
			*values = lines++ ? *values : here;
			fits += here == *values;
		}
		p = next;
	}
	*all = fits == lines;
	return *values > 1 ? fits : 0;
}

void
csv_look(const char *text, size_t n, bool last, char quote, struct csv_look *out)
{
	static const char *const pairs[4][4] = { { NULL, ",;", ",\t", ",|" },
		{ NULL, NULL, ";\t", ";|" }, { NULL, NULL, NULL, "\t|" } };
	size_t best = 0, most = 0, all_n = 0, which[2] = { 0, 0 };

	*out = (struct csv_look){ .delimiter = ',' };
	if (n > 5 && !memcmp(text, "sep=", 4) && text[4] && strchr(delimiters, text[4]) &&
	    (text[5] == '\r' || text[5] == '\n')) {
		*out = (struct csv_look){ .delimiter = text[4], .told = true };
		return;
	}
	for (size_t i = 0; delimiters[i]; i++) {
		bool all;
		size_t values, fits = delimiter_fits(text, n, last, delimiters[i], quote,
				       &values, &all);

		if (fits && all && all_n < 2)
			which[all_n++] = i;
		if (fits > best || (fits && fits == best && values > most)) {
			best = fits;
			most = values;
			out->delimiter = delimiters[i];
		}
	}
	if (all_n == 2)
		out->alike = pairs[which[0]][which[1]];
}
