/* SPDX-License-Identifier: Apache-2.0 */
#include "import/leftout.h"

#include "data/rowcsv.h"
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

static void
line_put(struct buf *b, const struct plan *p, const struct record *rec, const char *why)
{
	buf_fmt(b, "%lld", (long long)rec->line);
	for (size_t i = 0; i < p->n; i++) {
		buf_chr(b, ',');
		if (i < rec->n && rec->v[i].kind != GIVEN_NONE)
			rowcsv_text(b, rec->v[i].s);
	}
	buf_chr(b, ',');
	rowcsv_text(b, why);
	buf_str(b, "\r\n");
}

static enum err
turn_write(struct ctx *c, struct reader *r, const struct plan *p, const struct data_table *t,
    struct buf *b, bool *any)
{
	struct record *rec = mem_new(c->mem, struct record);

	*any = true;
	for (int i = 0; i < RECORDS_A_TURN; i++) {
		struct reason reason = { p, BUF(c->mem) };
		const struct misfit_sink sink = { reason_take, &reason };
		struct row_new row;

		TRY(reader_next(c, r, rec, any));
		if (!*any)
			return E_OK;
		if (rec->n || rec->wrong)
			(void)plan_row(c, p, t, rec, false, &sink, &row);
		if (reason.why.n)
			line_put(b, p, rec, buf_done(&reason.why));
	}
	return E_OK;
}

static void
head_put(struct buf *b, const struct import *imp)
{
	const struct import_column *col = imp->columns.v;

	buf_str(b, "line");
	for (size_t i = 0; i < imp->columns.n; i++) {
		buf_chr(b, ',');
		rowcsv_text(b, col[i].source ? col[i].source : col[i].name);
	}
	buf_str(b, ",why\r\n");
}

enum err
leftout_write(struct ctx *c, const struct import *imp, leftout_put *put, void *arg)
{
	struct data_table t = { .name = imp->table };
	struct data_table_new columns;
	struct buf head = BUF(c->mem);
	struct source s;
	struct reader *r = mem_new(c->mem, struct reader);
	struct plan p;
	bool any = true;

	plan_columns(c, imp, NULL, &columns);
	t.columns = columns.columns;
	for (size_t i = 0; i < t.columns.n; i++)
		((struct data_column *)t.columns.v)[i].slot = (int64_t)i;
	TRY(plan_read(c, imp, &t, &p));
	TRY(source_open_as(c, imp, &s));
	TRY(source_reader(c, &s, r));
	if (s.header)
		TRY(header_skip(c, &s, r));
	if (s.format == READ_CSV)
		r->fields = p.n;
	head_put(&head, imp);
	TRY(put(arg, head.s, head.n));
	while (any) {
		struct ctx *piece = ctx_begin(c->conf, c->db);
		struct buf b = BUF(piece->mem);
		enum err e = turn_write(piece, r, &p, &t, &b, &any);

		if (!e && b.n)
			e = put(arg, b.s, b.n);
		TRY(ctx_join(c, piece, e));
	}
	return E_OK;
}
