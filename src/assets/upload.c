/* SPDX-License-Identifier: Apache-2.0 */
#include "assets/upload.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "base/unicode.h"
#include "core/follow.h"
#include "store/object.h"
#include "store/rounds.h"

SHAPE_DEFINE(upload_new, UPLOAD_NEW);
SHAPE_DEFINE(upload_made, UPLOAD_MADE);
SHAPE_DEFINE(upload_done, UPLOAD_DONE);
SHAPE_DEFINE(upload, UPLOAD);

/* ---- making ---- */

static enum err
announced_check(struct ctx *c, const struct library *l, const struct upload_new *in,
    const char **filename)
{
	if (in->filename) {
		*filename = unicode_nfc(c->mem, in->filename);
		TRY(filename_check(c, "filename", *filename));
	}
	if (in->sha256 && in->sha256[strspn(in->sha256, "0123456789abcdef")])
		return fail(c, E_INVALID, "sha256: must be 64 hexadecimal digits in lower case");
	return library_room(c, l, in->has.size == GIVEN ? in->size : 0);
}

enum err
upload_make(struct ctx *c, const struct library *l, const struct principal *who,
    const struct upload_new *in, struct upload_made *out)
{
	const char *secret = token_new(c->mem, UPLOAD_SECRET), *filename = NULL;
	uint8_t hash[SHA256_BYTES];
	int64_t made;

	TRY(announced_check(c, l, in, &filename));
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

/* Whose maker is disabled, or not in the workspace any more, is over. */
#define UPLOAD_SELECT \
	"SELECT p.id, p.bucket_id, p.workspace_id, p.user_id, p.filename, p.size_bytes, p.sha256," \
	" p.blob_id, p.expires_at FROM asset_upload p JOIN user u ON u.id = p.user_id" \
	" AND u.disabled_at IS NULL LEFT JOIN workspace w ON w.id = p.workspace_id" \
	" AND w.deleted_at IS NULL LEFT JOIN member m ON m.workspace_id = w.id" \
	" AND m.user_id = p.user_id WHERE p.hash = ? AND p.expires_at > ?" \
	" AND (p.workspace_id IS NULL OR m.user_id IS NOT NULL)" \
	" AND (? IS NULL OR p.user_id = ?)"

enum err
upload_find(
    struct ctx *c, const char *secret, const struct principal *who, struct upload **out)
{
	const char *user_id = who ? who->user_id : NULL;
	uint8_t hash[SHA256_BYTES];

	token_hash(secret, hash);
	TRY(db_one(c, ROWS(upload, UPLOAD_SELECT),
	    ARGS(((struct bytes){ hash, sizeof hash }), c->now, user_id, user_id), out));
	if ((*out)->blob_id)
		return fail(c, E_CONFLICT,
		    "This upload has its bytes; to send others, start another upload");
	return E_OK;
}

static enum err
announced_hold(struct ctx *c, const struct upload *u, const struct asset_blob *b)
{
	if (u->has.size_bytes == GIVEN && u->size_bytes != b->size)
		return fail(c, E_INVALID, "size: %lld bytes were announced and %lld sent",
		    (long long)u->size_bytes, (long long)b->size);
	if (u->sha256 && !str_eq(u->sha256, b->sha256))
		return fail(c, E_INVALID, "sha256: %s was announced; what was sent has %s",
		    u->sha256, b->sha256);
	return E_OK;
}

enum err
upload_store(struct ctx *c, const struct upload *u, const struct span *bytes, const char *spooled,
    struct asset_blob **out)
{
	struct asset_blob *b = *out = mem_new(c->mem, struct asset_blob);
	struct library l = { u->bucket_id, u->workspace_id };
	struct object object;
	struct batch *batch;

	TRY(library_room(c, &l, bytes->n));
	*b = (struct asset_blob){ .id = id_new(c->mem, "blb_"),
		.filename = u->filename ? u->filename : "file",
		.size = bytes->n,
		.created_at = c->now };
	TRY(file_mime(c, b->filename, bytes, &b->mime_type));
	TRY(batch_begin(c, &batch));
	TRY(batch_put_span(c, batch, bytes, spooled, &object));
	b->sha256 = crypto_hex(c->mem, object.sha256, SHA256_BYTES);
	TRY(announced_hold(c, u, b));
	return batch_sync(c, batch);
}

/* Of two who send at once one finds the upload taken. */
enum err
upload_finish(struct ctx *c, const struct upload *u, const struct asset_blob *b)
{
	struct library l = { u->bucket_id, u->workspace_id };
	int64_t taken;

	TRY(db_exec(c,
	    EXEC("UPDATE asset_upload SET blob_id = ? WHERE id = ? AND blob_id IS NULL"),
	    ARGS(b->id, u->id), &taken));
	if (!taken)
		return fail(c, E_CONFLICT, "Somebody else has just sent the bytes of this upload");
	TRY(db_exec(c,
	    EXEC("INSERT INTO asset_blob (id, bucket_id, workspace_id, user_id, filename, mime,"
		 " sha256, size_bytes, created_at) VALUES (?, ?, ?, ?, ?, ?, UNHEX(?), ?, ?)"),
	    ARGS(b->id, u->bucket_id, u->workspace_id, u->user_id, b->filename, b->mime_type,
		b->sha256, b->size, b->created_at),
	    NULL));
	return library_take(c, &l, b->size);
}

enum err
upload_cancel(struct ctx *c, const struct upload *u)
{
	return db_exec1(c, EXEC("DELETE FROM asset_upload WHERE id = ? AND blob_id IS NULL"),
	    ARGS(u->id));
}

/* ---- what happens to others, and by itself ---- */

static enum err
member_left(struct ctx *c, const struct happened *h)
{
	return db_exec(c, EXEC("DELETE FROM asset_upload WHERE workspace_id = ? AND user_id = ?"),
	    ARGS(h->workspace_id, h->user_id), NULL);
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
	return db_exec(
	    c, EXEC("DELETE FROM asset_upload WHERE user_id = ?"), ARGS(h->user_id), NULL);
}

static enum err
upload_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM asset_upload WHERE expires_at <= ? LIMIT ?"),
	    ARGS(c->now, limit), removed);
}

WORKSPACE_ROWS(asset_upload, "")
FOLLOWS(upload, { MEMBER_LEFT, member_left }, { USER_MERGED, user_merged },
    { USER_DELETED, user_deleted }, { WORKSPACE_PURGED, workspace_purged });
ROUNDS(upload, { "uploads", .rows = upload_reap });
