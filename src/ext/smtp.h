/* SPDX-License-Identifier: Apache-2.0
 * Sends one composed message to the operator's mail server (RFC 5321), whose address comes only
 * from the configuration. The connection always uses TLS, from its start or by STARTTLS, and the
 * server's certificate is checked. */
#ifndef VITRINE_SMTP_H
#define VITRINE_SMTP_H
#include "base/ctx.h"

enum smtp_verdict {
	SMTP_SENT,    /* the server has accepted the message */
	SMTP_REFUSED, /* 5xx to this envelope or message: permanent */
	SMTP_LATER,   /* 4xx to this envelope or message: a retry may succeed */
	SMTP_DOWN /* no message would get through now: network, TLS, name or password, greeting */
};
struct smtp_reply {
	enum smtp_verdict verdict;
	const char *text; /* the server's words or what went wrong, for the log; has no secrets */
};
struct smtp_mail {
	const char *from, *to; /* the envelope: addresses from mail_address() */
	const char *bytes;
	size_t n;
};

/* E_INVALID if an address isn't one plain addr-spec, for example if it would end the SMTP line. All
 * other outcomes are verdicts in *out. */
enum err smtp_send(struct ctx *c, const struct smtp_mail *, struct smtp_reply *out);
#endif
