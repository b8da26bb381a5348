/* SPDX-License-Identifier: Apache-2.0 */
#include "care/ahead.h"

#include "base/buf.h"
#include "core/round.h"
#include "db/db.h"
#include "store/rounds.h"

#define AHEAD(F, T) \
	F(T, STR, name) \
	F(T, INT, n)
SHAPE(ahead, AHEAD);

/* F(table, column, seconds): a little more than the furthest that leases, attempts and pauses set
 * the column ahead. Columns that may be set a day ahead are found a day late at most. */
#define WAITED_FOR(F) \
	F(outbox, due_at, 7200) \
	F(job_run, due_at, 7200) \
	F(page_check, due_at, 7200) \
	F(picture, due_at, 7200) \
	F(asset_preview, due_at, 7200) \
	F(search_due, due_at, 7200) \
	F(ticket_triage, due_at, 7200) \
	F(data_table, sweep_at, 7200) \
	F(invoice, busy_at, 7200) \
	F(billing_event, due_at, 86400) \
	F(billing_refund, due_at, 86400)
/* Columns of this kind without an index. */
#define WAITED_FOR_BY_ALL(F) \
	F(learning, due_at, 7200) \
	F(subscription, lease_until, 7200) \
	F(connection_credential, lease_until, 7200)
/* Times that nobody waits for but that show such a clock. Rounds with a future start restart. */
#define ELSE_AHEAD(F) \
	F(heartbeat, beat_at, 60) \
	F(sweep, started_at, 60) \
	F(job, last_run_at, 60) \
	F(artifact, updated_at, 60)

#define COUNT_ROW(table, column, s) \
	" UNION ALL SELECT '" #table "." #column "', COUNT(*) FROM t JOIN " #table \
	" ON " #column " > t.now + " #s
#define MEND_STMT(table, column, s) \
	STMT("UPDATE " #table " SET " #column " = ? WHERE " #column " > ? + " #s " LIMIT ?"),

STMTS(mends, WAITED_FOR(MEND_STMT));
STMTS(mends_all, WAITED_FOR_BY_ALL(MEND_STMT));

enum err
ahead_say(struct ctx *c, const char **out)
{
	struct buf b = BUF(c->mem);
	struct ahead_list rows;

	TRY(db_all(c,
	    ROWS(ahead,
		"WITH t AS (SELECT ? AS now) SELECT '' AS name, 0 AS n"
		WAITED_FOR(COUNT_ROW) WAITED_FOR_BY_ALL(COUNT_ROW) ELSE_AHEAD(COUNT_ROW)),
	    ARGS(c->now), &rows));
	for (size_t i = 0; i < rows.n; i++)
		if (rows.v[i].n)
			buf_fmt(&b, "%s%s: %lld", b.n ? ", " : "", rows.v[i].name,
			    (long long)rows.v[i].n);
	*out = b.n ? buf_done(&b) : NULL;
	return E_OK;
}

static enum err
rows_mend(struct ctx *c, struct stmt *const each[], size_t n, int64_t limit, int64_t *mended)
{
	for (size_t i = 0; i < n && *mended < limit; i++) {
		int64_t some;

		TRY(db_exec(c, each[i], ARGS(c->now, c->now, limit - *mended), &some));
		*mended += some;
	}
	return E_OK;
}

/* *yes is true if a noun has such times left to correct. */
static enum err
others_ahead(struct ctx *c, bool *yes)
{
	*yes = false;
	for (size_t i = 0; rounds[i]; i++)
		for (const struct round_kind *r = rounds[i]; r->name && !*yes; r++)
			if (r->ahead)
				TRY(r->ahead(c, yes));
	return E_OK;
}

static enum err
ahead_mend(struct ctx *c, int64_t limit, int64_t *mended)
{
	bool ahead;

	*mended = 0;
	TRY(rows_mend(c, mends, sizeof mends / sizeof *mends, limit, mended));
	TRY(clock_was_ahead(c, &ahead));
	if (!ahead)
		return E_OK;
	TRY(rows_mend(c, mends_all, sizeof mends_all / sizeof *mends_all, limit, mended));
	TRY(others_ahead(c, &ahead));
	return *mended < limit && !ahead ? clock_is_right(c) : E_OK;
}

ROUNDS(ahead, { "ahead", .rows = ahead_mend });
