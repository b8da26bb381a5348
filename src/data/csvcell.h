/* SPDX-License-Identifier: Apache-2.0
 * Types and values of CSV columns. A column holds numbers only if each value keeps its text as a
 * number: 007 and whole numbers of more than 15 digits are mostly codes, and 1E5 is one unless
 * other values have fractions. Files with semicolons have decimal commas, so 1.234 is ambiguous
 * there. */
#ifndef VITRINE_CSVCELL_H
#define VITRINE_CSVCELL_H
#include "base/buf.h"
#include "base/csv.h"
#include "data/cell.h"

/* Kinds of values in a column, as bits. */
enum {
	SEEN_TEXT = 1,
	SEEN_TIME = 2,
	SEEN_BOOL = 4,    /* lower case, upper case, or one capital letter */
	SEEN_WHOLE = 8,
	SEEN_POINT = 16,  /* such as 1.5 */
	SEEN_COMMA = 32,  /* such as 1,5 and 1.234,5 */
	SEEN_EITHER = 64  /* ambiguous: 1.234 is a fraction or a thousand, 1E5 a number or a code */
};
/* Returns the kind of a value that isn't missing. */
unsigned csvcell_seen(void *owner, const struct csv_field *, char separator);
enum cell_type csvcell_type(unsigned seen);
/* Writes the value as JSON for a column of that type. A value that doesn't fit is written as
 * text, so the table's check names it. */
void csvcell_write(
    struct ctx *c, struct buf *, enum cell_type, unsigned seen, const struct csv_field *);
#endif
