/* SPDX-License-Identifier: Apache-2.0
 * Values of cells as people see and type them. */
#ifndef VITRINE_CELLTEXT_H
#define VITRINE_CELLTEXT_H
#include "base/buf.h"
#include "base/json.h"
#include "data/row.h"

/* Returns the displayed form: a text unchanged, any other value as JSON; NULL for null. */
const char *cell_shown(struct ctx *c, const struct json *);
/* Cells of a row, for pages. */
#define CELL_TEXT_SHOWN(F, T) \
	F(T, STR,  text) \
	F(T, BOOL, none)
SHAPE_DECLARE(cell_text, CELL_TEXT_SHOWN);
#define CELL_LINE(F, T) F(T, LIST, cells, .sub = &cell_text_shape)
SHAPE_DECLARE(cell_line, CELL_LINE);
/* Lists the values of these columns in rows, a JSON array of objects, as struct cell_line. */
enum err cell_lines(struct ctx *c, const struct strs *columns, const char *rows, struct list *out);
/* Writes typed text as JSON. An empty one means no value. A value of another type than the column's
 * becomes a text, so that the table's rules refuse it with the column's name. */
void cell_typed(struct ctx *c, struct buf *, const char *type, const char *text);
/* Returns a digest of the row, to notice changes by other people meanwhile. */
const char *row_digest(struct ctx *c, const struct data_table *, const struct data_row *);

/* Reads "integer", "choice(open|done)", or "link(people)" into a column's type, choices, and to.
 * False: there is no such type. */
bool column_typed(struct ctx *c, const char *text, struct data_column *out);
/* Reads "title, votes: integer" as a list of struct data_column. E_INVALID for an unknown type, and
 * for no or too many columns. */
enum err columns_typed(struct ctx *c, const char *text, struct list *out);
/* Passes e on. Makes "columns[1].name: must …" a reason about the text, in which people count from
 * one. */
enum err columns_refused(struct ctx *c, enum err e);
/* E_INVALID for a name that a new table can't have, or that another table has. */
enum err table_name_check(struct ctx *c, const struct artifact *, const char *name);
#endif
