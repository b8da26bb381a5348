/* SPDX-License-Identifier: Apache-2.0
 * What a note's path and its text say by themselves: which note a path means, what the text is
 * called, and what it links to. */
#ifndef VITRINE_NOTETEXT_H
#define VITRINE_NOTETEXT_H
#include "base/ctx.h"
#include "base/crypto.h"
#include "base/markdown.h"
#include "knowledge/note.h"

/* Which note a path means: one that is learned, by the slug of its page, or a person's, by a key
 * that paths have in common which people take for the same. */
struct note_ref {
	const char *path;
	bool learned;     /* it is beneath NOTE_PAGES */
	const char *slug; /* of a learned one; NULL: no page can have it */
	uint8_t key[SHA256_BYTES];
};
struct note_ref note_ref_of(struct ctx *c, const char *path);
/* The path of an artifact's note. */
const char *note_learned_path(struct ctx *c, const char *slug);

/* What is called so: the first heading, else what the path ends with; at most NOTE_TITLE. */
const char *note_title(struct ctx *c, const char *path, struct bytes content);
/* The text without the front matter that it begins with. */
struct bytes note_text(struct bytes content);
/* What a link says, in full: with .md behind it. NULL: it can be no note's path. */
const char *note_link_path(struct ctx *c, const char *said);

/* A link of the text: to each note the first. */
struct note_said {
	struct note_ref to;
	const char *text, *before, *after;
};
struct note_saids {
	struct note_said *v;
	size_t n;
	bool more; /* than NOTE_LINKS, which are here */
};
void note_links(struct ctx *c, struct bytes content, struct note_saids *out);
#endif
