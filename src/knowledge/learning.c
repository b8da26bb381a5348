/* SPDX-License-Identifier: Apache-2.0 */
#include "knowledge/learning.h"

#include "core/artifact.h"
#include "core/follow.h"
#include "db/ids.h"
#include "store/rounds.h"

SHAPE_DEFINE(learning_counts, LEARNING_COUNTS);
SHAPE_DEFINE(learning, LEARNING);
SHAPE_DEFINE(learning_status, LEARNING_STATUS);
SHAPE_DEFINE(learning_queued, LEARNING_QUEUED);

enum { DAYS = 7 /* for how long numbers of summaries are stored */, DAY_S = 86400 };

/* ---- for pages ---- */

#define IS_QUEUED "(l.stage = 'page' AND l.outcome = 'waiting' AND l.due_at IS NOT NULL)"
#define COUNT_OF(what) "COUNT(IF(" what ", 1, NULL))"
#define OUTCOME(word) COUNT_OF("l.outcome = '" #word "' AND l.at >= ?") " AS " #word

enum err
learning_counts(struct ctx *c, const struct workspace *w, const struct principal *who,
    struct learning_counts **out)
{
	return db_one(c,
	    ROWS(learning_counts,
		"SELECT " COUNT_OF(IS_QUEUED) " AS queued, "
		COUNT_OF("l.outcome = 'failed'") " AS failed, "
		COUNT_OF("l.forgotten") " AS forgotten FROM " SUBJECT_TABLE " JOIN learning l"
		" JOIN artifact a ON a.id = l.artifact_id AND a.workspace_id = l.workspace_id"
		ROLE_TABLES("s.user_id") " WHERE l.workspace_id = ? AND " LEARNED_SEEN
		" AND (l.outcome IN ('waiting', 'failed') OR l.forgotten)"),
	    ARGS(SUBJECT(who), w->id), out);
}

enum err
learning_recent(struct ctx *c, const struct workspace *w, const struct principal *who,
    struct learning_status **out)
{
	int64_t since = c->now - LEARNING_HOURS * 3600;
	struct learning_status *status;

	TRY(db_one(c,
	    ROWS(learning_status,
		"SELECT " COUNT_OF(IS_QUEUED) " AS queued, " OUTCOME(learned) ", "
		OUTCOME(kept) ", " OUTCOME(skipped) ", " OUTCOME(failed)
		", MAX(IF(l.outcome = 'learned', l.at, NULL)) AS last_learned_at FROM "
		SUBJECT_TABLE " JOIN learning l"
		" JOIN artifact a ON a.id = l.artifact_id AND a.workspace_id = l.workspace_id"
		ROLE_TABLES("s.user_id") " WHERE l.workspace_id = ? AND " LEARNED_SEEN),
	    ARGS(since, since, since, since, SUBJECT(who), w->id), &status));
	*out = status;
	status->window_hours = LEARNING_HOURS;
	return db_all(c,
	    ROWS(learning,
		"SELECT l.artifact_id, a.name, a.slug, l.outcome, l.version_no, l.says, l.at,"
		" l.forgotten, EXISTS (SELECT 1 FROM note n WHERE n.artifact_id = l.artifact_id"
		" AND n.workspace_id = l.workspace_id) AS noted"
		" FROM " SUBJECT_TABLE " JOIN learning l"
		" JOIN artifact a ON a.id = l.artifact_id AND a.workspace_id = l.workspace_id"
		ROLE_TABLES("s.user_id") " WHERE l.workspace_id = ? AND " LEARNED_SEEN
		" AND (l.at >= ? OR l.forgotten OR l.outcome IN ('waiting', 'failed'))"
		" AND (l.outcome <> 'waiting' OR l.due_at IS NOT NULL)"
		" ORDER BY l.at DESC, l.artifact_id LIMIT ?"),
	    ARGS(SUBJECT(who), w->id, since, LEARNING_RECENT), &status->recent);
}

/* ---- queueing on request ---- */

#define LEARNING_ID(F, T) F(T, STR, id)
SHAPE(learning_id, LEARNING_ID);

/* Finds the newest artifacts without a learned note, or with a note of another version. */
static enum err
newest_find(struct ctx *c, const struct workspace *w, const struct principal *who,
    struct learning_id_list *out)
{
	return db_all(c,
	    ROWS(learning_id,
		"SELECT a.id FROM " SUBJECT_TABLE " JOIN artifact a" ROLE_TABLES("s.user_id")
		" LEFT JOIN learning l ON l.artifact_id = a.id AND l.workspace_id = a.workspace_id"
		" LEFT JOIN note n ON n.artifact_id = a.id WHERE a.workspace_id = ? AND "
		LEARNED_SEEN " AND NOT a.closed"
		" AND a.live_no IS NOT NULL AND a.paused_at IS NULL"
		" AND (l.artifact_id IS NULL OR (NOT l.forgotten AND " LEARNING_IDLE
		" AND (NOT l.version_no <=> a.live_no OR l.outcome = 'failed'"
		" OR (l.outcome IN ('learned', 'kept') AND n.id IS NULL))))"
		" ORDER BY a.updated_at DESC, a.id DESC LIMIT ?"),
	    ARGS(SUBJECT(who), w->id, c->now, LEARNING_LEASE_S, LEARNING_QUEUE), out);
}

