/* SPDX-License-Identifier: Apache-2.0 */
#include "import/keep.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "core/storage.h"
#include "data/history.h"
#include "data/tablekey.h"
#include "data/tablestage.h"

enum { BEAT_MS = 5000, BATCH_BYTES = 2 << 20, TURN_MS = 30000 };

/* ---- the claim ---- */

struct working {
	struct ctx *c;
	const struct import *imp;
	bool (*left)(void *arg);
	int64_t beat_ms;
	bool lost; /* somebody has changed the import */
};

/* Renews the lease now and then. */
static bool
work_stop(void *arg)
{
	struct working *w = arg;
	struct ctx *c;

	if (w->lost || w->left(NULL))
		return true;
	if (clock_ms() - w->beat_ms < BEAT_MS)
		return false;
	w->beat_ms = clock_ms();
	c = ctx_begin(w->c->conf, w->c->db);
	w->lost = claim_hold(c, w->imp) != E_OK;
	ctx_end(c);
	return w->lost;
}

/* ---- storing ---- */

struct keeping {
	struct ctx *c;
	const struct import *imp;
	struct working *work;
	struct artifact *a;
	struct principal who;
	struct data_table *was, *staged; /* staged: gets the rows; NULL if they go into `was` */
	struct source source;
	struct reader *reader;
	struct plan plan;
	const struct data_table *t;      /* whose columns the plan is for */
	struct different keys;           /* of the table's key */
	struct table_past past;          /* of rows that are added */
	int64_t records, rows;           /* done */
	uint8_t last[ID_BYTES];          /* id of the last row, if rows > 0 */
};

struct batch_rows {
	struct row_new *v;
	int64_t *lines;
	size_t n;
	int64_t records;
	bool any; /* more may follow */
};

static void
misfit_ignore(void *arg, const struct record *rec, int column, const struct given *v,
    const char *why)
{
	(void)arg;
	(void)rec;
	(void)column;
	(void)v;
	(void)why;
}

/* Returns false for a line whose key an earlier one has. */
static bool
key_is_new(struct keeping *k, const struct row_new *row)
{
	int64_t slot = k->t->key_slot;

	return slot < 0 || !row->keys[slot].n ||
	    different_new(k->c, &k->keys, row->keys[slot].p, row->keys[slot].n);
}

/* Reads rows for a batch. Lines that don't fit are left out, as the check has counted them. */
static enum err
batch_read(struct keeping *k, struct ctx *c, struct batch_rows *out)
{
	const struct misfit_sink sink = { misfit_ignore, NULL };
	struct record *rec = mem_new(c->mem, struct record);
	bool nulls = str_eq(k->imp->on_misfit, "null");
	size_t bytes = 0;

	*out = (struct batch_rows){ .v = mem_array(c->mem, struct row_new, ROWS_AT_ONCE),
		.lines = mem_array(c->mem, int64_t, ROWS_AT_ONCE),
		.any = true };
	while (out->n < ROWS_AT_ONCE && bytes < BATCH_BYTES) {
		struct row_new *row = &out->v[out->n];

		TRY(reader_next(c, k->reader, rec, &out->any));
		if (!out->any)
			return E_OK;
		out->records++;
		if ((!rec->n && !rec->wrong) ||
		    !plan_row(c, &k->plan, k->t, rec, nulls, &sink, row) || !key_is_new(k, row))
			continue;
		if (k->rows + (int64_t)out->n)
			id_bytes_after(out->n ? out->v[out->n - 1].id : k->last, row->id);
		else
			id_bytes_new(row->id);
		bytes += strlen(row->doc);
		out->lines[out->n++] = rec->line;
	}
	return E_OK;
}

