/* SPDX-License-Identifier: Apache-2.0
 * Front matter: fields in YAML at the head of a file of Markdown, between two lines of "---"; or a
 * file of YAML alone. Of YAML, texts, lists and maps, in blocks or in brackets; no anchors,
 * aliases, tags, directives, second documents, and no field twice. All that is no list and no map
 * is a text, as it was written. */
#ifndef VITRINE_FRONTMATTER_H
#define VITRINE_FRONTMATTER_H
#include "base/ctx.h"

enum {
	FM_BYTES = 64 << 10, /* of the YAML */
	FM_DEPTH = 6,
	FM_NODES = 5000,
	FM_MEMBERS = 100     /* of a map */
};

enum fm_kind { FM_TEXT, FM_LIST, FM_MAP };
struct fm {
	enum fm_kind kind;
	int line, column; /* in the file, from 1 */
	const char *name; /* of a map's member */
	const char *text; /* NULL: null, or nothing behind the colon */
	struct fm *v;     /* items, members */
	size_t n;
};
struct frontmatter {
	const struct fm *top; /* a map; NULL: the file has no front matter */
	const char *body;     /* what follows it */
};

/* text is valid UTF-8 without NUL; yaml: all of it is YAML. E_INVALID says what is wrong in words,
 * with details {"line":12,"column":18}. */
enum err frontmatter_read(
    struct ctx *c, const char *text, bool yaml, struct frontmatter *out);
/* The member of a map; NULL: none, also of a NULL map. */
const struct fm *fm_get(const struct fm *map, const char *name);
/* E_INVALID for something else that is wrong at a node: "Line 3: …", with the same details. */
enum err fm_fail(struct ctx *c, const struct fm *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
#endif
