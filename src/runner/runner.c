/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/runner.h"

#include "archive/health.h"
#include "archive/lane.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/confine.h"
#include "base/lease.h"
#include "base/log.h"
#include "base/str.h"
#include "base/upgrade.h"
#include "base/wake.h"
#include "bucket/bucket.h"
#include "cluster/guard.h"
#include "cluster/node.h"
#include "core/round.h"
#include "core/state.h"
#include "db/schema.h"
#include "ext/room.h"
#include "runner/carry.h"
#include "runner/lane.h"
#include "runner/outbox.h"
#include "runner/pay.h"
#include "runner/picture.h"
#include "runner/project.h"
#include "runner/reap.h"
#include "runner/scrub.h"
#include "store/rounds.h"
#include "store/temp.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	LOOK_AGAIN_MS = 1000, /* with --once, between two looks for quick work during a round */
	LOOK_MS = 250,        /* a lane looks for work no more often, even after commits */
	IDLE_MS = 1000,       /* and no less often without commits */
	MINUTE_MS = 60000,
	TELL_MS = 10000,
	LANE_MS = 3600000, /* then a lane is replaced, so nothing in it grows for ever */
	ARM = 100,
	NICE = 5, /* for lanes that nobody waits for */
	FILES = 4096,
	DIED_MS = 1000, /* before a dead lane is replaced; longer each time */
	DIED_MAX_MS = 30000,
	WATCH_MS = 1000, /* between two looks for dead lanes */
	END_MS = 50,
	PIECES_MS = 45000,  /* then the lane stores its heartbeat */
	BROWSER_MS = 10000, /* between two looks for a missing browser */
	PATIENCE_S = 300,
	GUARD_END_MS = 5000,
	GUARD_LOOK_MS = 100,
	OUTDATED = 69 /* exit status if the database has another release's schema */
};

struct runner {
	const struct conf *conf;
	struct db *db;
	int outbox_lock, sweep_lock, scrub_lock;
	struct outbox outbox;
	struct carry *carry[RUN_QUEUES]; /* opened by the first turn of a queue */
	struct pay pay;
	int64_t jobs, looked_ms, told_ms;
	int64_t archive_ms; /* when the log is copied next */
	const char *report; /* JSON members for the log */
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
	r->report = "";
	r->outbox_lock = lock_open(r, conf, "runner.lock");
	r->sweep_lock = lock_open(r, conf, "sweep.lock");
	r->scrub_lock = lock_open(r, conf, "scrub.lock");
	return r->outbox_lock < 0 || r->sweep_lock < 0 || r->scrub_lock < 0 ? NULL : r;
}

/* ---- the lanes' turns, each until nothing is due ---- */

static enum err
outbox_turn(struct runner *r, struct ctx *c)
{
	bool mail = r->outbox.part == OUTBOX_MAIL, any;
	enum err e;

	TRY(outbox_waiting(c, &r->outbox, &any));
	if (!any || (!mail && flock(r->outbox_lock, LOCK_EX | LOCK_NB)))
		return E_OK;
	e = outbox_run(r->conf, r->db, &r->outbox);
	if (!mail)
		flock(r->outbox_lock, LOCK_UN);
	return e;
}

/* Writes gauges for the pool's metrics. A failure is logged only. */
static void
gauges_publish(struct runner *r)
{
	struct ctx *c = ctx_begin(r->conf, r->db);
	int64_t gauges[GAUGES] = { 0 };
	const char *named;

	if (state_read(c, gauges) || health_gauges(c, gauges) || bucket_gauges(c, gauges) ||
	    too_long_read(c, &named))
		log_line(LOG_LEVEL_WARN, "no gauges", "why", ctx_why(c), NULL);
	else if (!gauges_write(r->conf, gauges, named))
		log_line(LOG_LEVEL_WARN, "no gauges", "why", strerror(errno), NULL);
	ctx_end(c);
	r->told_ms = clock_ms();
}

