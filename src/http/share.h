/* SPDX-License-Identifier: Apache-2.0
 * What each slow worker is at, and for whom, so that neither one caller nor one kind of work has
 * all of them. A place is its worker's: it is free again when the request is over, or the worker
 * dead. */
#ifndef VITRINE_SHARE_H
#define VITRINE_SHARE_H
#include "http/req.h"

void share_open(void); /* before the first fork */
/* Before a worker is forked, whose place that is from then on. */
void share_worker(enum pool, int slot);
/* The request is over. */
void share_end(void);

/* A place for the caller, a person or else an address (network_of()), in a row that is .slow.
 * E_RATE_LIMITED when half of the slow workers are at requests of the same caller. */
enum err share_take(struct req *);
/* Until the request is over this worker sends what its client takes at the client's own pace.
 * E_UNAVAILABLE when half of the slow workers do so; E_RATE_LIMITED when a quarter do for the same
 * caller. */
enum err share_stream(struct req *);
/* Until the request is over this worker hashes a password, or waits to. E_UNAVAILABLE when half of
 * the slow workers do; for somebody who is not known (no session, a browser that never signed in to
 * the account) when a quarter do, so that who guesses keeps nobody out who comes back. */
enum err share_hash(struct req *, bool known);
/* Until the request is over this worker waits for another server, for a page of r->art.
 * E_UNAVAILABLE when half of the slow workers do, E_RATE_LIMITED when a quarter do for the same
 * artifact: a server that hangs, or is told to, keeps nobody else from publishing. */
enum err share_outside(struct req *);
#endif
