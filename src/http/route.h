/* SPDX-License-Identifier: Apache-2.0
 * A route is one row, which holds all there is to know about an address. The checks, the OpenAPI
 * document, the permission matrix and the reference in docs/api.md are made from the rows. They are
 * at the bottom of <noun>_api.c. */
#ifndef VITRINE_ROUTE_H
#define VITRINE_ROUTE_H
#include "base/principal.h"

struct req;
struct shown;

/* Where a route is answered: what takes long (the network, minutes of work, a password hash) has
 * workers of its own, so that it can't keep a millisecond's request waiting. */
enum pool { QUICK, SLOW, POOLS };
enum { POOL_SLOTS = 256 }; /* workers of a pool at most */

enum method { GET, POST, PUT, PATCH, DELETE, METHODS };

/* Who may call. Each value is a row of who.c, which says what is loaded and the least role on it.
 * permit.c answers 404 when the caller may not know that the thing exists. */
enum who {
	PUBLIC,    /* anybody */
	SIGNED_IN, /* any valid token, or a browser's session */
	SESSION,   /* a person in a browser: no token makes one for the whole account, or sets a
		    * password. In a workspace, an admin's makes tokens that act there alone. */
	OVERSIGHT, /* the same, marked as staff by an operator */
	ART_READ,  /* anybody when {art} is open, else somebody with a role on it, or with whom it
		    * is shared */
	ART_DISCUSS, /* the same, if it is shared for comments, too */
	ART_GIVEN, /* somebody with a role on {art}, or with whom it is shared */
	ART_MARK,  /* anybody when {art} is open, else somebody with a role on it */
	DOCUMENT_READ, /* as ART_READ, which brings {art}'s document along where it can */
	ART_VIEW,  /* somebody with a role on {art} */
	ART_VISIT, /* the same; on {art}'s own host whoever sees its page */
	ART_LEAVE, /* somebody with a role on {art}; its row is locked, since roles change */
	ART_EDIT,  /* owner or editor of {art}; its row is locked */
	ART_CHANGE, /* the same, or who governs its workspace: for the handler to limit */
	DATA_CHANGE, /* somebody who may see {art}, if it is shared for edits, too; the handler asks
		      * its access_policy */
	DATA_EDIT, /* owner or editor of {art}; writers of data do not wait for one another */
	ART_OWN,   /* owner of {art}; its row is locked */
	ART_ALLOW, /* the same, or who governs its workspace */
	ART_TRASH, /* owner of {art}, which may be in the trash; its row is locked */
	JOB_SEE,   /* owner or editor of the artifact that {job} is on */
	JOB_EDIT,  /* the same; the artifact's row is locked */
	WATCH_VIEW, /* somebody with a role on the artifact of {watch}; whose it is comes later */
	ALERT_VIEW, /* somebody with a role on the artifact of {alert} */
	ALERT_EDIT, /* owner or editor of the artifact of {alert}; its row is locked */
	ACCESS_OWN, /* owner of the artifact that {acr} is for, or admin of its workspace */
	WS_READ,   /* member or agent of {ws}; of these, a change locks the workspace's row */
	WS_MEMBER, /* member of {ws} */
	WS_ADMIN,  /* admin or owner of {ws} */
	WS_JOIN,   /* the same, and whoever its access policy lets join */
	SHARE_ADMIN, /* admin or owner of {ws}, whose plan includes sharing with people outside */
	SHARE_MEMBER, /* member of such a {ws} */
	WS_OWN,    /* owner of {ws} */
	WS_TRASH,  /* owner of {ws}, which may be in the trash */
	PAYS_MEMBER, /* member of the workspace that query or body name, or whose subscription */
	PAYS_ADMIN,  /* admin or owner of it; its row is locked */
	TICKET_READ, /* requester of {tkt}, or staff; a change locks its row */
	TICKET_WORK, /* staff; for the requester, and admins of its workspace, it is there */
	WHO_END
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
	LIM_TRANSFER,
	LIM_DATA,
	LIM_PROXY,
	LIM_CHAT,
	LIM_COMMENT,
	LIM_JOB_RUN,
	LIM_CONNECT,
	LIM_CONNECTION_TEST,
	LIM_PAYMENT,
	LIM_AGENT,
	LIM_TICKET,
	LIM_TICKET_MESSAGE,
	/* for handlers */ LIM_SIGNIN_ACCOUNT,
	LIM_DEVICE_CODE_ALL,
	LIM_FACTOR,
	LIM_DELIVERY,
	LIM_DELIVERY_ALL,
	LIM_DELIVERY_CODE_NETWORK,
	LIM_DELIVERY_CODE,
	LIM_DELIVERY_CODE_ALL
};

