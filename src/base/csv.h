/* SPDX-License-Identifier: Apache-2.0
 * Reads CSV (RFC 4180) with any line end, one value at a time, in place. The first lines decide
 * whether commas, semicolons, tabs or vertical bars separate values. */
#ifndef VITRINE_CSV_SCAN_H
#define VITRINE_CSV_SCAN_H
#include <stdbool.h>
#include <stddef.h>

struct csv_scan {
	char *p, *end;   /* the unread rest; the NUL at *end belongs to the text */
	size_t line;     /* line number of p, from 1 */
	const char *why; /* why csv_record() has failed */
	char separator;
};
struct csv_field {
	const char *text; /* NULL if nothing is between the separators; "" if empty quotes are */
	bool quoted;
};
/* Begins a scan of n bytes at text, which the scan overwrites. Finds the separator, and skips a
 * byte order mark and a first line such as "sep=;". */
struct csv_scan csv_begin(char *text, size_t n);
/* Reads the next line into fields, at most `most`. *n is 0 for a line without values, or a Ctrl-Z
 * at the end of the text. Returns false, and sets s->why, if the line is malformed. */
bool csv_record(struct csv_scan *s, struct csv_field *fields, size_t most, size_t *n);
/* Returns "comma", "semicolon", "tab" or "vertical bar". */
const char *csv_separator_name(char separator);
/* Says why n bytes at text aren't CSV in UTF-8, in words that follow "it"; NULL if they may be.
 * whole: the text starts at the file's beginning. *line counts from 0; SIZE_MAX means that the
 * reason concerns the whole file. */
const char *csv_text_wrong(const char *text, size_t n, bool whole, size_t *line);
#endif
