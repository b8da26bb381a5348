/* SPDX-License-Identifier: Apache-2.0 */
#include "data/retype.h"

#include "base/id.h"
#include "base/str.h"
#include "data/row.h"
#include "data/rowlink.h"
#include "data/tablestage.h"

SHAPE_DEFINE(retype_new, RETYPE_NEW);
SHAPE_DEFINE(retype_misfit, RETYPE_MISFIT);
SHAPE_DEFINE(retype_sample, RETYPE_SAMPLE);
SHAPE_DEFINE(retyped, RETYPED);

enum { PIECE_ROWS = 1000, FIRST = 20, SAMPLE = 5 };
static const char no_row[] = "00000000000000000000000000000000";

/* A column that gets another type. */
struct retyping {
	struct table_for tf;
	const struct data_column *old;
	struct data_column now;
	struct cell_column cell;
	struct cell_reading read;
	struct strs *seen; /* a choice whose texts are gathered; NULL: they are known */
};

static enum err
retyping_begin(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *table, const struct retype_new *in, struct retyping *out)
{
	const bool choice = str_eq(in->type, "choice"), link = str_eq(in->type, "link");
	bool there = true;

	*out = (struct retyping){ 0 };
	TRY(table_get(c, a, who, table, &out->tf));
	TRY(table_columns_grown(c));
	out->old = table_column(out->tf.t, in->column);
	if (!out->old)
		return fail(
		    c, E_INVALID, "column: the table %s has no column %s", table, in->column);
	if ((in->choices.n && !choice) || (in->to && !link))
		return fail(c, E_INVALID, "%s: is only for a %s", in->to ? "to" : "choices",
		    in->to ? "link" : "choice");
	if (link && in->to)
		TRY(table_is_there(c, a, in->to, &there));
	if (link && (!in->to || !there))
		return fail(c, E_INVALID, "to: must be a table of the artifact");
	if (str_eq(out->tf.t->key, in->column) && str_eq(in->type, "json"))
		return fail(c, E_INVALID, "type: the key can't be json");
	out->now = (struct data_column){ .name = in->column, .type = in->type,
		.choices = in->choices, .to = in->to, .hidden = out->old->hidden,
		.slot = out->old->slot, .since = out->old->since, .was = out->old->was };
	out->cell = (struct cell_column){ in->column, cell_type_of(in->type), &out->now.choices };
	return cell_reading_make(c, in->read, &out->read);
}

/* ---- rows ---- */

/* A row that is read, and its value before and after. */
struct retyped_row {
	const struct data_row *row;
	struct json *doc;
	const struct json *before; /* NULL: null */
	const char *after;         /* JSON */
	bool empty, misfit;
};

static enum err
rows_read(struct ctx *c, const struct retyping *x, const char *after, struct data_row_list *out)
{
	struct sql q = SQL(c->mem);

	sql_add(&q, "SELECT r.id, r.doc, r.shape_no, r.rev, (TRUE", NOARGS);
	row_rule_sql(&q, &x->tf.read, &x->tf.columns);
	sql_add(&q,
	    ") AS may_write FROM data_row r WHERE r.table_no = ? AND r.id > UNHEX(?)"
	    " ORDER BY r.id LIMIT ?",
	    ARGS(x->tf.t->no, after, (int64_t)PIECE_ROWS));
	return db_all(c, BUILT(data_row, &q), sql_args(&q), out);
}

/* Marks links to rows that aren't there. */
static enum err
links_mark(struct ctx *c, const struct retyping *x, struct retyped_row *rows, size_t n)
{
	struct rowlinks l = { &x->now, mem_array(c->mem, const char *, n + 1), n };
	size_t wrong;

	for (size_t i = 0; i < n; i++)
		if (!rows[i].empty && !rows[i].misfit)
			l.ids[i] = json_str(rows[i].before);
	TRY(rowlinks_check(c, &x->tf, &l, &wrong));
	while (wrong < n) {
		rows[wrong].misfit = true;
		l.ids[wrong] = NULL;
		TRY(rowlinks_check(c, &x->tf, &l, &wrong));
	}
	return E_OK;
}

static enum err
rows_convert(struct ctx *c, struct retyping *x, const struct data_row_list *rows,
    struct retyped_row **out)
{
	struct retyped_row *v = *out = mem_array(c->mem, struct retyped_row, rows->n + 1);

