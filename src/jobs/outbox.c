/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs/outbox.h"

#include "base/log.h"
#include "base/str.h"
#include "domain/project.h"

enum { BATCH = 200, LEASE_S = 300, BACKOFF_MAX_S = 3600, PACK_MS = 60000 };

#define DUE(F, T) \
	F(T, STR, id) \
	F(T, STR, kind) \
	F(T, STR, subject) \
	F(T, INT, attempts)
SHAPE_DECLARE(due, DUE);
SHAPE_DEFINE(due, DUE);

static enum err
carry_out(struct ctx *c, const struct due *row)
{
	bool finished;

	if (!str_eq(row->kind, "project"))
		return fail_here(c, "outbox row %s has the unknown kind %s", row->id, row->kind);
	TRY(project_artifact(c, row->subject));
	return project_pack(c, row->subject, PACK_MS, &finished);
}

/* The row is taken by moving its due time: another runner passes it over, and it comes again if this one dies. */
static enum err
claim(struct ctx *c, const struct due *row, bool *mine)
{
	int64_t backoff = row->attempts > 5 ? BACKOFF_MAX_S : LEASE_S;
	int64_t changed;

	TRY(db_exec(c, EXEC("UPDATE outbox SET due_at = ?, attempts = attempts + 1 WHERE id = ? AND due_at <= ? AND attempts = ?"),
	    ARGS(c->now + backoff, row->id, c->now, row->attempts), &changed));
	*mine = changed == 1;
	return E_OK;
}

static enum err
run_one(struct ctx *c, const struct due *row, int64_t *done)
{
	bool mine;

	TRY(claim(c, row, &mine));
	if (!mine)
		return E_OK;
	TRY(carry_out(c, row));
	c->outbox_id = row->id;
	TRY(project_done(c));
	++*done;
	return E_OK;
}

enum err
outbox_run(struct ctx *c, int64_t *done)
{
	const struct due *row;
	struct list rows;

	*done = 0;
	TRY(db_all(c, ROWS(due, "SELECT id, kind, subject, attempts FROM outbox WHERE due_at <= ? ORDER BY due_at, id LIMIT ?"), ARGS(c->now, BATCH), &rows));
	row = rows.v;
	for (size_t i = 0; i < rows.n; i++, row++) {
		struct ctx *one = ctx_begin(c->conf, c->db);

		if (run_one(one, row, done))
			log_line(LOG_LEVEL_WARN, "outbox row failed", "id", row->id, "kind", row->kind, "subject", row->subject, "why",
			    one->internal ? one->internal : one->message, NULL);
		ctx_end(one);
	}
	return E_OK;
}
