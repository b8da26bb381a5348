/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/carry.h"

#include "base/clock.h"
#include "base/conf.h"
#include "base/log.h"
#include "base/str.h"
#include "jobs/action.h"
#include "runner/lane.h"

enum {
	LOOK_MS = 250, /* between two claims while runs are under way */
	AGAIN_MS = 20, /* after others have claimed all runs that we saw */
	RENEW_MS = 5000,
	REST_MAX_MS = 300,
	FAILED_MS = 1000, /* after the database didn't answer */
	NET_MS = 20,
	CLAIM = 100, /* most runs that one transaction claims */
	ENDS = 50,
	BETWEEN = 10,    /* runs to begin before we look for answers */
	WAIT_MS = 10000, /* the longest wait for a host; longer ones put the run off */
	PUT_OFF_MAX_S = 300,
	SLOW_MS = 2000,
	CROWDED = 600,    /* held runs from which on we limit each maker */
	MAKER_SLOW = 250, /* the most runs of one maker that take longer than SLOW_MS */
	HANGS_S = 15,
	DATABASES_TENANT = 4, /* the most databases that one workspace asks at once */
	DATABASES_WAIT_S = 5
};

/* The runs of one claim. Their memory ends with the last of them. */
struct load {
	struct ctx *c;
	size_t left;
};

/* A claimed run. Its own context holds it. */
struct trip {
	struct trip *next;
	struct load *load;
	const struct run_held *held;
	struct ctx *c;
	struct action_asked asked; /* without req and query, the run asks nobody */
	struct action_answer answer;
	struct action_taken *taken;
	struct run_outcome outcome;
	bool decided; /* the outcome is known before action_end() */
	bool mine;
	int64_t took_ms, wait_s;
	size_t at; /* index in carry.all */
};

struct trips {
	struct trip *first, *last;
	size_t n;
};

struct carry {
	const struct conf *conf;
	struct db *db;
	enum run_queue queue;
	size_t room; /* the most runs to hold */
	struct egress_many *net;
	struct postgres_many *databases;
	struct trip **all; /* the held runs */
	size_t held;
	struct trips ended, put_off;
	int64_t look_ms, renewed_ms, done;
	enum err failed;
};

/* The most requests at once, and the most runs to hold, by queue. Runs that save data end one after
 * the other. A run whose worker has died before runs among few others. */
static const struct {
	size_t at_once, room;
} sizes[] = {
	[RUN_LIGHT] = { 1000, 2000 },
	[RUN_SAVING] = { 16, 16 },
	[RUN_SUSPECT] = { 8, 8 },
	[RUN_ALONE] = { 1, 1 },
	[RUN_DATABASE] = { 16, 16 },
};

static const char *const beats[] = { [RUN_LIGHT] = "runner.jobs",
	[RUN_SAVING] = "runner.saves",
	[RUN_SUSPECT] = "runner.suspects",
	[RUN_ALONE] = "runner.suspects",
	[RUN_DATABASE] = "runner.databases" };

struct carry *
carry_open(void *owner, const struct conf *conf, struct db *db, enum run_queue queue)
{
	struct carry *k = mem_new(owner, struct carry);

	*k = (struct carry){ .conf = conf,
		.db = db,
		.queue = queue,
		.room = sizes[queue].room,
		.all = mem_array(k, struct trip *, sizes[queue].room),
		.net = egress_many(k, conf, sizes[queue].at_once),
		.databases = postgres_many(k, conf) };
	return k;
}

static void
trips_put(struct trips *list, struct trip *t)
{
	t->next = NULL;
	if (list->last)
		list->last->next = t;
	else
		list->first = t;
	list->last = t;
	list->n++;
}

static struct trip *
trips_pop(struct trips *list)
{
	struct trip *t = list->first;

	if (!t)
		return NULL;
	list->first = t->next;
	if (!t->next)
		list->last = NULL;
	list->n--;
	return t;
}

static void
trip_free(struct carry *k, struct trip *t)
{
	struct load *load = t->load;

	k->all[t->at] = k->all[--k->held];
	k->all[t->at]->at = t->at;
	ctx_end(t->c);
	if (--load->left == 0)
		ctx_end(load->c);
}

