/* SPDX-License-Identifier: Apache-2.0 */
#include "assets/asset.h"

#include "assets/linkshow.h"
#include "base/id.h"
#include "base/str.h"
#include "base/unicode.h"
#include "core/audit.h"
#include "core/find.h"
#include "core/place.h"
#include "core/reach.h"
#include "core/workspace.h"
#include "db/ids.h"

SHAPE_DEFINE(asset_blob, ASSET_BLOB);
SHAPE_DEFINE(asset_person, ASSET_PERSON);
SHAPE_DEFINE(deliverable, DELIVERABLE);
SHAPE_DEFINE(deliverable_version, DELIVERABLE_VERSION);
SHAPE_DEFINE(deliverable_new, DELIVERABLE_NEW);
SHAPE_DEFINE(deliverable_next, ASSET_BLOB_ID);
SHAPE_DEFINE(file_added_query, FILE_ADDED_QUERY);
SHAPE_DEFINE(file_added, FILE_ADDED);
SHAPE_DEFINE(deliverable_edit, DELIVERABLE_EDIT);
SHAPE_DEFINE(asset_query, ASSET_QUERY);
SHAPE_DEFINE(assets, ASSETS);
SHAPE_DEFINE(asset_sum, ASSET_SUM);

/* ---- loose files ---- */

#define FILE_COLUMNS "b.filename, b.mime AS mime_type, b.size_bytes AS size, b.sha256"

enum err
asset_blob_get(struct ctx *c, const struct library *l, const struct principal *who, const char *id,
    struct asset_blob **out)
{
	return db_one(c,
	    ROWS(asset_blob,
		"SELECT b.id, " FILE_COLUMNS ", b.created_at"
		" FROM asset_blob b"
		" WHERE b.bucket_id = ? AND b.deliverable_id IS NULL AND b.user_id = ?"
		" AND b.id = ?"),
	    ARGS(l->bucket_id, who->user_id, id), out);
}

enum err
asset_blob_delete(
    struct ctx *c, const struct library *l, const struct principal *who, const char *id)
{
	struct asset_blob *b;

	TRY(asset_blob_get(c, l, who, id, &b));
	TRY(db_exec1(c, EXEC("DELETE FROM asset_blob WHERE id = ? AND deliverable_id IS NULL"),
	    ARGS(id)));
	return library_give_back(c, l->bucket_id, 1, b->size);
}

enum err
asset_uploaded(struct ctx *c, const struct principal *who, const char *upload_id,
    struct asset_blob **out)
{
	return db_one(c,
	    ROWS(asset_blob,
		"SELECT b.id, " FILE_COLUMNS ", b.created_at FROM asset_upload p"
		" JOIN asset_blob b ON b.id = p.blob_id AND b.deliverable_id IS NULL"
		" LEFT JOIN workspace w ON w.id = p.workspace_id"
		" WHERE p.id = ? AND p.user_id = ? AND NOT " AGENT_BARRED("w", "?")),
	    ARGS(upload_id, who->user_id, AGENT_ARGS(who)), out);
}

/* Moves a loose file into a deliverable. `named` is the id of the file or of its upload. */
static enum err
blob_attach(struct ctx *c, const struct library *l, const struct principal *who,
    const char *deliverable_id, const char *named, struct asset_blob **out)
{
	TRY(db_find(c,
	    ROWS(asset_blob,
		"SELECT b.id, " FILE_COLUMNS ", b.created_at"
		" FROM asset_blob b"
		" WHERE b.bucket_id = ? AND b.deliverable_id IS NULL AND b.user_id = ?"
		" AND b.id = COALESCE((SELECT p.blob_id FROM asset_upload p"
		" WHERE p.id = ? AND p.user_id = ?), ?) FOR UPDATE"),
	    ARGS(l->bucket_id, who->user_id, named, who->user_id, named), out));
	if (!*out)
		return fail(c, E_NOT_FOUND,
		    "blobId: you have no such file here that isn't in a deliverable yet");
	return db_exec1(c, EXEC("UPDATE asset_blob SET deliverable_id = ? WHERE id = ?"),
	    ARGS(deliverable_id, (*out)->id));
}

