/* SPDX-License-Identifier: Apache-2.0
 * The files of an asset library. Loose files are only visible to the person who uploaded them.
 * Deliverables have a name, versions, and a folder, and are visible to their owner or to all of the
 * workspace. Source: interface, "Asset library"; assets/README.md. */
#ifndef VITRINE_ASSET_H
#define VITRINE_ASSET_H
#include "assets/library.h"
#include "base/principal.h"
#include "core/artifact.h"
#include "core/filename.h"

enum { LOOSE_AT_ONCE = 200, DELIVERABLES_MOST = 10000 };

#define ASSET_FILE(F, T) \
	F(T, STR,      filename,   .eg = "\"report.pdf\"") \
	F(T, STR,      mime_type,  .wire = "mimeType", \
		.doc = "Detected from its bytes and name, " \
		       "regardless of what the sender specified", .eg = "\"application/pdf\"") \
	F(T, INT,      size,       .doc = "Bytes") \
	F(T, STR,      sha256)

#define ASSET_BLOB(F, T) \
	F(T, ID,       id,         .arg = "blb_") \
	ASSET_FILE(F, T) \
	F(T, URL,      url,        .doc = "Where you can download it") \
	F(T, DATETIME, created_at, .wire = "createdAt") \
	F(T, WORD,     kind,       .flags = F_HID, .arg = FILE_KINDS, .doc = "For pages")
/* url is the caller's to fill. */
SHAPE_DECLARE(asset_blob, ASSET_BLOB);

#define ASSET_PERSON(F, T) \
	F(T, ID,    id,    .arg = "usr_") \
	F(T, STR,   name) \
	F(T, EMAIL, email, .flags = F_NUL, .doc = "null for an agent")
SHAPE_DECLARE(asset_person, ASSET_PERSON);
#define ASSET_PERSON_COLUMNS(table, as) \
	table ".id AS `" as ".id`, " table ".name AS `" as ".name`, " \
	table ".email AS `" as ".email`"

#define ASSET_VISIBILITY "private|workspace"
#define DELIVERABLE(F, T) \
	F(T, ID,       id,         .arg = "dlv_") \
	F(T, STR,      name,       .eg = "\"report.pdf\"") \
	F(T, WORD,     visibility, .arg = ASSET_VISIBILITY, \
		.doc = "private: its owner's alone, admins included; " \
		       "workspace: everyone in the workspace sees and changes it") \
	F(T, ID,       folder_id,  .wire = "folderId", .flags = F_NUL, .arg = "fld_") \
	F(T, INT,      version,    .doc = "The latest") \
	F(T, ID,       blob_id,    .wire = "blobId", .arg = "blb_") \
	ASSET_FILE(F, T) \
	F(T, URL,      url,        .doc = "The latest version's bytes") \
	F(T, OBJ,      owner,      .sub = &asset_person_shape) \
	F(T, DATETIME, created_at, .wire = "createdAt") \
	F(T, DATETIME, updated_at, .wire = "updatedAt") \
	SHOWN_FIELD(F, T) \
	F(T, ID,       workspace_id, .flags = F_HID, .arg = "wsp_") \
	F(T, BOOL,     previewed,  .flags = F_HID, .doc = "There is a picture of the latest") \
	F(T, BOOL,     by_grant,   .flags = F_HID, \
		.doc = "deliverable_open(): it is all they have") \
	F(T, WORD,     kind,       .flags = F_HID, .arg = FILE_KINDS, \
		.doc = "As what follows, for pages") \
	F(T, STR,      picture,    .flags = F_HID, .doc = "Path of what is drawn of it, or NULL") \
	F(T, INT,      links,      .flags = F_HID, .doc = "That show it") \
	F(T, STR,      lies_in,    .flags = F_HID, .doc = "Path of its folder, if it is shown")
SHAPE_DECLARE(deliverable, DELIVERABLE);

#define DELIVERABLE_VERSION(F, T) \
	F(T, INT,      version) \
	F(T, ID,       blob_id,    .wire = "blobId", .arg = "blb_") \
	ASSET_FILE(F, T) \
	F(T, DATETIME, created_at, .wire = "createdAt") \
	F(T, OBJ,      created_by, .wire = "createdBy", .flags = F_NUL, .sub = &asset_person_shape)
SHAPE_DECLARE(deliverable_version, DELIVERABLE_VERSION);

#define ASSET_BLOB_ID(F, T) \
	F(T, STR, blob_id, .wire = "blobId", .flags = F_REQ, .lo = 1, .hi = 40, \
		.doc = "A loose file of yours, or the tokenId of its upload")
#define DELIVERABLE_NEW(F, T) \
	ASSET_BLOB_ID(F, T) \
	F(T, STR,  name,       .lo = 1, .hi = FILENAME_BYTES, .doc = "Absent: the file's name") \
	F(T, WORD, visibility, .arg = ASSET_VISIBILITY, .doc = "Absent: private") \
	F(T, ID,   folder_id,  .wire = "folderId", .flags = F_NUL, .arg = "fld_")
SHAPE_DECLARE(deliverable_new, DELIVERABLE_NEW);
SHAPE_DECLARE(deliverable_next, ASSET_BLOB_ID);

#define FILE_ADDED_QUERY(F, T) \
	F(T, STR, filename, .lo = 1, .hi = FILENAME_BYTES, .doc = "Absent: the deliverable's name")
SHAPE_DECLARE(file_added_query, FILE_ADDED_QUERY);

