/* SPDX-License-Identifier: Apache-2.0
 * Hands one composed message to the operator's mail server (RFC 5321), whose address comes from the
 * configuration and nowhere else. TLS is always there, by STARTTLS or from the start, and the
 * certificate is checked; smtp.c and egress.c see libcurl. */
#ifndef VITRINE_SMTP_H
#define VITRINE_SMTP_H
#include "base/ctx.h"

enum smtp_verdict {
	SMTP_SENT,    /* the server has taken it */
	SMTP_REFUSED, /* for good: 5xx to this envelope or message */
	SMTP_LATER,   /* 4xx to this envelope or message */
	SMTP_DOWN /* no message would get through now: network, TLS, name or password, greeting */
};
struct smtp_reply {
	enum smtp_verdict verdict;
	const char *text; /* what the server said or what went wrong, for the log; no secrets */
};
struct smtp_mail {
	const char *from, *to; /* the envelope: addresses from mail_address() */
	const char *bytes;
	size_t n;
};

/* Fails only on an address with a character that SMTP would take for the end of its line; all else
 * is a verdict. */
enum err smtp_send(struct ctx *c, const struct smtp_mail *, struct smtp_reply *out);
#endif
