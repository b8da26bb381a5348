/* SPDX-License-Identifier: Apache-2.0 */
#include "core/storage.h"

#include "base/conf.h"
#include "base/str.h"
#include "core/artifact.h"
#include "core/follow.h"

SHAPE_DEFINE(storage, STORAGE);
SHAPE_DEFINE(storage_item, STORAGE_ITEM);
SHAPE_DEFINE(miscount, MISCOUNT);

/* ---- counters ---- */

/* A person's row, with their id; limit_bytes is an operator's. */
#define HOLDING(F, T) \
	F(T, ID,  owner_id,    .arg = "usr_") \
	F(T, INT, bytes) \
	F(T, INT, limit_bytes, .flags = F_NUL)
SHAPE(holding, HOLDING);

static int64_t
limit_of(const struct ctx *c, const struct holding *h)
{
	return h->has.limit_bytes == GIVEN ? h->limit_bytes : c->conf->storage_per_user;
}

static bool
holding_has_room(const struct ctx *c, const struct holding *h, int64_t bytes)
{
	int64_t most = limit_of(c, h);

	return bytes <= 0 || most == 0 || h->bytes + bytes <= most;
}

static enum err
holding_of_user(struct ctx *c, const char *user_id, struct holding **out)
{
	return db_one(c,
	    ROWS(holding,
		"SELECT u.id AS owner_id, COALESCE(s.bytes, 0) AS bytes, s.limit_bytes"
		" FROM user u LEFT JOIN storage s ON s.user_id = u.id WHERE u.id = ?"),
	    ARGS(user_id), out);
}

/* E_NOT_FOUND if it has been purged. */
static enum err
holding_of_artifact(struct ctx *c, const char *artifact_id, struct holding **out)
{
	return db_one(c,
	    ROWS(holding,
		"SELECT a.owner_id, COALESCE(s.bytes, 0) AS bytes, s.limit_bytes"
		" FROM artifact a LEFT JOIN storage s ON s.user_id = a.owner_id"
		" WHERE a.id = ? AND a.owner_id IS NOT NULL"),
	    ARGS(artifact_id), out);
}

enum err
storage_get(struct ctx *c, const char *user_id, struct storage **out)
{
	struct storage *s = *out = mem_new(c->mem, struct storage);
	struct holding *h;

	TRY(holding_of_user(c, user_id, &h));
	s->used_bytes = h->bytes;
	s->limit_bytes = limit_of(c, h);
	s->has.limit_bytes = s->limit_bytes ? GIVEN : NULLED;
	return E_OK;
}

enum err
storage_largest(struct ctx *c, const char *user_id, int64_t limit, struct list *out)
{
	return db_all(c,
	    ROWS(storage_item,
		"SELECT a.id, a.name, s.bytes, a.deleted_at IS NOT NULL AS deleted"
		" FROM artifact a JOIN artifact_storage s ON s.artifact_id = a.id"
		" WHERE a.owner_id = ? AND s.bytes > 0 ORDER BY s.bytes DESC, a.id LIMIT ?"),
	    ARGS(user_id, limit), out);
}

enum err
storage_limit(struct ctx *c, const char *user_id, const int64_t *bytes)
{
	return db_exec(c,
	    EXEC(
		"INSERT INTO storage (user_id, limit_bytes) VALUES (?, ?)"
		" ON DUPLICATE KEY UPDATE limit_bytes = VALUES(limit_bytes)"),
	    ARGS(user_id, bytes ? arg_int(*bytes) : arg_null()), NULL);
}

/* ---- refusals ---- */

/* There was no room, but now there is: another transaction was at work, such as the first of two
 * publishes of a person without a row. */
static enum err
room_again(struct ctx *c)
{
	c->replay = true;
	return fail(c, E_UNAVAILABLE, "The storage has just changed; try again");
}

static enum err
holding_refuse(struct ctx *c, const struct holding *h, const struct principal *who, int64_t bytes)
{
	int64_t most = limit_of(c, h);

	/* Only the owner may know how much they store. */
	if (!who || !str_eq(who->user_id, h->owner_id)) {
		c->details = mem_printf(c->mem, "{\"needed_bytes\":%lld}", (long long)bytes);
		return fail(c, E_STORAGE_FULL,
		    "The owner's storage has no room for the %s that this needs. They can "
		    "permanently delete what they no longer need, or ask the people who run the "
		    "service for more",
		    str_amount(c->mem, bytes));
	}
	c->details = mem_printf(c->mem,
	    "{\"used_bytes\":%lld,\"limit_bytes\":%lld,\"needed_bytes\":%lld}", (long long)h->bytes,
	    (long long)most, (long long)bytes);
	return fail(c, E_STORAGE_FULL,
	    "Your storage is full: %s of %s is used, and this needs %s more. "
	    "Permanently delete what you no longer need, including in the trash; your account page "
	    "shows what uses the most. Or ask the people who run the service for more",
	    str_amount(c->mem, h->bytes), str_amount(c->mem, most), str_amount(c->mem, bytes));
}

