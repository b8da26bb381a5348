/* SPDX-License-Identifier: Apache-2.0
 * What a published page may fetch from other origins through the service: by GET, from hosts that
 * the artifact's owner has listed, and from no others. Nothing of the visitor's request goes there
 * but the address, and nothing comes back but status, type and body. Source: talk/README.md. */
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
	int status;       /* the other server's: 200 to 299, or 400 to 599 */
	const char *type; /* to serve it with */
	bool in_line;     /* a type that shows without harm; else it is for saving */
	const char *body;
	size_t body_n;
};

/* The hosts that are listed, by name. */
enum err proxy_get(struct ctx *c, const struct artifact *a, struct proxy **out);
/* Replaces the list. E_INVALID names what is no host's name, or is one of ours. */
enum err proxy_set(struct ctx *c, const struct artifact *a, const struct proxy *);
/* E_INVALID for what is no address, E_DENIED for a host that is not listed; E_UPSTREAM when there
 * is no whole answer of at most 5 MiB within 10 seconds, each redirect judged like the first
 * address. */
enum err proxy_fetch(
    struct ctx *c, const struct artifact *a, const char *url, struct proxied **out);
#endif
