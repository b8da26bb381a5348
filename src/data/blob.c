/* SPDX-License-Identifier: Apache-2.0 */
#include "data/blob.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/sniff.h"
#include "base/str.h"
#include "base/unicode.h"
#include "core/filename.h"
#include "core/follow.h"
#include "core/storage.h"
#include "data/rowpolicy.h"
#include "db/db.h"
#include "store/object.h"

SHAPE_DEFINE(blob, BLOB);
SHAPE_DEFINE(blob_page, BLOB_PAGE);
SHAPE_DEFINE(blob_query, BLOB_QUERY);
SHAPE_DEFINE(blob_usage, BLOB_USAGE);

#define BLOB_COLUMNS \
	"b.id, b.filename, b.mime AS mime_type, b.size_bytes AS size, b.created_at, b.sha256," \
	" b.created_by"

/* ---- counts ---- */

enum err
blob_usage_get(struct ctx *c, const char *artifact_id, struct blob_usage *out)
{
	struct blob_usage *row;

	TRY(db_find(c,
	    ROWS(blob_usage, "SELECT blobs, bytes FROM blob_usage WHERE artifact_id = ?"),
	    ARGS(artifact_id), &row));
	*out = row ? *row : (struct blob_usage){ 0 };
	return E_OK;
}

static enum err
size_check(struct ctx *c, int64_t bytes)
{
	int64_t most = c->conf->max_blob_bytes;

	if (bytes <= most)
		return E_OK;
	c->details = mem_printf(c->mem, "{\"used\":%lld,\"limit\":%lld,\"unit\":\"bytes\"}",
	    (long long)bytes, (long long)most);
	return fail(c, E_FILE_TOO_LARGE, "The file is larger than the limit of %s",
	    str_amount_1024(c->mem, most));
}

/* Fails if one more blob of that size exceeds a limit. */
static enum err
usage_check(struct ctx *c, const struct blob_usage *u, int64_t bytes)
{
	const struct conf *conf = c->conf;
	const bool files = u->blobs >= conf->max_blobs;
	const int64_t used = files ? u->blobs : u->bytes,
		      limit = files ? conf->max_blobs : conf->max_blob_storage_bytes;
	const char *unit = files ? "files" : "bytes";

	if (!files && u->bytes + bytes <= limit)
		return E_OK;
	c->details = mem_printf(c->mem, "{\"used\":%lld,\"limit\":%lld,\"unit\":\"%s\"}",
	    (long long)used, (long long)limit, unit);
	return fail(c, E_STORAGE_FULL,
	    files ? "The artifact has %lld uploaded %s; the maximum is %lld, so delete some first"
		  : "The artifact's uploaded files total %lld %s; "
		    "the maximum is %lld, so delete some first",
	    (long long)used, unit, (long long)limit);
}

static enum err
usage_claim(struct ctx *c, const char *artifact_id, int64_t bytes, int64_t *taken)
{
	return db_exec(c,
	    EXEC("UPDATE blob_usage SET blobs = blobs + 1, bytes = bytes + ?"
		 " WHERE artifact_id = ? AND blobs < ? AND bytes + ? <= ?"),
	    ARGS(bytes, artifact_id, c->conf->max_blobs, bytes, c->conf->max_blob_storage_bytes),
	    taken);
}

enum err
blob_usage_mend(struct ctx *c, const char *artifact_id, bool *wrong)
{
	struct blob_usage *was, *is;

	*wrong = false;
	TRY(db_begin(c));
	TRY(db_find(c,
	    ROWS(blob_usage,
		"SELECT blobs, bytes FROM blob_usage WHERE artifact_id = ? FOR UPDATE"),
	    ARGS(artifact_id), &was));
	/* Writers change this row last. So each has committed by now or waits for this lock. */
	TRY(db_one(c,
	    ROWS(blob_usage,
		"SELECT COUNT(*) AS blobs, COALESCE(SUM(size_bytes), 0) AS bytes FROM artifact_blob"
		" WHERE artifact_id = ?"),
	    ARGS(artifact_id), &is));
	*wrong = was ? was->blobs != is->blobs || was->bytes != is->bytes : is->blobs > 0;
	if (*wrong)
		TRY(db_exec(c,
		    EXEC("INSERT INTO blob_usage (artifact_id, blobs, bytes) VALUES (?, ?, ?)"
			 " ON DUPLICATE KEY UPDATE blobs = VALUES(blobs), bytes = VALUES(bytes)"),
		    ARGS(artifact_id, is->blobs, is->bytes), NULL));
	return db_commit(c);
}

