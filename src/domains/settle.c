/* SPDX-License-Identifier: Apache-2.0
 * Decides what follows from a look at a domain. */
#include "base/str.h"
#include "core/audit.h"
#include "core/branding.h"
#include "core/tell.h"
#include "domains/domain.h"
#include "domains/look.h"
#include "site/project.h"

SHAPE_DEFINE(domain_due, DOMAIN_DUE);

#define DOMAIN_OF(F, T) \
	F(T, ID,    id,           .arg = "art_") \
	F(T, STR,   name) \
	F(T, ID,    workspace_id, .flags = F_NUL, .arg = "wsp_") \
	F(T, EMAIL, email,        .flags = F_NUL)
SHAPE(domain_of, DOMAIN_OF);

/* Ends a domain that failed or was lost, which frees its host, and mails the owner. */
static enum err
domain_end(struct ctx *c, const char *id, const char *artifact_id, const char *host,
    const char *state, const char *why)
{
	bool lost = str_eq(state, "lost");
	struct domain_of *a;
	struct mail m;

	TRY(db_exec1(c,
	    EXEC("UPDATE domain SET state = ?, reason = ?, due_at = NULL, checked_at = ?,"
		 " certificate_due_at = NULL, ended_at = ? WHERE id = ?"),
	    ARGS(state, why, c->now, c->now, id)));
	TRY(db_find(c,
	    ROWS(domain_of,
		"SELECT a.id, a.name, a.workspace_id, u.email FROM artifact a"
		" LEFT JOIN user u ON u.id = a.owner_id AND u.disabled_at IS NULL"
		" WHERE a.id = ? AND a.owner_id IS NOT NULL AND a.deleted_at IS NULL"),
	    ARGS(artifact_id), &a));
	if (lost)
		TRY(domain_hosts_note(c, artifact_id));
	if (!a)
		return E_OK;
	if (lost)
		TRY(audit_artifact(c,
		    &(struct artifact){ .id = a->id, .name = a->name,
			.workspace_id = a->workspace_id },
		    "domain.lost", audit_facts(c, "domain|host", id, host), NULL));
	if (!a->email || !mail_enabled(c))
		return E_OK;
	m = (struct mail){ .template = lost ? MAIL_DOMAIN_LOST : MAIL_DOMAIN_FAILED,
		.to = a->email,
		.artifact_id = a->id,
		.values = { .artifact = a->name,
		    .where = str_cut(c->mem, host, 200),
		    .message = why,
		    .link = mem_printf(c->mem, "/a/%s/domains", a->id) } };
	if (a->workspace_id)
		TRY(branding_on_mail(c, a->workspace_id, &m.values));
	return tell(c, &m);
}

/* ---- waiting domains ---- */

#define DOMAIN_ALSO(F, T) \
	F(T, ID,   id,          .arg = "dom_") \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, WORD, state,       .arg = DOMAIN_STATES)
SHAPE(domain_also, DOMAIN_ALSO);

/* Gives the host to the domain that is proven first, and ends the others. Locks rows of the host in
 * one order. */
static enum err
waiting_prove(struct ctx *c, const struct domain_due *d)
{
	const char *taken =
	    mem_printf(c->mem, "Another artifact has proven %s before", d->host);
	struct domain_also_list all;

	TRY(db_all(c,
	    ROWS(domain_also,
		"SELECT id, artifact_id, state FROM domain WHERE host = ?"
		" AND state IN ('waiting', 'proven', 'active') ORDER BY id FOR UPDATE"),
	    ARGS(d->host), &all));
	for (size_t i = 0; i < all.n; i++)
		if (!str_eq(all.v[i].state, "waiting"))
			return domain_end(c, d->id, d->artifact_id, d->host, "failed", taken);
	for (size_t i = 0; i < all.n; i++)
		if (!str_eq(all.v[i].id, d->id))
			TRY(domain_end(c, all.v[i].id, all.v[i].artifact_id, d->host, "failed",
			    taken));
	return db_exec1(c,
	    EXEC("UPDATE domain SET state = 'proven', reason = NULL, attempts = 0, due_at = ?,"
		 " checked_at = ?, certificate_due_at = ? WHERE id = ?"),
	    ARGS(c->now + LOOK_DAILY_S, c->now, c->now, d->id));
}

static enum err
waiting_settle(struct ctx *c, const struct domain_due *d, enum look_verdict v, const char *why)
{
	/* Looks follow 1, 2, 5 and 15 minutes after the first, then each hour. */
	static const int64_t pauses[] = { 60, 60, 180, 600 };
	const int64_t n = sizeof pauses / sizeof *pauses;

	if (v == LOOK_RIGHT)
		return waiting_prove(c, d);
	if (d->waits_at + DOMAIN_WAITS_S <= c->now)
		return domain_end(c, d->id, d->artifact_id, d->host, "failed", why);
	return db_exec1(c,
	    EXEC("UPDATE domain SET reason = ?, attempts = attempts + 1, due_at = ?,"
		 " checked_at = ? WHERE id = ?"),
	    ARGS(why, c->now + (d->attempts < n ? pauses[d->attempts] : 3600), c->now, d->id));
}

/* ---- proven and active domains ---- */

static enum err
held_settle(struct ctx *c, const struct domain_due *d, enum look_verdict v, const char *why)
{
	int64_t gone_at = v != LOOK_WRONG ? 0 : d->gone_at ? d->gone_at : c->now;
	int64_t silent_at = v != LOOK_SILENT ? 0 : d->silent_at ? d->silent_at : c->now;

	if ((gone_at && gone_at + LOOK_GONE_S <= c->now) ||
	    (silent_at && silent_at + LOOK_SILENT_S <= c->now))
		return domain_end(c, d->id, d->artifact_id, d->host, "lost", why);
	return db_exec1(c,
	    EXEC("UPDATE domain SET reason = ?, gone_at = ?, silent_at = ?, due_at = ?,"
		 " checked_at = ? WHERE id = ?"),
	    ARGS(why, gone_at ? arg_int(gone_at) : arg_null(),
		silent_at ? arg_int(silent_at) : arg_null(), c->now + LOOK_DAILY_S, c->now,
		d->id));
}

#define DOMAIN_MINE(F, T) F(T, WORD, state, .arg = DOMAIN_STATES)
SHAPE(domain_mine, DOMAIN_MINE);

static enum err
settle(struct ctx *c, const struct domain_due *d, enum look_verdict v, const char *why)
{
	struct domain_mine *now;

	TRY(db_begin(c));
	TRY(db_find(c,
	    ROWS(domain_mine,
		"SELECT state FROM domain WHERE id = ? AND due_at = ? AND state = ? FOR UPDATE"),
	    ARGS(d->id, d->due_at, d->state), &now));
	if (!now)
		return E_OK;
	TRY(str_eq(d->state, "waiting") ? waiting_settle(c, d, v, why)
					: held_settle(c, d, v, why));
	return db_commit(c);
}

enum err
look_settle(
    struct ctx *c, const struct domain_due *d, enum look_verdict v, const char *why)
{
	int tries = 0;
	enum err e;

	why = why ? str_cut(c->mem, why, 390) : NULL;
	do {
		e = settle(c, d, v, why);
	} while (db_again(c, e, &tries));
	db_rollback(c);
	if (!e)
		project_effects(c);
	return e;
}
