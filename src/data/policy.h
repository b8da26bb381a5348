/* SPDX-License-Identifier: Apache-2.0
 * An artifact's access_policy (data/rowpolicy.h) as people work on it: its text, its rules in
 * sentences, its versions, and what somebody could do under it. Source: data/README.md. */
#ifndef VITRINE_POLICY_H
#define VITRINE_POLICY_H
#include "data/table.h"

enum { POLICY_BYTES = 65536, POLICY_VERSIONS = 50 };

#define POLICY_TOLD(F, T) \
	F(T, JSON, policy,     .flags = F_NUL, .arg = "object", .doc = "null: there are no rules", \
		.eg = "{\"default\":\"owner\"}") \
	F(T, STR,  text,       .flags = F_NUL, .doc = "The policy as it was written") \
	F(T, INT,  version,    .doc = "Grows with each change; 0: there never were rules") \
	F(T, JSON, sentences,  .arg = "object", \
		.doc = "Of each table: who can do what, in English", \
		.eg = "{\"orders\":[\"Everyone who can open it can see all rows.\"]}") \
	F(T, TIME, updated_at, .flags = F_NUL) \
	F(T, OBJ,  updated_by, .flags = F_NUL, .sub = &change_by_shape)
SHAPE_DECLARE(policy_told, POLICY_TOLD);

#define POLICY_NEW(F, T) \
	F(T, JSON, policy,          .flags = F_NUL, .arg = "object", .hi = POLICY_BYTES, \
		.doc = "null: no rules", .eg = "{\"default\":\"owner\"}") \
	F(T, STR,  text,            .flags = F_LONG, .hi = POLICY_BYTES, \
		.doc = "Instead of policy: JSON, which is kept as it is written. " \
		       "Empty: no rules", .eg = NULL) \
	F(T, BOOL, accept_exposure, \
		.doc = "For agents: their person knows what strangers can then do with the data")
SHAPE_DECLARE(policy_new, POLICY_NEW);

#define POLICY_VERSION(F, T) \
	F(T, INT,  version) \
	F(T, STR,  text,       .flags = F_NUL, .doc = "null: there were no rules") \
	F(T, TIME, updated_at, .flags = F_NUL) \
	F(T, OBJ,  updated_by, .flags = F_NUL, .sub = &change_by_shape)
SHAPE_DECLARE(policy_version, POLICY_VERSION);

#define POLICY_AS(F, T) \
	F(T, EMAIL, email) \
	F(T, BOOL,  stranger,  .doc = "Somebody who isn't signed in") \
	F(T, BOOL,  signed_in, .doc = "Somebody signed in whom nothing names", .eg = "true")
SHAPE_DECLARE(policy_as, POLICY_AS);

#define POLICY_TRY(F, T) \
	F(T, OBJ,  as,     .flags = F_REQ, .sub = &policy_as_shape, .doc = "One of these") \
	F(T, JSON, policy, .arg = "object", .hi = POLICY_BYTES, \
		.doc = "Try this one instead of the present one", .eg = NULL) \
	F(T, STR,  text,   .flags = F_LONG, .hi = POLICY_BYTES, .doc = "The same, as text", \
		.eg = NULL)
SHAPE_DECLARE(policy_try, POLICY_TRY);

#define RULE_REACHES "none|some|all"
#define TRIED_TABLE(F, T) \
	F(T, STR,  name) \
	F(T, WORD, read,        .arg = RULE_REACHES, .doc = "some: the rule says which rows") \
	F(T, WORD, add,         .arg = RULE_REACHES) \
	F(T, WORD, change,      .arg = RULE_REACHES) \
	F(T, WORD, delete,      .arg = RULE_REACHES) \
	F(T, INT,  rows,        .flags = F_NUL, .doc = "Of the table; null if you can't see all") \
	F(T, INT,  rows_read,   .flags = F_NUL, \
		.doc = "null: you can't see all rows, or there are too many to count") \
	F(T, INT,  rows_change, .flags = F_NUL, .doc = "Of these, rows that they can change") \
	F(T, JSON, sample,      .arg = "array", \
		.doc = "At most 20 of the rows that they and you can see")
SHAPE_DECLARE(tried_table, TRIED_TABLE);

#define POLICY_TRIED(F, T) \
	F(T, BOOL, reaches, .doc = "They can open the artifact now") \
	F(T, LIST, tables,  .sub = &tried_table_shape)
SHAPE_DECLARE(policy_tried, POLICY_TRIED);

/* ---- reading ---- */

enum err policy_get(struct ctx *c, const struct artifact *a, struct policy_told **out);
enum err policy_versions(struct ctx *c, const struct artifact *a, const struct page_query *,
    struct policy_version_list *out, const char **next);
/* Returns sentences about what the policy lets people do with a table's rows. policy.role is
 * ignored. data/policysay.c. */
enum err policy_say(struct ctx *c, const struct rowpolicy *policy, const struct data_table *t,
    struct strs *out);

/* ---- changing ---- */

/* Returns the policy that text or policy (each may be NULL) ask for, compact, and as written; NULL:
 * no rules. E_INVALID with details {"path","line","column"}. */
enum err policy_read(struct ctx *c, const char *policy, const char *text, const char **compact,
    const char **written);
/* Stores a policy. E_INVALID as policy_read(), or because a table lacks a column;
 * E_APPROVAL_REQUIRED and E_ABOVE_CEILING on an open artifact; E_CONFLICT: an agent must accept
 * what strangers could then do. Misfits are appended to *odd. The caller holds the lock on the
 * artifact's row. */
enum err policy_put(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct policy_new *in, struct strs *odd);
/* If `who` is an agent, *more gets sentences about what the policy would newly let strangers do
 * with an open artifact's data (exposure_grows()); NULL if there are none, or for others. */
enum err policy_exposes(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *policy, const char **more);
/* Records a change from one policy to another, which the caller has stored: a version and an audit
 * line. NULL and "" mean none. written: the new one's text; NULL: as it is. Does nothing if they
 * are equal. */
enum err policy_changed(struct ctx *c, const struct artifact *a, const char *before,
    const char *after, const char *written);

/* ---- trying ---- */

/* Evaluates the policy, or a draft of one, for somebody else. Shows `who` only rows that they may
 * read, and numbers of rows only of tables that they may read wholly. */
enum err policy_try(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct policy_try *in, struct policy_tried *out);
#endif