enum body_kind {
	BODY_NONE,
	BODY_JSON,
	BODY_JSON_OPTIONAL,
	BODY_OBJECT,       /* a JSON object of any members */
	BODY_MESSAGE,      /* JSON that the handler reads itself, to say what is wrong with it */
	BODY_JSON_OR_FORM, /* JSON, or multipart with a manifest and an archive */
	BODY_FILES,        /* multipart with files from one of our own pages */
	BODY_FILE,         /* multipart with a file, and perhaps its name */
	BODY_BYTES,        /* a file's bytes, whatever their type */
	BODY_IMAGE,        /* an image's bytes, or multipart with it */
	BODY_FORM,         /* name=value&… from one of our own pages */
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
#define TAKES_FILES_AND(shape_) { BODY_FILES, &shape_##_shape } /* fields beside them */
#define TAKES_FILE { BODY_FILE, NULL }
#define TAKES_BYTES { BODY_BYTES, NULL }
#define TAKES_IMAGE { BODY_IMAGE, NULL }
#define TAKES_FORM(shape_) { BODY_FORM, &shape_##_shape }
#define TAKES_OAUTH(shape_) { BODY_OAUTH, &shape_##_shape }
#define DOES(row_) .body = { BODY_FORM, NULL }, .answer = GIVES_REDIRECT, .does = row_
#define GIVES_NOTHING { ANSWER_NONE, NULL, NULL }
#define GIVES_FLAT(shape_) { ANSWER_FLAT, NULL, &shape_##_shape }
#define GIVES(noun_, shape_) { ANSWER_NOUN, noun_, &shape_##_shape }
#define GIVES_LIST(plural_, shape_) { ANSWER_LIST, plural_, &shape_##_shape }
#define GIVES_BYTES { ANSWER_BYTES, NULL, NULL }
#define GIVES_STREAM { ANSWER_STREAM, NULL, NULL } /* made while it is sent */
#define GIVES_PAGE(template_) { ANSWER_PAGE, #template_, &template_##_page_shape }
#define GIVES_REDIRECT { ANSWER_PAGE, NULL, NULL } /* redirects to a page; refusals are pages */
#define GIVES_JSON { ANSWER_ANY, NULL, NULL }
#define GIVES_TEXT { ANSWER_TEXT, NULL, NULL } /* plain, UTF-8 */
#define GIVES_TYPED(mime_) { ANSWER_TEXT, mime_, NULL } /* of another type */

/* How large a body may be; body_bytes() says it. */
enum body_size {
	BODY_USUAL,
	BODY_ROWS,
	BODY_PUBLISH,
	BODY_BLOB,
	BODY_ASSET,
	BODY_LOGO,
	BODY_PICTURE,
	BODY_AGENT,
	BODY_CSV
};
/* What a large body asks for takes long, whatever the row: it has more digits than this. */
enum { SMALL_BODY_DIGITS = 4 };
enum { BODY_AROUND = 64 << 10 }; /* what a form may have around its files */

struct route {
	enum method method;
	const char *path; /* {art} etc. take one segment of a kind in route.c, {+} the rest */
	enum who who;
	struct body body;
	struct answer answer;
	enum err (*handler)(struct req *);
	enum scope scope;
	enum limit_kind limit;
	const struct shape *query;
	int success;         /* status of the success; 0 = 200 */
	bool makes;          /* 201 instead, when it made what was not there */
	bool goes_on;        /* 202 instead, when what was asked for is not done yet */
	enum limit_kind failures;  /* a second limit, which counts what failed only */
	enum body_size max_body;
	bool slow;           /* answered by the pool for what takes long */
	/* Except with a small body, unless the handler finds that it takes long (share_slow()). */
	bool quick_when_small;
	bool content;        /* answered on an artifact's own host too, about that artifact alone */
	bool whole;          /* refuses tokens that act in one workspace only */
	bool open_query;     /* it may have other parameters than `query` knows: r->more */
	bool no_transaction; /* the handler writes nothing to the database */
	bool agents;         /* takes tokens of agents' grants, too, and no cookie at all */
	bool no_agents;      /* agents can't ask for it: it tells a secret, or reaches outside */
	const char *opens;   /* lets others in, as that visibility does (ceiling_check()) */
	/* Writes what is refused in the form that the route's callers know; NULL: the envelope. */
	void (*refuse)(struct req *, enum err);
	/* Refuses for what a body need not be read for: asked before it is, where it may be large
	 * (request_judge()), with r->art and r->who; prepare() asks again. */
	enum err (*judge)(struct req *);
	/* Does what takes long (the network, many bytes, a password hash) and writes no row but
	 * such as are right without the handler, too. It runs once, before the transaction, when
	 * the caller has been judged and the body read, and leaves its result in r->prepared for
	 * the handler. */
	enum err (*prepare)(struct req *);
	const char *doc;     /* one line */
	/* Of a change to an artifact, for whoever reads afterwards what was done: the words before
	 * its name, such as "Published". NULL: doc is said. */
	const char *did;
	/* Of a GET, what reading it is to whoever shares {art} with people outside: "view" or
	 * "download". NULL: nothing that they are told of. */
	const char *visit;
	/* Leads to another row's page by another name. openapi.json leaves it out, since its paths
	 * must differ by more than the names of parameters. */
	bool alias;
	bool undo; /* of it: whoever reads that can take it back (oauth/grant.h) */
	/* Of a GET: what its path names last is among what whoever looks at it opened last. */
	bool opened;
	/* Of a form: the path of the GET row whose page has it, which is shown again with what was
	 * typed when the form is refused. Its parameters stand in this row's path too; its query is
	 * read from the form. */
	const char *again;
	/* Of a form that does what a row of the API does, "DELETE /v1/…": the handler, the limits,
	 * the body (or query) as a form, and who may are that row's. A `who` stands here where the
	 * API leaves it to the handler. What the path has goes into the body by its name in the
	 * documents. An empty field is null or missing, if it may be that and the row is no
	 * PATCH's; a list's items stand on lines or between commas. */
	const char *does;
	const char *with; /* of it: name=value&… that the form always says, with {params} */
	/* Of it: where it goes on, with {params} of this path, and {fields} of what the form says
	 * or of the API's answer, such as the {id} of what was made. */
	const char *then;
	/* In place of `then`: path of the page that answers it, with the secret that was made. */
	const char *stays;
	/* Of a form that asks first: the GET row of the same path, which is made from this one,
	 * shows the question and sends the form. `again` is that page unless it stands here. */
	const struct asked *ask;
	/* Of a page: what it shows of the API. A name becomes a field of the page's template: an
	 * object, or a list with name_next, the address of its next part. The page's handler fills
	 * the row's own shape and ends with reply_shows(). NULL: there is
	 * nothing but these. */
	const struct show *shows;
	const char *title; /* of such a page, as {{title}} */
};

/* "GET /v1/…?limit=50". The page's own query goes to the first one, as far as that knows it. */
struct show {
	const char *name, *from;
};
/* .shows = SHOWS({ "agents", "GET /v1/workspaces/{ws}/agent-tokens?limit=50" }) */
#define SHOWS(...) (const struct show[]){ __VA_ARGS__, { NULL, NULL } }
enum err shows_reply(struct req *); /* the handler of a page that has none of its own */

/* A question before a form is sent. {names} in its texts are parameters of the path, settings that
 * page_setting() knows, or fields of what `of` answers. */
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
	enum who who;            /* of the page, if the API leaves the form's to its handler */
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
	const char *doc; /* what the heading's routes are about; one or two sentences */
};
/* At the bottom of a noun's file, below its noun_routes[]. */
#define ROUTES(noun, tag_, doc_...) \
	extern const struct route_list noun##_routes_list; \
	const struct route_list noun##_routes_list = { tag_, noun##_routes, \
		sizeof noun##_routes / sizeof *noun##_routes, "" doc_ }

