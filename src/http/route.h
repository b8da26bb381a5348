/* SPDX-License-Identifier: Apache-2.0
 * A route is one row, which says everything about an address. The checks, the OpenAPI document, the
 * permission matrix and docs/api.md are made from the rows, which are at the bottom of
 * <noun>_api.c. */
#ifndef VITRINE_ROUTE_H
#define VITRINE_ROUTE_H
#include "http/who.h"

struct limit;
struct shown;

/* The pool that answers a route. Slow work (the network, minutes of work, a password hash) has its
 * own workers, so that it doesn't delay quick requests. */
enum pool { QUICK, SLOW, POOLS };
enum { POOL_SLOTS = 256 }; /* maximum of workers in a pool */

enum method { GET, POST, PUT, PATCH, DELETE, METHODS };

enum body_kind {
	BODY_NONE,
	BODY_JSON,
	BODY_JSON_OPTIONAL,
	BODY_OBJECT,       /* a JSON object with any members */
	BODY_MESSAGE,      /* JSON that the handler parses, to explain mistakes */
	BODY_JSON_OR_FORM, /* JSON, or multipart with a manifest and an archive */
	BODY_FILES,        /* multipart with files, from our own pages */
	BODY_FILE,         /* multipart with a file and an optional name */
	BODY_BYTES,        /* a file's bytes, of any type */
	BODY_IMAGE,        /* an image's bytes, or multipart with it */
	BODY_FORM,         /* name=value&… from our own pages */
	BODY_OAUTH,        /* name=value&… from an OAuth client */
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
	ANSWER_TEXT,
	ANSWER_PAGE
};
struct answer {
	enum answer_kind kind;
	const char *noun;
	const struct shape *shape;
};
#define TAKES_NOTHING { BODY_NONE, NULL }
#define TAKES(shape_) { BODY_JSON, &shape_##_shape }
#define TAKES_OBJECT { BODY_OBJECT, NULL }
#define TAKES_MESSAGE { BODY_MESSAGE, NULL }
#define TAKES_OR_ARCHIVE(shape_) { BODY_JSON_OR_FORM, &shape_##_shape }
#define TAKES_FILES { BODY_FILES, NULL }
#define TAKES_FILES_AND(shape_) { BODY_FILES, &shape_##_shape } /* with more fields */
#define TAKES_FILE { BODY_FILE, NULL }
#define TAKES_BYTES { BODY_BYTES, NULL }
#define TAKES_IMAGE { BODY_IMAGE, NULL }
#define TAKES_FORM(shape_) { BODY_FORM, &shape_##_shape }
#define TAKES_OAUTH(shape_) { BODY_OAUTH, &shape_##_shape }
#define DOES(row_) .body = { BODY_FORM, NULL }, .answer = GIVES_REDIRECT, .does = row_
/* The first members of a page's row, and of a form's that ends with form_done() or redirects. */
#define PAGE(path_, who_, template_, handler_) \
	.method = GET, .path = path_, .who = who_, .answer = GIVES_PAGE(template_), \
	.handler = handler_
#define FORM(path_, who_, shape_, handler_) \
	.method = POST, .path = path_, .who = who_, .body = TAKES_FORM(shape_), \
	.answer = GIVES_REDIRECT, .handler = handler_
/* A page that only shows (.shows). */
#define SHOWN_PAGE(path_, who_, template_) PAGE_OF(path_, who_, template_, NULL, NULL)
/* A page whose shape has another name than its template; NULL: none. */
#define PAGE_OF(path_, who_, template_, shape_, handler_) \
	.method = GET, .path = path_, .who = who_, \
	.answer = { ANSWER_PAGE, template_, shape_ }, .handler = handler_
/* A form that answers with a page. */
#define FORM_PAGE(path_, who_, shape_, template_, handler_) \
	.method = POST, .path = path_, .who = who_, .body = TAKES_FORM(shape_), \
	.answer = GIVES_PAGE(template_), .handler = handler_
