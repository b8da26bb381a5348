/* SPDX-License-Identifier: Apache-2.0
 * Takes pictures of one page with Chromium, controlled by the DevTools protocol over a pipe. The
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
	unsigned width, height; /* of the window, and of the picture */
	unsigned most_height;   /* more than height: the picture shows as much of the page */
	unsigned phone_width, phone_height; /* of a second picture; 0: none is wanted */
	int64_t patience_ms;    /* then the first picture is taken, though the page still loads */
	int64_t most_ms;        /* until the first picture is there */
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
	const char *phone_png; /* NULL: there is none */
	size_t phone_n;
	bool has_text;    /* there is text on the page, beside its title */
	int64_t load_ms;  /* until its load event; 0: it came too late */
	int64_t bytes;    /* that it loaded */
	const char *facts; /* JSON that the page tells of itself; NULL: nothing */
	int64_t wide_px;  /* how wide it is on the phone; 0: unknown */
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
