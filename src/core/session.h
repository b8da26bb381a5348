/* SPDX-License-Identifier: Apache-2.0
 * A session: a browser in which a person is signed in. Its cookie is a secret of which we store
 * only the digest. Each request reads the row, so a session ends at once. Source: interface,
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

/* SQL condition: the session `s` of the user `u` is valid. SESSION_NOW(c) gives its arguments.
 * session_days and the settings of the person's workspaces (team/sessionpolicy.h) also limit
 * sessions that began before they were lowered. */
#define SESSION_RUNS(s, u) \
	"(" s ".expires_at > ? AND " s ".created_at" \
	" + LEAST(?, COALESCE(" u ".session_max_days * 86400, 1 << 40)) > ?)"
#define SESSION_NOW(c) (c)->now, session_life_s(c), (c)->now
/* When a session ends; its argument is session_life_s(c), in seconds. */
#define SESSION_ENDS(s, u) \
	"CAST(LEAST(" s ".expires_at, " s ".created_at" \
	" + LEAST(?, COALESCE(" u ".session_max_days * 86400, 1 << 40))) AS SIGNED)"
int64_t session_life_s(const struct ctx *c);

/* Where a request came from, in words for people. */
struct origin {
	const char *address, *agent;
};

const char *
origin_agent(struct ctx *c, const char *agent); /* plain and short, because a header may contain
						 * anything */
/* Returns the name of a program for people, such as "Chrome on Linux". */
const char *agent_name(struct ctx *c, const char *agent);
/* Begins a session. *cookie is the secret for the browser. */
enum err session_begin(struct ctx *c, const char *user_id, const char *kind, const struct origin *,
    const char **cookie);
/* *out is NULL if there is no such session, or it has ended. */
enum err session_check(struct ctx *c, const char *cookie, const char *kind, struct principal **out);
/* Records that it was used, at most once a minute. */
enum err
session_touch(struct ctx *c, const struct principal *who);
/* Lists the latest first. */
enum err session_list(struct ctx *c, const struct principal *who, struct session_list *out);
enum err session_end(struct ctx *c, const char *user_id, const char *session_id); /* E_NOT_FOUND */
/* Ends the session of this cookie. E_OK if it has ended, or never existed. */
enum err session_leave(struct ctx *c,
    const struct principal
	*who);
/* Ends all sessions of the user but `keep` (NULL: all). */
enum err
session_end_others(struct ctx *c, const char *user_id, const char *keep);

/* True if this browser has signed in to the account before. cookie may be NULL. */
enum err browser_known(struct ctx *c, const char *email, const char *cookie, bool *yes);
/* Remembers the browser: *cookie is the old secret, or a new one. Mails the person if the browser
 * is new. */
enum err
browser_remember(struct ctx *c, const struct user *, const struct origin *, const char **cookie);

/* *out is the digest of a secret of ours with this prefix; NULL for text that can't be one. */
const struct bytes *secret_digest(struct ctx *c, const char *secret, const char *prefix);
#endif
