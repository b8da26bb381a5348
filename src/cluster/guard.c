/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/guard.h"

#include "base/lease.h"
#include "base/log.h"
#include "cluster/handover.h"
#include "cluster/lane.h"
#include "cluster/well.h"
#include "store/shown.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	TICK_MS = 100,
	WELL_EVERY_MS = 1000,
	WELL_MOST_MS = 5000,  /* a pool or disk that takes longer has failed */
	UNWELL_MS = 6000,     /* then the active machine hands over */
	UNASKED_MS = 5000,    /* by balancers, which ask another machine; likewise */
	STALL_MS = 2000,      /* an older beat, or try of the pools: balancers wait, too */
	LANE_AGAIN_MS = 300,
	LANE_SOON_MS = 1000,      /* a lane that ends in less can't begin: */
	LANE_AGAIN_LATE_MS = 4000,
	LANE_STUCK_MS = 20000 /* without a lease; then the lane is replaced */
};

struct child {
	pid_t pid; /* 0: not running */
	int64_t begun_ms;
};

struct guard {
	const struct conf *conf;
	struct child lane, well, leave;
	int64_t begun_ms, lane_again_ms, asked_ms, unasked_ms;
	enum well is;  /* as last tried */
	bool asked;    /* since this machine became active */
	bool leaving;  /* this machine gives up its role; the lane doesn't run meanwhile */
	bool hide_failed;
	bool ends; /* for good: its pages are hidden */
};

static volatile sig_atomic_t stop_asked, leave_asked;

static void
guard_stop(int signal)
{
	stop_asked = 1;
	leave_asked = signal != SIGHUP;
}

/* Returns true in the child, which ends with this process. */
static bool
child_begin(struct child *child, const char *name)
{
	pid_t parent = getpid();

	child->begun_ms = lease_now_ms();
	child->pid = fork();
	if (child->pid > 0)
		return false;
	if (child->pid < 0) {
		log_line(LOG_LEVEL_ERROR, "no process", "name", name, "why", strerror(errno), NULL);
		child->pid = 0;
		return false;
	}
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	prctl(PR_SET_NAME, name);
	return true;
}

/* Returns true, with its status, if the child has ended since the last call. */
static bool
child_ended(struct child *child, int *status)
{
	if (!child->pid || waitpid(child->pid, status, WNOHANG) != child->pid)
		return false;
	child->pid = 0;
	return true;
}

static int64_t
child_age_ms(const struct child *child)
{
	return lease_now_ms() - child->begun_ms;
}

/* Kills a child, and waits for it for at most 100 ms: a process that hangs on a disk can't be
 * ended. */
static void
child_kill(struct child *child)
{
	int status;

	if (!child->pid)
		return;
	kill(child->pid, SIGKILL);
	for (int i = 0; i < 10 && !child_ended(child, &status); i++)
		usleep(10000);
	child->pid = 0;
}

/* ---- the lane ---- */

static void
lane_watch(struct guard *g)
{
	int status;

	if (child_ended(&g->lane, &status)) {
		log_line(LOG_LEVEL_WARN, "lane died", "name", "cluster", NULL);
		g->lane_again_ms = lease_now_ms() +
		    (child_age_ms(&g->lane) < LANE_SOON_MS ? LANE_AGAIN_LATE_MS : LANE_AGAIN_MS);
	}
	if (g->lane.pid && lease_role() == LEASE_HIDDEN && lease_until_ms() &&
	    lease_now_ms() - lease_until_ms() > LANE_STUCK_MS &&
	    lease_now_ms() - lease_beat_began_ms() > LANE_STUCK_MS &&
	    child_age_ms(&g->lane) > LANE_STUCK_MS)
		child_kill(&g->lane);
	if (!g->lane.pid && !g->leaving && lease_now_ms() >= g->lane_again_ms &&
	    child_begin(&g->lane, "cluster-lane"))
		exit(cluster_lane(g->conf));
}

/* ---- pools and disk ---- */

static void
well_watch(struct guard *g)
{
	int status;
	int64_t begun = g->well.begun_ms;

	if (child_ended(&g->well, &status)) {
		g->is = WIFEXITED(status) ? (enum well)WEXITSTATUS(status) : WELL_POOL;
		if (g->is == WELL)
			lease_set_well(begun);
	}
	/* An alarm ends it while it asks the pools. */
	if (g->well.pid && child_age_ms(&g->well) > WELL_MOST_MS) {
		g->is = WELL_DISK;
		child_kill(&g->well);
	}
	if (g->well.pid || (begun && lease_now_ms() - begun < WELL_EVERY_MS) ||
	    !child_begin(&g->well, "cluster-well"))
		return;
	_exit(well_try(g->conf));
}

/* Counts for how long no balancer has asked this machine. Balancers ask each second, through nginx.
 * If they ask no other machine either, the fault is theirs. If they have never asked this one,
 * there may be none. */
