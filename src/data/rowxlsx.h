/* SPDX-License-Identifier: Apache-2.0
 * Rows as a workbook: a head of names, then a row for each; the id comes first. Null and an empty
 * text are an empty cell. Numbers, booleans, days, and times are cells of their kinds; times are in
 * UTC. What a spreadsheet would round or can't hold is text: numbers of more than 15 digits, days
 * before 1900-03-01, and times of less than a millisecond. Other values are JSON, as in CSV. */
#ifndef VITRINE_ROWXLSX_H
#define VITRINE_ROWXLSX_H
#include "data/row.h"
#include "store/workbook.h"

/* Rows of an export. A sheet has room for 1,048,575, but nginx waits two minutes for a reply. */
enum { ROWXLSX_MOST = 200000 };

enum err rowxlsx_head(struct ctx *c, struct workbook *, const struct data_table *);
enum err rowxlsx_row(
    struct ctx *c, struct workbook *, const struct data_table *, const struct data_row *);
#endif
