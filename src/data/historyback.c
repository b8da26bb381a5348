/* SPDX-License-Identifier: Apache-2.0
 * Makes rows again what they were: before a batch, or at an instant. The oldest record of a row
 * among those that are undone has its state before; the newest tells whether others changed the row
 * since. */
#include "base/principal.h"
#include "base/str.h"
#include "data/history.h"

SHAPE_DEFINE(went_back, WENT_BACK);

/* rows and records of one piece; a batch may have several records of a row */
enum { BACK_ROWS = ROWS_AT_ONCE, BACK_RECORDS = 2 * BACK_ROWS, KEPT_NAMED = 100 };

/* A row's state before, and its newest record. doc NULL: there was no row. */
#define BACK_RECORD(F, T) \
	F(T, STR, id) \
	F(T, INT, rev) \
	F(T, INT, act) \
	F(T, INT, shape_no, .flags = F_NUL) \
	F(T, STR, doc,      .flags = F_NUL)
SHAPE(back_record, BACK_RECORD);

struct back_row {
	const struct back_record *to; /* the state before */
	int64_t rev;                  /* of the newest record, */
	int64_t act;                  /* and its act */
	const struct data_row *now; /* NULL: there is no row */
	struct row_new made;          /* what is stored; made.doc NULL: no row */
};

struct back {
	struct ctx *c;
	const struct table_for *tf;
	struct back_row *rows; /* by id */
	size_t n;
	bool force; /* also rows that others changed since */
	bool dry;
	bool own; /* for a failed import, whatever its maker may do now */
	struct went_back *out;
	/* whole: all after the second `at` is undone; else a batch */
	bool whole;
	uint8_t batch[ID_BYTES];
	int64_t at;
	const char *place; /* hex id of the row before the next piece */
	bool end;          /* no rows are left after this piece */
};

/* ---- rows and their states ---- */

/* Merges the records, which are in the order of ids and then of time. The last row may lack some of
 * its records, so it is left to the next piece, unless it is the only one. */
static void
back_collect(struct back *b, const struct back_record_list *records)
{
	b->rows = mem_array(b->c->mem, struct back_row, records->n + 1);
	for (size_t i = 0; i < records->n; i++) {
		const struct back_record *rec = &records->v[i];
		struct back_row *row = b->n ? &b->rows[b->n - 1] : NULL;

		if (!row || !str_eq(row->to->id, rec->id)) {
			row = &b->rows[b->n++];
			*row = (struct back_row){ .to = rec };
		}
		row->rev = rec->rev;
		row->act = rec->act;
	}
	b->end = b->n <= BACK_ROWS && records->n <= BACK_RECORDS;
	if (!b->end)
		b->n = b->n > BACK_ROWS ? BACK_ROWS : b->n > 1 ? b->n - 1 : 1;
	if (b->n)
		b->place = b->rows[b->n - 1].to->id;
}

/* Locks the rows that are there. */
static enum err
rows_lock(struct back *b, const char *ids)
{
	struct data_row_list now;

	TRY(db_all(b->c,
	    ROWS(data_row,
		"SELECT r.id, r.doc, r.shape_no, r.rev"
		" FROM " HEX_ID_TABLE("?")
		" STRAIGHT_JOIN data_row r ON r.table_no = ? AND r.id = UNHEX(j.i)"
		" ORDER BY r.id FOR UPDATE"),
	    ARGS(ids, b->tf->t->no), &now));
	for (size_t i = 0, k = 0; i < b->n && k < now.n; i++)
		if (str_eq(b->rows[i].to->id, now.v[k].id))
			b->rows[i].now = &now.v[k++];
	return E_OK;
}

/* Finds the newest records of rows that aren't there. They may have come back and gone since. */
static enum err
newest_revs(struct back *b, const char *ids, struct back_record_list *out)
{
	return db_all(b->c,
	    ROWS(back_record,
		"SELECT d.row_id AS id, MAX(d.rev) AS rev"
		" FROM " HEX_ID_TABLE("?")
		" STRAIGHT_JOIN data_change d ON d.history_no = ? AND d.row_id = UNHEX(j.i)"
		" GROUP BY d.row_id ORDER BY d.row_id"),
	    ARGS(ids, table_history_no(b->tf->t)), out);
}