static void
databases_listen(struct carry *k, int wait_ms)
{
	struct postgres_done done;

	while (postgres_next(k->databases, wait_ms, &done)) {
		struct trip *t = done.tag;

		t->answer = (struct action_answer){
			.rows = done.res, .why = done.why, .final = done.final
		};
		for (int i = 0; i < POSTGRES_STEPS; i++)
			t->took_ms += done.took_ms[i];
		trips_put(&k->ended, t);
		wait_ms = 0;
	}
}

static void
databases_poll(void *arg)
{
	databases_listen(arg, 0);
}

static void
carry_listen(struct carry *k, int wait_ms)
{
	bool asks = postgres_busy(k->databases, NULL) > 0;
	struct egress_done done;

	databases_listen(k, asks ? wait_ms : 0);
	while (egress_next(k->net, asks ? 0 : wait_ms, &done)) {
		struct trip *t = done.tag;

		t->answer =
		    (struct action_answer){ .res = done.res, .why = done.why, .final = done.final };
		t->took_ms = done.took_ms;
		trips_put(done.late ? &k->put_off : &k->ended, t);
		wait_ms = 0;
	}
}

/* ---- beginning ---- */

static void
trip_fail(struct trip *t, enum err e)
{
	struct ctx *c = t->c;
	bool ours = !action_err_is_told(e), again = ours || e == E_UPSTREAM;

	if (ours)
		log_line(LOG_LEVEL_WARN, "run failed here", "run", t->held->id, "job",
		    t->held->job_id, "why", ctx_why(c), NULL);
	t->outcome = (struct run_outcome){ .verdict = again ? RUN_TRY_AGAIN : RUN_FAILED,
		.retry_after_s = c->retry_after_s,
		.error = ours    ? "Something failed on our side"
		    : c->message ? c->message
				 : ctx_why(c) };
	t->decided = true;
	ctx_again(t->c);
}

/* True if so many runs of the same maker hang already that this one must wait. Places are few, and
 * a maker who uses many host names could hold them all. */
static bool
maker_hangs(const struct carry *k, const struct run_held *h)
{
	int64_t since = clock_ms() - SLOW_MS;
	size_t n = 0;

	if (k->queue != RUN_LIGHT || k->held < CROWDED || !h->created_by)
		return false;
	for (size_t i = 0; i < k->held && n < MAKER_SLOW; i++)
		n += k->all[i]->held->taken_ms < since &&
		    str_eq(k->all[i]->held->created_by, h->created_by);
	return n >= MAKER_SLOW;
}

static void
trip_put_off(struct carry *k, struct trip *t, int64_t wait_s)
{
	t->wait_s = wait_s;
	trips_put(&k->put_off, t);
}

static void
trip_begin(struct carry *k, struct trip *t)
{
	struct egress_req *req;
	int64_t wait_ms;
	enum err e;

	if (maker_hangs(k, t->held)) {
		trip_put_off(k, t, HANGS_S);
		return;
	}
	if (k->queue == RUN_DATABASE &&
	    postgres_busy(k->databases, t->held->tenant) >= DATABASES_TENANT) {
		trip_put_off(k, t, DATABASES_WAIT_S);
		return;
	}
	t->asked.between = databases_poll;
	t->asked.arg = k;
	e = action_begin(t->c, t->held, &t->asked);
	if (e)
		trip_fail(t, e);
	if (e || !(t->asked.query || t->asked.req)) {
		trips_put(&k->ended, t);
		return;
	}
	if (t->asked.query) {
		postgres_add(k->databases, t->c, t->asked.query, t);
		return;
	}
	req = t->asked.req;
	req->tenant = t->held->tenant;
	req->begin_by_ms = t->held->taken_ms + RUN_BEGIN_MS;
	wait_ms = egress_wait_ms(k->net, req);
	if (wait_ms <= WAIT_MS)
		egress_add(k->net, t->c, req, t);
	else
		trip_put_off(k, t, wait_ms / 1000);
}

