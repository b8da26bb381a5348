/* SPDX-License-Identifier: Apache-2.0
 * Matches of a search within an entry's texts. */
#ifndef VITRINE_CATALOG_FOUND_H
#define VITRINE_CATALOG_FOUND_H
#include "base/ctx.h"

enum { CATALOG_WORDS = 20 }; /* words of a query; the rest is ignored */
/* Splits a query into words, case-folded. Returns their number. */
size_t catalog_query_words(void *owner, const char *q, const char *words[CATALOG_WORDS]);

/* Returns the text with MARKS (base/marked.h) around matches, cut to `most` characters around
 * the first match. *found is false if there is no match. */
const char *catalog_marked(
    void *owner, const char *q, const char *text, size_t most, bool *found);
#endif
