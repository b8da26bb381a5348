/* SPDX-License-Identifier: Apache-2.0
 * The only way out for requests to addresses that somebody else chose, and to sign-in providers. A
 * connection is judged by its socket address at the moment of connecting, so neither an odd
 * spelling of a host nor a resolver's answer gets past the check. Redirects are followed here and
 * not by libcurl, so each hop is judged again. Allowed are ports 80 and 443 of public addresses,
 * and what the setting egress_allow lists. A trusted request goes to an endpoint that the operator
 * configured: to any address and port, but only by https and without redirects. TLS 1.2 or later;
 * certificates are checked against the setting egress_ca_file, or against the system's store when
 * that is not set. Of the server's files, only egress.c and smtp.c see libcurl. */
#ifndef VITRINE_EGRESS_H
#define VITRINE_EGRESS_H
#include "base/ctx.h"

struct egress_req {
	const char *url;
	size_t max_bytes;
	long timeout_s;    /* of the whole, redirects included */
	int max_redirects; /* must be 0 with form, headers or trusted, which are for one host */
	const char *form;  /* body to POST as application/x-www-form-urlencoded; NULL sends a GET */
	const char *const *headers; /* "Name: value" lines, ended by NULL, or NULL */
	bool trusted;
};
struct egress_res {
	long status;
	const char *body;
	size_t body_n;
	int64_t certificate_ends_at; /* of the server, as Unix seconds; 0 unless trusted */
};

/* E_INTERNAL, with the reason for the log, when there is no whole answer: refused address, no
 * connection, timeout, more than max_bytes or max_redirects. Any HTTP status counts as an
 * answer. */
enum err egress_send(struct ctx *c, const struct egress_req *,
    struct egress_res **out);
struct sockaddr;
/* Whether an untrusted request may connect to the address. listed is in the form of
 * egress_allow. */
bool
egress_address_allowed(const struct sockaddr *, const char *listed);
#endif