extern const struct route_list *const route_lists[]; /* app/routes.c; ends with NULL */
/* The same, each form's row with what it has of the API's. */
const struct route_list *const *routes_all(void);
extern const char *const method_names[METHODS];
extern const char *const pool_names[POOLS];

struct conf;
int64_t body_bytes(const struct conf *, enum body_size); /* app/paths.c */
/* Whether a request without a body is as if it had sent {}: nothing is required of one, and it
 * isn't a PUT, which replaces what there is. */
bool route_body_optional(const struct route *);

/* A parameter of the path: its name in the row, and the decoded value that the request has
 * there. */
enum { PATH_PARAMS = 4 };
/* In place of an artifact's id on a content host: the one that it is the host of. */
#define PARAM_SELF "self"
struct param {
	const char *name, *value, *outside; /* outside: its name in the documents */
};
/* What a path may have at {name}: an id of the prefix, or what fits() accepts. Other values match
 * no route, so they never reach a handler or a statement. */
struct param_kind {
	const char *name, *outside; /* name in rows, name in the documents */
	const char *prefix;
	bool (*fits)(const char *part);
	const char *pattern; /* for nginx, which need not be as exact */
};
extern const struct param_kind param_kinds[]; /* app/paths.c; ends with an empty one */
bool param_number_fits(const char *part);
/* Templates that no row names. */
struct page_alone {
	const char *name;
	const struct shape *shape;
};
extern const struct page_alone pages_alone[]; /* app/paths.c; ends with an empty one */
/* These describe the parameter whose name begins at `at` in a row's path, right after its
 * brace. */