/* ---- rights ---- */

enum err
blob_rights_find(struct ctx *c, const struct artifact *a, const struct principal *who,
    struct blob_rights *out)
{
	*out = (struct blob_rights){ .user_id = who ? who->user_id : NULL };
	TRY(rowpolicy_allows(c, a, who, POLICY_BLOBS, POLICY_WRITE, &out->add));
	out->delete_any = out->add && (role_rank(a->role) >= ROLE_EDITOR || a->can_edit);
	return E_OK;
}

bool
blob_may_delete(const struct blob_rights *rights, const struct blob *b)
{
	return rights->delete_any || (rights->user_id && str_eq(b->created_by, rights->user_id));
}

enum err
blob_may_add(struct ctx *c, const struct artifact *a, const struct principal *who)
{
	struct blob_rights rights;

	TRY(blob_rights_find(c, a, who, &rights));
	if (rights.add)
		return E_OK;
	return fail(c, E_DENIED,
	    "You can't add files here; only editors can, and anyone that blobs.write (or default) "
	    "in the artifact's access_policy allows");
}

enum err
blob_room(struct ctx *c, const struct artifact *a, int64_t least_bytes)
{
	struct blob_usage now;

	TRY(size_check(c, least_bytes));
	TRY(blob_usage_get(c, a->id, &now));
	return usage_check(c, &now, least_bytes);
}

/* ---- adding ---- */

enum err
blob_store(struct ctx *c, const struct principal *who, const struct blob_new *in,
    struct blob **out)
{
	struct blob *b = *out = mem_new(c->mem, struct blob);
	struct object object;
	struct batch *batch;

	TRY(filename_check(c, "filename", in->filename));
	TRY(size_check(c, in->bytes.n));
	*b = (struct blob){ .id = id_new(c->mem, "blb_"),
		.filename = unicode_composed(c->mem, in->filename),
		.size = in->bytes.n,
		.created_at = c->now,
		.created_by = who->user_id };
	if (!in->memory)
		TRY(file_mime(c, in->filename, &in->bytes, &b->mime_type));
	else
		b->mime_type = sniff_mime(in->filename, in->memory,
		    in->bytes.n < SNIFF_BYTES ? (size_t)in->bytes.n : SNIFF_BYTES);
	TRY(batch_begin(c, &batch));
	TRY(in->memory ? batch_put(c, batch, in->memory, (size_t)in->bytes.n, &object)
		       : batch_put_span(c, batch, &in->bytes, in->spooled, &object));
	TRY(batch_sync(c, batch));
	b->sha256 = crypto_hex(c->mem, object.sha256, SHA256_BYTES);
	return E_OK;
}

#define THERE(F, T) F(T, INT, one)
SHAPE(usage_there, THERE);

/* All growth of an artifact's blobs goes through this function. */
enum err
blob_record(struct ctx *c, const struct artifact *a, struct blob *b)
{
	struct usage_there *there;
	struct blob_usage now;
	int64_t taken;

	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO artifact_blob"
		" (id, artifact_id, filename, mime, sha256, size_bytes, created_by, created_at)"
		" VALUES (?, ?, ?, ?, UNHEX(?), ?, ?, ?)"),
	    ARGS(b->id, a->id, b->filename, b->mime_type, b->sha256, b->size, b->created_by,
		b->created_at),
	    NULL));
	TRY(usage_claim(c, a->id, b->size, &taken));
	if (taken)
		return storage_add_data(c, a, b->size);
	TRY(db_find(c,
	    ROWS(usage_there, "SELECT 1 AS one FROM blob_usage WHERE artifact_id = ?"),
	    ARGS(a->id), &there));
	/* Not for a purged artifact: the runner may have deleted its blobs already. */
	if (!there)
		TRY(db_exec(c,
		    EXEC("INSERT IGNORE INTO blob_usage (artifact_id, blobs, bytes)"
			 " SELECT id, 0, 0 FROM artifact"
			 " WHERE id = ? AND owner_id IS NOT NULL LOCK IN SHARE MODE"),
		    ARGS(a->id), NULL));
	/* Another may have inserted the row, or freed room, since the first attempt. */
	TRY(usage_claim(c, a->id, b->size, &taken));
	if (taken)
		return storage_add_data(c, a, b->size);
	TRY(blob_usage_get(c, a->id, &now));
	TRY(usage_check(c, &now, b->size));
	/* The artifact is purged. */
	return fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
}

