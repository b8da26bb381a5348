/* SPDX-License-Identifier: Apache-2.0
 * HTML within Markdown. Keeps a few elements and attributes that neither run nor load anything but
 * pictures. Every tag is written anew from the lists in mdhtml.c; nothing of the source is copied
 * but escaped text and checked attribute values. */
#ifndef VITRINE_MDHTML_H
#define VITRINE_MDHTML_H
#include "base/buf.h"

struct mdhtml {
	void *owner;
	const char *(*to)(void *arg, const char *address); /* as of markdown_led(); links alone */
	void *arg;
	size_t firsts; /* headings of the first level so far, in the text and in its HTML */
	struct buf open; /* containers and elements that are open, a byte each */
	size_t depth;    /* elements among them */
};

/* A container is an element that Markdown makes. An element that begins in one ends in it. */
void mdhtml_enter(struct mdhtml *);
/* Returns the end tags of what is still open in the container. */
const char *mdhtml_leave(struct mdhtml *);
/* Returns what is kept of a piece of HTML. A heading's level is a digit after MDHTML_LEVEL. */
#define MDHTML_LEVEL '\1'
const char *mdhtml_kept(struct mdhtml *, const char *html);
/* Adds such a piece, with its headings so many levels lower. */
void mdhtml_put(struct buf *, const char *kept, int below);
/* Returns what is kept of HTML that is in no Markdown; NULL if that has no text. */
const char *mdhtml_alone(void *owner, const char *html);
#endif
