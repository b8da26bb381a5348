/* SPDX-License-Identifier: Apache-2.0 */
#include "bucket/compare.h"

#include "base/buf.h"
#include "bucket/bucket.h"
#include "care/reference.h"
#include "db/ids.h"
#include "store/object.h"

#include <stdlib.h>
#include <unistd.h>

enum { LATE_S = 600 };
enum { PIECE = 500, KEY_PREFIX = sizeof "objects/ab/" - 1 };

/* ---- comparing ---- */

struct comparing {
	struct ctx *c;
	bool mend;
	struct store_found *out;
	void (*tell)(void *arg, const char *key, const char *why);
	void *arg;
	const struct reference *named; /* in order of digests */
	size_t n, at;
	uint8_t *missing; /* up to PIECE digests */
	size_t missing_n;
};

static int
by_digest(const void *a, const void *b)
{
	return strcmp(((const struct reference *)a)->sha256, ((const struct reference *)b)->sha256);
}

/* The runner will put those that are due. */
#define DUE(F, T) F(T, INT, i)
SHAPE(due, DUE);

static enum err
missing_report(struct comparing *k, struct ctx *one)
{
	struct s3_call *calls = mem_array(one->mem, struct s3_call, k->missing_n);
	struct due_list due;

	TRY(db_all(one,
	    ROWS(due,
		"SELECT CAST(j.i - 1 AS SIGNED) AS i FROM " HASH_TABLE
		" LEFT JOIN object_due d ON d.sha256 = UNHEX(j.h) WHERE d.sha256 IS NULL"),
	    ARGS(hashes_json(one, k->missing, SHA256_BYTES, k->missing_n)), &due));
	for (size_t i = 0; i < due.n; i++)
		memmove(k->missing + i * SHA256_BYTES, k->missing + due.v[i].i * SHA256_BYTES,
		    SHA256_BYTES);
	k->out->missing += (int64_t)due.n;
	if (k->mend)
		TRY(bucket_calls(one, k->missing, due.n, calls));
	for (size_t i = 0; i < due.n; i++) {
		char path[OBJECT_PATH];

		object_path(path, k->missing + i * SHA256_BYTES);
		if (!k->mend)
			k->tell(k->arg, path, "isn't in the store; run vitrinectl store heal");
		else if (calls[i].why)
			k->tell(k->arg, path, calls[i].why);
		else
			k->out->mended++;
	}
	k->missing_n = 0;
	return E_OK;
}

static enum err
missing_end(struct comparing *k)
{
	struct ctx *one = ctx_begin(k->c->conf, k->c->db);

	return ctx_join(k->c, one, missing_report(k, one));
}

/* Rows name the objects before hex (NULL: the rest), and the store's list doesn't have them. */
static enum err
named_until(struct comparing *k, const char *hex)
{
	for (; k->at < k->n; k->at++) {
		int cmp = hex ? strcmp(k->named[k->at].sha256, hex) : -1;

		if (cmp > 0)
			return E_OK;
		if (cmp < 0 &&
		    crypto_unhex(k->named[k->at].sha256,
			k->missing + k->missing_n * SHA256_BYTES, SHA256_BYTES) &&
		    ++k->missing_n == PIECE)
			TRY(missing_end(k));
	}
	return E_OK;
}

static enum err
unknown_count(struct comparing *k, struct ctx *one, const uint8_t *digests, size_t n)
{
	const char *hashes = hashes_json(one, digests, SHA256_BYTES, n);
	struct due_list unknown;

	TRY(db_all(one,
	    ROWS(due,
		"SELECT CAST(j.i AS SIGNED) AS i FROM " HASH_TABLE
		" LEFT JOIN object_stored s ON s.sha256 = UNHEX(j.h)"
		" LEFT JOIN object_doomed d ON d.sha256 = UNHEX(j.h)"
		" WHERE s.sha256 IS NULL AND (d.state IS NULL OR d.state <> 1)"),
	    ARGS(hashes), &unknown));
	k->out->unknown += (int64_t)unknown.n;
	if (!k->mend || !unknown.n)
		return E_OK;
	k->out->mended += (int64_t)unknown.n;
	return bucket_has(one, digests, n);
}

