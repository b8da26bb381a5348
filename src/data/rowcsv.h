/* SPDX-License-Identifier: Apache-2.0
 * Rows as CSV (RFC 4180) in UTF-8: a line of names, then a line for each row; the id comes
 * first. An empty text is always quoted; null is empty without quotes. Other values are JSON. */
#ifndef VITRINE_ROWCSV_H
#define VITRINE_ROWCSV_H
#include "data/row.h"

/* Writes a text as a value, in quotes if it needs them. */
void rowcsv_text(struct buf *, const char *text);
void rowcsv_head(struct buf *, const struct data_table *);
void rowcsv_row(struct ctx *c, struct buf *, const struct data_table *, const struct data_row *);
#endif
