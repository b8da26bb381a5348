/* SPDX-License-Identifier: Apache-2.0
 * What each value of a route's `who` demands. authn.c, permit.c, the checks at start, the OpenAPI
 * document and the tests' permission matrix all read these rows. */
#ifndef VITRINE_WHO_H
#define VITRINE_WHO_H
#include "http/route.h"

/* The caller's relation to the thing that a path names, whatever kind of thing it is. */
struct standing {
	int role;     /* its rung; 0: none */
	bool owns;    /* the caller is its owner */
	bool governs; /* the caller governs the workspace that it is of */
	bool open;    /* everybody may read it */
	int given;    /* what grants give the caller, as noun.capabilities numbers it; 0: nothing */
	bool paused;  /* closed to everybody but its owner and who governs */
	bool deleted; /* in the trash */
	const char *reads_only; /* why the caller may change nothing of it; NULL: they may */
};

/* A role on a kind of thing, as enum role or enum member_role numbers them. Who is on a rung may do
 * what those below it may. */
struct rung {
	const char *word;    /* as tests have it; NULL: no role */
	const char *callers; /* those who are on it or above, before the thing's name */
	const char *needed;  /* of a refusal: "This requires the role of …" */
};

/* A kind of thing that a path can name and that a caller can have a role on. */
struct noun {
	const char *param; /* name of its path parameter */
	const char *on;    /* what its roles are on, in the documents, when that is not itself */
	const struct rung *rungs;
	const char *const *capabilities; /* what grants on it give, from 1 on; NULL: none */
	bool opens; /* some are open to everybody, so a GET by nobody is a question */
	/* Loads the thing into the request as r->who sees it; lock holds its row until the commit.
	 * E_NOT_FOUND. */
	enum err (*load)(struct req *, const char *id, bool lock);
	/* Loads the thing as the token's owner sees it, and the owner into r->who, in one round
	 * trip when it is theirs. E_OK when the thing does not exist. NULL: load() does. */
	enum err (*load_by_token)(struct req *, const char *id, const char *bearer);
	/* Loads the thing for a visitor of the content host r->site, and the visitor into r->who by
	 * the host's own cookie (NULL: the browser sent none). id may be PARAM_SELF, which becomes
	 * the thing's own. E_OK when the thing does not exist or is not that host's. NULL: no
	 * content host has such things. */
	enum err (*load_by_visitor)(struct req *, const char *id, const char *cookie);
	/* False when no thing was loaded. */
	bool (*standing)(const struct req *, struct standing *out);
	/* Where the path doesn't name it: its id, by what the query or body says (req_says()), ""
	 * where that leads to none. E_INVALID when neither says anything. NULL: the path does. */
	enum err (*named)(struct req *, const char **id);
};

enum caller {
	ANYBODY,
	KNOWN,
	PERSON, /* a person signed in with a browser */
	STAFF   /* one who runs the service; for all others there is no such address */
};

struct who_row {
	const char *name; /* in the documents and tests */
	enum caller caller;
	const struct noun *noun; /* NULL: nothing is loaded */
	int least;               /* a rung of the noun's; 0: everybody who may read the thing */
	bool lock;               /* a change locks the thing's row until the commit */
	bool trash;              /* also what is in the trash */
	bool governed;           /* whoever governs its workspace may, too */
	bool policy;             /* who of them may is for the thing's access_policy to say */
	int given;               /* the least of noun.capabilities that opens it, too; 0: none */
	enum err refusal;        /* of who knows of the thing, below that rung; 0: E_DENIED */
	bool visitors;           /* on the thing's own host it is as for ANYBODY, without a role */
};
extern const struct who_row who_rows[WHO_END];
/* The row that holds for this request: of its route, as its host has it. */
struct who_row who_of(const struct req *);
#endif
