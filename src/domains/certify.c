/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/certify.h"

#include "base/str.h"
#include "domains/domain.h"

SHAPE_DEFINE(domain_want, DOMAIN_WANT);
SHAPE_DEFINE(domain_host, DOMAIN_HOST);

enum { HOUR_S = 3600, DAY_S = 24 * HOUR_S };

enum err
domains_uncertified(struct ctx *c, struct domain_want_list *out)
{
	return db_all(c,
	    ROWS(domain_want,
		"SELECT d.id, d.host, COALESCE(a.workspace_id, a.owner_id, '') AS tenant,"
		" d.certificate_failures AS failures, d.state = 'active' AS renews FROM domain d"
		" STRAIGHT_JOIN artifact a ON a.id = d.artifact_id"
		" WHERE d.certificate_due_at <= ? AND d.lapsed_at IS NULL"
		" AND d.state IN ('proven', 'active') ORDER BY d.certificate_due_at LIMIT ?"),
	    ARGS(c->now, (int64_t)CERTIFIED_AT_ONCE), out);
}

enum err
domains_held(struct ctx *c, struct domain_host_list *out)
{
	return db_all(c,
	    ROWS(domain_host,
		"SELECT held AS host FROM domain WHERE held IS NOT NULL ORDER BY held"),
	    NOARGS, out);
}

#define DOMAIN_TRIES(F, T) \
	F(T, INT, of_host) \
	F(T, INT, of_tenant) \
	F(T, INT, of_all)
SHAPE(domain_tries, DOMAIN_TRIES);

enum err
domain_try(struct ctx *c, const struct domain_want *d, int64_t next_at, bool *room)
{
	struct domain_tries *n;

	*room = true;
	TRY(db_begin(c));
	/* Only one run at a time counts, so nobody inserts between this and the insert. */
	if (!d->renews) {
		TRY(db_one(c,
		    ROWS(domain_tries,
			"SELECT COALESCE(SUM(host = ? AND tried_at > ?), 0) AS of_host,"
			" COALESCE(SUM(tenant = ? AND tried_at > ?), 0) AS of_tenant,"
			" COUNT(*) AS of_all FROM domain_certificate_try WHERE tried_at > ?"),
		    ARGS(d->host, c->now - HOUR_S, d->tenant, c->now - HOUR_S, c->now - DAY_S),
		    &n));
		*room = !n->of_host && n->of_tenant < TENANT_TRIES_AN_HOUR &&
		    n->of_all < TRIES_A_DAY;
	}
	if (*room && !d->renews)
		TRY(db_exec1(c,
		    EXEC("INSERT INTO domain_certificate_try (host, tenant, tried_at)"
			 " VALUES (?, ?, ?)"),
		    ARGS(d->host, d->tenant, c->now)));
	TRY(db_exec(c,
	    EXEC("UPDATE domain SET certificate_due_at = ?,"
		 " certificate_failures = certificate_failures + ? WHERE id = ?"),
	    ARGS(*room ? next_at : c->now + HOUR_S, (int64_t)*room, d->id), NULL));
	return db_commit(c);
}

enum err
domain_not_certified(
    struct ctx *c, const struct domain_want *d, int64_t next_at, const char *why)
{
	TRY(db_begin(c));
	TRY(db_exec(c,
	    EXEC("UPDATE domain SET certificate_due_at = ?, reason = ?"
		 " WHERE id = ? AND state IN ('proven', 'active')"),
	    ARGS(next_at, str_cut(c->mem, why, 390), d->id), NULL));
	return db_commit(c);
}

#define DOMAIN_HELD(F, T) \
	F(T, ID,   id,           .arg = "dom_") \
	F(T, ID,   artifact_id,  .arg = "art_") \
	F(T, STR,  name) \
	F(T, ID,   workspace_id, .flags = F_NUL, .arg = "wsp_") \
	F(T, BOOL, active)
SHAPE(domain_held, DOMAIN_HELD);

enum err
domain_certified(
    struct ctx *c, const char *host, int64_t expires_at, int64_t renew_at, bool *active)
{
	struct domain_held *d;

	TRY(db_find(c,
	    ROWS(domain_held,
		"SELECT d.id, d.artifact_id, a.name, a.workspace_id, d.state = 'active' AS active"
		" FROM domain d JOIN artifact a ON a.id = d.artifact_id"
		" WHERE d.held = ? FOR UPDATE"),
	    ARGS(host), &d));
	*active = d != NULL;
	if (!d)
		return E_OK;
	TRY(db_exec(c,
	    EXEC("UPDATE domain SET state = 'active', reason = NULL, certificate_expires_at = ?,"
		 " certificate_due_at = ?, certificate_failures = 0 WHERE id = ?"),
	    ARGS(expires_at, renew_at, d->id), NULL));
	if (d->active)
		return E_OK;
	TRY(domain_audit(c,
	    &(struct artifact){ .id = d->artifact_id, .name = d->name,
		.workspace_id = d->workspace_id },
	    "domain.active", d->id, host, true));
	return domain_hosts_note(c, d->artifact_id);
}