/* True if the row is as its newest record left it. newest: its newest record of all. */
static bool
row_untouched(const struct back_row *row, int64_t newest)
{
	if (row->now)
		return row->act != ACT_DELETED && row->now->rev == row->rev + 1;
	return row->act == ACT_DELETED && newest <= row->rev;
}

static void
row_keep(struct back *b, const struct back_row *row)
{
	struct strs *kept = &b->out->kept_rows;

	b->out->kept++;
	if (kept->n < KEPT_NAMED)
		strs_add(b->c->mem, kept, row_id_of_hex(b->c, row->to->id));
}

/* Makes the state to store, and checks that the caller may read it and write both states. */
static enum err
row_prepare(struct back *b, struct back_row *row, int64_t newest, bool *hidden)
{
	const struct data_row then = {
		.id = row->to->id, .doc = row->to->doc, .shape_no = row->to->shape_no
	};
	struct data_row to = then;
	struct json *tree = NULL, *made;
	struct row_new now;

	*hidden = false;
	if (row->now) {
		TRY(row_state(b->c, b->tf, row->now, &tree, &now));
		TRY(row_write_check(b->c, b->tf, to.doc ? &b->tf->change : &b->tf->delete, "",
		    now.keys));
	}
	row->made = (struct row_new){ 0 };
	if (!to.doc)
		return E_OK;
	TRY(history_state(b->c, b->tf, &to, &row->made));
	if (row->now) {
		TRY(json_parse(b->c, row->made.doc, strlen(row->made.doc), &made));
		TRY(row_columns_check(b->c, b->tf, tree, made));
	}
	TRY(row_keep_dropped(b->c, b->tf->t, &then, &row->made));
	*hidden = !row_rule_holds(&b->tf->read, &b->tf->columns, row->made.keys);
	row->made.rev = (row->now ? row->now->rev : newest + 1) + 1;
	crypto_unhex(to.id, row->made.id, ID_BYTES);
	/* A row that comes back was counted by add_per_hour when it was new. */
	return row_write_check(
	    b->c, b->tf, row->now ? &b->tf->change : &b->tf->add, "", row->made.keys);
}

/* Leaves in b->rows those to change. */
static enum err
back_decide(struct back *b)
{
	const char **hex = mem_array(b->c->mem, const char *, b->n + 1), *ids;
	struct back_record_list revs;
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		hex[i] = b->rows[i].to->id;
	ids = ids_json(b->c, hex, b->n);
	TRY(rows_lock(b, ids));
	TRY(newest_revs(b, ids, &revs));
	for (size_t i = 0, k = 0; i < b->n; i++) {
		struct back_row *row = &b->rows[i];
		int64_t newest = row->rev;
		bool hidden;

		while (k < revs.n && strcmp(revs.v[k].id, row->to->id) < 0)
			k++;
		if (k < revs.n && str_eq(revs.v[k].id, row->to->id) && revs.v[k].rev > newest)
			newest = revs.v[k].rev;
		if (!row->now && !row->to->doc)
			continue;
		if (!b->force && !row_untouched(row, newest)) {
			row_keep(b, row);
			continue;
		}
		TRY(row_prepare(b, row, newest, &hidden));
		if (row->now && row->made.doc && str_eq(row->made.doc, row->now->doc))
			continue;
		if (hidden)
			row_keep(b, row);
		else
			b->rows[n++] = *row;
	}
	b->n = n;
	b->out->undone += (int64_t)n;
	return E_OK;
}

/* ---- storing ---- */

/* Rows of one kind: to be deleted, changed, or added again. */
struct back_kind {
	struct data_row_list rows;
	int64_t bytes; /* of their texts now */
};

/* Adds the statements that record and delete the rows of a kind. */
static void
kind_delete_sql(
    struct back *b, struct sql *q, const struct back_kind *kind, enum past_act act)
{
	if (!kind->rows.n)
		return;
	sql_add(q, " BEGIN DECLARE ids MEDIUMTEXT DEFAULT ?;",
	    ARGS(rows_ids_json(b->c, &kind->rows)));
	past_many_sql(b->c, q, b->tf->past, table_history_no(b->tf->t), act,
	    (int64_t)kind->rows.n, kind->bytes);
	rows_delete_sql(q, b->tf->t);
	sql_add(q, " END;", NOARGS);
}

