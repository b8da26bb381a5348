/* SPDX-License-Identifier: Apache-2.0
 * An upload: an address that accepts a person's bytes once without a credential, so that a browser
 * or a program can send them. Source: interface, "Asset library"; assets/README.md. */
#ifndef VITRINE_UPLOAD_H
#define VITRINE_UPLOAD_H
#include "assets/asset.h"
#include "store/pieces.h"

#define UPLOAD_SECRET "upt_"
enum { UPLOAD_HOURS = 6, UPLOADS_OPEN = 100 };

#define UPLOAD_NEW(F, T) \
	F(T, STR, filename,  .lo = 1, .hi = FILENAME_BYTES, .doc = "Absent: file") \
	F(T, STR, mime_type, .wire = "mimeType", .hi = 255, \
		.doc = "Accepted for convenience; the type is detected from the bytes") \
	F(T, INT, size,      .lo = 0, .hi = INT64_MAX, .doc = "What is sent must have this size") \
	F(T, STR, sha256,    .lo = 64, .hi = 64, .doc = "What is sent must have this digest")
SHAPE_DECLARE(upload_new, UPLOAD_NEW);

#define UPLOAD_MADE(F, T) \
	F(T, URL,      upload_url, .wire = "uploadUrl", \
		.doc = "Send the file's bytes here with PUT; no token is needed, " \
		       "so treat the address as a secret") \
	F(T, ID,       token_id,   .wire = "tokenId", .arg = "upl_", \
		.doc = "Once the bytes are there, accepted in place of a blobId") \
	F(T, DATETIME, expires_at, .wire = "expiresAt")
SHAPE_DECLARE(upload_made, UPLOAD_MADE);

#define UPLOAD_DONE(F, T) \
	F(T, ID,  token_id, .wire = "tokenId", .arg = "upl_") \
	F(T, INT, received, .doc = "Bytes; where the next piece begins, if there is one") \
	F(T, ID,  blob_id,  .wire = "blobId", .flags = F_OPT, .arg = "blb_", \
		.doc = "Absent: more is to come") \
	F(T, OBJ, blob,     .flags = F_OPT, .sub = &asset_blob_shape)
SHAPE_DECLARE(upload_done, UPLOAD_DONE);

#define UPLOAD(F, T) \
	F(T, ID,   id,           .arg = "upl_") \
	F(T, ID,   bucket_id,    .arg = "bkt_") \
	F(T, ID,   workspace_id, .arg = "wsp_") \
	F(T, ID,   user_id,      .arg = "usr_") \
	F(T, STR,  filename) \
	F(T, INT,  size_bytes) \
	F(T, STR,  sha256) \
	F(T, ID,   blob_id,      .arg = "blb_") \
	F(T, INT,  total,        .flags = F_NUL) \
	F(T, INT,  received) \
	F(T, TIME, expires_at)
SHAPE_DECLARE(upload, UPLOAD);

#define UPLOAD_STATE(F, T) \
	F(T, WORD, state,    .arg = "open|done") \
	F(T, INT,  received, .doc = "Bytes; where the next piece begins") \
	F(T, INT,  total,    .flags = F_NUL, .doc = "null: no piece is there") \
	F(T, ID,   blob_id,  .wire = "blobId", .flags = F_NUL, .arg = "blb_") \
	F(T, ID,   token_id, .wire = "tokenId", .arg = "upl_") \
	F(T, DATETIME, expires_at, .wire = "expiresAt")
SHAPE_DECLARE(upload_state, UPLOAD_STATE);

/* E_LIMIT_REACHED; and what library_room() says of the announced size. */
enum err upload_make(struct ctx *c, const struct library *, const struct principal *who,
    const struct upload_new *, struct upload_made *out);
/* Finds an upload by its secret. E_NOT_FOUND if it has expired, its maker may no longer add to the
 * library, or `who` (NULL: unknown) isn't its maker; E_CONFLICT if it has its bytes. */
enum err upload_find(
    struct ctx *c, const char *secret, const struct principal *who, struct upload **out);
/* Before the transaction: stores the bytes durably. E_INVALID if they differ from the
 * announcement. */
enum err upload_store(struct ctx *c, const struct upload *, const struct span *bytes,
    const char *spooled, struct asset_blob **out);
/* Receives a piece. The bytes are synced, and the upload is this request’s alone until c->mem is
 * freed. *out stays NULL before the last piece. E_CONFLICT, with the expected offset in details,
 * for a piece that begins elsewhere; E_INVALID. */
enum err upload_store_piece(struct ctx *c, const struct upload *, const struct piece_place *,
    const struct span *bytes, struct asset_blob **out);
/* In the transaction: records the received bytes; the first piece reserves room for all. */
enum err upload_advance(
    struct ctx *c, const struct upload *, const struct piece_place *, int64_t n);
/* In the transaction: inserts the rows. */
enum err upload_finish(struct ctx *c, const struct upload *, const struct asset_blob *);
/* Inserts the row for bytes that were stored without an upload address. The caller does
 * library_take(). */
enum err upload_record(struct ctx *c, const struct upload *, const struct asset_blob *);
/* Reports how much of the upload has arrived, whether it is done or not. */
enum err upload_look(struct ctx *c, const char *secret, const struct principal *who,
    struct upload_state *out);
enum err upload_cancel(struct ctx *c, const struct upload *);
#endif
