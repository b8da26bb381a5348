/* SPDX-License-Identifier: Apache-2.0
 * Facts read from a note's path and text alone: which note a path means, the title, and the
 * links. */
#ifndef VITRINE_NOTETEXT_H
#define VITRINE_NOTETEXT_H
#include "base/ctx.h"
#include "base/crypto.h"
#include "base/markdown.h"
#include "knowledge/note.h"

/* The note that a path means: a learned one by its page's slug, or a person's by a key. Paths
 * that look the same to people have equal keys. */
struct note_ref {
	const char *path;
	bool learned;     /* it is below NOTE_PAGES */
	const char *slug; /* of a learned note; NULL: no page can have this slug */
	uint8_t key[SHA256_BYTES];
};
struct note_ref note_ref_of(struct ctx *c, const char *path);
/* Returns the path of an artifact's note. */
const char *note_learned_path(struct ctx *c, const char *slug);

/* Returns the first heading, or else the name at the end of the path; at most NOTE_TITLE
 * characters. */
const char *note_title(struct ctx *c, const char *path, struct bytes content);
/* Returns the text after its front matter. */
struct bytes note_text(struct bytes content);
/* Returns the full path of a link's target, with .md, or NULL if no note can have that path. */
const char *note_link_path(struct ctx *c, const char *target);

/* A link of the text. Only the first link to each note counts. */
struct note_said {
	struct note_ref to;
	const char *text, *before, *after;
};
struct note_saids {
	struct note_said *v;
	size_t n;
	bool more; /* there were more than NOTE_LINKS; `v` has the first ones */
};
void note_links(struct ctx *c, struct bytes content, struct note_saids *out);
#endif
