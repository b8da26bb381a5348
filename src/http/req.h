/* SPDX-License-Identifier: Apache-2.0
 * A request and its reply. Everything lives in r->c->mem. */
#ifndef VITRINE_REQ_H
#define VITRINE_REQ_H
#include "base/principal.h"
#include "http/page.h"
#include "http/route.h"
#include "store/spool.h"

struct artifact;
struct outside_read;
struct workspace;

struct header {
	const char *name, *value;
};

/* A refused form, for the page that is shown again. */
struct refused {
	const struct route *row; /* the form's row; NULL: none was refused */
	const char *path;        /* where the form is sent */
	const char *why; /* as given to fail(): "slug: is reserved" is shown beside the field */
};

/* The answer of a row of the API, as values of its shape. */
struct shown {
	const struct shape *shape; /* NULL: the handler wrote its reply by itself */
	bool lean; /* given: write the answer into r->out instead, without success and nulls */
	const void *value;  /* if the row answers with one object, else NULL */
	struct list rows;   /* if it answers with a list */
	const char *cursor; /* of the next part of a list; NULL: there is none */
};
/* *out = SHOWN(folder, f); ASKED(out, .name = …) for struct asked_words. */
#define ASKED(r, out, ...) \
	({ \
		struct asked_words *words_ = mem_new((r)->c->mem, struct asked_words); \
		*words_ = (struct asked_words){ __VA_ARGS__ }; \
		*(out) = SHOWN(asked_words, words_); \
		E_OK; \
	})
/* *out = SHOWN_ROWS(rows, cursor), of a typed list. */
#define SHOWN_ROWS(rows_, cursor_) \
	(struct shown){ .rows = { (rows_).v, (rows_).n }, .cursor = (cursor_) }
#define SHOWN(T, value_) (struct shown){ .shape = &T##_shape, .value = (value_) }

struct req {
	struct ctx *c;
	char **env;               /* FastCGI parameters */
	const struct req *outer;  /* the request for which req_serve() made this one, else NULL */
	const struct req *looked; /* the last GET that req_serve() made, if no change came after */
	const char *id;           /* request id */
	const char *method_name, *uri;
	int method;               /* enum method, or -1 */
	bool content;             /* the request is to a content host */
	const char *site; /* the host's slug if its page calls the API; else gate.c answers */
	const char *subdomain; /* of a content host; NULL: the artifact's plain host */
	const char *domain;       /* of a content host that is a domain of the artifact's own */
	const char *frame;        /* of a host of the review view: its name (site/frame.h) */
	bool head;                /* HEAD: answered like GET, without the body */
	const struct route *route;
	const struct route *meant; /* without a route: a row with this path for another method */
	struct param p[PATH_PARAMS];
	const struct principal *who; /* NULL: not signed in */
	bool loaded;              /* authenticate() has looked for the row's noun */
	bool judged;              /* authorise() has accepted the caller */
	const struct artifact *art; /* {art}, as the caller sees it */
	const struct workspace *ws; /* {ws}, as the caller sees it */
	const void *thing;        /* what another kind of noun has loaded, as the caller sees it */
	const struct outside_read *seen; /* what an outsider reads by a grant, or NULL */
	const void *in;           /* the body as route->body.shape; a struct json for BODY_OBJECT */
	const void *query;        /* the query as route->query */
	const struct pair *more;  /* other parameters, for a row with open_query */
	size_t more_n;
	const struct json *json;  /* the body if it is JSON */
	void *prepared;           /* the result of route->prepare */
	struct span received;     /* a small body, which came with the request */
	const char *body;         /* the body's bytes, in memory or mapped from the spool */
	size_t body_n;
	struct span form;         /* the body instead, if it is multipart or a file: not mapped */
	/* Of req_serve(): the query, the body, and a file beside the body; each may be NULL. */
	const struct pair *asked;
	const struct json *sent;
	const struct span *attached;
	const uint8_t *digest;    /* of address and body, if an Idempotency-Key needed it */
	const char *body_path;    /* the spooled file, or NULL */
	struct quota {
		int64_t limit, left, reset_s, window_s; /* limit 0: the route has none */
	} quota;
	bool quota_taken;     /* the row's limits have counted this request */
	struct {
		const struct limit *limit;
		const char *key;
	} taken[4]; /* counted by handler and prepare() */
	size_t taken_n;
	struct idem_claim {
		const char *user_id, *key; /* NULL: no Idempotency-Key was claimed */
	} claim;
	int64_t wait_s; /* set by prepare(): seconds for which after() may wait; 0: none */
	struct refused refused;
	const char *made;     /* a new secret that the page shows once; NULL: none */
	struct shown *shown;  /* takes the answer (req_show(), req_serve()); NULL: write it */
	bool replayed;
	bool passed_on;        /* status and body are another server's */
	bool turned_away;      /* refused because of other requests; counts in no limit */
	bool saved;            /* the transaction is committed */
	bool forwarded;        /* nginx continues at another location */
	int64_t retry_after_s; /* 0: derived from status and limits */

