/* SPDX-License-Identifier: Apache-2.0
 * Reads CSV (RFC 4180) with any line end, a value at a time, where it lies. Values are separated by
 * commas, semicolons, tabs or vertical bars, whichever the first lines have. */
#ifndef VITRINE_CSV_SCAN_H
#define VITRINE_CSV_SCAN_H
#include <stdbool.h>
#include <stddef.h>

struct csv_scan {
	char *p, *end;   /* what is left; *end is a NUL that belongs to it */
	size_t line;     /* of p, from 1 */
	const char *why; /* what is wrong */
	char separator;
};
struct csv_field {
	const char *text; /* NULL: nothing stands there; "" stood in quotes */
	bool quoted;
};
/* A scan of n bytes at text, which it writes in. Finds the separator, and skips a byte order mark
 * and a first line such as "sep=;". */
struct csv_scan csv_begin(char *text, size_t n);
/* The fields of the next line, at most `most`; *n is 0 of a line without values. A Ctrl-Z at the
 * end of the text is such a line. False with s->why. */
bool csv_record(struct csv_scan *s, struct csv_field *fields, size_t most, size_t *n);
/* "comma", "semicolon", "tab", "vertical bar". */
const char *csv_separator_name(char separator);
/* Why n bytes at text, from the beginning (whole) or from within, aren't CSV in UTF-8, in words
 * behind "it"; NULL when they can be. *line counts from 0; SIZE_MAX: it is about the whole file. */
const char *csv_text_wrong(const char *text, size_t n, bool whole, size_t *line);
#endif