/* Records and deletes the rows that are there. A changed row is inserted anew. */
static enum err
back_clear(struct back *b, const struct back_kind *gone, const struct back_kind *changed)
{
	struct sql q = SQL(b->c->mem);

	sql_add(&q, "BEGIN NOT ATOMIC DECLARE tab BIGINT DEFAULT ?;", ARGS(b->tf->t->no));
	kind_delete_sql(b, &q, gone, ACT_DELETED);
	kind_delete_sql(b, &q, changed, ACT_CHANGED);
	sql_add(&q, " END", NOARGS);
	return gone->rows.n || changed->rows.n
	    ? db_exec(b->c, BUILT_EXEC(&q), sql_args(&q), NULL)
	    : E_OK;
}

static const char *
back_place(void *arg, size_t i)
{
	(void)arg;
	(void)i;
	return "";
}

static enum err
back_store(struct back *b)
{
	struct row_new *made = mem_array(b->c->mem, struct row_new, b->n + 1);
	struct past_again *back = mem_array(b->c->mem, struct past_again, b->n + 1);
	struct back_kind gone = { 0 }, changed = { 0 }, again = { 0 };
	int64_t bytes = 0;
	size_t n = 0;
	enum err e;

	for (size_t i = 0; i < b->n; i++) {
		const struct back_row *row = &b->rows[i];
		struct back_kind *kind = !row->made.doc ? &gone : row->now ? &changed : &again;

		if (row->made.doc && !row->now)
			back[again.rows.n] =
			    (struct past_again){ row->made.id, row->made.rev - 1 };
		if (!kind->rows.v)
			kind->rows.v = mem_array(b->c->mem, struct data_row, b->n);
		kind->rows.v[kind->rows.n++] = (struct data_row){ .id = row->to->id };
		kind->bytes += row->now ? (int64_t)strlen(row->now->doc) : 0;
		if (row->made.doc)
			made[n++] = row->made;
	}
	TRY(back_clear(b, &gone, &changed));
	TRY(rows_key(b->c, b->tf, made, n, back_place, NULL));
	e = rows_put(b->c, b->tf, made, n, &bytes);
	/* Another undo has just brought a row back. */
	if (e == E_CONFLICT)
		b->c->replay = true;
	TRY(e);
	TRY(past_again(
	    b->c, b->tf->past, table_history_no(b->tf->t), back, again.rows.n));
	return table_account(b->c, b->tf, (int64_t)again.rows.n - (int64_t)gone.rows.n,
	    bytes - gone.bytes - changed.bytes);
}

#define BACK_COLUMNS "SELECT d.row_id AS id, d.rev, d.act, d.shape_no, d.doc FROM data_change d"
/* Rows that were added together, as if each had a record. */
#define BACK_ADDED \
	"SELECT r.id, -1, 0, NULL, NULL FROM data_change d STRAIGHT_JOIN data_row r" \
	" ON r.table_no = ? AND r.id BETWEEN d.row_id AND d.last_id AND r.id > UNHEX(?)"

/* Rows that were added together and deleted since weren't there before, either. */
#define BACK_ADDED_GONE \
	"SELECT x.row_id, -1, 0, NULL, NULL FROM data_change d STRAIGHT_JOIN data_change x" \
	" FORCE INDEX (PRIMARY) ON x.history_no = d.history_no AND x.act = 2" \
	" AND x.row_id BETWEEN d.row_id AND d.last_id AND x.row_id > UNHEX(?)" \
	" AND x.last_id IS NULL"

