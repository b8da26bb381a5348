/* SPDX-License-Identifier: Apache-2.0
 * What a route's `who` means. authn.c, policy.c, the checks at start, the documents and the
 * permission matrix read the same rows. */
#ifndef VITRINE_WHO_H
#define VITRINE_WHO_H
#include "domain/role.h"
#include "http/route.h"

/* How the caller stands to what a path names, whatever kind of thing it is. */
struct standing {
	enum role role;
	bool open;    /* everybody may read it */
	bool paused;  /* for everybody but its owner */
	bool deleted; /* in the trash */
};

/* A kind of thing that a path names and a caller is judged by. */
struct noun {
	const char *param; /* name of its path parameter */
	/* Loads it into the request as r->who sees it. E_NOT_FOUND. */
	enum err (*load)(struct req *, const char *id, bool lock);
	/* The same and whose the token is, in one round trip; sets r->who. Absent is no failure. */
	enum err (*load_by_token)(struct req *, const char *id, const char *bearer);
	/* The same for a visitor of a content host, who is told by the cookie of that host (NULL:
	 * has none), where the thing is that host's. Absent is no failure. */
	enum err (*load_by_visitor)(
	    struct req *, const char *id, const char *slug, const char *cookie);
	/* False when there is none. */
	bool (*standing)(const struct req *, struct standing *out);
};

enum caller { ANYBODY, KNOWN, PERSON /* in a browser */ };

struct who_row {
	const char *name; /* in the documents and tests */
	enum caller caller;
	const struct noun *noun; /* NULL: nothing is loaded */
	enum role least;         /* ROLE_NONE: whoever may read it */
	bool lock;               /* a change holds its row until the commit */
	bool trash;              /* what is in the trash, too */
};
extern const struct who_row who_rows[WHO_END];
#endif