/* ---- deliverables: reading ---- */

#define NO_FOLDERS "folderId: your own library has no folders"

static bool
is_owner(const struct principal *who, const struct deliverable *d)
{
	const struct asset_person *owner = d->owner;

	return str_eq(owner->id, who->user_id);
}

#define DELIVERABLE_SELECT_AND(more) \
	"SELECT d.id, d.name, d.visibility, d.folder_id, d.version, d.blob_id, " FILE_COLUMNS \
	", " ASSET_PERSON_COLUMNS("u", "owner") ", d.created_at, d.updated_at, d.workspace_id" \
	more " FROM deliverable d" \
	" JOIN asset_blob b ON b.id = d.blob_id JOIN user u ON u.id = d.owner_id"
#define DELIVERABLE_SELECT DELIVERABLE_SELECT_AND("")

enum err
asset_list(struct ctx *c, const struct library *l, const struct principal *who,
    const struct asset_query *q, struct assets *out)
{
	int64_t limit = q->has.limit == GIVEN ? q->limit : DELIVERABLES_MOST;
	const char *part = q->q ? unicode_nfc(c->mem, q->q) : NULL,
		   *types = q->kind ? file_kind_types(c->mem, q->kind) : NULL, *folder = NULL;
	struct library_usage usage;

	if (q->folder_id && !l->workspace_id)
		return fail(c, E_INVALID, NO_FOLDERS);
	if (q->folder_id)
		TRY(place_named(c, l->workspace_id, "folderId", q->folder_id, &folder));
	TRY(library_usage_get(c, l, &usage));
	*out = (struct assets){ .bucket_id = l->bucket_id,
		.used_bytes = usage.bytes,
		.limit_bytes = c->conf->max_library_bytes,
		.file_count = usage.files,
		.file_limit = c->conf->max_library_files };
	/* A list of all files leaves out the details that a page of one file shows. */
	TRY(db_part(c,
	    ROWS(deliverable,
		DELIVERABLE_SELECT_AND(", ? AND EXISTS (SELECT 1 FROM asset_preview p"
		" WHERE p.input_sha256 = b.sha256 AND p.sha256 IS NOT NULL) AS previewed")
		" WHERE d.bucket_id = ? AND d.id < ? AND " DELIVERABLE_IS_SEEN
		" AND (? IS NULL OR d.folder_id <=> ?) AND (? IS NULL OR"
		" LOCATE(LOWER(?), LOWER(d.name))) AND (? IS NULL OR b.mime REGEXP ?)"
		" ORDER BY d.id DESC LIMIT ?"),
	    ARGS(q->has.limit == GIVEN, l->bucket_id, arg_before(q->cursor, "dlv_"),
		who->user_id, q->folder_id, folder, part, part, types, types),
	    limit, &out->deliverables, &out->next_cursor,
	    ((const struct deliverable *)last)->id));
	if (q->cursor)
		return E_OK;
	return db_all(c,
	    ROWS(asset_blob,
		"SELECT b.id, " FILE_COLUMNS ", b.created_at"
		" FROM asset_blob b"
		" WHERE b.bucket_id = ? AND b.deliverable_id IS NULL AND b.user_id = ?"
		" ORDER BY b.id DESC LIMIT ?"),
	    ARGS(l->bucket_id, who->user_id, LOOSE_AT_ONCE), &out->loose);
}

enum err
deliverable_get(struct ctx *c, const struct library *l, const struct principal *who,
    const char *id, bool lock, struct deliverable **out)
{
	if (lock)
		return db_one(c,
		    ROWS(deliverable,
			DELIVERABLE_SELECT
			" WHERE d.id = ? AND d.bucket_id = ? AND " DELIVERABLE_IS_SEEN
			" FOR UPDATE"),
		    ARGS(id, l->bucket_id, who->user_id), out);
	return db_one(c,
	    ROWS(deliverable,
		DELIVERABLE_SELECT_AND(", EXISTS (SELECT 1 FROM asset_preview p"
		" WHERE p.input_sha256 = b.sha256 AND p.sha256 IS NOT NULL) AS previewed")
		" WHERE d.id = ? AND d.bucket_id = ? AND " DELIVERABLE_IS_SEEN),
	    ARGS(id, l->bucket_id, who->user_id), out);
}

