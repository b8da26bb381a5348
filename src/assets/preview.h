/* SPDX-License-Identifier: Apache-2.0
 * Pictures of what is in a library: the first page of a PDF, a frame of a film. A row for the bytes
 * of a file, whoever has them, says which picture there is and whether one is to be made; what
 * makes them is runner/preview.c. Source: assets/README.md. */
#ifndef VITRINE_PREVIEW_H
#define VITRINE_PREVIEW_H
#include "db/db.h"
#include "store/object.h"

#define PREVIEW(F, T) \
	F(T, STR, sha256, .doc = "Of the picture, a PNG") \
	F(T, INT, pages,  .flags = F_NUL, .doc = "Of a PDF")
SHAPE_DECLARE(preview, PREVIEW);

/* Of a file, by its digest; *out is NULL when it has none. Whoever asks has judged that the file
 * may be seen. */
enum err preview_of(struct ctx *c, const char *sha256, struct preview **out);
/* In the transaction that adds the file: one is to be made, if files of the type have one. */
enum err preview_want(struct ctx *c, const char *sha256, const char *mime);

#define PREVIEW_DUE(F, T) \
	F(T, STR,  input_sha256) \
	F(T, BOOL, film) \
	F(T, INT,  due_at) \
	F(T, INT,  attempts)
SHAPE_DECLARE(preview_due, PREVIEW_DUE);

/* The one of a film, or of a PDF, that has been due the longest; NULL: there is none. */
enum err preview_next(struct ctx *c, bool film, struct preview_due **out);
/* Takes it for PREVIEW_LEASE_S. *mine is false when somebody else has. */
enum err preview_take(struct ctx *c, struct preview_due *, bool *mine);
enum { PREVIEW_LEASE_S = 90 };
/* The object (named: batch_sync()) becomes the picture. pages 0: not known. */
enum err preview_keep(
    struct ctx *c, const struct preview_due *, const struct object *, int64_t pages);
/* Comes again later; after PREVIEW_ATTEMPTS that count there is none. */
enum err preview_fail(struct ctx *c, const struct preview_due *, bool counts);
enum { PREVIEW_ATTEMPTS = 3 };

/* A picture's bytes are lost or damaged: it is made again. */
enum err preview_lost(struct ctx *c, const uint8_t sha256[SHA256_BYTES]);
/* Does so for all whose bytes the store doesn't have. */
enum err preview_mend(struct ctx *c, int64_t *lost);
#endif
