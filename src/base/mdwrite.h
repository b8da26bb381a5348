/* SPDX-License-Identifier: Apache-2.0
 * Markdown as it is written, block by block: what is text stays text, whatever Markdown would take
 * it for, and lines begin as the quotes and lists that they are in. */
#ifndef VITRINE_MDWRITE_H
#define VITRINE_MDWRITE_H
#include "base/buf.h"

#include <stdbool.h>

enum { MD_PREFIX = 48 /* deeper lists and quotes are no deeper */, MD_MARKER = 12 };

struct md {
	struct buf out;
	size_t most; /* bytes of it; what comes then is left out */
	bool full;
	unsigned flat; /* not 0: in what has one line, where a break is a space */
	char prefix[MD_PREFIX], marker[MD_MARKER]; /* of each line; of the next one */
	size_t prefix_n, blank_n;                  /* blank_n: of a blank line */
	const char *lead; /* that the next line has behind its prefix, such as "## "; or NULL */
	int breaks; /* line ends before the next character */
	bool space; /* one before it, on the line */
	bool open;  /* the line's prefix is written */
	bool begun; /* behind it stands a character */
	size_t digits; /* the line has nothing but so many of them */
	char before;   /* the line's last byte */
};
#define MD(owner_, most_) ((struct md){ .out = BUF(owner_), .most = most_ })

/* Text: its white space is one space, and nothing of it is Markdown. What is no plain text is left
 * out. */
void md_text(struct md *, const char *text);
/* Bytes as they are, in one line. */
void md_raw(struct md *, const char *bytes, size_t n);
void md_space(struct md *);
/* A line ends; 2: a paragraph does. Several are one. */
void md_break(struct md *, int lines);
/* All lines from the next one on begin with that, too, until prefix_n is what it was. */
void md_quote(struct md *);
void md_item(struct md *, const char *marker);
void md_end(struct md *, size_t prefix_n);
/* What is pending is written, so that something may be put behind it. */
void md_flush(struct md *);
/* Takes back what was written since out had so many bytes. */
void md_cut(struct md *, size_t n);
/* A fence of backticks that none of the text ends, at least three. */
const char *md_fence(void *owner, const char *text);
#endif