	for (size_t i = 0; i < rows->n; i++) {
		const struct data_row *row = &rows->v[i];
		struct buf after = BUF(c->mem);

		v[i] = (struct retyped_row){ .row = row, .empty = true, .after = "null" };
		TRY(json_parse(c, row->doc, strlen(row->doc), &v[i].doc));
		v[i].before = row_value(row, v[i].doc, x->old);
		if (!v[i].before)
			continue;
		if (x->seen && json_kind(v[i].before) == J_STR && *json_str(v[i].before) &&
		    !strs_have(x->seen, json_str(v[i].before)) && x->seen->n <= CHOICES_MAX)
			strs_add(c->mem, x->seen, json_str(v[i].before));
		v[i].misfit =
		    !cell_convert(c, &x->cell, &x->read, v[i].before, &after, &v[i].empty);
		if (!v[i].misfit)
			v[i].after = buf_done(&after);
	}
	return x->cell.type == CELL_LINK ? links_mark(c, x, v, rows->n) : E_OK;
}

/* ---- what would happen ---- */

/* True if a text such as "007" becomes a number, which has no leading zeros. */
static bool
loses_zeros(const struct retyped_row *r)
{
	const char *text = r->before && json_kind(r->before) == J_STR ? json_str(r->before) : "";

	text += *text == '-' || *text == '+';
	return !r->misfit && *text == '0' && isdigit((unsigned char)text[1]) && *r->after != '"';
}

/* Counts a row. Values are shown of rows that the caller may read. */
static void
row_report(struct ctx *c, const struct retyped_row *r, struct retyped *out)
{
	void *owner = c->mem;
	struct retype_misfit *first = out->first.v;
	struct retype_sample *sample = out->sample.v;
	const char *before = r->before ? json_text(owner, r->before) : "null";
	bool zeros = loses_zeros(r);

	out->empty += r->empty;
	out->misfits += r->misfit;
	out->fits += !r->empty && !r->misfit;
	out->zeros += zeros;
	if (!r->row->may_write || r->empty)
		return;
	if (r->misfit && out->first.n < FIRST)
		first[out->first.n++] = (struct retype_misfit){
			.row_id = row_id_of_hex(c, r->row->id), .value = mem_strdup(owner, before)
		};
	/* The first that loses zeros is among them. */
	if (out->zeros == 1 && zeros && out->sample.n == SAMPLE)
		out->sample.n--;
	if (!r->misfit && out->sample.n < SAMPLE && !str_eq(before, r->after))
		sample[out->sample.n++] = (struct retype_sample){
			.before = mem_strdup(owner, before), .after = mem_strdup(owner, r->after)
		};
}

static void
report_begin(void *owner, struct retyped *out)
{
	*out = (struct retyped){ .first = { mem_array(owner, struct retype_misfit, FIRST), 0 },
		.sample = { mem_array(owner, struct retype_sample, SAMPLE), 0 } };
}

/* Reads one piece in a context of its own. *after becomes its last row's id; "" at the end. */
static enum err
piece_try(struct ctx *c, struct retyping *x, char *after, struct retyped *out)
{
	struct ctx *piece = ctx_begin(c->conf, c->db);
	struct data_row_list rows = { 0 };
	struct retyped_row *v = NULL;
	struct strs seen = { 0 };
	struct retyping own = *x;
	enum err e;

	own.seen = x->seen ? &seen : NULL;
	e = rows_read(piece, &own, after, &rows);
	e = e ? e : rows_convert(piece, &own, &rows, &v);
	for (size_t i = 0; !e && i < rows.n; i++)
		row_report(c, &v[i], out);
	for (size_t i = 0; !e && i < seen.n && x->seen->n <= CHOICES_MAX; i++)
		if (!strs_have(x->seen, seen.v[i]))
			strs_add(c->mem, x->seen, mem_strdup(c->mem, seen.v[i]));
	snprintf(after, sizeof no_row, "%s", rows.n == PIECE_ROWS ? rows.v[rows.n - 1].id : "");
	return ctx_join(c, piece, e);
}

static enum err
rows_try(struct ctx *c, struct retyping *x, struct retyped *out)
{
	char after[sizeof no_row];

	report_begin(c->mem, out);
	memcpy(after, no_row, sizeof after);
	do
		TRY(piece_try(c, x, after, out));
	while (*after);
	return E_OK;
}

