/* SPDX-License-Identifier: Apache-2.0
 * The one way out: every request to an address that somebody else chose. egress.c alone sees
 * libcurl. What it connects to is judged by the socket address at the moment of connecting, so no
 * spelling of a host and no answer of a resolver gets past it; redirects are followed by us, each
 * judged again. Ports 80 and 443 of public addresses, and what the setting egress_allow lists. A
 * trusted request goes to an endpoint that the operator configured: any address and any port, but
 * only https and no redirect. TLS 1.2 or later; certificates are checked against the setting
 * egress_ca_file, else the system's store. */
#ifndef VITRINE_EGRESS_H
#define VITRINE_EGRESS_H
#include "base/ctx.h"

struct egress_req {
	const char *url;
	size_t max_bytes;
	long timeout_s;    /* of the whole, redirects included */
	int max_redirects; /* 0 with form, headers or trusted: what they carry is for one host */
	const char *form;  /* application/x-www-form-urlencoded body: makes it a POST; NULL = GET */
	const char *const *headers; /* "Name: value" lines, ended by NULL, or NULL */
	bool trusted;
};
struct egress_res {
	long status;
	const char *body;
	size_t body_n;
	int64_t certificate_ends_at; /* of the server, trusted only; 0 when unknown */
};

enum err egress_send(struct ctx *c, const struct egress_req *,
    struct egress_res **out); /* E_INTERNAL with the reason for the log */
struct sockaddr;
bool
egress_address_allowed(const struct sockaddr *, const char *listed); /* listed: as egress_allow */
#endif
