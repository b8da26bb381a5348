/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/reap.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/lease.h"
#include "base/log.h"
#include "base/str.h"
#include "core/round.h"
#include "runner/lane.h"
#include "store/rounds.h"

enum {
	DAY_S = 86400,
	ROWS = 500,      /* rows that one statement deletes */
	PASS_MS = 50000, /* cron comes again after a minute */
	SLICE_MS = 5000, /* then the next round has its turn */
	ENTRIES = 2000,  /* the fewest that a pass of a daily round handles */
	PASSES = 720     /* the fewest passes in a day */
};

struct round_run {
	const struct round_kind *kind;
	struct sweep_at at;
	struct round row;
	int64_t looked, removed; /* in this pass */
	int64_t quota;
	bool over; /* nothing more to do in this pass */
};

struct pass {
	struct ctx *c;
	void (*between)(void *arg);
	void *arg;
	struct round_run *runs;
	size_t n;
	int64_t until;
	enum err failed;
};

/* ---- a round's position ---- */

static void
round_resume(struct ctx *c, struct round_run *r, const struct round *row)
{
	/* Files younger than grace_s aren't swept, so a daily round need not run more often. */
	int64_t every = c->conf->grace_s < DAY_S ? c->conf->grace_s : DAY_S;

	r->row = row ? *row : (struct round){ .name = r->kind->name, .id_at = "" };
	r->quota = r->row.looked_last / PASSES > ENTRIES ? r->row.looked_last / PASSES : ENTRIES;
	/* A start in the future comes from a clock that was ahead. */
	r->over = r->kind->how == DAILY && !r->row.under_way &&
	    r->row.started_at + every > c->now && r->row.started_at <= c->now;
	if (r->over)
		return;
	if (r->row.under_way && r->kind->how != EACH_PASS) {
		r->at.outer = r->row.outer_at;
		r->at.inner = r->row.inner_at;
		snprintf(r->at.id, sizeof r->at.id, "%s", r->row.id_at);
		return;
	}
	r->at = (struct sweep_at){ 0 };
	r->row.looked_last = r->row.looked;
	r->row.looked = r->row.removed = 0;
	r->row.started_at = c->now;
	r->row.under_way = true;
}

static void
round_count(struct ctx *c, struct round_run *r, const struct sweep_at *before)
{
	r->looked += r->at.looked - before->looked;
	r->removed += r->at.removed - before->removed;
	r->row.looked += r->at.looked - before->looked;
	r->row.removed += r->at.removed - before->removed;
	r->row.outer_at = r->at.outer;
	r->row.inner_at = r->at.inner;
	r->row.id_at = r->at.id;
	if (!r->at.end)
		return;
	r->row.finished_at = c->now;
	r->row.under_way = false;
	if (r->kind->how == DAILY)
		log_members(LOG_LEVEL_INFO, "round ended",
		    mem_printf(c->mem,
			"\"name\":\"%s\",\"looked\":%lld,\"removed\":%lld,\"seconds\":%lld",
			r->kind->name, (long long)r->row.looked, (long long)r->row.removed,
			(long long)(c->now - r->row.started_at)));
}

/* ---- a pass ---- */

static enum err
round_piece(struct ctx *c, struct round_run *r)
{
	const struct sweep_at before = r->at;
	int64_t n = 0;
	enum err e = r->kind->rows ? r->kind->rows(c, ROWS, &n) : r->kind->piece(c, &r->at);

	if (!e && r->kind->rows) {
		r->at.removed += n;
		r->at.end = n < ROWS;
	}
	if (e)
		log_line(c->replay ? LOG_LEVEL_WARN : LOG_LEVEL_ERROR, "round failed", "name",
		    r->kind->name, "why", ctx_why(c), NULL);
	too_long_note(c->conf, c->db, "round", r->kind->name);
	round_count(c, r, &before);
	r->over = e || r->at.end || (r->kind->how == DAILY && r->looked >= r->quota);
	if (e && c->replay) {
		/* The next pass does what others have undone. */
		ctx_again(c);
		e = E_OK;
	}
	return e;
}

static void
round_slice(struct pass *p, struct round_run *r)
{
	int64_t until = clock_ms() + SLICE_MS;
	struct ctx *c;
	enum err e;

	if (r->over)
		return;
	while (!r->over && clock_ms() < until && !lane_over()) {
		c = ctx_begin(p->c->conf, p->c->db);
		e = round_piece(c, r);
		ctx_end(c);
		p->failed = p->failed ? p->failed : e;
		p->between(p->arg);
	}
	if (r->kind->how == EACH_PASS)
		return;
	/* The position is stored once a slice, not after each piece, since that is a sync. After a
	 * crash, some entries are looked at twice. */
	c = ctx_begin(p->c->conf, p->c->db);
	e = round_save(c, &r->row);
	if (e)
		log_line(LOG_LEVEL_ERROR, "round not kept", "name", r->kind->name, "why",
		    c->internal, NULL);
	r->over |= e != E_OK;
	ctx_end(c);
	p->failed = p->failed ? p->failed : e;
}

static void
runs_make(struct pass *p, const struct list *rows)
{
	bool active = lease_active();

	for (const struct round_kind *const *noun = rounds; *noun; noun++)
		for (const struct round_kind *k = *noun; k->name; k++)
			p->n += active || k->each;
	p->runs = mem_array(p->c->mem, struct round_run, p->n);
	p->n = 0;
	for (const struct round_kind *const *noun = rounds; *noun; noun++)
		for (const struct round_kind *k = *noun; k->name; k++) {
			const struct round *row = rows->v, *end = row + rows->n;

			if (!active && !k->each)
				continue;
			while (row < end && !str_eq(row->name, k->name))
				row++;
			p->runs[p->n].kind = k;
			round_resume(p->c, &p->runs[p->n++], row < end ? row : NULL);
		}
}

enum err
reap(struct ctx *c, void (*between)(void *arg), void *arg, const char **report)
{
	struct pass *p = mem_new(c->mem, struct pass);
	struct buf b = BUF(c->mem);
	struct list rows;
	bool more = true;

	*p = (struct pass){ .c = c, .between = between, .arg = arg };
	p->until = clock_ms() + PASS_MS;
	TRY(round_list(c, &rows));
	runs_make(p, &rows);
	/* Each round has a slice in each pass, even if the others take long. */
	for (bool first = true; more && !lane_over() && (first || clock_ms() < p->until);
	    first = false) {
		more = false;
		for (size_t i = 0; i < p->n; i++) {
			round_slice(p, &p->runs[i]);
			more |= !p->runs[i].over;
		}
	}
	for (size_t i = 0; i < p->n; i++) {
		const struct round_run *r = &p->runs[i];

		if (r->looked || r->removed)
			buf_fmt(&b, ",\"%s\":{\"looked\":%lld,\"removed\":%lld}", r->kind->name,
			    (long long)r->looked, (long long)r->removed);
	}
	*report = buf_done(&b);
	return p->failed;
}
