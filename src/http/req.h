/* SPDX-License-Identifier: Apache-2.0
 * One request and the reply being made for it. Everything lives in r->c->mem. */
#ifndef VITRINE_REQ_H
#define VITRINE_REQ_H
#include "base/principal.h"
#include "http/page.h"
#include "http/route.h"
#include "store/spool.h"

struct artifact;
struct outside_read;
struct ticket_seen;
struct workspace;

struct header {
	const char *name, *value;
};

/* A form that was refused, for the page that is shown again. */
struct refused {
	const struct route *row; /* the form's; NULL: none was */
	const char *path;        /* where the form is sent */
	const char *why; /* as fail() has it: "slug: is reserved" is shown beside the field */
};

/* The answer of a GET row of the API, as values of its shape. */
struct shown {
	const struct shape *shape;
	const void *value;  /* of a noun; NULL for a list */
	struct list rows;   /* of a list */
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
#define SHOWN(T, value_) (struct shown){ .shape = &T##_shape, .value = (value_) }

struct req {
	struct ctx *c;
	char **env;               /* FastCGI parameters */
	const struct req *outer;  /* set by req_serve(): the request that this one is made for */
	const char *id;           /* request id */
	const char *method_name, *uri;
	int method;               /* enum method, or -1 */
	bool content;             /* the request is to a content host */
	const char *site; /* the host's slug when its page calls the API; else gate.c answers */
	const char *subdomain; /* of a content host; NULL: the artifact's plain one */
	bool head;                /* HEAD: answered as GET without the bytes */
	const struct route *route;
	const struct route *meant; /* with no route: one of that path, for another method */
	struct param p[PATH_PARAMS];
	const struct principal *who; /* NULL: nobody signed in */
	bool loaded;              /* authenticate() has looked for the row's noun */
	bool judged;              /* authorise() has let the caller through */
	const struct artifact *art; /* {art}, as the caller sees it */
	const struct workspace *ws; /* {ws}, as the caller sees it */
	const struct ticket_seen *ticket; /* {tkt}, as the caller has it */
	const struct outside_read *seen; /* by somebody outside, by a grant; NULL: nothing is */
	const void *in;           /* the body, as route->body.shape; a struct json of BODY_OBJECT */
	const void *query;        /* the query, as route->query */
	const struct pair *more;  /* what else it has, of a row with open_query */
	size_t more_n;
	const struct json *json;  /* the body when it is JSON */
	void *prepared;           /* what route->prepare made */
	const char *body;         /* bytes of the body, mapped from the spool */
	size_t body_n;
	struct span form;         /* the body when it is multipart or a file: not mapped */
	const struct span *attached; /* of req_serve(): a file beside its JSON, or NULL */
	const uint8_t *digest;    /* of address and body, when an Idempotency-Key needed it */
	const char *body_path;    /* the spooled file, or NULL */
	struct quota {
		int64_t limit, left, reset_s, window_s; /* limit 0: the route has none */
	} quota;
	bool quota_taken;     /* of the limits in the row */
	struct {
		enum limit_kind limit;
		const char *key;
	} taken[4]; /* of the limits that handler and prepare() took of */
	size_t taken_n;
	struct idem_claim {
		const char *user_id, *key; /* NULL: no Idempotency-Key was claimed */
	} claim;
	struct refused refused;
	const char *made;     /* a new secret that the page shows once; NULL: none */
	struct shown *shown;  /* takes the answer of a GET row (req_show()); NULL: write it */
	bool replayed;
	bool passed_on;        /* status and body are another server's */
	bool turned_away;      /* refused for what others are at: it counts in no limit */
	bool saved;            /* its transaction is committed */
	bool forwarded;        /* to another of nginx's locations, where it is answered */
	int64_t retry_after_s; /* 0: as the status and the limits say */

