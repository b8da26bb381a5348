/* SPDX-License-Identifier: Apache-2.0 */
#include "assets/upload.h"

#include "assets/preview.h"
#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "base/unicode.h"
#include "core/follow.h"
#include "store/object.h"
#include "store/rounds.h"
#include "store/temp.h"

SHAPE_DEFINE(upload_new, UPLOAD_NEW);
SHAPE_DEFINE(upload_made, UPLOAD_MADE);
SHAPE_DEFINE(upload_done, UPLOAD_DONE);
SHAPE_DEFINE(upload, UPLOAD);
SHAPE_DEFINE(upload_state, UPLOAD_STATE);

/* ---- making ---- */

enum err
upload_make(struct ctx *c, const struct library *l, const struct principal *who,
    const struct upload_new *in, struct upload_made *out)
{
	const char *secret = token_new(c->mem, UPLOAD_SECRET), *filename = NULL;
	uint8_t hash[SHA256_BYTES];
	int64_t made;

	if (in->filename) {
		filename = unicode_nfc(c->mem, in->filename);
		TRY(filename_check(c, "filename", filename));
	}
	if (in->sha256 && in->sha256[strspn(in->sha256, "0123456789abcdef")])
		return fail(c, E_INVALID, "sha256: must be 64 hexadecimal digits in lower case");
	TRY(library_room(c, l, in->has.size == GIVEN ? in->size : 0));
	token_hash(secret, hash);
	*out = (struct upload_made){ .upload_url = mem_printf(c->mem, "%s/v1/uploads/%s",
					 c->conf->base_url, secret),
		.token_id = id_new(c->mem, "upl_"),
		.expires_at = c->now + UPLOAD_HOURS * 3600 };
	TRY(db_exec(c,
	    EXEC("INSERT INTO asset_upload (id, hash, bucket_id, workspace_id, user_id, filename,"
		 " size_bytes, sha256, expires_at) SELECT ?, ?, ?, ?, ?, ?, ?, UNHEX(?), ?"
		 " FROM DUAL WHERE (SELECT COUNT(*) FROM asset_upload"
		 " WHERE user_id = ? AND blob_id IS NULL AND expires_at > ?) < ?"),
	    ARGS(out->token_id, ((struct bytes){ hash, sizeof hash }), l->bucket_id,
		l->workspace_id, who->user_id, filename, arg_opt(in->has.size, in->size),
		in->sha256, out->expires_at, who->user_id, c->now, UPLOADS_OPEN),
	    &made));
	return made ? E_OK
		    : fail(c, E_LIMIT_REACHED,
			  "You have %d uploads that nothing has been sent to; that's the maximum. "
			  "Send to one of them, or give one up with DELETE at its uploadUrl",
			  UPLOADS_OPEN);
}

/* ---- the bytes ---- */

static enum err
upload_get(
    struct ctx *c, const char *secret, const struct principal *who, struct upload **out)
{
	const char *user_id = who ? who->user_id : NULL;
	uint8_t hash[SHA256_BYTES];

	token_hash(secret, hash);
	return db_one(c,
	    ROWS(upload,
		"SELECT p.id, p.bucket_id, p.workspace_id, p.user_id, p.filename, p.size_bytes,"
		" p.sha256, p.blob_id, p.total, p.received, p.expires_at FROM asset_upload p"
		" JOIN user u ON u.id = p.user_id AND u.disabled_at IS NULL"
		" LEFT JOIN workspace w ON w.id = p.workspace_id"
		" AND w.deleted_at IS NULL LEFT JOIN member m ON m.workspace_id = w.id"
		" AND m.user_id = p.user_id WHERE p.hash = ? AND p.expires_at > ?"
		" AND (p.workspace_id IS NULL OR m.user_id IS NOT NULL)"
		" AND (? IS NULL OR p.user_id = ?)"),
	    ARGS(((struct bytes){ hash, sizeof hash }), c->now, user_id, user_id), out);
}

enum err
upload_look(
    struct ctx *c, const char *secret, const struct principal *who, struct upload_state *out)
{
	struct upload *u;

	TRY(upload_get(c, secret, who, &u));
	*out = (struct upload_state){ .state = u->blob_id ? "done" : "open",
		.received = u->received,
		.total = u->total,
		.blob_id = u->blob_id,
		.token_id = u->id,
		.expires_at = u->expires_at };
	out->has.total = u->has.total;
	return E_OK;
}

