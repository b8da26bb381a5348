/* SPDX-License-Identifier: Apache-2.0 */
#include "import/leftout.h"

#include "base/str.h"
#include "data/rowcsv.h"
#include "data/tablekey.h"
#include "import/check.h"

enum { RECORDS_A_TURN = 1000 };

/* The first reason of a line. */
struct reason {
	const struct plan *plan;
	struct buf why;
};

static void
reason_take(void *arg, const struct record *rec, int column, const struct given *v,
    const char *why)
{
	struct reason *r = arg;

	(void)rec;
	(void)v;
	if (r->why.n)
		buf_str(&r->why, "; ");
	if (column >= 0)
		buf_fmt(&r->why, "%s: ", r->plan->v[column].name);
	buf_str(&r->why, why);
}

/* A line that is left out; a line with a key, only if the table has that key. */
struct left_line {
	const char *text;
	struct bytes key;
};

struct leaving {
	struct ctx *c;
	const struct import *imp;
	struct data_table t;    /* with the columns of the file */
	struct plan plan;
	int key_slot;           /* in t; -1: no key */
	struct different keys;
	int64_t table_no;       /* whose keys rows that are added may not have; 0: none */
	uint8_t first[ID_BYTES], last[ID_BYTES]; /* rows that the import has added itself */
	struct reader *reader;
	struct record rec;
};

/* Reads a record. *out has no text if the line isn't left out. */
static void
line_check(struct leaving *l, struct ctx *c, struct left_line *out)
{
	struct reason reason = { &l->plan, BUF(c->mem) };
	const struct misfit_sink sink = { reason_take, &reason };
	const struct record *rec = &l->rec;
	struct buf b = BUF(c->mem);
	struct row_new row;

	*out = (struct left_line){ .text = NULL };
	if (plan_row(c, &l->plan, &l->t, rec, false, &sink, &row) && l->key_slot >= 0)
		out->key = row.keys[l->key_slot];
	if (out->key.n && !different_new(l->c, &l->keys, out->key.p, out->key.n)) {
		reason_take(&reason, rec, l->plan.place[l->key_slot], NULL, KEY_TWICE);
		out->key.n = 0;
	} else if (out->key.n && l->table_no) {
		reason_take(&reason, rec, l->plan.place[l->key_slot], NULL, KEY_TAKEN);
	}
	if (!reason.why.n)
		return;
	buf_fmt(&b, "%lld", (long long)rec->line);
	for (size_t i = 0; i < l->plan.n; i++) {
		buf_chr(&b, ',');
		if (i < rec->n && rec->v[i].kind != GIVEN_NONE)
			rowcsv_text(&b, rec->v[i].s);
	}
	buf_chr(&b, ',');
	rowcsv_text(&b, buf_done(&reason.why));
	buf_str(&b, "\r\n");
	out->text = buf_done(&b);
}

static enum err
turn_write(struct leaving *l, struct ctx *c, struct buf *b, bool *any)
{
	struct left_line *lines = mem_array(c->mem, struct left_line, RECORDS_A_TURN);
	struct bytes *keys = mem_array(c->mem, struct bytes, RECORDS_A_TURN);
	bool *taken = mem_array(c->mem, bool, RECORDS_A_TURN);
	size_t n = 0;

	*any = true;
	for (int i = 0; i < RECORDS_A_TURN && *any; i++) {
		TRY(reader_next(c, l->reader, &l->rec, any));
		if (!*any || (!l->rec.n && !l->rec.wrong))
			continue;
		line_check(l, c, &lines[n]);
		keys[n] = lines[n].key;
		n += lines[n].text != NULL;
	}
	if (l->table_no)
		TRY(table_keys_taken(c, l->table_no, keys, n, l->first, l->last, taken));
	for (size_t i = 0; i < n; i++)
		if (!keys[i].n || taken[i])
			buf_str(b, lines[i].text);
	return E_OK;
}

/* Finds the key column, if a key that comes twice is refused; and the table, if a key that it
 * already has is refused. */
static enum err
key_find(struct leaving *l, const struct artifact *a)
{
	const struct import *imp = l->imp;
	const struct data_column *col;
	const char *key = imp->key;
	struct table_for tf;

	l->key_slot = -1;
	if (str_in(imp->mode, "add|replace")) {
		key = NULL;
		if (table_get(l->c, a, NULL, imp->table, &tf) == E_OK)
			key = tf.t->key;
		else
			TRY(ctx_forgive(l->c));
		if (key && str_eq(imp->mode, "add"))
			l->table_no = tf.t->no;
	}
	col = key ? table_column(&l->t, key) : NULL;
	if (col)
		l->key_slot = (int)col->slot;
	if (imp->first_row && imp->last_row) {
		crypto_unhex(imp->first_row, l->first, sizeof l->first);
		crypto_unhex(imp->last_row, l->last, sizeof l->last);
	}
	return E_OK;
}

static enum err
leaving_begin(struct leaving *l, const struct artifact *a)
{
	struct ctx *c = l->c;
	struct data_table_new columns;
	struct source s;

	l->t.name = l->imp->table;
	plan_columns(c, l->imp, NULL, &columns);
	l->t.columns = columns.columns;
	for (size_t i = 0; i < l->t.columns.n; i++)
		((struct data_column *)l->t.columns.v)[i].slot = (int64_t)i;
	TRY(key_find(l, a));
	TRY(plan_read(c, l->imp, &l->t, &l->plan));
	TRY(source_open_as(c, l->imp, &s));
	l->reader = mem_new(c->mem, struct reader);
	TRY(source_reader(c, &s, l->reader));
	if (s.header)
		TRY(header_skip(c, &s, l->reader));
	if (s.format == READ_CSV)
		l->reader->fields = l->plan.n;
	return E_OK;
}

enum err
leftout_write(struct ctx *c, const struct artifact *a, const struct import *imp, leftout_put *put,
    void *arg)
{
	struct leaving *l = mem_zalloc(c->mem, sizeof *l);
	const struct import_column *col = imp->columns.v;
	struct buf head = BUF(c->mem);
	bool any = true;

	l->c = c;
	l->imp = imp;
	TRY(leaving_begin(l, a));
	buf_str(&head, "line");
	for (size_t i = 0; i < imp->columns.n; i++) {
		buf_chr(&head, ',');
		rowcsv_text(&head, col[i].source ? col[i].source : col[i].name);
	}
	buf_str(&head, ",why\r\n");
	TRY(put(arg, head.s, head.n));
	while (any) {
		struct ctx *piece = ctx_begin(c->conf, c->db);
		struct buf b = BUF(piece->mem);
		enum err e = turn_write(l, piece, &b, &any);

		if (!e && b.n)
			e = put(arg, b.s, b.n);
		TRY(ctx_join(c, piece, e));
	}
	return E_OK;
}
