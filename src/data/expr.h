/* SPDX-License-Identifier: Apache-2.0
 * The expressions of an access_policy, as a tree:
 *
 *  expr  = and {"or" and}
 *  and   = not {"and" not}
 *  not   = ["not"] test
 *  test  = "(" expr ")" | "true" | "false" | row.<column>
 *        | value ("=="|"!="|"<"|"<="|">"|">=") value | value "in" "[" [value {"," value}] "]"
 *  value = row.<column> | viewer.(id|email|role|workspace_role|domain)
 *        | 'text' | "text" | number | true | false | null
 *
 * An expression is true or false, never unknown. Two values are equal when their keys are
 * (data/cell.h): numbers with numbers, texts with texts; values of different kinds are unequal,
 * null equals null only; but what somebody does not have (viewer.id of a stranger) equals a
 * written null only, and no null of a row. Of < and its like both sides must be of one kind and
 * not null, else it is false. A column alone is true when it holds true. A column that the table
 * doesn't have is null; rowpolicy_table() closes a rule that names one. A text literal that is
 * compared with a column of timestamps is read as a time; one that is none equals no time and is
 * neither before nor after one.
 *
 * The same tree is judged in C, against the keys of one row, and becomes a statement's condition.
 * Source: data/README.md. */
#ifndef VITRINE_EXPR_H
#define VITRINE_EXPR_H
#include "data/cell.h"
#include "db/build.h"

/* Bounds of one expression: bytes, open brackets, values in all. */
enum { EXPR_BYTES = 2000, EXPR_DEPTH = 16, EXPR_VALUES = 50 };

enum viewer_member {
	VIEWER_ID,
	VIEWER_EMAIL,
	VIEWER_ROLE,
	VIEWER_WORKSPACE_ROLE,
	VIEWER_DOMAIN,
	VIEWER_MEMBERS
};
/* Keys of what is known of somebody; without bytes: null. */
struct expr_viewer {
	struct bytes member[VIEWER_MEMBERS];
};

struct expr;
/* NULL when text is an expression, which is left in *out, else what is wrong, with the offset in
 * *at. rows: whether row.<column> is known. */
const char *expr_parse(
    void *owner, const char *text, bool rows, const struct expr **out, size_t *at);

/* A column that the expression names and `columns` (NULL: none) don't have; NULL: there is none. */
const char *expr_unknown(const struct expr *, const struct cell_columns *columns);

/* What an expression says of a viewer whatever the row is, or that it depends on the row. */
enum verdict { VERDICT_NO, VERDICT_YES, VERDICT_ROW };
enum verdict expr_verdict(const struct expr *, const struct expr_viewer *);

/* Whether it holds for a row, whose keys are by slot. */
bool expr_holds(const struct expr *, const struct expr_viewer *, const struct cell_columns *,
    const struct bytes keys[CELL_SLOTS]);
/* Adds it to a statement as a condition on the table r, true or false and never unknown. It takes
 * at most 2 * EXPR_VALUES parameters. Keys of literals are made in q's memory. */
void expr_sql(struct sql *q, const struct expr *, const struct expr_viewer *,
    const struct cell_columns *);
/* The slots that must have one certain key for it to hold: at most n of them. Returns how many. */
struct expr_lead {
	int slot;
	struct bytes key;
};
size_t expr_leads(void *owner, const struct expr *, const struct expr_viewer *,
    const struct cell_columns *, struct expr_lead *out, size_t n);
#endif
