/* SPDX-License-Identifier: Apache-2.0 */
#include "http/idempotency.h"

#include "base/crypto.h"
#include "base/str.h"
#include "db/sealed.h"
#include "http/await.h"
#include "store/rounds.h"

enum { KEPT_S = 86400 };

#define KEPT(F, T) \
	F(T, STR, request_sha256) \
	F(T, INT, status) \
	F(T, STR, body) \
	F(T, TIME, created_at)
SHAPE(kept, KEPT);

/* Cached, because reading a large body takes a while, and the transaction must not wait for it. */
static enum err
request_digest(struct req *r, const uint8_t **out)
{
	struct sha256 *h = crypto_sha256_begin(r->c->mem);
	uint8_t *digest;

	if (!r->digest) {
		digest = mem_zalloc(r->c->mem, SHA256_BYTES);
		crypto_sha256_add(h, r->uri, strlen(r->uri) + 1);
		crypto_sha256_add(h, r->body, r->body_n);
		TRY(span_digest(r->c, &r->form, h));
		crypto_sha256_end(h, digest);
		r->digest = digest;
	}
	*out = r->digest;
	return E_OK;
}

SEALS(idempotency, "idempotency", "body", "user_id", SEALED_TEXT, "idem_key", "FALSE",
    .purpose = { "idempotency:", ":" }, .passing = "replies kept for their Idempotency-Key");

/* *key is NULL if the request has none. One that has waited has the key of its change. */
static enum err
key_check(struct req *r, const char **key)
{
	bool repeatable = r->method == POST || r->route->body.kind == BODY_BYTES;

	*key = repeatable && r->who ? await_key(r) : NULL;
	if (*key)
		return E_OK;
	*key = repeatable && r->who ? req_header(r, "HTTP_IDEMPOTENCY_KEY") : NULL;
	if (!*key)
		return E_OK;
	if (strlen(*key) > 255)
		return fail(r->c, E_INVALID,
		    "Idempotency-Key: is too long; the limit is 255 characters");
	for (const char *p = *key; *p; p++)
		if (*p <= ' ' || *p > '~')
			return fail(r->c, E_INVALID,
			    "Idempotency-Key: only visible ASCII characters are allowed");
	return E_OK;
}

enum err
idempotency_check(struct req *r)
{
	const char *key;

	return key_check(r, &key);
}

static enum err
kept_find(struct req *r, const char *key, struct kept **out)
{
	return db_find(r->c,
	    ROWS(kept,
		"SELECT request_sha256, status, body, created_at FROM idempotency"
		" WHERE user_id = ? AND idem_key = ? AND created_at > ?"),
	    ARGS(r->who->user_id, key, r->c->now - KEPT_S), out);
}

/* The stored form: headers set by the handler, one a line, an empty line, the body. Cookies aren't
 * stored, because their sessions may have ended since. */
static const char *
kept_pack(const struct req *r)
{
	struct buf b = BUF(r->c->mem);

	for (size_t i = 0; i < r->header_n; i++)
		buf_fmt(&b, "%s: %s\n", r->headers[i].name, r->headers[i].value);
	buf_chr(&b, '\n');
	buf_str(&b, r->out.s ? r->out.s : "");
	return buf_done(&b);
}

static void
kept_unpack(struct req *r, char *text)
{
	char *line;

	while ((line = str_split(&text, '\n')) && *line) {
		char *value = strstr(line, ": ");

		*value = '\0';
		reply_header(r, mem_strdup(r->c->mem, line), "%s", value + 2);
	}
	r->out = BUF(r->c->mem);
	buf_str(&r->out, text);
}

static enum err
idempotency_replay(struct req *r, const char *key, const struct kept *kept)
{
	const uint8_t *digest;
	const char *text;

	TRY(request_digest(r, &digest));
	if (!await_key(r) &&
	    !str_eq(kept->request_sha256, crypto_hex(r->c->mem, digest, SHA256_BYTES)))
		return fail(r->c, E_IDEMPOTENCY,
		    "Idempotency-Key: %s was already used with a different request; "
		    "use a new key for a new request",
		    key);
	text = sealed_open(
	    r->c->mem, &idempotency_sealed, r->who->user_id, key, kept->body);
	if (!text)
		return fail(r->c, E_CONFLICT,
		    "Idempotency-Key: the request with %s was carried out, but its reply "
		    "can no longer be read; check the result, and use a new key for a new request",
		    key);
	r->replayed = true;
	r->status = (int)kept->status;
	kept_unpack(r, mem_strdup(r->c->mem, text));
	if (!await_key(r))
		reply_header(r, "Idempotency-Replayed", "true");
	return E_OK;
}

enum err
idempotency_look(struct req *r)
{
	const uint8_t *digest;
	struct kept *kept;
	const char *key;

	TRY(key_check(r, &key));
	if (!key)
		return E_OK;
	TRY(kept_find(r, key, &kept));
	return kept ? idempotency_replay(r, key, kept) : request_digest(r, &digest);
}

static enum err
kept_insert(struct req *r, const char *key)
{
	const uint8_t *digest;

	TRY(request_digest(r, &digest));
	TRY(db_exec(r->c,
	    EXEC("DELETE FROM idempotency WHERE user_id = ? AND idem_key = ? AND created_at <= ?"),
	    ARGS(r->who->user_id, key, r->c->now - KEPT_S), NULL));
	return db_exec(r->c,
	    EXEC(
		"SET STATEMENT innodb_lock_wait_timeout = 0 FOR INSERT INTO idempotency"
		" (user_id, idem_key, request_sha256, status, body, created_at)"
		" VALUES (?, ?, ?, 0, '', ?)"),
	    ARGS(r->who->user_id, key, ((struct bytes){ digest, SHA256_BYTES }), r->c->now), NULL);
}

enum err
idempotency_claim(struct req *r)
{
	struct ctx *c = r->c;
	struct kept *kept;
	const char *key;

	TRY(key_check(r, &key));
	if (!key && r->wait_s && r->who) {
		uint8_t random[16];

		crypto_random(random, sizeof random);
		key = mem_printf(c->mem, "wait-%s", crypto_hex(c->mem, random, sizeof random));
	}
	if (!key)
		return E_OK;
	if (kept_insert(r, key) == E_OK) {
		/* The claim keeps the user id, because signing in and out change r->who. */
		r->claim = (struct idem_claim){ r->who->user_id, key };
		return E_OK;
	}
	if (c->busy) {
		c->replay = false;
		return fail(c, E_CONFLICT,
		    "Idempotency-Key: the first request with this key is still running; "
		    "try again shortly");
	}
	if (c->err != E_CONFLICT)
		return c->err;
	TRY(kept_find(r, key, &kept));
	return kept ? idempotency_replay(r, key, kept) : fail_here(c, "a kept reply is gone");
}

enum err
idempotency_keep(struct req *r)
{
	const struct idem_claim *claim = &r->claim;

	if (!claim->key || r->replayed)
		return E_OK;
	return db_exec1(r->c,
	    EXEC("UPDATE idempotency SET status = ?, body = ? WHERE user_id = ? AND idem_key = ?"),
	    ARGS(r->status,
		sealed_close(r->c->mem, &idempotency_sealed, claim->user_id, claim->key,
		    kept_pack(r)),
		claim->user_id, claim->key));
}

static enum err
reply_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM idempotency WHERE created_at <= ? LIMIT ?"),
	    ARGS(c->now - KEPT_S, limit), removed);
}

ROUNDS(idempotency, { "replies", .rows = reply_reap });