enum err
storage_refuse(struct ctx *c, const char *artifact_id, const struct principal *who, int64_t bytes)
{
	struct holding *h;

	TRY(holding_of_artifact(c, artifact_id, &h));
	return holding_has_room(c, h, bytes) ? room_again(c) : holding_refuse(c, h, who, bytes);
}

enum err
storage_room(struct ctx *c, const char *artifact_id, const char *owner_id,
    const struct principal *who, int64_t bytes)
{
	struct holding *h;

	TRY(artifact_id ? holding_of_artifact(c, artifact_id, &h)
			: holding_of_user(c, owner_id, &h));
	return holding_has_room(c, h, bytes) ? E_OK : holding_refuse(c, h, who, bytes);
}

/* ---- changes ---- */

static enum err
counters_add(struct ctx *c, const char *artifact_id, int64_t bytes)
{
	return db_exec(c, EXEC("BEGIN NOT ATOMIC" STORAGE_ADDED " END"),
	    ARGS(artifact_id, bytes, c->conf->storage_per_user), NULL);
}

enum err
storage_add(struct ctx *c, const char *artifact_id, const struct principal *who, int64_t bytes)
{
	enum err e = counters_add(c, artifact_id, bytes);

	return e == E_STORAGE_FULL ? storage_refuse(c, artifact_id, who, bytes) : e;
}

/* The artifact's role says whether its reader is the owner. */
enum err
storage_added_data(struct ctx *c, const struct artifact *a, int64_t bytes, enum err e)
{
	const struct principal owner = { .user_id = a->owner_id };
	bool own = role_rank(a->role) == ROLE_OWNER;

	return e == E_STORAGE_FULL ? storage_refuse(c, a->id, own ? &owner : NULL, bytes) : e;
}

enum err
storage_add_data(struct ctx *c, const struct artifact *a, int64_t bytes)
{
	return bytes ? storage_added_data(c, a, bytes, counters_add(c, a->id, bytes)) : E_OK;
}

enum err
storage_leave(struct ctx *c, const char *artifact_id, const char *owner_id)
{
	return db_exec(c,
	    EXEC(
		"BEGIN NOT ATOMIC DECLARE art " SQL_ID " DEFAULT ?; DECLARE holder " SQL_ID
		" DEFAULT ?; DECLARE freed BIGINT DEFAULT 0;"
		" SELECT COALESCE(SUM(s.bytes), 0) INTO freed"
		" FROM artifact_storage s WHERE s.artifact_id = art FOR UPDATE;"
		" DELETE FROM artifact_storage WHERE artifact_id = art;"
		" UPDATE storage SET bytes = bytes - freed WHERE user_id = holder; END"),
	    ARGS(artifact_id, owner_id), NULL);
}

#define MOVED(F, T) F(T, INT, bytes)
SHAPE(moved, MOVED);

enum err
storage_move(
    struct ctx *c, const char *artifact_id, const char *from, const char *to, const char *named)
{
	enum err e = db_exec(c,
	    EXEC(
		"BEGIN NOT ATOMIC DECLARE art " SQL_ID " DEFAULT ?; DECLARE giver " SQL_ID
		" DEFAULT ?; DECLARE heir " SQL_ID
		" DEFAULT ?; DECLARE most BIGINT DEFAULT ?; DECLARE more BIGINT DEFAULT 0;"
		" SELECT COALESCE(SUM(s.bytes), 0) INTO more"
		" FROM artifact_storage s WHERE s.artifact_id = art FOR UPDATE;"
		" UPDATE storage SET bytes = bytes - more WHERE user_id = giver;"
		STORAGE_TAKE("heir", "more", "most") " END"),
	    ARGS(artifact_id, from, to, c->conf->storage_per_user), NULL);
	struct holding *h;
	struct moved *art;

	if (e != E_STORAGE_FULL)
		return e;
	TRY(holding_of_user(c, to, &h));
	TRY(db_one(c, ROWS(moved, "SELECT bytes FROM artifact_storage WHERE artifact_id = ?"),
	    ARGS(artifact_id), &art));
	if (holding_has_room(c, h, art->bytes))
		return room_again(c);
	c->details = mem_printf(c->mem, "{\"needed_bytes\":%lld}", (long long)art->bytes);
	return fail(c, E_STORAGE_FULL,
	    "%s has no room for the %s of this artifact. "
	    "Before you can transfer it, they need to permanently delete what they no longer need, "
	    "or ask the people who run the service for more",
	    named, str_amount(c->mem, art->bytes));
}