static enum err
batch_records(const struct back *b, const char *place, struct back_record_list *out)
{
	const int64_t no = table_history_no(b->tf->t);
	const struct bytes batch = { b->batch, ID_BYTES };

	return db_all(b->c,
	    ROWS(back_record,
		"(" BACK_COLUMNS " FORCE INDEX (data_change_batch)"
		" WHERE d.history_no = ? AND d.batch = ? AND d.row_id > UNHEX(?)"
		" AND d.last_id IS NULL ORDER BY d.row_id, d.rev LIMIT ?) UNION ALL (" BACK_ADDED
		" WHERE d.history_no = ? AND d.batch = ? AND d.last_id > UNHEX(?)"
		" ORDER BY r.id LIMIT ?) ORDER BY id, rev LIMIT ?"),
	    ARGS(no, batch, place, BACK_RECORDS + 1, b->tf->t->no, place, no, batch, place,
		BACK_RECORDS + 1, BACK_RECORDS + 1),
	    out);
}

static enum err
later_records(const struct back *b, const char *place, struct back_record_list *out)
{
	const int64_t no = table_history_no(b->tf->t);

	return db_all(b->c,
	    ROWS(back_record,
		"(" BACK_COLUMNS " FORCE INDEX (PRIMARY)"
		" WHERE d.history_no = ? AND d.row_id > UNHEX(?) AND d.at > ?"
		" AND d.last_id IS NULL ORDER BY d.row_id, d.rev LIMIT ?) UNION ALL (" BACK_ADDED
		" WHERE d.history_no = ? AND d.last_id > UNHEX(?) AND d.at > ?"
		" ORDER BY r.id LIMIT ?) UNION ALL (" BACK_ADDED_GONE
		" WHERE d.history_no = ? AND d.last_id > UNHEX(?) AND d.at > ?"
		" GROUP BY x.row_id ORDER BY x.row_id LIMIT ?) ORDER BY id, rev LIMIT ?"),
	    ARGS(no, place, b->at, BACK_RECORDS + 1, b->tf->t->no, place, no, place, b->at,
		BACK_RECORDS + 1, place, no, place, b->at, BACK_RECORDS + 1, BACK_RECORDS + 1),
	    out);
}

static enum err
back_apply(struct back *b, const struct back_record_list *records)
{
	back_collect(b, records);
	TRY(back_decide(b));
	if (!b->n || b->dry)
		return E_OK;
	b->tf->past->via = "undo";
	TRY(back_store(b));
	b->out->batch_id = id_text(b->c->mem, "bat_", b->tf->past->batch);
	return E_OK;
}

static enum err
back_piece(struct back *b)
{
	struct back_record_list records;

	b->n = 0;
	TRY(b->whole ? later_records(b, b->place, &records)
		     : batch_records(b, b->place, &records));
	return back_apply(b, &records);
}

/* ---- more rows than a request may change ---- */

#define BACK_TOTAL(F, T) F(T, INT, n)
SHAPE(back_total, BACK_TOTAL);

/* Counts records, which are at least as many as rows. */
static enum err
back_total(const struct back *b, int64_t *out)
{
	const int64_t no = table_history_no(b->tf->t);
	const struct bytes batch = { b->batch, ID_BYTES };
	struct back_total *row;

	TRY(b->whole
		? db_one(b->c,
		      ROWS(back_total,
			  "SELECT CAST(COALESCE(SUM(n), 0) AS SIGNED) AS n FROM data_change"
			  " WHERE history_no = ? AND at > ?"),
		      ARGS(no, b->at), &row)
		: db_one(b->c,
		      ROWS(back_total,
			  "SELECT CAST(COALESCE(SUM(n), 0) AS SIGNED) AS n FROM data_change"
			  " WHERE history_no = ? AND batch = ?"),
		      ARGS(no, batch), &row));
	*out = row->n;
	return E_OK;
}

/* Leaves the undo or restore to the runner, as an operation. */
static enum err
back_later(struct back *b, int64_t total)
{
	struct operation *op = mem_new(b->c->mem, struct operation);

	*op = (struct operation){
		.kind = b->whole ? "restore" : "undo", .table = b->tf->t->name,
		.artifact_id = b->tf->a->id, .table_no = b->tf->t->no, .total = total,
		.created_by = b->c->actor ? b->c->actor->user_id : NULL
	};
	op->asked = b->whole
	    ? mem_printf(b->c->mem, "{\"at\":%lld}", (long long)b->at)
	    : mem_printf(b->c->mem, "{\"batch\":\"%s\"%s}",
		  crypto_hex(b->c->mem, b->batch, ID_BYTES), b->own ? ",\"own\":true" : "");
	TRY(operation_add(b->c, op));
	b->out->operation = op;
	return E_OK;
}

