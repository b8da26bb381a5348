/* SPDX-License-Identifier: Apache-2.0 */
#include "data/tablekey.h"

#include "base/buf.h"
#include "base/id.h"
#include "base/str.h"
#include "db/ids.h"

const struct data_column *
table_key_column(const struct data_table *t)
{
	return column_of_slot(&t->columns, t->key_slot);
}

static enum err
key_refused(struct ctx *c, const struct table_for *tf, const char *at, const char *value,
    const char *row_id)
{
	const struct data_column *col = table_key_column(tf->t);
	struct buf b = BUF(c->mem);

	buf_chr(&b, '{');
	json_add(&b, "column", col->name);
	if (value) {
		json_key(&b, "value");
		buf_str(&b, value);
	}
	if (row_id)
		json_add(&b, "row_id", row_id);
	buf_chr(&b, '}');
	c->details = buf_done(&b);
	return fail(c, E_CONFLICT,
	    "%s%s: another row of %s has %s; values of the key must differ", at, col->name,
	    tf->t->name, value ? value : "the same value");
}

/* ---- rows that get a key ---- */

/* Finds the row that has a key. *out is NULL if there is none. Its id is NULL if the caller may not
 * read it. */
static enum err
key_holder(struct ctx *c, const struct table_for *tf, struct bytes key, struct data_row **out)
{
	struct sql q = SQL(c->mem);

	sql_add(&q, "SELECT LOWER(HEX(IF(TRUE", NOARGS);
	row_rule_sql(&q, &tf->read, &tf->columns);
	sql_add(&q,
	    ", r.id, NULL))) AS id FROM data_key k"
	    " STRAIGHT_JOIN data_row r ON r.table_no = k.table_no AND r.id = k.row_id"
	    " WHERE k.table_no = ? AND k.k = ?",
	    ARGS(tf->t->no, key));
	return db_find(c, BUILT(data_row, &q), sql_args(&q), out);
}

enum err
table_keys_put(struct ctx *c, const struct table_for *tf, const struct keyed_row *rows, size_t n,
    const char *(*at)(void *arg, size_t i), const char *(*value)(void *arg, size_t i), void *arg)
{
	struct arg *v = mem_array(c->mem, struct arg, 3 * n + 1), *to = v;
	struct data_row *holder = NULL;
	size_t wrong = 0;
	enum err e;

	for (size_t i = 0; i < n; i++) {
		if (!rows[i].key.n)
			continue;
		*to++ = arg_int(tf->t->no);
		*to++ = arg_bytes(rows[i].key);
		*to++ = arg_bytes((struct bytes){ rows[i].id, ID_BYTES });
	}
	e = db_exec_many(c,
	    EXEC("INSERT INTO data_key (table_no, k, row_id) VALUES (?, ?, ?)"), v, 3,
	    (size_t)(to - v) / 3);
	if (e != E_CONFLICT)
		return e;
	ctx_forgive(c);
	for (; wrong < n && !holder; wrong++) {
		size_t twin = 0;

		while (twin < wrong && !(rows[wrong].key.n &&
					   cell_equal(rows[twin].key, rows[wrong].key)))
			twin++;
		if (twin < wrong)
			return key_refused(c, tf, at(arg, wrong), value(arg, wrong), NULL);
		if (rows[wrong].key.n)
			TRY(key_holder(c, tf, rows[wrong].key, &holder));
	}
	/* The other row was deleted meanwhile. */
	if (!holder) {
		c->replay = true;
		return fail(
		    c, E_UNAVAILABLE, "the table %s is being changed; try again", tf->t->name);
	}
	return key_refused(c, tf, at(arg, wrong - 1), value(arg, wrong - 1),
	    holder->id ? row_id_of_hex(c, holder->id) : NULL);
}

enum err
table_key_forget(struct ctx *c, const struct table_for *tf, struct bytes key)
{
	return key.n ? db_exec(c, EXEC("DELETE FROM data_key WHERE table_no = ? AND k = ?"),
			   ARGS(tf->t->no, key), NULL)
		     : E_OK;
}

