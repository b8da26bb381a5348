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
 * An expression is true or false, never unknown. Values are equal if their keys are
 * (data/cell.h). Values of different kinds are unequal, and null equals only null. A value that
 * the viewer lacks (viewer.id of a stranger) equals a written null, but no null of a row. A
 * comparison such as < is false unless both sides are of one kind and not null. A column alone
 * holds if its value is true. A missing column is null; rowpolicy_table() closes a rule that
 * names one. A text literal compared with a column of timestamps is read as a time, with one of
 * dates as a date or a time. If it isn't one, it equals no time and is neither before nor after
 * one.
 *
 * C evaluates the tree for the keys of a row; expr_sql() makes a condition of it. Source:
 * data/README.md. */
#ifndef VITRINE_EXPR_H
#define VITRINE_EXPR_H
#include "data/cell.h"
#include "db/build.h"

/* Limits of one expression: bytes, nesting depth, number of values. */
enum { EXPR_BYTES = 2000, EXPR_DEPTH = 16, EXPR_VALUES = 50 };

enum viewer_member {
	VIEWER_ID,
	VIEWER_EMAIL,
	VIEWER_ROLE,
	VIEWER_WORKSPACE_ROLE,
	VIEWER_DOMAIN,
	VIEWER_MEMBERS
};
/* The viewer's values as keys; an empty key is null. */
struct expr_viewer {
	struct bytes member[VIEWER_MEMBERS];
};

struct expr;
/* Parses an expression into *out and returns NULL; or returns the error, with its offset in *at.
 * rows: row.<column> is allowed. */
const char *expr_parse(
    void *owner, const char *text, bool rows, const struct expr **out, size_t *at);

/* Returns a column in the expression that `columns` (NULL: no columns) doesn't contain, or NULL. */
const char *expr_unknown(const struct expr *, const struct cell_columns *columns);

/* Returns the expression as a clause about a person ("their") and a row: "their role is owner or
 * editor, and status isn’t “open”". The result belongs to owner. */
const char *expr_words(void *owner, const struct expr *);

/* The result for a viewer without looking at a row; VERDICT_ROW: depends on the row. */
enum verdict { VERDICT_NO, VERDICT_YES, VERDICT_ROW };
enum verdict expr_verdict(const struct expr *, const struct expr_viewer *);
/* Returns "none", "all", or for VERDICT_ROW "some". */
const char *verdict_word(enum verdict);

/* Evaluates the expression for a row. keys are by slot. */
bool expr_holds(const struct expr *, const struct expr_viewer *, const struct cell_columns *,
    const struct bytes keys[CELL_SLOTS]);
/* Adds the expression as a condition on the table r. The condition is never NULL. It adds at
 * most 2 * EXPR_VALUES parameters. q's memory owns keys of literals. */
void expr_sql(struct sql *q, const struct expr *, const struct expr_viewer *,
    const struct cell_columns *);
/* Finds slots whose key must have one certain value for the expression to hold, at most n.
 * Returns their number. */
struct expr_lead {
	int slot;
	struct bytes key;
};
size_t expr_leads(void *owner, const struct expr *, const struct expr_viewer *,
    const struct cell_columns *, struct expr_lead *out, size_t n);
#endif
