/* SPDX-License-Identifier: Apache-2.0
 * Conditions on the rows of a table, as a tree. Lists, exports, changes, deletions, summaries and
 * views read them here and add them to their statements. A query has them as parameters, which must
 * all hold, and as JSON:
 *
 *  city=eq.Oslo&n=between.1..5
 *  where={"or":[["city","eq","Oslo"],{"and":[["n","gt",3],["n","lte",5]]}]}
 *
 *  eq neq lt lte gt gte        with a value. neq also matches rows without a value
 *  in nin                      a list: in.a,"b,c"; in JSON ["city","in",["a","b,c"]]
 *  between                     two values, both included: 1..5; in JSON [1,5]
 *  prefix contains ncontains   a text. contains compares without case and accents
 *  is                          null notnull empty notempty true false; empty: null or ""
 *  within                      today yesterday this_week last_week this_month last_month this_year
 *                              last_7_days next_7_days (both with today), in the query's zone
 *
 * Source: data/README.md. */
#ifndef VITRINE_WHERE_H
#define VITRINE_WHERE_H
#include "data/table.h"
#include "db/build.h"

enum { WHERE_MOST = 50, WHERE_VALUES = 50, WHERE_DEPTH = 4, WHERE_CHARS = 8000 };

/* Conditions as a query has them. */
struct where_asked {
	const struct pair *filters; /* name=op.value */
	size_t n;
	const char *where, *zone;   /* JSON; a name such as Europe/Oslo. May be NULL */
	const char *view;           /* JSON of a saved view, or NULL */
	const struct json *unlike;  /* an object or NULL: one of these columns differs */
};

enum filter_kind {
	FILTER_KEYS,   /* one of keys */
	FILTER_RANGE,  /* low to high */
	FILTER_NULL,
	FILTER_EMPTY,  /* null, or "" */
	FILTER_ANY,    /* one of parts holds */
	FILTER_ALL,    /* only within FILTER_ANY */
	/* A list can't follow an index for these: */
	FILTER_OTHER,  /* none of keys */
	FILTER_GIVEN,
	FILTER_FILLED, /* not FILTER_EMPTY */
	FILTER_HAS,    /* contains `like` */
	FILTER_LACKS
};
struct filter {
	enum filter_kind kind;
	int64_t slot; /* -1: parts with different columns, or that only a row decides */
	const struct data_column *col; /* NULL: parts */
	struct bytes *keys;
	size_t n;
	struct bytes low, high;
	bool low_in, high_in; /* whether the limits belong to the range */
	const char *like;
	struct filter *parts;
	size_t parts_n;
};

/* Conditions on rows: a row matches if it satisfies every filter in v. */
struct where {
	struct filter *v;
	size_t n, conditions;
	bool texts; /* some conditions look into texts, which no index serves */
};

/* E_INVALID names the parameter, or the place in the JSON such as where.or[1]. */
enum err where_read(struct ctx *c, const struct table_for *tf, const struct where_asked *asked,
    struct where *out);

/* Where a statement has the key of a slot: in the row, as the key of the entry that it follows, or
 * (FROM_CARRIED and the place) as a key that this entry carries. */
enum { FROM_ROW = -2, FROM_ENTRY, FROM_CARRIED };

/* Adds the key of a slot. */
void key_sql(struct sql *q, int from, int64_t slot);
/* Adds a condition. Unless from is FROM_ROW, the condition must have a slot. */
void filter_sql(struct sql *q, int from, const struct filter *f);
/* Adds " AND " and each condition on the row r. */
void where_sql(struct sql *q, const struct where *w);
#endif
