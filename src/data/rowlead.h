/* SPDX-License-Identifier: Apache-2.0
 * The conditions of a list of rows as SQL, and which of them leads. For rowfind.c only, whose
 * beginning says how a list is made. */
#ifndef VITRINE_ROWLEAD_H
#define VITRINE_ROWLEAD_H
#include "base/id.h"
#include "data/row.h"
#include "db/build.h"

enum { FEW = 1000, LOOKED_MOST = 3000 };

enum filter_kind { FILTER_KEYS, FILTER_OTHER, FILTER_RANGE, FILTER_NULL, FILTER_GIVEN };
struct filter {
	enum filter_kind kind;
	int64_t slot;
	struct bytes *keys; /* FILTER_KEYS: allowed keys; FILTER_OTHER: the excluded key */
	size_t n;
	struct bytes low, high; /* of FILTER_RANGE */
	bool low_in, high_in;   /* whether the limits belong to the range */
};

struct finding_rows {
	struct ctx *c;
	const struct table_for *tf;
	const struct row_find *what;
	struct filter filters[FILTERS_MAX];
	size_t n, values;
	const struct data_column *order; /* NULL: by id */
	bool down;
	int64_t lacking;                 /* bits: slots without an index that the list needs */
	bool after;                      /* a cursor was given, with this key and id: */
	struct bytes after_key;
	uint8_t after_id[ID_BYTES];
};

/* Where a statement has the key of a slot: in the row, as the key of the entry that it follows, or
 * (FROM_CARRIED and the place) as a key that this entry carries. */
enum { FROM_ROW = -2, FROM_ENTRY, FROM_CARRIED };

/* Adds the key of a slot. */
void key_sql(struct sql *q, int from, int64_t slot);
/* Adds a condition. */
void filter_sql(struct sql *q, int from, const struct filter *f);
/* Adds the conditions that an entry can decide by the keys that it carries, so that rows that don't
 * match aren't read. slot: the entry's own. */
void carried_conditions_sql(struct sql *q, const struct finding_rows *f, int64_t slot);
/* Adds all conditions on the row, whichever index leads. */
void conditions_sql(struct sql *q, const struct finding_rows *f);
/* Adds the condition that an entry x is one of the lead's. */
void entries_sql(struct sql *q, const struct finding_rows *f, const struct filter *lead);
bool filter_is_one_key(const struct filter *f);
/* True if the list follows the index of the column that orders it, unless a condition leads. */
bool order_has_index(const struct finding_rows *f);
/* Chooses the leading condition. *lead is NULL if the list follows its order, reads a small table,
 * or lacks an index. An order's index is wanted only if no condition can lead. */
enum err lead_choose(struct finding_rows *f, const struct filter **lead);
/* Queues the making of f->lacking. */
enum err indexes_want(const struct finding_rows *f);
#endif
