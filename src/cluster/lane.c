/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/lane.h"

#include "base/log.h"
#include "base/str.h"
#include "cluster/handover.h"
#include "cluster/node.h"
#include "cluster/view.h"
#include "core/spread.h"
#include "store/shown.h"

#include <signal.h>
#include <time.h>

#ifndef VITRINE_VERSION
#define VITRINE_VERSION "0"
#endif

enum {
	LOOK_MS = 250,
	STATEMENT_S = 10,
	TURN_MS = 3000,       /* each next machine in the order waits so much longer */
	SEEN_MS = 2000,    /* a machine without a beat for longer isn't waited for */
	STALL_MS = 5000,   /* the longest turn in which the death of another machine is seen */
	SLOW_MS = 1000,    /* a turn that takes longer is logged */
	WELL_MS = 5000,
	ASKED_MS = 8000, /* without a question: balancers don't reach this machine */
	ASKED_NOW_MS = 3000, /* so recent: balancers reach a machine, by its beats */
	/* STUCK_LOOKS: the lane `closings` is stuck if one closing waits for so many looks.
	 * IDLE_LOOKS: so long may the row name this machine before it becomes active. A
	 * stall of all commits counts as one look. */
	STUCK_LOOKS = 12,
	IDLE_LOOKS = 24
};

struct lane {
	const char *me;
	int64_t turn_ms; /* start of the last turn */
	int64_t tried_ms, beat_ms; /* start of the last beat, and of the last committed one */
	/* The row of cluster_active as last seen, and when it last changed; former: the machine
	 * that it named before. */
	char active[CONF_NODE_CHARS + 1], former[CONF_NODE_CHARS + 1];
	int64_t epoch, active_beat, new_ms;
	bool known, mine;
	/* hidden: since an earlier turn; returns: its beats say that it shows pages again */
	bool hidden, returns;
	int64_t returns_ms;
	char closing[41]; /* id of the oldest waiting closing, seen closing_looks times */
	int closing_looks, idle_looks;
	enum err failed;
};

/* Rows and view, as a turn has read them. */
struct look {
	struct view view;
	struct node_list nodes;
	struct cluster_active *row;
};

static volatile sig_atomic_t stop_asked;

static void
lane_stop(int signal)
{
	(void)signal;
	stop_asked = 1;
}

static int64_t
clock_real_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- beats ---- */

/* True if a beat must say that this machine shows pages: from before it shows them until after it
 * has hidden them. */
static bool
shows(const struct lane *l, struct ctx *c)
{
	return l->returns || lease_role() != LEASE_HIDDEN || shown_any(c->conf);
}

static bool
asked_within(int64_t within_ms)
{
	return lease_now_ms() - lease_asked_ms() < within_ms;
}

/* A beat of the active machine also changes the row that a takeover changes, so of the two only one
 * is committed, on whichever machines. *matched: the row still names this machine. */
static enum err
beat_active(struct lane *l, struct ctx *c, int64_t *matched)
{
	return db_exec(c,
	    EXEC("UPDATE node n JOIN cluster_active a ON a.node = n.name"
		 " SET n.beat = n.beat + 1, n.version = ?, n.clock = ?, n.shows = ?,"
		 " n.asked = ?, a.beat = a.beat + 1"
		 " WHERE n.name = ? AND n.left_at IS NULL AND a.one = 1 AND a.epoch = ?"),
	    ARGS(VITRINE_VERSION, clock_real_ms(), shows(l, c), asked_within(ASKED_NOW_MS), l->me,
		l->epoch),
	    matched);
}

static enum err
beat(struct lane *l, struct ctx *c)
{
	int64_t began = l->tried_ms = lease_now_ms(), matched = 0;
	enum lease_role role;

	if (l->mine)
		TRY(beat_active(l, c, &matched));
	if (!matched) {
		l->mine = false;
		TRY(db_exec(c,
		    EXEC("UPDATE node SET beat = beat + 1, version = ?, clock = ?, shows = ?,"
			 " asked = ? WHERE name = ? AND left_at IS NULL"),
		    ARGS(VITRINE_VERSION, clock_real_ms(), shows(l, c), asked_within(ASKED_NOW_MS),
			l->me),
		    &matched));
	}
	if (!matched)
		return fail(c, E_NOT_FOUND, "the table node has no %s, or it has left", l->me);
	/* The lease counts from before the statement was sent. */
	l->beat_ms = began;
	role = l->mine ? lease_role() : LEASE_WARM;
	lease_set_beat(began);
	if (lease_role() != LEASE_HIDDEN)
		lease_set(role, began + (role == LEASE_ACTIVE ? LEASE_ACTIVE_MS : LEASE_WARM_MS));
	return E_OK;
}

/* ---- looking ---- */

