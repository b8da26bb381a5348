/* SPDX-License-Identifier: Apache-2.0 */
#include "http/share.h"

#include "base/clock.h"
#include "base/conf.h"
#include "base/str.h"
#include "http/above.h"
#include "http/limit.h"

#include <sched.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

enum work { NOTHING, ANYTHING, STREAM, HASH, OUTSIDE, REMOTE, CLOSING, TABLE };
/* nginx comes back with a ticket at once, or never, if its client left meanwhile. So a ticket
 * counts in its caller's share for a short time, but is good for longer, in case nginx is late. */
enum { SOON_S = 1, TAKES_LONG_MS = 10, COUNTS_MS = 300, GOOD_MS = 2000 };

struct place {
	struct caller caller;
	uint64_t artifact; /* of OUTSIDE: whose page waits, or which person */
	int64_t since_ms;  /* clock_ms() from which it counts in the caller's share */
	enum work work;
};
/* WAITS: in the line; LET_IN: on its way to a worker. */
enum seat_state { EMPTY, WAITS, LET_IN };
struct seat {
	struct caller caller;
	enum pool pool;
	enum seat_state state;
	int64_t ticket, let_in_ms; /* of LET_IN */
};
static struct {
	struct place place[POOLS][POOL_SLOTS];
	struct seat seat[LINE_SEATS];
	int seats; /* seats from here on are EMPTY */
} *shared;
static struct place *own; /* NULL in the line */
static enum pool own_pool;
static int wake = -1, processors;

#define LOAD(from) __atomic_load_n(&(from), __ATOMIC_SEQ_CST)
#define STORE(to, value) __atomic_store_n(&(to), value, __ATOMIC_SEQ_CST)

