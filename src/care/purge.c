/* SPDX-License-Identifier: Apache-2.0
 * Purges artifacts without an owner (artifact_purge()). Nobody can find, read or restore them after
 * the commit. The runner deletes their rows, which may be millions, in pieces; the artifact's own
 * row goes last, so a crash loses nothing. A purge that fails is logged and skipped until the next
 * round. */
#include "base/conf.h"
#include "base/log.h"
#include "core/artifact.h"
#include "core/follow.h"
#include "store/rounds.h"

enum { EXPIRED = 100, ROWS_A_STATEMENT = 1000, STATEMENTS_A_PIECE = 10 };

static void
purge_put_off(struct ctx *c, const char *id)
{
	log_line(LOG_LEVEL_WARN, "purge put off", "artifact", id, "why", ctx_why(c), NULL);
}

/* ---- the trash ---- */

/* Checks again under the row's lock, since somebody may have restored the artifact. */
static enum err
trashed_purge(struct ctx *c, const char *id, int64_t deleted_by, int64_t *purged)
{
	struct artifact *a;

	TRY(db_begin(c));
	TRY(db_find(c,
	    ROWS(artifact,
		"SELECT id, owner_id, slug FROM artifact"
		" WHERE id = ? AND deleted_at <= ? AND owner_id IS NOT NULL FOR UPDATE"),
	    ARGS(id, deleted_by), &a));
	if (!a)
		return E_OK;
	TRY(artifact_purge(c, a));
	TRY(db_commit(c));
	++*purged;
	return E_OK;
}

/* Purges artifacts that have been in the trash for trash_days. */
static enum err
purge_expired(struct ctx *c, struct sweep_at *at)
{
	int64_t deleted_by = conf_trash_end(c->conf, c->now);
	const struct artifact *a;
	struct list rows;

	TRY(db_all(c,
	    ROWS(artifact,
		"SELECT id, deleted_at FROM artifact WHERE deleted_at >= ? AND deleted_at <= ?"
		" AND (deleted_at > ? OR id > ?) AND owner_id IS NOT NULL"
		" ORDER BY deleted_at, id LIMIT ?"),
	    ARGS(at->outer, deleted_by, at->outer, at->id, EXPIRED), &rows));
	a = rows.v;
	at->end = rows.n < EXPIRED;
	at->looked += (int64_t)rows.n;
	for (size_t i = 0; i < rows.n; i++, a++) {
		struct ctx *one = ctx_begin(c->conf, c->db);

		if (trashed_purge(one, a->id, deleted_by, &at->removed))
			purge_put_off(one, a->id);
		db_rollback(one);
		ctx_end(one);
		at->outer = a->deleted_at;
		snprintf(at->id, sizeof at->id, "%s", a->id);
	}
	return E_OK;
}

/* ---- workspaces ---- */

#define TRASHED_WORKSPACE(F, T) F(T, ID, id, .arg = "wsp_")
SHAPE(trashed_workspace, TRASHED_WORKSPACE);

/* Checks again under the row's lock, since somebody may have restored the workspace. */
static enum err
workspace_purge_piece(struct ctx *c, const char *id, struct sweep_at *at)
{
	struct trashed_workspace *w;
	bool more = false;

	TRY(db_begin(c));
	TRY(db_find(c,
	    ROWS(trashed_workspace,
		"SELECT id FROM workspace WHERE id = ? AND deleted_at <= ? FOR UPDATE"),
	    ARGS(id, conf_trash_end(c->conf, c->now)), &w));
	/* Each noun with rows of the workspace deletes a piece. The workspace's row goes last. */
	if (w)
		TRY(follow(
		    c, WORKSPACE_PURGED, &(struct happened){ .workspace_id = id, .more = &more }));
	if (w && !more) {
		at->removed++;
		TRY(db_exec(c, EXEC("DELETE FROM workspace WHERE id = ?"), ARGS(id), NULL));
	}
	return db_commit(c);
}

/* Deletes a piece of a workspace that has been in the trash for trash_days. */
static enum err
purge_workspaces(struct ctx *c, struct sweep_at *at)
{
	struct trashed_workspace *w;
	enum err e;

	TRY(db_find(c,
	    ROWS(trashed_workspace,
		"SELECT id FROM workspace WHERE deleted_at <= ? ORDER BY deleted_at LIMIT 1"),
	    ARGS(conf_trash_end(c->conf, c->now)), &w));
	at->end = !w;
	if (!w)
		return E_OK;
	at->looked++;
	e = workspace_purge_piece(c, w->id, at);
	db_rollback(c);
	return e;
}

/* ---- the rows ---- */

static enum err
rows_delete(struct ctx *c, const char *id, bool *all)
{
	int full = 0;

	for (const struct purges *const *noun = purges; *noun; noun++)
		for (size_t i = 0; i < (*noun)->n; i++) {
			int64_t gone = ROWS_A_STATEMENT;

			/* Only full batches count, or a piece would end too early. */
			while (gone == ROWS_A_STATEMENT && full < STATEMENTS_A_PIECE) {
				TRY(db_exec(c, (*noun)->v[i], ARGS(id, ROWS_A_STATEMENT), &gone));
				full += gone == ROWS_A_STATEMENT;
			}
		}
	*all = full < STATEMENTS_A_PIECE;
	return *all ? db_exec(c, EXEC("DELETE FROM artifact WHERE id = ? AND owner_id IS NULL"),
			  ARGS(id), NULL)
		    : E_OK;
}

#define PURGED(F, T) F(T, ID, id, .arg = "art_")
SHAPE(purged, PURGED);

/* Deletes rows of an artifact that is purged. */
static enum err
purge_rows(struct ctx *c, struct sweep_at *at)
{
	struct purged *p;
	struct ctx *one;
	bool all = true;
	enum err e;

	TRY(db_find(c,
	    ROWS(purged,
		"SELECT id FROM artifact WHERE owner_id IS NULL AND id > ? ORDER BY id LIMIT 1"),
	    ARGS(at->id), &p));
	at->end = !p;
	if (!p)
		return E_OK;
	one = ctx_begin(c->conf, c->db);
	e = rows_delete(one, p->id, &all);
	if (e)
		purge_put_off(one, p->id);
	ctx_end(one);
	if (e || all) {
		at->looked++;
		at->removed += !e;
		snprintf(at->id, sizeof at->id, "%s", p->id);
	}
	return E_OK;
}

ROUNDS(purge, { "expired", .piece = purge_expired, .how = RESUMED },
    { "workspaces", .piece = purge_workspaces }, { "purged", .piece = purge_rows, .how = RESUMED });