static void
carry_claim(struct carry *k)
{
	size_t room = k->room - k->held, limit = room < CLAIM ? room : CLAIM;
	struct run_held_list held;
	struct load *load;
	int64_t looked = 0;
	struct ctx *c;
	enum err e;

	/* A claim of one run costs nearly as much as a claim of many. */
	if (!room || (k->held && room < k->room / 8) || clock_ms() < k->look_ms)
		return;
	c = ctx_begin(k->conf, k->db);
	e = run_claim(c, k->queue, (int64_t)limit, &held, &looked);
	k->look_ms = clock_ms() +
	    (e                            ? FAILED_MS
		    : looked < (int64_t)limit ? LOOK_MS
		    : held.n                  ? 0
					      : AGAIN_MS);
	if (e) {
		log_line(LOG_LEVEL_ERROR, "no run could be taken", "why", ctx_why(c), NULL);
		k->failed = e;
	}
	if (e || !held.n) {
		ctx_end(c);
		return;
	}
	load = mem_new(c->mem, struct load);
	*load = (struct load){ c, held.n };
	for (size_t i = 0; i < held.n; i++) {
		struct ctx *one = ctx_begin(k->conf, k->db);
		struct trip *t = mem_new(one->mem, struct trip);

		*t = (struct trip){ .load = load, .held = &held.v[i], .c = one, .at = k->held };
		k->all[k->held++] = t;
		trip_begin(k, t);
		if (i % BETWEEN == 0)
			carry_listen(k, 0);
	}
}

/* ---- giving back ---- */

static void
carry_put_off(struct carry *k)
{
	size_t n = k->put_off.n;
	const struct run_held **held;
	struct trip *t = k->put_off.first;
	int64_t *wait_s;
	struct ctx *c;

	if (!n)
		return;
	c = ctx_begin(k->conf, k->db);
	held = mem_array(c->mem, const struct run_held *, n);
	wait_s = mem_array(c->mem, int64_t, n);
	for (size_t i = 0; i < n; i++, t = t->next) {
		held[i] = t->held;
		wait_s[i] = t->wait_s < PUT_OFF_MAX_S ? t->wait_s : PUT_OFF_MAX_S;
	}
	/* A run that can't be given back is due again when its lease ends. */
	if (run_put_off(c, held, wait_s, n))
		log_line(LOG_LEVEL_WARN, "runs not given back", "why", ctx_why(c), NULL);
	ctx_end(c);
	while ((t = trips_pop(&k->put_off)))
		trip_free(k, t);
}

/* Puts off requests that wait for a slow host; with over, all requests that wait. */
static void
carry_give_back(struct carry *k, bool over)
{
	int64_t wait_ms;
	struct trip *t;

	while ((t = egress_take_back(k->net, over ? -1 : WAIT_MS, &wait_ms)))
		trip_put_off(k, t, over ? 0 : wait_ms / 1000);
	/* A query hasn't changed anything, so another runner can ask again. */
	while (over && (t = postgres_drop(k->databases)))
		trip_put_off(k, t, 0);
}

/* ---- ending ---- */

static enum err
trip_end(struct trip *t)
{
	if (t->decided)
		return E_OK;
	TRY(action_end(t->c, t->held, &t->asked, &t->answer, t->taken, &t->outcome));
	t->outcome.duration_ms = t->took_ms;
	if (t->answer.res && !t->outcome.retry_after_s)
		t->outcome.retry_after_s = t->answer.res->retry_after_s;
	return E_OK;
}

static enum err
trips_end(struct ctx *c, struct trip **v, size_t n)
{
	const struct run_held **held = mem_array(c->mem, const struct run_held *, n);
	struct run_ended *ended = mem_array(c->mem, struct run_ended, n);
	bool *mine = mem_array(c->mem, bool, n);
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		held[i] = v[i]->held;
	TRY(db_begin(c));
	TRY(run_hold_many(c, held, n, mine));
	for (size_t i = 0; i < n; i++) {
		enum err e = mine[i] ? trip_end(v[i]) : E_OK;

		if (e) {
			c->replay |= v[i]->c->replay;
			log_line(LOG_LEVEL_WARN, "run not ended", "run", held[i]->id, "why",
			    ctx_why(v[i]->c), NULL);
			return fail_here(c, "ending a run failed; see the messages above");
		}
		if (mine[i])
			ended[k++] = (struct run_ended){ held[i], v[i]->outcome };
	}
	TRY(run_end_many(c, ended, k));
	return db_commit(c);
}