/* Queues runs of schedules that are due, and wakes runs that waited long enough. */
static enum err
due_bring(struct ctx *c)
{
	int64_t armed = ARM, woken = ARM;
	enum err e = E_OK;

	while (!e && (armed == ARM || woken == ARM) && !lane_over()) {
		int64_t from = clock_ms();

		if (armed == ARM)
			e = job_arm(c, ARM, &armed);
		if (!e && woken == ARM)
			e = run_wake(c, ARM, &woken);
		/* Rests as long as it worked: at the full hour, others need the database, too. */
		if (!e)
			lane_sleep(clock_ms() - from);
	}
	if (!e || !c->replay)
		return e;
	/* A lost deadlock is no failure: the next turn does the work. */
	ctx_again(c);
	return E_OK;
}

static enum err
clock_turn(struct runner *r, struct ctx *c)
{
	if (clock_ms() - r->told_ms >= TELL_MS)
		gauges_publish(r);
	return due_bring(c);
}

static enum err
jobs_turn(struct runner *r, enum run_queue first, enum run_queue last)
{
	for (enum run_queue q = first; q <= last; q++) {
		if (!r->carry[q])
			r->carry[q] = carry_open(r, r->conf, r->db, q);
		TRY(carry_run(r->carry[q], &r->jobs));
	}
	return E_OK;
}

static void
lane_between(void *arg)
{
	struct runner *r = arg;

	lane_beat(r->conf, r->db, "runner.rounds");
}

static enum err
rounds_run(struct runner *r, struct ctx *c, void (*between)(void *arg))
{
	enum err e;

	if (flock(r->sweep_lock, LOCK_EX | LOCK_NB))
		return E_OK;
	e = reap(c, between, r, &r->report);
	flock(r->sweep_lock, LOCK_UN);
	return e;
}

static enum err
rounds_turn(struct runner *r, struct ctx *c)
{
	return rounds_run(r, c, lane_between);
}

/* Lowers this process's priority for good. */
static enum err
scrub_turn(struct runner *r, struct ctx *c)
{
	struct scrubbed s = { 0 };
	enum err e;

	if (!r->conf->scrub_days || flock(r->scrub_lock, LOCK_EX | LOCK_NB))
		return E_OK;
	e = scrub(c, &s);
	flock(r->scrub_lock, LOCK_UN);
	if (s.bytes)
		r->report = mem_printf(c->mem,
		    "%s,\"scrub\":{\"bytes\":%lld,\"found\":%lld,\"mended\":%lld}", r->report,
		    (long long)s.bytes, (long long)s.found, (long long)s.mended);
	return e;
}

static enum err
pictures_turn(struct runner *r, struct ctx *c)
{
	(void)c;
	return pictures_run(r->conf, r->db);
}

static bool
pieces_left(void *arg)
{
	(void)arg;
	return lane_over();
}

/* Does one piece of work; *any is false if there was none. left() as in struct egress_req. */
typedef enum err lane_next(
    const struct conf *conf, struct db *db, bool (*left)(void *arg), bool *any);

/* Calls next() again and again for PIECES_MS. */
static enum err
pieces_turn(struct runner *r, lane_next *next)
{
	int64_t until = clock_ms() + PIECES_MS;
	bool any = true;

	while (any && !lane_over() && clock_ms() < until)
		TRY(next(r->conf, r->db, pieces_left, &any));
	return E_OK;
}

#define LANE(name, function) lane_next function;
#define LANE_TOO(name, function) lane_next function;
#include "core/nouns.def"

/* Work that a lane does after its own. */
static const struct {
	const char *lane;
	lane_next *next;
} too[] = {
#define LANE_TOO(name, function) { #name, function },
#include "core/nouns.def"
};

static enum err
billing_turn(struct runner *r, struct ctx *c)
{
	(void)c;
	return pay_run(r->conf, r->db, &r->pay);
}

/* Copies the log every backup_log_s, also after a failure; what takes longer in several turns. */
static enum err
archive_turn(struct runner *r, struct ctx *c)
{
	int64_t now = clock_ms();
	bool more = false;
	enum err e;

	if (now < r->archive_ms)
		return E_OK;
	e = archive_round(c, &more);
	r->archive_ms = more && !e ? clock_ms() + LOG_REST_MS : now + r->conf->backup_log_s * 1000;
	return e;
}

