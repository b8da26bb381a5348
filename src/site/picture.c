/* SPDX-License-Identifier: Apache-2.0 */
#include "site/picture.h"

#include "base/str.h"
#include "core/follow.h"

enum { STALE_S = 3600, AGAIN_S = 60, TRIES = 8 };

#define KEPT(F, T) F(T, STR, sha256)
SHAPE_DECLARE(picture_kept, KEPT);
SHAPE_DEFINE(picture_kept, KEPT);
SHAPE_DEFINE(picture_due, PICTURE_DUE);

enum err
picture_find(struct ctx *c, const struct artifact *a, const char **sha256)
{
	struct picture_kept *p;

	*sha256 = NULL;
	if (!str_eq(a->visibility, "public") || a->paused || a->deleted_at)
		return E_OK;
	TRY(db_find(c,
	    ROWS(picture_kept,
		"SELECT sha256 FROM picture WHERE artifact_id = ? AND sha256 IS NOT NULL"
		" AND (version_no = ? OR wanted_at > ?)"),
	    ARGS(a->id, a->version_no, c->now - STALE_S), &p));
	*sha256 = p ? p->sha256 : NULL;
	return E_OK;
}

#define DUE_FIRST \
	"SELECT p.artifact_id, p.due_at, p.attempts, '' AS slug, 0 AS live_no FROM picture p" \
	" WHERE p.due_at <= ? ORDER BY p.due_at, p.artifact_id LIMIT 1"

static enum err
due_first(struct ctx *c, struct picture_due **out)
{
	return db_find(c, ROWS(picture_due, DUE_FIRST), ARGS(c->now), out);
}

enum err
picture_waits(struct ctx *c, bool *yes)
{
	struct picture_due *first;

	TRY(due_first(c, &first));
	*yes = first != NULL;
	return E_OK;
}

/* The artifact of a row that is ours. One that is not public anymore has lost its row, unless a
 * restored backup or an operator's hand left it: then it goes now. */
static enum err
due_read(struct ctx *c, const struct picture_due *first, struct picture_due **out)
{
	TRY(db_find(c,
	    ROWS(picture_due,
		"SELECT p.artifact_id, p.due_at, p.attempts, a.slug, a.live_no"
		" FROM picture p JOIN artifact a ON a.id = p.artifact_id"
		" WHERE p.artifact_id = ? AND p.due_at = ? AND p.attempts = ?"
		" AND " PICTURE_IS_ALLOWED),
	    ARGS(first->artifact_id, c->now + PICTURE_LEASE_S, first->attempts + 1), out));
	return *out ? E_OK
		    : db_exec(c,
			  EXEC(
			      "DELETE FROM picture"
			      " WHERE artifact_id = ? AND due_at = ? AND attempts = ?"),
			  ARGS(first->artifact_id, c->now + PICTURE_LEASE_S, first->attempts + 1),
			  NULL);
}

/* *out is NULL when somebody else was quicker, or it is not to be made. */
static enum err
due_take(struct ctx *c, const struct picture_due *due, struct picture_due **out)
{
	int64_t mine;

	TRY(db_exec(c,
	    EXEC(
		"UPDATE picture SET due_at = ?, attempts = attempts + 1, begun_at = ?"
		" WHERE artifact_id = ? AND due_at = ? AND attempts = ?"),
	    ARGS(c->now + PICTURE_LEASE_S, c->now, due->artifact_id, due->due_at, due->attempts),
	    &mine));
	return mine ? due_read(c, due, out) : E_OK;
}

enum err
picture_take(struct ctx *c, struct picture_due **out)
{
	*out = NULL;
	for (int i = 0; i < TRIES && !*out; i++) {
		struct picture_due *first;

		TRY(due_first(c, &first));
		if (!first)
			return E_OK;
		TRY(due_take(c, first, out));
	}
	return E_OK;
}