/* ---- rows by their keys ---- */

enum err
table_keys_find(struct ctx *c, const struct table_for *tf, const struct bytes *keys, size_t n,
    const struct data_row **out)
{
	const char **hex = mem_array(c->mem, const char *, n + 1);
	struct sql q = SQL(c->mem);
	struct data_row_list rows;

	for (size_t i = 0; i < n; i++) {
		out[i] = NULL;
		hex[i] = crypto_hex(c->mem, keys[i].p, keys[i].n);
	}
	sql_add(&q, "SELECT j.place AS n, r.id, r.doc, r.shape_no, (TRUE", NOARGS);
	row_rule_sql(&q, &tf->read, &tf->columns);
	row_rule_sql(&q, &tf->change, &tf->columns);
	sql_add(&q,
	    ") AS may_write FROM JSON_TABLE(?, '$[*]' COLUMNS (place FOR ORDINALITY,"
	    " h VARCHAR(400) CHARACTER SET ascii PATH '$')) j"
	    " STRAIGHT_JOIN data_key k ON k.table_no = ? AND k.k = UNHEX(j.h)"
	    " STRAIGHT_JOIN data_row r ON r.table_no = k.table_no AND r.id = k.row_id"
	    " WHERE j.h <> '' FOR UPDATE",
	    ARGS(ids_json(c, hex, n), tf->t->no));
	TRY(db_all(c, BUILT(data_row, &q), sql_args(&q), &rows));
	for (size_t i = 0; i < rows.n; i++)
		out[rows.v[i].n - 1] = &rows.v[i];
	return E_OK;
}

enum err
table_keys_taken(struct ctx *c, int64_t table_no, const struct bytes *keys, size_t n,
    const uint8_t *first, const uint8_t *last, bool *out)
{
	static const uint8_t none[ID_BYTES];
	const char **hex = mem_array(c->mem, const char *, n + 1);
	struct data_row_list rows;

	for (size_t i = 0; i < n; i++) {
		out[i] = false;
		hex[i] = crypto_hex(c->mem, keys[i].p, keys[i].n);
	}
	TRY(db_all(c,
	    ROWS(data_row,
		"SELECT j.place AS n FROM JSON_TABLE(?, '$[*]' COLUMNS (place FOR ORDINALITY,"
		" h VARCHAR(400) CHARACTER SET ascii PATH '$')) j"
		" STRAIGHT_JOIN data_key k ON k.table_no = ? AND k.k = UNHEX(j.h)"
		" WHERE j.h <> '' AND k.row_id NOT BETWEEN ? AND ?"),
	    ARGS(ids_json(c, hex, n), table_no,
		((struct bytes){ first ? first : none, ID_BYTES }),
		((struct bytes){ last ? last : none, ID_BYTES })),
	    &rows));
	for (size_t i = 0; i < rows.n; i++)
		out[rows.v[i].n - 1] = true;
	return E_OK;
}

/* ---- a whole table ---- */

static enum err
keys_insert(struct ctx *c, const struct data_table *t, bool ignore)
{
	struct sql q = SQL(c->mem);

	if (ignore)
		sql_add(&q, "INSERT IGNORE", NOARGS);
	else
		sql_add(&q, "INSERT", NOARGS);
	sql_add(&q, " INTO data_key (table_no, k, row_id) SELECT r.table_no, ", NOARGS);
	sql_pick(&q, CELL_R_NAMES, (size_t)t->key_slot);
	sql_add(&q, ", r.id FROM data_row r WHERE r.table_no = ? AND ", ARGS(t->no));
	sql_pick(&q, CELL_R_NAMES, (size_t)t->key_slot);
	sql_add(&q, " IS NOT NULL", NOARGS);
	return db_exec(c, BUILT_EXEC(&q), sql_args(&q), NULL);
}

