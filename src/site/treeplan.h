/* SPDX-License-Identifier: Apache-2.0
 * Plans the tree of a version: which files it has and where, published or derived, and which of
 * them nginx may serve by itself. */
#ifndef VITRINE_TREEPLAN_H
#define VITRINE_TREEPLAN_H
#include "site/project.h"

struct redirects;
struct headers;

/* The parts of a tree while it is made. */
struct treeplan {
	struct ctx *c;
	const struct version_row *version;
	const struct page_facts *facts;
	const struct list *files;
	struct batch *batch; /* the caller's, or begun with the first derived file */
	struct redirects *redirects;
	struct headers *headers;
	const struct file_row *sorted; /* files by path, while treeplan_make() runs */
	int64_t steps; /* the work of finding the files that rules concern */
	struct tree_file *out;
	size_t n;
	bool dry;   /* stores nothing: the caller only asks what the tree should have */
	bool later; /* a caller makes the tree durable after the reply */
	bool renew; /* writes derived files anew: no row names them, so nobody may have noticed
		     * damage */
};
enum { TREEPLAN_PAGE_BYTES = 8 << 20 }; /* we don't change larger pages */

/* NULL if there is none */
const struct file_row *treeplan_file(const struct treeplan *, const char *path);
enum err treeplan_digest(struct ctx *c, const char *hex, uint8_t out[SHA256_BYTES]);
/* Reads an object, at most max bytes. */
enum err treeplan_text(struct ctx *c, const char *hex, size_t max, const char **bytes, size_t *n);
/* Reads _redirects and _headers; treeplan_area() and treeplan_entry() need them. */
enum err treeplan_rules(struct treeplan *);
enum tree_area treeplan_area(struct treeplan *, const struct file_row *);
/* True if we put tags into the entry page. */
bool treeplan_wants_tags(const struct version_row *v, const struct page_facts *f);
/* Adds the entry page as it is served, and the file that is served at "/". */
enum err treeplan_entry(struct treeplan *, const struct file_row *entry, enum tree_area area);
/* Fills in out and n. */
enum err treeplan_make(struct treeplan *);
enum err treeplan_build(struct treeplan *, const char **building);
#endif