static enum err
batch_claim(struct keeping *k, struct ctx *c, const struct batch_rows *b)
{
	const struct bytes first = { b->v[0].id, ID_BYTES };
	const struct bytes last = { b->n ? b->v[b->n - 1].id : k->last, ID_BYTES };
	int64_t mine;

	TRY(db_exec(c,
	    EXEC("UPDATE import SET records_done = ?, rows_done = ?, due_at = ?,"
		 " first_row = COALESCE(first_row, ?), last_row = ?"
		 " WHERE id = ? AND fence = ? AND state = 'storing'"),
	    ARGS(k->records + b->records, k->rows + (int64_t)b->n, c->now + CLAIM_LEASE_S,
		k->rows || !b->n ? arg_null() : arg_bytes(first),
		k->rows || b->n ? arg_bytes(last) : arg_null(), k->imp->id, k->imp->fence),
	    &mine));
	k->work->lost = !mine;
	return mine ? E_OK : fail(c, E_CONFLICT, "the import was changed");
}

/* Keeps some of the rows; the ids stay in their order. */
static void
rows_keep(struct batch_rows *b, const bool *keep)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		if (!keep[i])
			continue;
		b->v[n].doc = b->v[i].doc;
		memmove(b->v[n].keys, b->v[i].keys, sizeof b->v[i].keys);
		b->lines[n++] = b->lines[i];
	}
	b->n = n;
}

/* Leaves out rows that the rule doesn't let the maker write, as the check has counted them. If no
 * line may be left out, they may not be written anymore. */
static enum err
rows_allowed(
    struct keeping *k, struct ctx *c, const struct table_for *tf, struct batch_rows *b)
{
	bool *holds = mem_array(c->mem, bool, b->n + 1);

	for (size_t i = 0; i < b->n; i++) {
		holds[i] = row_rule_holds(&tf->add, &tf->columns, b->v[i].keys);
		if (!holds[i] && str_eq(k->imp->on_misfit, "refuse"))
			return fail(c, E_DENIED,
			    "The access_policy doesn't let its maker write these rows anymore");
	}
	rows_keep(b, holds);
	return E_OK;
}

/* Reads the table as it is now. The transaction's changes go into the import's batch. */
static enum err
target_get(struct keeping *k, struct ctx *c, struct table_for *out)
{
	TRY(table_get(c, k->a, &k->who, k->imp->table, out));
	if (out->t->no != k->t->no || out->t->shape_no != k->t->shape_no)
		return fail(c, E_INVALID, "The columns of %s were changed meanwhile", out->t->name);
	*out->past = k->past;
	return out->add.verdict != VERDICT_NO ||
		(str_eq(k->imp->mode, "upsert") && out->change.verdict != VERDICT_NO)
	    ? E_OK
	    : fail(c, E_DENIED, "Its maker can't write rows of %s anymore", out->t->name);
}

static enum err
batch_add(struct keeping *k, struct ctx *c, struct batch_rows *b)
{
	struct bytes *keys = mem_array(c->mem, struct bytes, b->n + 1);
	bool *keep = mem_array(c->mem, bool, b->n + 1);
	struct table_for tf;
	int64_t bytes = 0;

	TRY(target_get(k, c, &tf));
	TRY(rows_allowed(k, c, &tf, b));
	/* Leaves out rows whose key the table has, as the check has counted them. If no line may be
	 * left out, such a row fails the import when it is stored. */
	if (tf.t->key_slot >= 0 && !str_eq(k->imp->on_misfit, "refuse")) {
		for (size_t i = 0; i < b->n; i++)
			keys[i] = b->v[i].keys[tf.t->key_slot];
		TRY(table_keys_taken(c, tf.t->no, keys, b->n, NULL, NULL, keep));
		for (size_t i = 0; i < b->n; i++)
			keep[i] = !keep[i];
		rows_keep(b, keep);
	}
	TRY(batch_claim(k, c, b));
	TRY(rows_load_made(c, &tf, b->v, b->n, b->lines, &bytes));
	return b->n ? table_account(c, &tf, (int64_t)b->n, bytes) : E_OK;
}

