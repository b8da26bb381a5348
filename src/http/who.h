/* SPDX-License-Identifier: Apache-2.0
 * The rights that each value of a route’s `who` requires. authn.c, permit.c, the checks at start,
 * the OpenAPI document and the tests’ permission matrix read these rows. */
#ifndef VITRINE_WHO_H
#define VITRINE_WHO_H
#include "http/route.h"

/* The caller's relation to the thing that a path names, for any kind of thing. */
struct standing {
	int role;     /* its rung; 0: none */
	bool governs; /* the caller governs its workspace */
	bool open;    /* everybody may read it */
	int given;    /* the caller's grants, numbered as noun.capabilities; 0: none */
	bool paused;  /* a pause closes it to the caller */
	bool deleted; /* in the trash */
	const char *reads_only; /* why the caller may not change it; NULL: they may */
};

/* A role on a kind of thing, numbered as enum role or enum member_role. A rung includes the rights
 * of those below. */
struct rung {
	const char *word;    /* in tests; NULL: no role */
	const char *callers; /* people on it or above, before the thing's name */
	const char *needed;  /* in a refusal: "This requires the role of …" */
};

/* A kind of thing that a path can name and on which callers have roles. */
struct noun {
	const char *param; /* name of its path parameter */
	const char *on;    /* what its roles are on, in the documents, if not itself */
	const struct rung *rungs;
	const char *const *capabilities; /* what grants on it allow, from 1 on; NULL: none */
	bool opens; /* some are open to everybody, so anonymous GETs are checked */
	/* Loads the thing into the request as r->who sees it. lock: locks its row until the commit.
	 * E_NOT_FOUND if missing. */
	enum err (*load)(struct req *, const char *id, bool lock);
	/* Loads the thing as the token's owner sees it, and the owner into r->who, in one round
	 * trip. E_OK if the thing doesn't exist. NULL: load() is used. */
	enum err (*load_by_token)(struct req *, const char *id, const char *bearer);
	/* Loads the thing for a visitor of the content host r->site, and the visitor into r->who by
	 * the host's own cookie (NULL: none was sent). id may be PARAM_SELF, which is replaced.
	 * E_OK if the thing doesn't exist or belongs to another host. NULL: content hosts don't
	 * serve such things. */
	enum err (*load_by_visitor)(struct req *, const char *id, const char *cookie);
	/* Returns false if no thing was loaded. */
	bool (*standing)(const struct req *, struct standing *out);
	/* If the path doesn't name it: finds its id from the query or body (req_says()), "" if
	 * these lead to none. E_INVALID if they say nothing. NULL: the path names it. */
	enum err (*named)(struct req *, const char **id);
};

enum caller {
	ANYBODY,
	KNOWN,
	PERSON, /* a person signed in with a browser */
	STAFF   /* staff; for others the address doesn't exist */
};

struct who_row {
	const char *name; /* in the documents and tests */
	enum caller caller;
	const struct noun *noun; /* NULL: nothing is loaded */
	int least;               /* a rung of the noun's; 0: everybody who may read the thing */
	bool lock;               /* a change locks the thing's row until the commit */
	bool trash;              /* also things in the trash */
	bool governed;           /* also people who govern its workspace */
	bool policy;             /* the thing's access_policy decides who of them */
	int given;               /* the least of noun.capabilities that is sufficient; 0: none */
	/* Below that rung, if the caller may know of the thing; 0: E_DENIED. */
	enum err refusal;
	bool visitors;           /* on the thing's own host like ANYBODY, without a role */
};
extern const struct who_row who_rows[WHO_END];
/* Returns the row for this request: its route's, adjusted for its host. */
struct who_row who_of(const struct req *);
#endif
