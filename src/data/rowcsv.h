/* SPDX-License-Identifier: Apache-2.0
 * Rows as CSV (RFC 4180), in UTF-8: a line of names, then a line a row, the id first. A text stands
 * as it is, in quotes where it must, and always when it is empty; null has no quotes and nothing;
 * all else is its JSON. */
#ifndef VITRINE_ROWCSV_H
#define VITRINE_ROWCSV_H
#include "data/row.h"

void rowcsv_head(struct buf *, const struct data_table *);
void rowcsv_row(struct ctx *c, struct buf *, const struct data_table *, const struct data_row *);
#endif
