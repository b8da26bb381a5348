/* SPDX-License-Identifier: Apache-2.0 */
#include "data/tablestage.h"

#include "base/str.h"
#include "core/storage.h"
#include "data/deleted.h"

/* seconds without progress until the runner deletes it */
enum { STAGE_S = 900 };

enum err
table_stage(struct ctx *c, const char *name, const struct data_table_new *in,
    struct data_table **out)
{
	struct list columns = { mem_dup(c->mem, in->columns.v,
				    in->columns.n * sizeof(struct data_column)),
		in->columns.n };
	struct data_column *col = columns.v;
	int64_t no, indexed, key = -1, shape_no = in->shape_no ? in->shape_no : 1;

	TRY(columns_names_check(c, &columns));
	for (size_t i = 0; i < columns.n; i++) {
		/* Rows of a table that begins anew are all of its first shape. */
		if (!in->shape_no) {
			col[i].slot = (int64_t)i;
			col[i].since = 1;
			col[i].was = (struct list){ 0 };
		}
		if (str_eq(in->key, col[i].name))
			key = col[i].slot;
	}
	TRY(table_indexed_first(c, &indexed));
	TRY(db_insert(c,
	    EXEC(
		"INSERT INTO data_table"
		" (artifact_id, name, fields, kept, shape_no, indexed, key_slot, sweep_at,"
		" created_at, updated_at) VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(name, columns_write(c, &columns),
		in->kept.n ? columns_write(c, &in->kept) : NULL, shape_no, indexed, key,
		c->now + STAGE_S, c->now, c->now),
	    &no));
	*out = mem_new(c->mem, struct data_table);
	**out = (struct data_table){
		.no = no, .name = name, .columns = columns, .kept = in->kept, .shape_no = shape_no,
		.indexed = indexed, .key_slot = key
	};
	return E_OK;
}

enum err
table_stage_account(struct ctx *c, struct data_table *t, int64_t rows, int64_t bytes)
{
	t->row_count += rows;
	t->size_bytes += bytes;
	return db_exec1(c,
	    EXEC(
		"UPDATE data_table SET row_count = ?, size_bytes = ?, sweep_at = ?"
		" WHERE no = ? AND artifact_id IS NULL"),
	    ARGS(t->row_count, t->size_bytes, c->now + STAGE_S, t->no));
}

enum err
table_stage_drop(struct ctx *c, const struct data_table *t)
{
	return db_exec(c,
	    EXEC("UPDATE data_table SET sweep_at = ? WHERE no = ? AND artifact_id IS NULL"),
	    ARGS(c->now, t->no), NULL);
}

#define TABLE_HOLDER(F, T) F(T, STR, id)
SHAPE(table_holder, TABLE_HOLDER);

enum err
table_stage_show(struct ctx *c, const struct artifact *a, const struct data_table *t,
    const struct data_table *was, bool same)
{
	struct table_holder *held;
	struct data_table *old;

	TRY(table_lock(c, a, t->name, &old));
	if (!old != !was || (old && (old->no != was->no || old->shape_no != was->shape_no)))
		return fail(c, E_CONFLICT,
		    "the table %s was changed while its rows were being read; "
		    "nothing was saved", t->name);
	if (!old) {
		/* Locks the artifact's row, so that the number of tables stays the same. */
		TRY(db_one(c,
		    ROWS(table_holder, "SELECT id FROM artifact WHERE id = ? FOR UPDATE"),
		    ARGS(a->id), &held));
		TRY(tables_room(c, a));
	} else {
		/* A job may replace its table each hour. */
		TRY(deleted_put_away(c, a, old, !same && c->actor));
	}
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE data_table"
		" SET artifact_id = ?, sweep_at = IF(kept IS NULL, NULL, ?), created_at = ?,"
		" updated_at = ?, history_since = ? WHERE no = ? AND artifact_id IS NULL"),
	    ARGS(a->id, c->now, old ? old->created_at : c->now, c->now, c->now, t->no)));
	if (same)
		TRY(deleted_columns_move(c, old->no, t->no));
	TRY(same ? past_move(c, old->no, t->no) : past_filled(c, t->no));
	if (old)
		TRY(table_found_anew(c, old->no));
	TRY(table_found_anew(c, t->no));
	TRY(table_tell(c, TABLE_MADE, a->id, t->name));
	return storage_add_data(c, a, t->size_bytes - (old ? old->size_bytes : 0));
}
