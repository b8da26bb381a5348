/* SPDX-License-Identifier: Apache-2.0
 * What was decided in a workspace: each change of rights, policies, members, visibility and tokens
 * is a row, written in the transaction of the change, with who made it and from where, and how it
 * was before and after. Rows are kept for a year; none is changed. Nothing secret is in them. */
#ifndef VITRINE_AUDIT_H
#define VITRINE_AUDIT_H
#include "db/db.h"
#include "domain/principal.h"

enum { AUDIT_DAYS = 365 };

struct audit {
	const char *action;         /* "member.removed" */
	const char *type;           /* of the target: "workspace", "member", "artifact", … */
	const char *id, *name;      /* the target's */
	const char *before, *after; /* JSON, or NULL */
};
/* who NULL: an operator, or the service itself. Where it came from is the context's. */
enum err audit_add(struct ctx *c, const char *workspace_id, const struct principal *who,
    const struct audit *);
/* The same for many things that one act concerns, in one statement. */
enum err audit_add_many(struct ctx *c, const char *workspace_id, const struct principal *who,
    const struct audit *, size_t n);
/* Rows that have had their time. */
enum err audit_reap(struct ctx *c, int64_t limit, int64_t *removed);
#endif