static enum err
row_look(struct lane *l, struct ctx *c, struct cluster_active **out)
{
	const struct cluster_active *row;

	TRY(active_read(c, out));
	row = *out;
	if (!l->known || !str_eq(l->active, row->node ? row->node : "") ||
	    l->epoch != row->epoch || l->active_beat != row->beat)
		l->new_ms = lease_now_ms();
	snprintf(l->active, sizeof l->active, "%s", row->node ? row->node : "");
	/* Remembers which machine was active before. If the first look finds the row empty, this
	 * machine may just have emptied it, so it counts as the former one. */
	if (row->node || !l->known)
		snprintf(
		    l->former, sizeof l->former, "%s", row->node ? row->node : l->me);
	l->epoch = row->epoch;
	l->active_beat = row->beat;
	l->known = true;
	l->mine = str_eq(row->node, l->me);
	return E_OK;
}

static bool
node_is_seen(const struct look *k, const struct node *n)
{
	struct lease_seen seen;

	return view_has(&k->view, n->name) && lease_seen(n->name, &seen) &&
	    seen.unseen_ms < SEEN_MS;
}

/* Reads view, nodes and row. began: start of this turn's committed beat; 0 if there was none. */
static enum err
rows_look(struct lane *l, struct ctx *c, int64_t began, struct look *out)
{
	bool other = false;

	TRY(view_look(c, &out->view));
	TRY(nodes_read(c, &out->nodes));
	TRY(row_look(l, c, &out->row));
	for (size_t i = 0; i < out->nodes.n; i++) {
		const struct node *n = &out->nodes.v[i];

		if (n->left_at)
			continue;
		lease_see(n->name, (uint64_t)n->beat, n->clock - clock_real_ms());
		other |= n->asked && !str_eq(n->name, l->me) && node_is_seen(out, n);
	}
	lease_set_other_asked(other);
	if (began)
		lease_set_looked(began);
	return E_OK;
}

/* ---- roles ---- */

static void
role_log(const struct lane *l, const char *event)
{
	char epoch[24];

	snprintf(epoch, sizeof epoch, "%lld", (long long)l->epoch);
	log_line(LOG_LEVEL_INFO, event, "node", l->me, "epoch", epoch, NULL);
}

/* Shows pages again once all closings are done. Closings that don't wait for this machine were
 * committed before the beat that says that it shows pages, so it finds them after that beat. */
static enum err
show_again(struct lane *l, struct ctx *c)
{
	bool closed;

	TRY(spread_closed(c, !l->hidden, &closed));
	l->hidden = true;
	if (closed && !l->returns)
		l->returns_ms = lease_now_ms();
	if (!closed || !l->returns || l->beat_ms <= l->returns_ms) {
		l->returns = closed;
		return E_OK;
	}
	l->hidden = l->returns = false;
	lease_set(LEASE_WARM, l->beat_ms + LEASE_WARM_MS);
	role_log(l, "warm");
	return E_OK;
}

/* Replies wait for closings. A machine whose lane for them is stuck hides all pages instead. */
static enum err
closings_watch(struct lane *l, struct ctx *c)
{
	const char *id;

	TRY(spread_closing(c, &id));
	l->closing_looks = *id && str_eq(id, l->closing) ? l->closing_looks + 1 : 0;
	snprintf(l->closing, sizeof l->closing, "%s", id);
	if (l->closing_looks < STUCK_LOOKS)
		return E_OK;
	log_line(LOG_LEVEL_WARN, "hidden, because it closes nothing", "node", l->me, "row", id,
	    NULL);
	lease_set(LEASE_HIDDEN, 0);
	return E_OK;
}

/* Becomes active, because the row names this machine, which has answered nothing since then. */
static enum err
become_active(struct lane *l, struct ctx *c, const struct view *v)
{
	int64_t began, matched;
	bool closed;

	TRY(spread_closed(c, false, &closed));
	if (!closed)
		return E_OK;
	if (v->read_only)
		TRY(view_open(c, v));
	began = lease_now_ms();
	TRY(beat_active(l, c, &matched));
	if (!matched)
		return E_OK;
	lease_set_beat(began);
	lease_set(LEASE_ACTIVE, began + LEASE_ACTIVE_MS);
	l->beat_ms = l->tried_ms = began;
	role_log(l, "active");
	return E_OK;
}

/* ---- takeover ---- */

/* Counts the machines that could take over and come before this one; -1 if it never does. A machine
 * that has just handed over, or that balancers don't reach, comes last. */
static int
turn_of(const struct lane *l, const struct look *k)
{
	bool may = false, last = str_eq(l->me, l->former) ||
		!asked_within(ASKED_MS);
	int before = 0;

	for (size_t i = 0; i < k->nodes.n; i++) {
		const struct node *n = &k->nodes.v[i];

		if (n->left_at || n->priority == NODE_NEVER)
			continue;
		if (str_eq(n->name, l->me))
			may = true;
		else if ((!may || last) && !str_eq(n->name, l->former))
			before += node_is_seen(k, n);
	}
	return may ? before : -1;
}

/* Returns how long the row must have stayed as it is. */
static int64_t
takeover_wait_ms(const struct lane *l, const struct look *k)
{
	const struct cluster_active *row = k->row;
	int turn = turn_of(l, k);

	if (turn < 0)
		return INT64_MAX;
	if (row->wanted && !str_eq(row->wanted, row->node))
		turn = str_eq(row->wanted, l->me) ? 0 : turn + 1;
	return turn * TURN_MS + (row->node ? UNSEEN_ACTIVE_MS : 0);
}

