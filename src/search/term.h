/* SPDX-License-Identifier: Apache-2.0
 * Splits a query into terms and matches the words of a thing with them. */
#ifndef VITRINE_TERM_H
#define VITRINE_TERM_H
#include "search/index.h"

/* How a word matched, the best first. */
enum how { AS_ASKED, AS_BEGUN, AS_NEAR };
struct spelling {
	const char *word; /* as some thing has it */
	unsigned typos;
};
struct term {
	const char *whole;   /* NULL: a script without spaces */
	struct strs parts;   /* its parts by capitals and digits, or its pairs; all must match */
	/* a longer word also matches: this is the last word, or a single character */
	bool begins;
	struct spelling *near; /* similar words, sorted; lookup() fills them in */
	size_t near_n;
};
struct terms {
	struct term *v;
	size_t n;
};
/* Splits a query into at most SEARCH_WORDS terms. There are none if it has no letter or digit. */
struct terms terms_of(void *owner, const char *asked);

struct hit {
	bool found;
	unsigned typos;
	enum how how;
	int field;
	const char *word; /* the word that matched; NULL: it matched by parts */
};
struct hit term_hit(const struct term *, const struct index_words *);
/* Returns the text with MARKS (base/marked.h) around words that match. */
const char *terms_marked(void *owner, const struct terms *, const char *text);
/* Returns up to SNIPPET_CHARS characters of a long text around its first match, or NULL if
 * nothing matches. */
enum { SNIPPET_CHARS = 160 };
const char *terms_snippet(void *owner, const struct terms *, const char *text);
/* Returns the word as the text spells it, or in its folded form if the text doesn't have it. */
const char *word_in_text(void *owner, const char *word, const char *text);
#endif