/* Returns the values of the file's columns in a row; *same: the stored row has all of them. */
static enum err
values_of(struct keeping *k, struct ctx *c, const struct data_table *t, const struct row_new *row,
    const struct data_row *now, struct json **out, bool *same)
{
	struct json *made, *had;
	const char *text;

	*out = json_new(c, NULL, NULL);
	*same = true;
	TRY(row_doc_now(c, t, now, &text));
	TRY(json_parse(c, text, strlen(text), &had));
	TRY(json_parse(c, row->doc, strlen(row->doc), &made));
	for (size_t i = 0; i < k->plan.n; i++) {
		const char *name = k->plan.v[i].name;

		if (!k->plan.v[i].take)
			continue;
		json_set(*out, name, json_get(made, name));
		*same = *same && str_eq(json_text(c->mem, json_get(made, name)),
				     json_text(c->mem, json_get(had, name)));
	}
	return E_OK;
}

/* Changes rows that have a key of the file, and adds the others. */
static enum err
batch_upsert(struct keeping *k, struct ctx *c, const struct batch_rows *b)
{
	struct bytes *keys = mem_array(c->mem, struct bytes, b->n + 1);
	const struct data_row **now = mem_array(c->mem, const struct data_row *, b->n + 1);
	struct batch_rows fresh = { .v = mem_array(c->mem, struct row_new, b->n + 1),
		.lines = mem_array(c->mem, int64_t, b->n + 1) };
	struct table_for tf;
	struct json *values;
	int64_t bytes = 0;
	bool same;

	TRY(target_get(k, c, &tf));
	TRY(batch_claim(k, c, b));
	for (size_t i = 0; i < b->n; i++)
		keys[i] = b->v[i].keys[tf.t->key_slot];
	TRY(table_keys_find(c, &tf, keys, b->n, now));
	for (size_t i = 0; i < b->n; i++) {
		struct data_row changed;

		if (!now[i]) {
			fresh.v[fresh.n] = b->v[i];
			memcpy(fresh.v[fresh.n].id, b->v[fresh.n].id, ID_BYTES);
			fresh.lines[fresh.n++] = b->lines[i];
			continue;
		}
		if (!now[i]->may_write)
			return fail(c, E_DENIED,
			    "The access_policy doesn't let its maker write a row with a key of "
			    "the file");
		TRY(values_of(k, c, tf.t, &b->v[i], now[i], &values, &same));
		changed = *now[i];
		if (!same)
			TRY(row_patch(c, &tf, values, &changed));
	}
	TRY(rows_allowed(k, c, &tf, &fresh));
	TRY(rows_load_made(c, &tf, fresh.v, fresh.n, fresh.lines, &bytes));
	return fresh.n ? table_account(c, &tf, (int64_t)fresh.n, bytes) : E_OK;
}

static enum err
batch_store(struct keeping *k, struct ctx *c, struct batch_rows *b, int64_t *bytes)
{
	*bytes = 0;
	TRY(db_begin(c));
	if (k->staged) {
		const struct table_for tf = { .a = k->a, .t = k->staged, WRITES_ANY };
		struct data_table t = *k->staged;

		TRY(batch_claim(k, c, b));
		TRY(rows_load_made(c, &tf, b->v, b->n, b->lines, bytes));
		TRY(table_stage_account(c, &t, (int64_t)b->n, *bytes));
	} else {
		TRY(str_eq(k->imp->mode, "upsert") ? batch_upsert(k, c, b) : batch_add(k, c, b));
	}
	return db_commit(c);
}

