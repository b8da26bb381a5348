/* SPDX-License-Identifier: Apache-2.0
 * Saved views of a table: conditions, order, columns. A shared view is everybody's who has a role;
 * a private one is one person's. A view belongs to the table's name, so it stays when a job
 * replaces the table, and when a deleted table comes back. Source: data/README.md. */
#ifndef VITRINE_TABLEVIEW_H
#define VITRINE_TABLEVIEW_H
#include "data/where.h"

enum { VIEWS_MOST = 50 /* shared of a table, and private of a table and person */,
	VIEW_WIDTH_LEAST = 40, VIEW_WIDTH_MOST = 2000, VIEW_ORDER_CHARS = 200 };
#define VIEW_TOTALS "sum|avg|min|max|median|distinct|empty"

#define DATA_VIEW(F, T) \
	F(T, ID,   id,      .arg = "viw_") \
	F(T, STR,  name) \
	F(T, WORD, scope,   .arg = "private|shared") \
	F(T, JSON, where,   .flags = F_NUL, .doc = "As in lists of rows") \
	F(T, STR,  order,   .flags = F_NUL) \
	F(T, JSON, columns, .flags = F_NUL, .arg = "array", .doc = "null: all") \
	F(T, JSON, widths,  .flags = F_NUL, .arg = "object") \
	F(T, JSON, totals,  .flags = F_NUL, .arg = "object") \
	F(T, STR,  group,   .flags = F_NUL) \
	F(T, TIME, created_at) \
	F(T, TIME, updated_at) \
	F(T, STR,  user_id, .flags = F_HID | F_NUL)
SHAPE_DECLARE(data_view, DATA_VIEW);

#define DATA_VIEW_NEW(F, T) \
	F(T, STR,  name,    .flags = F_REQ, .lo = 1, .hi = 80, .eg = "\"Open\"") \
	F(T, WORD, scope,   .arg = "private|shared", \
		.doc = "private (the default): only for you; shared: for all who have a role; " \
		       "only editors can share", .eg = "\"shared\"") \
	F(T, JSON, where,   .flags = F_NUL, .hi = WHERE_CHARS, \
		.doc = "Conditions as in lists of rows", \
		.eg = "[\"title\",\"contains\",\"hello\"]") \
	F(T, STR,  order,   .flags = F_NUL, .hi = VIEW_ORDER_CHARS, .eg = "\"-title\"") \
	F(T, STRS, columns, .flags = F_NUL, .item_hi = 64, .hi = CELL_SLOTS, \
		.doc = "In the order in which they are shown; null: all") \
	F(T, JSON, widths,  .flags = F_NUL, .hi = 6000, .arg = "object", \
		.doc = "Pixels by column, 40 to 2,000") \
	F(T, JSON, totals,  .flags = F_NUL, .hi = 6000, .arg = "object", \
		.doc = "Figures below columns, such as {\"amount\": \"sum\"}: sum, avg, min, " \
		       "max, median, distinct or empty") \
	F(T, STR,  group,   .flags = F_NUL, .hi = 64, .doc = "A column")
SHAPE_DECLARE(data_view_new, DATA_VIEW_NEW);

/* True if the column can have that figure below it. */
bool view_total_fits(const struct data_column *col, const char *figure);
/* who: NULL sees shared ones only. */
enum err tableview_list(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *table, struct data_view_list *out);
/* E_NOT_FOUND: no such view of the table, or somebody else's. */
enum err tableview_get(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *table, const char *id, struct data_view **out);
/* E_INVALID names the field. E_DENIED: only editors share. E_CONFLICT: another view has the name.
 * E_LIMIT: more than VIEWS_MOST. */
enum err tableview_add(struct ctx *c, const struct table_for *tf, const struct principal *who,
    const struct data_view_new *in, const char **id);
/* Replaces all fields. scope absent: it stays. E_CONFLICT also: a chart uses it, so it can't
 * become private. */
enum err tableview_put(struct ctx *c, const struct table_for *tf, const struct principal *who,
    const char *id, const struct data_view_new *in);
/* E_CONFLICT: a chart uses it. */
enum err tableview_delete(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *table, const char *id);

/* Adds a view's conditions to a query, and its order and columns ("a,b") where *order and *columns
 * are NULL. order and columns may be NULL. id NULL: no view. E_CONFLICT: it no longer fits the
 * table. */
enum err tableview_use(struct ctx *c, const struct table_for *tf, const struct principal *who,
    const char *id, struct where_asked *asked, const char **order, const char **columns);
#endif