/* *after is the last key of the page; NULL after the last page. */
static enum err
page_compare(struct comparing *k, struct ctx *one, char **after)
{
	uint8_t *digests, *end;
	struct strs keys;
	bool more;

	TRY(s3_list(one, s3_store(one->conf), "objects/", *after, &keys, &more));
	*after = more && keys.n ? mem_strdup(k->c->mem, keys.v[keys.n - 1]) : NULL;
	digests = end = mem_zalloc(one->mem, (keys.n + 1) * SHA256_BYTES);
	for (size_t i = 0; i < keys.n; i++) {
		if (strlen(keys.v[i]) != KEY_PREFIX + SHA256_HEX ||
		    !crypto_unhex(keys.v[i] + KEY_PREFIX, end, SHA256_BYTES))
			continue;
		end += SHA256_BYTES;
		TRY(named_until(k, keys.v[i] + KEY_PREFIX));
	}
	return end > digests
	    ? unknown_count(k, one, digests, (size_t)(end - digests) / SHA256_BYTES)
	    : E_OK;
}

enum err
store_compare(struct ctx *c, bool mend, struct store_found *out,
    void (*tell)(void *arg, const char *key, const char *why), void *arg)
{
	struct comparing k = { .c = c, .mend = mend, .out = out, .tell = tell, .arg = arg };
	struct reference_list rows;
	char *after = NULL;

	*out = (struct store_found){ 0 };
	TRY(reference_list(c, (struct list *)&rows));
	qsort(rows.v, rows.n, sizeof *rows.v, by_digest);
	k.named = rows.v;
	k.n = rows.n;
	out->named = (int64_t)rows.n;
	k.missing = mem_zalloc(c->mem, PIECE * SHA256_BYTES);
	do {
		struct ctx *one = ctx_begin(c->conf, c->db);

		TRY(ctx_join(c, one, page_compare(&k, one, &after)));
	} while (after);
	TRY(named_until(&k, NULL));
	return k.missing_n ? missing_end(&k) : E_OK;
}

#define OVERDUE(F, T) F(T, INT, n)
SHAPE(overdue, OVERDUE);

enum err
store_overdue(struct ctx *c, int64_t *n)
{
	struct overdue *row;

	TRY(db_one(c, ROWS(overdue, "SELECT COUNT(*) AS n FROM object_due WHERE due_at < ?"),
	    ARGS(c->now - LATE_S), &row));
	*n = row->n;
	return E_OK;
}

/* ---- trying ---- */

static const char trial[] = "Vitrine tries whether it can store this.\n";

static int
trial_open(struct s3_call *call)
{
	return dup(fileno(call->arg));
}

static bool
trial_receive(struct s3_call *call, const char *bytes, size_t n)
{
	buf_add(call->arg, bytes, n);
	return true;
}

enum err
store_try(struct ctx *c, const char **why)
{
	static const char *const steps[] = { "PUT", "HEAD", "GET", "DELETE" };
	static const enum s3_method methods[] = { S3_PUT, S3_HEAD, S3_GET, S3_DELETE };
	struct buf got = BUF(c->mem);
	uint8_t random[16], sha256[SHA256_BYTES];
	FILE *f = tmpfile();
	const char *key;

	if (!f || fwrite(trial, 1, sizeof trial, f) != sizeof trial || fflush(f))
		return fail_here(c, "a temporary file can't be written");
	rewind(f);
	crypto_random(random, sizeof random);
	crypto_sha256(trial, sizeof trial, sha256);
	key = mem_printf(c->mem, "check/%s", crypto_hex(c->mem, random, sizeof random));
	*why = NULL;
	for (size_t i = 0; i < sizeof steps / sizeof *steps && !*why; i++) {
		struct s3_call call = { .method = methods[i],
			.key = key,
			.open = trial_open,
			.size = sizeof trial,
			.sha256 = sha256,
			.take = trial_receive,
			.arg = methods[i] == S3_PUT ? (void *)f : (void *)&got };

		TRY(s3_calls(c, s3_store(c->conf), &call, 1));
		if (call.why)
			*why = mem_printf(c->mem, "%s: %s", steps[i], call.why);
		else if (methods[i] == S3_GET &&
		    (got.n != sizeof trial || memcmp(got.s, trial, sizeof trial) != 0))
			*why = "GET: the bytes aren't those that were stored";
	}
	fclose(f);
	return E_OK;
}
