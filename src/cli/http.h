/* SPDX-License-Identifier: Apache-2.0
 * The client's requests; the client's only view of libcurl. Repeats what is safe to repeat after a
 * lost connection or a 502, 503 or 504, and waits as long as a 429 asks, up to a minute. Follows no
 * redirect, reads no more of a reply than HTTP_REPLY_BYTES, and gives up on a service that sends
 * nothing for HTTP_STALL_S. */
#ifndef VITRINE_CLI_HTTP_H
#define VITRINE_CLI_HTTP_H
#include "cli/cli.h"

enum { HTTP_REPLY_BYTES = 16 << 20, HTTP_STALL_S = 150 /* nginx gives a worker 120 s */ };

/* A file that is sent as it is: n bytes, from `at` on. all: how many there are of what is sent in
 * pieces; else 0. */
struct http_file {
	int fd;
	int64_t n, at, all;
};

struct http_req {
	const char *method, *path; /* below the service's address */
	const char *body;          /* JSON, or NULL */
	size_t body_n;
	const char
	    *archive; /* a file to send as a form's part "archive" beside body as "manifest" */
	const struct http_file *file; /* or NULL; in place of body and archive */
	int save_fd;               /* -1, or where a 200's bytes go */
	int64_t save_bytes;        /* how many there may be; one more ends it */
	int64_t save_from;         /* how many there are already, so that the rest is asked for */
	struct sha256 *digest;     /* of what is saved, or NULL */
	bool shown;                /* as a bar, how far that is */
	const char *key;           /* Idempotency-Key; NULL: one by chance */
	const char *const *heads;  /* more lines of its head; ends with NULL. NULL: none */
	/* What may go well another time is left to the caller, and nothing is said: see again. */
	bool once;
	/* What the client says in place of the service's error, in terms of what one typed; NULL
	 * for the error itself. */
	const char *(*told)(struct cli *, const char *error, const void *arg);
	const void *told_arg;
};
struct http_res {
	long status;
	const struct json *json; /* an object; NULL for a 204 to DELETE, for what was saved and for
	                            failures that say nothing */
	int64_t saved;           /* bytes, with those that were there */
	/* Of a request that is sent once: why it failed, if it may go well another time, and what
	 * the service asks to wait, or 0. */
	const char *again;
	long again_s;
};
/* EXIT_FINE for a 2xx that is what it should be; else the exit status, after the service's words,
 * or what is wrong with its answer, were printed, except for codes listed in quiet
 * ("MISSING_BLOBS"). */
int http_send(struct cli *, const struct http_req *, const char *quiet, struct http_res *out);
/* Asks once, for who judges the reply, whatever its status: out->json is its body, if that is an
 * object, and again_s what it asks to wait. false when there is none; out->again says why. */
bool http_try(struct cli *, const struct http_req *, struct http_res *out);
/* Waits before another try of what was sent once; false when there were enough in a row, after
 * saying of what. Set *tries to 0 whenever something gets through. */
bool http_wait(struct cli *, const char *what, const struct http_res *, int *tries);
/* The pages of the list at path, which is the reply's member `list`. page() has each reply, in
 * memory that ends with it, until it gives another status than EXIT_FINE. */
int http_pages(struct cli *, const char *path, const char *list,
    int (*page)(struct cli *, const struct json *reply, void *arg), void *arg);
/* A request that has JSON or nothing (NULL) for a body. */
int http_call(struct cli *, const char *method, const char *path, const struct buf *body,
    struct http_res *out);
#endif