enum err
retype_try(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *table, struct retype_new *in, struct retyped *out)
{
	struct strs seen = { 0 };
	struct retyping x;

	TRY(retyping_begin(c, a, who, table, in, &x));
	/* Gathers the texts of a column that becomes a choice. */
	if (x.cell.type == CELL_CHOICE && !in->choices.n) {
		x.seen = &seen;
		TRY(rows_try(c, &x, out));
		x.seen = NULL;
		if (!seen.n || seen.n > CHOICES_MAX)
			return fail(c, E_INVALID,
			    "choices: is required, because the column has %s",
			    seen.n ? "more than 100 different texts" : "no texts");
		x.now.choices = in->choices = seen;
		in->has.choices = GIVEN;
	}
	return rows_try(c, &x, out);
}

static enum err
misfits_refuse(struct ctx *c, const struct retype_new *in, const struct retyped *r)
{
	if (!r->misfits || str_eq(in->misfits, "null"))
		return E_OK;
	c->details = shape_text(c->mem, &retyped_shape, r);
	return fail(c, E_CONFLICT,
	    "%s: %s %s no value of type %s; with misfits: \"null\", %s lost", in->column,
	    str_count(c->mem, r->misfits, "row"), r->misfits == 1 ? "has" : "have", in->type,
	    r->misfits == 1 ? "its value is" : "their values are");
}

/* ---- the staged table ---- */

/* The staged table's shape continues the table's, so that recorded rows keep their names. */
static enum err
stage_make(struct ctx *c, const struct retyping *x, struct data_table **out)
{
	const struct data_table *t = x->tf.t;
	struct data_column *col = mem_dup(c->mem, t->columns.v, t->columns.n * sizeof *col);
	struct data_table_new in = {
		.columns = { col, t->columns.n }, .kept = t->kept, .key = t->key,
		.shape_no = t->shape_no + 1
	};

	for (size_t i = 0; i < t->columns.n; i++)
		if (str_eq(col[i].name, x->now.name))
			col[i] = x->now;
	return table_stage(c, t->name, &in, out);
}

/* Returns the rows as an array of objects with the new values. */
static enum err
rows_array(struct ctx *c, const struct retyping *x, const struct retyped_row *rows, size_t n,
    struct json **out)
{
	const struct data_column *col = x->tf.t->columns.v;
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < n; i++) {
		struct buf row = BUF(c->mem);

		for (size_t k = 0; k < x->tf.t->columns.n; k++)
			if (&col[k] != x->old) {
				row_member_write(&row, col[k].name,
				    row_value(rows[i].row, rows[i].doc, &col[k]));
			} else {
				buf_fmt(&row, "%s\"%s\":%s", row.n ? "," : "{", col[k].name,
				    rows[i].after);
			}
		buf_fmt(&b, "%c%s}", i ? ',' : '[', buf_done(&row));
	}
	buf_str(&b, n ? "]" : "[]");
	return json_parse(c, b.s, b.n, out);
}

/* Puts rows into the staged table. */
static enum err
stage_put(struct ctx *c, const struct artifact *a, const struct retyping *x,
    struct data_table *stage, const struct retyped_row *rows, size_t n)
{
	struct table_for tf = { .a = a, .t = stage, WRITES_ANY };
	const struct data_row **of = mem_array(c->mem, const struct data_row *, n + 1);
	struct json *array;
	int64_t bytes = 0;

	table_columns(stage, &tf.columns);
	for (size_t i = 0; i < n; i++)
		of[i] = rows[i].row;
	TRY(rows_array(c, x, rows, n, &array));
	TRY(rows_load_as(c, &tf, array, of, &bytes));
	return table_stage_account(c, stage, (int64_t)n, bytes);
}

/* ---- a small table ---- */

static enum err
retype_small(struct ctx *c, const struct artifact *a, struct retyping *x,
    const struct retype_new *in, struct retyped *out)
{
	struct data_row_list rows;
	struct retyped_row *v;
	struct data_table *stage;

	TRY(rows_read(c, x, no_row, &rows));
	TRY(rows_convert(c, x, &rows, &v));
	report_begin(c->mem, out);
	for (size_t i = 0; i < rows.n; i++)
		row_report(c, &v[i], out);
	TRY(misfits_refuse(c, in, out));
	TRY(stage_make(c, x, &stage));
	TRY(stage_put(c, a, x, stage, v, rows.n));
	return table_stage_show(c, a, stage, x->tf.t, true);
}

/* ---- a large one ---- */