/* Counts in pieces, whose memory is freed. */
static enum err
back_count(struct back *b)
{
	enum err e = E_OK;

	while (!e && !b->end) {
		struct ctx *c = ctx_begin(b->c->conf, b->c->db);
		struct back piece = *b;

		piece.c = c;
		e = back_piece(&piece);
		b->end = piece.end;
		b->place = mem_strdup(b->c->mem, piece.place);
		e = ctx_join(b->c, c, e);
	}
	return e;
}

static enum err
back_do(struct back *b)
{
	int64_t total;

	b->place = "";
	if (b->dry)
		return back_count(b);
	TRY(back_total(b, &total));
	return total > BACK_ROWS ? back_later(b, total) : back_piece(b);
}

/* ---- the runner's part ---- */

static enum err
back_replaced(struct ctx *c, const struct operation *op)
{
	return fail(c, E_CONFLICT, "the table %s was replaced; rows before %lld are undone",
	    op->table, (long long)op->done);
}

/* Reads the table as it is, without asking for anybody's rights. */
static enum err
own_table(struct ctx *c, const struct operation *op, struct table_for *tf)
{
	const struct row_rule all = { .verdict = VERDICT_YES };
	struct artifact *a = mem_new(c->mem, struct artifact);
	struct principal *who = mem_new(c->mem, struct principal);
	struct data_table *t;

	a->id = op->artifact_id;
	*who = (struct principal){ .kind = "person", .user_id = op->created_by };
	c->actor = who;
	TRY(table_of_no(c, op->table_no, false, &t));
	if (!t)
		return back_replaced(c, op);
	*tf = (struct table_for){ .a = a, .t = t, .read = all, WRITES_ANY,
		.past = mem_new(c->mem, struct table_past) };
	table_columns(t, &tf->columns);
	return E_OK;
}

/* Reads the table as the person who asked sees it now. */
static enum err
asked_table(struct ctx *c, const struct operation *op, bool whole, struct table_for *tf)
{
	struct principal *who;
	struct artifact *a;

	TRY(operation_maker(c, op, &who, &a));
	c->actor = who;
	TRY(table_get(c, a, who, op->table, tf));
	if (tf->t->no != op->table_no)
		return back_replaced(c, op);
	if (whole && !a->can_edit && role_rank(a->role) < ROLE_EDITOR)
		return fail(c, E_DENIED,
		    "the person who asked for this no longer edits the artifact");
	return E_OK;
}

static enum err
back_operate(struct ctx *c, struct operation *op, bool *end)
{
	struct went_back out = { 0 };
	struct back b = { .c = c, .out = &out, .place = op->place ? op->place : "" };
	struct table_for tf;
	struct json *asked;
	const char *hex;

	TRY(json_parse(c, op->asked, strlen(op->asked), &asked));
	hex = json_word(asked, "batch");
	b.whole = b.force = !hex;
	b.own = json_true(json_get(asked, "own"));
	if (hex)
		crypto_unhex(hex, b.batch, ID_BYTES);
	else
		b.at = json_int(json_get(asked, "at"));
	TRY(b.own ? own_table(c, op, &tf) : asked_table(c, op, b.whole, &tf));
	b.tf = &tf;
	/* All pieces are one batch. */
	tf.past->begun = op->batch_id && id_bytes(op->batch_id, "bat_", tf.past->batch);
	TRY(back_piece(&b));
	if (out.batch_id)
		op->batch_id = out.batch_id;
	op->done += out.undone + out.kept;
	op->place = b.place;
	*end = b.end;
	if (*end)
		op->total = op->done;
	return E_OK;
}

extern const struct operation_kind undo_operation, restore_operation;
const struct operation_kind undo_operation = { "undo", back_operate, NULL };
const struct operation_kind restore_operation = { "restore", back_operate, NULL };

/* ---- what to undo ---- */

#define BATCH_OWNER(F, T) \
	F(T, ID, user_id, .arg = "usr_", .flags = F_NUL)
SHAPE(batch_owner, BATCH_OWNER);

