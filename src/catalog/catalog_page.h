/* SPDX-License-Identifier: Apache-2.0
 * Parts that the pages of the data catalog share: an entry in lists, alone, and in a preview. */
#ifndef VITRINE_CATALOG_PAGE_H
#define VITRINE_CATALOG_PAGE_H
#include "catalog/entry.h"
#include "http/req.h"

#define CATALOG_AT "/w/{ws}/catalog"

const char *catalog_at(const struct req *); /* that path */
/* The address of the list, filtered by a value of a facet. */
const char *catalog_narrowed(const struct req *, const char *facet, const char *value);
enum err catalog_back(struct req *, const char *entry_id, const char *done); /* NULL: the list */
/* "Dataset" for "dataset": words for kinds, statuses, and nodes of the lineage. */
const char *catalog_word(const char *word);

#define CATALOG_MARK(F, T) \
	F(T, STR, mark) \
	F(T, STR, mark_href)
SHAPE_DECLARE(catalog_mark, CATALOG_MARK);

#define CATALOG_LOOK(F, T) \
	F(T, ID,   id,          .arg = "cat_") \
	F(T, STR,  title) \
	F(T, WORD, kind,        .arg = CATALOG_KINDS) \
	F(T, STR,  kind_words) \
	F(T, WORD, status,      .arg = CATALOG_STATUSES) \
	F(T, STR,  description) \
	F(T, STR,  domain) \
	F(T, STR,  domain_href) \
	F(T, BOOL, tagged) \
	F(T, LIST, tags,        .sub = &catalog_mark_shape) \
	F(T, STR,  owner)
#define CATALOG_LOOK_OF(r, e) \
	.id = (e)->id, .title = (e)->title, .kind = (e)->kind, \
	.kind_words = catalog_word((e)->kind), .status = (e)->status, \
	.description = (e)->description, .domain = (e)->domain, \
	.domain_href = catalog_narrowed(r, "domain", (e)->domain), \
	.tagged = (e)->tags.n > 0, .tags = catalog_marks(r, &(e)->tags), .owner = (e)->owner
struct list catalog_marks(const struct req *, const struct strs *tags);

#define COLUMN_ROW(F, T) \
	F(T, STR,  name) \
	F(T, STR,  type) \
	F(T, STR,  means) \
	F(T, BOOL, missing) \
	F(T, STR,  values, .doc = "What it holds, such as \"38 different\"") \
	F(T, STR,  often,  .doc = "The most frequent of these, with their shares") \
	F(T, STR,  empty,  .doc = "In how many rows it holds nothing")
SHAPE_DECLARE(column_row, COLUMN_ROW);

/* Other fields of an entry, for catalog-columns.html and Markdown. */
#define CATALOG_TOLD(F, T) \
	F(T, STR,  body,        .doc = "Markdown") \
	F(T, LIST, columns,     .sub = &column_row_shape) \
	F(T, BOOL, valued,      .doc = "What columns hold is told") \
	F(T, INT,  columns_n) \
	F(T, INT,  undescribed, .doc = "Columns without a description")
#define CATALOG_TOLD_OF(r, e, path, content) \
	.body = catalog_body(r, path, content, (e)->title), \
	.columns = catalog_columns(r, &(e)->columns), \
	.columns_n = (int64_t)(e)->columns.n, .undescribed = catalog_undescribed(&(e)->columns)
/* The text after the front matter, without a heading that repeats the title. */
const char *catalog_body(
    struct req *, const char *path, const char *content, const char *title);
int64_t catalog_undescribed(const struct list *columns);
struct list catalog_columns(struct req *, const struct list *columns);
#endif