static const struct deliverable *
deliverable_among(const struct deliverable_list *files, const char *id)
{
	for (size_t i = 0; i < files->n; i++)
		if (str_eq(files->v[i].id, id))
			return &files->v[i];
	return NULL;
}

enum err
deliverables_named(struct ctx *c, const struct library *l, const struct principal *who,
    const struct strs *ids, bool all, struct deliverable_list *out)
{
	struct deliverable_list seen;

	*out = (struct deliverable_list){ mem_array(c->mem, struct deliverable, ids->n + 1), 0 };
	TRY(db_all(c,
	    ROWS(deliverable,
		DELIVERABLE_SELECT " JOIN " ID_TABLE " ON t.id = d.id"
		" WHERE d.bucket_id = ? AND " DELIVERABLE_IS_SEEN),
	    ARGS(ids_json(c, ids->v, ids->n), l->bucket_id, who->user_id), &seen));
	for (size_t i = 0; i < ids->n; i++) {
		const struct deliverable *d = deliverable_among(&seen, ids->v[i]);

		if (!d && all)
			return fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
		if (d)
			out->v[out->n++] = *d;
	}
	return E_OK;
}

enum err
deliverable_open(
    struct ctx *c, const struct principal *who, const char *id, struct deliverable **out)
{
	struct workspace *w;
	struct rights shared = { 0 };
	struct deliverable *d;
	enum err e = E_OK;
	bool may;

	TRY(db_one(c, ROWS(deliverable, DELIVERABLE_SELECT " WHERE d.id = ?"), ARGS(id), &d));
	may = is_owner(who, d) || str_eq(d->visibility, "workspace");
	if (may && d->workspace_id)
		e = workspace_get(c, d->workspace_id, who, false, &w);
	if (e == E_DENIED)
		return e;
	if (d->workspace_id)
		may = may && !e;
	else
		may = may && !principal_workspace(who) && !who->grants_only;
	if (!may)
		TRY(reach_file(c, who, d->id, &shared));
	if (!may && !shared.view)
		return fail(c, E_DENIED, "You don't have access to this file");
	d->by_grant = !may;
	*out = d;
	return ctx_forgive(c);
}

struct library
deliverable_library(struct ctx *c, const struct deliverable *d)
{
	const struct asset_person *owner = d->owner;

	return library_of(
	    c, d->workspace_id ? &(struct workspace){ .id = d->workspace_id } : NULL, owner->id);
}

static enum err
deliverable_check_add(struct ctx *c, const struct principal *who, const char *id, bool lock,
    struct deliverable **out, bool *outside)
{
	struct workspace *w;
	struct rights by;
	bool gone;

	TRY(reach_file(c, who, id, &by));
	*outside = by.edit;
	if (by.edit)
		return db_one(
		    c, ROWS(deliverable, DELIVERABLE_SELECT " WHERE d.id = ?"), ARGS(id), out);
	if (by.view)
		return fail(c, E_DENIED,
		    "This file was shared with you to open it, not to add versions; "
		    "ask the person who shared it");
	/* People of the library may add; the workspace's policy on agents applies. */
	TRY(db_one(c,
	    ROWS(deliverable, DELIVERABLE_SELECT " WHERE d.id = ? AND " DELIVERABLE_IS_SEEN),
	    ARGS(id, who->user_id), out));
	if ((*out)->workspace_id) {
		TRY(workspace_get(c, (*out)->workspace_id, who, lock, &w));
		gone = w->deleted_at != 0;
		TRY(agent_changes(c, who, w->agent_bound));
	} else {
		gone = who->workspace_id || who->grants_only;
	}
	return gone ? fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text) : E_OK;
}

enum err
deliverable_open_to_add(struct ctx *c, const struct principal *who, const char *id, bool lock,
    struct deliverable **out, bool *outside)
{
	TRY(deliverable_check_add(c, who, id, lock, out, outside));
	if (!lock || !*outside)
		return E_OK;
	/* A grant can end while its workspace’s row isn't locked. */
	TRY(workspace_hold(c, (*out)->workspace_id));
	return deliverable_check_add(c, who, id, true, out, outside);
}

