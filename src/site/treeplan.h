/* SPDX-License-Identifier: Apache-2.0
 * Which files the tree of a version has, and where: what was published, what is derived from it,
 * and what of both nginx may serve by itself. */
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
	struct batch *batch; /* the caller's, or begun when something is derived */
	struct redirects *redirects;
	struct headers *headers;
	int64_t steps; /* of looking which files the rules concern */
	struct tree_file *out;
	size_t n;
	bool dry;   /* nothing is put into the store: what the tree should be is only asked */
	bool later; /* the tree is made durable after the reply */
	bool renew; /* what is derived is written anew: no row names it, so nobody may have seen
	               that it is damaged */
};
enum { TREEPLAN_PAGE_BYTES = 8 << 20 }; /* no larger page is changed on its way into a tree */

/* NULL if there is none */
const struct file_row *treeplan_file(const struct treeplan *, const char *path);
enum err treeplan_digest(struct ctx *c, const char *hex, uint8_t out[SHA256_BYTES]);
/* The bytes of an object, at most max. */
enum err treeplan_text(struct ctx *c, const char *hex, size_t max, const char **bytes, size_t *n);
/* Reads _redirects and _headers; treeplan_area() and treeplan_entry() need them. */
enum err treeplan_rules(struct treeplan *);
enum tree_area treeplan_area(struct treeplan *, const struct file_row *);
/* Whether the entry page is served with tags of ours. */
bool treeplan_wants_tags(const struct version_row *v, const struct page_facts *f);
/* Adds the entry page as it is served, with what stands in its place at "/". */
enum err treeplan_entry(struct treeplan *, const struct file_row *entry, enum tree_area area);
/* Fills in out and n. */
enum err treeplan_make(struct treeplan *);
enum err treeplan_build(struct treeplan *, const char **building);
#endif
