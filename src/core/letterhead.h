/* SPDX-License-Identifier: Apache-2.0
 * The head and foot of an e-mail, which name its sender: us, or a workspace with its branding
 * (core/mail.h, MAIL_BRAND). Beside a workspace's name ours appears, unless its branding hides
 * that. Mail programs support only tables and inline styles. */
#ifndef VITRINE_LETTERHEAD_H
#define VITRINE_LETTERHEAD_H
#include "core/mail.h"

#define INK "color:#12201e"
#define SOFT "color:#51605d"

/* Mail programs turn text that looks like an address into a link. In a name that somebody chose, a
 * word joiner keeps "bank.example" from becoming a link under our letterhead. An e-mail address
 * stays unchanged. */
const char *mail_inert(struct ctx *c, const char *s);
/* The host of the service, with its port. */
const char *mail_host(struct ctx *c);

/* Rows of the table around the message. brand NULL: we are the sender. The colored band is right
 * above the message. */
bool letterhead_has_band(const struct mail_brand *);
void letterhead_html(struct ctx *c, struct buf *html, const struct mail_brand *);
void signature_text(struct ctx *c, struct buf *text, const struct mail_brand *);
void signature_html(struct ctx *c, struct buf *html, const struct mail_brand *);
#endif