/* E_NOT_FOUND, or E_CONFLICT if the batch is older than the history. */
static enum err
batch_find(struct ctx *c, const struct table_for *tf, const char *id, uint8_t raw[ID_BYTES],
    struct batch_owner **out)
{
	bool trimmed;

	*out = NULL;
	if (id_bytes(id, "bat_", raw))
		TRY(db_find(c,
		    ROWS(batch_owner,
			"SELECT user_id FROM data_change WHERE history_no = ? AND batch = ?"
			" LIMIT 1"),
		    ARGS(table_history_no(tf->t), ((struct bytes){ raw, ID_BYTES })), out));
	/* A trimmed history may lack some batches of the second history_since. */
	trimmed = !*out && tf->t->history_since > tf->t->created_at;
	if (id_time(id) && id_time(id) < tf->t->history_since + trimmed)
		return fail(c, E_CONFLICT,
		    "batch_id: the history of the table %s doesn't go back that far; "
		    "it begins at %s",
		    tf->t->name, str_rfc3339(c->mem, tf->t->history_since));
	return *out ? E_OK
		    : fail(c, E_NOT_FOUND,
			  "There is no batch %s of the table %s, or you don't have access to it",
			  id, tf->t->name);
}

enum err
history_undo(struct ctx *c, const struct table_for *tf, const char *batch_id, bool dry,
    struct went_back *out)
{
	struct back b = { .c = c, .tf = tf, .dry = dry, .out = out };
	struct batch_owner *owner;

	*out = (struct went_back){ 0 };
	TRY(batch_find(c, tf, batch_id, b.batch, &owner));
	if (tf->read.verdict != VERDICT_YES &&
	    (!c->actor || !str_eq(owner->user_id, c->actor->user_id)))
		return fail(c, E_DENIED,
		    "Only people who may read all rows of %s can undo what others did",
		    tf->t->name);
	return back_do(&b);
}

enum err
history_take_back(
    struct ctx *c, const struct table_for *tf, const char *batch_id, struct went_back *out)
{
	struct back b = { .c = c, .tf = tf, .own = true, .out = out };
	struct batch_owner *owner;

	*out = (struct went_back){ 0 };
	TRY(batch_find(c, tf, batch_id, b.batch, &owner));
	return back_do(&b);
}

enum err
history_row_restore(
    struct ctx *c, const struct table_for *tf, const char *row_id, const char *batch_id)
{
	struct went_back out = { 0 };
	struct back b = { .c = c, .tf = tf, .force = true, .out = &out };
	uint8_t raw[ID_BYTES], row[ID_BYTES];
	struct back_record_list records;
	struct batch_owner *owner;

	if (tf->read.verdict == VERDICT_NO || !id_bytes(row_id, "row_", row))
		return row_absent(c, tf, row_id);
	TRY(batch_find(c, tf, batch_id, raw, &owner));
	TRY(db_all(c,
	    ROWS(back_record,
		BACK_COLUMNS " WHERE d.history_no = ? AND d.row_id = ? AND d.batch = ?"
		" AND d.doc IS NOT NULL ORDER BY d.rev LIMIT 1"),
	    ARGS(table_history_no(tf->t), ((struct bytes){ row, ID_BYTES }),
		((struct bytes){ raw, ID_BYTES })),
	    &records));
	if (!records.n)
		return fail(c, E_NOT_FOUND,
		    "batch_id: didn't change or delete the row %s", row_id);
	TRY(back_apply(&b, &records));
	return out.kept ? row_absent(c, tf, row_id) : E_OK;
}

enum err
history_restore(
    struct ctx *c, const struct table_for *tf, int64_t at, bool dry, struct went_back *out)
{
	struct back b = {
		.c = c, .tf = tf, .force = true, .whole = true, .at = at, .dry = dry, .out = out
	};

	*out = (struct went_back){ 0 };
	if (tf->read.verdict != VERDICT_YES)
		return fail(c, E_DENIED, "Only people who may read all rows of %s can do this",
		    tf->t->name);
	if (at < tf->t->history_since)
		return fail(c, E_CONFLICT,
		    "at: the history of the table %s doesn't go back that far; it begins at %s",
		    tf->t->name, str_rfc3339(c->mem, tf->t->history_since));
	return back_do(&b);
}
