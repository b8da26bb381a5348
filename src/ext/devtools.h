/* SPDX-License-Identifier: Apache-2.0
 * Takes a picture of one page with Chromium, controlled by the DevTools protocol over a pipe. The
 * page may have taken the browser over: its messages are parsed with limits and used only for the
 * answers asked for here, and callers must decode the picture and encode it anew. */
#ifndef VITRINE_DEVTOOLS_H
#define VITRINE_DEVTOOLS_H
#include "base/ctx.h"

#include <stddef.h>

struct devtools_answer {
	int status;
	const char *head; /* "Name: value" lines, each ended by \r\n */
	const char *body;
	size_t body_n;
};

struct pagelog;
struct devtools_shot {
	const char *url;
	unsigned width, height; /* of the window */
	unsigned parts;         /* the picture has width / parts by height / parts pixels */
	int64_t most_ms;        /* for everything */
	/* Called for each GET of the page, first for itself. page: the result is shown as a
	 * document. The answer may live in `one`. Returns false to refuse. */
	bool (*fetch)(void *arg, struct ctx *one, const char *url, bool page,
	    struct devtools_answer *);
	void *arg;
	/* Must be zeroed; filled with what went wrong, in c->mem, even without a picture. */
	struct pagelog *log;
};

/* The result. */
struct devtools_view {
	const char *png;
	size_t n;
	/* The page's title and text as visitors read them, or as the page claims: plain, on one
	 * line, at most DEVTOOLS_TEXT_CHARS. */
	const char *text;
};
enum { DEVTOOLS_TEXT_CHARS = 20000 };

/* fd is room_socket(). E_UNAVAILABLE if the browser sends no message at all, so it can't run here.
 * E_INTERNAL if no picture came in time, the page's status wasn't 200, or it went to a forbidden
 * address. A page that sends its visitor to sign in is kept where it is. */
enum err devtools_shoot(
    struct ctx *c, int fd, const struct devtools_shot *, struct devtools_view *out);
#endif
