/* SPDX-License-Identifier: Apache-2.0 */
#include "data/document.h"

#include "base/crypto.h"
#include "base/etag.h"
#include "base/json.h"
#include "base/jsonplace.h"
#include "base/str.h"
#include "core/follow.h"
#include "core/storage.h"
#include "data/rowpolicy.h"

const char *
document_etag(void *owner, const struct document *d)
{
	return d ? etag_of_sha256(owner, d->sha256) : NULL;
}

/* A document that the policy hides gets the same error as a missing one. */
static enum err
document_missing(struct ctx *c)
{
	return fail(c, E_NOT_FOUND, "This artifact has no JSON document yet; PUT one here");
}

enum err
document_get(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *known, struct document **out)
{
	bool may;

	TRY(rowpolicy_allows(c, a, who, POLICY_JSON, POLICY_READ, &may));
	if (!may)
		return document_missing(c);
	*out = a->document;
	if (!*out)
		TRY(db_find(c,
		    ROWS(document,
			"SELECT " DOCUMENT_COLUMNS("") " FROM document d WHERE d.artifact_id = ?"),
		    ARGS(known, a->id), out));
	return *out && (*out)->sha256 ? E_OK : document_missing(c);
}

enum err
document_lock(struct ctx *c, const struct artifact *a, const struct principal *who, bool body,
    struct document **out)
{
	bool may;

	TRY(rowpolicy_allows(c, a, who, POLICY_JSON, POLICY_WRITE, &may));
	if (!may)
		return fail(c, E_DENIED,
		    "You can't change this document; "
		    "only the artifact's editors can, and anyone its access_policy allows");
	return db_find(c,
	    ROWS(document,
		"SELECT IF(?, body, NULL) AS body, sha256, size_bytes, updated_at FROM document"
		" WHERE artifact_id = ? FOR UPDATE"),
	    ARGS(body, a->id), out);
}

/* All changes of a document's size go through this function. old NULL means there was none. */
static enum err
document_write(struct ctx *c, const struct artifact *a, const struct document *old,
    struct document *d)
{
	uint8_t digest[SHA256_BYTES];
	const struct bytes sha256 = { digest, sizeof digest };
	enum err e;

	d->size_bytes = (int64_t)strlen(d->body);
	if (d->size_bytes > DOCUMENT_BYTES)
		return fail(c, E_BODY_TOO_LARGE,
		    "the document would have %lld bytes; the maximum is %d",
		    (long long)d->size_bytes, DOCUMENT_BYTES);
	crypto_sha256(d->body, (size_t)d->size_bytes, digest);
	d->sha256 = crypto_hex(c->mem, digest, sizeof digest);
	d->updated_at = c->now;
	if (!old) {
		e = db_exec(c,
		    EXEC(
			"INSERT INTO document (artifact_id, body, sha256, size_bytes, updated_at)"
			" VALUES (?, ?, ?, ?, ?)"),
		    ARGS(a->id, d->body, sha256, d->size_bytes, d->updated_at), NULL);
		/* If two requests write the first document, the second finds the row when it runs
		 * again. */
		if (e == E_CONFLICT) {
			c->replay = true;
			return c->err = E_UNAVAILABLE;
		}
		TRY(e);
	} else {
		TRY(db_exec1(c,
		    EXEC(
			"UPDATE document SET body = ?, sha256 = ?, size_bytes = ?, updated_at = ?"
			" WHERE artifact_id = ?"),
		    ARGS(d->body, sha256, d->size_bytes, d->updated_at, a->id)));
	}
	return storage_add_data(c, a, d->size_bytes - (old ? old->size_bytes : 0));
}

enum err
document_put(struct ctx *c, const struct artifact *a, const struct document *old,
    const struct json *object, struct document *out)
{
	*out = (struct document){ .body = json_text(c->mem, object) };
	return document_write(c, a, old, out);
}

enum err
document_patch(struct ctx *c, const struct artifact *a, const struct document *old,
    const struct json *patch, struct document *out)
{
	const char *before = old ? old->body : "{}";
	struct json *tree;

	TRY(json_parse(c, before, strlen(before), &tree));
	json_merge(tree, patch);
	if (json_count(tree) > JSON_NODES)
		return fail(c, E_BODY_TOO_LARGE,
		    "the document would have more than %d values, the maximum", JSON_NODES);
	return document_put(c, a, old, tree, out);
}

enum err
document_delete(struct ctx *c, const struct artifact *a, const struct document *old)
{
	if (!old)
		return document_missing(c);
	TRY(db_exec1(c, EXEC("DELETE FROM document WHERE artifact_id = ?"), ARGS(a->id)));
	return storage_add_data(c, a, -old->size_bytes);
}

const char *
document_wrong(struct ctx *c, const char *text, struct json **tree)
{
	size_t at;
	const char *why = json_wrong(c, text, strlen(text), tree, &at);

	if (why) {
		const struct text_place p = text_place(text, at);

		return mem_printf(
		    c->mem, "Not saved. Line %zu, column %zu: %s.", p.line, p.column, why);
	}
	return json_kind(*tree) == J_OBJ ? NULL
					 : "Not saved. The document must be an object: { … }.";
}

PURGES(document, ROWS_OF(document));
