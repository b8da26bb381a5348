/* SPDX-License-Identifier: Apache-2.0 */
#include "domains/domain.h"

#include "base/conf.h"
#include "base/host.h"
#include "base/id.h"
#include "base/str.h"
#include "base/suffix.h"
#include "base/unicode.h"
#include "core/audit.h"
#include "core/follow.h"
#include "core/tier.h"
#include "db/db.h"
#include "site/project.h"
#include "store/rounds.h"
#include "store/site.h"

#include <string.h>

SHAPE_DEFINE(domain_record, DOMAIN_RECORD);
SHAPE_DEFINE(domain, DOMAIN);
SHAPE_DEFINE(domain_new, DOMAIN_NEW);
SHAPE_DEFINE(domain_edit, DOMAIN_EDIT);

enum { SWEPT_AT_ONCE = 100 };

/* ---- reading ---- */

#define DOMAIN_SELECT \
	"SELECT id, artifact_id, host, state, reason, redirect, certificate_expires_at," \
	" checked_at, created_at, secret FROM domain WHERE artifact_id = ?"

/* Fills the members that follow from columns. The CNAME leads to the artifact's own name: any name
 * below content_domain has the right addresses, and people know that one. */
static void
domain_fill(struct ctx *c, const struct artifact *a, struct domain *d)
{
	struct domain_record *v = mem_array(c->mem, struct domain_record, 2);

	v[0] = (struct domain_record){ .type = "TXT",
		.name = mem_printf(c->mem, "_vitrine.%s", d->host),
		.value = mem_printf(c->mem, "vitrine-domain=%s", d->secret) };
	v[1] = (struct domain_record){ .type = suffix_is_registrable(d->host) ? "ALIAS" : "CNAME",
		.name = d->host,
		.value = mem_printf(c->mem, "%s.%s", a->slug, c->conf->content_domain) };
	d->records = (struct list){ v, 2 };
	d->unicode = unicode_host_readable(c->mem, d->host);
	d->url = mem_printf(c->mem, "%s/", conf_site_origin(c->mem, c->conf, d->host));
}

enum err
domain_list(struct ctx *c, const struct artifact *a, const struct page_query *q,
    struct domain_list *out, const char **next)
{
	TRY(db_part(c, ROWS(domain, DOMAIN_SELECT " AND id < ? ORDER BY id DESC LIMIT ?"),
	    ARGS(a->id, arg_before(q->cursor, "dom_")), q->limit, out, next, last->id));
	for (size_t i = 0; i < out->n; i++)
		domain_fill(c, a, &out->v[i]);
	return E_OK;
}

enum err
domain_get(struct ctx *c, const struct artifact *a, const char *id, struct domain **out)
{
	TRY(db_find(c, ROWS(domain, DOMAIN_SELECT " AND id = ?"), ARGS(a->id, id), out));
	if (!*out)
		return fail(c, E_NOT_FOUND, "This artifact has no domain %s", id);
	domain_fill(c, a, *out);
	return E_OK;
}

#define DOMAIN_ANSWER(F, T) F(T, STR, answer)
SHAPE(domain_answers, DOMAIN_ANSWER);

enum err
domain_answer(struct ctx *c, const char *id, const char **out)
{
	struct domain_answers *row;

	TRY(db_find(c, ROWS(domain_answers, "SELECT answer FROM domain WHERE id = ?"), ARGS(id),
	    &row));
	*out = row ? row->answer : NULL;
	return E_OK;
}

/* ---- adding ---- */

static enum err
person_check(struct ctx *c, const struct principal *who)
{
	return principal_is_agent(who)
	    ? fail(c, E_DENIED, "Only people can change an artifact's domains, not agents")
	    : E_OK;
}

static bool
is_number(const char *label)
{
	return *label && !label[strspn(label, "0123456789")];
}

static enum err
host_read(struct ctx *c, const char *typed, const char **out)
{
	const char *host = host_name(c->mem, typed), *last = host ? strrchr(host, '.') : NULL;

	/* A link of this name would be that of an unlisted page. */
	if (!last || strchr(host, '_') || is_number(last + 1) || str_ends(host, SITE_UNLISTED))
		return fail(c, E_INVALID,
		    "host: \"%s\" must be a host name with at least two labels, such as "
		    "www.example.org, without https://, a path, or *",
		    typed);
	if (host_is_ours(c->conf, host))
		return fail(c, E_INVALID,
		    "host: %s belongs to this service; give a domain that you have registered",
		    host);
	if (suffix_is_any(host))
		return fail(c, E_INVALID,
		    "host: everybody can have names below %s; give one of yours, such as "
		    "www.example.%s",
		    host, host);
	*out = host;
	return E_OK;
}

