/* SPDX-License-Identifier: Apache-2.0
 * Pictures of public pages, for their cards. One row an artifact has its picture and when the next
 * is due. Changes of the live version or the visibility write it in their transaction, and delete
 * it when the artifact is no longer public. runner/picture.c makes the pictures. */
#ifndef VITRINE_PICTURE_H
#define VITRINE_PICTURE_H
#include "core/artifact.h"
#include "core/picture_want.h"
#include "site/due.h"
#include "store/object.h"

/* Finds the artifact's thumbnail. *sha256 is the digest of a PNG that everybody who sees the
 * artifact may see; NULL means that the caller draws a card. For at most an hour after a publish
 * it can be the picture of the former live version. */
enum err picture_find(struct ctx *c, const struct artifact *a, const char **sha256);

/* *yes is true if a picture may be due; leases nothing. */
enum err picture_waits(struct ctx *c, bool *yes);
/* Leases the row that has been due the longest for DUE_LEASE_S; *out is NULL if there is none. */
enum err picture_take(struct ctx *c, struct page_due **out);
/* Makes it due again later. After the last attempt the card is drawn. */
enum err picture_fail(struct ctx *c, const struct page_due *);
/* Leases this artifact's row, if it is due. */
enum err picture_take_of(struct ctx *c, const char *artifact_id, struct page_due **out);
/* Makes an object (named: batch_sync()) the artifact's picture. *kept is false, and nothing
 * changes, if another version is live by now, the artifact is no longer public, or another runner
 * has the lease. */
enum err picture_keep(
    struct ctx *c, const struct page_due *, const struct object *, bool *kept);

/* Requests a new picture, because the bytes of this one are lost or damaged. Pictures of versions
 * (site/seen.h) are only forgotten; here and below. */
enum err picture_lost(struct ctx *c, const uint8_t sha256[SHA256_BYTES]);
/* Requests new pictures for those that the store doesn't have; read: also for damaged ones. One
 * artifact, or NULL: all. *lost may be NULL. */
enum err picture_mend(struct ctx *c, const char *artifact_id, bool read, int64_t *lost);
#endif
