/* SPDX-License-Identifier: Apache-2.0
 * Writes Markdown block by block. Text stays text, even where Markdown would give it a meaning, and
 * lines begin with the prefixes of the quotes and lists around them. */
#ifndef VITRINE_MDWRITE_H
#define VITRINE_MDWRITE_H
#include "base/buf.h"

#include <stdbool.h>

enum { MD_PREFIX = 48 /* bytes; deeper lists and quotes add no prefix */, MD_MARKER = 12 };

struct md {
	struct buf out;
	size_t most; /* bytes of out; text beyond is left out */
	bool full;
	unsigned flat; /* not 0: within an element of one line, where a break becomes a space */
	/* prefix of each line; marker of the next line */
	char prefix[MD_PREFIX], marker[MD_MARKER];
	size_t prefix_n, blank_n;                  /* blank_n: prefix bytes of a blank line */
	const char *lead; /* put after the next line's prefix, such as "## "; or NULL */
	int breaks; /* line ends before the next character */
	bool space; /* a space before the next character */
	bool open;  /* the line's prefix is written */
	bool begun; /* the line has a character after its prefix */
	size_t digits; /* how many digits the line has, if it has only digits */
	char before;   /* last byte of the line */
};
#define MD(owner_, most_) ((struct md){ .out = BUF(owner_), .most = most_ })

/* Adds text with its Markdown escaped. White space becomes one space; characters that aren't plain
 * text are left out. */
void md_text(struct md *, const char *text);
/* Adds bytes unchanged. They must not contain a line end. */
void md_raw(struct md *, const char *bytes, size_t n);
void md_space(struct md *);
/* Ends a line (lines is 1) or a paragraph (2). Several breaks in a row count as the largest. */
void md_break(struct md *, int lines);
/* md_quote() and md_item() add a prefix to the lines that follow. md_end() ends it: prefix_n must
 * be the value before. */
void md_quote(struct md *);
void md_item(struct md *, const char *marker);
void md_end(struct md *, size_t prefix_n);
/* Writes a pending prefix or space, so that bytes may follow directly. */
void md_flush(struct md *);
/* Removes everything after the first n bytes of out. */
void md_cut(struct md *, size_t n);
/* Returns a fence of backticks, at least three, longer than any run of them in the text. */
const char *md_fence(void *owner, const char *text);
#endif
