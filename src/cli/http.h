/* SPDX-License-Identifier: Apache-2.0
 * The client's requests. Only http.c includes libcurl. A request that is safe to repeat is repeated
 * after a lost connection or a 502, 503 or 504; after a 429, it waits as long as the service asks,
 * up to a minute. It follows no redirect, reads at most HTTP_REPLY_BYTES of a reply, and fails if
 * the service sends nothing for HTTP_STALL_S seconds. */
#ifndef VITRINE_CLI_HTTP_H
#define VITRINE_CLI_HTTP_H
#include "cli/cli.h"

enum { HTTP_REPLY_BYTES = 16 << 20, HTTP_STALL_S = 150 /* nginx gives a worker 120 s */ };

/* n bytes of an open file from offset `at` on, sent unchanged. all: the file's size, if it is sent
 * in pieces; else 0. */
struct http_file {
	int fd;
	int64_t n, at, all;
};

struct http_req {
	const char *method, *path; /* path: below the service's address */
	const char *body;          /* JSON, or NULL */
	size_t body_n;
	const char
	    *archive; /* a file that is sent as a form's part "archive", body as "manifest" */
	const struct http_file *file; /* sent in place of body and archive; or NULL */
	int save_fd;                  /* receives the bytes of a 200; or -1 */
	int64_t save_bytes;           /* the most bytes to save; one byte more ends the request */
	int64_t save_from;            /* bytes saved before; the request asks for the rest */
	struct sha256 *digest;        /* gets the bytes that are saved; or NULL */
	bool shown;                   /* show a progress bar */
	const char *key;              /* Idempotency-Key; NULL: a random one */
	const char *const *heads;     /* more header lines; ends with NULL; or NULL */
	/* Never repeated, and a failure that may pass isn't printed: see http_res.again. */
	bool once;
	/* Returns the service's error in terms of what was typed; NULL: cli->reword decides. NULL
	 * if no error needs it. */
	const char *(*reword)(struct cli *, const char *error, const void *arg);
	const void *reword_arg;
};
struct http_res {
	long status;
	const struct json *json; /* an object; NULL for a 204 to DELETE, for saved bytes, and for
	                            failures without a body */
	int64_t saved;           /* bytes, with save_from */
	/* If a request with `once` failed and may succeed later: why, and the seconds that the
	 * service asks to wait, or 0. */
	const char *again;
	long again_s;
	/* With http_try(): the reply's body as it came, its type and its ETag (or NULL). */
	const char *text, *mime, *etag;
	size_t text_n;
};
/* Returns the file of the authorities that are trusted: $VITRINE_CA, $SSL_CERT_FILE, or this
 * system's. NULL: none of those is there; libcurl then takes its own. */
const char *http_ca(void);
/* Sends a request. Returns EXIT_FINE after a 2xx with the expected body; else the exit status,
 * after printing the service's error or what is wrong with its answer. Errors whose codes are
 * listed in quiet ("MISSING_BLOBS") aren't printed. */
int http_send(struct cli *, const struct http_req *, const char *quiet, struct http_res *out);
/* Sends a request once and judges nothing: out has the status, the body if it is an object, and
 * again_s. Returns false if there was no reply; out->again says why. */
bool http_try(struct cli *, const struct http_req *, struct http_res *out);
/* In a process that was forked: leaves the connections to its parent. */
void http_forked(void);
/* Waits before the next try of a request with `once`. Returns false after too many tries in a row,
 * after saying so about `what`. The caller sets *tries to 0 after each success. */
bool http_wait(struct cli *, const char *what, const struct http_res *, int *tries);
/* Reads the pages of the list at path, which is the reply's member `list`. Calls page() with each
 * reply, whose memory ends with the call, until page() returns a failure. */
int http_pages(struct cli *, const char *path, const char *list,
    int (*page)(struct cli *, const struct json *reply, void *arg), void *arg);
/* Sends a request without a body. does: its method and path ("GET /v1/artifacts/%s"). */
int http_do(struct cli *, struct http_res *out, const char *does, ...)
    __attribute__((format(printf, 3, 4)));
/* Sends a request with a JSON body. options: for cli_member_error(), which rewords the service's
 * error; or NULL. */
int http_json(struct cli *, const char *method, const char *path, const struct buf *body,
    const char *const options[][2], struct http_res *out);
#endif
