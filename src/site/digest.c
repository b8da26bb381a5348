/* SPDX-License-Identifier: Apache-2.0 */
#include "site/digest.h"

#include "base/str.h"
#include "db/db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIND "vitrine-version-1"

/* Writes a value's length, a colon, and its bytes; "-" for a missing one. No two lists of values
 * have the same bytes. */
static void
add_value(struct sha256 *h, const char *value)
{
	char head[24];

	if (!value) {
		crypto_sha256_add(h, "-", 1);
		return;
	}
	crypto_sha256_add(h, head, (size_t)snprintf(head, sizeof head, "%zu:", strlen(value)));
	crypto_sha256_add(h, value, strlen(value));
}

static void
add_number(struct sha256 *h, int64_t n)
{
	char text[24];

	snprintf(text, sizeof text, "%lld", (long long)n);
	add_value(h, text);
}

static void
add_digest(struct sha256 *h, const uint8_t *sha256)
{
	char hex[SHA256_HEX + 1];

	crypto_hex_into(hex, sha256, SHA256_BYTES);
	add_value(h, hex);
}

bool
digest_of_next(void *owner, const struct digest_next *next, uint8_t out[SHA256_BYTES])
{
	struct sha256 *h;

	if (!next->name && !next->policy && !next->agent)
		return false;
	h = crypto_sha256_begin(owner);
	add_value(h, next->name);
	add_value(h, next->policy);
	add_value(h, next->agent);
	crypto_sha256_end(h, out);
	return true;
}

static int
by_path(const void *a, const void *b)
{
	const struct digest_file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

void
digest_of_version(void *owner, const struct version_row *v, const uint8_t *next,
    struct digest_file *files, size_t n, uint8_t out[SHA256_BYTES])
{
	struct sha256 *h = crypto_sha256_begin(owner);

	qsort(files, n, sizeof *files, by_path);
	add_value(h, KIND);
	add_value(h, v->entrypoint);
	add_value(h, v->routing);
	add_number(h, (int64_t)n);
	for (size_t i = 0; i < n; i++) {
		add_value(h, files[i].path);
		add_value(h, files[i].mime);
		add_number(h, files[i].size);
		add_digest(h, files[i].sha256);
	}
	add_value(h, v->mobile_sha256);
	add_value(h, v->pwa);
	add_value(h, v->icon_sha256);
	if (next)
		add_digest(h, next);
	else
		add_value(h, NULL);
	crypto_sha256_end(h, out);
}

/* ---- from the rows ---- */

#define DIGESTED(F, T) \
	F(T, STR, digest) \
	F(T, STR, next_sha256) \
	F(T, STR, next_name) \
	F(T, STR, next_policy) \
	F(T, STR, next_agent)
SHAPE(digested, DIGESTED);

static enum err
files_read(struct ctx *c, const char *artifact_id, int64_t no, struct digest_file **out, size_t *n)
{
	struct file_row_list rows;
	struct digest_file *f;

	TRY(db_all(c,
	    ROWS(file_row,
		"SELECT path, sha256, size_bytes, mime, declared, FALSE AS view FROM version_file"
		" WHERE artifact_id = ? AND version_no = ? ORDER BY path"),
	    ARGS(artifact_id, no), &rows));
	f = *out = mem_array(c->mem, struct digest_file, rows.n + 1);
	*n = rows.n;
	for (size_t i = 0; i < rows.n; i++) {
		uint8_t *raw = mem_zalloc(c->mem, SHA256_BYTES);

		if (!crypto_unhex(rows.v[i].sha256, raw, SHA256_BYTES))
			return fail_here(c, "digest of %s", rows.v[i].path);
		f[i] = (struct digest_file){ rows.v[i].path, rows.v[i].mime, rows.v[i].size_bytes,
			raw };
	}
	return E_OK;
}

struct computed {
	uint8_t digest[SHA256_BYTES], next[SHA256_BYTES];
	bool has_next;
	bool next_right; /* what it still has to change is what was published */
};

static enum err
digest_compute(struct ctx *c, const char *artifact_id, int64_t no, const struct digested *d,
    struct computed *out)
{
	uint8_t stored[SHA256_BYTES];
	struct version_row *v;
	struct digest_file *files;
	bool kept, waits;
	size_t n;

	TRY(project_version(c, artifact_id, no, &v));
	if (!v)
		return E_NOT_FOUND;
	TRY(files_read(c, artifact_id, no, &files, &n));
	/* Once a version has been live, only the digest of what it changed is left. */
	kept = d->next_sha256 && crypto_unhex(d->next_sha256, stored, sizeof stored);
	waits = digest_of_next(c->mem,
	    &(struct digest_next){ d->next_name, d->next_policy, d->next_agent }, out->next);
	out->has_next = kept || waits;
	out->next_right = !kept || !waits || memcmp(stored, out->next, sizeof stored) == 0;
	if (kept)
		memcpy(out->next, stored, sizeof stored);
	digest_of_version(c->mem, v, out->has_next ? out->next : NULL, files, n, out->digest);
	return E_OK;
}

static enum err
digested_read(struct ctx *c, const char *artifact_id, int64_t no, struct digested **out)
{
	return db_one(c,
	    ROWS(digested,
		"SELECT digest, next_sha256, next_name, next_policy, next_agent FROM version"
		" WHERE artifact_id = ? AND version_no = ?"),
	    ARGS(artifact_id, no), out);
}

enum err
digest_get(struct ctx *c, const char *artifact_id, int64_t version_no, const char **hex)
{
	struct computed made;
	struct digested *d;

	TRY(digested_read(c, artifact_id, version_no, &d));
	*hex = d->digest;
	if (*hex)
		return E_OK;
	TRY(digest_compute(c, artifact_id, version_no, d, &made));
	*hex = crypto_hex(c->mem, made.digest, SHA256_BYTES);
	return db_exec1(c,
	    EXEC("UPDATE version SET digest = ?, next_sha256 = ?"
		 " WHERE artifact_id = ? AND version_no = ?"),
	    ARGS(arg_sha256(made.digest), arg_sha256(made.has_next ? made.next : NULL), artifact_id,
		version_no));
}

enum err
digest_check(struct ctx *c, const char *artifact_id, int64_t version_no, bool *right)
{
	struct computed made;
	struct digested *d;

	*right = true;
	TRY(digested_read(c, artifact_id, version_no, &d));
	if (!d->digest)
		return E_OK;
	TRY(digest_compute(c, artifact_id, version_no, d, &made));
	*right = made.next_right &&
	    str_eq(d->digest, crypto_hex(c->mem, made.digest, SHA256_BYTES));
	return E_OK;
}
