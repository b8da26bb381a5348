/* SPDX-License-Identifier: Apache-2.0
 * Writes rows that were read into a table. */
#include "base/str.h"
#include "core/storage.h"
#include "data/intake.h"
#include "data/tablestage.h"

/* Shorter than a run's lease and than nginx's timeout. */
enum { KEEP_SECONDS = 90 };

static const char *
columns_named(struct ctx *c, const char *const *names, size_t n, const char *one, const char *many)
{
	return mem_printf(c->mem, "%s %s", n == 1 ? one : many, str_some(c->mem, names, n));
}

/* Describes how the source's columns differ from the table's. */
static const char *
columns_changed(struct ctx *c, const struct intake *in, const struct data_table_new *now)
{
	const char *gone[CELL_SLOTS], *fresh[CELL_SLOTS], *said = NULL;
	const struct data_column *was = in->old->columns.v, *is = now->columns.v;
	size_t gone_n = 0, fresh_n = 0, had = in->old->columns.n;

	for (size_t i = 0; i < had; i++) {
		bool there = false;

		for (size_t k = 0; k < in->column_n && !there; k++)
			there = str_eq(in->columns[k].name, was[i].name);
		if (!there)
			gone[gone_n++] = was[i].name;
	}
	for (size_t i = had; i < now->columns.n; i++)
		fresh[fresh_n++] = is[i].name;
	if (gone_n)
		said = mem_printf(c->mem, "%s %s gone",
		    columns_named(c, gone, gone_n, "column", "columns"),
		    gone_n == 1 ? "is" : "are");
	if (!fresh_n)
		return said;
	return mem_printf(c->mem, "%s%s%s", said ? said : "", said ? "; " : "",
	    columns_named(c, fresh, fresh_n, "new column", "new columns"));
}

/* Returns the table's column with the name that older releases made from this head. NULL if
 * another column of the text has that name. */
static const struct data_column *
column_before(struct ctx *c, const struct intake *in, const char *head)
{
	const char *name = column_name_before(c->mem, head);

	for (size_t i = 0; i < in->column_n; i++)
		if (str_eq(in->columns[i].name, name))
			return NULL;
	return table_column(in->old, name);
}

/* Fills `out` with the columns of the future table: existing ones, then new ones. Sets the types
 * that the text's values must have. *more: there are new ones. */
static enum err
columns_settle(struct ctx *c, struct intake *in, struct data_table_new *out, bool *more)
{
	size_t had = in->old ? in->old->columns.n : 0;
	struct data_column *col = mem_array(c->mem, struct data_column, had + in->column_n + 1);

	*out = (struct data_table_new){ .columns = { col, had } };
	if (had)
		memcpy(col, in->old->columns.v, had * sizeof *col);
	for (size_t i = 0; i < in->column_n; i++) {
		struct intake_column *k = &in->columns[i];
		const struct data_column *old = NULL;

		if (!k->name)
			continue;
		/* An older column may have a name that is reserved now. */
		if (in->old && table_column(in->old, k->head))
			k->name = k->head;
		if (in->old)
			old = table_column(in->old, k->name);
		if (in->old && !old)
			old = column_before(c, in, k->head);
		if (old)
			k->name = old->name;
		if (!old && in->old && in->who)
			return fail(c, E_INVALID,
			    "line 1: must name columns of the table, separated by commas: %s."
			    " It has %s",
			    table_column_names(c->mem, in->old), *k->head ? k->head : "nothing");
		if (old)
			k->type = cell_type_of(old->type);
		else
			col[out->columns.n++] = (struct data_column){
				.name = k->name, .type = cell_type_word(k->type)
			};
	}
	*more = out->columns.n > had;
	if (in->format == INTAKE_ROWS && in->old && out->columns.n <= CELL_SLOTS)
		in->changed = columns_changed(c, in, out);
	if (out->columns.n > CELL_SLOTS)
		return fail(c, E_INVALID, "would bring the table to %zu columns; the maximum is %d",
		    out->columns.n, CELL_SLOTS);
	return out->columns.n
	    ? E_OK
	    : fail(c, E_INVALID, "has no rows, so there are no columns to create a table from");
}

static enum err
batch_load(struct ctx *c, const struct table_for *tf, struct intake_scan *s, size_t *n,
    int64_t *bytes)
{
	const char *array;
	struct json *rows;

	*bytes = 0;
	TRY(intake_batch(c, s, &array, n));
	if (!*n)
		return E_OK;
	TRY(json_parse(c, array, strlen(array), &rows));
	return rows_load(c, tf, rows, s->in->format == INTAKE_CSV ? "line" : "row", s->places,
	    bytes);
}

/* Each batch has its own context. Copies a batch's error to the whole. */
static enum err
batch_failed(struct ctx *c, struct ctx *piece, enum err e)
{
	if (e && piece->message)
		fail(c, e, "%s", piece->message);
	else if (e)
		fail_here(c, "%s", ctx_why(piece));
	c->replay |= piece->replay;
	c->round_trips += piece->round_trips;
	ctx_end(piece);
	return c->err = e;
}

