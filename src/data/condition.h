/* SPDX-License-Identifier: Apache-2.0
 * Conditions on rows as people see and type them: rows of a form on a table's page, which `and` and
 * `or` join. `and` binds more tightly, so an `or` begins a group. data/where.h reads the JSON that
 * is made here. Source: data/README.md. */
#ifndef VITRINE_CONDITION_H
#define VITRINE_CONDITION_H
#include "data/where.h"

enum { CONDITIONS_SHOWN = 20 };

#define TYPED_CONDITION(F, T) \
	F(T, INT,  no,      .doc = "Its place, from 1") \
	F(T, BOOL, first) \
	F(T, BOOL, begins,  .doc = "It begins a group: `or` joins it to those before") \
	F(T, STR,  column) \
	F(T, STR,  op,      .doc = "Of condition_groups()") \
	F(T, STR,  value) \
	F(T, STR,  to,      .doc = "Of between: the second value") \
	F(T, STR,  said,    .doc = "In words; NULL: it isn't filled in") \
	F(T, STR,  without, .doc = "The page's address without it") \
	F(T, BOOL, gone,    .doc = "The table has no such column") \
	F(T, STR,  wrong,   .doc = "Why it is refused")
SHAPE_DECLARE(typed_condition, TYPED_CONDITION);

/* Comparisons, for a choice in groups. */
#define CONDITION_OP(F, T) \
	F(T, STR,  word) \
	F(T, STR,  said) \
	F(T, BOOL, bare,  .doc = "It takes no value") \
	F(T, BOOL, two,   .doc = "It takes two")
SHAPE_DECLARE(condition_op, CONDITION_OP);
#define CONDITION_GROUP(F, T) \
	F(T, STR,  title) \
	F(T, LIST, ops, .sub = &condition_op_shape)
SHAPE_DECLARE(condition_group, CONDITION_GROUP);
struct list condition_groups(struct ctx *c);

/* Reads conditions in JSON (NULL: none) into rows, multiplying out what is nested. False: that
 * takes more than CONDITIONS_SHOWN, or they aren't conditions. */
bool conditions_read(struct ctx *c, const struct data_table *t, const char *where,
    struct typed_condition_list *out);
/* Reads a form's column.0, op.0, value.0, to.0, join.0 and so on. Rows without a column, and the
 * one of the number `drop`, are left out. */
void conditions_typed(struct ctx *c, const struct data_table *t, const struct pair *pairs, size_t n,
    int64_t drop, struct typed_condition_list *out);
/* Returns them as JSON, without the one of the number `drop`; NULL: none. */
const char *conditions_json(struct ctx *c, const struct data_table *t,
    const struct typed_condition_list *all, int64_t drop);
/* Finds the row that a refusal of that JSON names, and sets its `wrong`. False: it names none. */
bool conditions_blame(
    struct ctx *c, const struct typed_condition_list *all, const char *why);

/* Returns the zone in which a page reads relative dates of the conditions, JSON or NULL: that of
 * the reader's daily mail, or UTC. NULL: there are none. user_id: NULL for a stranger. */
enum err conditions_zone(
    struct ctx *c, const char *user_id, const char *where, const char **zone);
#endif
