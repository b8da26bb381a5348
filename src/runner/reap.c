/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/reap.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/log.h"
#include "base/str.h"
#include "care/purge.h"
#include "care/reference.h"
#include "core/audit.h"
#include "core/mail.h"
#include "core/round.h"
#include "core/viewer.h"
#include "core/workspace.h"
#include "data/table.h"
#include "jobs/job.h"
#include "people/device.h"
#include "people/factor.h"
#include "people/identity.h"
#include "people/invite.h"
#include "people/password.h"
#include "runner/lane.h"
#include "site/approval.h"
#include "site/stats.h"
#include "store/temp.h"
#include "team/subdomain.h"

enum {
	DAY_S = 86400,
	REPLY_S = DAY_S,
	SPOOL_S = 600,
	ROWS = 500,      /* a statement */
	PASS_MS = 50000, /* cron comes again after a minute */
	SLICE_MS = 5000, /* then another round has its turn */
	ENTRIES = 10000, /* of a daily round, a pass */
	PASSES = 720     /* a day, of those that are counted on */
};

/* ---- rows ---- */

static enum err
reply_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM idempotency WHERE created_at <= ? LIMIT ?"),
	    ARGS(c->now - REPLY_S, limit), removed);
}

static enum err
slug_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c,
	    EXEC(
		"DELETE FROM slug WHERE released_at <= ? AND NOT EXISTS"
		" (SELECT 1 FROM artifact a WHERE a.id = slug.artifact_id AND a.slug = slug.slug"
		" AND a.owner_id IS NOT NULL) LIMIT ?"),
	    ARGS(c->now - c->conf->trash_days * DAY_S, limit), removed);
}

/* ---- bytes ---- */

static enum err
objects_piece(struct ctx *c, struct sweep_at *at)
{
	return object_sweep(c, reference_judge_objects, c->conf->grace_s, at);
}

static enum err
trees_piece(struct ctx *c, struct sweep_at *at)
{
	return tree_sweep(c, reference_judge_trees, c->conf->grace_s, at);
}

/* nginx holds a body for as long as its client sends, with client_body_s between two pieces, and
 * then two minutes for the worker. */
static enum err
spool_piece(struct ctx *c, struct sweep_at *at)
{
	int64_t least = SPOOL_S + c->conf->client_body_s;

	return spool_sweep(c, c->conf->grace_s > least ? c->conf->grace_s : least, at);
}

static enum err
trash_piece(struct ctx *c, struct sweep_at *at)
{
	return trash_sweep(c, SLICE_MS, at);
}

/* ---- the rounds ---- */

enum how {
	EACH_PASS, /* from the start */
	RESUMED,   /* each pass, from where the one before stopped */
	DAILY      /* the same, but begun once a day */
};

/* Either rows or piece. What a round leaves to a later one is done in the same pass. */
static const struct round_kind {
	const char *name;
	enum err (*rows)(struct ctx *c, int64_t limit, int64_t *removed);
	enum err (*piece)(struct ctx *c, struct sweep_at *at);
	enum how how;
} round_kinds[] = {
	{ "views", NULL, stats_count, EACH_PASS },
	{ "view_months", stats_roll, NULL, EACH_PASS },
	{ "view_days", stats_reap, NULL, EACH_PASS },
	{ "mail_budgets", mail_budget_reap, NULL, EACH_PASS },
	{ "mails_failed", mail_failed_reap, NULL, EACH_PASS },
	{ "sessions", session_reap, NULL, EACH_PASS },
	{ "known_browsers", known_browser_reap, NULL, EACH_PASS },
	{ "password_links", password_reap, NULL, EACH_PASS },
	{ "factor_logins", factor_login_reap, NULL, EACH_PASS },
	{ "device_logins", device_reap, NULL, EACH_PASS },
	{ "viewers", viewer_reap, NULL, EACH_PASS },
	{ "provider_logins", attempt_reap, NULL, EACH_PASS },
	{ "replies", reply_reap, NULL, EACH_PASS },
	{ "expired", NULL, purge_expired, RESUMED },
	{ "workspaces", NULL, purge_workspaces, EACH_PASS },
	{ "plans", NULL, subdomain_due, EACH_PASS },
	{ "subdomains", NULL, subdomain_sweep, DAILY },
	{ "workspace_slugs", workspace_slug_reap, NULL, EACH_PASS },
	{ "invites", invite_reap, NULL, EACH_PASS },
	{ "approvals", approval_expire, NULL, EACH_PASS },
	{ "audit", audit_reap, NULL, EACH_PASS },
	{ "slugs", slug_reap, NULL, EACH_PASS },
	{ "purged", NULL, purge_rows, RESUMED },
	{ "data", NULL, table_sweep, EACH_PASS },
	{ "runs", job_reap, NULL, EACH_PASS },
	{ "objects", NULL, objects_piece, DAILY },
	{ "trees", NULL, trees_piece, DAILY },
	{ "temporaries", NULL, temp_sweep, EACH_PASS },
	{ "spool", NULL, spool_piece, EACH_PASS },
	{ "trash", NULL, trash_piece, EACH_PASS },
};
enum { ROUNDS = sizeof round_kinds / sizeof *round_kinds };

struct round_run {
	const struct round_kind *kind;
	struct sweep_at at;
	struct round row;
	int64_t looked, removed; /* in this pass */
	int64_t quota;
	bool over; /* for this pass */
};

struct pass {
	struct ctx *c;
	void (*between)(void *arg);
	void *arg;
	struct round_run runs[ROUNDS];
	int64_t until;
	enum err failed;
};

