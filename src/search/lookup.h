/* SPDX-License-Identifier: Apache-2.0
 * Which things may be meant: those that have the words, or words like these, in the spaces of who
 * asks. However many things have a word, a bounded number of the newest is looked at. */
#ifndef VITRINE_LOOKUP_H
#define VITRINE_LOOKUP_H
#include "search/term.h"

#define SEARCH_CANDIDATE(F, T) \
	F(T, INT,  no) \
	F(T, INT,  kind) \
	F(T, STR,  id) \
	F(T, STR,  words) \
	F(T, BOOL, own) \
	F(T, BOOL, due)  /* it isn't kept as it is now */ \
	F(T, BOOL, page) /* all that is asked for stands on its page, or in its name */
SHAPE_DECLARE(search_candidate, SEARCH_CANDIDATE);

/* The kinds that are asked for, as bits. */
#define KIND_BIT(kind) (1U << (unsigned)(kind))

/* Of those kinds, within a workspace (NULL: everywhere); own: what is in their own space, in no
 * order. Fills in the words near the terms. Of no terms, the newest. */
enum err lookup(struct ctx *c, const struct principal *who, const char *within, unsigned kinds,
    const struct terms *, struct search_candidate_list *out);
#endif