/* All shrinking of an artifact's blobs goes through this function. */
static enum err
blob_take_away(struct ctx *c, const struct artifact *a, const struct blob *b)
{
	TRY(db_exec1(c, EXEC("DELETE FROM artifact_blob WHERE id = ? AND artifact_id = ?"),
	    ARGS(b->id, a->id)));
	TRY(db_exec(c,
	    EXEC(
		"UPDATE blob_usage SET blobs = blobs - 1, bytes = bytes - ? WHERE artifact_id = ?"),
	    ARGS(b->size, a->id), NULL));
	return storage_add_data(c, a, -b->size);
}

enum err
blob_replace(struct ctx *c, const struct artifact *a, struct blob *b)
{
	struct blob_list old;

	TRY(db_all(c,
	    ROWS(blob,
		"SELECT " BLOB_COLUMNS " FROM artifact_blob b"
		" WHERE b.artifact_id = ? AND b.filename = ? AND b.created_by = ? FOR UPDATE"),
	    ARGS(a->id, b->filename, b->created_by), &old));
	for (size_t i = 0; i < old.n; i++)
		TRY(blob_take_away(c, a, &old.v[i]));
	return blob_record(c, a, b);
}

/* ---- reading ---- */

enum err
blob_list(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct blob_query *q, struct blob_page *out)
{
	struct blob_usage all;
	bool yes;

	*out = (struct blob_page){ 0 };
	TRY(rowpolicy_allows(c, a, who, POLICY_BLOBS, POLICY_READ, &yes));
	if (!yes)
		return E_OK;
	TRY(db_all(c,
	    ROWS(blob,
		"SELECT " BLOB_COLUMNS ", COALESCE(u.blobs, 0) AS total"
		" FROM artifact_blob b LEFT JOIN blob_usage u ON u.artifact_id = b.artifact_id"
		" WHERE b.artifact_id = ? ORDER BY b.id DESC LIMIT ? OFFSET ?"),
	    ARGS(a->id, q->limit, q->offset), &out->blobs));
	if (out->blobs.n) {
		out->total = ((struct blob *)out->blobs.v)->total;
	} else {
		TRY(blob_usage_get(c, a->id, &all));
		out->total = all.blobs;
	}
	out->has_more = out->blobs.n && q->offset + (int64_t)out->blobs.n < out->total;
	return E_OK;
}

static enum err
blob_find(struct ctx *c, const struct artifact *a, const char *id, struct blob **out)
{
	return db_one(c,
	    ROWS(blob,
		"SELECT " BLOB_COLUMNS " FROM artifact_blob b"
		" WHERE b.id = ? AND b.artifact_id = ?"),
	    ARGS(id, a->id), out);
}

enum err
blob_get(struct ctx *c, const struct artifact *a, const struct principal *who, const char *id,
    struct blob **out)
{
	bool yes;

	TRY(rowpolicy_allows(c, a, who, POLICY_BLOBS, POLICY_READ, &yes));
	if (!yes)
		return fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	return blob_find(c, a, id, out);
}

enum err
blob_delete(struct ctx *c, const struct artifact *a, const struct principal *who, const char *id)
{
	struct blob_rights rights;
	struct blob *b;

	TRY(blob_find(c, a, id, &b));
	TRY(blob_rights_find(c, a, who, &rights));
	if (!blob_may_delete(&rights, b)) {
		/* People who may not read the blob get E_NOT_FOUND instead. */
		TRY(blob_get(c, a, who, id, &b));
		return fail(c, E_DENIED,
		    "Only the person who added a file, and editors the access_policy allows "
		    "to write, can delete it");
	}
	return blob_take_away(c, a, b);
}

/* ---- changes elsewhere ---- */

USERS(USER_UNSET(artifact_blob, created_by))
FOLLOWS(blob, USERS_FOLLOW);
/* The counts first, so that no blob can be added afterwards. */
PURGES(blob, ROWS_OF(blob_usage), ROWS_OF(artifact_blob));
