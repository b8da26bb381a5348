/* SPDX-License-Identifier: Apache-2.0
 * Finds things that have the words of a query, or similar words, in the spaces of the caller. It
 * reads a bounded number of the newest things, however many have a word. */
#ifndef VITRINE_LOOKUP_H
#define VITRINE_LOOKUP_H
#include "search/term.h"

#define SEARCH_CANDIDATE(F, T) \
	F(T, INT,  no) \
	F(T, INT,  kind) \
	F(T, STR,  id) \
	F(T, STR,  words) \
	F(T, BOOL, own) \
	F(T, BOOL, due)  /* its index rows are older than the thing */ \
	F(T, BOOL, page) /* its page, or its name and page together, has all words of the query */
SHAPE_DECLARE(search_candidate, SEARCH_CANDIDATE);

/* A set of kinds as bits. */
#define KIND_BIT(kind) (1U << (unsigned)(kind))

/* Finds things of the given kinds that may match the terms, in the spaces that `who` may search.
 * `within` limits it to one workspace; NULL means all. Without terms it returns the newest
 * things. The result is unordered; `own` marks things in the caller's own space. It also fills
 * `near` of each term. */
enum err lookup(struct ctx *c, const struct principal *who, const char *within, unsigned kinds,
    const struct terms *, struct search_candidate_list *out);
#endif
