/* SPDX-License-Identifier: Apache-2.0
 * Facts of entries that pages show and the API doesn't: filters with counts, marked matches, words
 * for types, links in the text. */
#ifndef VITRINE_ENTRY_LOOK_H
#define VITRINE_ENTRY_LOOK_H
#include "catalog/entry.h"
#include "catalog/values.h"

#define FACET_VALUE(F, T) \
	F(T, STR,  value) \
	F(T, INT,  count) \
	F(T, BOOL, chosen)
SHAPE_DECLARE(facet_value, FACET_VALUE);

#define CATALOG_FACET(F, T) \
	F(T, STR,  facet,  .doc = "Parameter of the query") \
	F(T, LIST, values, .sub = &facet_value_shape)
SHAPE_DECLARE(catalog_facet, CATALOG_FACET);

/* Returns a list of struct catalog_facet: the most frequent values of each, and the chosen ones. */
struct list catalog_facets_said(
    struct ctx *c, const struct catalog_facets *, const struct catalog_query *);
/* True if a value of the facet has entries. A facet's own choice doesn't narrow its counts. */
bool catalog_counted(const struct list *facet);
/* Marks the match in the title or the description, or in the text shown instead: a tag, else the
 * path. */
void catalog_entry_mark(void *mem, const char *q, struct catalog_entry *);
/* Returns the text after the front matter, without a heading that repeats the title; NULL: none. */
const char *catalog_body(
    struct ctx *c, const char *path, const char *content, const char *title);
/* Gives that text with links to other files as links to their entries' pages. */
enum err catalog_body_led(struct ctx *c, const struct workspace *, const struct principal *who,
    const struct catalog_entry *, const char **body);
int64_t catalog_undescribed(const struct list *columns); /* how many have no description */
/* Puts types of a table's columns into words; the file's own words stay unchanged. */
void catalog_types_say(const struct catalog_entry *);
bool catalog_names_source(struct ctx *c, const struct catalog_entry *); /* its file does */
/* Says which rows the values are of; NULL: all. */
const char *catalog_values_of(void *owner, const struct table_values *);
#endif