#define VERSION_COLUMNS \
	"v.version, v.blob_id, " FILE_COLUMNS ", v.created_at, " \
	ASSET_PERSON_COLUMNS("u", "created_by")

enum err
deliverable_version_get(struct ctx *c, const struct deliverable *d, int64_t version,
    struct deliverable_version **out)
{
	return db_one(c,
	    ROWS(deliverable_version,
		"SELECT " VERSION_COLUMNS
		" FROM deliverable_version v JOIN asset_blob b ON b.id = v.blob_id"
		" LEFT JOIN user u ON u.id = v.created_by WHERE v.deliverable_id = ?"
		" AND v.version = ?"),
	    ARGS(d->id, version), out);
}

enum err
deliverable_versions(struct ctx *c, const struct deliverable *d, const struct page_query *q,
    struct deliverable_version_list *out, const char **next)
{
	int64_t before = INT32_MAX;

	if (q->cursor && !str_int(q->cursor, &before))
		return fail_cursor(c);
	return db_part(c,
	    ROWS(deliverable_version,
		"SELECT " VERSION_COLUMNS
		" FROM deliverable_version v JOIN asset_blob b ON b.id = v.blob_id"
		" LEFT JOIN user u ON u.id = v.created_by WHERE v.deliverable_id = ?"
		" AND v.version < ? ORDER BY v.version DESC LIMIT ?"),
	    ARGS(d->id, before), q->limit, out, next,
	    mem_printf(c->mem, "%lld", (long long)last->version));
}

/* ---- changing ---- */

static enum err
deliverable_audit(struct ctx *c, const struct deliverable *d, const struct principal *who,
    const char *action, const char *before, const char *after)
{
	return !d->workspace_id ? E_OK
				: audit_add(c, d->workspace_id, who,
				      &(struct audit){ action, "deliverable", d->id, d->name,
					  before, after });
}

static enum err
name_check(struct ctx *c, const char *name, const char **out)
{
	*out = unicode_nfc(c->mem, name);
	return filename_check(c, "name", *out);
}

/* A person's own library has no folders and no other people. */
static enum err
place_check(struct ctx *c, const struct library *l, const char *visibility, const char *folder_id)
{
	if (l->workspace_id)
		return folder_id ? place_exists(c, l->workspace_id, "folderId", folder_id) : E_OK;
	if (folder_id)
		return fail(c, E_INVALID, NO_FOLDERS);
	if (str_eq(visibility, "workspace"))
		return fail(c, E_INVALID,
		    "visibility: nobody else is in your own library, so it can only be private");
	return E_OK;
}

static enum err
version_add(struct ctx *c, const struct principal *who, const char *id, int64_t version,
    const char *blob_id)
{
	return db_exec(c,
	    EXEC("INSERT INTO deliverable_version"
		 " (deliverable_id, version, blob_id, created_by, created_at)"
		 " VALUES (?, ?, ?, ?, ?)"),
	    ARGS(id, version, blob_id, who->user_id, c->now), NULL);
}

enum err
deliverable_add(struct ctx *c, const struct library *l, const struct principal *who,
    const struct deliverable_new *in, const char **id)
{
	struct asset_blob *b;
	const char *name;

	TRY(place_check(c, l, in->visibility, in->folder_id));
	*id = id_new(c->mem, "dlv_");
	TRY(blob_attach(c, l, who, *id, in->blob_id, &b));
	TRY(name_check(c, in->name ? in->name : b->filename, &name));
	TRY(db_exec(c,
	    EXEC("INSERT INTO deliverable (id, bucket_id, workspace_id, owner_id, folder_id, name,"
		 " visibility, version, blob_id, created_at, updated_at)"
		 " VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?)"),
	    ARGS(*id, l->bucket_id, l->workspace_id, who->user_id, in->folder_id, name,
		in->visibility ? in->visibility : "private", b->id, c->now, c->now),
	    NULL));
	TRY(find_changed(c, FIND_FILE, *id));
	return version_add(c, who, *id, 1, b->id);
}

