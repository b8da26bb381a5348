/* SPDX-License-Identifier: Apache-2.0
 * A picture of one page, made by a browser that is steered by the DevTools protocol (Chromium's,
 * over its pipe). The browser may be taken over by the page: what it says is parsed with limits,
 * means nothing but what is asked here, and its picture is to be decoded and written anew. */
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
	int64_t most_ms;        /* for all of it */
	/* Asked for each thing that the page wants to load by GET, itself first; page: it is to be
	 * shown, not only used. The answer may live in one. False: it is not to be had. */
	bool (*fetch)(void *arg, struct ctx *one, const char *url, bool page,
	    struct devtools_answer *);
	void *arg;
	struct pagelog *log; /* starts as zeroes; what went wrong, in c->mem, picture or not */
};

/* What was seen. */
struct devtools_view {
	const char *png;
	size_t n;
	const char *text; /* the page's title and text, as its visitors read them, or what it says
			   * they are; plain and on one line, DEVTOOLS_TEXT_CHARS at most */
};
enum { DEVTOOLS_TEXT_CHARS = 20000 };

/* fd is browser_socket(). E_UNAVAILABLE when the browser never says a word: it can't run here.
 * E_INTERNAL when no picture came in time, or the page answered with another status than 200, or
 * went where it may not. A page that wants its visitor to sign in stays where it is. */
enum err devtools_shoot(
    struct ctx *c, int fd, const struct devtools_shot *, struct devtools_view *out);
#endif
