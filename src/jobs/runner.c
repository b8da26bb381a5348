/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs/runner.h"

#include "base/clock.h"
#include "base/conf.h"
#include "base/log.h"
#include "db/schema.h"
#include "domain/state.h"
#include "jobs/outbox.h"
#include "jobs/reap.h"
#include "jobs/scrub.h"
#include "store/temp.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

enum { LOOK_AGAIN_MS = 1000 };

struct runner {
	const struct conf *conf;
	struct db *db;
	int outbox_lock, sweep_lock, scrub_lock;
	struct outbox outbox;
	int64_t looked_ms;
	enum err failed;
};

static int
lock_open(void *owner, const struct conf *conf, const char *name)
{
	return mem_fd(owner,
	    open(mem_printf(owner, "%s/%s", conf->data_dir, name), O_RDWR | O_CREAT | O_CLOEXEC,
		0640));
}

struct runner *
runner_open(void *owner, const struct conf *conf, struct db *db)
{
	struct runner *r = mem_new(owner, struct runner);

	r->conf = conf;
	r->db = db;
	r->outbox_lock = lock_open(r, conf, "runner.lock");
	r->sweep_lock = lock_open(r, conf, "sweep.lock");
	r->scrub_lock = lock_open(r, conf, "scrub.lock");
	return r->outbox_lock < 0 || r->sweep_lock < 0 || r->scrub_lock < 0 ? NULL : r;
}

static void
runner_outbox(struct runner *r)
{
	enum err e;

	if (flock(r->outbox_lock, LOCK_EX | LOCK_NB))
		return;
	e = outbox_run(r->conf, r->db, &r->outbox);
	flock(r->outbox_lock, LOCK_UN);
	r->failed = r->failed ? r->failed : e;
	r->looked_ms = clock_ms();
}

static void
runner_between(void *arg)
{
	struct runner *r = arg;

	if (clock_ms() - r->looked_ms >= LOOK_AGAIN_MS)
		runner_outbox(r);
}

static enum err
runner_sweep(struct runner *r, struct ctx *c, const char **report)
{
	enum err e;

	if (flock(r->sweep_lock, LOCK_EX | LOCK_NB))
		return E_OK;
	e = reap(c, runner_between, r, report);
	flock(r->sweep_lock, LOCK_UN);
	/* What the rounds have decided, and what was queued meanwhile. */
	runner_outbox(r);
	return e;
}

/* The last thing that a process does, since it gives way to everybody from here on: what is queued
 * meanwhile is the next process's, a minute later at most. */
static enum err
runner_scrub(struct runner *r, struct ctx *c, const char **report)
{
	struct scrubbed s = { 0 };
	enum err e;

	if (!r->conf->scrub_days || flock(r->scrub_lock, LOCK_EX | LOCK_NB))
		return E_OK;
	e = scrub(c, &s);
	flock(r->scrub_lock, LOCK_UN);
	if (s.bytes)
		*report = mem_printf(c->mem,
		    "%s,\"scrub\":{\"bytes\":%lld,\"found\":%lld,\"mended\":%lld}", *report,
		    (long long)s.bytes, (long long)s.found, (long long)s.mended);
	return e;
}

static enum err
runner_pass(struct runner *r, struct ctx *c, const char **report)
{
	enum err swept, scrubbed;

	*report = "";
	TRY(schema_check(c));
	runner_outbox(r);
	swept = runner_sweep(r, c, report);
	scrubbed = runner_scrub(r, c, report);
	return swept ? swept : scrubbed ? scrubbed : r->failed;
}

/* For the pool's metrics. That they can't be left is no failure of what was done. */
static void
runner_tell(struct runner *r)
{
	struct ctx *c = ctx_begin(r->conf, r->db);
	int64_t gauges[GAUGES] = { 0 };

	if (state_read(c, gauges))
		log_line(LOG_LEVEL_WARN, "no gauges", "why", ctx_why(c), NULL);
	else if (!gauges_write(r->conf, gauges))
		log_line(LOG_LEVEL_WARN, "no gauges", "why", strerror(errno), NULL);
	ctx_end(c);
}

enum err
runner_once(struct runner *r)
{
	struct ctx *c = ctx_begin(r->conf, r->db);
	const char *report;
	enum err e;

	r->outbox = (struct outbox){ .beat_at = r->outbox.beat_at };
	r->failed = E_OK;
	e = runner_pass(r, c, &report);
	runner_tell(r);
	log_members(LOG_LEVEL_INFO, "run",
	    mem_printf(c->mem, "\"outbox\":%lld%s", (long long)r->outbox.done, report));
	if (e)
		log_line(LOG_LEVEL_ERROR, "run failed", "why",
		    c->internal      ? c->internal
			: c->message ? c->message
				     : "a part of it did: see above",
		    NULL);
	ctx_end(c);
	return e;
}