static enum err
named_find(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct strs *ids, struct learning_id_list *out)
{
	struct strs seen;

	TRY(db_all(c,
	    ROWS(learning_id,
		"SELECT a.id FROM " SUBJECT_TABLE " JOIN artifact a"
		ROLE_TABLES("s.user_id") " JOIN " ID_TABLE
		" WHERE a.id = t.id AND a.workspace_id = ? AND "
		LEARNED_SEEN " AND NOT a.closed"),
	    ARGS(SUBJECT(who), ids_json(c, ids->v, ids->n), w->id), out));
	seen = (struct strs){ mem_array(c->mem, const char *, out->n + 1), out->n };
	for (size_t i = 0; i < out->n; i++)
		seen.v[i] = out->v[i].id;
	for (size_t i = 0; i < ids->n; i++)
		if (!strs_have(&seen, ids->v[i]))
			return fail(c, E_NOT_FOUND,
			    "artifact_ids[%zu]: there is no such artifact in this workspace, or "
			    "you don't have access to it",
			    i);
	return E_OK;
}

enum err
learning_queue(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct strs *ids, struct learning_queued **out)
{
	struct learning_queued *queued = *out = mem_new(c->mem, struct learning_queued);
	bool named = ids && ids->n;
	struct learning_id_list pages;
	const char **ids_found, *all;

	TRY(named ? named_find(c, w, who, ids, &pages) : newest_find(c, w, who, &pages));
	ids_found = mem_array(c->mem, const char *, pages.n + 1);
	for (size_t i = 0; i < pages.n; i++)
		ids_found[i] = pages.v[i].id;
	all = ids_json(c, ids_in_order(c, ids_found, pages.n), pages.n);
	TRY(db_exec(c,
	    EXEC("INSERT IGNORE INTO learning (artifact_id, workspace_id, wanted_at, at)"
		 " SELECT a.id, a.workspace_id, ?, ? FROM " ID_TABLE
		 " JOIN artifact a ON a.id = t.id AND a.live_no IS NOT NULL"),
	    ARGS(c->now, c->now, all), NULL));
	/* The statement that changes the rows also counts them, so two requests never count one
	 * page twice. */
	TRY(db_exec(c,
	    EXEC("UPDATE " ID_TABLE " STRAIGHT_JOIN artifact a ON a.id = t.id"
		 " AND a.live_no IS NOT NULL STRAIGHT_JOIN learning l ON l.artifact_id = a.id"
		 " SET l.workspace_id = a.workspace_id, l.stage = 'page', l.outcome = 'waiting',"
		 " l.attempts = 0, l.wanted_at = ?, l.due_at = ?, l.at = ?, l.forgotten = FALSE"
		 " WHERE (? OR NOT l.forgotten) AND " LEARNING_IDLE),
	    ARGS(all, c->now, c->now, c->now, named, c->now, LEARNING_LEASE_S),
	    &queued->queued));
	/* Each commit wakes the runner's lanes (base/wake.h). */
	queued->kicked = queued->queued > 0;
	return E_OK;
}

enum err
learning_taken(struct ctx *c, const char *artifact_id)
{
	return db_exec(c,
	    EXEC("UPDATE learning SET outcome = 'learned', says = NULL, stage = 'summary',"
		 " due_at = ?, attempts = 0, at = ? WHERE artifact_id = ? AND outcome = 'kept'"),
	    ARGS(c->now, c->now, artifact_id), NULL);
}

enum err
learning_forget(struct ctx *c, const char *artifact_id)
{
	return db_exec(c,
	    EXEC("INSERT INTO learning (artifact_id, workspace_id, wanted_at, at, outcome,"
		 " forgotten) SELECT id, workspace_id, ?, ?, 'skipped', TRUE FROM artifact"
		 " WHERE id = ? AND workspace_id IS NOT NULL ON DUPLICATE KEY UPDATE"
		 " forgotten = TRUE, due_at = NULL, outcome = IF(outcome = 'waiting', 'skipped',"
		 " outcome)"),
	    ARGS(c->now, c->now, artifact_id), NULL);
}

/* ---- changes elsewhere ---- */

/* If the artifact moves, artifact_rehome() queues it in its new workspace. The mark "forgotten"
 * doesn't move. */
static enum err
artifact_gone(struct ctx *c, const struct happened *h)
{
	return db_exec(
	    c, EXEC("DELETE FROM learning WHERE artifact_id = ?"), ARGS(h->art->id), NULL);
}

static enum err
days_drop(struct ctx *c, int64_t limit, int64_t *done)
{
	return db_exec(c,
	    EXEC("DELETE FROM learning_day WHERE day < DATE(FROM_UNIXTIME(?)) LIMIT ?"),
	    ARGS(c->now - DAYS * DAY_S, limit), done);
}

WORKSPACE_ROWS(learning_day, "")
FOLLOWS(learning, { ARTIFACT_LEAVES, artifact_gone }, { WORKSPACE_PURGED, workspace_purged });
ROUNDS(learning, { "learning_days", .rows = days_drop });
PURGES(learning, ROWS_OF(learning));
