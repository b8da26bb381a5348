/* SPDX-License-Identifier: Apache-2.0
 * The runner's lane `domains` looks whether domains have their TXT record and lead to this service,
 * and decides what follows. Source: domains/README.md. */
#ifndef VITRINE_DOMAIN_LOOK_H
#define VITRINE_DOMAIN_LOOK_H
#include "db/db.h"
#include "ext/dns.h"

enum {
	LOOKS_AT_ONCE = 20,      /* also per second: the lane rests for one between turns */
	LOOKS_PER_TENANT = 5,
	LOOK_LEASE_S = 120,
	LOOK_DAILY_S = 86400,
	LOOK_GONE_S = 3 * 86400,     /* without its TXT record a domain is lost */
	LOOK_SILENT_S = 14 * 86400   /* without an answer of its name servers, too */
};

/* A domain that is due. */
#define DOMAIN_DUE(F, T) \
	F(T, ID,   id,          .arg = "dom_") \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, STR,  tenant,      .doc = "The workspace, or the owner of an artifact without one") \
	F(T, STR,  host) \
	F(T, STR,  state) \
	F(T, STR,  secret) \
	F(T, STR,  answer) \
	F(T, INT,  attempts) \
	F(T, TIME, due_at) \
	F(T, TIME, waits_at) \
	F(T, TIME, gone_at,     .flags = F_NUL) \
	F(T, TIME, silent_at,   .flags = F_NUL)
SHAPE_DECLARE(domain_due, DOMAIN_DUE);

enum look_verdict { LOOK_RIGHT, LOOK_WRONG, LOOK_SILENT };
/* Stores the verdict of a look and its consequences, unless the domain has changed since it was
 * leased. why: in words; NULL for LOOK_RIGHT. */
enum err look_settle(
    struct ctx *c, const struct domain_due *, enum look_verdict, const char *why);

/* Looks at up to LOOKS_AT_ONCE domains that are due. *any is always false: the lane rests then. */
enum err domain_next(const struct conf *, struct db *, bool (*left)(void *arg), bool *any);
#endif
