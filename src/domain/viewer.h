/* SPDX-License-Identifier: Apache-2.0
 * Seeing a private artifact on its own host, which never gets the app's cookie: the app makes a
 * ticket, good once and for a minute; the host trades it for a cookie of its own. The cookie hangs
 * on the session, and every request asks again what its person may. Source: decisions, "People and
 * access". */
#ifndef VITRINE_VIEWER_H
#define VITRINE_VIEWER_H
#include "domain/artifact.h"

enum err
viewer_ticket(struct ctx *c, const char *artifact_id, const char *session_id, const char **ticket);
/* In a transaction. *cookie NULL: the ticket is not good here, or has been used. */
enum err
viewer_trade(struct ctx *c, const char *artifact_id, const char *ticket, const char **cookie);
/* The role of the cookie's person, or NULL. */
enum err viewer_role(struct ctx *c, const char *artifact_id, const char *cookie, const char **role);
enum err viewer_reap(struct ctx *c, int64_t limit, int64_t *removed);
#endif