/* Runs again after a deadlock, with the same rows. */
static enum err
batch_run(struct keeping *k, struct ctx *c, bool *any)
{
	struct batch_rows b;
	int64_t bytes;
	int tries = 0;
	enum err e;

	TRY(batch_read(k, c, &b));
	*any = b.any;
	if (!b.records)
		return E_OK;
	do {
		e = batch_store(k, c, &b, &bytes);
	} while (db_again(c, e, &tries));
	TRY(e);
	k->records += b.records;
	k->rows += (int64_t)b.n;
	if (b.n)
		memcpy(k->last, b.v[b.n - 1].id, ID_BYTES);
	if (!k->staged)
		return E_OK;
	k->staged->row_count += (int64_t)b.n;
	k->staged->size_bytes += bytes;
	/* Stops early if the artifact has no room. */
	return storage_room(c, k->a->id, NULL, NULL,
	    k->staged->size_bytes - (k->was ? k->was->size_bytes : 0));
}

/* Begins to read the file, behind the records that earlier turns have stored. */
static enum err
reading_begin(struct keeping *k)
{
	const struct misfit_sink sink = { misfit_ignore, NULL };
	struct record *rec = mem_new(k->c->mem, struct record);
	bool any = true, nulls = str_eq(k->imp->on_misfit, "null");

	k->reader = mem_new(k->c->mem, struct reader);
	TRY(plan_read(k->c, k->imp, k->t, &k->plan));
	TRY(source_open_as(k->c, k->imp, &k->source));
	TRY(source_reader(k->c, &k->source, k->reader));
	if (k->source.header)
		TRY(header_skip(k->c, &k->source, k->reader));
	else if (k->source.format == READ_CSV)
		k->reader->fields = k->imp->columns.n;
	for (int64_t i = 0; i < k->imp->records_done && any; i++) {
		struct ctx *piece = ctx_begin(k->c->conf, k->c->db);
		struct row_new row = { .doc = NULL };
		enum err e = reader_next(piece, k->reader, rec, &any);

		if (!e && k->t->key_slot >= 0 && (rec->n || rec->wrong) &&
		    plan_row(piece, &k->plan, k->t, rec, nulls, &sink, &row))
			(void)key_is_new(k, &row);
		TRY(ctx_join(k->c, piece, e));
	}
	k->records = k->imp->records_done;
	k->rows = k->imp->rows_done;
	if (k->imp->last_row)
		crypto_unhex(k->imp->last_row, k->last, sizeof k->last);
	return E_OK;
}

/* Makes the table that is filled unseen, or finds it. If the runner has deleted it, another one is
 * filled from the start. */
static enum err
stage_begin(struct keeping *k, struct import *imp)
{
	struct data_table_new columns;
	const struct data_column *col;
	bool grown = false;

	if (imp->has.staged_no == GIVEN)
		TRY(table_staged(k->c, imp->staged_no, &k->staged));
	if (k->staged)
		return E_OK;
	plan_columns(k->c, imp, k->was, &columns);
	col = columns.columns.v;
	for (size_t i = 0; i < columns.columns.n && !grown; i++)
		grown = str_in(col[i].type, "date|choice|link");
	if (grown)
		TRY(table_columns_grown(k->c));
	TRY(db_begin(k->c));
	TRY(table_stage(k->c, imp->table, &columns, &k->staged));
	imp->records_done = imp->rows_done = 0;
	imp->first_row = imp->last_row = NULL;
	TRY(db_exec1(k->c,
	    EXEC("UPDATE import SET staged_no = ?, records_done = 0, rows_done = 0,"
		 " first_row = NULL, last_row = NULL WHERE id = ? AND fence = ?"),
	    ARGS(k->staged->no, imp->id, imp->fence)));
	return db_commit(k->c);
}

static enum err
store_end(struct keeping *k)
{
	struct ctx *c = k->c;

	TRY(db_begin(c));
	TRY(db_exec1(c,
	    EXEC("UPDATE import SET state = 'done', due = 0, staged_no = NULL, ended_at = ?,"
		 " expires_at = ? WHERE id = ? AND fence = ? AND state = 'storing'"),
	    ARGS(c->now, c->now + IMPORT_STAYS_S, k->imp->id, k->imp->fence)));
	if (k->staged)
		TRY(table_stage_show(c, k->a, k->staged, k->was, false));
	return db_commit(c);
}

