/* SPDX-License-Identifier: Apache-2.0
 * Counts the runs of a workspace that ended on each day. The runner counts a run once, a minute
 * after its end, when transactions that were open then have committed; so ending a run waits for
 * no row that the whole workspace shares. */
#include "base/conf.h"
#include "core/follow.h"
#include "db/ids.h"
#include "jobs/governed.h"
#include "store/rounds.h"

SHAPE_DEFINE(governed_day, GOVERNED_DAY);

enum { DAY_S = 86400, SETTLED_S = 60, COUNTED_AT_ONCE = 250 };

enum err
governed_days(struct ctx *c, const struct workspace *w, enum surface surface,
    struct governed_day_list *out)
{
	const char *word = surface == SURFACE_ANY ? NULL : surface_word(surface);
	int64_t first = c->now / DAY_S - GOVERNED_DAYS + 1;
	struct governed_day_list rows;

	TRY(db_all(c,
	    ROWS(governed_day,
		"SELECT day * 86400 AS day, SUM(success) AS success, SUM(failed) AS failed,"
		" SUM(skipped) AS skipped,"
		" SUM(took_ms) DIV NULLIF(SUM(success + failed), 0) AS mean_ms,"
		" IF(SUM(success + failed) > 0, MAX(longest_ms), NULL) AS longest_ms FROM run_day"
		" WHERE workspace_id = ? AND day BETWEEN ? AND ? AND (? IS NULL OR surface = ?)"
		" GROUP BY day"),
	    ARGS(w->id, first, c->now / DAY_S, word, word), &rows));
	*out = (struct governed_day_list){ mem_array(c->mem, struct governed_day, GOVERNED_DAYS),
		GOVERNED_DAYS };
	for (size_t i = 0; i < out->n; i++)
		out->v[i] = (struct governed_day){ .day = (first + (int64_t)i) * DAY_S,
			.has.mean_ms = NULLED,
			.has.longest_ms = NULLED };
	for (size_t i = 0; i < rows.n; i++)
		out->v[rows.v[i].day / DAY_S - first] = rows.v[i];
	return E_OK;
}

/* ---- for the runner ---- */

#define RUN_COUNTED(F, T) \
	F(T, INT, finished_at) \
	F(T, STR, id)
SHAPE(run_counted, RUN_COUNTED);

static enum err
days_add(struct ctx *c, const struct run_counted_list *rows)
{
	const char **ids = mem_array(c->mem, const char *, rows->n + 1);

	for (size_t i = 0; i < rows->n; i++)
		ids[i] = rows->v[i].id;
	return db_exec(c,
	    EXEC(
		"INSERT INTO run_day"
		" (workspace_id, day, surface, success, failed, skipped, took_ms, longest_ms)"
		" SELECT STRAIGHT_JOIN r.workspace_id, r.finished_at DIV 86400, r.surface,"
		" SUM(r.status = 'success'), SUM(r.status = 'failed'), SUM(r.status = 'skipped'),"
		" SUM(IF(r.status = 'skipped', 0, COALESCE(r.duration_ms, 0))),"
		" MAX(IF(r.status = 'skipped', 0, COALESCE(r.duration_ms, 0)))"
		" FROM " ID_TABLE " JOIN job_run r ON r.id = t.id"
		" WHERE r.workspace_id IS NOT NULL AND r.surface IS NOT NULL"
		" AND r.finished_at IS NOT NULL GROUP BY 1, 2, 3"
		" ON DUPLICATE KEY UPDATE success = run_day.success + VALUES(success),"
		" failed = run_day.failed + VALUES(failed),"
		" skipped = run_day.skipped + VALUES(skipped),"
		" took_ms = run_day.took_ms + VALUES(took_ms),"
		" longest_ms = GREATEST(run_day.longest_ms, VALUES(longest_ms))"),
	    ARGS(ids_json(c, ids, rows->n)), NULL);
}

static enum err
days_count_some(struct ctx *c, int64_t *counted)
{
	struct run_counted_list rows;
	struct run_counted *at;

	TRY(db_begin(c));
	TRY(db_one(c,
	    ROWS(run_counted,
		"SELECT finished_at, run_id AS id FROM run_counted WHERE one = 1 FOR UPDATE"),
	    NOARGS, &at));
	TRY(db_all(c,
	    ROWS(run_counted,
		"(SELECT finished_at, id FROM job_run FORCE INDEX (job_run_over)"
		" WHERE finished_at = ? AND id > ? ORDER BY id LIMIT ?)"
		" UNION ALL (SELECT finished_at, id FROM job_run FORCE INDEX (job_run_over)"
		" WHERE finished_at > ? AND finished_at <= ? ORDER BY finished_at, id LIMIT ?)"
		" ORDER BY finished_at, id LIMIT ?"),
	    ARGS(at->finished_at, at->id, COUNTED_AT_ONCE, at->finished_at,
		c->now - SETTLED_S, COUNTED_AT_ONCE, COUNTED_AT_ONCE), &rows));
	*counted = (int64_t)rows.n;
	if (!rows.n)
		return E_OK;
	TRY(days_add(c, &rows));
	TRY(db_exec1(c, EXEC("UPDATE run_counted SET finished_at = ?, run_id = ? WHERE one = 1"),
	    ARGS(rows.v[rows.n - 1].finished_at, rows.v[rows.n - 1].id)));
	return db_commit(c);
}

/* Stores its progress in the transaction of the counts, so each run counts once, whichever
 * runner does it. */
static enum err
days_count(struct ctx *c, int64_t limit, int64_t *counted)
{
	int64_t some = COUNTED_AT_ONCE;

	for (*counted = 0; some == COUNTED_AT_ONCE && *counted < limit; *counted += some) {
		enum err e = days_count_some(c, &some);

		db_rollback(c);
		TRY(e);
	}
	return E_OK;
}

static enum err
days_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM run_day WHERE day <= ? LIMIT ?"),
	    ARGS(c->now / DAY_S - GOVERNED_DAYS, limit), removed);
}

WORKSPACE_ROWS(run_day, "")

FOLLOWS(run_day, { WORKSPACE_PURGED, workspace_purged });
ROUNDS(run_day, { "run_counts", .rows = days_count }, { "run_days", .rows = days_reap });