enum err
runner_archive(const struct conf *conf)
{
	struct ctx *c = ctx_begin(conf, NULL);
	bool more = archive_on(conf);
	enum err e = E_OK;

	if (more)
		c->db = db_new(c->mem, conf, (int)conf->runner_statement_s);
	while (more && !e) {
		e = archive_round(c, &more);
		if (more && !e)
			lane_sleep(LOG_REST_MS);
	}
	if (e)
		log_line(LOG_LEVEL_ERROR, "lane failed", "name", "archive", "why", ctx_why(c),
		    NULL);
	ctx_end(c);
	return e;
}

/* ---- all in one process ---- */

static void
failed_keep(struct runner *r, enum err e)
{
	r->failed = r->failed ? r->failed : e;
}

/* Does all quick work, until nothing is done: one kind of work may queue another. */
static void
runner_quick(struct runner *r)
{
	int64_t before;

	do {
		struct ctx *c = ctx_begin(r->conf, r->db);

		before = r->outbox.done + r->jobs + r->pay.done;
		failed_keep(r, billing_turn(r, c));
		if (!flock(r->outbox_lock, LOCK_EX | LOCK_NB)) {
			failed_keep(r, outbox_run(r->conf, r->db, &r->outbox));
			flock(r->outbox_lock, LOCK_UN);
		}
		failed_keep(r, due_bring(c));
		failed_keep(r, jobs_turn(r, RUN_LIGHT, RUN_LIGHT));
		failed_keep(r, jobs_turn(r, RUN_SAVING, RUN_SAVING));
		failed_keep(r, jobs_turn(r, RUN_DATABASE, RUN_DATABASE));
		failed_keep(r, jobs_turn(r, RUN_SUSPECT, RUN_ALONE));
		ctx_end(c);
	} while (!r->failed && !lane_over() &&
	    r->outbox.done + r->jobs + r->pay.done > before);
	r->looked_ms = clock_ms();
}

static void
runner_between(void *arg)
{
	struct runner *r = arg;

	if (clock_ms() - r->looked_ms >= LOOK_AGAIN_MS)
		runner_quick(r);
}

static enum err
runner_pass(struct runner *r, struct ctx *c)
{
	enum err swept, pictured, scrubbed;

	TRY(schema_check(c));
	runner_quick(r);
	swept = rounds_run(r, c, runner_between);
	/* The rounds may have queued work. */
	runner_quick(r);
	pictured = pictures_turn(r, c);
#define LANE(name, function) failed_keep(r, pieces_turn(r, function));
#define LANE_TOO LANE
#include "core/nouns.def"
	scrubbed = scrub_turn(r, c);
	return swept ? swept : pictured ? pictured : scrubbed ? scrubbed : r->failed;
}

enum err
runner_once(struct runner *r)
{
	struct ctx *c = ctx_begin(r->conf, r->db);
	enum err e;

	if (!lease_active()) {
		log_line(LOG_LEVEL_INFO, "no run: another machine is active", NULL);
		ctx_end(c);
		return E_OK;
	}
	lane_signals();
	e = runner_pass(r, c);
	too_long_note(r->conf, r->db, "lane", "once");
	gauges_publish(r);
	log_members(LOG_LEVEL_INFO, "run",
	    mem_printf(c->mem, "\"outbox\":%lld,\"jobs\":%lld,\"billing\":%lld%s",
		(long long)r->outbox.done, (long long)r->jobs, (long long)r->pay.done,
		r->report));
	if (e)
		log_line(LOG_LEVEL_ERROR, "run failed", "why",
		    c->internal      ? c->internal
			: c->message ? c->message
				     : "a part of it failed; see the messages above",
		    NULL);
	ctx_end(c);
	return e;
}

/* ---- a process for each lane ---- */

static enum err
closings_turn(struct runner *r, struct ctx *c)
{
	(void)c;
	return nodes_close(r->conf, r->db);
}

static enum err
project_turn(struct runner *r, struct ctx *c)
{
	(void)c;
	return nodes_build(r->conf, r->db);
}

/* Where a lane runs: on a machine that is alone or active, on warm ones as well, or on each machine
 * of a cluster. */
enum lane_where { ON_ACTIVE, ON_EACH, IN_CLUSTER };

