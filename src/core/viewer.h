/* SPDX-License-Identifier: Apache-2.0
 * How a person sees a private artifact on its own host, which never gets the app's cookie. The app
 * makes a ticket, which works once, within a minute, and in the browser that asked for it
 * (site/handoff.h). The artifact's host trades it for a cookie of its own. That cookie leads to the
 * person's session, and every request checks again what the person may do. A host of the review
 * view has no cookie: its name leads to the session (site/frame.h). Source: core/README.md. */
#ifndef VITRINE_VIEWER_H
#define VITRINE_VIEWER_H
#include "core/session.h"

/* With this prefix the browser accepts the cookie only from the host itself, not from another page
 * that sets a cookie for the whole content domain. */
#define VIEWER_COOKIE "__Host-vitrine_viewer"

/* Joins to the artifact `a` the person `u` of the content host's cookie or frame; u's columns are
 * NULL if there is none. VIEWER(c, digest) gives the arguments; digest is the cookie's or the frame
 * name's, or NULL. No cookie has a frame's digest. */
#define VIEWER_TABLES \
	" LEFT JOIN viewer w ON w.hash = ? AND w.kind <> 'ticket' AND w.artifact_id = a.id" \
	" AND w.expires_at > ? LEFT JOIN session e ON e.id = w.session_id" \
	" LEFT JOIN user u ON u.id = e.user_id AND u.disabled_at IS NULL" \
	" AND " SESSION_RUNS("e", "u")
#define VIEWER(c, digest) \
	((digest) ? arg_bytes(*(digest)) : arg_null()), (c)->now, SESSION_NOW(c)

/* Returns the form of the browser’s nonce that the app receives. */
const char *viewer_nonce(struct ctx *c, const char *nonce);
enum err viewer_ticket(struct ctx *c, const char *artifact_id, const char *session_id,
    const char *nonce, const char **ticket);
/* Trades a ticket for a cookie, inside the caller's transaction. *cookie is NULL if the ticket is
 * not for this artifact or this nonce, has expired, or has been used. */
enum err viewer_trade(struct ctx *c, const char *artifact_id, const char *ticket,
    const char *nonce, const char **cookie);

/* ---- frames of the review view ---- */

/* Begins a frame of version no for the session: *name is the first label of its host, which shows
 * the version to anybody who knows it, for eight hours, while the session's person may see it. A
 * session has at most 20 frames; a new one ends the oldest. */
enum err viewer_frame(struct ctx *c, const char *artifact_id, int64_t no, const char *session_id,
    const char **name);
/* A frame's name, without its prefix, as VITRINE_FRAME has it. */
#define FRAME_PREFIX "rv---"
const struct bytes *viewer_frame_digest(struct ctx *c, const char *name);
/* Finds the artifact's slug by a frame's name; *slug is NULL if the frame has ended. The caller
 * must still check the session and its person. */
enum err viewer_frame_find(struct ctx *c, const char *name, const char **slug);
#endif
