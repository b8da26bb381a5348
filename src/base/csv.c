/* SPDX-License-Identifier: Apache-2.0 */
#include "base/csv.h"

struct csv_scan
csv_begin(char *text, size_t n)
{
	bool mark = n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;

	return (struct csv_scan){ .p = text + (mark ? 3 : 0), .end = text + n, .line = 1 };
}

static bool
ends_value(const struct csv_scan *s)
{
	return s->p == s->end || *s->p == ',' || *s->p == '\r' || *s->p == '\n';
}

static bool
csv_wrong(struct csv_scan *s, const char *why)
{
	s->why = why;
	return false;
}

/* Moves what stands in quotes to `to`, which is not behind it. */
static bool
quoted_read(struct csv_scan *s, char **to)
{
	size_t line = s->line;

	for (s->p++; s->p < s->end; s->p++) {
		if (*s->p == '"' && (s->p + 1 == s->end || s->p[1] != '"')) {
			s->p++;
			return ends_value(s) ||
			    csv_wrong(s,
				"a closing quote must be followed by a comma or a line end");
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

/* *more: another follows in this line. The end is written when what stood there has been seen. */
static bool
csv_value(struct csv_scan *s, struct csv_field *out, bool *more)
{
	char *from = s->p, *to = from;
	bool quoted = s->p < s->end && *s->p == '"';

	if (!(quoted ? quoted_read(s, &to) : plain_read(s, &to)))
		return false;
	*more = s->p < s->end && *s->p == ',';
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
	bool more = true;

	for (*n = 0; more; ++*n) {
		if (*n == most)
			return csv_wrong(s, "it has more values than a table can have columns");
		if (!csv_value(s, &fields[*n], &more))
			return false;
	}
	if (*n == 1 && !fields[0].text)
		*n = 0;
	return true;
}