/* A lane has a turn of its own, or the next piece of something, or queues of jobs. */
static const struct lane {
	const char *name, *beat; /* beat NULL: doctor checks its work instead */
	enum outbox_part part;
	int64_t every_ms;
	int nice;
	enum err (*turn)(struct runner *r, struct ctx *c);
	lane_next *next;
	enum run_queue first, last;
	/* Starts programs, so it isn't confined; reads nothing that a stranger wrote. Runs only if
	 * backup_url is set. */
	bool archives;
	/* Is the process, instead of turns. Runs only in a cluster, and until the end. */
	int (*own)(const struct conf *conf);
	enum lane_where where;
} lanes[] = {
	{ "cluster", NULL, OUTBOX_ALL, IDLE_MS, 0, .own = guard_run },
	{ "outbox", "runner", OUTBOX_QUICK, LOOK_MS, 0, .turn = outbox_turn },
	{ "mail", "runner.mail", OUTBOX_MAIL, LOOK_MS, 0, .turn = outbox_turn },
	{ "clock", "runner.clock", OUTBOX_ALL, LOOK_MS, NICE, .turn = clock_turn },
	{ "jobs", "runner.jobs", OUTBOX_ALL, LOOK_MS, NICE, .first = RUN_LIGHT, .last = RUN_LIGHT },
	{ "saves", "runner.saves", OUTBOX_ALL, LOOK_MS, NICE, .first = RUN_SAVING,
	    .last = RUN_SAVING },
	{ "databases", "runner.databases", OUTBOX_ALL, LOOK_MS, NICE, .first = RUN_DATABASE,
	    .last = RUN_DATABASE },
	{ "suspects", "runner.suspects", OUTBOX_ALL, LOOK_MS, NICE, .first = RUN_SUSPECT,
	    .last = RUN_ALONE },
	{ "billing", "runner.billing", OUTBOX_ALL, IDLE_MS, NICE, .turn = billing_turn },
	{ "rounds", "runner.rounds", OUTBOX_ALL, MINUTE_MS, NICE, .turn = rounds_turn,
	    .where = ON_EACH },
	{ "pictures", "runner.pictures", OUTBOX_ALL, LOOK_MS, NICE, .turn = pictures_turn },
#define LANE(name, function) \
	{ #name, "runner." #name, OUTBOX_ALL, IDLE_MS, NICE, .next = function },
#include "core/nouns.def"
	{ "scrub", "runner.scrub", OUTBOX_ALL, MINUTE_MS, NICE, .turn = scrub_turn,
	    .where = ON_EACH },
	{ "closings", "runner.closings", OUTBOX_ALL, LOOK_MS, 0, .turn = closings_turn,
	    .where = IN_CLUSTER },
	{ "project", "runner.project", OUTBOX_ALL, LOOK_MS, NICE, .turn = project_turn,
	    .where = IN_CLUSTER },
	{ "archive", NULL, OUTBOX_ALL, LOOK_MS, NICE, .turn = archive_turn,
	    .archives = true },
};
enum { LANES = sizeof lanes / sizeof *lanes };

static void
lane_report(struct runner *r, const struct lane *lane)
{
	struct ctx *c = ctx_begin(r->conf, NULL);

	if (r->outbox.done || r->jobs || r->pay.done || *r->report)
		log_members(LOG_LEVEL_INFO, "lane",
		    mem_printf(c->mem, "\"name\":\"%s\",\"done\":%lld%s", lane->name,
			(long long)(r->outbox.done + r->jobs + r->pay.done), r->report));
	r->outbox.done = r->jobs = r->pay.done = 0;
	r->report = "";
	ctx_end(c);
}

/* Returns true if the turn failed. */
static bool
lane_turn(struct runner *r, const struct lane *lane)
{
	struct ctx *c = ctx_begin(r->conf, r->db);
	enum err e = lane->turn ? lane->turn(r, c)
	    : lane->next        ? pieces_turn(r, lane->next)
				: jobs_turn(r, lane->first, lane->last);

	for (size_t i = 0; !e && i < sizeof too / sizeof *too; i++)
		if (str_eq(too[i].lane, lane->name))
			e = pieces_turn(r, too[i].next);
	if (e && e != E_NOT_ACTIVE)
		log_line(LOG_LEVEL_ERROR, "lane failed", "name", lane->name, "why", ctx_why(c),
		    NULL);
	too_long_note(r->conf, r->db, "lane", lane->name);
	if (lane->every_ms >= MINUTE_MS)
		lane_report(r, lane);
	ctx_end(c);
	/* The lane sleeps for a minute now. */
	if (lane->every_ms >= MINUTE_MS)
		malloc_trim(0);
	return e;
}

/* Forgets this machine's heartbeats and rounds, except those that a warm machine has. */
static enum err
warm_keep(struct ctx *c)
{
	struct buf names = BUF(c->mem);

	buf_str(&names, ROUND_PROJECT "," ROUND_SCRUB);
	for (size_t i = 0; i < LANES; i++)
		if (lanes[i].where != ON_ACTIVE && lanes[i].beat)
			buf_fmt(&names, ",%s", lanes[i].beat);
	for (const struct round_kind *const *noun = rounds; *noun; noun++)
		for (const struct round_kind *k = *noun; k->name; k++)
			if (k->each)
				buf_fmt(&names, ",%s", k->name);
	return rounds_keep(c, buf_done(&names));
}

/* any_role: the lane writes rows of this machine only, and may do so in any role. */
static int
lane_run(const struct conf *conf, const struct lane *lane, int64_t ms, bool any_role)
{
	void *mem = mem_root(lane->name);
	struct db *db = db_new(mem, conf, (int)conf->runner_statement_s);
	struct runner *r = runner_open(mem, conf, db);
	struct ctx *c = ctx_begin(conf, db);
	enum err e;
	int status;

	if (any_role)
		db_any_role(db);
	e = r ? schema_check(c) : E_INTERNAL;
	if (!e && any_role && !lease_active())
		e = warm_keep(c);
	if (e)
		log_line(LOG_LEVEL_ERROR, "lane failed", "name", lane->name, "why",
		    r ? ctx_why(c) : "the locks can't be opened", NULL);
	ctx_end(c);
	lane_time(ms && ms < LANE_MS ? ms : LANE_MS);
	if (r)
		r->outbox.part = lane->part;
	while (!e && !lane_over()) {
		int64_t begun = clock_ms();
		unsigned count = wake_count(conf);

		if (lane->where == ON_ACTIVE && !lease_active()) {
			lane_sleep(LOOK_MS);
			continue;
		}
		if (lane->beat)
			lane_beat(conf, db, lane->beat);
		if (lane_turn(r, lane)) {
			e = db_refused(db) ? E_UNAVAILABLE : E_OK;
			lane_sleep(e ? 0 : DIED_MS);
		}
		lane_sleep(begun + lane->every_ms - clock_ms());
		lane_wait(conf, count, begun + IDLE_MS - clock_ms());
	}
	if (r)
		lane_report(r, lane);
	status = db_refused(db) ? OUTDATED : e ? 1 : 0;
	mem_free(mem);
	return status;
}

struct watched {
	pid_t pid;   /* 0: not running */
	bool active; /* the machine was when it began */
	int64_t begun_ms, again_ms, wait_ms;
};

/* Forks the lane. Its process gets SIGTERM when the parent ends for any reason. */
static void
lane_start(const struct conf *conf, const struct lane *lane, struct watched *w, int64_t ms)
{
	bool any_role =
	    lane->where == IN_CLUSTER || (lane->where == ON_EACH && !lease_active());
	pid_t parent = getpid();
	char name[16];

	w->begun_ms = clock_ms();
	w->active = lease_active();
	w->pid = fork();
	if (w->pid > 0)
		return;
	if (w->pid < 0) {
		log_line(LOG_LEVEL_ERROR, "no lane", "name", lane->name, "why",
		    strerror(errno), NULL);
		w->pid = 0;
		w->again_ms = clock_ms() + DIED_MAX_MS;
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(0);
	snprintf(name, sizeof name, "runner-%s", lane->name);
	prctl(PR_SET_NAME, name);
	signal(SIGCHLD, SIG_DFL);
	if (lane->own)
		exit(lane->own(conf));
	setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + lane->nice);
	if (any_role && !(conf = node_conf(mem_root(lane->name), conf))) {
		log_line(LOG_LEVEL_ERROR, "no lane", "name", lane->name, "why",
		    "cluster_admin_file can't be read", NULL);
		_exit(1);
	}
	if (!lane->archives)
		confine(conf);
	exit(lane_run(conf, lane, ms, any_role));
}

/* A lane that runs on warm machines, too, begins anew when this one becomes active or warm. */
static bool
lane_wanted(const struct conf *conf, const struct lane *lane, const struct watched *w, bool minute)
{
	if (lane->archives && !archive_on(conf))
		return false;
	if (lane->own)
		return cluster_on(conf) && !minute;
	if (lane->where == IN_CLUSTER)
		return cluster_on(conf);
	return lane->where == ON_EACH ? !w->pid || w->active == lease_active() : lease_active();
}

static bool outdated;

static void
lane_ended(const struct lane *lane, struct watched *w, int status)
{
	int64_t now = clock_ms();
	bool well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	char why[40];

	w->pid = 0;
	if (well)
		w->wait_ms = 0;
	else if (!w->wait_ms || now - w->begun_ms > DIED_MAX_MS)
		w->wait_ms = DIED_MS;
	else
		w->wait_ms = wait_doubled(w->wait_ms, 1, DIED_MAX_MS);
	w->again_ms = now + w->wait_ms;
	if (well || outdated)
		return;
	outdated = WIFEXITED(status) && WEXITSTATUS(status) == OUTDATED;
	snprintf(why, sizeof why, WIFSIGNALED(status) ? "signal %d" : "status %d",
	    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	log_line(LOG_LEVEL_ERROR, "lane died", "name", lane->name, "why", why, NULL);
}

static size_t
lanes_look(struct watched *all)
{
	size_t alive = 0;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (size_t i = 0; i < LANES; i++)
			if (all[i].pid == pid)
				lane_ended(&lanes[i], &all[i], status);
	for (size_t i = 0; i < LANES; i++)
		alive += all[i].pid != 0;
	return alive;
}

static void
lanes_signal(const struct watched *all, int signal)
{
	for (size_t i = 0; i < LANES; i++)
		if (all[i].pid)
			kill(all[i].pid, signal);
}

bool
runner_lanes_known(const char *names)
{
	void *mem = mem_root("lanes");
	char *rest = mem_strdup(mem, names);
	bool known = true;

	for (char *name; known && (name = str_split(&rest, '|'));) {
		known = false;
		for (size_t i = 0; i < LANES; i++)
			known |= str_eq(lanes[i].name, name);
	}
	mem_free(mem);
	return known;
}

/* Ends the lanes. At the end of a minute, a mail under way has time; after a signal, less. */
static void
lanes_end(struct watched *all)
{
	int64_t from = clock_ms();
	bool asked = lane_over();

	lanes_signal(all, SIGTERM);
	while (lanes_look(all) &&
	    clock_ms() - from < (asked ? RUNNER_DRAIN_S : PATIENCE_S) * 1000) {
		wake_sleep(wake_stops(), END_MS);
		if (!asked && lane_over()) {
			asked = true;
			from = clock_ms();
		}
	}
	lanes_signal(all, SIGKILL);
}

/* Replaces the lane for pictures when a program has been installed, because lanes inherit the
 * launcher of rooms. */
static void
browser_look(const struct conf *conf, const struct watched *all, int64_t *looked_ms)
{
	if (rooms_prepared() || clock_ms() - *looked_ms < BROWSER_MS)
		return;
	*looked_ms = clock_ms();
	rooms_prepare(conf);
	if (!rooms_prepared())
		return;
	log_line(LOG_LEVEL_INFO, "program found, pictures are made", NULL);
	for (size_t i = 0; i < LANES; i++)
		if (all[i].pid && lanes[i].turn == pictures_turn)
			kill(all[i].pid, SIGTERM);
}

/* A lane ends after what it does. The guard of a cluster ends at once, and leaves this machine's
 * role and pages to the next one. */
static void
lanes_renew(const struct watched *all)
{
	for (size_t i = 0; i < LANES; i++)
		if (all[i].pid)
			kill(all[i].pid, lanes[i].own ? SIGHUP : SIGTERM);
}

static bool
guard_runs(const struct watched *all)
{
	for (size_t i = 0; i < LANES; i++)
		if (all[i].pid && lanes[i].own)
			return true;
	return false;
}

/* Becomes the program that has been installed. Its lanes begin beside those that still end what
 * they do, as cron's runners do, but there are never two guards. */
static void
runner_become(struct watched *all)
{
	pid_t checker = upgrade_check();
	int64_t from;
	int status = 1;

	if (checker < 0) {
		upgrade_refused(strerror(errno));
		return;
	}
	while (waitpid(checker, &status, 0) < 0 && errno == EINTR)
		;
	if (status) {
		upgrade_refused(NULL);
		return;
	}
	log_line(LOG_LEVEL_INFO, "upgrading", NULL);
	lanes_renew(all);
	from = clock_ms();
	while (guard_runs(all) && clock_ms() - from < GUARD_END_MS) {
		wake_sleep(wake_stops(), GUARD_LOOK_MS);
		lanes_look(all);
	}
	/* The new program wouldn't know of a SIGTERM that came meanwhile. */
	if (lane_over())
		return;
	errno = EBUSY;
	if (!guard_runs(all))
		upgrade_go(NULL, 0, "");
	upgrade_refused(strerror(errno));
}

static void
runner_reload(const struct conf **conf, const struct conf *(*fresh)(void), struct watched *all)
{
	const struct conf *now;

	if (upgrade_due()) {
		runner_become(all);
		return;
	}
	now = fresh();
	log_line(LOG_LEVEL_INFO,
	    now ? "reloading" : "reload refused: the configuration is wrong, the old one stays",
	    NULL);
	if (!now)
		return;
	*conf = now;
	rooms_prepare(now);
	lanes_renew(all);
}

static void
child_ended(int signal)
{
	(void)signal;
	wake_stop();
}

/* Starts or ends a lane, as it is wanted. */
static void
lane_look(const struct conf *conf, const struct lane *lane, struct watched *w, const char *names,
    int64_t ms)
{
	bool wanted = lane_wanted(conf, lane, w, ms != 0);

	if (w->pid && !wanted)
		kill(w->pid, SIGTERM);
	else if (!w->pid && wanted && clock_ms() >= w->again_ms &&
	    (!names || str_in(lane->name, names)))
		lane_start(conf, lane, w, ms);
}

int
runner_stay(const struct conf *conf, const struct conf *(*fresh)(void), const char *names,
    int64_t seconds)
{
	const struct sigaction at_child = { .sa_handler = child_ended, .sa_flags = SA_RESTART };
	int64_t until = seconds ? clock_ms() + seconds * 1000 : INT64_MAX;
	int64_t looked_ms = clock_ms(), left;
	struct watched all[LANES] = { 0 };
	struct rlimit limit;

	/* Hundreds of requests at once need as many descriptors. */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < FILES) {
		limit.rlim_cur = limit.rlim_max < FILES ? limit.rlim_max : FILES;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	lane_signals();
	/* Lanes would inherit the memory used until now. */
	malloc_trim(0);
	sigaction(SIGCHLD, &at_child, NULL);
	if (!seconds && !room_program(NULL, conf, ROOM_BROWSER) && conf_has(conf->chromium))
		log_line(LOG_LEVEL_INFO, "no browser, cards are drawn", NULL);
	for (unsigned stops = wake_stops(); !lane_over() && !outdated && clock_ms() < until;
	     stops = wake_stops()) {
		if (lane_reload_asked())
			runner_reload(&conf, fresh, all);
		browser_look(conf, all, &looked_ms);
		lanes_look(all);
		for (size_t i = 0; i < LANES; i++)
			lane_look(conf, &lanes[i], &all[i], names,
			    seconds ? until - clock_ms() : 0);
		left = until - clock_ms();
		wake_sleep(stops, left < WATCH_MS ? left : WATCH_MS);
	}
	lanes_end(all);
	return outdated ? OUTDATED : 0;
}
