/* SPDX-License-Identifier: Apache-2.0
 * Pictures of public pages, for their cards. One row an artifact says which picture it has and
 * whether another is to be made; it is written by what changes the live version or the visibility,
 * in the same transaction, and gone when the artifact is not public anymore. What makes them is
 * runner/picture.c. */
#ifndef VITRINE_PICTURE_H
#define VITRINE_PICTURE_H
#include "core/artifact.h"
#include "core/picture_want.h"
#include "site/due.h"
#include "store/object.h"

/* *sha256 is the digest of the PNG that everybody who sees the artifact may see, or NULL: a card is
 * drawn. While a newer one is made, an hour at most, that of an earlier live version stays. */
enum err picture_find(struct ctx *c, const struct artifact *a, const char **sha256);

DUE_DECLARE(picture); /* after the last attempt the card is drawn */
/* Takes the artifact's, if it is due. */
enum err picture_take_of(struct ctx *c, const char *artifact_id, struct page_due **out);
/* The object (named: batch_sync()) becomes the artifact's picture. False in *kept, changing
 * nothing, when another version is live by now, it is not public anymore, or the lease is
 * somebody else's. */
enum err picture_keep(
    struct ctx *c, const struct page_due *, const struct object *, bool *kept);

/* Requests a new picture, because the bytes of this one are lost or damaged. */
enum err picture_lost(struct ctx *c, const uint8_t sha256[SHA256_BYTES]);
/* Does so for one artifact's, or with NULL for all, where the store does not have it; read: or has
 * it damaged. *lost may be NULL. */
enum err picture_mend(struct ctx *c, const char *artifact_id, bool read, int64_t *lost);
#endif
