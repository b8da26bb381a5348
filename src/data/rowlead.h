/* SPDX-License-Identifier: Apache-2.0
 * The statement of a list of rows, and which of its conditions leads. For rowfind.c, whose
 * beginning says how a list is made, and for statements about the same rows. */
#ifndef VITRINE_ROWLEAD_H
#define VITRINE_ROWLEAD_H
#include "base/id.h"
#include "data/row.h"
#include "db/build.h"

/* LOOKED_TEXTS: rows that a list with a condition like contains may examine, in the slow pool.
 * ENTRY_CONDITIONS: up to so many in a query are also checked on entries, because a statement has
 * at most DB_PARAMS values. */
enum { FEW = 1000, LOOKED_MOST = 3000, LOOKED_TEXTS = 200000, ORDERS_MOST = 3,
	ENTRY_CONDITIONS = 20 };

struct finding_rows {
	struct ctx *c;
	const struct table_for *tf;
	const struct row_find *what;
	struct where where;
	const struct data_column *order; /* NULL: by id, or by several columns */
	bool down, id_down;
	/* Columns of an order that no index has, such as city,-n; 0: follow `order`. */
	struct ordered {
		const struct data_column *col;
		bool down;
	} several[ORDERS_MOST];
	size_t several_n;
	bool sorts_all;                  /* all rows of a large table are read and sorted */
	int64_t lacking;                 /* bits: slots without an index that the list needs */
	bool after;                      /* a cursor was given, with this key and id: */
	struct bytes after_key, after_keys[ORDERS_MOST]; /* after_keys: of `several` */
	uint8_t after_id[ID_BYTES];
};

/* Reads the query. E_NOT_FOUND: the caller may read no row. `what` must live as long as *f. */
enum err finding_begin(struct ctx *c, const struct table_for *tf, const struct row_find *what,
    struct finding_rows *f);
/* Adds " FROM … WHERE …" for all rows that match, by the lead's entries. */
void rows_from_sql(struct sql *q, const struct finding_rows *f, const struct filter *lead);
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
/* True if entries of the condition's column can decide it. */
bool filter_of_entry(const struct finding_rows *f, const struct filter *one);
/* Returns the number of rows that a list may examine. */
int64_t looked_most(const struct finding_rows *f);
/* Chooses the leading condition. *lead is NULL if the list follows its order, reads a small table,
 * or lacks an index. An order's index is wanted only if no condition can lead. */
enum err lead_choose(struct finding_rows *f, const struct filter **lead);
/* Chooses the condition that leads to all rows that match, in any order: the one with the fewest
 * entries. *lead is NULL if reading the whole table is faster. */
enum err lead_of_all(struct finding_rows *f, const struct filter **lead);
/* Queues the making of f->lacking. */
enum err indexes_want(const struct finding_rows *f);
#endif
