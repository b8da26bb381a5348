/* SPDX-License-Identifier: Apache-2.0
 * The order of a table's rows as its page shows it: up to ORDERS_MOST columns. An address and a
 * view have it as age,-name, a form as sort.1=age and turn.1=- for each of them. Source:
 * data/README.md. */
#ifndef VITRINE_ORDERLOOK_H
#define VITRINE_ORDERLOOK_H
#include "db/db.h"

#define LOOK_ORDER(F, T) \
	F(T, INT,  no,     .doc = "From 1") \
	F(T, STR,  column, .doc = "id: as rows were added") \
	F(T, BOOL, down)
SHAPE_DECLARE(look_order, LOOK_ORDER);

/* Reads the parts of an order, which may name columns that the table doesn't have. The form's rows
 * without a column follow in v, ORDERS_MOST in all. */
void orders_read(struct ctx *c, const char *order, struct look_order_list *out);
/* Returns NULL if the order is by another column. */
const struct look_order *orders_find(const struct look_order_list *, const char *column);
/* Returns the order that also has the column: last, or in the other direction if it is there. The
 * last gives way if there are as many as may be. */
const char *orders_with(struct ctx *c, const struct look_order_list *, const char *column);
/* Reads the form. NULL: no column was chosen. */
const char *orders_typed(struct ctx *c, const struct pair *pairs, size_t n);
#endif
