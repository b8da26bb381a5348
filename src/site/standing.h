/* SPDX-License-Identifier: Apache-2.0
 * Standing approvals: one agent may publish new versions of an open artifact without an approval
 * each time. Each is granted by one person: the artifact's owner, or an admin of its workspace. It
 * covers files only: no name, access_policy, agent or visibility. It ends at a time, when the
 * artifact is more open than at the grant, and when the person may no longer grant it. If the
 * workspace requires approval, as many admins as for one must grant it, without the agent's own
 * person. Ending one deletes it. Source: site/README.md. */
#ifndef VITRINE_STANDING_H
#define VITRINE_STANDING_H
#include "core/artifact.h"
#include "core/user.h"

enum { STANDING_DAYS_MOST = 365, STANDING_S = 90 * 86400 /* if the request names no time */ };

#define STANDING_APPROVAL(F, T) \
	F(T, ID,   id,           .arg = "sta_") \
	F(T, ID,   artifact_id,  .arg = "art_") \
	F(T, ID,   grant_id,     .flags = F_NUL, .arg = "ogr_", \
		.doc = "The agent, if a person has connected it") \
	F(T, ID,   principal_id, .flags = F_NUL, .arg = "usr_", \
		.doc = "The agent, if it is one of the workspace") \
	F(T, STR,  agent_name) \
	F(T, WORD, visibility,   .arg = "public|unlisted", \
		.doc = "It applies while the artifact is no more open than that") \
	F(T, OBJ,  granted_by,   .sub = &ws_user_shape) \
	F(T, TIME, created_at) \
	F(T, TIME, expires_at) \
	F(T, BOOL, applies, \
		.doc = "false: the artifact is private, or was opened further since, " \
		       "or whoever granted it may not anymore")
SHAPE_DECLARE(standing_approval, STANDING_APPROVAL);

#define STANDING_NEW(F, T) \
	F(T, ID,   grant_id,     .arg = "ogr_", \
		.doc = "A connected agent: one of yours, or one that has worked on the artifact") \
	F(T, ID,   principal_id, .arg = "usr_", \
		.doc = "Instead of grant_id: an agent of the artifact's workspace") \
	F(T, TIME, expires_at, \
		.doc = "At most 365 days from now; default: 90 days from now")
SHAPE_DECLARE(standing_new, STANDING_NEW);

/* Lists standing approvals that haven’t ended, latest first. */
enum err standing_list(struct ctx *c, const struct artifact *, const struct page_query *,
    struct standing_approval_list *out, const char **next);
enum err standing_get(
    struct ctx *c, const struct artifact *, const char *id, struct standing_approval **out);
/* True if a person with these rights on the artifact may grant one. */
bool standing_may(const struct artifact *);

/* The callers of these have locked the artifact's row. A person has one for an agent: granting it
 * again replaces it. E_DENIED; E_CONFLICT if the artifact is private; E_NOT_FOUND for an agent that
 * can't reach it. */
enum err standing_add(struct ctx *c, const struct artifact *, const struct principal *who,
    const struct standing_new *, const char **id);
/* Adds one for the agent that published a version, up to that visibility. E_INVALID if a person
 * did. */
enum err standing_add_for(struct ctx *c, const struct artifact *, const struct principal *who,
    int64_t version_no, const char *visibility, int64_t until);
enum err standing_end(
    struct ctx *c, const struct artifact *, const struct principal *who, const char *id);
/* True if `who`, an agent, may replace the files that others see. */
enum err standing_covers(
    struct ctx *c, const struct artifact *, const struct principal *who, bool *yes);
#endif