	/* The reply. */
	int status;
	struct header headers[40];
	size_t header_n;
	const char *cookies[6];
	size_t cookie_n;
	struct buf out;
	enum err (*stream)(struct req *, void *arg); /* writes the body; NULL: out has it */
	void *stream_arg;
	void *wire;     /* the connection of worker.c, while stream() runs */
	bool etag_given; /* by reply_etag() */
	int fd;         /* the connection during the request; 0: none */
	/* Cut: the body ended early; gone: because the client left or was too slow. */
	bool cut, gone;
};

const char *req_env(const struct req *, const char *name);       /* NULL if missing or empty */
const char *req_header(const struct req *, const char *cgi_name); /* name as "HTTP_IF_MATCH" */
/* True if a browser opens the address as a page of its own. No script can send these headers. */
bool req_is_opened(const struct req *);
const char *req_address(const struct req *); /* the client's IP address, or "" */
/* Of IPv6 the subscriber's network, else the address. */
const char *network_of(const struct req *);
/* Returns the different values sent for a cookie's name, in the browser's order. There may be
 * several, because a sibling host can set the cookie for the whole domain and a script for a longer
 * path. Callers must look each up to find ours. Values after the first COOKIES are ignored. */
enum { COOKIES = 8 };
struct cookies {
	const char *v[COOKIES];
	size_t n;
};
void req_cookies(const struct req *, const char *name, struct cookies *out);
bool
req_same_origin(const struct req *); /* the browser says that one of our own pages sent it */
/* True if the reply warns of names that the route doesn't know. */
bool req_warns(const struct req *);
enum err req_read_query(struct req *);
/* Returns the API's name of a form's field (.called of route.h). */
const char *req_api_name(void *owner, const struct route *form, const char *name);
enum err req_read_body(struct req *);
/* E_MEDIA_TYPE unless Content-Type is one that the row's body may have. */
enum err req_check_type(struct req *);
/* Reads the names and values of a form, valid or not, into r->c->mem. Returns how many. */
enum { PAIRS = 400 }; /* a table's page has 4 fields for each of 64 columns, 5 for 20 conditions */
size_t req_form_pairs(const struct req *, struct pair pairs[PAIRS]);
/* Converts a typed list, with items on lines or after commas and spaces, to the query's form with
 * commas. NULL if it is empty. */
const char *items_typed(void *mem, const char *typed);
/* Returns the least size of a sent file by Content-Length; a form has some bytes around it. */
int64_t req_file_least(const struct req *);
/* Reads one text from the query or, if the query may not have it, from a JSON body, before the
 * caller is authorised and the input is checked. *value is NULL if it is missing or not a text.
 * Fails like reading these, for any caller. */
enum err req_says(struct req *, const char *name, const char **value);
enum err req_map_body(struct req *); /* sets r->body without parsing it, for handlers of forms */

/* Sets a header; no other function does. Logs and drops a value with CR or LF. A later value
 * replaces an earlier one of the same name. Without '%' in fmt, fmt itself must live as long as the
 * request. */