enum err
deliverable_add_version(struct ctx *c, const struct library *l, const struct principal *who,
    const char *id, const struct deliverable_next *in)
{
	struct deliverable *d;
	struct asset_blob *b;

	TRY(deliverable_get(c, l, who, id, true, &d));
	TRY(blob_attach(c, l, who, id, in->blob_id, &b));
	TRY(version_add(c, who, id, d->version + 1, b->id));
	TRY(links_of_file_follow(c, id));
	return db_exec1(c,
	    EXEC("UPDATE deliverable SET version = version + 1, blob_id = ?, updated_at = ?"
		 " WHERE id = ?"),
	    ARGS(b->id, c->now, id));
}

/* Checks the right to move a file into a folder that shows it to more outsiders (core/shown.h). */
static enum err
deliverable_move_check(struct ctx *c, const struct library *l, const struct principal *who,
    const struct deliverable *d, const char *folder_id)
{
	struct workspace *w;

	if (!l->workspace_id || !folder_id || is_owner(who, d) || str_eq(folder_id, d->folder_id))
		return E_OK;
	TRY(workspace_get(c, l->workspace_id, who, false, &w));
	return shown_move(c, d->folder_id, folder_id, "folderId",
	    member_rank(w->role) >= MEMBER_ADMIN, "the file's owner and the workspace's admins");
}

enum err
deliverable_change(struct ctx *c, const struct library *l, const struct principal *who,
    const char *id, const struct deliverable_edit *in)
{
	const char *name = NULL;
	struct deliverable *d;

	TRY(deliverable_get(c, l, who, id, true, &d));
	TRY(place_check(c, l, in->visibility, in->folder_id));
	TRY(deliverable_move_check(c, l, who, d, in->folder_id));
	if (in->name)
		TRY(name_check(c, in->name, &name));
	if (in->visibility && !str_eq(in->visibility, d->visibility)) {
		if (!is_owner(who, d))
			return fail(c, E_DENIED, "visibility: only the file's owner can change it");
		TRY(deliverable_audit(c, d, who, "deliverable.visibility",
		    audit_facts(c, "visibility", d->visibility),
		    audit_facts(c, "visibility", in->visibility)));
	}
	if (in->name || in->visibility)
		TRY(links_of_file_follow(c, id));
	TRY(db_exec1(c,
	    EXEC("UPDATE deliverable SET name = COALESCE(?, name),"
		 " visibility = COALESCE(?, visibility), folder_id = IF(?, ?, folder_id),"
		 " updated_at = ? WHERE id = ?"),
	    ARGS(name, in->visibility, in->has.folder_id != ABSENT, in->folder_id, c->now, id)));
	return in->name || in->visibility ? find_changed(c, FIND_FILE, id) : E_OK;
}

enum err
deliverable_delete(
    struct ctx *c, const struct library *l, const struct principal *who, const char *id)
{
	struct deliverable *d;
	struct asset_sum *sum;

	TRY(deliverable_get(c, l, who, id, true, &d));
	TRY(db_one(c,
	    ROWS(asset_sum,
		"SELECT COUNT(*) AS files, CAST(SUM(size_bytes) AS SIGNED) AS bytes"
		" FROM asset_blob WHERE deliverable_id = ?"),
	    ARGS(id), &sum));
	TRY(links_of_file_follow(c, id));
	TRY(db_exec1(c, EXEC("DELETE FROM deliverable WHERE id = ?"), ARGS(id)));
	TRY(db_exec(c, EXEC("DELETE FROM asset_blob WHERE deliverable_id = ?"), ARGS(id), NULL));
	TRY(follow(c, FILE_DELETED, &(struct happened){ .file_id = id }));
	TRY(find_changed(c, FIND_FILE, id));
	TRY(deliverable_audit(c, d, who, "deliverable.deleted",
	    audit_facts(c, "visibility|versions", d->visibility, d->version), NULL));
	return library_give_back(c, l->bucket_id, sum->files, sum->bytes);
}

/* ---- when other things change ---- */

