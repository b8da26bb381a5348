/* SPDX-License-Identifier: Apache-2.0
 * access_policy: who may read and write the data of an artifact, as JSON:
 *
 *  {"tables": {"orders": {"read": "row.owner == viewer.email",
 *                         "write": "viewer.role in ['owner', 'editor']"}},
 *   "json": {"read": "viewer.id != null"},
 *   "blobs": {"write": "viewer.domain == 'example.org'"},
 *   "default": "owner"}
 *
 * data/expr.h has the language of the rules; those of json and blobs know the viewer only.
 * `default` is the least role for whatever no rule names ("everyone": whoever may see the
 * artifact), reading and writing alike. Without it, and without a policy, whoever may see the
 * artifact reads, and editors write. Whom the artifact is shared with as somebody outside of its
 * workspace (core/reach.h) has the viewer.role 'external'; with a grant to edit they count as an
 * editor where no rule is. The owner is never bound. A stored policy that can't be
 * understood leaves the data to the owner; a table's rules that can't be, that table.
 *
 * Source: data/README.md. */
#ifndef VITRINE_ROWPOLICY_H
#define VITRINE_ROWPOLICY_H
#include "core/artifact.h"
#include "data/expr.h"

/* More than an artifact can have tables, so that one under another name keeps its rules. */
enum { POLICY_TABLES = 200 };

/* Checks a whole access_policy. E_INVALID names the rule and the place in the expression. */
enum err rowpolicy_check(struct ctx *c, const char *json_text);

/* What viewer.role is: a role, 'external', or NULL. */
const char *viewer_role(const struct artifact *a);

/* What a statement reads of an artifact `a` for whoever it is read for (core/role.h, ROLE_TABLES),
 * to judge them by its policy; of any row that has those fields and artifact_id. */
#define RULED(F, T) \
	F(T, STR, role,           .flags = F_HID) \
	F(T, STR, workspace_role, .flags = F_HID) \
	F(T, STR, access_policy,  .flags = F_HID)
#define RULED_COLUMNS \
	ROLE_COLUMN " AS role, " WORKSPACE_ROLE_COLUMN \
	" AS workspace_role, a.access_policy"
#define RULED_ARTIFACT(r) \
	&(struct artifact){ .id = (r)->artifact_id, .role = (r)->role, \
		.workspace_role = (r)->workspace_role, .access_policy = (r)->access_policy, \
		.has = { .access_policy = GIVEN } }

enum policy_part { POLICY_JSON, POLICY_BLOBS };
enum policy_act { POLICY_READ, POLICY_WRITE };
/* Whether `who` (NULL: nobody signed in) may read or write the artifact's document or blobs. That
 * they may see the artifact is known already. */
enum err rowpolicy_allows(struct ctx *c, const struct artifact *a, const struct principal *who,
    enum policy_part part, enum policy_act act, bool *out);

/* The policy as it binds somebody: read once for all that is asked of it. */
struct rowpolicy {
	enum role role;                   /* where no rule is */
	const struct json *tree;          /* NULL: there is none */
	const struct expr_viewer *viewer;
	bool closed;                      /* it can't be understood */
};
enum err rowpolicy_read(struct ctx *c, const struct artifact *a, const struct principal *who,
    struct rowpolicy *out);

/* What the policy says of a table: not at all, always, or for the rows that expr holds for. A rule
 * that names a column which the table doesn't have is false as a whole, whatever is around it:
 * "not (row.statuss == 'late')" must not open all rows. */
struct row_rule {
	enum verdict verdict;
	const struct expr *expr; /* of VERDICT_ROW */
	const struct expr_viewer *viewer;
	const char *unknown; /* such a column; NULL: there is none */
};
/* columns NULL: they aren't known (table_readable()), so `unknown` is any column that the rule
 * names, and doesn't close it. */
struct row_rule rowpolicy_table(struct ctx *c, const struct rowpolicy *p, const char *table,
    const struct cell_columns *columns, enum policy_act act);
/* The stored text, NULL when there is none, of an artifact that may have been read without it. */
enum err rowpolicy_text(struct ctx *c, const struct artifact *a, const char **out);
/* Whether the rule lets somebody have a row, whose keys are by slot. */
bool row_rule_holds(const struct row_rule *, const struct cell_columns *,
    const struct bytes keys[CELL_SLOTS]);
/* Adds " AND " and the rule, as a condition on the table r; nothing when it always holds. */
void row_rule_sql(struct sql *q, const struct row_rule *, const struct cell_columns *);
#endif
