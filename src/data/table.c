/* SPDX-License-Identifier: Apache-2.0 */
#include "data/table.h"

#include "base/conf.h"
#include "base/str.h"
#include "core/find.h"
#include "core/storage.h"

SHAPE_DEFINE(change_by, CHANGE_BY);
SHAPE_DEFINE(data_table, DATA_TABLE);
SHAPE_DEFINE(data_table_new, DATA_TABLE_NEW);

const struct data_column *
table_column(const struct data_table *t, const char *name)
{
	const struct data_column *col = t->columns.v;

	for (size_t i = 0; i < t->columns.n; i++)
		if (str_eq(col[i].name, name))
			return &col[i];
	return NULL;
}

const char *
table_column_names(void *owner, const struct data_table *t)
{
	const struct data_column *col = t->columns.v;
	struct buf b = BUF(owner);

	for (size_t i = 0; i < t->columns.n; i++)
		buf_fmt(&b, "%s%s", str_and(i, t->columns.n), col[i].name);
	return buf_done(&b);
}

void
table_columns(const struct data_table *t, struct cell_columns *out)
{
	const struct data_column *col = t->columns.v;

	*out = (struct cell_columns){ 0 };
	for (size_t i = 0; i < t->columns.n; i++)
		out->v[col[i].slot] = (struct cell_column){ col[i].name, cell_type_of(col[i].type),
			&col[i].choices };
}

bool
table_has_index(const struct data_table *t, int64_t slot)
{
	return t->row_count > TABLE_SMALL && (t->indexed & slot_bit(slot));
}

bool
table_lacks_index(const struct data_table *t, int64_t slot)
{
	return t->row_count > TABLE_SMALL && !(t->indexed & slot_bit(slot));
}

int64_t
table_history_no(const struct data_table *t)
{
	return t->history_no ? t->history_no : t->no;
}

bool
table_keeps_entries(const struct data_table *t, int64_t slot)
{
	return (t->indexed | t->indexing) & slot_bit(slot);
}

static enum err
fields_read(struct ctx *c, struct data_table *t)
{
	const struct data_column *key;

	TRY(columns_read(c, t->fields, &t->columns));
	if (t->kept_fields)
		TRY(columns_read(c, t->kept_fields, &t->kept));
	key = column_of_slot(&t->columns, t->key_slot);
	t->key = key ? key->name : NULL;
	t->has.key = key ? GIVEN : NULLED;
	return E_OK;
}

/* ---- reading ---- */

#define TABLE_COLUMNS \
	"no, name, fields, kept AS kept_fields, shape_no, dropped, carried," \
	" carry_at IS NULL AS filled, indexed, indexing, change_no, key_slot, history_no," \
	" held_by, watched, row_count, size_bytes, created_at, updated_at," \
	" GREATEST(history_since, created_at) AS history_since"

enum err
table_named(struct ctx *c, const struct artifact *a, const char *name, struct data_table **out)
{
	TRY(db_find(c,
	    ROWS(data_table,
		"SELECT " TABLE_COLUMNS " FROM data_table WHERE artifact_id = ? AND name = ?"),
	    ARGS(a->id, name), out));
	return *out ? fields_read(c, *out) : E_OK;
}

#define ENTRIES_LATE(F, T) F(T, BOOL, late)
SHAPE(entries_late, ENTRIES_LATE);

/* True from a day after the migration on, and if it made the database. */
static enum err
migration_settled(struct ctx *c, int64_t version, bool *out)
{
	enum { DAY_S = 86400, HOUR_S = 3600 };
	struct entries_late *row;

	TRY(db_one(c,
	    ROWS(entries_late,
		"SELECT EXISTS (SELECT 1 FROM schema_migration m"
		" JOIN schema_migration made ON made.version = 1 WHERE m.version = ?"
		" AND (m.changed_at < ? OR m.changed_at < made.changed_at + ?)) AS late"),
	    ARGS(version, c->now - DAY_S, HOUR_S), &row));
	*out = row->late;
	return E_OK;
}

enum err
table_entries_late(struct ctx *c, bool *late)
{
	enum { MIGRATION = 63 };

	return migration_settled(c, MIGRATION, late);
}

enum err
table_columns_kept(struct ctx *c, bool *kept)
{
	enum { MIGRATION = 93 };

	return migration_settled(c, MIGRATION, kept);
}