#define GIVES_NOTHING { ANSWER_NONE, NULL, NULL }
#define GIVES_FLAT(shape_) { ANSWER_FLAT, NULL, &shape_##_shape }
#define GIVES(noun_, shape_) { ANSWER_NOUN, noun_, &shape_##_shape }
#define GIVES_LIST(plural_, shape_) { ANSWER_LIST, plural_, &shape_##_shape }
#define GIVES_BYTES { ANSWER_BYTES, NULL, NULL }
#define GIVES_STREAM { ANSWER_STREAM, NULL, NULL } /* made while it is sent */
#define GIVES_PAGE(template_) { ANSWER_PAGE, #template_, &template_##_page_shape }
#define GIVES_REDIRECT { ANSWER_PAGE, NULL, NULL } /* redirects to a page; refusals are pages */
#define GIVES_JSON { ANSWER_ANY, NULL, NULL }
#define GIVES_TEXT { ANSWER_TEXT, NULL, NULL } /* text/plain in UTF-8 */
#define GIVES_TYPED(mime_) { ANSWER_TEXT, mime_, NULL } /* text of another type */

/* The limit of a body; body_bytes() returns it. */
enum body_size {
	BODY_USUAL,
	BODY_ROWS,
	BODY_PUBLISH,
	BODY_BLOB,
	BODY_ASSET,
	BODY_LOGO,
	BODY_PICTURE,
	BODY_AGENT,
	BODY_IMPORT
};
/* A body whose length has more digits than this is slow work on any route, and becomes a file. */
enum { SMALL_BODY_DIGITS = 4 };
enum { BODY_AROUND = 64 << 10 }; /* bytes of a form around its files */

struct route {
	enum method method;
	const char *path; /* {art} etc. match one segment of a kind in app/paths.c, {+} the rest */
	const struct who_row *who; /* http/who.h; those of a noun are in its x_api.c */
	struct body body;
	struct answer answer;
	enum err (*handler)(struct req *);
	enum scope scope;
	const struct limit *limit; /* http/quota.h, or in the noun's x_api.c; NULL: none */
	const struct shape *query;
	int success;         /* success status; 0: 200 */
	bool makes;          /* 201 instead if it made something new */
	bool goes_on;        /* 202 instead if the work isn't done yet */
	bool plans;          /* 200 instead if it only says what it would do */
	const struct limit *failures; /* a second limit, which counts failures only */
	enum body_size max_body;
	bool slow;           /* answered by the slow pool */
	/* Except with a small body, unless the handler finds that it takes long (share_slow()). */
	bool quick_when_small;
	/* Balancers and monitors ask it, so those at one address count as a person of their own. */
	bool probe;
	bool content;        /* also answered on an artifact's own host, about that artifact */
	bool whole;          /* refuses tokens confined to a workspace */
	bool open_query;     /* may have parameters that `query` doesn't know: r->more */
	bool no_transaction; /* the handler writes nothing to the database */
	bool agents;         /* also accepts tokens of agents' grants, and no cookies */
	bool no_agents;      /* agents can't call it: it reveals a secret, or affects outsiders */
	const char *opens;   /* admits more people, as this visibility does (ceiling_check()) */
	/* Writes refusals in the form that the route's clients know; NULL: our JSON. */
	void (*refuse)(struct req *, enum err);
	/* Refuses without reading the body: called before a large body is read (request_judge()),
	 * with r->art and r->who. prepare() must check again. */
	enum err (*judge)(struct req *);
	/* Slow work (the network, many bytes, a password hash). Writes only rows that are right
	 * without the handler. Runs once, before the transaction, after the caller was authorised
	 * and the body read. Leaves its result in r->prepared for the handler. */
	enum err (*prepare)(struct req *);
	/* Completes the JSON of a change's reply after the commit, also of a stored reply. May wait
	 * (await.h) if prepare() has set r->wait_s. */
	enum err (*after)(struct req *);
	const char *doc;     /* one line */
	/* For a change to an artifact: the words before its name in the record of changes, such as
	 * "Published". NULL: doc is used. */
	const char *did;
	/* For a GET: what reading {art} is called to its owner if it is shared outside: "view" or
	 * "download". NULL: not reported. */
	const char *visit;
	/* Another name for another row's page. openapi.json omits it, because its paths must differ
	 * by more than the names of parameters. */
	bool alias;
	bool undo; /* with did: the reader of the record can undo it (oauth/grant.h) */
	/* For a GET: what the path names last, of this enum find_kind, is added to what the caller
	 * has recently opened. */
	int opened;
	/* For a form: the path of the GET row with its page, which is shown again with what was
	 * typed if the form is refused, and to which a GET of the form's address leads. Its
	 * parameters must also be in this row's path; its query is read from the form. */
	const char *again;
	/* For a form that does what an API row does, "DELETE /v1/…": handler, limits, body (or
	 * query) and who are that row's. Set `who` only where the API's handler decides. The path's
	 * parameters go into the body by their names in the documents. If the API's path has a
	 * parameter that this one lacks, the form has it as a field, by that name. An empty field
	 * becomes null or is omitted, if it may be and the row isn't a PATCH; items of a list are
	 * on lines or between commas. */
	const char *does;
	/* Of a form whose fields have other names than the API's: "api=form&…". Refusals are shown
	 * beside the form's field. "config." drops that beginning of the API's names. */
	const char *called;
	const struct instead *instead; /* words for a refusal, in place of the API's */
	const char *with; /* with does: name=value&… that the form always sends, with {params} */
	/* With does, or a handler that ends with form_done(): where it continues, with {params} of
	 * this path and {fields} of the form or of the API's answer, such as the {id} of what was
	 * made. */
	const char *then;
	/* Path of the page that answers it, with the secret that was made (form_stay()). If nothing
	 * was made, `then` holds. */
	const char *stays;
	/* Of a form that asks first: the GET row of the same path, which is made from this one,
	 * shows the question and sends the form. `again` is that page unless it stands here. */
	const struct asked *ask;
	/* Of a page: what it shows, mostly of the API. A name becomes a field of the page's
	 * template: an object, or a list with name_next, the address of its next part. reply_page()
	 * adds these to the row's own shape. A page without a handler has nothing but these. */
	const struct show *shows;
	const struct route *const *shown; /* rows of `shows`, or of ask's `of` */
	const char *title; /* of a page, as {{title}}, with {params} */
};