enum err
storage_inherit(struct ctx *c, const char *workspace_id, const char *from, const char *to)
{
	return db_exec(c,
	    EXEC(
		"BEGIN NOT ATOMIC DECLARE space " SQL_ID " DEFAULT ?; DECLARE giver " SQL_ID
		" DEFAULT ?; DECLARE heir " SQL_ID " DEFAULT ?; DECLARE more BIGINT DEFAULT 0;"
		" SELECT COALESCE(SUM(s.bytes), 0) INTO more"
		" FROM artifact a FORCE INDEX (artifact_owner)"
		" JOIN artifact_storage s ON s.artifact_id = a.id"
		" WHERE a.owner_id = giver AND a.workspace_id = space FOR UPDATE;"
		" UPDATE storage SET bytes = bytes - more WHERE user_id = giver;"
		" INSERT INTO storage (user_id, bytes) VALUES (heir, more)"
		" ON DUPLICATE KEY UPDATE bytes = bytes + more; END"),
	    ARGS(workspace_id, from, to), NULL);
}

/* ---- recounting ---- */

/* SQL: everything that counts, as rows of artifact_id and size_bytes, each once. */
#define COUNTED_ROWS \
	"(SELECT DISTINCT artifact_id, sha256, size_bytes FROM version_file" \
	" UNION ALL SELECT DISTINCT artifact_id, mobile_sha256, mobile_size FROM version" \
	" WHERE mobile_sha256 IS NOT NULL" \
	" UNION ALL SELECT DISTINCT artifact_id, icon_sha256, icon_size FROM version" \
	" WHERE icon_sha256 IS NOT NULL" \
	" UNION ALL SELECT artifact_id, NULL, size_bytes FROM document" \
	" UNION ALL SELECT artifact_id, NULL, size_bytes FROM artifact_blob" \
	" UNION ALL SELECT artifact_id, NULL, size_bytes FROM data_table" \
	" WHERE artifact_id IS NOT NULL)"

/* Needs no locks, because a single statement reads one snapshot. */
enum err
storage_check(struct ctx *c, struct miscount_list *out)
{
	return db_all(c,
	    ROWS(miscount,
		"SELECT 'artifact' AS noun, a.id,"
		" COALESCE(s.bytes, 0) AS counted, COALESCE(x.bytes, 0) AS used"
		" FROM artifact a LEFT JOIN artifact_storage s ON s.artifact_id = a.id"
		" LEFT JOIN (SELECT r.artifact_id, SUM(r.size_bytes) AS bytes FROM " COUNTED_ROWS
		" r GROUP BY r.artifact_id) x ON x.artifact_id = a.id"
		" WHERE a.owner_id IS NOT NULL AND COALESCE(s.bytes, 0) <> COALESCE(x.bytes, 0)"
		" UNION ALL SELECT 'user', u.id, COALESCE(s.bytes, 0), COALESCE(o.bytes, 0)"
		" FROM user u LEFT JOIN storage s ON s.user_id = u.id"
		" LEFT JOIN (SELECT a.owner_id, SUM(t.bytes) AS bytes FROM artifact a"
		" JOIN artifact_storage t ON t.artifact_id = a.id"
		" GROUP BY a.owner_id) o ON o.owner_id = u.id"
		" WHERE COALESCE(s.bytes, 0) <> COALESCE(o.bytes, 0)"),
	    NOARGS, out);
}

/* The counter is locked before the rows are read, so concurrent additions wait and add to the new
 * value. */
static enum err
artifact_recount(struct ctx *c, const char *id)
{
	struct moved *locked;

	TRY(db_find(c,
	    ROWS(moved, "SELECT bytes FROM artifact_storage WHERE artifact_id = ? FOR UPDATE"),
	    ARGS(id), &locked));
	if (!locked)
		TRY(db_exec(c,
		    EXEC(
			"INSERT IGNORE INTO artifact_storage (artifact_id, workspace_id, bytes)"
			" SELECT id, workspace_id, 0 FROM artifact"
			" WHERE id = ? AND owner_id IS NOT NULL"),
		    ARGS(id), NULL));
	return db_exec(c,
	    EXEC(
		"UPDATE artifact_storage"
		" SET bytes = (SELECT COALESCE(SUM(r.size_bytes), 0) FROM " COUNTED_ROWS
		" r WHERE r.artifact_id = ?) WHERE artifact_id = ?"),
	    ARGS(id, id), NULL);
}

