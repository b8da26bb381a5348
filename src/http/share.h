/* SPDX-License-Identifier: Apache-2.0
 * Records what each worker is doing, and for whom, so that neither one caller nor one kind of work
 * has all workers. A place belongs to its worker and is free when the request is over or the worker
 * dead. A caller without a free place waits in the line (line.h), which holds no worker. */
#ifndef VITRINE_SHARE_H
#define VITRINE_SHARE_H
#include "http/req.h"

/* A person, the probes (route.h) from an address, or the other anonymous callers there. */
struct caller {
	uint64_t person, network; /* by limit_hash(); person 0: not signed in */
	bool bulk; /* a change with a large body, on a route that is otherwise quick */
};

void share_open(void); /* before the first fork */
/* Call before forking a worker, which will own this place. */
void share_worker(enum pool, int slot);
/* Ends the request: frees the worker's place. */
void share_end(void);

/* Takes a place for the caller. If they have half of the pool's workers already (together with
 * anonymous callers at their address, or with the busiest person there), or as many bulk changes as
 * there are processors, the request is forwarded to the line (reply_forward()) and this fails;
 * E_RATE_LIMITED if it has been there. Requests that are probably quick count only after some time.
 */
enum err share_take(struct req *);
/* Does nothing in the slow pool. In the quick one, forwards the request to the slow pool and fails.
 * Call it before any work that must not be done twice. */
enum err share_slow(struct req *);
/* Succeeds when this machine's beat (base/lease.h) has shown, since the request came, that it is
 * still in the cluster. The request waits for that in the line, so the first call forwards it and
 * fails, and its second turn succeeds; E_NOT_ACTIVE if the beat doesn't come in a few seconds. Call
 * it before any other work. */
enum err share_beat(struct req *);
/* Until the request is over this worker sends at its client's pace. E_UNAVAILABLE if half of the
 * slow workers do, E_RATE_LIMITED if a quarter do for this caller. */
enum err share_stream(struct req *);
/* Until the request is over this worker hashes a password, or waits to. E_UNAVAILABLE if half of
 * the slow workers do; for an unknown caller (no session, a browser that never signed in to the
 * account) if a quarter do, so that guessers don't lock out people who return. */
enum err share_hash(struct req *, bool known);
/* Until the request is over this worker waits for another server, for a page of r->art or (NULL)
 * for its caller. E_UNAVAILABLE if half of the slow workers do, E_RATE_LIMITED if a quarter do for
 * this artifact or person, so that a hanging server doesn't keep others from publishing. */
enum err share_outside(struct req *);

/* Until the request is over this worker waits for a table to be read (ext/tableread.h). In the
 * quick pool, does what share_slow() does. E_UNAVAILABLE if half of the slow workers wait so. */
enum err share_table(struct req *);

/* begins: from now on, until it is called with false, this worker waits for the object store.
 * Returns false, and nothing begins, if half of its pool's workers do. Else true. */
bool share_store(const struct conf *, bool begins);
/* True if a publish waits for a store; then even a small one is slow work. */
bool share_waits_for_store(const struct conf *);

/* Until the request is over this worker waits for another machine, which may be lost. Returns
 * false if half of its pool's workers do. */
bool share_closing(const struct conf *);

/* The line takes these instead of a caller. A request that waits for a beat comes with CALLER_BEAT,
 * and goes back with one of the tickets. */
#define CALLER_BEAT "beat"
#define TICKET_BEAT "beat 1"
#define TICKET_NO_BEAT "beat 0"
/* Too many requests of the caller, or for the same thing, wait (await.h). */
#define TICKET_CROWD "crowd"
/* A request of this caller waits for something that happens (await.h); behind it are the place and
 * the count of base/told.h, milliseconds, and who waits. The whole text comes back with it. */
#define CALLER_TOLD "told "
/* Frees the worker's place, and passes the request on to the line with this text. */
void share_tell(struct req *, const char *caller);
/* A seat is a waiting request; once let in, its ticket reserves a place until nginx returns with
 * it, for at most 0.3 s: nginx doesn't return if the client left. */
enum { LINE_SEATS = 512 };
void share_line_reset(void); /* before the line is forked */
int share_line_wake(void);   /* a descriptor that becomes readable when a place may be free */
/* Returns a seat; -1 if all are taken, or half by this caller. */
int share_wait(enum pool, const struct caller *);
/* Returns a ticket if the caller's share has a place; 0 if not. The ticket then owns the seat. */
int64_t share_let_in(const struct conf *, int seat);
void share_leave(int seat);
int share_waiting(enum pool); /* how many requests wait */
#endif
