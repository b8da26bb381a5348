/* SPDX-License-Identifier: Apache-2.0
 * Blobs: files among an artifact's data, which its page, its people and programs add, apart from
 * what is published. A blob never changes. Source: interface, "Artifact data" and "Blob";
 * data/README.md. */
#ifndef VITRINE_BLOB_H
#define VITRINE_BLOB_H
#include "core/artifact.h"
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
	F(T, INT,      total,      .flags = F_HID)
/* created_by is NULL for one of somebody who was not signed in. url is the caller's to fill. */
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

/* How many an artifact has, and their bytes. */
#define BLOB_USAGE(F, T) \
	F(T, INT, blobs) \
	F(T, INT, bytes)
SHAPE_DECLARE(blob_usage, BLOB_USAGE);

/* What is sent; spooled is the path of a spooled body that is nothing but its bytes, else NULL.
 * memory, when it is not NULL, has the bytes.n bytes instead. */
struct blob_new {
	const char *filename;
	struct span bytes;
	const char *spooled;
	const char *memory;
};

/* E_DENIED for who may not add blobs. */
enum err blob_may_add(struct ctx *c, const struct artifact *a, const struct principal *who);
/* Refuses what need not be sent at all, since it has so many bytes at least that it is too large
 * (E_FILE_TOO_LARGE) or has no room beside the others (E_STORAGE_FULL). */
enum err blob_room(struct ctx *c, const struct artifact *a, int64_t least_bytes);
/* Before the transaction: checks, and makes the bytes durable. E_INVALID names filename. */
enum err blob_store(struct ctx *c, const struct principal *who, const struct blob_new *in,
    struct blob **out);
/* In it: the row. The artifact's count and bytes change last, by one statement that its limits
 * stand in, so they hold exactly whatever happens at the same time. E_STORAGE_FULL. */
enum err blob_record(struct ctx *c, const struct artifact *a, struct blob *b);
/* The same in place of those of its filename that the same person has added. */
enum err blob_replace(struct ctx *c, const struct artifact *a, struct blob *b);
/* Newest first. Empty for who may not read them. */
enum err blob_list(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct blob_query *q, struct blob_page *out);
/* E_NOT_FOUND also for who may not read it. */
enum err blob_get(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, struct blob **out);
/* What somebody may do: add blobs, whom the access_policy lets write; delete them, editors whom it
 * lets, and whoever has added one that one. */
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
/* Makes an artifact's count and bytes what its rows say; *wrong: they were not. */
enum err blob_usage_mend(struct ctx *c, const char *artifact_id, bool *wrong);
#endif