bool route_has_param(const struct route *, const char *name); /* its path has {name} */
const char *param_outside(const char *at); /* what the documents call it */
bool param_is_number(const char *at);
const char *param_prefix(const char *at);  /* of an id; NULL for what is none */
const char *param_pattern(const char *at); /* an expression that all it may be matches */
const char *param_sample(const char *at);  /* one that it may be, encoded; NULL for ids */
bool param_fits_at(const char *at, const char *part);
/* Finds the row for a method and a raw path; p gets the decoded parameters, in mem. *allowed (bits
 * 1 << method) says which methods the path has. NULL when no row matches; a path that can't be
 * decoded matches none. */
const struct route *route_find(
    void *mem, int method, const char *raw_path, struct param p[PATH_PARAMS], unsigned *allowed);
/* Whether the row is of the API rather than a page for people, or a file that such a page leads
 * to: its refusals are JSON. */
bool route_is_api(const struct route *);
/* The row that "METHOD path" names; NULL if there is none. */
const struct route *route_said(const char *text);
const struct route *route_named(enum method, const char *path); /* as in the row; NULL: none */
/* Its name in the OpenAPI document, such as getArtifactsByArtifactIdVersions; of a page it begins
 * with the method and "Page". No two rows share one: routes_check() looks. */
const char *route_operation(void *owner, const struct route *);
/* Ends the process (status 70), naming the row, when a row is incomplete or contradicts another. */
void routes_check(void);
/* Whether the route refuses tokens that act in one workspace only: its row says so, or it is about
 * its caller's account and no workspace. Who made such a token for a member must not reach what
 * else is theirs, nor make others of it. */
bool route_refuses_confined(const struct route *);
size_t route_count(void);
size_t route_index(const struct route *); /* 0 … route_count() - 1 */
const char *route_address(void *mem, const struct route *); /* its path as the documents name it */
void routes_print(void);                  /* one JSON line a row on stdout */
void openapi_print(void);                 /* the OpenAPI 3.1 document on stdout */
const char *openapi_text(void);           /* made once in a process */
#endif
