/* SPDX-License-Identifier: Apache-2.0
 * Reads CSV (RFC 4180) with any line end, a value at a time, where it lies. */
#ifndef VITRINE_CSV_SCAN_H
#define VITRINE_CSV_SCAN_H
#include <stdbool.h>
#include <stddef.h>

struct csv_scan {
	char *p, *end;   /* what is left; *end is a NUL that belongs to it */
	size_t line;     /* of p, from 1 */
	const char *why; /* what is wrong */
};
struct csv_field {
	const char *text; /* NULL: nothing stands there; "" stood in quotes */
	bool quoted;
};
/* A scan of n bytes at text, which it writes in. A byte order mark is passed over. */
struct csv_scan csv_begin(char *text, size_t n);
/* The fields of the next line, at most `most`; *n is 0 of an empty line. False with s->why. */
bool csv_record(struct csv_scan *s, struct csv_field *fields, size_t most, size_t *n);
#endif