static enum err
user_recount(struct ctx *c, const char *id)
{
	struct moved *locked;

	TRY(db_find(c, ROWS(moved, "SELECT bytes FROM storage WHERE user_id = ? FOR UPDATE"),
	    ARGS(id), &locked));
	if (!locked)
		TRY(db_exec(c,
		    EXEC("INSERT IGNORE INTO storage (user_id) SELECT id FROM user WHERE id = ?"),
		    ARGS(id), NULL));
	return db_exec(c,
	    EXEC(
		"UPDATE storage SET bytes = (SELECT COALESCE(SUM(s.bytes), 0) FROM artifact a"
		" JOIN artifact_storage s ON s.artifact_id = a.id WHERE a.owner_id = ?)"
		" WHERE user_id = ?"),
	    ARGS(id, id), NULL);
}

static enum err
miscount_mend(struct ctx *c, const struct miscount *wrong)
{
	struct ctx *one = ctx_begin(c->conf, c->db);
	enum err e = db_begin(one);

	if (!e)
		e = str_eq(wrong->noun, "user") ? user_recount(one, wrong->id)
					      : artifact_recount(one, wrong->id);
	if (!e)
		e = db_commit(one);
	if (e)
		fail_here(c, "%s %s: %s", wrong->noun, wrong->id, ctx_why(one));
	db_rollback(one);
	ctx_end(one);
	return e;
}

static enum err
miscounts_mend(struct ctx *c, const char *noun, int64_t *mended)
{
	struct miscount_list rows;

	TRY(storage_check(c, &rows));
	for (size_t i = 0; i < rows.n; i++) {
		if (!str_eq(rows.v[i].noun, noun))
			continue;
		TRY(miscount_mend(c, &rows.v[i]));
		++*mended;
	}
	return E_OK;
}

/* A person's counter is the sum of their artifacts', which we therefore set first. */
enum err
storage_recount(struct ctx *c, int64_t *mended)
{
	*mended = 0;
	TRY(miscounts_mend(c, "artifact", mended));
	return miscounts_mend(c, "user", mended);
}

/* ---- when other things change ---- */

/* The sum may exceed the limit. Of two limits set by an operator, the greater one stays. */
static enum err
user_merged(struct ctx *c, const struct happened *h)
{
	struct holding *from;

	TRY(db_exec(c,
	    EXEC(
		"INSERT IGNORE INTO owned_object (owner_id, sha256, size_bytes)"
		" SELECT ?, sha256, size_bytes FROM owned_object WHERE owner_id = ?"),
	    ARGS(h->user_id, h->from_id), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM owned_object WHERE owner_id = ?"),
	    ARGS(h->from_id), NULL));
	/* Waits for transactions that add to it, and makes later ones read the new owner. */
	TRY(db_find(c,
	    ROWS(holding,
		"SELECT user_id AS owner_id, bytes, limit_bytes FROM storage"
		" WHERE user_id = ? FOR UPDATE"),
	    ARGS(h->from_id), &from));
	if (!from)
		return E_OK;
	TRY(db_exec(c,
	    EXEC("INSERT INTO storage (user_id, bytes, limit_bytes) VALUES (?, ?, ?)"
		 " ON DUPLICATE KEY UPDATE bytes = bytes + VALUES(bytes),"
		 " limit_bytes = IF(limit_bytes IS NULL OR VALUES(limit_bytes) IS NULL,"
		 " COALESCE(limit_bytes, VALUES(limit_bytes)), IF(limit_bytes = 0"
		 " OR VALUES(limit_bytes) = 0, 0, GREATEST(limit_bytes, VALUES(limit_bytes))))"),
	    ARGS(h->user_id, from->bytes, arg_opt(from->has.limit_bytes, from->limit_bytes)),
	    NULL));
	return db_exec(c, EXEC("DELETE FROM storage WHERE user_id = ?"), ARGS(h->from_id), NULL);
}

static enum err
user_deleted(struct ctx *c, const struct happened *h)
{
	TRY(db_exec(c, EXEC("DELETE FROM owned_object WHERE owner_id = ?"),
	    ARGS(h->user_id), NULL));
	return db_exec(c, EXEC("DELETE FROM storage WHERE user_id = ?"),
	    ARGS(h->user_id), NULL);
}

FOLLOWS(storage, { USER_MERGED, user_merged }, { USER_DELETED, user_deleted });
PURGES(storage, ROWS_OF(artifact_storage));