/* ---- where a round stands ---- */

static void
round_begin(struct round_run *r, int64_t now)
{
	r->at = (struct sweep_at){ 0 };
	r->row.looked_last = r->row.looked;
	r->row.looked = r->row.removed = 0;
	r->row.started_at = now;
	r->row.under_way = true;
}

/* What is younger than the grace isn't swept, so looking oftener would find nothing. */
static bool
round_due(const struct ctx *c, const struct round_run *r)
{
	int64_t every = c->conf->grace_s < DAY_S ? c->conf->grace_s : DAY_S;

	return r->kind->how != DAILY || r->row.under_way || r->row.started_at + every <= c->now;
}

static void
round_resume(struct ctx *c, struct round_run *r, const struct round *row)
{
	r->row = row ? *row : (struct round){ .name = r->kind->name, .id_at = "" };
	r->quota = r->row.looked_last / PASSES > ENTRIES ? r->row.looked_last / PASSES : ENTRIES;
	r->over = !round_due(c, r);
	if (r->over)
		return;
	r->at.outer = r->row.outer_at;
	r->at.inner = r->row.inner_at;
	snprintf(r->at.id, sizeof r->at.id, "%s", r->row.id_at);
	if (!r->row.under_way || r->kind->how == EACH_PASS)
		round_begin(r, c->now);
}

static void
round_ended(struct ctx *c, struct round_run *r)
{
	r->row.finished_at = c->now;
	r->row.under_way = false;
	if (r->kind->how == DAILY)
		log_members(LOG_LEVEL_INFO, "round ended",
		    mem_printf(c->mem,
			"\"name\":\"%s\",\"looked\":%lld,\"removed\":%lld,\"seconds\":%lld",
			r->kind->name, (long long)r->row.looked, (long long)r->row.removed,
			(long long)(c->now - r->row.started_at)));
}

static enum err
round_keep(struct ctx *c, struct round_run *r, const struct sweep_at *before)
{
	r->looked += r->at.looked - before->looked;
	r->removed += r->at.removed - before->removed;
	r->row.looked += r->at.looked - before->looked;
	r->row.removed += r->at.removed - before->removed;
	if (r->kind->how == EACH_PASS)
		return E_OK;
	r->row.outer_at = r->at.outer;
	r->row.inner_at = r->at.inner;
	r->row.id_at = r->at.id;
	if (r->at.end)
		round_ended(c, r);
	return round_save(c, &r->row);
}

/* ---- a pass ---- */

static enum err
piece_of_rows(struct ctx *c, const struct round_kind *kind, struct sweep_at *at)
{
	int64_t n;

	TRY(kind->rows(c, ROWS, &n));
	at->removed += n;
	at->end = n < ROWS;
	return E_OK;
}

static enum err
round_piece(struct ctx *c, struct round_run *r)
{
	const struct sweep_at before = r->at;
	enum err e = r->kind->rows ? piece_of_rows(c, r->kind, &r->at) : r->kind->piece(c, &r->at);
	enum err kept;

	if (e)
		log_line(LOG_LEVEL_ERROR, "round failed", "name", r->kind->name, "why",
		    ctx_why(c), NULL);
	kept = round_keep(c, r, &before);
	if (kept && !e)
		log_line(LOG_LEVEL_ERROR, "round not kept", "name", r->kind->name, "why",
		    c->internal, NULL);
	r->over = e || kept || r->at.end || (r->kind->how == DAILY && r->looked >= r->quota);
	return e ? e : kept;
}

static void
round_slice(struct pass *p, struct round_run *r)
{
	int64_t until = clock_ms() + SLICE_MS;

	while (!r->over && clock_ms() < until && !lane_over()) {
		struct ctx *c = ctx_begin(p->c->conf, p->c->db);
		enum err e = round_piece(c, r);

		ctx_end(c);
		p->failed = p->failed ? p->failed : e;
		p->between(p->arg);
	}
}

static const struct round *
round_find(const struct list *rows, const char *name)
{
	const struct round *row = rows->v;

	for (size_t i = 0; i < rows->n; i++, row++)
		if (str_eq(row->name, name))
			return row;
	return NULL;
}

static const char *
pass_report(const struct pass *p)
{
	struct buf b = BUF(p->c->mem);

	for (size_t i = 0; i < ROUNDS; i++) {
		const struct round_run *r = &p->runs[i];

		if (r->looked || r->removed)
			buf_fmt(&b, ",\"%s\":{\"looked\":%lld,\"removed\":%lld}", r->kind->name,
			    (long long)r->looked, (long long)r->removed);
	}
	return buf_done(&b);
}

enum err
reap(struct ctx *c, void (*between)(void *arg), void *arg, const char **report)
{
	struct pass *p = mem_new(c->mem, struct pass);
	struct list rows;
	bool more = true;

	*p = (struct pass){ .c = c, .between = between, .arg = arg };
	p->until = clock_ms() + PASS_MS;
	TRY(round_list(c, &rows));
	for (size_t i = 0; i < ROUNDS; i++) {
		p->runs[i].kind = &round_kinds[i];
		round_resume(c, &p->runs[i], round_find(&rows, round_kinds[i].name));
	}
	/* Each has a slice in every pass, however long the others take. */
	for (bool first = true; more && !lane_over() && (first || clock_ms() < p->until);
	    first = false) {
		more = false;
		for (size_t i = 0; i < ROUNDS; i++) {
			round_slice(p, &p->runs[i]);
			more |= !p->runs[i].over;
		}
	}
	*report = pass_report(p);
	return p->failed;
}
