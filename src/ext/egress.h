/* SPDX-License-Identifier: Apache-2.0
 * The one way out: every request to an address that somebody else chose. egress.c alone sees libcurl. What it connects to is judged by the socket
 * address at the moment of connecting, so no spelling of a host and no answer of a resolver gets past it; redirects are followed by us, each judged
 * again. Ports 80 and 443 only. Certificates are
 * checked against the system's authorities, or egress_ca_file. */
#ifndef VITRINE_EGRESS_H
#define VITRINE_EGRESS_H
#include "base/ctx.h"

struct egress_req {
	const char *url;
	size_t max_bytes;
	long timeout_s;
	int max_redirects;
	bool trusted; /* the operator's own address, from the configuration: https to any host and port */
};
struct egress_res {
	long status;
	const char *body;
	size_t body_n;
	int64_t certificate_ends_at; /* of the server, trusted only; 0 when unknown */
};

enum err egress_get(struct ctx *c, const struct egress_req *, struct egress_res **out); /* E_INTERNAL with the reason for the log */
struct sockaddr;
bool egress_address_allowed(const struct sockaddr *);
#endif