enum err
table_columns_grown(struct ctx *c)
{
	enum { MIGRATION = 65 };
	bool settled;

	TRY(migration_settled(c, MIGRATION, &settled));
	return settled ? E_OK
		       : fail(c, E_CONFLICT,
			     "columns: dates, choices, links, keys, and renames can be used from "
			     "a day after the upgrade of this service on");
}

#define TABLE_FRESH(F, T) \
	F(T, INT, row_count) \
	F(T, INT, indexed) \
	F(T, INT, indexing)
SHAPE(table_fresh, TABLE_FRESH);

enum err
table_refresh(struct ctx *c, struct data_table *t)
{
	struct table_fresh *now;

	TRY(db_find(c,
	    ROWS(table_fresh,
		"SELECT row_count, indexed, indexing FROM data_table"
		" WHERE no = ? AND shape_no = ?"),
	    ARGS(t->no, t->shape_no), &now));
	if (!now)
		return E_OK;
	t->row_count = now->row_count;
	t->indexed = now->indexed;
	t->indexing = now->indexing;
	return E_OK;
}

enum err
table_is_there(struct ctx *c, const struct artifact *a, const char *name, bool *out)
{
	struct data_table *t;

	TRY(table_named(c, a, name, &t));
	*out = t != NULL;
	return E_OK;
}

enum err
table_absent(struct ctx *c, const char *name)
{
	return fail(c, E_NOT_FOUND, "There is no table %s, or you don't have access to it", name);
}

bool
table_may_write(const struct table_for *tf)
{
	return tf->add.verdict != VERDICT_NO || tf->change.verdict != VERDICT_NO ||
	    tf->delete.verdict != VERDICT_NO;
}

void
table_rules(struct ctx *c, const struct artifact *a, const struct rowpolicy *policy,
    const struct data_table *t, struct table_for *out)
{
	*out = (struct table_for){ .a = a, .t = t };
	table_columns(t, &out->columns);
	out->read = rowpolicy_table(c, policy, t->name, &out->columns, POLICY_READ);
	out->add = rowpolicy_table(c, policy, t->name, &out->columns, POLICY_ADD);
	out->change = rowpolicy_table(c, policy, t->name, &out->columns, POLICY_CHANGE);
	out->delete = rowpolicy_table(c, policy, t->name, &out->columns, POLICY_DELETE);
	out->limits = rowpolicy_limits(policy, t->name);
	out->policy = mem_dup(c->mem, policy, sizeof *policy);
	out->past = mem_new(c->mem, struct table_past);
}

enum err
table_get_by(struct ctx *c, const struct artifact *a, const struct rowpolicy *policy,
    const char *name, struct table_for *out)
{
	struct data_table *t;

	*out = (struct table_for){ 0 };
	TRY(table_named(c, a, name, &t));
	if (!t)
		return table_absent(c, name);
	table_rules(c, a, policy, t, out);
	return out->read.verdict == VERDICT_NO && !table_may_write(out) ? table_absent(c, name)
									: E_OK;
}

enum err
table_readable(struct ctx *c, const char *artifact_id, const struct rowpolicy *policy,
    const char *name, enum verdict *out)
{
	struct row_rule rule = rowpolicy_table(c, policy, name, NULL, POLICY_READ);
	struct cell_columns columns;
	struct data_table *t;

	if (rule.unknown) {
		TRY(table_named(c, &(struct artifact){ .id = artifact_id }, name, &t));
		if (t) {
			table_columns(t, &columns);
			rule = rowpolicy_table(c, policy, name, &columns, POLICY_READ);
		}
	}
	*out = rule.verdict;
	return E_OK;
}

enum err
table_get(struct ctx *c, const struct artifact *a, const struct principal *who, const char *name,
    struct table_for *out)
{
	struct rowpolicy policy;

	TRY(rowpolicy_read(c, a, who, &policy));
	return table_get_by(c, a, &policy, name, out);
}

/* Returns false if the caller may read no rows. Hides the numbers unless they may read all rows. */
static bool
table_is_shown(struct ctx *c, const struct rowpolicy *policy, struct data_table *t)
{
	struct cell_columns columns;
	enum verdict read;

	table_columns(t, &columns);
	read = rowpolicy_table(c, policy, t->name, &columns, POLICY_READ).verdict;
	if (read != VERDICT_YES) {
		/* The number of rows would include hidden ones. */
		t->row_count = t->size_bytes = 0;
		t->has.row_count = t->has.size_bytes = NULLED;
	}
	return read != VERDICT_NO;
}

