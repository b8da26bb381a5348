/* SPDX-License-Identifier: Apache-2.0
 * Front matter: YAML fields at the head of a Markdown file between two lines of "---", or a file of
 * YAML alone. Supports texts, lists and maps, in blocks or brackets; refuses anchors, aliases,
 * tags, directives, second documents and repeated fields. Every scalar is a text as written. */
#ifndef VITRINE_FRONTMATTER_H
#define VITRINE_FRONTMATTER_H
#include "base/ctx.h"

enum {
	FM_BYTES = 64 << 10, /* of the YAML */
	FM_DEPTH = 6,
	FM_NODES = 5000,
	FM_MEMBERS = 100     /* of a map */
};

struct buf;

/* Limits of a file of YAML; `what` names it in refusals. */
struct fm_limits {
	const char *what;
	size_t bytes, nodes;
};

enum fm_kind { FM_TEXT, FM_LIST, FM_MAP };
struct fm {
	enum fm_kind kind;
	int line, column; /* in the file, from 1 */
	const char *name; /* of a map's member, else NULL */
	const char *text; /* of FM_TEXT; NULL for null or an empty value */
	bool plain;       /* the text isn't in quotes */
	struct fm *v;     /* items or members */
	size_t n;
};
struct frontmatter {
	const struct fm *top; /* a map; NULL if the file has no front matter */
	const char *body;     /* the text after the front matter */
};

/* text must be valid UTF-8 without NUL. yaml: the whole text is YAML. E_INVALID explains the
 * mistake in words, with details {"line":12,"column":18}. Results live in c->mem. */
enum err frontmatter_read(
    struct ctx *c, const char *text, bool yaml, struct frontmatter *out);
/* Reads a file of YAML alone, with limits of its own. */
enum err yaml_file_read(
    struct ctx *c, const char *text, struct fm_limits, const struct fm **top);
/* Appends a value as JSON. A plain text that is a number, true, or false becomes that. */
void fm_json(struct buf *, const struct fm *);
/* Returns a map's member; NULL if there is none or map is NULL. */
const struct fm *fm_get(const struct fm *map, const char *name);
/* Fails with E_INVALID for another mistake at a node: "Line 3: …", with the details as above. */
enum err fm_fail(struct ctx *c, const struct fm *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
#endif