/* *again: the columns are others than at the check. */
static enum err
target_find(struct keeping *k, bool *again)
{
	const struct import *imp = k->imp;
	struct table_for tf = { 0 };
	enum err e;

	*again = false;
	e = table_get(k->c, k->a, &k->who, imp->table, &tf);
	if (e == E_NOT_FOUND && str_eq(imp->mode, "create"))
		e = ctx_forgive(k->c);
	TRY(e);
	if (str_eq(imp->mode, "create") && tf.t)
		return fail(k->c, E_CONFLICT, "A table named %s was created meanwhile", imp->table);
	if (tf.t && !imp->records_done &&
	    (tf.t->no != imp->table_no || tf.t->shape_no != imp->shape_no)) {
		*again = true;
		return claim_check_again(k->c, imp);
	}
	k->was = tf.t ? mem_dup(k->c->mem, tf.t, sizeof *tf.t) : NULL;
	return E_OK;
}

static enum err
store_run(struct ctx *c, struct import *imp, struct working *w, bool *again)
{
	struct keeping *k = mem_new(c->mem, struct keeping);
	int64_t until = clock_ms() + TURN_MS;
	bool waits, any = true;

	*again = false;
	*k = (struct keeping){ .c = c, .imp = imp, .work = w };
	TRY(claim_maker(c, imp, &k->who, &k->a, &waits));
	if (waits)
		return claim_rest(c, imp, c->now + CLAIM_WAIT_S);
	c->actor = &k->who;
	k->past.via = "import";
	k->past.begun = imp->batch_id && id_bytes(imp->batch_id, "bat_", k->past.batch);
	TRY(target_find(k, again));
	if (*again)
		return E_OK;
	if (str_in(imp->mode, "create|replace"))
		TRY(stage_begin(k, imp));
	k->t = k->staged ? k->staged : k->was;
	TRY(reading_begin(k));
	while (any) {
		struct ctx *piece;

		/* Others that wait have their turn. */
		if (work_stop(w) || clock_ms() > until)
			return w->lost ? E_OK : claim_rest(c, imp, c->now);
		piece = ctx_begin(c->conf, c->db);
		piece->actor = &k->who;
		TRY(ctx_join(c, piece, batch_run(k, piece, &any)));
	}
	return store_end(k);
}

/* ---- taking back ---- */

static enum err
added_delete(struct ctx *c, const struct import *imp, const struct artifact *a, bool *more)
{
	struct table_past past = { .via = "undo" };
	struct table_for tf = { .a = a, .past = &past };
	struct data_row_list rows;
	struct data_table *t;
	int64_t bytes = 0;

	TRY(table_of_no(c, imp->table_no, false, &t));
	*more = false;
	if (!t)
		return E_OK;
	tf.t = t;
	table_columns(t, &tf.columns);
	TRY(db_begin(c));
	TRY(claim_hold(c, imp));
	TRY(db_all(c,
	    ROWS(data_row,
		"SELECT id, CAST(LENGTH(doc) AS SIGNED) AS n FROM data_row WHERE table_no = ?"
		" AND id BETWEEN UNHEX(?) AND UNHEX(?) ORDER BY id LIMIT ? FOR UPDATE"),
	    ARGS(t->no, imp->first_row, imp->last_row, (int64_t)ROWS_AT_ONCE), &rows));
	for (size_t i = 0; i < rows.n; i++)
		bytes += rows.v[i].n;
	*more = rows.n > 0;
	if (rows.n)
		TRY(rows_take_away(c, &tf, rows_ids_json(c, &rows), (int64_t)rows.n, bytes));
	return db_commit(c);
}

