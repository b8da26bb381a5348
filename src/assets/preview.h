/* SPDX-License-Identifier: Apache-2.0
 * Pictures of files in a library: the first page of a PDF, a frame of a film. A row for each
 * distinct content says which picture it has and when one is due. runner/preview.c makes them.
 * Source: assets/README.md. */
#ifndef VITRINE_PREVIEW_H
#define VITRINE_PREVIEW_H
#include "db/db.h"
#include "store/object.h"

#define PREVIEW(F, T) \
	F(T, STR, sha256, .doc = "Of the picture, a PNG") \
	F(T, INT, pages,  .flags = F_NUL, .doc = "Of a PDF")
SHAPE_DECLARE(preview, PREVIEW);

/* Finds the picture of a file by the file's digest; *out is NULL if it has none. The caller has
 * checked access to the file. */
enum err preview_of(struct ctx *c, const char *sha256, struct preview **out);
/* In the transaction that adds the file: makes a picture due, if its type has one. */
enum err preview_want(struct ctx *c, const char *sha256, const char *mime);

#define PREVIEW_DUE(F, T) \
	F(T, STR,  input_sha256) \
	F(T, BOOL, film) \
	F(T, INT,  due_at) \
	F(T, INT,  attempts)
SHAPE_DECLARE(preview_due, PREVIEW_DUE);

/* Finds the film or the PDF that has been due the longest; NULL: none. */
enum err preview_next(struct ctx *c, bool film, struct preview_due **out);
/* Leases it for PREVIEW_LEASE_S. *mine is false if another runner has the lease. */
enum err preview_take(struct ctx *c, struct preview_due *, bool *mine);
enum { PREVIEW_LEASE_S = 90 };
/* The object (named: batch_sync()) becomes the picture. pages 0: not known. */
enum err preview_keep(
    struct ctx *c, const struct preview_due *, const struct object *, int64_t pages);
/* Makes it due again later, up to PREVIEW_ATTEMPTS attempts. */
enum err preview_fail(struct ctx *c, const struct preview_due *, bool counts);
enum { PREVIEW_ATTEMPTS = 3 };

/* Makes a picture due again, because its bytes are lost or damaged. */
enum err preview_lost(struct ctx *c, const uint8_t sha256[SHA256_BYTES]);
/* Does so for all whose bytes the store doesn't have. */
enum err preview_mend(struct ctx *c, int64_t *lost);
#endif