/* Names the first value that two rows have, if the caller may read its row. */
static enum err
repeated_refuse(struct ctx *c, const struct table_for *tf)
{
	const struct data_column *col = table_key_column(tf->t);
	struct sql q = SQL(c->mem), row = SQL(c->mem);
	struct data_row *first;
	const struct json *v;
	struct json *doc;

	sql_add(&q, "SELECT LOWER(HEX(MIN(r.id))) AS id FROM data_row r WHERE r.table_no = ? AND ",
	    ARGS(tf->t->no));
	sql_pick(&q, CELL_R_NAMES, (size_t)tf->t->key_slot);
	sql_add(&q, " IS NOT NULL GROUP BY ", NOARGS);
	sql_pick(&q, CELL_R_NAMES, (size_t)tf->t->key_slot);
	sql_add(&q, " HAVING COUNT(*) > 1 ORDER BY id LIMIT 1", NOARGS);
	TRY(db_find(c, BUILT(data_row, &q), sql_args(&q), &first));
	if (first) {
		sql_add(&row,
		    "SELECT r.id, r.doc, r.shape_no FROM data_row r"
		    " WHERE r.table_no = ? AND r.id = UNHEX(?)",
		    ARGS(tf->t->no, first->id));
		row_rule_sql(&row, &tf->read, &tf->columns);
		TRY(db_find(c, BUILT(data_row, &row), sql_args(&row), &first));
	}
	if (!first)
		return key_refused(c, tf, "key: ", NULL, NULL);
	TRY(json_parse(c, first->doc, strlen(first->doc), &doc));
	v = row_value(first, doc, col);
	return key_refused(
	    c, tf, "key: ", v ? json_text(c->mem, v) : NULL, row_id_of_hex(c, first->id));
}

enum err
table_keys_fill(struct ctx *c, const struct table_for *tf)
{
	enum err e = keys_insert(c, tf->t, false);

	if (e != E_CONFLICT)
		return e;
	ctx_forgive(c);
	return repeated_refuse(c, tf);
}

#define KEYS_WRONG(F, T) F(T, INT, n)
SHAPE(keys_wrong, KEYS_WRONG);

enum err
table_keys_wrong(struct ctx *c, const struct data_table *t, int64_t *wrong)
{
	struct sql missing = SQL(c->mem), extra = SQL(c->mem);
	struct keys_wrong *one = NULL, *two;
	const size_t slot = t->key_slot < 0 ? 0 : (size_t)t->key_slot;

	sql_add(&missing,
	    "SELECT COUNT(*) AS n FROM data_row r LEFT JOIN data_key k ON k.table_no = r.table_no"
	    " AND k.row_id = r.id AND k.k = ",
	    NOARGS);
	sql_pick(&missing, CELL_R_NAMES, slot);
	sql_add(&missing, " WHERE r.table_no = ? AND k.k IS NULL AND ", ARGS(t->no));
	sql_pick(&missing, CELL_R_NAMES, slot);
	sql_add(&missing, " IS NOT NULL", NOARGS);
	if (t->key_slot >= 0)
		TRY(db_one(c, BUILT(keys_wrong, &missing), sql_args(&missing), &one));
	sql_add(&extra,
	    "SELECT COUNT(*) AS n FROM data_key k LEFT JOIN data_row r ON r.table_no = k.table_no"
	    " AND r.id = k.row_id AND k.k = ",
	    NOARGS);
	sql_pick(&extra, CELL_R_NAMES, slot);
	sql_add(&extra, " WHERE k.table_no = ? AND (r.id IS NULL OR ?)",
	    ARGS(t->no, t->key_slot < 0));
	TRY(db_one(c, BUILT(keys_wrong, &extra), sql_args(&extra), &two));
	*wrong = (one ? one->n : 0) + two->n;
	return E_OK;
}

enum err
table_keys_mend(struct ctx *c, const struct data_table *t)
{
	TRY(db_exec(c, EXEC("DELETE FROM data_key WHERE table_no = ?"), ARGS(t->no), NULL));
	return t->key_slot < 0 ? E_OK : keys_insert(c, t, true);
}