#define DOMAIN_COUNT(F, T) \
	F(T, INT, here) \
	F(T, INT, around)
SHAPE(domain_count, DOMAIN_COUNT);

static enum err
limit_refuse(struct ctx *c, int64_t limit, const char *of)
{
	c->details = mem_printf(c->mem, "{\"limit\":%lld}", (long long)limit);
	return fail(c, E_LIMIT_REACHED, "%s can have at most %lld domains; remove one first", of,
	    (long long)limit);
}

/* Two requests for different artifacts may both count before either inserts, so a workspace can
 * exceed its limit by the number of requests under way. */
static enum err
room_check(struct ctx *c, const struct artifact *a)
{
	struct domain_count *n;

	TRY(a->workspace_id
		? db_one(c,
		      ROWS(domain_count,
			  "SELECT (SELECT COUNT(*) FROM domain WHERE artifact_id = ?) AS here,"
			  " COUNT(*) AS around FROM artifact a STRAIGHT_JOIN domain d"
			  " ON d.artifact_id = a.id WHERE a.workspace_id = ?"),
		      ARGS(a->id, a->workspace_id), &n)
		: db_one(c,
		      ROWS(domain_count,
			  "SELECT (SELECT COUNT(*) FROM domain WHERE artifact_id = ?) AS here,"
			  " COUNT(*) AS around FROM artifact a STRAIGHT_JOIN domain d"
			  " ON d.artifact_id = a.id WHERE a.owner_id = ?"
			  " AND a.workspace_id IS NULL"),
		      ARGS(a->id, a->owner_id), &n));
	if (n->here >= DOMAINS_PER_ARTIFACT)
		return limit_refuse(c, DOMAINS_PER_ARTIFACT, "An artifact");
	if (a->workspace_id)
		return n->around < DOMAINS_PER_WORKSPACE
		    ? E_OK
		    : limit_refuse(c, DOMAINS_PER_WORKSPACE, "A workspace");
	return n->around < c->conf->domains_per_user
	    ? E_OK
	    : limit_refuse(
		  c, c->conf->domains_per_user, "All artifacts of a person in no workspace");
}

#define DOMAIN_RIVAL(F, T) \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, WORD, state,       .arg = DOMAIN_STATES)
SHAPE(domain_rival, DOMAIN_RIVAL);

static enum err
rivals_check(struct ctx *c, const struct artifact *a, const char *host)
{
	struct domain_rival_list all;
	size_t waiting = 0;
	bool held = false;

	TRY(db_all(c,
	    ROWS(domain_rival,
		"SELECT artifact_id, state FROM domain WHERE host = ?"
		" AND state IN ('waiting', 'proven', 'active') FOR UPDATE"),
	    ARGS(host), &all));
	for (size_t i = 0; i < all.n; i++) {
		if (str_eq(all.v[i].artifact_id, a->id))
			return fail(c, E_CONFLICT, "host: the artifact has %s already", host);
		waiting += str_eq(all.v[i].state, "waiting");
		held = held || !str_eq(all.v[i].state, "waiting");
	}
	return held || waiting >= DOMAIN_RIVALS
	    ? fail(c, E_CONFLICT,
		  "host: %s is in use at another artifact, or others wait for it; if it is "
		  "yours, remove their _vitrine TXT record and try again in some days",
		  host)
	    : E_OK;
}

static const char *
secret_new(void *owner)
{
	uint8_t raw[DOMAIN_SECRET_CHARS / 4 * 3];

	crypto_random(raw, sizeof raw);
	return crypto_base64url(owner, raw, sizeof raw);
}

enum err
domain_audit(struct ctx *c, const struct artifact *a, const char *action, const char *id,
    const char *host, bool after)
{
	const char *facts = audit_facts(c, "domain|host", id, host);

	return audit_artifact(c, a, action, after ? NULL : facts, after ? facts : NULL);
}

