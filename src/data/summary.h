/* SPDX-License-Identifier: Apache-2.0
 * Summaries of a table: groups of the rows that somebody may read, with figures of each. We read
 * the rows' keys one after the other and add up here, exactly, in at most SUMMARY_BYTES. Source:
 * data/README.md. */
#ifndef VITRINE_SUMMARY_H
#define VITRINE_SUMMARY_H
#include "data/where.h"

enum { SUMMARY_MEASURES = 8, SUMMARY_GROUPS = 1000, SUMMARY_BINS = 100, SUMMARY_BYTES = 48 << 20 };

/* Names as a query has them; all but asked may be NULL. */
struct summary_asked {
	struct where_asked asked;
	const char *group, *by, *split, *bins;
	const char *measure; /* "sum.amount,count"; NULL: count */
	int64_t limit;       /* of groups, for requests at most the default; 0: SUMMARY_GROUPS */
};

#define SUMMARY(F, T) \
	F(T, JSON, groups,       .arg = "array", \
		.doc = "In the order of their keys: {key: [group, split], values: one of each " \
		       "measure}. Without group there is one, with an empty key") \
	F(T, INT,  rows,         .doc = "That matched") \
	F(T, INT,  groups_total) \
	F(T, BOOL, truncated,    .doc = "These are the groups with the most rows") \
	F(T, INT,  change_no,    .flags = F_NUL, \
		.doc = "Grows with each change of the table; null if you can't see all of its " \
		       "rows") \
	F(T, TIME, as_of)
SHAPE_DECLARE(summary, SUMMARY);

/* E_INVALID names the parameter. slow: if not NULL, and many rows would be read, *slow becomes true
 * and nothing is read. The answer of a moment ago is used while the table is unchanged. */
enum err summary_make(struct ctx *c, const struct table_for *tf, const struct summary_asked *asked,
    bool *slow, struct summary *out);
/* Checks a question as summary_make() does, and reads nothing. */
enum err summary_check(
    struct ctx *c, const struct table_for *tf, const struct summary_asked *asked);
/* Computes one figure of all rows that may be read: measure is "sum.amount" or the like. *text is
 * NULL if there are no values. */
enum err summary_figure(
    struct ctx *c, const struct table_for *tf, const char *measure, const char **text);
#endif
