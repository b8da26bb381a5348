/* SPDX-License-Identifier: Apache-2.0
 * Publishing: a set of files becomes a new artifact, or a new version of one. We check everything
 * before we store a byte. Bytes are durable before rows name them; rows commit before anything is
 * visible at an address. Source: interface, "Publish"; site/README.md. */
#ifndef VITRINE_PUBLISH_H
#define VITRINE_PUBLISH_H
#include "core/artifact.h"
#include "core/token.h"
#include "site/publishing.h"

struct publishing;
/* True if the request is only for the plan. */
bool publish_is_dry(const struct publishing *);
/* Makes the plan of vitrine.yaml, and stores nothing. */
enum err publish_plan(const struct publishing *, struct published **out);

/* The first slow part: reads and checks the request, fetches an icon from the network, and stores
 * the bytes of an archive. known: the artifact of artifact_id if the caller has just read it, else
 * NULL. *out is for publish_record(). E_INVALID, E_NOT_FOUND (artifact_id),
 * E_DENIED, E_SLUG_TAKEN, E_VERSION_CONFLICT, E_MISSING_BLOBS, E_FILE_TOO_LARGE, E_BODY_TOO_LARGE.
 */
enum err publish_prepare(struct ctx *c, const struct principal *who, const struct publish_new *in,
    const struct upload *up, const struct artifact *known, struct publishing **out);
/* True if the version gets views, which take long to draw. */
bool publish_draws(const struct publishing *);
/* The second slow part, which writes no row either: bytes into the store, views, the tree as a
 * temporary. E_STORAGE_FULL. */
enum err publish_store(struct publishing *);
/* Writes the rows, in a transaction that may be rolled back and run again. Locks the artifact's row
 * and checks the caller's rights again. The projection places the tree after the commit.
 * E_NOT_FOUND, E_DENIED, E_SLUG_TAKEN, E_VERSION_CONFLICT, E_STORAGE_FULL. */
enum err publish_record(const struct publishing *, struct published **out);
#endif
