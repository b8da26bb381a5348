/* SPDX-License-Identifier: Apache-2.0
 * Lists of rows, for requests. */
#ifndef VITRINE_ROW_API_H
#define VITRINE_ROW_API_H
#include "data/row.h"
#include "http/req.h"

/* The table {table} of {art}, with the caller's rules. */
enum err table_for_get(struct req *r, struct table_for *out);

/* A parameter that gives way to a column of its name. $name always is the parameter. */
struct yielding {
	const char *name, **value; /* *value: as the query has it */
};
/* Returns the query's conditions. Sets each *value to the parameter's value, or NULL. E_INVALID: an
 * unknown name with a $. */
enum err rows_asked(struct req *r, const struct table_for *tf, const struct yielding *v, size_t n,
    struct where_asked *out);

enum { ORDER_CHARS = 200, CURSOR_MOST = 2048 };
/* The parameters of conditions. */
#define ROW_WHERE(F, T) \
	F(T, STR, where,  .hi = WHERE_CHARS, \
		.doc = "Conditions as JSON, with and and or, up to four deep. Written $where if " \
		       "the table has a column `where`", \
		.eg = "\"{\\\"or\\\":[[\\\"title\\\",\\\"contains\\\",\\\"hello\\\"]," \
		      "[\\\"title\\\",\\\"is\\\",\\\"empty\\\"]]}\"") \
	F(T, STR, zone,   .hi = 2048, \
		.doc = "The time zone of within, such as Europe/Oslo; by default UTC")
/* A saved view. */
#define ROW_VIEW(F, T) \
	F(T, STR, view,   .hi = 2048, \
		.doc = "The id of a view, whose conditions must hold, too. Its order counts if " \
		       "the query has none. Written $view if the table has a column `view`")

/* Like rows_find(). If a GET must read the whole of a large table, it moves to the slow pool. */
enum err rows_list(struct req *r, const struct table_for *tf, const struct row_find *what,
    struct data_row_list *out, const char **next);
#endif
