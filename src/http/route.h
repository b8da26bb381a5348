/* SPDX-License-Identifier: Apache-2.0
 * A route is one row: everything that is true of an address stands in it, and the checks, the
 * OpenAPI document, the permission matrix and the reference in docs/api.md come from it. Rows stand
 * at the bottom of src/api/<noun>.c. */
#ifndef VITRINE_ROUTE_H
#define VITRINE_ROUTE_H
#include "base/shape.h"

struct req;

/* Where a route is answered: what takes long (the network, minutes of work, a password hash) has
 * workers of its own, so that it can't keep a millisecond's request waiting. */
enum pool { QUICK, SLOW, POOLS };

enum method { GET, POST, PUT, PATCH, DELETE, METHODS };

/* Who may call. policy.c loads what is judged into the request and answers 404 where existence is
 * not the caller's to know. */
enum who {
	PUBLIC,    /* anybody */
	SIGNED_IN, /* any valid token, or a browser's session */
	SESSION,   /* a person in a browser: a token must not be able to make more of its kind */
	ART_READ,  /* may read {art}: anybody if public or unlisted; else owner, collaborator */
	ART_VIEW,  /* has a role on {art} */
	ART_EDIT,  /* owner or editor of {art} */
	ART_OWN,   /* owner of {art} */
	ART_TRASH, /* owner of {art}, which may be deleted */
};

enum scope {
	NO_SCOPE /* refuses agent and external tokens */,
	ANY_SCOPE,
	ARTIFACTS_READ,
	ARTIFACTS_PUBLISH,
	DATA_READ,
	DATA_WRITE
};
enum limit_kind {
	NO_LIMIT,
	LIM_PUBLISH,
	LIM_SIGNIN,
	LIM_PROVIDER,
	LIM_MAIL_LINK,
	LIM_DEVICE_START,
	LIM_DEVICE_CODE,
	LIM_ACCESS,
	LIM_EXPORT,
	LIM_PUBLISH_FAILED,
	/* for handlers */ LIM_SIGNIN_ACCOUNT,
	LIM_DEVICE_CODE_ALL
};

enum body_kind {
	BODY_NONE,
	BODY_JSON,
	BODY_JSON_OPTIONAL,
	BODY_JSON_OR_FORM, /* JSON, or multipart with a manifest and an archive */
	BODY_FORM,         /* name=value&… from one of our own pages */
	BODY_OAUTH,        /* the same from a program */
};
struct body {
	enum body_kind kind;
	const struct shape *shape;
};
enum answer_kind {
	ANSWER_NONE,
	ANSWER_FLAT,
	ANSWER_NOUN,
	ANSWER_LIST,
	ANSWER_BYTES,
	ANSWER_STREAM,
	ANSWER_ANY,
	ANSWER_PAGE
};
struct answer {
	enum answer_kind kind;
	const char *noun;
	const struct shape *shape;
};
#define TAKES_NOTHING { BODY_NONE, NULL }
#define TAKES(shape_) { BODY_JSON, &shape_##_shape }
#define TAKES_OR_ARCHIVE(shape_) { BODY_JSON_OR_FORM, &shape_##_shape }
#define TAKES_FORM(shape_) { BODY_FORM, &shape_##_shape }
#define TAKES_OAUTH(shape_) { BODY_OAUTH, &shape_##_shape }
#define GIVES_NOTHING { ANSWER_NONE, NULL, NULL }
#define GIVES_FLAT(shape_) { ANSWER_FLAT, NULL, &shape_##_shape }
#define GIVES(noun_, shape_) { ANSWER_NOUN, noun_, &shape_##_shape }
#define GIVES_LIST(plural_, shape_) { ANSWER_LIST, plural_, &shape_##_shape }
#define GIVES_BYTES { ANSWER_BYTES, NULL, NULL }
#define GIVES_STREAM { ANSWER_STREAM, NULL, NULL } /* made while it is sent */
#define GIVES_PAGE(template_) { ANSWER_PAGE, #template_, &template_##_page_shape }
#define GIVES_REDIRECT { ANSWER_PAGE, NULL, NULL } /* to a page; refusals are pages too */
#define GIVES_JSON { ANSWER_ANY, NULL, NULL }

/* How large a body may be; body_bytes() says it. */
enum body_size { BODY_USUAL, BODY_PUBLISH };

struct route {
	enum method method;
	const char *path; /* {art} {id} {no} {email} one segment each, {+} the rest */
	enum who who;
	struct body body;
	struct answer answer;
	enum err (*handler)(struct req *);
	enum scope scope;
	enum limit_kind limit;
	const struct shape *query;
	int success;         /* status of the success; 0 = 200 */
	enum limit_kind failures;  /* a second limit, which counts what failed only */
	enum body_size max_body;
	bool slow;           /* answered by the pool for what takes long */
	bool no_transaction; /* the handler writes nothing to the database */
	/* What takes long (the network, many bytes, a password hash) and writes no row: done before
	 * the transaction, once, when the caller has been judged and the body read. It leaves its
	 * result in r->prepared for the handler. */
	enum err (*prepare)(struct req *);
	const char *doc;     /* one line */
};

struct route_list {
	const char *tag; /* heading in the documents */
	const struct route *rows;
	size_t n;
};
#define ROUTES(tag_, rows_) { tag_, rows_, sizeof rows_ / sizeof *rows_ }

extern const struct route_list *const route_lists[]; /* api/routes.c; ends with NULL */
extern const char *const method_names[METHODS];
extern const char *const who_names[];
extern const char *const scope_names[];
extern const char *const pool_names[POOLS];

struct conf;
int64_t body_bytes(const struct conf *, enum body_size);

enum { PATH_PARAMS = 4 };
/* The row for a raw path; p gets the decoded parameters in mem. *allowed (bits 1 << method) says
 * which methods the path has. A path that can't be decoded matches nothing. */
const struct route *route_find(
    void *mem, int method, const char *raw_path, const char *p[PATH_PARAMS], unsigned *allowed);
/* Ends the process, naming the row, on a table that contradicts itself. */
void routes_check(void);
size_t route_count(void);
size_t route_index(const struct route *); /* 0 … route_count() - 1 */
void routes_print(void);                  /* one JSON line a row on stdout */
void openapi_print(void *mem);            /* the OpenAPI 3.1 document on stdout */
const char *openapi_text(void *mem);
#endif
