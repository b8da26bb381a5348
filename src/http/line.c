/* SPDX-License-Identifier: Apache-2.0 */
#include "http/line.h"

#include "base/clock.h"
#include "base/confine.h"
#include "base/lease.h"
#include "base/str.h"
#include "base/told.h"
#include "http/fcgi.h"
#include "http/share.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* LOOK_MS: how often clients that left or waited long enough, and beats, are checked. BEAT_MS: the
 * longest wait for a beat, which a lost machine delays by up to 4 s. */
enum { LOOK_MS = 100, GONE_LOOKS = 10, BEAT_MS = 5000, BEATS = 32 };
/* TOLD: requests that wait for something that happens; TOLD_MINE: of one caller; TOLD_HERE: for the
 * same thing. */
enum { TOLD = 2048, TOLD_MINE = 5, TOLD_HERE = 200, TOLD_MS = 50000, SPARE_FILES = 64 };
enum { SEAT_BEAT = -1, SEAT_TOLD = -2 };

struct waiting {
	struct fcgi_parked fcgi;
	const char *back; /* address at which nginx continues the request */
	int seat; /* SEAT_BEAT: it waits for a beat; SEAT_TOLD: for something that happens */
	unsigned place, count, person; /* of SEAT_TOLD: in base/told.h, and the caller */
	int64_t until_ms;
	int64_t asked_ms; /* arrival, by the lease's clock */
};

struct line {
	const struct conf *conf;
	int listening;
	struct waiting *v[LINE_SEATS + BEATS + TOLD]; /* waiting requests, oldest first */
	size_t n, beats; /* beats: number of them with SEAT_BEAT */
	size_t told;     /* how many may wait for what happens */
	unsigned looks;
	int64_t look_ms; /* when all are looked at again */
};

static volatile sig_atomic_t stopping;

static void
line_stop(int sig)
{
	(void)sig;
	stopping = 1;
}

/* Sends the request back to a worker, with a ticket that lets it in. Ticket "0": it waited in vain,
 * and the worker refuses it in the route's form. */
static void
waiting_answer(struct waiting *w, const char *ticket)
{
	fcgi_parked_end(w->fcgi,
	    mem_printf(w,
		"Status: 200 OK\r\nX-Accel-Redirect: %s\r\nX-Vitrine-Ticket: %s\r\n\r\n", w->back,
		ticket));
	mem_free(w);
}

/* Lets a request wait for a beat, if not too many do. */
static void
beat_await(struct line *l, struct waiting *w)
{
	w->seat = SEAT_BEAT;
	w->asked_ms = lease_now_ms();
	w->until_ms = clock_ms() + BEAT_MS;
	if (l->beats == BEATS) {
		waiting_answer(w, TICKET_NO_BEAT);
		return;
	}
	l->beats++;
	l->v[l->n++] = w;
}

/* Lets a request wait until something happened, if not too many of its caller do. Otherwise it goes
 * back at once, with a ticket that tells await() about it. */
static void
told_await(struct line *l, struct waiting *w, const char *caller)
{
	size_t all = 0, mine = 0, here = 0;
	int ms;

	w->seat = SEAT_TOLD;
	for (size_t i = 0; i < l->n; i++)
		all += l->v[i]->seat == SEAT_TOLD;
	if (sscanf(caller, CALLER_TOLD "%u %u %d %u", &w->place, &w->count, &ms, &w->person) != 4 ||
	    ms < 0 || ms > TOLD_MS)
		all = l->told;
	for (size_t i = 0; i < l->n; i++) {
		mine += l->v[i]->seat == SEAT_TOLD && l->v[i]->person == w->person;
		here += l->v[i]->seat == SEAT_TOLD && l->v[i]->place == w->place;
	}
	if (all >= l->told || mine >= TOLD_MINE || here >= TOLD_HERE) {
		waiting_answer(w, TICKET_CROWD);
		return;
	}
	w->until_ms = clock_ms() + ms;
	l->v[l->n++] = w;
}

static void
line_add(struct line *l, struct waiting *w, const char *caller)
{
	unsigned long long person, network;
	unsigned pool, bulk;

	if (str_eq(caller, CALLER_BEAT)) {
		beat_await(l, w);
		return;
	}
	if (caller && str_starts(caller, CALLER_TOLD)) {
		told_await(l, w, caller);
		return;
	}
	w->until_ms = clock_ms() + 1000 * l->conf->line_s;
	w->seat = -1;
	if (caller && sscanf(caller, "%u %llu %llu %u", &pool, &person, &network, &bulk) == 4 &&
	    pool < POOLS)
		w->seat = share_wait((enum pool)pool, &(struct caller){ person, network, bulk });
	if (w->seat < 0)
		waiting_answer(w, "0");
	else
		l->v[l->n++] = w;
}