enum err
table_all(struct ctx *c, const char *artifact_id, struct data_table_list *out)
{
	TRY(db_all(c,
	    ROWS(data_table,
		"SELECT " TABLE_COLUMNS " FROM data_table WHERE artifact_id = ? ORDER BY name"),
	    ARGS(artifact_id), out));
	for (size_t i = 0; i < out->n; i++)
		TRY(fields_read(c, &out->v[i]));
	return E_OK;
}

/* There are at most TABLES_MAX, so all are read. Neither the length of a part nor its cursor
 * reveals a hidden table. */
enum err
table_list(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct page_query *q, struct data_table_list *out, const char **next)
{
	struct rowpolicy policy;
	struct data_table *t;
	size_t n;

	*next = NULL;
	if (q->cursor && !table_name_valid(q->cursor))
		return fail_cursor(c);
	TRY(rowpolicy_read(c, a, who, &policy));
	TRY(table_all(c, a->id, out));
	t = out->v;
	n = out->n;
	out->n = 0;
	for (size_t i = 0; i < n && !*next; i++) {
		if (q->cursor && strcmp(t[i].name, q->cursor) <= 0)
			continue;
		if (!table_is_shown(c, &policy, &t[i]))
			continue;
		if ((int64_t)out->n == q->limit)
			*next = t[out->n - 1].name;
		else
			t[out->n++] = t[i];
	}
	return E_OK;
}

enum err
table_show(struct ctx *c, const struct artifact *a, const struct principal *who, const char *name,
    struct data_table **out)
{
	struct rowpolicy policy;

	TRY(table_named(c, a, name, out));
	if (!*out)
		return table_absent(c, name);
	TRY(rowpolicy_read(c, a, who, &policy));
	return table_is_shown(c, &policy, *out) ? E_OK : table_absent(c, name);
}

/* ---- between the files of this folder ---- */

#define TABLES_COUNTED(F, T) F(T, INT, n)
SHAPE(tables_counted, TABLES_COUNTED);

enum err
tables_room(struct ctx *c, const struct artifact *a)
{
	struct tables_counted *row;

	TRY(db_one(c,
	    ROWS(tables_counted, "SELECT COUNT(*) AS n FROM data_table WHERE artifact_id = ?"),
	    ARGS(a->id), &row));
	if (row->n < TABLES_MAX)
		return E_OK;
	c->details = mem_printf(
	    c->mem, "{\"used\":%lld,\"limit\":%d}", (long long)row->n, TABLES_MAX);
	return fail(c, E_STORAGE_FULL,
	    "the artifact already has %d tables, which is the maximum; "
	    "delete one first", TABLES_MAX);
}

enum err
table_tell(struct ctx *c, enum happening of, const char *artifact_id, const char *name)
{
	return follow(
	    c, of, &(struct happened){ .artifact_id = artifact_id, .table = name });
}

enum err
table_found_anew(struct ctx *c, int64_t no)
{
	return find_changed(c, FIND_TABLE, mem_printf(c->mem, "%lld", (long long)no));
}

enum err
table_indexed_first(struct ctx *c, int64_t *out)
{
	bool late;

	TRY(table_entries_late(c, &late));
	*out = late ? 0 : -1;
	return E_OK;
}

enum err
table_lock(struct ctx *c, const struct artifact *a, const char *name, struct data_table **out)
{
	TRY(db_find(c,
	    ROWS(data_table,
		"SELECT " TABLE_COLUMNS " FROM data_table"
		" WHERE artifact_id = ? AND name = ? FOR UPDATE"),
	    ARGS(a->id, name), out));
	return *out ? fields_read(c, *out) : E_OK;
}

enum err
table_staged(struct ctx *c, int64_t no, struct data_table **out)
{
	TRY(db_find(c,
	    ROWS(data_table,
		"SELECT " TABLE_COLUMNS " FROM data_table"
		" WHERE no = ? AND artifact_id IS NULL AND sweep_at > ?"),
	    ARGS(no, c->now), out));
	return *out ? fields_read(c, *out) : E_OK;
}

