/* SPDX-License-Identifier: Apache-2.0
 * Shared by all ways of signing in: the new session, the next page, and the providers’ buttons. */
#ifndef VITRINE_SIGNIN_PAGE_H
#define VITRINE_SIGNIN_PAGE_H
#include "core/session.h"
#include "http/quota.h"

extern const struct limit LIM_SIGNIN[1];

/* Gives this browser a new session in place of an earlier one, and redirects to next. kind is
 * "password" or "provider". A person with a second factor must enter its code first, unless a
 * provider vouches for them: every session of kind "password" begins here. */
enum err signin_complete(struct req *r, const struct user *, const char *kind, const char *next);
/* The two steps of signing in with a second factor. The first (people/factor_api.c) sends the
 * browser to the page for the code; *asked is false if there is no second factor. The second runs
 * after a right code. */
enum err signin_ask_code(struct req *r, const struct user *, const char *next, bool *asked);
enum err signin_finish(struct req *r, const struct user *, const char *kind, const char *next);
/* Returns this browser's cookie if the account knows it. An unknown cookie may become the
 * account's, unless it came with others: then somebody may have planted it to be known by it. */
enum err browser_find(struct req *r, const char *email, const char **browser, bool *known);
struct origin req_origin(const struct req *r);

/* A configured provider, for its button. */
#define OFFER(F, T) \
	F(T, STR, name) \
	F(T, STR, title)
SHAPE_DECLARE(offer, OFFER);
struct list offers(const struct req *r);
#endif
