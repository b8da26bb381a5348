/* SPDX-License-Identifier: Apache-2.0 */
#include "assets/library.h"

#include "base/conf.h"
#include "base/str.h"
#include "core/workspace.h"

SHAPE_DEFINE(library_usage, LIBRARY_USAGE);

struct library
library_of(struct ctx *c, const struct workspace *w, const char *user_id)
{
	const char *whose = w ? w->id : user_id;

	return (struct library){
		mem_printf(c->mem, "bkt_%s", strchr(whose, '_') + 1), w ? w->id : NULL
	};
}

enum err
library_usage_get(struct ctx *c, const struct library *l, struct library_usage *out)
{
	struct library_usage *row;

	TRY(db_find(c,
	    ROWS(library_usage, "SELECT files, bytes, reserved FROM asset_bucket WHERE id = ?"),
	    ARGS(l->bucket_id), &row));
	*out = row ? *row : (struct library_usage){ 0 };
	return E_OK;
}

static enum err
library_full(struct ctx *c, int64_t used, int64_t limit, bool files)
{
	c->details = mem_printf(c->mem, "{\"used\":%lld,\"limit\":%lld,\"unit\":\"%s\"}",
	    (long long)used, (long long)limit, files ? "files" : "bytes");
	if (files)
		return fail(c, E_STORAGE_FULL,
		    "The library has %lld files, which is the maximum; delete some first",
		    (long long)used);
	return fail(c, E_STORAGE_FULL,
	    "The library's files total %s, and the file doesn't fit beside them; "
	    "the maximum is %s, so delete some first",
	    str_amount_1024(c->mem, used), str_amount_1024(c->mem, limit));
}

enum err
library_room(struct ctx *c, const struct library *l, int64_t bytes)
{
	const struct conf *conf = c->conf;
	struct library_usage now;

	if (bytes > conf->max_asset_bytes) {
		c->details = mem_printf(c->mem, "{\"used\":%lld,\"limit\":%lld,\"unit\":\"bytes\"}",
		    (long long)bytes, (long long)conf->max_asset_bytes);
		return fail(c, E_FILE_TOO_LARGE, "The file is larger than the limit of %s",
		    str_amount_1024(c->mem, conf->max_asset_bytes));
	}
	TRY(library_usage_get(c, l, &now));
	if (now.files >= conf->max_library_files)
		return library_full(c, now.files, conf->max_library_files, true);
	if (now.bytes + now.reserved + bytes > conf->max_library_bytes)
		return library_full(
		    c, now.bytes + now.reserved, conf->max_library_bytes, false);
	return E_OK;
}

static enum err
library_grow(
    struct ctx *c, const struct library *l, int64_t files, int64_t bytes, int64_t reserved)
{
	int64_t taken;

	TRY(db_exec(c, EXEC("INSERT IGNORE INTO asset_bucket (id, files, bytes) VALUES (?, 0, 0)"),
	    ARGS(l->bucket_id), NULL));
	TRY(db_exec(c,
	    EXEC("UPDATE asset_bucket SET files = files + ?, bytes = bytes + ?,"
		 " reserved = reserved + ?"
		 " WHERE id = ? AND files < ? AND bytes + reserved + ? <= ?"),
	    ARGS(files, bytes, reserved, l->bucket_id, c->conf->max_library_files,
		bytes + reserved, c->conf->max_library_bytes),
	    &taken));
	if (taken)
		return E_OK;
	TRY(library_room(c, l, bytes + reserved));
	/* Another request has freed room meanwhile. */
	return fail(c, E_STORAGE_FULL, "%s; try again", err_table[E_STORAGE_FULL].text);
}

enum err
library_take(struct ctx *c, const struct library *l, int64_t bytes)
{
	return library_grow(c, l, 1, bytes, 0);
}

enum err
library_reserve(struct ctx *c, const struct library *l, int64_t bytes)
{
	if (bytes >= 0)
		return library_grow(c, l, 0, 0, bytes);
	return db_exec(c, EXEC("UPDATE asset_bucket SET reserved = reserved + ? WHERE id = ?"),
	    ARGS(bytes, l->bucket_id), NULL);
}

enum err
library_give_back(struct ctx *c, const char *bucket_id, int64_t files, int64_t bytes)
{
	return db_exec(c,
	    EXEC("UPDATE asset_bucket SET files = files - ?, bytes = bytes - ? WHERE id = ?"),
	    ARGS(files, bytes, bucket_id), NULL);
}

#define BUCKETS_AS_THEY_ARE \
	" (SELECT id, MAX(has_files) AS has_files, MAX(has_bytes) AS has_bytes," \
	" MAX(has_reserved) AS has_reserved, SUM(files) AS files, SUM(bytes) AS bytes," \
	" SUM(reserved) AS reserved FROM" \
	" (SELECT id, files AS has_files, bytes AS has_bytes, reserved AS has_reserved," \
	" 0 AS files, 0 AS bytes, 0 AS reserved FROM asset_bucket" \
	" UNION ALL SELECT bucket_id, NULL, NULL, NULL, COUNT(*), SUM(size_bytes), 0" \
	" FROM asset_blob GROUP BY bucket_id" \
	" UNION ALL SELECT bucket_id, NULL, NULL, NULL, 0, 0, SUM(total) FROM asset_upload" \
	" WHERE total IS NOT NULL GROUP BY bucket_id) all_of GROUP BY id) b" \
	" WHERE NOT (b.has_files <=> b.files AND b.has_bytes <=> b.bytes" \
	" AND b.has_reserved <=> b.reserved)"

enum err
library_check(struct ctx *c, struct miscount_list *out)
{
	return db_all(c,
	    ROWS(miscount,
		"SELECT b.id, COALESCE(b.has_bytes + b.has_reserved, 0) AS counted,"
		" CAST(b.bytes + b.reserved AS SIGNED) AS used"
		" FROM" BUCKETS_AS_THEY_ARE),
	    NOARGS, out);
}

enum err
library_recount(struct ctx *c, int64_t *mended)
{
	return db_exec(c,
	    EXEC("INSERT INTO asset_bucket (id, files, bytes, reserved)"
		 " SELECT b.id, b.files, b.bytes, b.reserved FROM" BUCKETS_AS_THEY_ARE
		 " ON DUPLICATE KEY UPDATE files = VALUES(files), bytes = VALUES(bytes),"
		 " reserved = VALUES(reserved)"),
	    NOARGS, mended);
}