static void
line_accept(struct line *l)
{
	int fd = accept4(l->listening, NULL, NULL, SOCK_CLOEXEC);
	const char *back, *caller;
	FCGX_Request fcgi;
	struct waiting *w;

	if (fd < 0)
		return;
	FCGX_InitRequest(&fcgi, -1, 0);
	fcgi_open(fd);
	if (!fcgi_begin(&fcgi, fd))
		return;
	w = mem_new(NULL, struct waiting);
	back = FCGX_GetParam("VITRINE_BACK", fcgi.envp);
	w->back = mem_strdup(w, back ? back : "");
	caller = mem_strdup(w, FCGX_GetParam("VITRINE_CALLER", fcgi.envp));
	w->fcgi = fcgi_park(&fcgi); /* which ends the life of envp */
	line_add(l, w, caller);
}

/* Returns true, after answering, if a request needn't wait for a beat any longer. A beat that began
 * before the request came doesn't count. */
static bool
beat_over(struct line *l, struct waiting *w)
{
	bool came = lease_beat_began_ms() >= w->asked_ms;

	if (!came && !stopping && clock_ms() < w->until_ms &&
	    lease_role() != LEASE_HIDDEN && !fcgi_hung_up(w->fcgi.fd))
		return false;
	l->beats--;
	waiting_answer(w, came ? TICKET_BEAT : TICKET_NO_BEAT);
	return true;
}

static bool
told_over(struct line *l, struct waiting *w)
{
	/* Many wait, and a client that left may go a second later. */
	bool gone = l->looks % GONE_LOOKS == 0 && fcgi_hung_up(w->fcgi.fd);

	if (told_count(l->conf, w->place) == w->count && !stopping && clock_ms() < w->until_ms &&
	    !gone)
		return false;
	waiting_answer(w, "");
	return true;
}

static bool
seat_over(struct line *l, struct waiting *w)
{
	char text[24];
	bool gone = fcgi_hung_up(w->fcgi.fd), late = stopping || clock_ms() >= w->until_ms;
	int64_t ticket = gone || late ? 0 : share_let_in(l->conf, w->seat);

	if (!ticket && !gone && !late)
		return false;
	if (!ticket)
		share_leave(w->seat);
	snprintf(text, sizeof text, "%lld", (long long)ticket);
	waiting_answer(w, text);
	return true;
}

/* Each waiting request takes a descriptor. */
static size_t
told_most(void)
{
	enum { OTHERS = LINE_SEATS + BEATS + SPARE_FILES };
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return 0;
	if (files.rlim_cur < TOLD + OTHERS) {
		files.rlim_cur = files.rlim_max < TOLD + OTHERS ? files.rlim_max : TOLD + OTHERS;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	return files.rlim_cur < OTHERS ? 0
	    : files.rlim_cur < TOLD + OTHERS ? (size_t)files.rlim_cur - OTHERS : TOLD;
}

/* Answers all requests that needn't wait any longer. */
static void
line_look(struct line *l)
{
	size_t kept = 0;

	l->looks++;
	l->look_ms = clock_ms() + LOOK_MS;
	for (size_t i = 0; i < l->n; i++) {
		struct waiting *w = l->v[i];
		bool over = w->seat == SEAT_BEAT ? beat_over(l, w)
		    : w->seat == SEAT_TOLD       ? told_over(l, w)
						 : seat_over(l, w);

		if (!over)
			l->v[kept++] = w;
	}
	l->n = kept;
}

/* Returns true if it is time to look at all. A request that comes to wait for what happens is
 * looked at alone, since many may come at once. */
static bool
line_wait(struct line *l)
{
	struct pollfd fds[] = { { l->listening, POLLIN, 0 }, { share_line_wake(), POLLIN, 0 } };
	int64_t left = l->look_ms - clock_ms();
	const struct timespec look = { 0, (left > 0 ? left : 0) * 1000000L };
	uint64_t times;
	sigset_t none;
	size_t n = l->n;

	sigemptyset(&none);
	if (ppoll(fds, 2, n ? &look : NULL, &none) < 0)
		return true;
	if (fds[1].revents)
		(void)!read(share_line_wake(), &times, sizeof times);
	if (fds[0].revents)
		line_accept(l);
	if (l->n > n && l->v[n]->seat != SEAT_TOLD)
		return true;
	if (l->n > n && told_over(l, l->v[n]))
		l->n = n;
	return fds[1].revents || clock_ms() >= l->look_ms;
}

void
line_run(const struct conf *conf, int fd)
{
	struct sigaction act = { .sa_handler = line_stop };
	struct line *l = mem_new(NULL, struct line);

	l->conf = conf;
	l->listening = fd;
	l->told = told_most();
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGINT, &act, NULL);
	signal(SIGPIPE, SIG_IGN);
	if (FCGX_Init())
		abort();
	told_count(conf, 0);
	confine(conf);
	while (!stopping)
		if (line_wait(l))
			line_look(l);
	mem_free(l);
}
