/* SPDX-License-Identifier: Apache-2.0
 * The rights that each value of a route’s `who` requires. authn.c, permit.c, the checks at start,
 * the OpenAPI document and the tests’ permission matrix read these rows. */
#ifndef VITRINE_WHO_H
#define VITRINE_WHO_H
#include "base/principal.h"

/* Rows leave out members that they don't need. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

struct req;

/* The caller's relation to the thing that a path names, for any kind of thing. */
struct standing {
	int role;     /* its rung; 0: none */
	bool governs; /* the caller governs its workspace */
	bool open;    /* everybody may read it */
	int given;    /* the caller's grants, numbered as noun.capabilities; 0: none */
	bool paused;  /* a pause closes it to the caller */
	bool deleted; /* in the trash */
	const char *reads_only; /* why the caller may not change it; NULL: they may */
	const char *lacks;      /* what is refused to everybody, and why; NULL: nothing */
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
	/* Of a thing on an artifact, whose roles count (core/who_api.h): finds the artifact's id,
	 * "" if the thing doesn't exist. */
	enum err (*artifact_of)(struct ctx *, const char *id, const char **artifact_id);
};

enum caller_kind {
	ANYBODY,
	KNOWN,
	PERSON, /* a person signed in with a browser */
	STAFF   /* staff; for others the address doesn't exist */
};

struct who_row {
	const char *name; /* in the documents and tests */
	enum caller_kind caller;
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
/* Defines a row, in the x_api.c of its noun. It is an array of one, so that a route gives the bare
 * name. */
#define WHO(word, ...) const struct who_row word[1] = { { __VA_ARGS__ } }
/* Rows about artifacts, workspaces, and nothing (core/who_api.c, http/permit.c). permit.c answers
 * 404 if the caller may not know that the thing exists. */
extern const struct who_row
	PUBLIC[1], /* anybody */
	SIGNED_IN[1], /* a valid token, or a browser's session */
	/* A person in a browser: no token can make a token for the whole account, or set a
	 * password. In a workspace an admin's token can make tokens confined to it. */
	SESSION[1],
	OVERSIGHT[1], /* the same, marked as staff by an operator */
	ART_READ[1], /* Anybody if {art} is open, else a role on it or a grant. */
	ART_DISCUSS[1], /* like ART_READ; a grant must allow comments */
	ART_GIVEN[1], /* a role on {art}, or a grant */
	ART_MARK[1], /* anybody if {art} is open, else a role on it */
	DOCUMENT_READ[1], /* like ART_READ; loads {art}'s document with it if possible */
	ART_VIEW[1], /* a role on {art} */
	ART_VISIT[1], /* like ART_VIEW; on {art}'s own host, all who see its page */
	ART_ANSWER[1], /* a role on {art}, or a grant to comment; locks its row */
	ART_LEAVE[1], /* a role on {art}; locks its row, because roles change */
	ART_EDIT[1], /* owner or editor of {art}; locks its row */
	ART_CHANGE[1], /* like ART_EDIT, or governing its workspace; the handler limits what */
	/* May see {art}, and a grant must allow edits; the handler checks its access_policy. */
	DATA_CHANGE[1],
	DATA_FOLLOW[1], /* like ART_READ, but signed in; the handler knows whose it is */
	DATA_EDIT[1], /* owner or editor of {art}; doesn't lock, so data is written in parallel */
	ART_OWN[1], /* owner of {art}; locks its row */
	ART_ALLOW[1], /* like ART_OWN, or governing its workspace */
	ART_TRASH[1], /* owner of {art}, which may be in the trash; locks its row */
	WS_READ[1], /* member or agent of {ws}; from here on a change locks the workspace's row */
	WS_MEMBER[1], /* member of {ws} */
	WS_ADMIN[1], /* admin or owner of {ws} */
	WS_JOIN[1], /* like WS_ADMIN, and all whom the access policy lets join */
	SHARE_ADMIN[1], /* admin or owner of {ws}, whose plan must include external sharing */
	SHARE_MEMBER[1], /* member of such a {ws} */
	WS_OWN[1], /* owner of {ws} */
	WS_TRASH[1]; /* owner of {ws}, which may be in the trash */
/* Returns the row for this request: its route's, adjusted for its host. */
struct who_row who_of(const struct req *);
#endif
