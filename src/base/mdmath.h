/* SPDX-License-Identifier: Apache-2.0
 * Formulas in Markdown: $…$ on one line without backticks, and $$…$$, which may have several. The
 * first $ stands before no blank, and the second one after none and before no digit, so prices stay
 * text. Formulas are taken out of a text before cmark reads it, since TeX has _ and \{ of its own.
 * They come back as <code class="math">, but as they were in code, HTML and addresses. */
#ifndef VITRINE_MDMATH_H
#define VITRINE_MDMATH_H
#include <stdbool.h>
#include <stddef.h>

struct mdmath {
	void *owner;
	struct mdmath_one {
		char *tex; /* without dollars */
		bool display;
	} *v;
	size_t n;
};
/* Returns the text, of *n bytes, with a mark in place of each formula. Sets *n to its length. */
const char *mdmath_take(void *owner, const char *text, size_t *n, struct mdmath *out);
/* Puts formulas back into code, HTML and addresses of the tree that cmark has made of it. Its HTML
 * then has marks in texts alone. */
struct cmark_node;
void mdmath_settle(struct cmark_node *document, const struct mdmath *);
/* Return a text, or that HTML, with its formulas. */
const char *mdmath_back(const struct mdmath *, const char *text);
const char *mdmath_html(const struct mdmath *, const char *html);
#endif