enum err
domain_add(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct domain_new *in, const char **id)
{
	const char *host;

	TRY(person_check(c, who));
	TRY(host_read(c, in->host, &host));
	if (str_eq(c->conf->certificates, "files"))
		return fail(c, E_CONFLICT,
		    "This service can't get certificates for domains of its users, so %s can't be "
		    "added; its operator decides that with the setting certificates",
		    host);
	if (a->workspace_id)
		TRY(tier_need(c, a->workspace_id, FEATURE_CUSTOM_DOMAINS));
	TRY(rivals_check(c, a, host));
	TRY(db_exec(c,
	    EXEC("DELETE FROM domain"
		 " WHERE artifact_id = ? AND host = ? AND state IN ('failed', 'lost')"),
	    ARGS(a->id, host), NULL));
	TRY(room_check(c, a));
	*id = id_new(c->mem, "dom_");
	TRY(db_exec(c,
	    EXEC("INSERT INTO domain (id, artifact_id, host, secret, answer, redirect, due_at,"
		 " waits_at, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(*id, a->id, host, secret_new(c->mem), secret_new(c->mem), in->redirect, c->now,
		c->now, c->now),
	    NULL));
	return domain_audit(c, a, "domain.added", *id, host, true);
}

/* ---- changing ---- */

enum err
domain_hosts_note(struct ctx *c, const char *artifact_id)
{
	TRY(db_exec(c,
	    EXEC("UPDATE artifact a LEFT JOIN (SELECT artifact_id, " DOMAIN_HOSTS_COLUMNS
		 " FROM domain WHERE artifact_id = ? AND " DOMAIN_IS_SERVED
		 " GROUP BY artifact_id) d ON d.artifact_id = a.id"
		 " SET a.domains = d.hosts, a.moved_to = d.moved_to WHERE a.id = ?"),
	    ARGS(artifact_id, artifact_id), NULL));
	return artifact_touch(c, artifact_id);
}

enum err
domain_change(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, const struct domain_edit *in)
{
	struct domain *d;

	TRY(person_check(c, who));
	TRY(domain_get(c, a, id, &d));
	if (d->redirect == in->redirect)
		return E_OK;
	TRY(db_exec1(c, EXEC("UPDATE domain SET redirect = ? WHERE id = ?"),
	    ARGS(in->redirect, id)));
	return domain_hosts_note(c, a->id);
}

enum err
domain_remove(
    struct ctx *c, const struct artifact *a, const struct principal *who, const char *id)
{
	struct domain *d;

	TRY(person_check(c, who));
	TRY(domain_get(c, a, id, &d));
	TRY(db_exec1(c, EXEC("DELETE FROM domain WHERE id = ?"), ARGS(id)));
	TRY(domain_audit(c, a, "domain.removed", id, d->host, false));
	return domain_hosts_note(c, a->id);
}

#define DOMAIN_ASKED(F, T) F(T, TIME, asked_at)
SHAPE(domain_asked, DOMAIN_ASKED);

enum err
domain_check(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, int64_t *wait_s)
{
	struct domain_asked *row;
	struct domain *d;

	TRY(person_check(c, who));
	TRY(domain_get(c, a, id, &d));
	if (str_in(d->state, "failed|lost"))
		return fail(c, E_CONFLICT,
		    "%s has ended, and its TXT record is no longer looked at; add it again, which "
		    "gives a new record",
		    d->host);
	TRY(db_one(c,
	    ROWS(domain_asked, "SELECT asked_at FROM domain WHERE id = ? FOR UPDATE"), ARGS(id),
	    &row));
	*wait_s = row->asked_at + DOMAIN_CHECK_S - c->now;
	if (*wait_s > 0)
		return fail(c, E_RATE_LIMITED,
		    "A domain is checked at most once a minute; try again in %lld seconds",
		    (long long)*wait_s);
	return db_exec1(c, EXEC("UPDATE domain SET asked_at = ?, due_at = ? WHERE id = ?"),
	    ARGS(c->now, c->now, id));
}

/* ---- when other things change ---- */

/* Deletes the artifact's domains unless the plan of its new workspace includes domains. */
static enum err
artifact_moved(struct ctx *c, const struct happened *h)
{
	const struct page_query all = { .limit = DOMAINS_PER_ARTIFACT };
	struct domain_list gone;
	const char *next;
	struct tier t;

	if (!h->workspace_id)
		return E_OK;
	TRY(tier_of(c, h->workspace_id, &t));
	if (t.features & 1u << FEATURE_CUSTOM_DOMAINS)
		return E_OK;
	TRY(domain_list(c, h->art, &all, &gone, &next));
	for (size_t i = 0; i < gone.n; i++)
		TRY(domain_audit(c, h->art, "domain.removed", gone.v[i].id, gone.v[i].host, false));
	if (!gone.n)
		return E_OK;
	TRY(db_exec(c, EXEC("DELETE FROM domain WHERE artifact_id = ?"), ARGS(h->art->id), NULL));
	return domain_hosts_note(c, h->art->id);
}

