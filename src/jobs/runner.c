/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs/runner.h"

#include "base/clock.h"
#include "base/conf.h"
#include "base/log.h"
#include "db/schema.h"
#include "jobs/outbox.h"
#include "jobs/reap.h"
#include "store/temp.h"

#include <fcntl.h>
#include <sys/file.h>

enum { LOOK_AGAIN_MS = 1000 };

struct runner {
	const struct conf *conf;
	struct db *db;
	int outbox_lock, sweep_lock;
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
	return r->outbox_lock < 0 || r->sweep_lock < 0 ? NULL : r;
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
runner_pass(struct runner *r, struct ctx *c, const char **report)
{
	enum err e;

	*report = "";
	TRY(schema_check(c));
	runner_outbox(r);
	if (flock(r->sweep_lock, LOCK_EX | LOCK_NB))
		return r->failed;
	e = reap(c, runner_between, r, report);
	flock(r->sweep_lock, LOCK_UN);
	/* What the rounds have decided, and what was queued meanwhile. */
	runner_outbox(r);
	return e ? e : r->failed;
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
