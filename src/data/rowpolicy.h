/* SPDX-License-Identifier: Apache-2.0
 * access_policy: who may read and write an artifact's data, as JSON:
 *
 *  {"tables": {"orders": {"read": "row.owner == viewer.email",
 *                         "write": "viewer.role in ['owner', 'editor']"},
 *              "wishes": {"add": "row.by == viewer.id", "change": "row.by == viewer.id",
 *                         "delete": "false", "change_columns": ["text"],
 *                         "add_per_hour": 20}},
 *   "json": {"read": "viewer.id != null"},
 *   "blobs": {"write": "viewer.domain == 'example.org'"},
 *   "default": "owner"}
 *
 * data/expr.h defines the rules' language; rules of json and blobs know only the viewer, and are
 * read and write alone. Where a table has no rule for adding, changing, or deleting rows, `write`
 * is that rule. change_columns are the only columns that may change in rows that are there.
 * `default` is the least role for reading and writing where no rule applies; "everyone" means
 * all who may see the artifact. Without `default`, all who may see the artifact read, and
 * editors write. People outside the workspace with a grant (core/reach.h) have the viewer.role
 * 'external'. With a grant to edit, they count as editors where no rule applies. The policy
 * never binds the owner. If the stored policy is invalid, only the owner has access; if a
 * table's rules are, that holds for the table. Source: data/README.md. */
#ifndef VITRINE_ROWPOLICY_H
#define VITRINE_ROWPOLICY_H
#include "core/artifact.h"
#include "data/expr.h"

/* More than the tables of an artifact, so that a renamed table keeps its rules. */
enum { POLICY_TABLES = 200 };

/* A place in a policy: names of members, from the outside in. */
struct policy_place {
	const char *text; /* the policy, as JSON */
	const char *keys[4];
	size_t n;
	bool name; /* the mistake is the last member's name, not its value */
	size_t at; /* characters into the value's text */
};
/* Fails with E_INVALID, "access_policy.tables.orders.read: …", and details {"path":
 * "tables.orders.read","line":3,"column":14}. */
enum err policy_fail(struct ctx *c, const struct policy_place *, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Checks a whole access_policy. E_INVALID like policy_fail(). */
enum err rowpolicy_check(struct ctx *c, const char *json_text);

/* Returns the value of viewer.role: a role, 'external', or NULL. */
const char *viewer_role(const struct artifact *a);

/* Columns that a statement reads of an artifact `a` to evaluate its policy for the statement's
 * subject (core/role.h, ROLE_TABLES). They work for any row that also has artifact_id. */
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
/* Acts after POLICY_WRITE are of rows. */
enum policy_act {
	POLICY_READ,
	POLICY_WRITE,
	POLICY_ADD,
	POLICY_CHANGE,
	POLICY_DELETE,
	POLICY_ACTS
};
extern const char *const policy_act_names[POLICY_ACTS];
/* True if `who` (NULL: not signed in) may read or write the document or blobs. The caller has
 * checked that they see the artifact. */
enum err rowpolicy_allows(struct ctx *c, const struct artifact *a, const struct principal *who,
    enum policy_part part, enum policy_act act, bool *out);

/* A policy with the role and viewer to which it applies, read once for many checks. */
struct rowpolicy {
	enum role role;                   /* applies where there is no rule */
	const struct json *tree;          /* NULL: no policy */
	const struct expr_viewer *viewer;
	bool closed;                      /* the policy is invalid, so only the owner has access */
};
enum err rowpolicy_read(struct ctx *c, const struct artifact *a, const struct principal *who,
    struct rowpolicy *out);

/* A policy's decision about a table: never, always, or for rows for which expr holds. A rule
 * that names a missing column is false as a whole: "not (row.statuss == 'late')" must not open
 * all rows. */
struct row_rule {
	enum verdict verdict;
	const struct expr *expr; /* for VERDICT_ROW */
	const struct expr_viewer *viewer;
	const char *name; /* its member: "add", or "write" if that decides; NULL: there is none */
	const char *unknown; /* a missing column that the rule names, or NULL */
	bool wrong;          /* the stored rules are invalid, so only the owner passes */
};
#define ANY_ROW ((struct row_rule){ .verdict = VERDICT_YES })
/* columns NULL means that they aren't known (table_readable()). Then `unknown` is any column in
 * the rule, and it doesn't close the rule. */
struct row_rule rowpolicy_table(struct ctx *c, const struct rowpolicy *p, const char *table,
    const struct cell_columns *columns, enum policy_act act);
/* Limits besides the rules. They don't bind the owner. */
struct row_limits {
	const struct json *change_columns; /* NULL: all may change */
	int64_t add_per_hour;              /* 0: any number */
};
struct row_limits rowpolicy_limits(const struct rowpolicy *p, const char *table);
/* True if the column is among those that may change. */
bool may_change_column(const struct row_limits *, const char *column);
/* Returns the stored text, or NULL. Reads it if the artifact was read without it. */
enum err rowpolicy_text(struct ctx *c, const struct artifact *a, const char **out);
/* True if the rule allows the row. keys are by slot. */
bool row_rule_holds(const struct row_rule *, const struct cell_columns *,
    const struct bytes keys[CELL_SLOTS]);
/* Adds " AND " and the rule as a condition on the table r. Adds nothing if the rule always
 * holds. */
void row_rule_sql(struct sql *q, const struct row_rule *, const struct cell_columns *);
#endif
