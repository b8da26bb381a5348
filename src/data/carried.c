/* SPDX-License-Identifier: Apache-2.0 */
#include "data/carried.h"

#include "base/str.h"
#include "store/rounds.h"

enum { PLACE_BITS = 8, PLACE_MASK = 255, PLACE_ENDED = 255, FILL_ROWS = 500 };

static int64_t
place_value(int64_t carried, int place)
{
	return carried >> place * PLACE_BITS & PLACE_MASK;
}

int
carried_slot(const struct data_table *t, int place)
{
	int64_t v = place_value(t->carried, place);

	return v && v != PLACE_ENDED ? (int)v - 1 : CARRIED_NONE;
}

int
carried_place(const struct data_table *t, int64_t slot)
{
	for (int place = 0; place < CARRIED; place++)
		if (carried_slot(t, place) == slot)
			return place;
	return CARRIED_NONE;
}

int64_t
carried_without(int64_t carried, int64_t slot)
{
	for (int place = 0; place < CARRIED; place++)
		if (place_value(carried, place) == slot + 1)
			carried |= (int64_t)PLACE_ENDED << place * PLACE_BITS;
	return carried;
}

/* Writers that read the table before are refused at their end and run again (table_account()). */
enum err
carried_want(struct ctx *c, const struct data_table *t, const struct data_column *col)
{
	int place = 0;

	if (!str_in(col->type, COLUMN_TYPES_SHORT) ||
	    carried_place(t, col->slot) != CARRIED_NONE)
		return E_OK;
	while (place < CARRIED && place_value(t->carried, place))
		place++;
	if (place == CARRIED)
		return E_OK;
	return db_exec(c,
	    EXEC("UPDATE data_table SET carried = ?, carry_at = REPEAT(CHAR(0), 16)"
		 " WHERE no = ? AND carried = ? AND shape_no = ? AND artifact_id IS NOT NULL"),
	    ARGS(t->carried | (col->slot + 1) << place * PLACE_BITS, t->no, t->carried,
		t->shape_no),
	    NULL);
}

static void
carried_key_sql(struct sql *q, const struct data_table *t, int place, int64_t slot)
{
	const int of = carried_slot(t, place);

	if (of == CARRIED_NONE || of == slot)
		sql_add(q, "NULL", NOARGS);
	else
		sql_pick(q, CELL_R_KEYS, (size_t)of);
}

void
carried_sql(struct sql *q, const struct data_table *t, int64_t slot)
{
	for (int place = 0; place < CARRIED; place++) {
		sql_add(q, ", ", NOARGS);
		carried_key_sql(q, t, place, slot);
	}
}

void
carried_wrong_sql(struct sql *q, const struct data_table *t, int place)
{
	const int of = carried_slot(t, place);

	if (of == CARRIED_NONE)
		return;
	sql_add(q, " OR ", NOARGS);
	sql_pick(q, CARRIED_X_KEYS, (size_t)place);
	sql_add(q, " <> ", NOARGS);
	sql_pick(q, CELL_R_KEYS, (size_t)of);
}

/* ---- rows that were there before ---- */

#define FILLING(F, T) \
	F(T, INT, no) \
	F(T, STR, carry_at)
SHAPE(filling, FILLING);

#define FILL_ROW(F, T) F(T, STR, id)
SHAPE(fill_row, FILL_ROW);

/* Fills in the entries of one column of rows that are locked. */
static enum err
slot_fill(struct ctx *c, const struct data_table *t, int64_t slot, const struct filling *from,
    const char *to)
{
	struct sql q = SQL(c->mem);

	sql_add(&q,
	    "UPDATE data_row r STRAIGHT_JOIN data_cell x ON x.table_no = r.table_no AND x.slot = ?"
	    " AND x.k = ",
	    ARGS(slot));
	sql_pick(&q, CELL_R_KEYS, (size_t)slot);
	sql_add(&q, " AND x.row_id = r.id SET ", NOARGS);
	for (int place = 0; place < CARRIED; place++) {
		if (place)
			sql_add(&q, ", ", NOARGS);
		sql_pick(&q, CARRIED_X_KEYS, (size_t)place);
		sql_add(&q, " = ", NOARGS);
		carried_key_sql(&q, t, place, slot);
	}
	sql_add(&q, " WHERE r.table_no = ? AND r.id > UNHEX(?) AND r.id <= UNHEX(?)",
	    ARGS(t->no, from->carry_at, to));
	return db_exec(c, BUILT_EXEC(&q), sql_args(&q), NULL);
}

/* Fills the carried columns of the next FILL_ROWS rows, and locks those. A request that read the
 * table before these columns were added can't set them: it has locked its rows already, so this
 * waits for it, or its commit is refused and it begins anew. */
static enum err
carried_fill(struct ctx *c, struct sweep_at *at)
{
	const struct data_column *col;
	struct fill_row_list rows;
	struct filling *from;
	struct data_table *t;

	TRY(db_find(c,
	    ROWS(filling,
		"SELECT no, carry_at FROM data_table WHERE carry_at IS NOT NULL"
		" ORDER BY carry_at LIMIT 1"),
	    NOARGS, &from));
	at->end = !from;
	if (!from)
		return E_OK;
	TRY(db_begin(c));
	TRY(table_of_no(c, from->no, false, &t));
	col = t ? t->columns.v : NULL;
	TRY(db_all(c,
	    ROWS(fill_row, "SELECT id FROM data_row WHERE table_no = ? AND id > UNHEX(?)"
			   " ORDER BY id LIMIT ? FOR UPDATE"),
	    ARGS(from->no, from->carry_at, FILL_ROWS), &rows));
	for (size_t i = 0; rows.n && t && i < t->columns.n; i++)
		if (table_keeps_entries(t, col[i].slot))
			TRY(slot_fill(c, t, col[i].slot, from, rows.v[rows.n - 1].id));
	TRY(db_exec(c,
	    EXEC("UPDATE data_table SET carry_at = IF(?, UNHEX(?), NULL)"
		 " WHERE no = ? AND carry_at = UNHEX(?)"),
	    ARGS(rows.n == FILL_ROWS, rows.n ? rows.v[rows.n - 1].id : NULL, from->no,
		from->carry_at),
	    NULL));
	at->looked += (int64_t)rows.n;
	return db_commit(c);
}

ROUNDS(carried, { "carried", .piece = carried_fill });