/* Only people with whom it is shared may know of it. */
#define FILE_ADDED(F, T) \
	F(T, ID,       id,         .arg = "dlv_") \
	F(T, INT,      version,    .doc = "The one that was added") \
	ASSET_FILE(F, T) \
	F(T, URL,      url,        .doc = "The latest version's bytes")
SHAPE_DECLARE(file_added, FILE_ADDED);

#define DELIVERABLE_EDIT(F, T) \
	F(T, STR,  name,       .lo = 1, .hi = FILENAME_BYTES) \
	F(T, WORD, visibility, .arg = ASSET_VISIBILITY, .doc = "Only its owner can change it") \
	F(T, ID,   folder_id,  .wire = "folderId", .flags = F_NUL, .arg = "fld_", \
		.doc = "null: in no folder")
SHAPE_DECLARE(deliverable_edit, DELIVERABLE_EDIT);

#define ASSET_QUERY(F, T) \
	F(T, INT, limit,     .lo = 1, .hi = PAGE_MAX, .flags = F_CLAMP, \
		.doc = "Absent: all deliverables. Values above 200 are treated as 200") \
	F(T, STR, cursor,    .hi = 40) \
	F(T, STR, q,         .lo = 1, .hi = 100, .doc = "Part of the name") \
	F(T, STR, folder_id, .wire = "folderId", .lo = 1, .hi = 40, \
		.doc = "Only those in this folder; root: only those in none; absent: all") \
	F(T, WORD, kind,     .arg = FILE_KINDS, .doc = "By their types")
SHAPE_DECLARE(asset_query, ASSET_QUERY);

#define ASSETS(F, T) \
	F(T, LIST, deliverables, .sub = &deliverable_shape, .doc = "Newest first") \
	F(T, LIST, loose,        .sub = &asset_blob_shape, \
		.doc = "Your files that are no deliverable, newest first, 200 at most; " \
		       "only on the first page") \
	F(T, ID,   bucket_id,    .wire = "bucketId", .arg = "bkt_") \
	F(T, INT,  used_bytes,   .wire = "usedBytes") \
	F(T, INT,  limit_bytes,  .wire = "limitBytes") \
	F(T, INT,  file_count,   .wire = "fileCount") \
	F(T, INT,  file_limit,   .wire = "fileLimit") \
	F(T, STR,  next_cursor,  .flags = F_NUL)
SHAPE_DECLARE(assets, ASSETS);

/* SQL condition: the user, its parameter, is in the library of the row d. */
#define DELIVERABLE_IS_SEEN DELIVERABLE_IS_SEEN_BY("d", "?")
#define DELIVERABLE_IS_SEEN_BY(d, user) \
	"(" d ".owner_id = " user " OR " d ".visibility = 'workspace')"

#define ASSET_SUM(F, T) \
	F(T, INT, files) \
	F(T, INT, bytes)
SHAPE_DECLARE(asset_sum, ASSET_SUM);

/* Lists the part of the library that the caller sees. */
enum err asset_list(struct ctx *c, const struct library *, const struct principal *who,
    const struct asset_query *, struct assets *out);

/* Reads a loose file of the caller; E_NOT_FOUND for other people's. */
enum err asset_blob_get(struct ctx *c, const struct library *, const struct principal *who,
    const char *id, struct asset_blob **out);
enum err asset_blob_delete(struct ctx *c, const struct library *, const struct principal *who,
    const char *id);
/* Finds the file that an upload of the caller's brought, in any library, while it is in no
 * deliverable. E_NOT_FOUND. */
enum err asset_uploaded(struct ctx *c, const struct principal *who, const char *upload_id,
    struct asset_blob **out);

/* E_NOT_FOUND for what the caller doesn't see. lock: until the commit. */
enum err deliverable_get(struct ctx *c, const struct library *, const struct principal *who,
    const char *id, bool lock, struct deliverable **out);
/* Reads the deliverables with these ids that the caller sees, in their order; with `all`,
 * E_NOT_FOUND if one is missing. */
enum err deliverables_named(struct ctx *c, const struct library *, const struct principal *who,
    const struct strs *ids, bool all, struct deliverable_list *out);
/* Reads a deliverable of any library; E_DENIED if the caller doesn’t see it, as the interface
 * requires. */
enum err deliverable_open(
    struct ctx *c, const struct principal *who, const char *id, struct deliverable **out);
/* Reads a deliverable to add a version. E_NOT_FOUND if the caller doesn’t see it, E_DENIED if it is
 * shared with them for less. lock: holds it, and the grant that admits them, until the commit.
 * *outside: only a grant admits them. */
enum err deliverable_open_to_add(struct ctx *c, const struct principal *who, const char *id,
    bool lock, struct deliverable **out, bool *outside);
struct library deliverable_library(struct ctx *c, const struct deliverable *);
enum err deliverable_add(struct ctx *c, const struct library *, const struct principal *who,
    const struct deliverable_new *, const char **id);
enum err deliverable_add_version(struct ctx *c, const struct library *,
    const struct principal *who, const char *id, const struct deliverable_next *);
/* Also E_DENIED if the caller is neither the owner nor an admin, and the folder shows the file to
 * more outsiders (core/shown.h). */
enum err deliverable_change(struct ctx *c, const struct library *, const struct principal *who,
    const char *id, const struct deliverable_edit *);
/* Deletes all versions. */
enum err deliverable_delete(struct ctx *c, const struct library *, const struct principal *who,
    const char *id);
/* Newest first. */
enum err deliverable_versions(struct ctx *c, const struct deliverable *, const struct page_query *,
    struct deliverable_version_list *out, const char **next);
enum err deliverable_version_get(struct ctx *c, const struct deliverable *, int64_t version,
    struct deliverable_version **out);
#endif
