/* SPDX-License-Identifier: Apache-2.0
 * A browser in which a person is signed in. The cookie is a secret of which only the digest is
 * stored; each request looks the row up, so ending a session works at once. Source: interface,
 * "Authentication"; core/README.md. */
#ifndef VITRINE_SESSION_H
#define VITRINE_SESSION_H
#include "core/token.h"
#include "core/user.h"

#define SESSION_KINDS "password|provider"
#define SESSION(F, T) \
	F(T, ID,   id,           .arg = "ses_") \
	F(T, WORD, kind,         .arg = SESSION_KINDS, .doc = "How the person signed in") \
	F(T, STR,  address) \
	F(T, STR,  agent,        .doc = "User agent of the browser") \
	F(T, BOOL, current,      .doc = "Whether this is the session of this request") \
	F(T, TIME, created_at) \
	F(T, TIME, last_used_at) \
	F(T, TIME, expires_at)
SHAPE_DECLARE(session, SESSION);

/* The session that is table `s` in a statement, of the user that is table `u`, runs. SESSION_NOW(c)
 * gives its arguments: session_days, and what the workspaces of its person set
 * (team/sessionpolicy.h), bound the life of sessions that began before they were lowered, too. */
#define SESSION_RUNS(s, u) \
	"(" s ".expires_at > ? AND " s ".created_at" \
	" + LEAST(?, COALESCE(" u ".session_max_days * 86400, 1 << 40)) > ?)"
#define SESSION_NOW(c) (c)->now, session_life_s(c), (c)->now
/* When it ends; its argument is session_life_s(c), in seconds. */
#define SESSION_ENDS(s, u) \
	"CAST(LEAST(" s ".expires_at, " s ".created_at" \
	" + LEAST(?, COALESCE(" u ".session_max_days * 86400, 1 << 40))) AS SIGNED)"
int64_t session_life_s(const struct ctx *c);

/* Where a request came from, as people are shown it. */
struct origin {
	const char *address, *agent;
};

const char *
origin_agent(struct ctx *c, const char *agent); /* plain and short; a header may hold anything */
/* Returns people’s name of the program, such as "Chrome on Linux". */
const char *agent_name(struct ctx *c, const char *agent);
/* *cookie is the secret for the browser. */
enum err session_begin(struct ctx *c, const char *user_id, const char *kind, const struct origin *,
    const char **cookie);
/* *out NULL: it is no session, or one that has ended. */
enum err session_check(struct ctx *c, const char *cookie, const char *kind, struct principal **out);
enum err
session_touch(struct ctx *c, const struct principal *who); /* it was used; at most once a minute */
/* The latest first. */
enum err session_list(struct ctx *c, const struct principal *who, struct session_list *out);
enum err session_end(struct ctx *c, const char *user_id, const char *session_id); /* E_NOT_FOUND */
enum err session_leave(struct ctx *c,
    const struct principal
	*who); /* the one who is signed in with it; nothing if it has ended, or is none */
enum err
session_end_others(struct ctx *c, const char *user_id, const char *keep); /* keep NULL: all */

/* A browser that has signed in to the account before. cookie may be NULL. */
enum err browser_known(struct ctx *c, const char *email, const char *cookie, bool *yes);
/* Makes it known: *cookie is the old secret, or a new one. The person is told by e-mail of a
 * browser that is new to them. */
enum err
browser_remember(struct ctx *c, const struct user *, const struct origin *, const char **cookie);

/* The digest of a secret of ours with this prefix; *out NULL for what can't be one. */
const struct bytes *secret_digest(struct ctx *c, const char *secret, const char *prefix);
#endif
