/* SPDX-License-Identifier: Apache-2.0
 * Finds things that somebody may see by words, with typos and in any script. A blank query lists
 * the things that they opened last. Source: interface, "Search"; search/README.md. */
#ifndef VITRINE_SEARCH_H
#define VITRINE_SEARCH_H
#include "core/find.h"

enum {
	SEARCH_CHARS = 200, /* characters of a query */
	SEARCH_WORDS = 10,  /* words of a query; the rest is ignored */
	SEARCH_LIMIT = 100, SEARCH_LIMIT_USUAL = 20,
	SEARCH_COUNTED = 100 /* results counted in each group; more aren't counted */
};

#define SEARCH_RESULT(F, T) \
	F(T, WORD, group, .arg = FIND_GROUPS) \
	FOUND_SHOWN(F, T) \
	F(T, STR,  snippet,  .flags = F_NUL, \
		.doc = "Of what is found by the text of its page: the part of that, as plain " \
		       "text") \
	F(T, INT,  typos, .doc = "Letters that differ from what was asked for") \
	F(T, TIME, updated_at) \
	/* Title and snippet with MARKS (base/marked.h) around the matching words. */ \
	F(T, STR,  marked, .flags = F_HID) \
	F(T, STR,  snippet_marked, .flags = F_HID) \
	F(T, BOOL, best, .flags = F_HID) /* for pages: nothing matches better */
SHAPE_DECLARE(search_result, SEARCH_RESULT);

/* The number of results in each group, at most SEARCH_COUNTED, whether or not `results` shows
 * them. */
#define SEARCH_COUNTS(F, T) \
	F(T, INT, pages,      .flags = F_OPT) \
	F(T, INT, folders,    .flags = F_OPT) \
	F(T, INT, files,      .flags = F_OPT) \
	F(T, INT, datasets,   .flags = F_OPT) \
	F(T, INT, connectors, .flags = F_OPT) \
	F(T, INT, people,     .flags = F_OPT) \
	F(T, INT, schedules,  .flags = F_OPT) \
	F(T, INT, crew,       .flags = F_OPT) \
	F(T, INT, alerts,     .flags = F_OPT)
SHAPE_DECLARE(search_counts, SEARCH_COUNTS);

#define SEARCH_QUERY(F, T) \
	F(T, STR,  q,         .flags = F_REQ, .hi = SEARCH_CHARS, \
		.doc = "Words; of the last one the beginning. " \
		       "Blank: what you opened last, then the newest", .eg = "\"report\"") \
	F(T, STRS, groups,    .item = K_WORD, .arg = FIND_GROUPS, .hi = 20, \
		.doc = "Only these; absent: all") \
	F(T, INT,  limit,     .lo = 1, .hi = SEARCH_LIMIT, .def = "20") \
	F(T, ID,   workspace, .arg = "wsp_", .doc = "Only in this workspace, which you are in")
SHAPE_DECLARE(search_query, SEARCH_QUERY);

struct search_found {
	struct search_result_list results; /* the best first; for a blank query the last opened */
	struct search_counts counts;       /* for the groups that the query asks for */
	/* the spelling that was found, if the best result has typos; else NULL */
	const char *instead;
};
/* Runs a query for `who`. E_NOT_FOUND: `who` is not in q->workspace. E_SCOPE: the token may read
 * none of the groups. Results belong to c. */
enum err search(struct ctx *c, const struct principal *who, const struct search_query *,
    struct search_found *out);
#endif