void reply_header(struct req *, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
bool reply_has_header(const struct req *, const char *name);

/* Sets a cookie with any reply, except that a failure drops it unless the change was committed
 * (E_PENDING). max_age_s 0 makes the browser delete the cookie. */
void reply_cookie(
    struct req *, const char *name, const char *value, const char *path, int64_t max_age_s);
/* Replies with the route's template, filled from value, a struct of the shape that the row names
 * (NULL: it names none), and from what the row shows (route.h). status 0 means 200. */
enum err reply_page(struct req *, int status, const void *value);
/* reply_page() for a form that its handler refuses but whose changes stay: the page shows what was
 * typed, and why as in struct refused. */
enum err reply_refused(struct req *, int status, const char *why, const void *value);
/* reply_refused() with the page that shows the form (.again in route.h), if it isn't the row's own
 * page. */
enum err reply_again(struct req *, int status, const char *why, const void *value);
/* Redirects with 303. to must be a path of ours or an address that we made. */
enum err reply_redirect(struct req *, const char *to);
enum err reply_go(struct req *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The following write {"success":true,…} with the route's success status. */
enum err reply_none(struct req *);
enum err
reply_flat(struct req *, const void *value); /* fields of route->answer.shape beside success */
enum err reply_noun(struct req *, const void *value);   /* under route->answer.noun */
void reply_status(struct req *, int); /* sets another success status; ignored for a form */
/* Returns the address of the list's page that begins at cursor: this request's without the
 * parameters in the bar-list. NULL without a cursor. */
#define NEXT_WITHOUT "cursor|done" /* `done` in a page's address says which action led to it */
const char *req_next(const struct req *, const char *cursor, const char *without);
/* Like req_next(), with another parameter in place of the cursor. */
const char *req_with(
    const struct req *, const char *name, const char *value, const char *without);
/* Writes rows under route->answer.noun, and a Link header. cursor is NULL on the last page. */
enum err reply_list(struct req *, const struct list *rows, const char *cursor);
/* reply_list() of what fn(c, …, type *rows, const char **cursor) lists. */
#define reply_list_of(r, type, fn, ...) \
	({ \
		type rows_; \
		const char *next_; \
		enum err list_err_ = fn((r)->c, __VA_ARGS__, &rows_, &next_); \
		list_err_ ? list_err_ \
			  : reply_list((r), &(struct list){ rows_.v, rows_.n }, next_); \
	})
/* Writes the page that limit and cursor (NULL: the first) ask for, of a list that is read as a
 * whole, because it is bounded or an index can't sort it. The cursor is the last row's first
 * member, a text that is unique in the list. If that row is gone, the page begins after the rows
 * that would precede it; an unsorted list fails with E_INVALID. LIST_OWNER_FIRST rises from its
 * second row on, and must have a first. */
enum list_order { LIST_RISING, LIST_FALLING, LIST_OWNER_FIRST, LIST_UNSORTED };
enum err reply_part(struct req *, const struct list *rows, enum list_order, int64_t limit,
    const char *cursor);
/* Gives the reply this ETag instead of one made from its bytes. Returns true if the caller has it:
 * the reply is then a complete 304. */
bool reply_etag(struct req *, const char *etag);
/* Fails with E_PRECONDITION if If-Match or If-None-Match forbids a change to what has this ETag.
 * NULL: it doesn't exist yet. */
enum err req_conditions(struct req *, const char *etag);
/* Like req_conditions(), for If-Match alone and the ETag that GET gives to value under the noun. */
enum err req_if_match(struct req *, const char *noun, const struct shape *, const void *value);
/* Like req_if_match(), if GET answers with this JSON body. */
enum err req_if_match_body(struct req *, const char *body);
/* Replies with an object's bytes, which nginx sends from an internal location (with ranges and
 * ETag). They are never active content: sandboxed, and an attachment unless `inside`, which only
 * types that can't run code may use (base/sniff.h). */
enum err reply_object(struct req *, const char *sha256_hex, const char *mime,
    const char *file_name, bool inside);
/* Replies with bytes that are made while they are sent: after the head, write() is called (not for
 * HEAD) and sends with req_write(). If it fails the connection is cut, so that no client takes a
 * part for the whole. Fails like share_stream(). */
enum err reply_stream(struct req *, const char *mime, const char *file_name,
    enum err (*write)(struct req *, void *arg), void *arg);
/* Sends bytes, waiting for a slow client. E_UNAVAILABLE, to be returned at once, if it has gone or
 * is too slow. */
enum err req_write(struct req *, const void *bytes, size_t n);
/* Replies with server-sent events: write() sends each with req_write(), and nginx passes it on at
 * once. Such a stream may be slow. */
void reply_events(struct req *, enum err (*write)(struct req *, void *arg), void *arg);
/* True if nginx has closed the connection, because its client left. */
bool req_left(const struct req *);
/* Makes nginx start the request again at one of its named locations, with the same body. The rest
 * of the reply is dropped. */
void reply_forward(struct req *, const char *place);
void reply_error_page(struct req *, int status, const struct page_error *);
/* Replies with a page of ours without a route, such as on content hosts. */
void reply_site_page(struct req *, int status, const char *name, const struct shape *,
    const void *value);
void reply_error(struct req *, enum err);
/* Drops the reply, because this machine was no longer active (base/lease.h) when the rows had been
 * read. Returns E_NOT_ACTIVE. */
enum err reply_not_active(struct req *);
void reply_retry_after(struct req *, int status); /* sets Retry-After for a 429 or 503 */
void reply_finish(struct req *); /* ETag, 304, and the headers of all replies */
const char *reply_reason(int status); /* the phrase of a status line */

/* Handles the request and fills in the reply in any case. In dispatch.c. */
void dispatch(struct req *);
/* Work for which the caller needn't wait. Called after the reply was sent. */
void dispatch_after(struct req *);

/* Returns the value of {name} in the path; aborts if the row's path has no such parameter. */
const char *req_param(const struct req *, const char *name);
int64_t req_param_no(const struct req *, const char *name);

/* Serves another route for this request's caller, as if they had requested it: it is authorised,
 * counted and, for a change, has its own transaction, so the outer route must have none
 * (no_transaction). The result has the reply, also of a failure, and lives as long as the outer
 * request. If it is `forwarded`, nothing was done, and the outer request must be forwarded
 * (share_slow()). */
struct serving {
	const char *method, *uri;    /* uri: without a query */
	const struct pair *query;    /* up to one without a name; a value may be NULL: left out */
	const struct json *body;     /* or NULL */
	const char *key;             /* an Idempotency-Key, or NULL */
	const struct span *attached; /* an archive for a row that takes one, or NULL */
	const char *if_match;        /* or NULL */
	const char *if_none_match;   /* or NULL */
	/* Takes the answer instead of JSON, unless there is a key, whose reply is kept. NULL: JSON.
	 */
	struct shown *shown;
};
const struct req *req_serve(struct req *outer, const struct serving *);
/* Asks a GET row of the API for the caller of r, and gives its answer as structs. The row's
 * {names} are parameters of r's path, n pairs are its query. The caller is checked as if they had
 * made that request. Fails as the row does. */
enum err req_show(
    struct req *r, const struct route *row, const struct pair *query, size_t n, struct shown *out);
/* Fails as the served request did, if it did. */
enum err req_served(struct req *outer, const struct req *served);
/* Returns the ETag of its JSON reply. */
const char *req_served_etag(struct req *outer, const struct req *served);

/* authenticate() finds the caller (authn.c); authorise() checks whether they may make the request
 * (permit.c). */
enum err authenticate(struct req *);
enum err authorise(struct req *);
/* authorise() without locking a row. */
enum err authorise_look(struct req *);
/* The first part of authorise(), which checks only who the caller is. */
enum err authorise_caller(struct req *);
enum err permit_unknown(struct req *); /* the refusal for a caller who isn't signed in */
#endif
