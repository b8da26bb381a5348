/* SPDX-License-Identifier: Apache-2.0
 * Links in e-mails that end e-mails of their kind, without signing in, also as List-Unsubscribe
 * (RFC 8058). A link is sealed, so nobody can forge one, and names what ends and for whom. GET
 * only asks, because mail programs follow links; POST ends it. Source: inbox/README.md. */
#ifndef VITRINE_INBOX_STOP_H
#define VITRINE_INBOX_STOP_H
#include "db/db.h"

/* The page unsubscribe.html; without a row, the e-mails have ended. */
#define UNSUBSCRIBE(F, T) \
	F(T, STR, email) \
	F(T, STR, what,  .doc = "The end of a sentence")
SHAPE_DECLARE(unsubscribe, UNSUBSCRIBE);
#define STOP_QUERY(F, T) F(T, STR, t, .hi = 1000, .doc = "From the e-mail")
SHAPE_DECLARE(stop_query, STOP_QUERY);

/* Returns page?t=…, which has what and whom; what has no space. purpose is the page's own. */
const char *stop_path(struct ctx *c, const char *page, const char *purpose, const char *what,
    const char *whom);
/* Reads t. E_NOT_FOUND: we didn't seal this text. */
enum err stop_open(struct ctx *c, const char *purpose, const char *t, const char **what,
    const char **whom);

/* ---- of the inbox ---- */

#define INBOX_STOP "/auth/unsubscribe/kind"
#define STOP_DIGEST "digest" /* instead of a kind: the daily mail */
/* Returns the path that sets the kind's way to page, for mail_values.stop. user_id NULL: NULL. */
const char *inbox_stop_path(struct ctx *c, const char *kind, const char *user_id);
/* *out is NULL if such mails have ended already. */
enum err inbox_stop_find(struct ctx *c, const char *t, struct unsubscribe **out);
enum err inbox_stop(struct ctx *c, const char *t);
#endif