#define DOMAIN_LAPSE(F, T) \
	F(T, ID,   id,          .arg = "dom_") \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, TIME, lapsed_at,   .flags = F_NUL) \
	F(T, BOOL, shared) \
	TIER_ROW(F, T)
SHAPE(domain_lapse, DOMAIN_LAPSE);

static bool
is_entitled(const struct ctx *c, const struct domain_lapse *d)
{
	struct tier t;

	if (!d->shared)
		return c->conf->domains_per_user > 0;
	tier_read(c, TIER_ROW_OF(d), &t);
	return t.features & 1u << FEATURE_CUSTOM_DOMAINS;
}

/* Commits each domain by itself, so that a failure leaves the others done. */
static enum err
lapse_settle(struct ctx *c, const struct domain_lapse *d, int64_t *ended)
{
	bool lapsed = !is_entitled(c, d), was = d->lapsed_at != 0,
	     ends = lapsed && was && d->lapsed_at <= c->now - DOMAIN_KEPT_S;

	if (lapsed == was && !ends)
		return E_OK;
	TRY(db_begin(c));
	TRY(ends ? db_exec(c, EXEC("DELETE FROM domain WHERE id = ?"), ARGS(d->id), NULL)
		 : db_exec(c, EXEC("UPDATE domain SET lapsed_at = ? WHERE id = ?"),
		       ARGS(lapsed ? arg_int(c->now) : arg_null(), d->id), NULL));
	TRY(domain_hosts_note(c, d->artifact_id));
	*ended += ends;
	return db_commit(c);
}

/* Closes domains that the plan no longer includes, and deletes them 30 days later. */
static enum err
lapse_sweep(struct ctx *c, struct sweep_at *at)
{
	struct domain_lapse_list rows;

	TRY(db_all(c,
	    ROWS(domain_lapse,
		"SELECT d.id, d.artifact_id, d.lapsed_at, w.id IS NOT NULL AS shared, "
		TIER_COLUMNS("w") " FROM domain d STRAIGHT_JOIN artifact a ON a.id = d.artifact_id"
		" LEFT JOIN workspace w ON w.id = a.workspace_id"
		" WHERE d.id > ? ORDER BY d.id LIMIT ?"),
	    ARGS(at->id, SWEPT_AT_ONCE), &rows));
	at->end = rows.n < SWEPT_AT_ONCE;
	at->looked += (int64_t)rows.n;
	for (size_t i = 0; i < rows.n; i++) {
		enum err e;

		snprintf(at->id, sizeof at->id, "%s", rows.v[i].id);
		e = lapse_settle(c, &rows.v[i], &at->removed);
		db_rollback(c);
		if (!e)
			project_effects(c);
		TRY(e);
	}
	return E_OK;
}

static enum err
ended_reap(struct ctx *c, int64_t limit, int64_t *done)
{
	return db_exec(c, EXEC("DELETE FROM domain WHERE ended_at <= ? LIMIT ?"),
	    ARGS(c->now - DOMAIN_KEPT_S, limit), done);
}

enum err
domains_await(struct ctx *c)
{
	int64_t there;

	TRY(db_numbers(c,
	    "SELECT COUNT(*) FROM information_schema.tables"
	    " WHERE table_schema = DATABASE() AND table_name = 'domain'", &there, 1));
	if (!there)
		return E_OK;
	TRY(db_begin(c));
	TRY(db_exec(c,
	    EXEC("UPDATE domain SET state = 'waiting', reason = NULL, attempts = 0, due_at = ?,"
		 " waits_at = ?, gone_at = NULL, silent_at = NULL, certificate_due_at = NULL,"
		 " certificate_expires_at = NULL WHERE state IN ('proven', 'active')"),
	    ARGS(c->now, c->now), NULL));
	TRY(db_exec(c,
	    EXEC("UPDATE artifact SET domains = NULL, moved_to = NULL"
		 " WHERE domains IS NOT NULL"),
	    NOARGS, NULL));
	return db_commit(c);
}

static enum err
tries_reap(struct ctx *c, int64_t limit, int64_t *done)
{
	return db_exec(c, EXEC("DELETE FROM domain_certificate_try WHERE tried_at <= ? LIMIT ?"),
	    ARGS(c->now - 86400, limit), done);
}

FOLLOWS(domain, { ARTIFACT_MOVED, artifact_moved });
ROUNDS(domain, { "domains ended", .rows = ended_reap },
    { "attempts at certificates", .rows = tries_reap },
    { "domains", .piece = lapse_sweep, .how = DAILY });
PURGES(domain, ROWS_OF(domain));
