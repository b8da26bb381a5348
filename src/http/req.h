/* SPDX-License-Identifier: Apache-2.0
 * One request and the reply being made for it. Everything lives in r->c->mem. */
#ifndef VITRINE_REQ_H
#define VITRINE_REQ_H
#include "domain/artifact.h"
#include "domain/token.h"
#include "http/page.h"
#include "http/route.h"
#include "store/spool.h"

struct header {
	const char *name, *value;
};

struct req {
	struct ctx *c;
	char **env;               /* FastCGI parameters */
	const char *id;           /* request id */
	const char *method_name, *uri;
	int method;               /* enum method, or -1 */
	bool content;             /* for a content host: answered by gate.c */
	bool head;                /* HEAD: answered as GET without the bytes */
	const struct route *route;
	const char *p[PATH_PARAMS]; /* path parameters */
	const struct principal *who; /* NULL: nobody signed in */
	struct artifact
	    *art_seen; /* {art} as authenticate() found it with the token; for authorise() */
	const struct artifact *art;  /* loaded by ART_* policies */
	const void *in;           /* body in route->body.shape */
	const void *query;        /* query in route->query */
	void *prepared;           /* what route->prepare made */
	const char *body;         /* bytes of the body, mapped from the spool */
	size_t body_n;
	struct span form;         /* the body of BODY_JSON_OR_FORM when it is a form: not mapped */
	const char *body_path;    /* the spooled file, or NULL */
	struct quota {
		int64_t limit, left, reset_s, window_s; /* limit 0: the route has none */
	} quota;
	const char *taken[4]; /* keys of the limits that the handler took of */
	size_t taken_n;
	bool replayed;

	/* the reply */
	int status;
	struct header headers[40];
	size_t header_n;
	const char *cookies[4];
	size_t cookie_n;
	struct buf out;
	int out_fd; /* -1, or a file to send after out */
	int64_t out_fd_n;
};

const char *req_env(const struct req *, const char *name);       /* NULL if absent or empty */
const char *req_header(const struct req *, const char *cgi_name); /* "HTTP_IF_MATCH" */
const char *req_address(const struct req *); /* whence it came, or "" */
enum err req_cookie(struct req *, const char *name,
    const char **out); /* NULL if absent; E_INVALID if it came twice */
bool
req_same_origin(const struct req *); /* one of our own pages caused it, by what the browser says */
enum err req_read_query(struct req *);
enum err req_read_body(struct req *);
enum err req_map_body(struct req *); /* only makes r->body; for handlers that read forms */

/* The only writer of headers: refuses CR, LF and NUL by dropping the header and logging. Later
 * values of one name replace earlier. */
void reply_header(struct req *, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Sent with whatever the reply turns out to be, except that a failure of the transaction drops it.
 * max_age_s 0: forget it. */
void reply_cookie(
    struct req *, const char *name, const char *value, const char *path, int64_t max_age_s);
/* A page: the route's template filled from value; status 0 = 200. */
enum err reply_page(struct req *, int status, const void *value);
enum err reply_redirect(
    struct req *, const char *to); /* 303; to is a path of ours or an address that we made */

/* Each writes {"success":true,…} with the route's success status. */
enum err reply_none(struct req *);
enum err
reply_flat(struct req *, const void *value); /* fields of route->answer.shape beside success */
enum err reply_noun(struct req *, const void *value);   /* under route->answer.noun */
/* cursor NULL: the last page. Adds the Link header. */
enum err reply_list(struct req *, const struct list *rows, const char *cursor);
/* If-Match, when sent, must name the ETag that GET gives for value under the noun: E_PRECONDITION.
 */
enum err req_if_match(struct req *, const char *noun, const struct shape *, const void *value);
/* Bytes of an object: nginx sends them (ranges, ETag and all) through its internal location. Never
 * active content on the API's origin. */
enum err
reply_object(struct req *, const char *sha256_hex, const char *mime, const char *file_name);
/* A file made for this reply, size bytes from its start; closed with the request. */
enum err reply_fd(struct req *, int fd, int64_t size, const char *mime, const char *file_name);
void reply_error_page(struct req *, int status, const struct page_error *);
void reply_error(struct req *, enum err);
void reply_finish(struct req *); /* ETag, 304, and the headers every reply has */

/* dispatch.c: fills in the reply, whatever happens. */
void dispatch(struct req *);
/* after the reply has left: what need not make the caller wait */
void dispatch_after(struct req *);

/* authn.c, policy.c */
enum err authenticate(struct req *);
enum err authorise(struct req *);
enum { SCOPE_NAMES = DATA_WRITE + 1 };
#endif