static void
unasked_count(struct guard *g)
{
	int64_t asked = lease_asked_ms(), now = lease_now_ms();
	bool other = now - lease_other_asked_ms() < STALL_MS;

	if (lease_role_last() != LEASE_ACTIVE)
		g->asked = false;
	else if (asked != g->asked_ms)
		g->asked = true;
	else if (now - lease_beat_began_ms() < STALL_MS && now - lease_well_ms() < STALL_MS)
		g->unasked_ms += TICK_MS;
	if (asked != g->asked_ms || !g->asked || !other)
		g->unasked_ms = 0;
	g->asked_ms = asked;
}

/* ---- giving up ---- */

static void
leave_begin(struct guard *g, const char *why)
{
	bool over = lease_role() == LEASE_HIDDEN;

	log_line(LOG_LEVEL_WARN, "no longer active", "node", g->conf->cluster_node, "why", why,
	    NULL);
	child_kill(&g->lane);
	lease_set(over ? LEASE_HIDDEN : LEASE_WARM, over ? 0 : lease_until_ms());
	g->leaving = true;
}

static void
leave_start(struct guard *g)
{
	if (child_begin(&g->leave, "cluster-leave"))
		hand_over_alone(g->conf, g->ends);
}

/* Kills MariaDB if it doesn't answer, or if its disk hangs. Otherwise a change of the schema may
 * have stopped commits on all machines, so the lane continues, and this machine may stay active. */
static void
leave_end(struct guard *g, enum handover how)
{
	bool kills = how == HANDOVER_SILENT || (how == HANDOVER_STUCK && g->is == WELL_DISK);

	g->leaving = false;
	if (!kills)
		return;
	log_line(LOG_LEVEL_WARN,
	    mariadb_kill(g->conf) ? "MariaDB is ended" : "MariaDB can't be ended", "why",
	    how == HANDOVER_SILENT ? "it doesn't answer" : "its disk hangs", NULL);
}

static void
leave_watch(struct guard *g)
{
	int status;

	if (child_ended(&g->leave, &status))
		leave_end(g, WIFEXITED(status) ? (enum handover)WEXITSTATUS(status)
					       : HANDOVER_SILENT);
	if (g->leave.pid && child_age_ms(&g->leave) > HANDOVER_MS + 500) {
		child_kill(&g->leave);
		leave_end(g, HANDOVER_SILENT);
	}
	if (!g->leaving && lease_role_last() == LEASE_ACTIVE) {
		int64_t well = lease_well_ms() > g->begun_ms ? lease_well_ms() : g->begun_ms;

		if (lease_role() != LEASE_ACTIVE)
			leave_begin(g, "no beat was committed in time");
		else if (g->unasked_ms > UNASKED_MS)
			leave_begin(g, "no balancer reaches it; nginx may have stopped");
		else if (lease_now_ms() - well > UNWELL_MS)
			leave_begin(g, g->is == WELL_POOL ? "the pools don't answer"
							  : "the disk doesn't answer");
	}
	if (g->leaving && !g->leave.pid)
		leave_start(g);
}

/* ---- the process ---- */

static void
shown_follow(struct guard *g)
{
	bool shown = lease_role() != LEASE_HIDDEN, failed = !shown_set(g->conf, shown);

	if (failed && !g->hide_failed)
		log_line(LOG_LEVEL_ERROR, shown ? "pages can't be shown" : "pages can't be hidden",
		    "why", strerror(errno), NULL);
	g->hide_failed = failed;
}

/* Ends for good, in this order: the role, for workers; the pages; the rows, by which another
 * machine takes over, and nobody waits for this one. */
static void
guard_end(struct guard *g)
{
	child_kill(&g->lane);
	child_kill(&g->well);
	lease_set(LEASE_HIDDEN, 0);
	shown_follow(g);
	g->ends = !g->hide_failed;
	if (!g->leave.pid)
		leave_start(g);
	while (g->leave.pid && child_age_ms(&g->leave) < HANDOVER_MS + 500) {
		int status;

		child_ended(&g->leave, &status);
		usleep(20000);
	}
	child_kill(&g->leave);
}

int
guard_run(const struct conf *conf)
{
	const struct timespec rest = { .tv_nsec = TICK_MS * 1000000L };
	struct sigaction act = { .sa_handler = guard_stop };
	struct guard g = { .conf = conf, .begun_ms = lease_now_ms() };

	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGHUP, &act, NULL);
	for (; !stop_asked; nanosleep(&rest, NULL)) {
		unasked_count(&g);
		leave_watch(&g);
		shown_follow(&g);
		lane_watch(&g);
		well_watch(&g);
	}
	if (leave_asked)
		guard_end(&g);
	child_kill(&g.lane);
	child_kill(&g.well);
	return 0;
}
