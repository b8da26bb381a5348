/* SPDX-License-Identifier: Apache-2.0
 * Signs a browser in on a content host through the app. The host gives the browser a nonce, the app
 * makes a ticket for the person who is signed in there and for that nonce, and the host trades it
 * for its cookie. Because of the nonce, an address with somebody else's ticket signs nobody in. */
#ifndef VITRINE_HANDOFF_H
#define VITRINE_HANDOFF_H
#include "http/req.h"

/* Handles /_vitrine/signin?to=…, where signing in on this host begins: redirects the browser to the
 * app. label is the host's. */
enum err handoff_signin(struct req *, const char *label, const char *query);
/* For a page that the visitor may not see: asks the app who they are, without showing them a page.
 * Only for a navigation of a browser that hasn't just come back from the app; else *gone is
 * false. */
enum err handoff_silent(struct req *, const char *label, bool *gone);
/* Handles /_vitrine/enter?ticket=…&to=…, where the browser comes back: trades a valid ticket for a
 * cookie. *to is the path to continue with. *known is false for a browser that stores no cookies or
 * never began: sending it to the beginning again would make a loop. */
enum err handoff_enter(
    struct req *, const char *slug, const char *query, const char **to, bool *known);
#endif
