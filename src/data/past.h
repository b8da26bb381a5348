/* SPDX-License-Identifier: Apache-2.0
 * Records of changed rows. data_change has each row as it was before a change, for 30 days or as
 * long as the table's records have room (HISTORY_MOST). A batch is one request, run, import, or
 * undo. data/history.h reads the records.
 *
 * The statements that change rows also record them. Each row counts its changes (data_row.rev). A
 * record has the count before the change, -1 for a new row, so the record with the next count is
 * the next change. If the row's count isn't the record's plus one, others changed the row since.
 * Source: data/README.md. */
#ifndef VITRINE_PAST_H
#define VITRINE_PAST_H
#include "base/id.h"
#include "db/build.h"
#include "db/ids.h"

enum {
	HISTORY_S = 30 * 86400,
	RECORD_BYTES = 200 /* of a record besides its row, with its indexes */
};
#define RECORD_SIZE "200 + COALESCE(LENGTH(doc), 0)" /* SQL: of a row of data_change */
/* SQL: the bytes that the records of a row of data_table may have: four times the most that the
 * table had of late, so that emptying it doesn't remove its history. */
#define HISTORY_MOST "LEAST(GREATEST(4 * size_bytes, 4 * size_most, 16777216), 1073741824)"
/* SQL, of an UPDATE of data_table before size_bytes changes: its parameters are the time before
 * which a size doesn't count any more, and now. */
#define SIZE_MOST_SET \
	"size_most = IF(size_bytes >= size_most OR size_most_at < ?, size_bytes, size_most)," \
	" size_most_at = IF(size_most = size_bytes, ?, size_most_at)"

#define VIAS "api|page|agent|job|import|undo|app"
/* Values of data_change.act. */
enum past_act { ACT_ADDED, ACT_CHANGED, ACT_DELETED };

/* A batch that is being made. Zeroes begin one. */
struct table_past {
	const char *via; /* a word of VIAS; NULL: by the request's caller */
	bool begun, numbered;
	uint8_t batch[ID_BYTES];  /* set if begun */
	uint8_t newest[ID_BYTES]; /* id of the last new row, if numbered */
	uint8_t first[ID_BYTES], last[ID_BYTES]; /* of rows added and not yet recorded, */
	int64_t added;                           /* and their number */
	int64_t bytes; /* of records that aren't counted yet */
};

/* SQL: the rows of a JSON array of hex ids, as r; `tab` and `ids` are variables. */
#define ROWS_OF_IDS \
	" FROM " HEX_ID_TABLE("ids") \
	" STRAIGHT_JOIN data_row r ON r.table_no = tab AND r.id = UNHEX(j.i)"

/* The next functions do nothing if past is NULL. */

/* Adds the statement that records rows before they change, to a compound statement whose variables
 * are `tab` and `rid`, or for past_many_sql() those of ROWS_OF_IDS. bytes: of their texts. */
void past_one_sql(struct ctx *c, struct sql *q, struct table_past *past, int64_t history_no,
    enum past_act act, int64_t bytes);
void past_many_sql(struct ctx *c, struct sql *q, struct table_past *past, int64_t history_no,
    enum past_act act, int64_t n, int64_t bytes);
/* Remembers new rows, whose ids are consecutive, until past_end_sql(). */
void past_added(struct table_past *past, const uint8_t *first, const uint8_t *last, int64_t n);
/* Adds the statement that records the rows of past_added(). Returns the bytes of records since the
 * last call. */
int64_t past_end_sql(struct ctx *c, struct sql *q, struct table_past *past, int64_t history_no);

/* Returns in id the id of the next new row. Ids of one table_past are consecutive. */
void past_next_id(struct table_past *past, uint8_t id[ID_BYTES]);
/* Records a row that comes back. rev: of the record. */
struct past_again {
	const uint8_t *id;
	int64_t rev;
};
enum err past_again(struct ctx *c, struct table_past *past, int64_t history_no,
    const struct past_again *rows, size_t n);
/* Records all rows of a table that was filled unseen. */
enum err past_filled(struct ctx *c, int64_t table_no);
/* Gives the records of one table to the one that replaces it. */
enum err past_move(struct ctx *c, int64_t from_no, int64_t to_no);

/* Returns in out the smallest batch of that second. */
void batch_first(int64_t at, uint8_t out[ID_BYTES]);
#endif