static enum err
retype_later(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct retyping *x, const struct retype_new *in, struct retyped *out)
{
	struct operation *op = mem_new(c->mem, struct operation);

	TRY(misfits_refuse(c, in, out));
	*op = (struct operation){ .artifact_id = a->id, .table_no = x->tf.t->no,
		.table = x->tf.t->name, .kind = "retype", .total = x->tf.t->row_count,
		.asked = shape_text(c->mem, &retype_new_shape, in), .created_by = who->user_id };
	TRY(operation_add(c, op));
	out->operation = op;
	return table_hold(c, x->tf.t, op->id);
}

enum err
retype_do(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *table, const struct retype_new *in, struct retyped *out)
{
	struct retyping x;
	struct data_table *t;

	TRY(table_lock(c, a, table, &t));
	if (t && t->held_by)
		return table_held(c, t);
	TRY(retyping_begin(c, a, who, table, in, &x));
	return x.tf.t->row_count <= ROWS_AT_ONCE ? retype_small(c, a, &x, in, out)
						 : retype_later(c, a, who, &x, in, out);
}

/* Where the operation is: the number of the staged table and the last row's id. */
#define RETYPE_PLACE(F, T) \
	F(T, INT, stage) \
	F(T, STR, after) \
	F(T, INT, misfits)
SHAPE(retype_place, RETYPE_PLACE);

static enum err
asked_read(struct ctx *c, const char *text, const struct shape *shape, void **out)
{
	struct json *tree;

	TRY(json_parse(c, text, strlen(text), &tree));
	return shape_read(c, shape, tree, out);
}

static enum err
piece_begin(struct ctx *c, const struct operation *op, struct retyping *x, struct artifact **a,
    struct retype_new **in)
{
	struct principal *who;
	void *asked;

	TRY(operation_maker(c, op, &who, a));
	if (!(*a)->can_edit && role_rank((*a)->role) < ROLE_EDITOR)
		return fail(c, E_DENIED,
		    "the person who asked for this can no longer edit the artifact");
	TRY(asked_read(c, op->asked, &retype_new_shape, &asked));
	*in = asked;
	TRY(retyping_begin(c, *a, who, op->table, asked, x));
	return str_eq(x->tf.t->held_by, op->id)
	    ? E_OK
	    : fail(c, E_CONFLICT, "the table %s was replaced or changed meanwhile", op->table);
}

static enum err
retype_piece(struct ctx *c, struct operation *op, bool *end)
{
	struct retype_place first = { .after = no_row }, *at = &first;
	struct data_table *stage;
	struct data_row_list rows;
	struct retyped_row *v;
	struct retype_new *in = NULL;
	struct artifact *a;
	struct retyping x;
	void *place;

	TRY(piece_begin(c, op, &x, &a, &in));
	if (op->place) {
		TRY(asked_read(c, op->place, &retype_place_shape, &place));
		at = place;
		TRY(table_staged(c, at->stage, &stage));
		if (!stage)
			return fail(c, E_CONFLICT,
			    "the rows that were prepared are gone; ask for it again");
	} else {
		TRY(stage_make(c, &x, &stage));
		at->stage = stage->no;
	}
	TRY(rows_read(c, &x, at->after, &rows));
	TRY(rows_convert(c, &x, &rows, &v));
	for (size_t i = 0; i < rows.n; i++)
		if (v[i].misfit && !str_eq(in->misfits, "null"))
			return fail(c, E_CONFLICT,
			    "%s: a value that was stored meanwhile doesn't fit; "
			    "nothing was changed", in->column);
	TRY(stage_put(c, a, &x, stage, v, rows.n));
	op->done += (int64_t)rows.n;
	*end = rows.n < PIECE_ROWS;
	if (*end)
		return table_stage_show(c, a, stage, x.tf.t, true);
	at->after = rows.v[rows.n - 1].id;
	at->has.stage = GIVEN;
	op->place = shape_text(c->mem, &retype_place_shape, at);
	return E_OK;
}

static enum err
retype_give_up(struct ctx *c, const struct operation *op)
{
	void *place;
	struct retype_place *at;

	TRY(table_release(c, op->table_no, op->id));
	if (!op->place)
		return E_OK;
	TRY(asked_read(c, op->place, &retype_place_shape, &place));
	at = place;
	return table_stage_drop(c, &(struct data_table){ .no = at->stage });
}

const struct operation_kind retype_operation = { "retype", retype_piece, retype_give_up };
