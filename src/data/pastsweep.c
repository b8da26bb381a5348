/* SPDX-License-Identifier: Apache-2.0
 * Deletes the oldest records of tables whose history is older than HISTORY_S or too large. Writers
 * only set data_table.trim_at. */
#include "data/past.h"
#include "store/rounds.h"

enum { TRIM_RECORDS = 1000, TRIM_EACH_S = 3600 };

#define TRIMMED(F, T) \
	F(T, INT, no) \
	F(T, INT, history_no) \
	F(T, INT, bytes) \
	F(T, INT, most)
SHAPE(trimmed, TRIMMED);

#define TRIM_RECORD(F, T) \
	F(T, INT, at) \
	F(T, INT, bytes)
SHAPE(trim_record, TRIM_RECORD);

/* A piece deletes the first n records. until: the time of the last of them. */
struct trim {
	int64_t n, bytes, until;
	int64_t next_at; /* of the first that stays; 0: none */
};

/* History is whole after a second, so all records of a second go together. An eighth more goes than
 * must, so that not each change makes work. */
static void
trim_choose(struct ctx *c, const struct trimmed *t, const struct trim_record_list *records,
    struct trim *out)
{
	const bool large = t->bytes > t->most;
	const int64_t room = t->most - t->most / 8;

	*out = (struct trim){ 0 };
	for (size_t i = 0; i < records->n; i++) {
		const struct trim_record *rec = &records->v[i];

		if (rec->at >= c->now - HISTORY_S && rec->at > out->until &&
		    !(large && t->bytes - out->bytes > room)) {
			out->next_at = rec->at;
			return;
		}
		out->n++;
		out->bytes += rec->bytes;
		if (rec->at > out->until)
			out->until = rec->at;
	}
}

static enum err
history_sweep(struct ctx *c, struct sweep_at *at)
{
	struct trim_record_list records;
	struct trimmed *t;
	struct trim trim;

	TRY(db_find(c,
	    ROWS(trimmed,
		"SELECT no, IF(history_no = 0, no, history_no) AS history_no,"
		" history_bytes AS bytes, " HISTORY_MOST " AS most FROM data_table"
		" WHERE trim_at <= ? ORDER BY trim_at LIMIT 1"),
	    ARGS(c->now), &t));
	at->end = !t;
	if (!t)
		return E_OK;
	at->looked++;
	TRY(db_begin(c));
	TRY(db_all(c,
	    ROWS(trim_record,
		"SELECT at, " RECORD_SIZE " AS bytes"
		" FROM data_change FORCE INDEX (data_change_batch) WHERE history_no = ?"
		" ORDER BY batch, row_id, rev LIMIT ?"),
	    ARGS(t->history_no, TRIM_RECORDS), &records));
	trim_choose(c, t, &records, &trim);
	if (trim.n)
		TRY(db_exec(c,
		    EXEC("DELETE FROM data_change WHERE history_no = ?"
			 " ORDER BY batch, row_id, rev LIMIT ?"),
		    ARGS(t->history_no, trim.n), NULL));
	at->removed += trim.n;
	/* A writer may have recorded more meanwhile. */
	TRY(db_exec(c,
	    EXEC("UPDATE data_table SET history_since = GREATEST(history_since, ?),"
		 " history_bytes = GREATEST(history_bytes - ?, 0),"
		 " trim_at = IF(history_bytes = 0, NULL, ?) WHERE no = ?"),
	    ARGS(trim.until, trim.bytes,
		trim.next_at ? trim.next_at + HISTORY_S + TRIM_EACH_S : c->now, t->no),
	    NULL));
	return db_commit(c);
}

ROUNDS(past, { "history", .piece = history_sweep });
