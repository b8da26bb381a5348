/* SPDX-License-Identifier: Apache-2.0
 * What every way of signing in ends with. */
#ifndef VITRINE_SIGNIN_H
#define VITRINE_SIGNIN_H
#include "domain/session.h"
#include "http/req.h"

/* A new session for this browser, whatever it held before, and on to next. kind: "password" or
 * "provider". */
enum err signin_complete(struct req *r, const struct user *, const char *kind, const char *next);
/* next when it is one of our own pages, else the account page: nobody is sent elsewhere after
 * signing in. */
const char *next_path(const char *next);
/* /auth/signin, coming back to path. */
const char *signin_path(struct req *r, const char *path);
struct origin req_origin(const struct req *r);

/* A provider's button. */
#define OFFER(F, T) \
	F(T, STR, name) \
	F(T, STR, title) \
	F(T, STR, start, .doc = "Address that begins it")
SHAPE_DECLARE(offer, OFFER);
/* One for each configured provider; query follows the address: "next=…" or "link=1". */
struct list offers(struct req *r, const char *query);

/* A form that is only a button. */
#define BUTTON(F, T) F(T, STR, next, .hi = 2048)
SHAPE_DECLARE(button, BUTTON);
#endif
