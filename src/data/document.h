/* SPDX-License-Identifier: Apache-2.0
 * The JSON document of an artifact: one object that its page and people read and change. We
 * store compact text with numbers and names as sent; the ETag is made of it. The artifact's
 * access_policy decides who may read and write (data/rowpolicy.h). Results belong to c. Source:
 * interface, "Artifact data"; data/README.md. */
#ifndef VITRINE_DOCUMENT_H
#define VITRINE_DOCUMENT_H
#include "core/artifact.h"
#include "core/document_row.h"

struct json;

enum { DOCUMENT_BYTES = 1 << 20 };

const char *document_etag(void *owner, const struct document *); /* quoted; NULL for NULL */

/* Reads the document. E_NOT_FOUND: there is none, or the policy hides it. known: see
 * DOCUMENT_COLUMNS(). Reads the row even if the artifact came with its document's ETag only. */
enum err document_get(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *known, struct document **out);
/* Locks the document for a change, until the commit. *out is NULL if there is none. body: read
 * the text, too. E_DENIED: the policy doesn't let `who` write. */
enum err document_lock(struct ctx *c, const struct artifact *a, const struct principal *who,
    bool body, struct document **out);
/* These change the document that document_lock() returned. out->body is the new text.
 * E_BODY_TOO_LARGE: more than DOCUMENT_BYTES. */
enum err document_put(struct ctx *c, const struct artifact *a, const struct document *old,
    const struct json *object, struct document *out);
/* old NULL counts as an empty object. */
enum err document_patch(struct ctx *c, const struct artifact *a, const struct document *old,
    const struct json *patch, struct document *out);
enum err document_delete(struct ctx *c, const struct artifact *a, const struct document *old);
/* Says what is wrong with a typed document; NULL if *tree has it. */
const char *document_wrong(struct ctx *c, const char *text, struct json **tree);
#endif
