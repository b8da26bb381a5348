/* SPDX-License-Identifier: Apache-2.0 */
#include "catalog/values.h"

#include "base/str.h"
#include "data/row.h"

/* ---- the rows ---- */

enum { PIECE = 250 };

struct reading {
	struct ctx *c;
	const struct table_for *tf;
	struct json **docs;
	const struct data_row **rows;
	size_t n, bytes;
	bool more;
};

/* Reading stops early if a piece has no cursor or the bytes exceed VALUES_BYTES. */
static enum err
rows_read(struct reading *r)
{
	const char *cursor = NULL;
	struct data_row_list found;

	r->docs = mem_array(r->c->mem, struct json *, VALUES_ROWS);
	r->rows = mem_array(r->c->mem, const struct data_row *, VALUES_ROWS);
	for (size_t pieces = 0; pieces < VALUES_ROWS / PIECE; pieces++) {
		struct row_find what = { .order = "-id", .cursor = cursor, .limit = PIECE };

		TRY(rows_find(r->c, r->tf, &what, &found, &cursor));
		for (size_t i = 0; i < found.n; i++) {
			const size_t size = strlen(found.v[i].doc);

			TRY(json_parse(r->c, found.v[i].doc, size, &r->docs[r->n]));
			r->rows[r->n++] = &found.v[i];
			r->bytes += size;
		}
		if (!cursor || r->bytes > VALUES_BYTES)
			break;
	}
	r->more = cursor != NULL;
	return E_OK;
}

/* ---- the values of a column ---- */

struct value {
	struct bytes key;
	const struct json *json;
};

static int
by_key(const void *a, const void *b)
{
	const struct bytes *x = &((const struct value *)a)->key,
			   *y = &((const struct value *)b)->key;
	int order = memcmp(x->p, y->p, x->n < y->n ? x->n : y->n);

	return order ? order : (x->n > y->n) - (x->n < y->n);
}

static const char *
value_text(void *owner, const struct json *v)
{
	const char *text, *cut;

	if (json_kind(v) != J_STR)
		return json_text(owner, v);
	text = str_one_line(owner, json_str(v));
	cut = str_cut(owner, text, VALUES_SHOWN);
	return str_eq(cut, text) ? text : mem_printf(owner, "%s…", cut);
}

/* Inserts a value ordered by row count; ties keep their order. */
static void
often_insert(struct column_values *out, void *owner, const struct value *v, size_t n)
{
	size_t at = out->often_n;

	while (at && out->often[at - 1].n < n)
		at--;
	if (at == VALUES_OFTEN)
		return;
	out->often_n += out->often_n < VALUES_OFTEN;
	memmove(out->often + at + 1, out->often + at,
	    (out->often_n - at - 1) * sizeof *out->often);
	out->often[at] = (struct value_often){ value_text(owner, v->json), n };
}

/* room: space for a value of each row. */
static void
column_values_fill(const struct reading *r, const struct data_column *col, struct value *room,
    struct column_values *out)
{
	const bool shown = !str_eq(col->type, "json");
	void *mem = r->c->mem;
	size_t n = 0;

	*out = (struct column_values){ .name = col->name, .type = col->type };
	for (size_t i = 0; i < r->n; i++) {
		const struct json *json = row_value(r->rows[i], r->docs[i], col);

		if (json && json_kind(json) != J_NULL &&
		    !cell_of(mem, cell_type_of(col->type), json, &room[n].key))
			room[n++].json = json;
	}
	out->filled = n;
	if (!n)
		return;
	qsort(room, n, sizeof *room, by_key);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && cell_equal(room[from].key, room[to].key);)
			to++;
		out->different++;
		if (shown)
			often_insert(out, mem, &room[from], to - from);
	}
	if (!str_in(out->type, "number|integer|timestamp|date"))
		return;
	out->least = value_text(mem, room[0].json);
	out->most = value_text(mem, room[n - 1].json);
}

enum err
table_values(struct ctx *c, const char *artifact_id, const char *table,
    const struct principal *who, struct table_values *out)
{
	struct artifact *a;
	struct table_for tf;
	struct reading r = { .c = c, .tf = &tf };
	const struct data_column *col;
	struct value *room;
	enum err e;

	*out = (struct table_values){ 0 };
	e = artifact_get(c, artifact_id, who, false, &a);
	e = e ? e : table_get(c, a, who, table, &tf);
	if (e == E_NOT_FOUND ||
	    (!e && (a->deleted_at || !(a->role || a->is_open) ||
		       tf.read.verdict == VERDICT_NO))) {
		ctx_forgive(c);
		return E_OK;
	}
	TRY(e);
	TRY(rows_read(&r));
	col = tf.t->columns.v;
	out->n = tf.t->columns.n;
	out->v = mem_array(c->mem, struct column_values, out->n + 1);
	room = mem_array(c->mem, struct value, r.n + 1);
	for (size_t i = 0; i < out->n; i++)
		column_values_fill(&r, &col[i], room, &out->v[i]);
	out->rows = r.n;
	out->more = r.more;
	out->whole = tf.read.verdict == VERDICT_YES;
	return E_OK;
}