static enum err
takes_too_long(const struct ctx *c, struct ctx *piece)
{
	return piece->now - c->now > KEEP_SECONDS
	    ? fail(piece, E_INVALID, "storing the rows takes longer than %d seconds",
		  KEEP_SECONDS)
	    : E_OK;
}

/* ---- a staged table ---- */

static enum err
stage_batch(struct ctx *c, const struct artifact *a, struct intake *in, struct intake_scan *s,
    size_t *n)
{
	struct table_past past = { 0 }; /* recorded when the table is shown */
	const struct table_for tf = {
		.a = a, .t = in->staged, WRITES_ANY, .past = &past
	};
	int64_t bytes;

	TRY(db_begin(c));
	TRY(batch_load(c, &tf, s, n, &bytes));
	TRY(table_stage_account(c, in->staged, (int64_t)*n, bytes));
	return db_commit(c);
}

static enum err
stage_fill(struct ctx *c, const struct artifact *a, struct intake *in)
{
	struct intake_scan s;
	size_t n = 1;

	TRY(intake_begin(c, in, &s));
	while (n) {
		struct ctx *piece = ctx_begin(c->conf, c->db);
		enum err e = stage_batch(piece, a, in, &s, &n);

		if (e)
			db_rollback(piece);
		else
			e = takes_too_long(c, piece);
		TRY(batch_failed(c, piece, e));
		if (in->between)
			in->between(in->arg);
		/* Stops early if the artifact has no room. */
		TRY(storage_room(c, a->id, NULL, NULL, in->staged->size_bytes -
		    (in->old ? in->old->size_bytes : 0)));
	}
	return E_OK;
}

enum err
intake_stage(struct ctx *c, const struct artifact *a, const char *table, bool replace,
    struct intake *in)
{
	struct data_table_new columns;
	struct table_for tf;
	enum err e = table_get(c, a, in->who, table, &tf);
	bool more;

	if (e && e != E_NOT_FOUND)
		return e;
	if (e)
		ctx_again(c);
	in->table = table;
	in->old = e ? NULL : mem_dup(c->mem, tf.t, sizeof *tf.t);
	if (in->old && !replace)
		return intake_into(c, &tf, in);
	TRY(columns_settle(c, in, &columns, &more));
	TRY(table_stage(c, in->table, &columns, &in->staged));
	e = stage_fill(c, a, in);
	if (e) {
		struct ctx *again = ctx_begin(c->conf, c->db);

		(void)table_stage_drop(again, in->staged);
		ctx_end(again);
	}
	return e;
}

enum err
intake_into(struct ctx *c, const struct table_for *tf, struct intake *in)
{
	struct data_table_new columns;
	bool more;

	in->table = tf->t->name;
	in->old = mem_dup(c->mem, tf->t, sizeof *tf->t);
	TRY(columns_settle(c, in, &columns, &more));
	return in->old->row_count + (int64_t)in->rows <= ROWS_MAX
	    ? E_OK
	    : fail(c, E_STORAGE_FULL,
		  "the table %s has %s; %s more would exceed the limit of %s", in->table,
		  str_count(c->mem, in->old->row_count, "row"),
		  str_number(c->mem, (int64_t)in->rows), str_number(c->mem, ROWS_MAX));
}

/* ---- rows for an existing table ---- */

static enum err
rows_append(struct ctx *c, const struct table_for *tf, const struct intake *in)
{
	int64_t rows = 0, bytes = 0, some;
	struct intake_scan s;
	size_t n = 1;

	TRY(intake_begin(c, in, &s));
	while (n) {
		struct ctx *piece = ctx_begin(c->conf, c->db);

		enum err e = batch_load(piece, tf, &s, &n, &some);

		TRY(batch_failed(c, piece, e ? e : takes_too_long(c, piece)));
		rows += (int64_t)n;
		bytes += some;
	}
	return rows ? table_account(c, tf, rows, bytes) : E_OK;
}

enum err
intake_keep(struct ctx *c, const struct artifact *a, const struct intake *in)
{
	/* A copy, because the columns may have changed since. */
	struct intake now = *in;
	struct data_table_new columns;
	struct table_for tf;
	bool more, made;

	if (in->staged)
		return table_stage_show(c, a, in->staged, in->old, false);
	TRY(table_get(c, a, in->who, in->table, &tf));
	now.old = mem_dup(c->mem, tf.t, sizeof *tf.t);
	TRY(columns_settle(c, &now, &columns, &more));
	if (more) {
		TRY(table_put(c, a, in->who, now.table, &columns, &made));
		TRY(table_get(c, a, NULL, now.table, &tf));
	}
	if (!in->who) {
		tf.add = ANY_ROW;
		tf.limits = (struct row_limits){ 0 };
		tf.policy = NULL;
	}
	tf.past->via = in->who ? "import" : "job";
	return rows_append(c, &tf, &now);
}
