/* SPDX-License-Identifier: Apache-2.0
 * Stored rows as JSON. Source: data/README.md. */
#ifndef VITRINE_ROWTEXT_H
#define VITRINE_ROWTEXT_H
#include "data/table.h"

/* A row from a statement. */
#define DATA_ROW(F, T) \
	F(T, STR, id) \
	F(T, STR, doc) \
	F(T, INT, shape_no) \
	F(T, INT, n) \
	F(T, STR, k) \
	F(T, INT, rev) \
	F(T, BOOL, may_write)
/* id is in hex. k is the hex key by which the list is sorted. Only rowfind.c uses may_write. */
SHAPE_DECLARE(data_row, DATA_ROW);

/* Returns the row's JSON: {"id":"row_…","title":"…",…}. */
const char *row_text(struct ctx *c, const struct data_table *t, const struct data_row *row);
/* Returns the value of a column in doc (row->doc, parsed), or NULL if the row has none. */
const struct json *row_value(const struct data_row *row, const struct json *doc,
    const struct data_column *col);
/* Returns "row_…" for the hex id of a statement. */
const char *row_id_of_hex(struct ctx *c, const char *hex);

/* ---- between the files of this folder ---- */

/* *out: the row's stored values with the present columns, without its id. A row that was stored
 * with these is used unchanged. */
enum err row_doc_now(struct ctx *c, const struct data_table *t, const struct data_row *row,
    const char **out);
/* Adds a member, after a brace or a comma. value NULL: null. */
void row_member_write(struct buf *b, const char *name, const struct json *value);
#endif
