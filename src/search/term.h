/* SPDX-License-Identifier: Apache-2.0
 * What is asked for, word by word, and how well a thing's words agree with it. */
#ifndef VITRINE_TERM_H
#define VITRINE_TERM_H
#include "search/index.h"

/* How a word was found, the best first. */
enum how { AS_ASKED, AS_BEGUN, AS_NEAR };
struct spelling {
	const char *word; /* that some thing has */
	unsigned typos;
};
struct term {
	const char *whole;   /* NULL: of a script without spaces */
	struct strs parts;   /* all of them do instead: of its cases and digits, or pairs */
	bool begins;         /* so may a word: it is the last, or a single character */
	struct spelling *near; /* by word; filled in by who looks for them */
	size_t near_n;
};
struct terms {
	struct term *v;
	size_t n;
};
/* At most SEARCH_WORDS of them; none where nothing in it is a letter or a digit. */
struct terms terms_of(void *owner, const char *asked);

struct hit {
	bool found;
	unsigned typos;
	enum how how;
	int field;
	const char *word; /* where it is one */
};
struct hit term_hit(const struct term *, const struct index_words *);
/* The text, with MARKS (core/marked.h) around what agrees. */
const char *terms_marked(void *owner, const struct terms *, const char *text);
/* The part of a long text where something of it agrees first; NULL: nothing does. */
enum { SNIPPET_CHARS = 160 };
const char *terms_snippet(void *owner, const struct terms *, const char *text);
/* The word as the text has it; where it hasn't, as it is kept. */
const char *word_in_text(void *owner, const char *word, const char *text);
#endif
