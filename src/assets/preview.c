/* SPDX-License-Identifier: Apache-2.0 */
#include "assets/preview.h"

#include "base/str.h"
#include "store/rounds.h"

enum { AGAIN_S = 60, PREFIXES = 256 };

SHAPE_DEFINE(preview, PREVIEW);
SHAPE_DEFINE(preview_due, PREVIEW_DUE);

enum err
preview_of(struct ctx *c, const char *sha256, struct preview **out)
{
	return db_find(c,
	    ROWS(preview,
		"SELECT sha256, pages FROM asset_preview"
		" WHERE input_sha256 = UNHEX(?) AND sha256 IS NOT NULL"),
	    ARGS(sha256), out);
}

enum err
preview_want(struct ctx *c, const char *sha256, const char *mime)
{
	bool film = str_in(mime, "video/mp4|video/webm|video/ogg");

	if (!film && !str_eq(mime, "application/pdf"))
		return E_OK;
	return db_exec(c,
	    EXEC("INSERT IGNORE INTO asset_preview (input_sha256, film, due_at)"
		 " VALUES (UNHEX(?), ?, ?)"),
	    ARGS(sha256, arg_bool(film), c->now), NULL);
}

/* ---- making ---- */

enum err
preview_next(struct ctx *c, bool film, struct preview_due **out)
{
	return db_find(c,
	    ROWS(preview_due,
		"SELECT input_sha256, film, due_at, attempts FROM asset_preview"
		" WHERE film = ? AND due_at <= ? ORDER BY due_at LIMIT 1"),
	    ARGS(arg_bool(film), c->now), out);
}

#define IS_MINE " WHERE input_sha256 = UNHEX(?) AND due_at = ? AND attempts = ?"

enum err
preview_take(struct ctx *c, struct preview_due *d, bool *mine)
{
	int64_t changed;

	TRY(db_exec(c,
	    EXEC("UPDATE asset_preview SET due_at = ?, attempts = attempts + 1" IS_MINE),
	    ARGS(c->now + PREVIEW_LEASE_S, d->input_sha256, d->due_at, d->attempts), &changed));
	*mine = changed > 0;
	d->due_at = c->now + PREVIEW_LEASE_S;
	d->attempts++;
	return E_OK;
}

enum err
preview_keep(
    struct ctx *c, const struct preview_due *d, const struct object *o, int64_t pages)
{
	return db_exec(c,
	    EXEC("UPDATE asset_preview SET sha256 = ?, size_bytes = ?, pages = NULLIF(?, 0),"
		 " due_at = NULL" IS_MINE),
	    ARGS(((struct bytes){ o->sha256, SHA256_BYTES }), o->size, pages, d->input_sha256,
		d->due_at, d->attempts),
	    NULL);
}

enum err
preview_fail(struct ctx *c, const struct preview_due *d, bool counts)
{
	struct arg again = !counts || d->attempts < PREVIEW_ATTEMPTS
	    ? arg_int(c->now + (AGAIN_S << 2 * d->attempts))
	    : arg_null();

	return db_exec(c,
	    EXEC("UPDATE asset_preview SET due_at = ?, attempts = attempts - ?" IS_MINE),
	    ARGS(again, !counts, d->input_sha256, d->due_at, d->attempts), NULL);
}

/* ---- lost pictures, and pictures that no file needs ---- */

enum err
preview_lost(struct ctx *c, const uint8_t sha256[SHA256_BYTES])
{
	return db_exec(c,
	    EXEC("UPDATE asset_preview SET sha256 = NULL, size_bytes = NULL, due_at = ?,"
		 " attempts = 0 WHERE sha256 = ?"),
	    ARGS(c->now, ((struct bytes){ sha256, SHA256_BYTES })), NULL);
}

#define STORED(F, T) \
	F(T, STR, sha256) \
	F(T, INT, size_bytes)
SHAPE(preview_stored, STORED);

enum err
preview_mend(struct ctx *c, int64_t *lost)
{
	struct preview_stored_list rows;

	*lost = 0;
	TRY(db_all(c,
	    ROWS(preview_stored,
		"SELECT sha256, size_bytes FROM asset_preview WHERE sha256 IS NOT NULL"),
	    NOARGS, &rows));
	for (size_t i = 0; i < rows.n; i++) {
		uint8_t sha256[SHA256_BYTES];
		bool kept;

		if (!crypto_unhex(rows.v[i].sha256, sha256, sizeof sha256))
			continue;
		TRY(object_kept(c, sha256, rows.v[i].size_bytes, &kept));
		if (kept)
			continue;
		++*lost;
		TRY(preview_lost(c, sha256));
	}
	return E_OK;
}

/* Removes unused previews whose digest begins with one byte. A request for such a preview waits,
 * because both lock its row first. */
static enum err
previews_piece(struct ctx *c, struct sweep_at *at)
{
	uint8_t from[SHA256_BYTES] = { 0 }, to[SHA256_BYTES];
	int64_t removed;

	memset(to, 0xff, sizeof to);
	from[0] = to[0] = (uint8_t)at->outer++;
	at->end = at->outer >= PREFIXES;
	TRY(db_exec(c,
	    EXEC("DELETE FROM asset_preview WHERE input_sha256 BETWEEN ? AND ? AND NOT EXISTS"
		 " (SELECT 1 FROM asset_blob b WHERE b.sha256 = asset_preview.input_sha256)"),
	    ARGS(((struct bytes){ from, sizeof from }), ((struct bytes){ to, sizeof to })),
	    &removed));
	at->removed += removed;
	return E_OK;
}
ROUNDS(preview, { "previews", .piece = previews_piece, .how = DAILY });
