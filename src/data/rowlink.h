/* SPDX-License-Identifier: Apache-2.0
 * Links: values that are ids of another table's rows. A writer names only rows that they may read.
 * A link stays when its row is deleted. Source: data/README.md. */
#ifndef VITRINE_ROWLINK_H
#define VITRINE_ROWLINK_H
#include "data/rowtext.h"

/* Ids in a column of links. */
struct rowlinks {
	const struct data_column *column;
	const char **ids; /* "row_…"; NULL: no value */
	size_t n;
};
/* *wrong: index of the first id that isn't a row which the writer of `tf` may read; links->n: there
 * is none. */
enum err rowlinks_check(
    struct ctx *c, const struct table_for *tf, const struct rowlinks *, size_t *wrong);

/* Columns of links that a list expands. */
struct expanded {
	struct ctx *c;
	const struct table_for *tf;
	const struct strs *columns;
	struct strs *texts; /* for each column, the text for each row; NULL: none */
};
/* E_INVALID: a column is no link. */
enum err expand_begin(struct ctx *c, const struct table_for *tf, const struct strs *columns,
    const struct data_row_list *, struct expanded *out);
/* Returns the row's JSON, with the member COLUMN$ for each column. i: the row's place in the
 * list. */
const char *expand_row(const struct expanded *, const struct data_row *, size_t i);
#endif
