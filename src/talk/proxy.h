/* SPDX-License-Identifier: Apache-2.0
 * The proxy: published pages fetch from other hosts by GET, but only from hosts that the
 * artifact's owner lists. We send nothing of the visitor's request but the address, and return
 * only status, type, and body. Source: talk/README.md. */
#ifndef VITRINE_PROXY_H
#define VITRINE_PROXY_H
#include "core/artifact.h"

enum { PROXY_HOSTS = 50 };

#define PROXY(F, T) \
	F(T, STRS, hosts, .flags = F_REQ, .hi = PROXY_HOSTS, .item_lo = 1, .item_hi = 253, \
		.doc = "Exact host names, such as api.example.org; empty: the proxy is off", \
		.eg = "[\"api.example.org\"]")
SHAPE_DECLARE(proxy, PROXY);

struct proxied {
	int status;       /* of the other server: 200 to 299, or 400 to 599 */
	const char *type; /* the Content-Type to send */
	bool in_line;     /* safe to show in a browser; otherwise offered for saving */
	const char *body;
	size_t body_n;
};

/* Returns the listed hosts, sorted by name. */
enum err proxy_get(struct ctx *c, const struct artifact *a, struct proxy **out);
/* Replaces the list. E_INVALID: an entry isn't a host name, or is one of our own hosts. */
enum err proxy_set(struct ctx *c, const struct artifact *a, const struct proxy *);
/* Fetches an address. E_INVALID: not an address. E_DENIED: the host isn't listed. E_UPSTREAM: no
 * complete answer of at most 5 MiB within 10 seconds. Each redirect is checked like the first
 * address. */
enum err proxy_fetch(
    struct ctx *c, const struct artifact *a, const char *url, struct proxied **out);
#endif
