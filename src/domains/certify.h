/* SPDX-License-Identifier: Apache-2.0
 * Which domains need a certificate, and what follows when an attempt to get one ends. `vitrinectl
 * certificates run` makes the attempts (admin/certificates_domains.c). */
#ifndef VITRINE_DOMAIN_CERTIFY_H
#define VITRINE_DOMAIN_CERTIFY_H
#include "db/db.h"

/* Attempts at first certificates that an authority is asked for; renewals aren't counted. */
enum { CERTIFIED_AT_ONCE = 20, TRIES_A_DAY = 20, TENANT_TRIES_AN_HOUR = 5 };

#define DOMAIN_WANT(F, T) \
	F(T, ID,   id,       .arg = "dom_") \
	F(T, STR,  host) \
	F(T, STR,  tenant,   .doc = "The workspace, or the owner of an artifact without one") \
	F(T, INT,  failures) \
	F(T, BOOL, renews)
SHAPE_DECLARE(domain_want, DOMAIN_WANT);

/* Lists up to CERTIFIED_AT_ONCE whose attempt is due, the longest waiting first. */
enum err domains_uncertified(struct ctx *c, struct domain_want_list *out);
/* Counts an attempt before an authority is asked, so that one that is killed isn't made again at
 * once: the next is due at next_at. *room is false, and the attempt must not be made, if a limit is
 * reached; it is due an hour later then. In a transaction of its own. */
enum err domain_try(struct ctx *c, const struct domain_want *, int64_t next_at, bool *room);
/* Records a failed attempt; why is for the domain's owner. In a transaction of its own. */
enum err domain_not_certified(
    struct ctx *c, const struct domain_want *, int64_t next_at, const char *why);
/* Records a certificate of a proven or active domain, valid until expires_at, and makes the domain
 * active. *active is false if the domain has ended meanwhile. In the caller's transaction. */
enum err domain_certified(
    struct ctx *c, const char *host, int64_t expires_at, int64_t renew_at, bool *active);

#define DOMAIN_HOST(F, T) F(T, STR, host)
SHAPE_DECLARE(domain_host, DOMAIN_HOST);
/* Lists the hosts that are proven or active, in the order of bytes. */
enum err domains_held(struct ctx *c, struct domain_host_list *out);
#endif
