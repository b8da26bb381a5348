/* SPDX-License-Identifier: Apache-2.0
 * What the values of a CSV column are, and what becomes of them. A column is of numbers only if
 * each value keeps its text as one: 007 and whole numbers of more than 15 digits are mostly codes,
 * and so is 1E5 unless other values have fractions. Files with semicolons have decimal commas, so
 * there 1.234 alone says nothing. */
#ifndef VITRINE_CSVCELL_H
#define VITRINE_CSVCELL_H
#include "base/buf.h"
#include "base/csv.h"
#include "data/cell.h"

/* Kinds of values that a column has, together. */
enum {
	SEEN_TEXT = 1,
	SEEN_TIME = 2,
	SEEN_BOOL = 4,    /* in lower or upper case, or with one capital */
	SEEN_WHOLE = 8,
	SEEN_POINT = 16,  /* 1.5 */
	SEEN_COMMA = 32,  /* 1,5 and 1.234,5 */
	SEEN_EITHER = 64  /* 1.234: a fraction, or a thousand; 1E5: a number, or a code */
};
/* Of a value that stands there. */
unsigned csvcell_seen(void *owner, const struct csv_field *, char separator);
enum cell_type csvcell_type(unsigned seen);
/* Adds the value as JSON for a column of that type. What doesn't fit is added as a text, so that
 * the table says which it is. */
void csvcell_write(
    struct ctx *c, struct buf *, enum cell_type, unsigned seen, const struct csv_field *);
#endif
