/* SPDX-License-Identifier: Apache-2.0
 * Parts that the pages of the data catalog share: an entry in lists, alone, and in a preview. */
#ifndef VITRINE_CATALOG_PAGE_H
#define VITRINE_CATALOG_PAGE_H
#include "catalog/entry.h"
#include "http/req.h"

#define CATALOG_AT "/w/{ws}/catalog"

const char *catalog_at(const struct req *); /* that path */
enum err catalog_back(struct req *, const char *entry_id, const char *done); /* NULL: the list */

/* The text after the front matter, without a heading that repeats the title. */
const char *catalog_body(
    struct req *, const char *path, const char *content, const char *title);
int64_t catalog_undescribed(const struct list *columns); /* how many have no description */
#endif