/* Has the owner's files indexed anew: of a workspace, or (NULL) of all and their own. */
static enum err
files_found_later(struct ctx *c, const char *owner_id, const char *workspace_id)
{
	return db_exec(c,
	    EXEC(FIND_LATER "SELECT ?, d.id FROM deliverable d WHERE d.owner_id = ?"
		 " AND COALESCE(d.workspace_id = ?, ? IS NULL)"),
	    ARGS(FIND_FILE, owner_id, workspace_id, workspace_id), NULL);
}

static enum err
member_left(struct ctx *c, const struct happened *h)
{
	TRY(files_found_later(c, h->user_id, h->workspace_id));
	TRY(db_exec(c,
	    EXEC("UPDATE deliverable SET owner_id = ? WHERE owner_id = ? AND workspace_id = ?"),
	    ARGS(h->heir_id, h->user_id, h->workspace_id), NULL));
	return db_exec(c,
	    EXEC("UPDATE asset_blob SET user_id = ? WHERE user_id = ? AND workspace_id = ?"),
	    ARGS(h->heir_id, h->user_id, h->workspace_id), NULL);
}

enum { PIECE = 500 };

static enum err
workspace_purged(struct ctx *c, const struct happened *h)
{
	struct library l = library_of(c, &(struct workspace){ .id = h->workspace_id }, NULL);
	int64_t files, blobs;

	TRY(db_exec(c, EXEC(FIND_LATER "SELECT ?, id FROM deliverable WHERE bucket_id = ?"),
	    ARGS(FIND_FILE, l.bucket_id), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM deliverable WHERE bucket_id = ? LIMIT ?"),
	    ARGS(l.bucket_id, PIECE), &files));
	TRY(db_exec(c, EXEC("DELETE FROM asset_blob WHERE bucket_id = ? LIMIT ?"),
	    ARGS(l.bucket_id, PIECE), &blobs));
	if (files == PIECE || blobs == PIECE) {
		*h->more = true;
		return E_OK;
	}
	return db_exec(
	    c, EXEC("DELETE FROM asset_bucket WHERE id = ?"), ARGS(l.bucket_id), NULL);
}

static enum err
user_merged(struct ctx *c, const struct happened *h)
{
	struct library from = library_of(c, NULL, h->from_id);
	struct library to = library_of(c, NULL, h->user_id);

	TRY(files_found_later(c, h->from_id, NULL));
	TRY(db_exec(c,
	    EXEC("UPDATE deliverable SET owner_id = ?, bucket_id = IF(bucket_id = ?, ?, bucket_id)"
		 " WHERE owner_id = ?"),
	    ARGS(h->user_id, from.bucket_id, to.bucket_id, h->from_id), NULL));
	TRY(db_exec(c,
	    EXEC("UPDATE asset_blob SET user_id = ?, bucket_id = IF(bucket_id = ?, ?, bucket_id)"
		 " WHERE user_id = ?"),
	    ARGS(h->user_id, from.bucket_id, to.bucket_id, h->from_id), NULL));
	TRY(db_exec(c, EXEC("UPDATE deliverable_version SET created_by = ? WHERE created_by = ?"),
	    ARGS(h->user_id, h->from_id), NULL));
	/* The sum may exceed the maximum: nothing is lost, and nothing more fits in. */
	TRY(db_exec(c,
	    EXEC("INSERT INTO asset_bucket (id, files, bytes, reserved)"
		 " SELECT ?, b.files, b.bytes, b.reserved FROM asset_bucket b WHERE b.id = ?"
		 " ON DUPLICATE KEY UPDATE files = asset_bucket.files + VALUES(files),"
		 " bytes = asset_bucket.bytes + VALUES(bytes),"
		 " reserved = asset_bucket.reserved + VALUES(reserved)"),
	    ARGS(to.bucket_id, from.bucket_id), NULL));
	return db_exec(
	    c, EXEC("DELETE FROM asset_bucket WHERE id = ?"), ARGS(from.bucket_id), NULL);
}

