/* SPDX-License-Identifier: Apache-2.0
 * Domains of one's own: hosts such as www.example.org at which an artifact is served. A person adds
 * a host and proves it by a TXT record; the runner looks (look.h). Source: domains/README.md. */
#ifndef VITRINE_DOMAIN_H
#define VITRINE_DOMAIN_H
#include "core/artifact.h"

enum {
	DOMAINS_PER_ARTIFACT = 10,
	DOMAINS_PER_WORKSPACE = 100,
	DOMAIN_RIVALS = 5,        /* artifacts that wait for one host */
	DOMAIN_CHECK_S = 60,      /* seconds between two checks that people ask for */
	DOMAIN_WAITS_S = 14 * 86400,
	DOMAIN_KEPT_S = 30 * 86400, /* after it has ended, or the plan no longer includes it */
	DOMAIN_SECRET_CHARS = 24
};
#define DOMAIN_STATES "waiting|proven|active|failed|lost"

#define DOMAIN_RECORD(F, T) \
	F(T, WORD, type,  .arg = "TXT|CNAME|ALIAS", \
		.doc = "ALIAS: a registered domain can't have a CNAME record; A and AAAA records " \
		       "with the addresses of value do as well") \
	F(T, STR,  name) \
	F(T, STR,  value)
SHAPE_DECLARE(domain_record, DOMAIN_RECORD);

#define DOMAIN(F, T) \
	F(T, ID,   id,          .arg = "dom_") \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, STR,  host) \
	F(T, STR,  unicode,     .doc = "The host as people read it") \
	F(T, URL,  url) \
	F(T, WORD, state,       .arg = DOMAIN_STATES, \
		.doc = "waiting: its records are missing; proven: it waits for its certificate; " \
		       "active: it is served; failed: it wasn't proven in 14 days; " \
		       "lost: its TXT record is gone") \
	F(T, STR,  reason,      .flags = F_NUL, \
		.doc = "What is missing, or why it ended, in words") \
	F(T, LIST, records,     .sub = &domain_record_shape, \
		.doc = "What its DNS must have, also later") \
	F(T, BOOL, redirect, \
		.doc = "Whether the artifact's plain address redirects here while it is active") \
	F(T, TIME, certificate_expires_at, .flags = F_NUL) \
	F(T, TIME, checked_at,  .flags = F_NUL, .doc = "When its records were last looked at") \
	F(T, TIME, created_at) \
	F(T, STR,  secret,      .flags = F_HID)
SHAPE_DECLARE(domain, DOMAIN);

#define DOMAIN_NEW(F, T) \
	F(T, STR,  host,     .flags = F_REQ, .lo = 1, .hi = 253, .eg = "\"www.example.org\"", \
		.doc = "A name with at least two labels, without https:// and a path") \
	F(T, BOOL, redirect)
SHAPE_DECLARE(domain_new, DOMAIN_NEW);

#define DOMAIN_EDIT(F, T) F(T, BOOL, redirect, .flags = F_REQ, .eg = "true")
SHAPE_DECLARE(domain_edit, DOMAIN_EDIT);

/* Lists the newest first. */
enum err domain_list(struct ctx *c, const struct artifact *, const struct page_query *,
    struct domain_list *out, const char **next);
/* E_NOT_FOUND. */
enum err
domain_get(struct ctx *c, const struct artifact *, const char *id, struct domain **out);
/* Returns the text that this service answers at the host; *out is NULL for an unknown domain. */
enum err domain_answer(struct ctx *c, const char *id, const char **out);

/* The callers of these have locked the artifact's row. All fail with E_DENIED for agents, and with
 * E_NOT_FOUND. */

/* E_UNAVAILABLE if this installation gets no certificates; E_TIER_REQUIRED; E_LIMIT_REACHED;
 * E_INVALID names the host; E_CONFLICT, in the same words whoever has it, if it is taken. */
enum err domain_add(struct ctx *c, const struct artifact *, const struct principal *who,
    const struct domain_new *, const char **id);
enum err domain_change(struct ctx *c, const struct artifact *, const struct principal *who,
    const char *id, const struct domain_edit *);
enum err domain_remove(
    struct ctx *c, const struct artifact *, const struct principal *who, const char *id);
/* Has the runner look now. E_CONFLICT if the domain has ended; E_RATE_LIMITED, with the seconds to
 * wait in *wait_s. */
enum err domain_check(struct ctx *c, const struct artifact *, const struct principal *who,
    const char *id, int64_t *wait_s);

/* ---- for the runner and vitrinectl ---- */

/* SQL for artifact.domains and artifact.moved_to, from the rows of an artifact's domains. */
#define DOMAIN_IS_SERVED "state = 'active' AND lapsed_at IS NULL"
#define DOMAIN_HOSTS_COLUMNS \
	"GROUP_CONCAT(host ORDER BY host SEPARATOR ' ') AS hosts," \
	" MIN(IF(redirect, host, NULL)) AS moved_to"
/* Writes the artifact's active hosts into its row, and projects it again. */
enum err domain_hosts_note(struct ctx *c, const char *artifact_id);
/* Audits an action; after says whether the domain is there afterwards. */
enum err domain_audit(struct ctx *c, const struct artifact *, const char *action, const char *id,
    const char *host, bool after);
/* Sets all proven domains back to waiting, after a restore: they may not lead to this machine. Does
 * nothing for a schema without domains. */
enum err domains_await(struct ctx *c);
#endif