enum err
upload_find(
    struct ctx *c, const char *secret, const struct principal *who, struct upload **out)
{
	TRY(upload_get(c, secret, who, out));
	if ((*out)->blob_id)
		return fail(c, E_CONFLICT,
		    "This upload has its bytes; to send others, start another upload");
	return E_OK;
}

/* Makes the row of a blob whose bytes aren't there yet. */
static struct asset_blob *
blob_new(struct ctx *c, const struct upload *u, int64_t size)
{
	struct asset_blob *b = mem_new(c->mem, struct asset_blob);

	*b = (struct asset_blob){ .id = id_new(c->mem, "blb_"),
		.filename = u->filename ? u->filename : "file",
		.size = size,
		.created_at = c->now };
	return b;
}

static enum err
announced_check(struct ctx *c, const struct upload *u, const struct asset_blob *b)
{
	if (u->has.size_bytes == GIVEN && u->size_bytes != b->size)
		return fail(c, E_INVALID, "size: %lld bytes were announced and %lld sent",
		    (long long)u->size_bytes, (long long)b->size);
	if (u->sha256 && !str_eq(u->sha256, b->sha256))
		return fail(c, E_INVALID, "sha256: %s was announced; what was sent has %s",
		    u->sha256, b->sha256);
	return E_OK;
}

/* ---- in pieces ---- */

enum err
upload_store_piece(struct ctx *c, const struct upload *u, const struct piece_place *at,
    const struct span *bytes, struct asset_blob **out)
{
	bool begun = u->has.total == GIVEN;
	const struct piece_place there = { u->received, begun ? u->total : -1 };
	struct asset_blob *b;
	struct object object;
	struct batch *batch;
	struct span all;
	struct temp *t;

	*out = NULL;
	if (u->has.size_bytes == GIVEN && u->size_bytes != at->total)
		return fail(c, E_INVALID, "size: %lld bytes were announced, and now %lld are",
		    (long long)u->size_bytes, (long long)at->total);
	if (!begun)
		TRY(library_room(c, &(struct library){ u->bucket_id, u->workspace_id }, at->total));
	TRY(pieces_add(c, u->id, &there, at, bytes, &t));
	if (!t)
		return E_OK;
	b = *out = blob_new(c, u, at->total);
	all = (struct span){ .fd = t->fd, .n = b->size };
	TRY(file_mime(c, b->filename, &all, &b->mime_type));
	TRY(batch_begin(c, &batch));
	TRY(batch_put_temp(c, batch, t, b->size, &object));
	b->sha256 = crypto_hex(c->mem, object.sha256, SHA256_BYTES);
	TRY(announced_check(c, u, b));
	return batch_sync(c, batch);
}

enum err
upload_advance(struct ctx *c, const struct upload *u, const struct piece_place *at, int64_t n)
{
	struct library l = { u->bucket_id, u->workspace_id };

	TRY(db_exec1(c,
	    EXEC("UPDATE asset_upload SET total = ?, received = ?"
		 " WHERE id = ? AND blob_id IS NULL AND COALESCE(total, ?) = ?"),
	    ARGS(at->total, at->at + n, u->id, at->total, at->total)));
	return u->has.total == GIVEN ? E_OK : library_reserve(c, &l, at->total);
}

/* ---- in one request ---- */

enum err
upload_store(struct ctx *c, const struct upload *u, const struct span *bytes, const char *spooled,
    struct asset_blob **out)
{
	struct asset_blob *b = *out = blob_new(c, u, bytes->n);
	struct library l = { u->bucket_id, u->workspace_id };
	struct object object;
	struct batch *batch;

	if (u->has.total == GIVEN)
		return piece_wrong(c, u->received, u->total);
	TRY(library_room(c, &l, bytes->n));
	TRY(file_mime(c, b->filename, bytes, &b->mime_type));
	TRY(batch_begin(c, &batch));
	TRY(batch_put_span(c, batch, bytes, spooled, &object));
	b->sha256 = crypto_hex(c->mem, object.sha256, SHA256_BYTES);
	TRY(announced_check(c, u, b));
	return batch_sync(c, batch);
}