struct show {
	const char *name;
	/* "GET /v1/…?limit=50&art={art}". The page's own query goes to the first one, as far as
	 * that knows it, in place of what the text says. NULL: `find` finds the value. */
	const char *from;
	/* Adds to the answer what only pages show, or finds the value. */
	enum err (*find)(struct req *, struct shown *);
	const struct shape *of, *rows_of; /* if `find` finds it: its shape, or that of its rows */
};
/* Before "GET …": shows nothing if the caller may not make that request, or it finds nothing. */
#define SHOW_MAY "may "
/* .shows = SHOWS({ "agents", "GET /v1/workspaces/{ws}/agent-tokens?limit=50" }) */
#define SHOWS(...) (const struct show[]){ __VA_ARGS__, { NULL, NULL } }
const char *show_text(const struct show *); /* `from` without the prefix SHOW_MAY */
enum err shows_reply(struct req *); /* the handler of a page that has none of its own */
/* Replaces *page, a struct of the shape that the row names (NULL: it names none), by one that also
 * has what the row shows. */
enum err shows_read(struct req *, const void **page);

struct instead {
	enum err e;
	const char *why;
};
#define INSTEAD(e_, why_) &(const struct instead){ e_, why_ }

/* A question before a form is sent. {names} in its texts are parameters of the path, settings that
 * conf_number() knows, or fields of what `of` answers. */
