/* SPDX-License-Identifier: Apache-2.0
 * What each worker is at, and for whom, so that neither one caller nor one kind of work has all of
 * them. A place is its worker's: it is free again when the request is over, or the worker dead.
 * Who has to wait for a place does so in the line (line.h), which holds no worker. */
#ifndef VITRINE_SHARE_H
#define VITRINE_SHARE_H
#include "http/req.h"

/* A person, or who isn't signed in at an address. */
struct caller {
	uint64_t person, network; /* limit_hash(); person 0: not signed in */
	bool bulk; /* a change by a large body, on a route that is otherwise quick */
};

void share_open(void); /* before the first fork */
/* Before a worker is forked, whose place that is from then on. */
void share_worker(enum pool, int slot);
/* The request is over. */
void share_end(void);

/* A place for the caller. When they have half of the pool's workers, together with those who aren't
 * signed in at their address, or with the busiest person there, or as many at bulk as there are
 * processors, the request is forwarded to the line (reply_forward()) and this fails;
 * E_RATE_LIMITED when it has been there. What is not likely to take long counts only once it
 * does. */
enum err share_take(struct req *);
/* Does nothing in the slow pool. In the quick one the request is forwarded to it, and this fails:
 * so it comes before whatever must not be done twice. */
enum err share_slow(struct req *);
/* Until the request is over this worker sends what its client takes at the client's own pace.
 * E_UNAVAILABLE when half of the slow workers do so; E_RATE_LIMITED when a quarter do for the same
 * caller. */
enum err share_stream(struct req *);
/* Until the request is over this worker hashes a password, or waits to. E_UNAVAILABLE when half of
 * the slow workers do; for somebody who is not known (no session, a browser that never signed in to
 * the account) when a quarter do, so that who guesses keeps nobody out who comes back. */
enum err share_hash(struct req *, bool known);
/* Until the request is over this worker waits for another server, for a page of r->art, or (NULL)
 * for its caller. E_UNAVAILABLE when half of the slow workers do, E_RATE_LIMITED when a quarter do
 * for the same artifact or person: a server that hangs, or is told to, keeps nobody else from
 * publishing. */
enum err share_outside(struct req *);

/* For the line. A ticket is a seat in it, and, once let in, a place for so long as it takes nginx
 * to come back with it. */
enum { LINE_SEATS = 512 };
void share_line_reset(void); /* before the line is forked */
int share_line_wake(void);   /* a descriptor to be read when a place may be free */
/* Returns a seat; -1 when all are taken, or half by the caller. */
int share_wait(enum pool, const struct caller *);
/* Returns a ticket when the caller's share has a place; 0: it has none yet. The seat is free. */
int64_t share_let_in(const struct conf *, int seat);
void share_leave(int seat);
int share_waiting(enum pool); /* how many */
#endif