void
share_open(void)
{
	cpu_set_t cpus;

	processors = sched_getaffinity(0, sizeof cpus, &cpus) ? 1 : CPU_COUNT(&cpus);
	shared = mmap(
	    NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (shared == MAP_FAILED || wake < 0)
		abort();
}

static bool
caller_same(const struct caller *a, const struct caller *b)
{
	return a->person == b->person && (a->person || a->network == b->network);
}

void
share_worker(enum pool which, int slot)
{
	own = &shared->place[which][slot];
	own_pool = which;
	share_end();
}

void
share_end(void)
{
	const uint64_t one = 1;

	STORE(own->work, NOTHING);
	if (LOAD(shared->seats))
		(void)!write(wake, &one, sizeof one);
}

/* ---- a caller's share of a pool ---- */

static int64_t
half_of(const struct conf *conf, enum pool which)
{
	return ((which == SLOW ? conf->slow_workers : conf->workers) + 1) / 2;
}

static int64_t
seats_taken(int which, const struct caller *caller, enum seat_state state, bool bulk)
{
	int64_t n = 0;

	for (int i = 0, end = LOAD(shared->seats); i < end; i++) {
		const struct seat *s = &shared->seat[i];

		n += LOAD(s->state) == state && (int)s->pool == which &&
		    caller_same(&s->caller, caller) &&
		    (state == WAITS || LOAD(s->let_in_ms) + COUNTS_MS > clock_ms()) &&
		    s->caller.bulk >= bulk;
	}
	return n;
}

/* Counts a person's requests with those of anonymous callers at the same address, who may be the
 * same person. Different people at one address aren't, so an anonymous caller counts with the
 * busiest of them only. taken() counts one caller alone. */
static int64_t
taken_together(int64_t (*taken)(int of, const struct caller *), int of,
    const struct caller *caller)
{
	const struct caller unknown = { .network = caller->network };
	int64_t most = 0;

	if (caller->person)
		return taken(of, caller) + taken(of, &unknown);
	for (int i = 0; i < POOLS * POOL_SLOTS; i++) {
		const struct place *p = &shared->place[0][0] + i;
		bool near = p->caller.person && p->caller.network == caller->network;
		int64_t n = near && LOAD(p->work) != NOTHING ? taken(of, &p->caller) : 0;

		most = n > most ? n : most;
	}
	return taken(of, caller) + most;
}

/* Counts the caller's places, without this worker's; bulk: only bulk changes. */
static int64_t
places_in(int which, const struct caller *caller, bool bulk)
{
	int64_t n = seats_taken(which, caller, LET_IN, bulk), now = clock_ms();

	for (int i = 0; i < POOL_SLOTS; i++) {
		const struct place *p = &shared->place[which][i];

		n += p != own && LOAD(p->work) != NOTHING && LOAD(p->since_ms) <= now &&
		    LOAD(p->caller.bulk) >= bulk && caller_same(&p->caller, caller);
	}
	return n;
}

static int64_t
pool_taken(int which, const struct caller *caller)
{
	return places_in(which, caller, false);
}

static int64_t
bulk_taken(int which, const struct caller *caller)
{
	return places_in(which, caller, true);
}

/* Bulk changes are mostly MariaDB's work; its threads have one priority and wait for each other. */
static bool
share_free(const struct conf *conf, enum pool which, const struct caller *caller)
{
	return taken_together(pool_taken, which, caller) < half_of(conf, which) &&
	    (!caller->bulk || taken_together(bulk_taken, which, caller) < processors);
}

static enum err
turn_away(struct req *r, enum err e, const char *what)
{
	r->turned_away = true;
	r->retry_after_s = SOON_S;
	return fail(r->c, e, "%s; try again shortly", what);
}

/* The caller takes its place before the ticket is used, so that the share never looks free in
 * between. */
static bool
ticket_use(int64_t ticket)
{
	struct seat *s = &shared->seat[ticket % LINE_SEATS];
	enum seat_state state = LET_IN;

	return ticket > 0 && LOAD(s->ticket) == ticket &&
	    __atomic_compare_exchange_n(&s->state, &state, EMPTY, false, __ATOMIC_SEQ_CST,
		__ATOMIC_SEQ_CST);
}

/* Forwards to the line, with the location to return to. caller: for the line. */
static enum err
pass_on(struct req *r, enum pool which, const char *caller)
{
	bool gate = r->content && !r->site, page = !r->site && !gate && !route_is_api(r->route);

	r->turned_away = true;
	reply_forward(r, "@line");
	if (gate)
		reply_header(r, "X-Vitrine-Back", "@gate_again%s", which == SLOW ? "_slow" : "");
	else
		reply_header(r, "X-Vitrine-Back", "@%s%s%s", pool_names[which],
		    page ? "_page" : "", req_env(r, "REQUEST_BODY_FILE") ? "_filed" : "");
	reply_header(r, "X-Vitrine-Caller", "%s", caller);
	return fail(r->c, E_UNAVAILABLE, "%s", err_table[E_UNAVAILABLE].text);
}

static const char *
caller_text(void *owner, enum pool which, const struct caller *who)
{
	return mem_printf(owner, "%d %llu %llu %d", which, (unsigned long long)who->person,
	    (unsigned long long)who->network, who->bulk);
}

static struct caller
caller_of(const struct req *r)
{
	const char *network = network_of(r), *person = NULL;

	if (r->who)
		person = r->who->user_id;
	else if (r->route && r->route->probe)
		person = mem_printf(r->c->mem, "probe %s", network);
	return (struct caller){ person ? limit_hash(person) : 0, limit_hash(network),
		own_pool == SLOW && r->route && r->method != GET && !r->route->slow };
}

/* Each worker publishes its place before it counts. If two do at once, both may have to wait, but
 * too many are never let in. */
enum err
share_take(struct req *r)
{
	const struct caller who = caller_of(r);
	const char *ticket = req_env(r, "VITRINE_TICKET"), *caller = req_env(r, "VITRINE_CALLER");
	bool waited = req_env(r, "VITRINE_LINED");
	/* A change may wait for a lock, and a query decides how much a list reads. Other GETs are
	 * quick, so a page that fetches twenty things at once isn't delayed. */
	bool may_last = r->route && (r->method != GET || r->route->slow ||
	    (r->route->query && strchr(r->uri, '?')));
	int64_t no;

	STORE(own->caller.person, who.person);
	STORE(own->caller.network, who.network);
	STORE(own->caller.bulk, who.bulk);
	STORE(own->since_ms, clock_ms() + (may_last ? 0 : TAKES_LONG_MS));
	STORE(own->work, ANYTHING);
	if (waited && ticket && str_int(ticket, &no) && ticket_use(no))
		return E_OK;
	/* Requests that waited for a beat come back at once, and are quick; so are those that
	 * waited for something, whose change is done. */
	if (waited && (str_eq(ticket, TICKET_BEAT) || (caller && str_starts(caller, CALLER_TOLD))))
		return E_OK;
	if (share_free(r->c->conf, own_pool, &who) &&
	    (waited || !seats_taken(own_pool, &who, WAITS, false)))
		return E_OK;
	share_end();
	if (!waited && r->c->conf->line_s)
		return pass_on(r, own_pool, caller_text(r->c->mem, own_pool, &who));
	return turn_away(r, E_RATE_LIMITED,
	    r->who ? "Too many of your requests are running at once"
		   : "Too many requests from your address are running at once");
}

enum err
share_slow(struct req *r)
{
	const struct caller who = caller_of(r);

	if (own_pool == SLOW)
		return E_OK;
	share_end();
	return pass_on(r, SLOW, caller_text(r->c->mem, SLOW, &who));
}

enum err
share_beat(struct req *r)
{
	const char *ticket = req_env(r, "VITRINE_TICKET");

	if (str_eq(ticket, TICKET_BEAT))
		return E_OK;
	/* Without a ticket it comes back if there is no line. */
	if (str_eq(ticket, TICKET_NO_BEAT) || (!ticket && req_env(r, "VITRINE_LINED")))
		return fail(r->c, E_NOT_ACTIVE, "%s", err_table[E_NOT_ACTIVE].text);
	share_end();
	return pass_on(r, own_pool, CALLER_BEAT);
}

void
share_tell(struct req *r, const char *caller)
{
	share_end();
	pass_on(r, own_pool, caller);
}

/* ---- the line ---- */

void
share_line_reset(void)
{
	own = NULL;
	memset(shared->seat, 0, sizeof shared->seat);
	STORE(shared->seats, 0);
}

int
share_line_wake(void)
{
	return wake;
}

static bool
seat_empty(const struct seat *s)
{
	enum seat_state state = LOAD(s->state);

	return state == EMPTY || (state == LET_IN && s->let_in_ms + GOOD_MS <= clock_ms());
}

static void
seats_count(void)
{
	int n = LINE_SEATS;

	while (n && seat_empty(&shared->seat[n - 1]))
		n--;
	STORE(shared->seats, n);
}

int
share_wait(enum pool which, const struct caller *caller)
{
	int i = 0;

	seats_count();
	while (i < LINE_SEATS && !seat_empty(&shared->seat[i]))
		i++;
	if (i == LINE_SEATS || seats_taken(which, caller, WAITS, false) >= LINE_SEATS / 2)
		return -1;
	shared->seat[i].caller = *caller;
	shared->seat[i].pool = which;
	STORE(shared->seat[i].state, WAITS);
	seats_count();
	return i;
}

int64_t
share_let_in(const struct conf *conf, int seat)
{
	static int64_t tickets;
	struct seat *s = &shared->seat[seat];

	if (!share_free(conf, s->pool, &s->caller))
		return 0;
	STORE(s->ticket, ++tickets * LINE_SEATS + seat);
	STORE(s->let_in_ms, clock_ms());
	STORE(s->state, LET_IN);
	return s->ticket;
}

void
share_leave(int seat)
{
	STORE(shared->seat[seat].state, EMPTY);
	seats_count();
}

int
share_waiting(enum pool which)
{
	int n = 0;

	for (int i = 0; i < LINE_SEATS; i++)
		n += LOAD(shared->seat[i].state) == WAITS && shared->seat[i].pool == which;
	return n;
}

/* ---- kinds of slow work ---- */

/* Returns the slow workers divided by `of`, at least 1. */
static int64_t
part(const struct req *r, int64_t of)
{
	return (r->c->conf->slow_workers + of - 1) / of;
}

/* Counts the places in use by a caller, or (NULL) by all. */
static int64_t
places_taken(int work, const struct caller *caller)
{
	int64_t n = 0;

	for (int i = 0; i < POOLS * POOL_SLOTS; i++) {
		const struct place *p = &shared->place[0][0] + i;

		n += (int)LOAD(p->work) == work && (!caller || caller_same(&p->caller, caller));
	}
	return n;
}

/* Limits of concurrent workers: for this caller (mine), and in total (all). */
static enum err
work_begin(struct req *r, enum work work, int64_t mine, int64_t all, const char *what)
{
	enum err e = E_OK;

	STORE(own->work, work);
	if (taken_together(places_taken, work, &own->caller) > mine)
		e = turn_away(r, E_RATE_LIMITED, what);
	else if (places_taken(work, NULL) > all)
		e = turn_away(r, E_UNAVAILABLE, what);
	if (e)
		STORE(own->work, ANYTHING);
	return e;
}

enum err
share_stream(struct req *r)
{
	return work_begin(r, STREAM, part(r, 4), part(r, 2),
	    "Too many downloads of this kind are running at once");
}

enum err
share_hash(struct req *r, bool known)
{
	return work_begin(r, HASH, part(r, 2), part(r, known ? 2 : 4),
	    "Too many passwords are being checked at once");
}

enum err
share_outside(struct req *r)
{
	static const char what[] = "Too many requests to other servers are running at once";
	uint64_t artifact = limit_hash(r->art ? req_art_id(r) : r->who->user_id);
	int64_t n = 0;

	STORE(own->artifact, artifact);
	TRY(work_begin(r, OUTSIDE, part(r, 2), part(r, 2), what));
	for (int i = 0; i < POOLS * POOL_SLOTS; i++) {
		const struct place *p = &shared->place[0][0] + i;

		n += LOAD(p->work) == OUTSIDE && LOAD(p->artifact) == artifact;
	}
	if (n <= part(r, 4))
		return E_OK;
	STORE(own->work, ANYTHING);
	return turn_away(r, E_RATE_LIMITED, what);
}

enum err
share_table(struct req *r)
{
	TRY(share_slow(r));
	return work_begin(r, TABLE, part(r, 2), part(r, 2),
	    "Too many tables are being read at once");
}

/* Returns false if more than half of the pool's workers do this work now. */
static bool
half_begins(const struct conf *conf, enum work work)
{
	int64_t n = 0;

	STORE(own->work, work);
	for (int i = 0; i < POOL_SLOTS; i++)
		n += LOAD(shared->place[own_pool][i].work) == work;
	return n <= half_of(conf, own_pool);
}

bool
share_store(const struct conf *conf, bool begins)
{
	static enum work before;

	if (!own)
		return true;
	if (begins) {
		before = LOAD(own->work);
		if (half_begins(conf, REMOTE))
			return true;
	}
	STORE(own->work, before);
	return !begins;
}

bool
share_waits_for_store(const struct conf *conf)
{
	return conf_has(conf->store_url) && str_eq(conf->store_mode, "before");
}

bool
share_closing(const struct conf *conf)
{
	if (half_begins(conf, CLOSING))
		return true;
	STORE(own->work, ANYTHING);
	return false;
}
