/* SPDX-License-Identifier: Apache-2.0
 * The JSON document of an artifact: one object, which its page and its people read and change. It
 * is kept as compact text, with numbers and the names of members as they were sent. Its ETag is
 * made of its text. Who may read and write it the artifact's access_policy says
 * (data/rowpolicy.h). Rows live in c->mem. Source: interface, "Artifact data"; data/README.md. */
#ifndef VITRINE_DOCUMENT_H
#define VITRINE_DOCUMENT_H
#include "core/artifact.h"
#include "core/document_row.h"

struct json;

enum { DOCUMENT_BYTES = 1 << 20 };

const char *document_etag(void *owner, const struct document *); /* quoted; NULL for NULL */

/* E_NOT_FOUND when there is none, or the policy hides it. known: see DOCUMENT_COLUMNS(). Reads
 * nothing that came with the artifact. */
enum err document_get(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *known, struct document **out);
/* For a change, inside its transaction: E_DENIED unless the policy lets `who` write. *out is
 * NULL when there is none; its row is held until the commit. body: read that, too. */
enum err document_lock(struct ctx *c, const struct artifact *a, const struct principal *who,
    bool body, struct document **out);
/* The following change what document_lock() gave. The text of the new document is left in
 * out->body. E_BODY_TOO_LARGE past DOCUMENT_BYTES. */
enum err document_put(struct ctx *c, const struct artifact *a, const struct document *old,
    const struct json *object, struct document *out);
/* old may be NULL, which counts as an empty object. */
enum err document_patch(struct ctx *c, const struct artifact *a, const struct document *old,
    const struct json *patch, struct document *out);
enum err document_delete(struct ctx *c, const struct artifact *a, const struct document *old);
#endif