static enum err
take_over(struct lane *l, struct ctx *c, const struct look *k)
{
	int64_t now = lease_now_ms(), matched;

	if (!k->view.primary || !k->view.synced || now - lease_well_ms() > WELL_MS ||
	    now - l->new_ms < takeover_wait_ms(l, k))
		return E_OK;
	TRY(db_begin(c));
	TRY(db_exec(c,
	    EXEC("UPDATE cluster_active SET node = ?, epoch = epoch + 1, since = ?,"
		 " beat = beat + 1, wanted = NULL WHERE one = 1 AND epoch = ? AND beat = ?"
		 " AND COALESCE(node, '') = ?"),
	    ARGS(l->me, c->now, l->epoch, l->active_beat, l->active), &matched));
	if (!matched)
		return E_OK;
	TRY(spread_rest(c));
	TRY(db_commit(c));
	l->epoch++;
	l->mine = true;
	role_log(l, *l->active ? "taken over" : "free role taken");
	return become_active(l, c, &k->view);
}

static enum err
decide(struct lane *l, struct ctx *c, const struct look *k)
{
	const struct node wanted = { .name = k->row->wanted };
	enum lease_role role = lease_role();

	if (!k->view.primary || !(k->view.synced || k->view.donor))
		return E_OK;
	/* The row names another machine, or none. */
	if (!l->mine && lease_role_last() == LEASE_ACTIVE) {
		lease_set(LEASE_WARM, lease_until_ms());
		role_log(l, "no longer active");
	}
	if (!l->mine && !k->view.read_only)
		TRY(view_close(c, &k->view));
	l->idle_looks = l->mine && role != LEASE_ACTIVE ? l->idle_looks + 1 : 0;
	if (l->idle_looks > IDLE_LOOKS) {
		role_log(l, "can't become active");
		return hand_over(c);
	}
	if (role == LEASE_HIDDEN)
		return show_again(l, c);
	if (role == LEASE_WARM) {
		TRY(closings_watch(l, c));
		if (lease_role() != LEASE_WARM)
			return E_OK;
	}
	if (!l->mine)
		return role == LEASE_WARM ? take_over(l, c, k) : E_OK;
	if (role == LEASE_WARM)
		return become_active(l, c, &k->view);
	/* An operator may want another machine to be active. */
	if (!wanted.name || str_eq(wanted.name, l->me) || !node_is_seen(k, &wanted))
		return E_OK;
	lease_set(LEASE_WARM, lease_until_ms());
	role_log(l, "handing over");
	return hand_over(c);
}

/* ---- the process ---- */

/* Leaves out the time in which this machine was stopped, or a change of the schema stopped all of
 * them: nobody was seen then. */
static void
stall_forgive(struct lane *l)
{
	int64_t now = lease_now_ms(), took = now - l->turn_ms;

	if (l->turn_ms && took > STALL_MS)
		l->new_ms += took - STALL_MS;
	l->turn_ms = now;
}

static enum err
turn(struct lane *l, struct ctx *c)
{
	struct look k;
	int64_t began = 0;

	stall_forgive(l);
	TRY(db_connect(c));
	if (l->known && lease_now_ms() - l->tried_ms >= BEAT_MS) {
		/* The beat may take seconds, after which a row that is new now would count as new
		 * then. */
		TRY(row_look(l, c, &k.row));
		TRY(beat(l, c));
		began = l->beat_ms;
		stall_forgive(l);
	}
	TRY(rows_look(l, c, began, &k));
	return decide(l, c, &k);
}

int
cluster_lane(const struct conf *conf)
{
	const struct timespec rest = { .tv_nsec = LOOK_MS * 1000000L };
	void *mem = mem_root("cluster");
	const struct conf *own = node_conf(mem, conf);
	struct lane l = { .me = conf->cluster_node };
	struct db *db;

	signal(SIGTERM, lane_stop);
	if (!own) {
		log_line(LOG_LEVEL_ERROR, "no lane", "name", "cluster", "why",
		    "cluster_admin_file can't be read", NULL);
		mem_free(mem);
		return 1;
	}
	db = db_new(mem, own, STATEMENT_S);
	db_any_role(db);
	for (; !stop_asked; nanosleep(&rest, NULL)) {
		struct ctx *c = ctx_begin(conf, db);
		int64_t from = lease_now_ms(), took;
		enum err e = turn(&l, c);

		took = lease_now_ms() - from;
		if (took > SLOW_MS)
			log_members(LOG_LEVEL_WARN, "slow beat",
			    mem_printf(c->mem, "\"ms\":%lld", (long long)took));
		/* A failure that repeats itself is logged once. */
		if (e && e != l.failed)
			log_line(LOG_LEVEL_WARN, "lane failed", "name", "cluster", "why",
			    ctx_why(c), NULL);
		l.failed = e;
		db_rollback(c);
		ctx_end(c);
	}
	mem_free(mem);
	return 0;
}
