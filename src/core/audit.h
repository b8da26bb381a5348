/* SPDX-License-Identifier: Apache-2.0
 * The audit of a workspace: each change of rights, policies, members, visibility and tokens is a
 * row, written in the transaction of the change, with its actor, their address, and the state
 * before and after. Rows are kept for a year and never changed. They hold no secrets. */
#ifndef VITRINE_AUDIT_H
#define VITRINE_AUDIT_H
#include "core/user.h"

enum { AUDIT_DAYS = 365 };

struct audit {
	const char *action;         /* such as "member.removed" */
	const char *type;           /* the target's kind: "workspace", "member", "artifact", … */
	const char *id, *name;      /* the target's id */
	const char *before, *after; /* JSON, or NULL */
};
/* who NULL: an operator, or the service itself. Then the address isn't recorded. */
enum err audit_add(struct ctx *c, const char *workspace_id, const struct principal *who,
    const struct audit *);
/* Records one act on many things, in one statement. */
enum err audit_add_many(struct ctx *c, const char *workspace_id, const struct principal *who,
    const struct audit *, size_t n);
/* Returns JSON such as {"name":"text","days":7}, for before and after. names: "name|days"; the
 * values are texts, numbers or NULL. */
#define audit_facts(c, names, ...) audit_facts_of((c), (names), ARGS(__VA_ARGS__))
const char *audit_facts_of(struct ctx *c, const char *names, struct args values);

/* ---- reading it ---- */

#define AUDIT_TARGET(F, T) \
	F(T, STR, type) \
	F(T, STR, id) \
	F(T, STR, name, .doc = "Its name at the time")
SHAPE_DECLARE(audit_target, AUDIT_TARGET);

#define AUDITED(F, T) \
	F(T, ID,   id,         .arg = "aud_") \
	F(T, TIME, at) \
	F(T, OBJ,  actor,      .flags = F_NUL, .sub = &ws_user_shape, \
		.doc = "With their name at the time; null for an operator or the service itself") \
	F(T, ID,   token_id,   .flags = F_NUL, .arg = "tok_", \
		.doc = "null if it was done in a browser") \
	F(T, STR,  agent_name, .flags = F_NUL, \
		.doc = "The connected agent that did it for the actor; null: none") \
	F(T, STR,  address,    .flags = F_NUL) \
	F(T, STR,  request_id, .flags = F_NUL) \
	F(T, STR,  action,     .doc = "What was done, such as member.removed") \
	F(T, OBJ,  target,     .sub = &audit_target_shape) \
	F(T, JSON, before,     .flags = F_NUL) \
	F(T, JSON, after,      .flags = F_NUL)
SHAPE_DECLARE(audited, AUDITED);

#define AUDIT_QUERY(F, T) \
	F(T, ID,   actor,     .arg = "usr_") \
	F(T, STR,  action,    .lo = 1, .hi = 40, .doc = "Such as member.removed") \
	F(T, STR,  target_id, .lo = 1, .hi = 254) \
	F(T, STR,  target,    .lo = 1, .hi = 200, .doc = "Part of the target's name at the time") \
	F(T, TIME, since,     .doc = "At or after this time") \
	F(T, TIME, until,     .doc = "Before this time") \
	PAGE_FIELDS(F, T, 200)
SHAPE_DECLARE(audit_query, AUDIT_QUERY);

/* E_INVALID for an action that doesn't exist. */
enum err audit_query_check(struct ctx *c, const struct audit_query *);
/* Lists the newest first. *next is NULL on the last page. */
enum err audit_list(struct ctx *c, const char *workspace_id, const struct audit_query *,
    struct audited_list *out, const char **next);

/* Returns the words for an action; NULL if this program doesn't know it. */
struct audit_words {
	const char *action, *label, *sentence; /* the rows of AUDIT() in noun.def */
};
const struct audit_words *audit_words(const char *action);
extern const struct audit_words audit_actions[]; /* ends with a row of NULLs */

/* Counts what the workspace has now: artifacts outside the trash, members, folders, context
 * files. */
#define AUDIT_THERE(F, T) \
	F(T, STR,  id) \
	F(T, WORD, type, .arg = "artifact|member|folder|context") \
	F(T, STR,  name) \
	F(T, STR,  email, .flags = F_NUL)
SHAPE_DECLARE(audit_there, AUDIT_THERE);
enum err audit_find_there(struct ctx *c, const char *workspace_id, const struct strs *ids,
    struct audit_there_list *out);
#endif
