/* SPDX-License-Identifier: Apache-2.0
 * Asks the machine's resolvers, or the one of the setting dns_server, many questions at once.
 * Answers are parsed in a separate process (ext/apart.h). Only dns.c includes resolv.h. */
#ifndef VITRINE_DNS_H
#define VITRINE_DNS_H
#include "base/ctx.h"
#include "base/shape.h"
#include "ext/apart.h"

/* DNS_SILENT: no resolver answered, or one said that it can't find out; a later question may be
 * answered. */
enum dns_said { DNS_SILENT, DNS_NONE, DNS_FOUND };
enum { DNS_TRIES = 2, DNS_TRY_MS = 3000, DNS_ALIASES = 8, DNS_VALUES = 20, DNS_VALUE_CHARS = 300 };

struct dns_question {
	const char *name; /* in ASCII */
	const char *type; /* "TXT", "A" or "AAAA" */
	enum dns_said said;
	/* Addresses, or texts whose bytes other than printable ASCII are "?". At most DNS_VALUES,
	 * of at most DNS_VALUE_CHARS each. */
	struct strs values;
	const char *why; /* for people, unless said is DNS_FOUND */
};

/* apart_prepare() must have been called with dns_work. Fills in all questions, in DNS_TRIES *
 * DNS_TRY_MS, and DNS_TRY_MS more for each answer that is too long for UDP. Fails only if there are
 * no resolvers or no apart process. */
enum err dns_ask(struct ctx *c, struct dns_question *, size_t n);
apart_work dns_work;
#endif
