/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs/reap.h"

#include "base/conf.h"
#include "base/log.h"
#include "domain/artifact.h"
#include "domain/device.h"
#include "domain/identity.h"
#include "domain/mail.h"
#include "domain/password.h"
#include "domain/reference.h"
#include "domain/viewer.h"
#include "store/sweep.h"

enum { BATCH = 500, REPLY_S = 86400 };

static enum err
reap_rows(struct ctx *c, struct reaped *out)
{
	int64_t rest = c->now - c->conf->trash_days * 86400;

	TRY(mail_reap(c));
	TRY(session_reap(c));
	TRY(password_reap(c));
	TRY(device_reap(c));
	TRY(viewer_reap(c));
	TRY(attempt_reap(c));
	TRY(db_exec(c, EXEC("DELETE FROM idempotency WHERE created_at <= ? LIMIT ?"),
	    ARGS(c->now - REPLY_S, BATCH), &out->replies));
	return db_exec(c,
	    EXEC(
		"DELETE FROM slug WHERE released_at <= ? AND NOT EXISTS"
		" (SELECT 1 FROM artifact a WHERE a.id = slug.artifact_id AND a.slug = slug.slug) LIMIT ?"),
	    ARGS(rest, BATCH), &out->slugs);
}

#define TRASHED(F, T) \
	F(T, ID, id, .arg = "art_") \
	F(T, ID, owner_id, .arg = "usr_") \
	F(T, SLUG, slug)
SHAPE_DECLARE(trashed, TRASHED);
SHAPE_DEFINE(trashed, TRASHED);

/* Judged again under the row's lock: it may have been restored since it was listed. */
static enum err
trashed_purge(struct ctx *c, const char *id, int64_t deleted_by, int64_t *purged)
{
	struct trashed *t;

	TRY(db_find(c,
	    ROWS(trashed,
		"SELECT id, owner_id, slug FROM artifact WHERE id = ? AND deleted_at <= ? FOR UPDATE"),
	    ARGS(id, deleted_by), &t));
	if (!t)
		return E_OK;
	++*purged;
	return artifact_purge(
	    c, &(struct artifact){ .id = t->id, .owner_id = t->owner_id, .slug = t->slug });
}

static enum err
reap_trash(struct ctx *c, struct reaped *out)
{
	int64_t deleted_by = c->now - c->conf->trash_days * 86400;
	const struct trashed *t;
	struct list rows;

	TRY(db_all(c,
	    ROWS(trashed,
		"SELECT id, owner_id, slug FROM artifact WHERE deleted_at <= ? ORDER BY deleted_at LIMIT ?"),
	    ARGS(deleted_by, BATCH), &rows));
	t = rows.v;
	for (size_t i = 0; i < rows.n; i++) {
		enum err e = db_begin(c);

		if (!e)
			e = trashed_purge(c, t[i].id, deleted_by, &out->artifacts);
		if (!e)
			e = db_commit(c);
		db_rollback(c);
		TRY(e);
	}
	return E_OK;
}

/* ---- bytes ---- */

#define FOUND(F, T) F(T, BOOL, yes)
SHAPE_DECLARE(found, FOUND);
SHAPE_DEFINE(found, FOUND);

/* Each question is asked on memory of its own: there are as many as there are files. When the
 * answer is not to be had, it is yes. */
static bool
object_known(struct ctx *c, void *arg, const uint8_t sha256[SHA256_BYTES])
{
	struct ctx *one = ctx_begin(c->conf, c->db);
	bool yes, known = reference_exists(one, sha256, &yes) || yes;

	(void)arg;
	ctx_end(one);
	return known;
}

static bool
row_exists(struct ctx *c, struct found_rows question, struct args args)
{
	struct ctx *one = ctx_begin(c->conf, c->db);
	struct found *row;
	bool yes = db_one(one, question, args, &row) || row->yes;

	ctx_end(one);
	return yes;
}

static bool
tree_known(struct ctx *c, void *arg, const char *artifact, int64_t no)
{
	(void)arg;
	if (!no)
		return row_exists(c,
		    ROWS(found, "SELECT EXISTS (SELECT 1 FROM artifact WHERE id = ?) AS yes"),
		    ARGS(artifact));
	return row_exists(c,
	    ROWS(found,
		"SELECT EXISTS (SELECT 1 FROM version WHERE artifact_id = ? AND version_no = ?) AS yes"),
	    ARGS(artifact, no));
}

enum err
reap(struct ctx *c, struct reaped *out)
{
	*out = (struct reaped){ 0 };
	TRY(reap_rows(c, out));
	TRY(reap_trash(c, out));
	TRY(object_sweep(c, object_known, NULL, c->conf->grace_s, &out->objects));
	return tree_sweep(c, tree_known, NULL, c->conf->grace_s, &out->trees);
}
