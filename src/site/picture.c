/* SPDX-License-Identifier: Apache-2.0 */
#include "site/picture.h"

#include "base/str.h"
#include "core/follow.h"
#include "site/comparepic.h"
#include "site/pdfpage.h"

enum { STALE_S = 3600, AGAIN_S = 60 };

#define KEPT(F, T) F(T, STR, sha256)
SHAPE(picture_kept, KEPT);

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

static enum err
picture_first(struct ctx *c, struct page_due **out)
{
	return db_find(c,
	    ROWS(page_due,
		"SELECT artifact_id, due_at, attempts FROM picture WHERE due_at <= ?"
		" ORDER BY due_at, artifact_id LIMIT 1"),
	    ARGS(c->now), out);
}

enum err
picture_waits(struct ctx *c, bool *yes)
{
	return due_waits(c, picture_first, yes);
}

/* *out is NULL if another runner was quicker, or if the page isn't public any more: then its row is
 * deleted, which a restored backup or an operator left. */
static enum err
picture_due_take(struct ctx *c, struct page_due *d, struct page_due **out)
{
	int64_t mine;

	TRY(db_exec(c,
	    EXEC("UPDATE picture SET due_at = ?, attempts = attempts + 1, begun_at = ? WHERE"
		 DUE_IS_MINE),
	    ARGS(c->now + DUE_LEASE_S, c->now, DUE_ARGS(d)), &mine));
	if (!due_taken(c, d, mine))
		return E_OK;
	TRY(db_find(c,
	    ROWS(page_due,
		"SELECT p.artifact_id, a.slug, a.live_no AS version_no, TRUE AS live, p.due_at,"
		" p.attempts FROM picture p JOIN artifact a ON a.id = p.artifact_id"
		" WHERE p.artifact_id = ? AND p.due_at = ? AND p.attempts = ?"
		" AND " PICTURE_IS_ALLOWED),
	    ARGS(DUE_ARGS(d)), out));
	return *out ? E_OK
		    : db_exec(c, EXEC("DELETE FROM picture WHERE" DUE_IS_MINE), ARGS(DUE_ARGS(d)),
			  NULL);
}

enum err
picture_take(struct ctx *c, struct page_due **out)
{
	return due_lease(c, picture_first, picture_due_take, out);
}

enum err
picture_take_of(struct ctx *c, const char *artifact_id, struct page_due **out)
{
	struct page_due *due;

	*out = NULL;
	TRY(db_find(c,
	    ROWS(page_due,
		"SELECT artifact_id, due_at, attempts FROM picture"
		" WHERE artifact_id = ? AND due_at <= ?"),
	    ARGS(artifact_id, c->now), &due));
	return due ? picture_due_take(c, due, out) : E_OK;
}

enum err
picture_keep(
    struct ctx *c, const struct page_due *d, const struct object *o, bool *kept)
{
	int64_t changed;

	TRY(db_exec(c,
	    EXEC(
		"UPDATE picture p JOIN artifact a ON a.id = p.artifact_id"
		" SET p.sha256 = ?, p.size_bytes = ?, p.version_no = a.live_no,"
		" p.due_at = NULL, p.attempts = 0 WHERE p.artifact_id = ? AND p.due_at = ?"
		" AND p.attempts = ? AND a.live_no = ? AND " PICTURE_IS_ALLOWED),
	    ARGS(((struct bytes){ o->sha256, SHA256_BYTES }), o->size, d->artifact_id, d->due_at,
		d->attempts, d->version_no),
	    &changed));
	*kept = changed > 0;
	return E_OK;
}

enum err
picture_fail(struct ctx *c, const struct page_due *d)
{
	if (d->attempts < DUE_ATTEMPTS)
		return db_exec(c,
		    EXEC(
			"UPDATE picture SET due_at = ? WHERE" DUE_IS_MINE),
		    ARGS(c->now + (AGAIN_S << 2 * d->attempts), DUE_ARGS(d)), NULL);
	return db_exec(c,
	    EXEC(
		"UPDATE picture SET due_at = NULL, sha256 = NULL, size_bytes = NULL, version_no = ?"
		" WHERE" DUE_IS_MINE),
	    ARGS(d->version_no, DUE_ARGS(d)), NULL);
}

enum err
picture_lost(struct ctx *c, const uint8_t sha256[SHA256_BYTES])
{
	const struct bytes digest = { sha256, SHA256_BYTES };

	TRY(db_exec(c,
	    EXEC("UPDATE page_seen SET sha256 = NULL, size_bytes = NULL WHERE sha256 = ?"),
	    ARGS(digest), NULL));
	TRY(db_exec(c,
	    EXEC("UPDATE page_seen SET phone_sha256 = NULL, phone_size = NULL"
		 " WHERE phone_sha256 = ?"),
	    ARGS(digest), NULL));
	TRY(pair_lost(c, sha256));
	TRY(pdf_page_lost(c, sha256));
	return db_exec(c,
	    EXEC(
		"UPDATE picture SET sha256 = NULL, size_bytes = NULL, version_no = 0,"
		" wanted_at = ?, due_at = ?, attempts = 0 WHERE sha256 = ?"),
	    ARGS(c->now, c->now, digest), NULL);
}

#define STORED(F, T) \
	F(T, STR, sha256) \
	F(T, INT, size_bytes)
SHAPE(picture_stored, STORED);

static enum err
stored_mend(struct ctx *c, const struct picture_stored *p, bool read, int64_t *lost)
{
	uint8_t sha256[SHA256_BYTES];
	const char *problem = NULL;
	bool kept;

	if (!crypto_unhex(p->sha256, sha256, sizeof sha256))
		return E_OK;
	TRY(object_kept(c, sha256, p->size_bytes, &kept));
	if (kept && read && object_exists(c, sha256, p->size_bytes))
		TRY(object_verify(c, sha256, p->size_bytes, NULL, &problem));
	if (kept && !problem)
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
		" WHERE (? IS NULL OR artifact_id = ?) AND sha256 IS NOT NULL"
		" UNION SELECT sha256, size_bytes FROM page_seen"
		" WHERE (? IS NULL OR artifact_id = ?) AND sha256 IS NOT NULL"
		" UNION SELECT phone_sha256, phone_size FROM page_seen"
		" WHERE (? IS NULL OR artifact_id = ?) AND phone_sha256 IS NOT NULL"
		" UNION SELECT from_sha256, from_size FROM compare_picture"
		" WHERE (? IS NULL OR artifact_id = ?) AND from_sha256 IS NOT NULL"
		" UNION SELECT to_sha256, to_size FROM compare_picture"
		" WHERE (? IS NULL OR artifact_id = ?) AND to_sha256 IS NOT NULL"
		" UNION SELECT sha256, size_bytes FROM pdf_page"
		" WHERE (? IS NULL OR artifact_id = ?) AND sha256 IS NOT NULL"),
	    ARGS(artifact_id, artifact_id, artifact_id, artifact_id, artifact_id, artifact_id,
		artifact_id, artifact_id, artifact_id, artifact_id, artifact_id, artifact_id),
	    &rows));
	for (size_t i = 0; i < rows.n; i++)
		TRY(stored_mend(c, &rows.v[i], read, &n));
	if (lost)
		*lost = n;
	return E_OK;
}

PURGES(picture, ROWS_OF(picture));
