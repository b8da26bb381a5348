/* SPDX-License-Identifier: Apache-2.0
 * Parts that the pages of the data catalog share: an entry in lists, alone, and in a preview. */
#ifndef VITRINE_CATALOG_PAGE_H
#define VITRINE_CATALOG_PAGE_H
#include "catalog/entry_look.h"
#include "http/req.h"

#define CATALOG_AT "/w/{ws}/catalog"

const char *catalog_at(const struct req *); /* that path */
enum err catalog_back(struct req *, const char *entry_id, const char *done); /* NULL: the list */
#endif
