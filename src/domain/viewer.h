/* SPDX-License-Identifier: Apache-2.0
 * Seeing a private artifact on its own host, which never gets the app's cookie: the app makes a
 * ticket, good once and for a minute; the host trades it for a cookie of its own. The cookie hangs
 * on the session, and every request asks again what its person may. Source: decisions, "People and
 * access". */
#ifndef VITRINE_VIEWER_H
#define VITRINE_VIEWER_H
#include "domain/session.h"

/* The person `u` behind a cookie for the artifact `a`, joined to it; NULL columns when there is
 * none. Its arguments: VIEWER(c, digest), where the digest is of the cookie, or NULL. */
#define VIEWER_TABLES \
	" LEFT JOIN viewer w ON w.hash = ? AND w.kind = 'cookie' AND w.artifact_id = a.id AND w.expires_at > ?" \
	" LEFT JOIN session e ON e.id = w.session_id AND e.expires_at > ?" \
	" LEFT JOIN user u ON u.id = e.user_id AND u.disabled_at IS NULL"
#define VIEWER(c, digest) \
	((digest) ? arg_bytes(*(digest)) : arg_null()), (c)->now, (c)->now

enum err
viewer_ticket(struct ctx *c, const char *artifact_id, const char *session_id, const char **ticket);
/* In a transaction. *cookie NULL: the ticket is not good here, or has been used. */
enum err
viewer_trade(struct ctx *c, const char *artifact_id, const char *ticket, const char **cookie);
enum err viewer_reap(struct ctx *c);
#endif
