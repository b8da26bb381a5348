/* SPDX-License-Identifier: Apache-2.0
 * Lists the runs of a workspace. */
#include "base/id.h"
#include "base/str.h"
#include "jobs/governed.h"
#include "jobs/run_row.h"

SHAPE_DEFINE(governed_run, GOVERNED_RUN);
SHAPE_DEFINE(governed_run_query, GOVERNED_RUN_QUERY);

enum { LOOK = 5000 /* runs that one call reads when it filters by action */ };

/* An artifact may have moved before its runs, so the artifact's row decides. */
#define GOVERNED_RUN_COLUMNS \
	RUN_COLUMNS ", r.surface, a.name AS artifact_name, j.name AS job_name"
#define GOVERNED_RUN_JOINS \
	" STRAIGHT_JOIN job j ON j.id = r.job_id STRAIGHT_JOIN artifact a ON a.id = r.artifact_id"

/* The inner query gives ids of runs from one index: of a workspace's surface (for both, the
 * newest of two ranges), an artifact, or a job. */
#define RUNS_ON "SELECT r.id FROM job_run r WHERE r.workspace_id = ? AND r.surface = ?"
#define RUNS_PART " AND r.id < ? AND r.id >= ? ORDER BY r.id DESC LIMIT ?"
#define RUNS_BOTH(more) \
	"SELECT u.id FROM ((" RUNS_ON more RUNS_PART ") UNION ALL (" RUNS_ON more RUNS_PART \
	")) u ORDER BY u.id DESC LIMIT ?"
#define RUNS_OF(column, more) \
	"SELECT r.id FROM job_run r WHERE r." column " = ?" more RUNS_PART

#define RUNS_LOOKED(F, T) \
	F(T, INT, n) \
	F(T, STR, id, .flags = F_NUL)
SHAPE(runs_looked, RUNS_LOOKED);

/* Runs the list statement over the ids; *looked tells how far they reached. */
#define RUNS_LED(ids, /* arguments of ids */...) \
	({ \
		enum err e_ = db_all(c, \
		    ROWS(governed_run, \
			"SELECT " GOVERNED_RUN_COLUMNS " FROM (" ids ") k" \
			" STRAIGHT_JOIN job_run r ON r.id = k.id" GOVERNED_RUN_JOINS \
			" WHERE a.workspace_id = ? AND r.surface IS NOT NULL" \
			" AND (? IS NULL OR r.surface = ?) AND (? IS NULL OR r.status = ?)" \
			" AND (? IS NULL OR r.artifact_id = ?) AND (? IS NULL OR j.action = ?)" \
			" ORDER BY r.id DESC LIMIT ?"), \
		    ARGS(__VA_ARGS__, w->id, k->surface, k->surface, q->status, q->status, \
			q->artifact_id, q->artifact_id, q->action, q->action, q->limit + 1), \
		    out); \
		if (!e_ && out->n <= (size_t)q->limit) \
			e_ = db_one(c, \
			    ROWS(runs_looked, \
				"SELECT COUNT(*) AS n, MIN(k.id) AS id FROM (" ids ") k"), \
			    ARGS(__VA_ARGS__), looked); \
		e_; \
	})

struct runs_asked {
	const char *surface;    /* NULL: both */
	struct arg before, from; /* ids of runs: exclusive upper and inclusive lower bound */
	int64_t look;
};
#define PART(k) (k)->before, (k)->from, (k)->look

static enum err
runs_read(struct ctx *c, const struct workspace *w, const struct governed_run_query *q,
    const struct runs_asked *k, struct governed_run_list *out, struct runs_looked **looked)
{
	const char *schedules = str_eq(k->surface, "automation") ? NULL : "schedule";
	const char *automations = str_eq(k->surface, "schedule") ? NULL : "automation";

	if (q->job_id)
		return RUNS_LED(RUNS_OF("job_id", ""), q->job_id, PART(k));
	if (q->artifact_id && q->status)
		return RUNS_LED(RUNS_OF("artifact_id", " AND r.status = ?"), q->artifact_id,
		    q->status, PART(k));
	if (q->artifact_id)
		return RUNS_LED(RUNS_OF("artifact_id", ""), q->artifact_id, PART(k));
	if (q->status)
		return RUNS_LED(RUNS_BOTH(" AND r.status = ?"), w->id, schedules, q->status,
		    PART(k), w->id, automations, q->status, PART(k), k->look);
	return RUNS_LED(RUNS_BOTH(""), w->id, schedules, PART(k), w->id, automations, PART(k),
	    k->look);
}

enum err
governed_runs(struct ctx *c, const struct workspace *w, const struct governed_run_query *q,
    struct governed_run_list *out, const char **next)
{
	bool sparse = q->action || (q->job_id && q->status);
	struct runs_asked k = { .surface = surface_word(surface_of(q->surface)),
		.look = sparse ? LOOK : q->limit + 1 };
	struct runs_looked *looked = NULL;
	/* Ids of runs begin with their time, so since and until become ids. */
	const char *until = q->has.until ? id_first(c->mem, "run_", q->until) : NULL;

	k.from = arg_str(q->has.since ? id_first(c->mem, "run_", q->since) : "");
	k.before = arg_before(q->cursor, "run_");
	if (until && (!q->cursor || (id_valid(q->cursor, "run_") && strcmp(until, q->cursor) < 0)))
		k.before = arg_str(until);
	if (q->has.since && q->has.until && q->since >= q->until)
		return fail(c, E_INVALID, "until: must be after since");
	TRY(runs_read(c, w, q, &k, out, &looked));
	*next = db_page(out, q->limit, last->id);
	if (!*next && looked && looked->n >= k.look)
		*next = looked->id;
	return E_OK;
}

enum err
governed_run_get(struct ctx *c, const struct workspace *w, enum surface surface, const char *id,
    struct governed_run **out)
{
	TRY(db_one(c,
	    ROWS(governed_run,
		"SELECT " GOVERNED_RUN_COLUMNS ", r.output FROM job_run r" GOVERNED_RUN_JOINS
		" WHERE r.id = ? AND r.surface = COALESCE(?, r.surface) AND a.workspace_id = ?"),
	    ARGS(id, surface_word(surface), w->id), out));
	(*out)->has.attempts = GIVEN;
	return run_attempts(c, id, &(*out)->attempts);
}