enum err
picture_take_of(struct ctx *c, const char *artifact_id, struct picture_due **out)
{
	struct picture_due *due;

	*out = NULL;
	TRY(db_find(c,
	    ROWS(picture_due,
		"SELECT artifact_id, due_at, attempts, '' AS slug, 0 AS live_no FROM picture"
		" WHERE artifact_id = ? AND due_at <= ?"),
	    ARGS(artifact_id, c->now), &due));
	return due ? due_take(c, due, out) : E_OK;
}

enum err
picture_keep(
    struct ctx *c, const struct picture_due *d, const struct object *o, bool *kept)
{
	int64_t changed;

	TRY(db_exec(c,
	    EXEC(
		"UPDATE picture p JOIN artifact a ON a.id = p.artifact_id"
		" SET p.sha256 = ?, p.size_bytes = ?, p.version_no = a.live_no,"
		" p.due_at = NULL, p.attempts = 0 WHERE p.artifact_id = ? AND p.due_at = ?"
		" AND p.attempts = ? AND a.live_no = ? AND " PICTURE_IS_ALLOWED),
	    ARGS(((struct bytes){ o->sha256, SHA256_BYTES }), o->size, d->artifact_id, d->due_at,
		d->attempts, d->live_no),
	    &changed));
	*kept = changed > 0;
	return E_OK;
}

enum err
picture_fail(struct ctx *c, const struct picture_due *d)
{
	if (d->attempts < PICTURE_ATTEMPTS)
		return db_exec(c,
		    EXEC(
			"UPDATE picture SET due_at = ?"
			" WHERE artifact_id = ? AND due_at = ? AND attempts = ?"),
		    ARGS(c->now + (AGAIN_S << 2 * d->attempts), d->artifact_id, d->due_at,
			d->attempts),
		    NULL);
	return db_exec(c,
	    EXEC(
		"UPDATE picture SET due_at = NULL, sha256 = NULL, size_bytes = NULL, version_no = ?"
		" WHERE artifact_id = ? AND due_at = ? AND attempts = ?"),
	    ARGS(d->live_no, d->artifact_id, d->due_at, d->attempts), NULL);
}

enum err
picture_lost(struct ctx *c, const uint8_t sha256[SHA256_BYTES])
{
	return db_exec(c,
	    EXEC(
		"UPDATE picture SET sha256 = NULL, size_bytes = NULL, version_no = 0,"
		" wanted_at = ?, due_at = ?, attempts = 0 WHERE sha256 = ?"),
	    ARGS(c->now, c->now, ((struct bytes){ sha256, SHA256_BYTES })), NULL);
}

#define STORED(F, T) \
	F(T, STR, sha256) \
	F(T, INT, size_bytes)
SHAPE_DECLARE(picture_stored, STORED);
SHAPE_DEFINE(picture_stored, STORED);

static enum err
stored_mend(struct ctx *c, const struct picture_stored *p, bool read, int64_t *lost)
{
	uint8_t sha256[SHA256_BYTES];
	const char *problem = NULL;

	if (!crypto_unhex(p->sha256, sha256, sizeof sha256))
		return E_OK;
	if (read)
		TRY(object_verify(c, sha256, p->size_bytes, NULL, &problem));
	if (read ? !problem : object_exists(c, sha256, p->size_bytes))
		return E_OK;
	++*lost;
	return picture_lost(c, sha256);
}

enum err
picture_mend(struct ctx *c, const char *artifact_id, bool read, int64_t *lost)
{
	struct picture_stored_list rows;
	int64_t n = 0;

	TRY(db_all(c,
	    ROWS(picture_stored,
		"SELECT sha256, size_bytes FROM picture"
		" WHERE (? IS NULL OR artifact_id = ?) AND sha256 IS NOT NULL"),
	    ARGS(artifact_id, artifact_id), &rows));
	for (size_t i = 0; i < rows.n; i++)
		TRY(stored_mend(c, &rows.v[i], read, &n));
	if (lost)
		*lost = n;
	return E_OK;
}

PURGES(picture, ROWS_OF(picture));
