/* SPDX-License-Identifier: Apache-2.0
 * Signing in on a content host by way of the app: the host gives the browser a nonce, the app makes
 * a ticket for who is signed in there and for that nonce, and the host trades it for its cookie. So
 * an address with somebody else's ticket signs nobody in. */
#ifndef VITRINE_HANDOFF_H
#define VITRINE_HANDOFF_H
#include "http/req.h"

/* /_vitrine/signin?to=…, where signing in on this host begins: sends the browser to the app. label
 * is the host's. */
enum err handoff_signin(struct req *, const char *label, const char *query);
/* Where nothing is to be seen: has the app say who this is, without a word to them. Only for a
 * browser that opens the address itself and hasn't just come from asking; else *gone is false. */
enum err handoff_silent(struct req *, const char *label, bool *gone);
/* /_vitrine/enter?ticket=…&to=…, where the browser is back: its ticket becomes a cookie if it is
 * good. *to is where to go on. *known is false for a browser that keeps no cookies, or never began:
 * it must not be sent where it would begin again. */
enum err handoff_enter(
    struct req *, const char *slug, const char *query, const char **to, bool *known);
#endif