	/* the reply */
	int status;
	struct header headers[40];
	size_t header_n;
	const char *cookies[6];
	size_t cookie_n;
	struct buf out;
	enum err (*stream)(struct req *, void *arg); /* writes the body; NULL: out is it */
	void *stream_arg;
	void *wire;     /* worker.c's connection, while stream() runs */
	bool etag_given; /* by reply_etag() */
	int fd;         /* the same, as long as the request lasts; 0: it has none */
	bool cut, gone; /* the body ended before its end; since the client went or crawled */
};

const char *req_env(const struct req *, const char *name);       /* NULL if absent or empty */
const char *req_header(const struct req *, const char *cgi_name); /* "HTTP_IF_MATCH" */
const char *req_address(const struct req *); /* the client's IP address, or "" */
const char *network_of(const struct req *);  /* the same; of IPv6, the subscriber's network */
/* The different values that came for a cookie's name, in the browser's order. There may be several:
 * a sibling host can set a cookie of that name for the whole domain, and a script one for a longer
 * path. Which is ours only looking each up can tell; those past COOKIES are not looked at. */
enum { COOKIES = 8 };
struct cookies {
	const char *v[COOKIES];
	size_t n;
};
void req_cookies(const struct req *, const char *name, struct cookies *out);
bool
req_same_origin(const struct req *); /* by what the browser says, one of our own pages sent it */
/* Whether what the request names and the route does not know is told in its reply. */
bool req_warns(const struct req *);
enum err req_read_query(struct req *);
enum err req_read_body(struct req *);
/* The names and values of a form, whether or not they are right, in r->c->mem. Returns how many. */
enum { PAIRS = 100 };
size_t req_form_pairs(const struct req *, struct pair pairs[PAIRS]);
/* The items of a list as a query has them: people put each on a line, and spaces behind commas.
 * NULL: there is none. */
const char *items_typed(void *mem, const char *typed);
/* How large a file that is sent is at least, by Content-Length: a form has a little more. */
int64_t req_file_least(const struct req *);
/* What its query or, where that may not name it, its body says, a JSON object: before who asks has
 * been judged, and before it is checked. NULL: nothing, or what is no text. Fails as reading them
 * would, for whoever asks. */
enum err req_says(struct req *, const char *name, const char **value);
enum err req_map_body(struct req *); /* sets r->body without parsing it, for handlers of forms */

/* Sets a header; no other function does. A value with CR, LF or NUL is logged and not sent. A later
 * value of the same name replaces an earlier one. */
void reply_header(struct req *, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Sets a cookie with whatever reply is sent, except that a failure drops it unless the change was
 * committed (E_PENDING). max_age_s 0 makes the browser forget the cookie. */
void reply_cookie(
    struct req *, const char *name, const char *value, const char *path, int64_t max_age_s);
/* Replies with the route's template filled from value. status 0 means 200. */
enum err reply_page(struct req *, int status, const void *value);
/* The same for a form that its handler refuses itself, since what it wrote stays: the page shows
 * what was typed, and why, as struct refused has it. */
enum err reply_refused(struct req *, int status, const char *why, const void *value);
/* The same with the page that the form stands on (route.h, again), where that is another than its
 * row replies with. */
enum err reply_again(struct req *, int status, const char *why, const void *value);
enum err reply_redirect(
    struct req *, const char *to); /* 303; to is a path of ours or an address that we made */

/* The following four write {"success":true,…} with the route's success status. */
enum err reply_none(struct req *);
enum err
reply_flat(struct req *, const void *value); /* fields of route->answer.shape beside success */
enum err reply_noun(struct req *, const void *value);   /* under route->answer.noun */
void reply_status(struct req *, int); /* then, for another one; a form's handler may be the same */
/* The address of this list's part that begins at cursor: this request's, without the parameters of
 * that bar-list. NULL without a cursor. */
#define NEXT_WITHOUT "cursor|done" /* of a page, whose `done` says what led to it */
const char *req_next(const struct req *, const char *cursor, const char *without);
/* The same with any parameter in place of the cursor. */
const char *req_with(
    const struct req *, const char *name, const char *value, const char *without);
/* Writes rows under route->answer.noun, and the Link header. cursor is NULL on the last page. */
enum err reply_list(struct req *, const struct list *rows, const char *cursor);
/* The same with what fn(c, …, type *rows, const char **cursor) lists. */
#define reply_list_of(r, type, fn, ...) \
	({ \
		type rows_; \
		const char *next_; \
		enum err list_err_ = fn((r)->c, __VA_ARGS__, &rows_, &next_); \
		list_err_ ? list_err_ \
			  : reply_list((r), &(struct list){ rows_.v, rows_.n }, next_); \
	})
/* Writes the part of a list that limit and cursor (NULL: the first) ask for, of one that is read as
 * a whole, since something bounds it or its rows can't be sorted by an index. The cursor is the
 * last row's first member, a text that no two rows have in common. Where that row is gone, the next
 * part begins behind those that would stand before it; a list in no order refuses: E_INVALID.
 * LIST_OWNER_FIRST rises from its second row on; there is always a first. */
enum list_order { LIST_RISING, LIST_FALLING, LIST_OWNER_FIRST, LIST_UNSORTED };
enum err reply_part(struct req *, const struct list *rows, enum list_order, int64_t limit,
    const char *cursor);
/* Gives the reply this ETag, instead of one that is made from its bytes. True when the caller has
 * it: the reply is 304 then, and there is nothing more to write. */
bool reply_etag(struct req *, const char *etag);
/* E_PRECONDITION when If-Match or If-None-Match forbids to change what has this ETag; NULL: there
 * is nothing yet. */
enum err req_conditions(struct req *, const char *etag);
/* The same for If-Match alone, and the ETag that GET gives for value under the noun. */
enum err req_if_match(struct req *, const char *noun, const struct shape *, const void *value);
/* The same, where GET gives a JSON answer with this body. */
enum err req_if_match_body(struct req *, const char *body);
/* Replies with the bytes of an object, which nginx sends (ranges, ETag and all) through its
 * internal location. They are never sent as active content on the API's origin: they are an
 * attachment unless `inside` says that a browser may show them, which only what can't run
 * anything may (base/sniff.h), and sandboxed in any case. */
enum err reply_object(struct req *, const char *sha256_hex, const char *mime,
    const char *file_name, bool inside);
/* Bytes that are made while they are sent: once the head has left, write() is called (not for HEAD)
 * and sends by req_write() as it makes. When it fails the connection is cut, so that no client
 * takes a part for the whole. Refused as share_stream() does. */
enum err reply_stream(struct req *, const char *mime, const char *file_name,
    enum err (*write)(struct req *, void *arg), void *arg);
/* Waits for a client that takes less; E_UNAVAILABLE, to be passed up at once, when it has gone or
 * takes next to nothing. */
enum err req_write(struct req *, const void *bytes, size_t n);
/* Server-sent events that are written while others make them: write() sends each by req_write(),
 * and nginx hands it on at once. Such a stream may be as slow as what it waits for. */
void reply_events(struct req *, enum err (*write)(struct req *, void *arg), void *arg);
/* Whether nginx has hung up, since its client has. */
bool req_left(const struct req *);
/* Has nginx begin the request anew at a named location of its, with the same body. Nothing else of
 * the reply counts. */
void reply_forward(struct req *, const char *place);
void reply_error_page(struct req *, int status, const struct page_error *);
/* A page of ours without a route, such as those of content hosts. */
void reply_site_page(struct req *, int status, const char *name, const struct shape *,
    const void *value);
void reply_error(struct req *, enum err);
void reply_retry_after(struct req *, int status); /* when to come again, after a 429 or 503 */
void reply_finish(struct req *); /* ETag, 304, and the headers every reply has */
const char *reply_reason(int status); /* the phrase beside it in a status line */

/* Handles the request and fills in the reply, whatever happens. In dispatch.c. */
void dispatch(struct req *);
/* Does what the caller need not wait for. Called after the reply has left. */
void dispatch_after(struct req *);

/* The value of {name} in the path; aborts when the row's path has no such parameter. */
const char *req_param(const struct req *, const char *name);
int64_t req_param_no(const struct req *, const char *name);

/* Serves another route for the caller of this request, as if they had requested it themselves: it
 * is judged, counted and, if it changes something, has a transaction of its own. So the outer route
 * must have none (no_transaction). json is the body, or NULL; key an Idempotency-Key, or NULL. The
 * result has the reply, failures included, and lives as long as the outer request. When it is
 * `forwarded`, nothing was done yet, and the outer request has to be (share_slow()). */
struct serving {
	const char *method, *uri;
	const char *json;
	const char *key;
	const struct span *attached; /* an archive for a row that takes one; or NULL */
	const char *if_match;        /* or NULL */
	const char *if_none_match;   /* or NULL */
};
const struct req *req_serve(struct req *outer, const struct serving *);
/* Asks a GET row of the API, "GET /v1/…", for the caller of r, and gives its answer as structs. The
 * row's {names} are parameters of r's path, n pairs are its query. The caller is checked as if they
 * had made that request. Fails as the row does. */
enum err req_show(
    struct req *r, const char *row, const struct pair *query, size_t n, struct shown *out);
/* Replies with the page of a row with `shows`. own is the struct of the shape that the row names;
 * NULL if it names none. */
enum err reply_shows(struct req *r, int status, const void *own);
/* Fails as it did, if it did. */
enum err req_served(struct req *outer, const struct req *served);
/* The ETag of its reply, in JSON. */
const char *req_served_etag(struct req *outer, const struct req *served);

/* authn.c finds out who the caller is; permit.c decides whether they may make the request. */
enum err authenticate(struct req *);
enum err authorise(struct req *);
/* The same without ever locking a row. */
enum err authorise_look(struct req *);
/* Its first part, which looks at nothing but who the caller is. */
enum err authorise_caller(struct req *);
enum err permit_unknown(struct req *); /* the refusal for a caller who is nobody */
#endif
