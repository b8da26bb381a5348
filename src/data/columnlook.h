/* SPDX-License-Identifier: Apache-2.0
 * Columns of a table as its page shows them: which, in what order, how wide, and with what figure
 * below. An address has them as columns=a,b and widths=a.120 and totals=b.sum, a view as JSON, and
 * a form as a row for each column. Source: data/README.md. */
#ifndef VITRINE_COLUMNLOOK_H
#define VITRINE_COLUMNLOOK_H
#include "data/tableview.h"

/* Texts of an address. NULL: none. columns NULL: the table's own. */
struct look {
	const char *columns, *widths, *totals;
};

#define LOOK_COLUMN(F, T) \
	F(T, STR,  name) \
	F(T, INT,  slot) \
	F(T, INT,  place,   .doc = "From 1; 0: it isn't shown") \
	F(T, INT,  width,   .doc = "Pixels; 0: as its values need") \
	F(T, WORD, total,   .arg = VIEW_TOTALS) \
	F(T, BOOL, figures, .doc = "It can have some, at least distinct and empty") \
	F(T, BOOL, numbers, .doc = "It can have a sum")
SHAPE_DECLARE(look_column, LOOK_COLUMN);

/* Returns the texts of a view, which may be NULL. */
struct look look_of_view(struct ctx *c, const struct data_view *view);
/* Returns a row for each column of the table, those that are shown first, in their order. Leaves
 * out what the table doesn't have any more. */
void look_read(struct ctx *c, const struct data_table *t, const struct look *look,
    struct look_column_list *out);
/* Reads a form's show.SLOT, place.SLOT, width.SLOT, and total.SLOT. */
void look_typed(struct ctx *c, const struct data_table *t, const struct pair *pairs, size_t n,
    struct look_column_list *out);
/* Returns the names of those that are shown, as a,b. */
const char *look_names(struct ctx *c, const struct look_column_list *all);
/* Returns the rows as an address has them. columns NULL: they are the table's own. */
struct look look_text(
    struct ctx *c, const struct data_table *t, const struct look_column_list *all);
/* Sets the fields of a view. */
void look_save(struct ctx *c, const struct data_table *t, const struct look *look,
    struct data_view_new *in);
/* Returns the table with its columns in the order of the rows; others are hidden. */
struct data_table *look_table(
    struct ctx *c, const struct data_table *t, const struct look_column_list *all);
/* "Sum" of sum */
const char *total_words(const char *figure);
#endif