static enum err
user_deleted(struct ctx *c, const struct happened *h)
{
	struct library own = library_of(c, NULL, h->user_id);

	TRY(files_found_later(c, h->user_id, NULL));
	/* The account's files in workspaces go to the owners of these. */
	TRY(db_exec(c,
	    EXEC("UPDATE deliverable d JOIN member m ON m.workspace_id = d.workspace_id"
		 " AND m.role = 'owner' SET d.owner_id = m.user_id WHERE d.owner_id = ?"),
	    ARGS(h->user_id), NULL));
	TRY(db_exec(c,
	    EXEC("UPDATE asset_blob b JOIN member m ON m.workspace_id = b.workspace_id"
		 " AND m.role = 'owner' SET b.user_id = m.user_id WHERE b.user_id = ?"),
	    ARGS(h->user_id), NULL));
	TRY(db_exec(
	    c, EXEC("DELETE FROM deliverable WHERE owner_id = ?"), ARGS(h->user_id), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM asset_blob WHERE user_id = ?"), ARGS(h->user_id), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM asset_bucket WHERE id = ?"), ARGS(own.bucket_id), NULL));
	return db_exec(c,
	    EXEC("UPDATE deliverable_version SET created_by = NULL WHERE created_by = ?"),
	    ARGS(h->user_id), NULL);
}

/* Counts the files of all members: each keeps its folder from being empty. */
static enum err
folder_empty(struct ctx *c, const struct happened *h)
{
	struct asset_sum *sum;

	TRY(db_one(c,
	    ROWS(asset_sum,
		"SELECT COUNT(*) AS files FROM " ID_TABLE
		" STRAIGHT_JOIN deliverable d FORCE INDEX (deliverable_folder)"
		" ON d.folder_id = t.id"),
	    ARGS(h->folder_ids), &sum));
	*h->files += sum->files;
	return E_OK;
}

static enum err
folder_deleted(struct ctx *c, const struct happened *h)
{
	int64_t moved;

	TRY(db_exec(c,
	    EXEC("UPDATE " ID_TABLE
		 " STRAIGHT_JOIN deliverable d FORCE INDEX (deliverable_folder)"
		 " ON d.folder_id = t.id SET d.folder_id = ? LIMIT ?"),
	    ARGS(h->folder_ids, h->parent_id, FOLDER_PIECE), &moved));
	*h->more |= moved == FOLDER_PIECE;
	return E_OK;
}

FOLLOWS(asset, { MEMBER_LEFT, member_left }, { WORKSPACE_PURGED, workspace_purged },
    { USER_MERGED, user_merged }, { USER_DELETED, user_deleted },
    { FOLDER_EMPTY, folder_empty }, { FOLDER_DELETED, folder_deleted });

/* ---- how it is found ---- */

/* Members find files that they may see in a workspace's library, owners those in their own. */
static enum err
asset_found(struct ctx *c, const struct find_asked *asked, struct found_list *out)
{
	return find_rows(c,
	    ROWS(found,
		"SELECT a.id AS `key`, a.id, a.name AS title, IF(wk.id IS NULL, 'Your own library',"
		" CONCAT_WS(' / ', wk.name, IF(p.parent_id IS NULL, NULL, '…'), p.name))"
		" AS subtitle,"
		" CONCAT(COALESCE(CONCAT('/w/', wk.id), ''), '/library/', a.id) AS url,"
		" a.workspace_id, a.owner_id = s.user_id AS own, a.updated_at"
		" FROM " FIND_ASKED " STRAIGHT_JOIN deliverable a ON a.id = t.id"
		MEMBER_TABLES("s.user_id") " LEFT JOIN folder p ON p.id = a.folder_id"
		" WHERE " FIND_WITHIN("a.workspace_id") " AND IF(a.workspace_id IS NULL,"
		" NOT s.grants_only AND COALESCE(s.workspace_id = '', TRUE)"
		" AND a.owner_id = s.user_id, "
		WORKSPACE_ROLE_COLUMN " IS NOT NULL AND "
		DELIVERABLE_IS_SEEN_BY("a", "s.user_id") ")"),
	    asked, out);
}

FINDS(asset, FIND_FILE, "files", DATA_READ, asset_found,
    .text = ROWS(find_text,
	"SELECT d.id, IF(d.visibility = 'workspace', d.workspace_id, d.owner_id) AS audiences,"
	" d.name FROM " ID_TABLE " STRAIGHT_JOIN deliverable d ON d.id = t.id"),
    .all = FIND_ALL("deliverable"));
