/* SPDX-License-Identifier: Apache-2.0
 * The head and foot of an e-mail, which name its sender: us, or a workspace with its branding
 * (core/mail.h, MAIL_BRAND), beside whose name ours appears unless it hides that. Mail programs
 * support only tables and inline styles. */
#ifndef VITRINE_LETTERHEAD_H
#define VITRINE_LETTERHEAD_H
#include "core/mail.h"

#define INK "color:#12201e"
#define SOFT "color:#51605d"

/* Mail programs make links of what looks like one. In a name that somebody chose, a word joiner
 * keeps "bank.example" from becoming a link under our letterhead. An e-mail address stays as it
 * is. */
const char *mail_inert(struct ctx *c, const char *s);
/* The service's, with its port. */
const char *mail_host(struct ctx *c);

/* Rows of the table that the message stands in. brand NULL: we write. The band is right above what
 * comes next. */
bool letterhead_has_band(const struct mail_brand *);
void letterhead_html(struct ctx *c, struct buf *html, const struct mail_brand *);
void signature_text(struct ctx *c, struct buf *text, const struct mail_brand *);
void signature_html(struct ctx *c, struct buf *html, const struct mail_brand *);
#endif