static enum err
trips_try(struct carry *k, struct trip **v, size_t n)
{
	struct ctx *c = ctx_begin(k->conf, k->db);
	enum err e;
	int tries = 0;

	do {
		e = trips_end(c, v, n);
		for (size_t t = 0; e && t < n; t++)
			ctx_again(v[t]->c);
	} while (db_again(c, e, &tries));
	if (e)
		log_line(LOG_LEVEL_WARN, "runs not ended", "why", ctx_why(c), NULL);
	ctx_end(c);
	return e;
}

/* Ends the runs. If that fails, ends each alone; a run that fails again ends as failed on our side.
 * If even that can't be stored, the run is due again when its lease ends. */
static void
trips_finish(struct carry *k, struct trip **v, size_t n)
{
	enum err e = trips_try(k, v, n);

	for (size_t i = 0; e && n > 1 && i < n; i++)
		trips_finish(k, &v[i], 1);
	if (e && n == 1 && !v[0]->decided) {
		trip_fail(v[0], E_INTERNAL);
		trips_try(k, v, 1);
	}
}

/* Renews leases. Runs that save data may take long, and so may a request if run_lease_s is below
 * RUN_LEASE_S. Their workers must not seem dead. */
static void
carry_renew(struct carry *k)
{
	int64_t third_ms = k->conf->run_lease_s * 1000 / 3;
	const struct run_held **held;
	struct ctx *c;

	if (k->queue == RUN_LIGHT && k->conf->run_lease_s >= RUN_LEASE_S)
		return;
	if (clock_ms() - k->renewed_ms < (third_ms < RENEW_MS ? third_ms : RENEW_MS))
		return;
	k->renewed_ms = clock_ms();
	c = ctx_begin(k->conf, k->db);
	held = mem_array(c->mem, const struct run_held *, k->held);
	for (size_t i = 0; i < k->held; i++)
		held[i] = k->all[i]->held;
	if (run_renew(c, held, k->held))
		log_line(LOG_LEVEL_WARN, "leases not renewed", "why", ctx_why(c), NULL);
	ctx_end(c);
}

static void
carry_end(struct carry *k)
{
	size_t most = k->queue == RUN_LIGHT ? ENDS : 1, n = 0;
	struct trip *v[ENDS], *t;

	while (n < most && k->ended.n) {
		enum err e;

		carry_renew(k);
		t = trips_pop(&k->ended);
		e = t->decided
		    ? E_OK
		    : action_take(t->c, t->held, &t->asked, &t->answer, &t->taken);
		if (e)
			trip_fail(t, e);
		v[n++] = t;
	}
	if (!n)
		return;
	trips_finish(k, v, n);
	k->done += (int64_t)n;
	for (size_t i = 0; i < n; i++)
		trip_free(k, v[i]);
}

enum err
carry_run(struct carry *k, int64_t *done)
{
	k->failed = E_OK;
	k->done = k->look_ms = 0;
	do {
		bool over = lane_over();
		int64_t from = clock_ms(), rest_ms, until, left;

		lane_beat(k->conf, k->db, beats[k->queue]);
		if (!over)
			carry_claim(k);
		carry_give_back(k, over);
		carry_put_off(k);
		carry_renew(k);
		carry_end(k);
		/* A storm of runs must not take the database from people who wait for a page. The
		 * rest is longer than the work, and the next round does more at once. */
		rest_ms = k->queue == RUN_LIGHT ? (clock_ms() - from) * 3 / 2 : 0;
		until = clock_ms() + (rest_ms < REST_MAX_MS ? rest_ms : REST_MAX_MS);
		while ((left = until - clock_ms()) > 0)
			carry_listen(k, left < NET_MS ? (int)left : NET_MS);
		carry_listen(k, k->held && !k->ended.n ? NET_MS : 0);
	} while (k->held || (!lane_over() && !k->failed && clock_ms() >= k->look_ms));
	*done += k->done;
	return k->failed;
}