enum err
upload_record(struct ctx *c, const struct upload *u, const struct asset_blob *b)
{
	TRY(db_exec(c,
	    EXEC("INSERT INTO asset_blob (id, bucket_id, workspace_id, user_id, filename, mime,"
		 " sha256, size_bytes, created_at) VALUES (?, ?, ?, ?, ?, ?, UNHEX(?), ?, ?)"),
	    ARGS(b->id, u->bucket_id, u->workspace_id, u->user_id, b->filename, b->mime_type,
		b->sha256, b->size, b->created_at),
	    NULL));
	return preview_want(c, b->sha256, b->mime_type);
}

/* If two senders race, the second finds the upload claimed. */
enum err
upload_finish(struct ctx *c, const struct upload *u, const struct asset_blob *b)
{
	struct library l = { u->bucket_id, u->workspace_id };
	int64_t taken;

	TRY(db_exec(c,
	    EXEC("UPDATE asset_upload SET blob_id = ?, total = NULL, received = 0"
		 " WHERE id = ? AND blob_id IS NULL AND COALESCE(total, ?) = ?"),
	    ARGS(b->id, u->id, b->size, b->size), &taken));
	if (!taken)
		return fail(c, E_CONFLICT, "Somebody else has just sent the bytes of this upload");
	if (u->has.total == GIVEN)
		TRY(library_reserve(c, &l, -u->total));
	TRY(upload_record(c, u, b));
	return library_take(c, &l, b->size);
}

enum err
upload_cancel(struct ctx *c, const struct upload *u)
{
	struct library l = { u->bucket_id, u->workspace_id };

	TRY(db_exec1(c, EXEC("DELETE FROM asset_upload WHERE id = ? AND blob_id IS NULL"),
	    ARGS(u->id)));
	if (u->has.total != GIVEN)
		return E_OK;
	TRY(library_reserve(c, &l, -u->total));
	return pieces_drop(c, u->id);
}

/* ---- when other things change, and expiry ---- */

/* Returns the bytes that the ending uploads had reserved. */
#define GIVE_BACK_OF(which) \
	"UPDATE asset_bucket b JOIN (SELECT bucket_id, SUM(total) AS n FROM asset_upload" \
	" WHERE total IS NOT NULL AND " which " GROUP BY bucket_id) p" \
	" ON p.bucket_id = b.id SET b.reserved = b.reserved - p.n"

/* Cancels all uploads of a person, in a workspace (NULL: all), and frees their reserved room. */
static enum err
uploads_end(struct ctx *c, const char *user_id, const char *workspace_id)
{
	TRY(db_exec(c,
	    EXEC(GIVE_BACK_OF("user_id = ? AND (? IS NULL OR workspace_id = ?)")),
	    ARGS(user_id, workspace_id, workspace_id), NULL));
	return db_exec(c,
	    EXEC("DELETE FROM asset_upload WHERE user_id = ? AND (? IS NULL OR workspace_id = ?)"),
	    ARGS(user_id, workspace_id, workspace_id), NULL);
}

static enum err
member_left(struct ctx *c, const struct happened *h)
{
	return uploads_end(c, h->user_id, h->workspace_id);
}

static enum err
user_merged(struct ctx *c, const struct happened *h)
{
	struct library from = library_of(c, NULL, h->from_id);
	struct library to = library_of(c, NULL, h->user_id);

	return db_exec(c,
	    EXEC("UPDATE asset_upload SET user_id = ?, bucket_id = IF(bucket_id = ?, ?, bucket_id)"
		 " WHERE user_id = ?"),
	    ARGS(h->user_id, from.bucket_id, to.bucket_id, h->from_id), NULL);
}

static enum err
user_deleted(struct ctx *c, const struct happened *h)
{
	return uploads_end(c, h->user_id, NULL);
}

static enum err
upload_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	TRY(db_begin(c));
	TRY(db_exec(c, EXEC(GIVE_BACK_OF("expires_at <= ?")), ARGS(c->now), NULL));
	TRY(db_exec(c,
	    EXEC("UPDATE asset_upload SET total = NULL"
		 " WHERE expires_at <= ? AND total IS NOT NULL"),
	    ARGS(c->now), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM asset_upload WHERE expires_at <= ? LIMIT ?"),
	    ARGS(c->now, limit), removed));
	return db_commit(c);
}

WORKSPACE_ROWS(asset_upload, "")
FOLLOWS(upload, { MEMBER_LEFT, member_left }, { USER_MERGED, user_merged },
    { USER_DELETED, user_deleted }, { WORKSPACE_PURGED, workspace_purged });
ROUNDS(upload, { "uploads", .rows = upload_reap });
