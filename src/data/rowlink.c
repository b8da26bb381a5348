/* SPDX-License-Identifier: Apache-2.0 */
#include "data/rowlink.h"

#include "base/id.h"
#include "base/str.h"
#include "db/ids.h"

/* Reads the linked table with the caller's rules. *none: the caller may read none of its rows. */
static enum err
target_get(struct ctx *c, const struct table_for *tf, const char *to, struct table_for *out,
    bool *none)
{
	static const struct rowpolicy all = { .role = ROLE_OWNER };
	enum err e = table_get_by(c, tf->a, tf->policy ? tf->policy : &all, to, out);

	*none = e == E_NOT_FOUND || (!e && out->read.verdict == VERDICT_NO);
	return e == E_NOT_FOUND ? ctx_forgive(c) : e;
}

/* Returns the ids in hex as a JSON array, in which "" stands for no value. */
static const char *
ids_hex(struct ctx *c, const struct rowlinks *l)
{
	const char **hex = mem_array(c->mem, const char *, l->n + 1);

	for (size_t i = 0; i < l->n; i++) {
		uint8_t raw[ID_BYTES];

		hex[i] = l->ids[i] && id_bytes(l->ids[i], "row_", raw)
		    ? crypto_hex(c->mem, raw, sizeof raw)
		    : "";
	}
	return ids_json(c, hex, l->n);
}

#define LINK_WRONG(F, T) F(T, INT, place)
SHAPE(link_wrong, LINK_WRONG);

enum err
rowlinks_check(struct ctx *c, const struct table_for *tf, const struct rowlinks *l, size_t *wrong)
{
	struct sql q = SQL(c->mem);
	struct link_wrong *row;
	struct table_for to;
	bool none;

	for (*wrong = 0; *wrong < l->n && !l->ids[*wrong];)
		++*wrong;
	if (*wrong == l->n)
		return E_OK;
	TRY(target_get(c, tf, l->column->to, &to, &none));
	if (none)
		return E_OK;
	sql_add(&q,
	    "SELECT j.place FROM JSON_TABLE(?, '$[*]' COLUMNS (place FOR ORDINALITY,"
	    " i CHAR(32) CHARACTER SET ascii PATH '$')) j"
	    " LEFT JOIN data_row r ON r.table_no = ? AND r.id = UNHEX(j.i)",
	    ARGS(ids_hex(c, l), to.t->no));
	row_rule_sql(&q, &to.read, &to.columns);
	sql_add(&q, " WHERE j.i <> '' AND r.id IS NULL ORDER BY j.place LIMIT 1", NOARGS);
	TRY(db_find(c, BUILT(link_wrong, &q), sql_args(&q), &row));
	*wrong = row ? (size_t)row->place - 1 : l->n;
	return E_OK;
}

/* ---- lists that show the linked rows ---- */

/* Returns the first column of texts; NULL: there is none. */
static const struct data_column *
text_column(const struct data_table *t)
{
	const struct data_column *col = t->columns.v;

	for (size_t i = 0; i < t->columns.n; i++)
		if (str_eq(col[i].type, "text"))
			return &col[i];
	return NULL;
}

static enum err
texts_set(struct ctx *c, const struct data_row_list *targets, const struct data_column *of,
    const struct rowlinks *l, struct strs *out)
{
	for (size_t i = 0; i < targets->n; i++) {
		const char *id = row_id_of_hex(c, targets->v[i].id);
		const struct json *text;
		struct json *doc;

		TRY(json_parse(c, targets->v[i].doc, strlen(targets->v[i].doc), &doc));
		text = row_value(&targets->v[i], doc, of);
		for (size_t k = 0; text && json_kind(text) == J_STR && k < l->n; k++)
			if (str_eq(l->ids[k], id))
				out->v[k] = json_str(text);
	}
	return E_OK;
}

static enum err
column_expand(struct ctx *c, const struct table_for *tf, const struct data_column *col,
    const struct data_row_list *rows, struct strs *out)
{
	struct rowlinks l = { col, mem_array(c->mem, const char *, rows->n + 1), rows->n };
	const struct data_column *of;
	struct sql q = SQL(c->mem);
	struct data_row_list targets;
	struct table_for to;
	struct json *doc;
	bool none;

	*out = (struct strs){ mem_array(c->mem, const char *, rows->n + 1), rows->n };
	for (size_t i = 0; i < rows->n; i++) {
		const struct json *v;

		TRY(json_parse(c, rows->v[i].doc, strlen(rows->v[i].doc), &doc));
		v = row_value(&rows->v[i], doc, col);
		l.ids[i] = v && json_kind(v) == J_STR ? json_str(v) : NULL;
	}
	TRY(target_get(c, tf, col->to, &to, &none));
	of = none ? NULL : text_column(to.t);
	if (!of)
		return E_OK;
	sql_add(&q,
	    "SELECT DISTINCT r.id, r.doc, r.shape_no"
	    " FROM " HEX_ID_TABLE("?")
	    " STRAIGHT_JOIN data_row r ON r.table_no = ? AND r.id = UNHEX(j.i) WHERE TRUE",
	    ARGS(ids_hex(c, &l), to.t->no));
	row_rule_sql(&q, &to.read, &to.columns);
	TRY(db_all(c, BUILT(data_row, &q), sql_args(&q), &targets));
	return texts_set(c, &targets, of, &l, out);
}

enum err
expand_begin(struct ctx *c, const struct table_for *tf, const struct strs *columns,
    const struct data_row_list *rows, struct expanded *out)
{
	*out = (struct expanded){ .c = c, .tf = tf, .columns = columns };
	out->texts = mem_array(c->mem, struct strs, columns->n + 1);
	for (size_t i = 0; i < columns->n; i++) {
		const struct data_column *col = table_column(tf->t, columns->v[i]);

		if (!col || !col->to)
			return fail(c, E_INVALID,
			    "expand: %s is not a column of links in the table %s", columns->v[i],
			    tf->t->name);
		TRY(column_expand(c, tf, col, rows, &out->texts[i]));
	}
	return E_OK;
}

const char *
expand_row(const struct expanded *x, const struct data_row *row, size_t i)
{
	const char *text = row_text(x->c, x->tf->t, row);
	struct buf b = BUF(x->c->mem);

	if (!x->columns->n)
		return text;
	buf_add(&b, text, strlen(text) - 1);
	for (size_t k = 0; k < x->columns->n; k++) {
		buf_fmt(&b, ",\"%s$\":", x->columns->v[k]);
		if (x->texts[k].v[i])
			buf_json(&b, x->texts[k].v[i]);
		else
			buf_str(&b, "null");
	}
	buf_chr(&b, '}');
	return buf_done(&b);
}
