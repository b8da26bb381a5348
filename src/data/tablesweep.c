/* SPDX-License-Identifier: Apache-2.0
 * Deletes the rows of deleted tables, the values of dropped columns, and entries that no index has
 * anymore. */
#include "data/table.h"

#include "base/str.h"
#include "core/follow.h"
#include "data/deleted.h"
#include "db/build.h"
#include "store/rounds.h"

enum { SWEEP_ROWS = 2000 };

/* Removes the keys of a dropped column from rows and index. */
static enum err
slot_sweep(struct ctx *c, const struct data_table *t, int slot, int64_t *gone)
{
	struct sql q = SQL(c->mem);

	TRY(db_exec(c,
	    EXEC(
		"DELETE FROM data_cell WHERE table_no = ? AND slot = ?"
		" ORDER BY slot, k, row_id LIMIT ?"),
	    ARGS(t->no, slot, SWEEP_ROWS), gone));
	if (*gone == SWEEP_ROWS)
		return E_OK;
	sql_add(&q, "UPDATE data_row SET ", NOARGS);
	sql_pick(&q, CELL_NAMES, (size_t)slot);
	sql_add(&q, " = NULL WHERE table_no = ? AND ", ARGS(t->no));
	sql_pick(&q, CELL_NAMES, (size_t)slot);
	sql_add(&q, " IS NOT NULL LIMIT ?", ARGS(SWEEP_ROWS));
	return db_exec(c, BUILT_EXEC(&q), sql_args(&q), gone);
}

#define ENTRY_SLOT(F, T) F(T, INT, slot, .flags = F_NUL)
SHAPE(entry_slot, ENTRY_SLOT);

/* Finds the first slot with entries that lists don't follow and writers don't keep; -1: none. */
static enum err
stray_find(struct ctx *c, const struct data_table *t, int64_t *slot)
{
	struct entry_slot *next;

	for (*slot = 0;; ++*slot) {
		TRY(db_one(c,
		    ROWS(entry_slot,
			"SELECT MIN(slot) AS slot FROM data_cell WHERE table_no = ? AND slot >= ?"),
		    ARGS(t->no, *slot), &next));
		*slot = next->has.slot == NULLED ? -1 : next->slot;
		if (*slot < 0 || !table_keeps_entries(t, *slot))
			return E_OK;
	}
}

/* Ends columns that can't come back any longer. *more: the table gets another turn before its
 * entries. While an operation holds it, its columns stay. */
static enum err
kept_end(struct ctx *c, struct data_table *t, bool *more)
{
	enum { HELD_S = 60 };

	*more = false;
	if (!t->kept.n)
		return E_OK;
	*more = t->held_by != NULL;
	return t->held_by
	    ? db_exec1(c, EXEC("UPDATE data_table SET sweep_at = ? WHERE no = ?"),
		  ARGS(c->now + HELD_S, t->no))
	    : deleted_columns_end(c, t, more);
}

/* Removes entries of a column that has no index anymore. The table's row stays locked, so that the
 * lane begins no other index there. */
static enum err
strays_sweep(struct ctx *c, const struct data_table *of, struct sweep_at *at)
{
	struct data_table *t;
	int64_t slot = -1, gone = 0;
	bool more = false;

	TRY(db_begin(c));
	TRY(table_of_no(c, of->no, true, &t));
	if (t)
		TRY(kept_end(c, t, &more));
	if (t && !more)
		TRY(stray_find(c, t, &slot));
	if (slot >= 0)
		TRY(db_exec(c,
		    EXEC(
			"DELETE FROM data_cell WHERE table_no = ? AND slot = ?"
			" ORDER BY slot, k, row_id LIMIT ?"),
		    ARGS(t->no, slot, SWEEP_ROWS), &gone));
	else if (t && !t->dropped && !more)
		/* The next turn is when the next of its dropped columns ends, if any. */
		TRY(db_exec1(c,
		    EXEC("UPDATE data_table SET sweep_at ="
			 " (SELECT MIN(deleted_at) + ? FROM data_deleted"
			 " WHERE table_no = ? AND slot IS NOT NULL) WHERE no = ?"),
		    ARGS(DELETED_S, t->no, t->no)));
	at->removed += gone;
	return db_commit(c);
}

static enum err
columns_sweep(struct ctx *c, const struct data_table *t, struct sweep_at *at)
{
	int slot = 0;
	int64_t gone;

	while (slot < CELL_SLOTS && !(t->dropped & slot_bit(slot)))
		slot++;
	if (slot == CELL_SLOTS)
		return strays_sweep(c, t, at);
	TRY(slot_sweep(c, t, slot, &gone));
	at->removed += gone;
	if (gone == SWEEP_ROWS)
		return E_OK;
	/* Frees the slot, unless another column was dropped meanwhile; then a later turn does. */
	return db_exec(c,
	    EXEC(
		"UPDATE data_table SET dropped = ?"
		" WHERE no = ? AND dropped = ? AND artifact_id IS NOT NULL"),
	    ARGS(t->dropped & ~slot_bit(slot), t->no, t->dropped), NULL);
}

/* Deletes the rows of a deleted table; its own row last. */
static enum err
rows_sweep(struct ctx *c, const struct data_table *t, struct sweep_at *at)
{
	int64_t gone;

	TRY(db_exec(c,
	    EXEC("DELETE FROM data_cell WHERE table_no = ? ORDER BY slot, k, row_id LIMIT ?"),
	    ARGS(t->no, SWEEP_ROWS), &gone));
	if (!gone)
		TRY(db_exec(c, EXEC("DELETE FROM data_key WHERE table_no = ? ORDER BY k LIMIT ?"),
		    ARGS(t->no, SWEEP_ROWS), &gone));
	if (!gone)
		TRY(db_exec(c, EXEC("DELETE FROM data_row WHERE table_no = ? ORDER BY id LIMIT ?"),
		    ARGS(t->no, SWEEP_ROWS), &gone));
	if (!gone)
		TRY(db_exec(c,
		    EXEC("DELETE FROM data_change WHERE history_no = ?"
			 " ORDER BY row_id, rev, batch LIMIT ?"),
		    ARGS(t->history_no, SWEEP_ROWS), &gone));
	at->removed += gone;
	if (gone)
		return E_OK;
	TRY(db_exec(
	    c, EXEC("DELETE FROM data_summary WHERE table_no = ?"), ARGS(t->no), NULL));
	TRY(db_exec(
	    c, EXEC("DELETE FROM data_pace WHERE table_no = ?"), ARGS(t->history_no), NULL));
	TRY(deleted_end(c, t->no));
	return db_exec(c, EXEC("DELETE FROM data_table WHERE no = ? AND artifact_id IS NULL"),
	    ARGS(t->no), NULL);
}

static enum err
table_sweep(struct ctx *c, struct sweep_at *at)
{
	struct data_table *t;

	/* A writer to a table that was deleted meanwhile can't commit: table_account() fails. */
	TRY(db_find(c,
	    ROWS(data_table,
		"SELECT no, dropped, artifact_id IS NULL AS deleted,"
		" IF(history_no = 0, no, history_no) AS history_no FROM data_table"
		" WHERE sweep_at <= ? ORDER BY sweep_at LIMIT 1"),
	    ARGS(c->now), &t));
	at->end = !t;
	if (!t)
		return E_OK;
	at->looked++;
	return t->deleted ? rows_sweep(c, t, at) : columns_sweep(c, t, at);
}

ROUNDS(table, { "data", .piece = table_sweep });
PURGES(table,
    STMT("UPDATE data_table SET artifact_id = NULL, sweep_at = 0 WHERE artifact_id = ? LIMIT ?"));