#define TABLE_OF_NO \
	"SELECT " TABLE_COLUMNS " FROM data_table WHERE no = ? AND artifact_id IS NOT NULL"

enum err
table_of_no(struct ctx *c, int64_t no, bool lock, struct data_table **out)
{
	TRY(db_find(c,
	    lock ? ROWS(data_table, TABLE_OF_NO " FOR UPDATE") : ROWS(data_table, TABLE_OF_NO),
	    ARGS(no), out));
	return *out ? fields_read(c, *out) : E_OK;
}

/* ---- counters ---- */

enum err
table_held(struct ctx *c, const struct data_table *t)
{
	enum { SOON_S = 5 };

	c->retry_after_s = SOON_S;
	return fail(c, E_CONFLICT,
	    "the columns of %s are being changed (%s); its rows can be changed again afterwards",
	    t->name, t->held_by);
}

enum err
table_hold(struct ctx *c, const struct data_table *t, const char *operation_id)
{
	int64_t held;

	TRY(db_exec(c,
	    EXEC("UPDATE data_table SET held_by = ? WHERE no = ? AND shape_no = ?"
		 " AND held_by IS NULL AND artifact_id IS NOT NULL"),
	    ARGS(operation_id, t->no, t->shape_no), &held));
	return held ? E_OK : fail(c, E_CONFLICT, "the table %s is being changed", t->name);
}

enum err
table_release(struct ctx *c, int64_t no, const char *operation_id)
{
	return db_exec(c,
	    EXEC("UPDATE data_table SET held_by = NULL WHERE no = ? AND held_by = ?"),
	    ARGS(no, operation_id), NULL);
}

static enum err
account_refused(
    struct ctx *c, const struct artifact *a, const struct data_table *t, int64_t rows)
{
	struct data_table *now;

	TRY(table_of_no(c, t->no, false, &now));
	/* A table that was replaced meanwhile has another number. */
	if (!now)
		TRY(table_named(c, a, t->name, &now));
	if (!now)
		return table_absent(c, t->name);
	if (now->held_by)
		return table_held(c, now);
	if (now->no != t->no || now->shape_no != t->shape_no || now->carried != t->carried ||
	    now->indexed != t->indexed || now->indexing != t->indexing ||
	    now->watched != t->watched) {
		c->replay = true;
		return fail(c, E_UNAVAILABLE, "the table %s is being changed; try again", t->name);
	}
	c->details = mem_printf(
	    c->mem, "{\"used\":%lld,\"limit\":%d}", (long long)now->row_count, ROWS_MAX);
	return fail(c, E_STORAGE_FULL,
	    "the table %s has %s; adding %s would exceed the maximum of %s. Nothing was saved",
	    t->name, str_count(c->mem, now->row_count, "row"), str_number(c->mem, rows),
	    str_number(c->mem, ROWS_MAX));
}

enum err
table_account_with(struct ctx *c, const struct table_for *tf, struct sql *q, int64_t rows,
    int64_t bytes)
{
	const struct data_table *t = tf->t;
	int64_t recorded = past_end_sql(c, q, tf->past, table_history_no(t));
	enum err e;

	sql_add(q,
	    " UPDATE data_table SET " SIZE_MOST_SET ","
	    " row_count = row_count + ?, size_bytes = size_bytes + ?,"
	    " change_no = change_no + 1, updated_at = ?, history_bytes = history_bytes + ?,"
	    " trim_at = IF(history_bytes > " HISTORY_MOST ", LEAST(COALESCE(trim_at, ?), ?),"
	    " COALESCE(trim_at, ?))"
	    " WHERE no = ? AND shape_no = ? AND carried = ? AND indexed = ? AND indexing = ?"
	    " AND watched = ? AND held_by IS NULL"
	    " AND artifact_id IS NOT NULL AND row_count + ? <= ?;"
	    " IF ROW_COUNT() = 0 THEN"
	    " SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'CONFLICT'; END IF;",
	    ARGS(c->now - HISTORY_S, c->now, rows, bytes, c->now, recorded, c->now, c->now,
		c->now + HISTORY_S, t->no, t->shape_no, t->carried, t->indexed, t->indexing,
		t->watched, rows, rows > 0 ? ROWS_MAX : INT64_MAX));
	if (bytes)
		sql_add(q, STORAGE_ADDED, ARGS(tf->a->id, bytes, c->conf->storage_per_user));
	sql_add(q, " END", NOARGS);
	e = db_exec(c, BUILT_EXEC(q), sql_args(q), NULL);
	if (e == E_CONFLICT)
		return account_refused(c, tf->a, t, rows);
	TRY(storage_added_data(c, tf->a, bytes, e));
	return t->watched ? table_tell(c, TABLE_CHANGED, tf->a->id, t->name) : E_OK;
}