struct asked {
	const char *question;    /* "Delete {name}?" */
	const char *consequence; /* sentences */
	const char *verb;        /* of the button */
	const char *back;        /* path of the page that Cancel leads to, with {names} */
	const char *of;          /* "GET /v1/…" of the thing */
	/* In place of `of`: finds the thing. NULL as well: the texts need none. */
	enum err (*find)(struct req *, struct shown *out);
	const char *url;         /* address of the thing, "{url}"; NULL: the page has none */
	bool gentle;             /* nothing ends or is destroyed */
	const struct who_row *who; /* of the page, if the API leaves the form's to its handler */
};
/* .ask = ASK(question, consequence, verb, back, the other members by name) */
enum err form_ask(struct req *); /* the handler of its page */
#define ASK(...) ASK_(__VA_ARGS__)
#define ASK_(question_, consequence_, verb_, back_, ...) \
	&(const struct asked){ .question = question_, .consequence = consequence_, \
		.verb = verb_, .back = back_, ##__VA_ARGS__ }

struct route_list {
	const char *tag; /* heading in the documents */
	const struct route *rows;
	size_t n;
	const char *doc; /* what the heading's routes are about: one or two sentences */
};
/* Defines a noun's list of routes, below its noun_routes[]. */
#define ROUTES(noun, tag_, doc_...) \
	extern const struct route_list noun##_routes_list; \
	const struct route_list noun##_routes_list = { tag_, noun##_routes, \
		sizeof noun##_routes / sizeof *noun##_routes, "" doc_ }

extern const struct route_list *const route_lists[]; /* in app/routes.c; NULL ends it */
/* Returns all lists, with the rows of forms completed from the API's. */
const struct route_list *const *routes_all(void);
extern const char *const method_names[METHODS];
extern const char *const pool_names[POOLS];

struct conf;
int64_t body_bytes(const struct conf *, enum body_size); /* in app/paths.c */
/* True if a missing body counts as {}: no field is required, and the route isn't a PUT, which
 * replaces. */
bool route_body_optional(const struct route *);

/* A parameter of the path: its name in the row, and its decoded value in the request. */
enum { PATH_PARAMS = 4 };
/* Instead of an artifact's id on a content host: the artifact of that host. */
#define PARAM_SELF "self"
struct param {
	const char *name, *value, *outside; /* outside: its name in the documents */
};
/* The values that {name} accepts: an id with the prefix, or what fits() accepts. Other values match
 * no route, so they never reach a handler or a statement. */
struct param_kind {
	const char *name, *outside; /* name in rows; name in the documents */
	const char *prefix;
	bool (*fits)(const char *part);
	const char *pattern; /* for nginx, which may be less exact */
};
extern const struct param_kind param_kinds[]; /* in app/paths.c; an empty one ends it */
bool param_number_fits(const char *part);
/* Templates that no row names. */
struct page_alone {
	const char *name;
	const struct shape *shape;
};
extern const struct page_alone pages_alone[]; /* in app/paths.c; an empty one ends it */
/* The following describe the parameter whose name begins at `at` in a row's path, after its brace.
 */
bool route_has_param(const struct route *, const char *name); /* the path has {name} */
const char *param_outside(const char *at); /* its name in the documents */
bool param_is_number(const char *at);
const char *param_prefix(const char *at);  /* of an id, else NULL */
const char *param_pattern(const char *at); /* a regular expression that matches all its values */
const char *param_sample(const char *at);  /* an encoded example; NULL for ids */
bool param_fits_at(const char *at, const char *part);
/* Finds the row for a method and a raw path. p gets the decoded parameters, in mem. *allowed (bits
 * 1 << method): the methods of the path. NULL if no row matches; a path that can't be decoded
 * matches none. */
const struct route *route_find(
    void *mem, int method, const char *raw_path, struct param p[PATH_PARAMS], unsigned *allowed);
/* True for the API. False for pages for people, and for files that such pages link to. Refusals of
 * the API are JSON. */
bool route_is_api(const struct route *);
/* The row that "METHOD path" names; NULL if there is none. */
const struct route *route_said(const char *text);
/* Path as in the row; NULL if there is none. */
const struct route *route_named(enum method, const char *path);
/* Returns its name in the OpenAPI document, such as getArtifactsByArtifactIdVersions; for a page it
 * begins with the method and "Page". routes_check() makes sure that names are unique. */
const char *route_operation(void *owner, const struct route *);
/* Ends the process (status 70), naming the row, if a row is incomplete or contradicts another. The
 * rows are the program's own, so its build and its check before it serves look, not each start. */
void routes_check(void);
/* Builds what route_find() walks. Call it before the workers are forked, which then share it. */
void routes_open(void);
/* True if the route refuses tokens confined to a workspace: its row says so, or it concerns the
 * caller's account and no workspace. The person who made such a token for a member must not reach
 * the member's other things, or make more tokens of the member. */
bool route_refuses_confined(const struct route *);
size_t route_count(void);
/* Statuses with which a large body is refused before nginx reads it (dispatch.c), beside 401 and
 * 403; 0 ends them. */
extern const int judged_statuses[];
size_t route_index(const struct route *); /* 0 … route_count() - 1 */
/* Returns the path with {names} as the documentation of the API spells them. */
const char *route_address(void *mem, const struct route *);
void routes_print(void);                  /* a JSON line per row on stdout */
void openapi_print(void);                 /* the OpenAPI 3.1 document on stdout */
const char *openapi_text(void);           /* made once per process */
#endif
