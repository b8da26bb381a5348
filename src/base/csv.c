/* SPDX-License-Identifier: Apache-2.0 */
#include "base/csv.h"

#include "base/str.h"

/* ---- separator and format ---- */

static const char separators[] = ",;\t|";

const char *
csv_separator_name(char separator)
{
	return separator == ';' ? "semicolon"
	    : separator == '\t' ? "tab"
	    : separator == '|'	? "vertical bar"
				: "comma";
}

/* Returns the number of values in the line at *p, and moves *p to the next line. */
static size_t
values_count(const char **p, const char *end, char separator)
{
	size_t n = 1;

	for (bool quoted = false; *p < end && (quoted || (**p != '\n' && **p != '\r')); ++*p) {
		quoted ^= **p == '"';
		n += !quoted && **p == separator;
	}
	*p += *p < end && **p == '\r';
	*p += *p < end && **p == '\n';
	return n;
}

/* Chooses the separator with which most of the first lines have as many values as the head, if that
 * is more than one. The larger number of values breaks a tie. */
static char
separator_find(const char *text, const char *end)
{
	enum { LINES = 20 };
	size_t best = 0;
	char found = ',';

	for (const char *one = separators; *one; one++) {
		const char *p = text;
		size_t head = values_count(&p, end, *one), score = head;

		for (int i = 0; i < LINES && p < end; i++)
			if (values_count(&p, end, *one) == head)
				score += (size_t)(end - text);
		if (head > 1 && score > best) {
			best = score;
			found = *one;
		}
	}
	return found;
}

struct csv_scan
csv_begin(char *text, size_t n)
{
	bool marked = n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
	char *p = text + (marked ? 3 : 0), *end = text + n;
	size_t left = (size_t)(end - p);
	bool said = left > 5 && !memcmp(p, "sep=", 4) && strchr(separators, p[4]) &&
	    (p[5] == '\r' || p[5] == '\n');
	struct csv_scan s = { .p = p, .end = end, .line = 1 + said };

	s.separator = said ? p[4] : separator_find(p, end);
	if (said)
		s.p += p[5] == '\r' && left > 6 && p[6] == '\n' ? 7 : 6;
	return s;
}

/* Recognises files that people often send in place of CSV. */
static const char *
format_other(const char *text, size_t n)
{
	static const char white[] = " \t\r\n";
	size_t at = 0, next;

	if (n > 4 && !memcmp(text, "PK\3\4", 4))
		return "isn't CSV but a workbook (.xlsx, .ods) or another archive; "
		       "in the spreadsheet, save the sheet as CSV UTF-8";
	if (n > 4 && !memcmp(text, "\xd0\xcf\x11\xe0", 4))
		return "isn't CSV but an old workbook (.xls); "
		       "in the spreadsheet, save the sheet as CSV UTF-8";
	while (at < n && text[at] && strchr(white, text[at]))
		at++;
	for (next = at + 1; next < n && text[next] && strchr(white, text[next]);)
		next++;
	if (next < n && text[next] &&
	    ((text[at] == '{' && text[next] == '"') ||
		(text[at] == '[' && strchr("{[\"", text[next]))))
		return "isn't CSV but JSON; jobs take it as format json, "
		       "and the client as FILE.json";
	return NULL;
}

const char *
csv_text_wrong(const char *text, size_t n, bool whole, size_t *line)
{
	const char *other = whole ? format_other(text, n) : NULL, *end = text + n, *stop;

	*line = SIZE_MAX;
	if (whole && n > 1 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2)))
		other = "is UTF-16; save it as CSV UTF-8";
	if (other || (!memchr(text, 0, n) && str_utf8_valid(text, n)))
		return other;
	for (*line = 0; text < end; ++*line, text = stop + 1) {
		stop = memchr(text, '\n', (size_t)(end - text));
		stop = stop ? stop : end;
		if (memchr(text, 0, (size_t)(stop - text)))
			return "has a NUL byte, which no text has";
		if (!str_utf8_valid(text, (size_t)(stop - text)))
			break;
	}
	return "isn't valid UTF-8 (perhaps Windows-1252); in the spreadsheet, "
	       "save the sheet as CSV UTF-8";
}

/* ---- values ---- */

enum { CTRL_Z = 0x1a };

static bool
ends_value(const struct csv_scan *s)
{
	return s->p == s->end || *s->p == s->separator || *s->p == '\r' || *s->p == '\n';
}

static bool
csv_wrong(struct csv_scan *s, const char *why)
{
	s->why = why;
	return false;
}

/* Copies a quoted value to *to, which must not be after s->p. Doubled quotes become one. */
static bool
quoted_read(struct csv_scan *s, char **to)
{
	size_t line = s->line;

	for (s->p++; s->p < s->end; s->p++) {
		if (*s->p == '"' && (s->p + 1 == s->end || s->p[1] != '"')) {
			s->p++;
			return ends_value(s) ||
			    csv_wrong(s,
				"a closing quote must be followed by a separator or a line "
				"end");
		}
		s->p += *s->p == '"';
		s->line += *s->p == '\n';
		*(*to)++ = *s->p;
	}
	s->line = line;
	return csv_wrong(s, "a quote isn't closed");
}

static bool
plain_read(struct csv_scan *s, char **to)
{
	for (; !ends_value(s); s->p++) {
		if (*s->p == '"')
			return csv_wrong(s, "a value that contains a quote must itself be quoted");
		*(*to)++ = *s->p;
	}
	return true;
}

/* *more: another value follows on the line. The value's NUL may overwrite the separator or line
 * end, so it is written after these are read. */
static bool
csv_value(struct csv_scan *s, struct csv_field *out, bool *more)
{
	char *from = s->p, *to = from;
	bool quoted = s->p < s->end && *s->p == '"';

	if (!(quoted ? quoted_read(s, &to) : plain_read(s, &to)))
		return false;
	*more = s->p < s->end && *s->p == s->separator;
	if (*more) {
		s->p++;
	} else {
		s->line += s->p < s->end;
		s->p += s->p < s->end && *s->p == '\r';
		s->p += s->p < s->end && *s->p == '\n';
	}
	*to = '\0';
	*out = (struct csv_field){ .text = quoted || to > from ? from : NULL, .quoted = quoted };
	return true;
}

bool
csv_record(struct csv_scan *s, struct csv_field *fields, size_t most, size_t *n)
{
	bool more = true, any = false;

	if (s->p + 1 == s->end && *s->p == CTRL_Z)
		s->p = s->end;
	for (*n = 0; more; ++*n) {
		if (*n == most)
			return csv_wrong(s, "it has more values than a table can have columns");
		if (!csv_value(s, &fields[*n], &more))
			return false;
		any |= fields[*n].text != NULL;
	}
	*n = any ? *n : 0;
	return true;
}
