/* SPDX-License-Identifier: Apache-2.0
 * The route of search. Source: interface, "Search". */
#include "http/req.h"
#include "search/search.h"

#define SEARCH_ANSWER(F, T) \
	F(T, STR,  query) \
	F(T, LIST, results, .sub = &search_result_shape) \
	F(T, OBJ,  groups,  .sub = &search_counts_shape, \
		.doc = "How many there are of each group, up to 100")
SHAPE(search_answer, SEARCH_ANSWER);

static enum err
h_search(struct req *r)
{
	const struct search_query *q = r->query;
	struct search_found found;

	TRY(search(r->c, r->who, q, &found));
	return reply_flat(r,
	    &(struct search_answer){ .query = q->q,
		.results = { found.results.v, found.results.n },
		.groups = &found.counts });
}

static const struct route search_routes[] = {
/* method  path          who body                  reply                       handler */
  { GET,    "/v1/search", SIGNED_IN,
    TAKES_NOTHING,        GIVES_FLAT(search_answer),  h_search,
    .query = &search_query_shape, .scope = ANY_SCOPE,
    .doc = "Find what you may see by its words, with typos and in any script; " \
	   "a blank q lists what you opened last" },
};
ROUTES(search, "Search",
    "Words are found in names, slugs, descriptions and addresses, however they are written: "
    "without accents, with a typo (two in long words), as the beginning of a word. "
    "Artifacts are also found by the text of their first page, by whole words as they are spelled. "
    "What you may not see isn't found, and what changes is found as it is now.");