static enum err
added_take_back(struct ctx *c, const struct import *imp, struct working *w)
{
	const struct artifact a = { .id = imp->artifact_id };
	const struct principal who = { .kind = "person", .user_id = imp->created_by };
	bool more = imp->first_row != NULL && imp->has.staged_no != GIVEN &&
	    str_eq(imp->mode, "add");

	while (more) {
		struct ctx *piece;
		int tries = 0;
		enum err e;

		if (work_stop(w))
			return E_OK;
		piece = ctx_begin(c->conf, c->db);
		piece->actor = &who;
		do {
			e = added_delete(piece, imp, &a, &more);
		} while (db_again(piece, e, &tries));
		TRY(ctx_join(c, piece, e));
	}
	return db_exec(c,
	    EXEC("UPDATE import SET due = 0, rows_done = 0 WHERE id = ? AND fence = ?"),
	    ARGS(imp->id, imp->fence), NULL);
}

/* Rows that were changed come back from the table's history; many of them by an operation. */
static enum err
changed_take_back(struct ctx *c, const struct import *imp)
{
	const struct artifact a = { .id = imp->artifact_id };
	const struct principal who = { .kind = "person", .user_id = imp->created_by };
	struct table_past past = { .via = "undo" };
	struct table_for tf = { .a = &a, .past = &past, .read = { .verdict = VERDICT_YES },
		WRITES_ANY };
	struct data_table *t;
	struct went_back out;
	enum err e;

	TRY(table_of_no(c, imp->table_no, false, &t));
	if (!t)
		return E_OK;
	tf.t = t;
	table_columns(t, &tf.columns);
	c->actor = &who;
	TRY(db_begin(c));
	TRY(claim_hold(c, imp));
	e = history_take_back(c, &tf, imp->batch_id, &out);
	c->actor = NULL;
	/* The batch has no changes yet. */
	if (e == E_NOT_FOUND)
		e = ctx_forgive(c);
	return e ? e : db_commit(c);
}

/* ---- the lane ---- */

static enum err
import_work(struct ctx *c, struct import *imp, struct working *w)
{
	const struct data_table staged = { .no = imp->staged_no };
	bool whole, again;

	if (str_eq(imp->state, "checking"))
		return check_run(c, imp, &(struct until){ work_stop, w }, &whole);
	if (str_eq(imp->state, "storing"))
		return store_run(c, imp, w, &again);
	/* Takes back what a cancelled or a failed import has stored. */
	if (imp->has.staged_no == GIVEN)
		TRY(table_stage_drop(c, &staged));
	if (str_eq(imp->mode, "upsert") && imp->rows_done)
		TRY(changed_take_back(c, imp));
	return added_take_back(c, imp, w);
}

static enum err
import_failed(struct ctx *c, const struct import *imp, struct working *w, enum err e)
{
	struct ctx *after = ctx_begin(c->conf, c->db);
	/* Failures of ours are tried again for a day; others end the import. */
	const bool ends = (e != E_INTERNAL && e != E_UNAVAILABLE && e != E_OUTCOME &&
			      e != E_DISK_FULL) ||
	    after->now > imp->created_at + IMPORT_LIVES_S;

	db_rollback(c);
	if (w->lost || w->left(NULL))
		e = E_OK;
	else if (ends && str_in(imp->state, "checking|storing"))
		e = claim_fail(after, imp, ctx_told(c, e));
	else
		(void)claim_rest(after, imp, after->now + CLAIM_WAIT_S);
	ctx_end(after);
	return e;
}

enum err
import_next(const struct conf *conf, struct db *db, bool (*left)(void *arg), bool *any)
{
	struct ctx *c = ctx_begin(conf, db);
	struct import *imp = NULL;
	struct working w = { .c = c, .left = left, .beat_ms = clock_ms() };
	enum err e = claim_next(c, &imp);

	*any = imp != NULL;
	w.imp = imp;
	if (!e && imp) {
		e = import_work(c, imp, &w);
		if (e)
			e = import_failed(c, imp, &w, e);
	}
	if (e)
		log_line(LOG_LEVEL_WARN, "import", "id", imp ? imp->id : "", "why",
		    ctx_why(c), NULL);
	ctx_end(c);
	return e;
}
