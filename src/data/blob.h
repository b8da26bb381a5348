/* SPDX-License-Identifier: Apache-2.0
 * Blobs: files in an artifact's data, added by its page, people, and programs, apart from
 * published files. A blob never changes. Source: interface, "Artifact data" and "Blob";
 * data/README.md. */
#ifndef VITRINE_BLOB_H
#define VITRINE_BLOB_H
#include "core/artifact.h"
#include "core/filename.h"
#include "store/spool.h"

#define BLOB(F, T) \
	F(T, ID,       id,         .arg = "blb_") \
	F(T, STR,      filename,   .eg = "\"photo.png\"") \
	F(T, STR,      mime_type,  .wire = "mimeType", \
		.doc = "Detected from its bytes and name, " \
		       "regardless of what the sender specified", .eg = "\"image/png\"") \
	F(T, INT,      size,       .doc = "Bytes") \
	F(T, URL,      url, \
		.doc = "Where to download it, on the host you sent the request to") \
	F(T, DATETIME, created_at, .wire = "createdAt") \
	F(T, STR,      sha256,     .flags = F_HID) \
	F(T, ID,       created_by, .flags = F_HID, .arg = "usr_") \
	F(T, INT,      total,      .flags = F_HID) \
	F(T, WORD,     kind,       .flags = F_HID, .arg = FILE_KINDS) \
	F(T, BOOL,     drawn,      .flags = F_HID) \
	F(T, BOOL,     may_delete, .flags = F_HID)
/* created_by is NULL if the person wasn't signed in. The caller fills url. kind, drawn (small, as
 * the picture that it is) and may_delete are for pages alone. */
SHAPE_DECLARE(blob, BLOB);

#define BLOB_PAGE(F, T) \
	F(T, LIST, blobs,    .sub = &blob_shape, .eg = "{}") \
	F(T, INT,  total,    .doc = "Total number of files") \
	F(T, BOOL, has_more, .wire = "hasMore")
SHAPE_DECLARE(blob_page, BLOB_PAGE);

#define BLOB_QUERY(F, T) \
	PAGE_LIMIT(F, T) \
	F(T, INT, offset, .lo = 0, .hi = 1000000000, .def = "0", .doc = "How many to skip")
SHAPE_DECLARE(blob_query, BLOB_QUERY);

/* number and total bytes of an artifact's blobs */
#define BLOB_USAGE(F, T) \
	F(T, INT, blobs) \
	F(T, INT, bytes)
SHAPE_DECLARE(blob_usage, BLOB_USAGE);

/* The bytes of a new blob: in `memory` if that isn't NULL, else in the span `bytes`. spooled:
 * path of a spooled body that consists of exactly these bytes, or NULL. */
struct blob_new {
	const char *filename;
	struct span bytes;
	const char *spooled;
	const char *memory;
};

/* E_DENIED: `who` may not add blobs. */
enum err blob_may_add(struct ctx *c, const struct artifact *a, const struct principal *who);
/* Refuses an upload early, by its least number of bytes. E_FILE_TOO_LARGE, or E_STORAGE_FULL if
 * the artifact has no room for it. */
enum err blob_room(struct ctx *c, const struct artifact *a, int64_t least_bytes);
/* Before the transaction: checks the name and size and makes the bytes durable. E_INVALID names
 * the field filename. */
enum err blob_store(struct ctx *c, const struct principal *who, const struct blob_new *in,
    struct blob **out);
/* In the transaction: inserts the row and, as the last statement, counts it. The statement
 * contains the limits, so they hold exactly under concurrency. E_STORAGE_FULL. */
enum err blob_record(struct ctx *c, const struct artifact *a, struct blob *b);
/* Like blob_record(), in place of blobs with the same filename by the same person. */
enum err blob_replace(struct ctx *c, const struct artifact *a, struct blob *b);
/* Lists blobs, newest first. Empty if `who` may not read them. */
enum err blob_list(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct blob_query *q, struct blob_page *out);
/* E_NOT_FOUND: no such blob, or `who` may not read it. */
enum err blob_get(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, struct blob **out);
/* Rights on blobs. Those whom the access_policy lets write may add blobs; editors among them may
 * delete any blob. People may always delete their own. */
struct blob_rights {
	bool add, delete_any;
	const char *user_id;
};
enum err blob_rights_find(struct ctx *c, const struct artifact *a, const struct principal *who,
    struct blob_rights *out);
bool blob_may_delete(const struct blob_rights *, const struct blob *);
enum err blob_delete(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id);
enum err blob_usage_get(struct ctx *c, const char *artifact_id, struct blob_usage *out);
/* Corrects the artifact's counts from its rows. *wrong: they were wrong. */
enum err blob_usage_mend(struct ctx *c, const char *artifact_id, bool *wrong);
#endif
