/* SPDX-License-Identifier: Apache-2.0
 * Which parts of an entry's texts a search of the catalog has found. */
#ifndef VITRINE_CATALOG_FOUND_H
#define VITRINE_CATALOG_FOUND_H
#include "base/ctx.h"

enum { CATALOG_WORDS = 20 }; /* of a query; what follows is left out */
/* Of a query, as entries are compared with it. Returns how many. */
size_t catalog_query_words(void *owner, const char *q, const char *words[CATALOG_WORDS]);

/* The text with what any of the words is marked (core/marked.h), and at most so many of its
 * characters, around the first of these. *found: there is one. */
const char *catalog_marked(
    void *owner, const char *q, const char *text, size_t most, bool *found);
#endif
