/* SPDX-License-Identifier: Apache-2.0
 * Lets a request wait until something happened (base/told.h), in the line (line.h), where it holds
 * no worker. nginx keeps the request and sends it to a worker again, whose handler begins anew and
 * looks. A change must not happen twice: its reply was stored under a key, which comes back with
 * the request (idempotency.h). */
#ifndef VITRINE_AWAIT_H
#define VITRINE_AWAIT_H
#include "http/req.h"

struct awaited {
	unsigned place, count; /* of base/told.h */
	bool back;             /* the request has waited */
	bool crowd;            /* or couldn't, since too many wait */
	int round;
	int64_t until_ms;      /* if it has: until when it may, by clock_ms() */
};

/* Call before you look for what is awaited. r may be an inner request of req_serve(): its outer one
 * waits. */
void await_begin(const struct req *r, const char *subject, struct awaited *out);
/* await_begin() for a list with WAIT_FIELDS, whose await() is await_change(). seconds: its wait. */
void await_list_begin(
    const struct req *r, const char *subject, int64_t seconds, struct awaited *out);
/* Passes the request on to the line for up to so many seconds, since it first came, and fails: the
 * caller returns. E_OK if it can't wait, or has waited long enough. E_RATE_LIMITED for a GET if too
 * many requests of the caller, or for this subject, wait. key: NULL for a GET. */
enum err await(struct req *r, const struct awaited *, int64_t seconds, const char *key);
/* Returns the key of a request that has waited, else NULL. */
const char *await_key(const struct req *);

/* Waits while change_no is what the caller of a GET knows (WAIT_FIELDS), like await(). seconds 0,
 * or nobody is signed in: no wait. since: AWAIT_PRESENT if they didn't say. */
enum { AWAIT_PRESENT = -1 };
enum err await_change(struct req *r, const struct awaited *, int64_t seconds, int64_t since,
    int64_t change_no);
#endif