enum err
table_account(struct ctx *c, const struct table_for *tf, int64_t rows, int64_t bytes)
{
	struct sql q = SQL(c->mem);

	sql_add(&q, "BEGIN NOT ATOMIC", NOARGS);
	return table_account_with(c, tf, &q, rows, bytes);
}

/* ---- search ---- */

#define TABLE_NO(F, T) F(T, INT, no)
SHAPE(table_no, TABLE_NO);

enum err
table_key(struct ctx *c, const struct artifact *a, const char *name, const char **key)
{
	struct table_no *row;

	TRY(db_one(c,
	    ROWS(table_no, "SELECT no FROM data_table WHERE artifact_id = ? AND name = ?"),
	    ARGS(a->id, name), &row));
	*key = mem_printf(c->mem, "%lld", (long long)row->no);
	return E_OK;
}

static enum err
finders_change(struct ctx *c, const struct happened *h)
{
	return db_exec(c,
	    EXEC(FIND_LATER "SELECT ?, CAST(d.no AS CHAR)" FIND_HAPPENED
		 " JOIN data_table d ON d.artifact_id = a.id"),
	    ARGS(FIND_TABLE, FIND_HAPPENED_ARGS(h)), NULL);
}

FOLLOWS(table, { FINDERS_CHANGE, finders_change });

#define TABLE_FOUND(F, T) \
	FOUND(F, T) \
	RULED(F, T) \
	F(T, INT, row_count)
SHAPE(found_table, TABLE_FOUND);

static enum err
table_found(struct ctx *c, const struct find_asked *asked, struct found_list *out)
{
	struct found_table_list rows;
	struct rowpolicy policy;
	enum verdict read;

	TRY(db_all(c,
	    ROWS(found_table,
		"SELECT t.id AS `key`, d.name AS id, d.name AS title,"
		" CONCAT('Table in ', a.name) AS subtitle,"
		" CONCAT('/a/', a.id, '/data/tables/', d.name) AS url, a.id AS artifact_id,"
		" a.workspace_id, a.owner_id = s.user_id AS own, d.updated_at, d.row_count, "
		RULED_COLUMNS " FROM " FIND_ASKED
		" STRAIGHT_JOIN data_table d ON d.no = CAST(t.id AS SIGNED)"
		" STRAIGHT_JOIN artifact a ON a.id = d.artifact_id" ROLE_TABLES("s.user_id")
		" WHERE " FIND_ARTIFACT_SHOWN " HAVING role IS NOT NULL"),
	    FIND_ARGS(asked), &rows));
	*out = (struct found_list){ mem_array(c->mem, struct found, rows.n + 1), 0 };
	for (size_t i = 0; i < rows.n; i++) {
		struct found_table *t = &rows.v[i];

		TRY(rowpolicy_read(c, RULED_ARTIFACT(t), asked->who, &policy));
		TRY(table_readable(c, t->artifact_id, &policy, t->title, &read));
		if (read == VERDICT_YES)
			t->subtitle = mem_printf(c->mem, "%s · %s", t->subtitle,
			    str_count(c->mem, t->row_count, "row"));
		if (read != VERDICT_NO)
			out->v[out->n++] = FOUND_OF(c, t);
	}
	return E_OK;
}

FINDS(table, FIND_TABLE, "datasets", DATA_READ, table_found,
    .text = ROWS(find_text,
	"SELECT t.id, " FIND_ARTIFACT_AUDIENCES " AS audiences, d.name FROM " ID_TABLE
	" STRAIGHT_JOIN data_table d ON d.no = CAST(t.id AS SIGNED)"
	" STRAIGHT_JOIN artifact a ON a.id = d.artifact_id AND a.owner_id IS NOT NULL"),
    .all = ROWS(find_text,
	"SELECT CAST(no AS CHAR) AS id FROM data_table WHERE no > CAST(? AS SIGNED)"
	" ORDER BY no LIMIT ?"));
