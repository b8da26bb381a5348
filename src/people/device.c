/* SPDX-License-Identifier: Apache-2.0 */
#include "people/device.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "core/follow.h"
#include "db/sealed.h"
#include "store/rounds.h"

SHAPE_DEFINE(device_new, DEVICE_NEW);
SHAPE_DEFINE(device, DEVICE);
SHAPE_DEFINE(device_token, DEVICE_TOKEN);
SHAPE_DEFINE(device_login, DEVICE_LOGIN);

enum {
	POLL_S = 5,
	LIFE_S = 600,
	CODE_PART = 4,
	CODE_CHARS = 8,
	LONG_CODE_CHARS = 12,
	TRIES = 5,
	KEPT_POLLS = 3,
	NAME_CHARS = 140
};

/* Codes have no vowels, so that no words result, and no letters that look alike. RFC 8628 section
 * 6.1. */
static const char alphabet[] = "BCDFGHJKLMNPQRSTVWXZ";

/* The displayed form: XXXX-XXXX, or with a third part. */
static const char *
code_hyphens(struct ctx *c, const char *code, size_t n)
{
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < n; i++) {
		if (i && i % CODE_PART == 0)
			buf_chr(&b, '-');
		buf_chr(&b, code[i]);
	}
	return buf_done(&b);
}

static const char *
code_new(struct ctx *c, size_t chars)
{
	char code[LONG_CODE_CHARS];

	for (size_t i = 0; i < chars;) {
		uint8_t b;

		crypto_random(&b, 1);
		if (b < 240)
			code[i++] = alphabet[b % 20];
	}
	return code_hyphens(c, code, chars);
}

const char *
device_user_code(struct ctx *c, const char *typed)
{
	char code[LONG_CODE_CHARS];
	size_t n = 0;

	for (; typed && *typed; typed++) {
		char ch = (char)toupper((unsigned char)*typed);

		if (ch == '-' || ch == ' ')
			continue;
		if (n == LONG_CODE_CHARS || !strchr(alphabet, ch))
			return NULL;
		code[n++] = ch;
	}
	return n == CODE_CHARS || n == LONG_CODE_CHARS ? code_hyphens(c, code, n) : NULL;
}

enum err
device_begin(struct ctx *c, const char *expected_email, const struct origin *from, bool guessed_at,
    struct device **out)
{
	struct device *d = *out = mem_new(c->mem, struct device);
	enum err e = E_CONFLICT;

	/* Another waiting login may have the same short code. */
	for (int i = 0; i < TRIES && e == E_CONFLICT; i++) {
		d->device_code = token_new(c->mem, "dev_");
		d->user_code = code_new(c, guessed_at ? LONG_CODE_CHARS : CODE_CHARS);
		e = db_exec(c,
		    EXEC(
			"INSERT INTO device_login (device_hash, user_code_hash,"
			" state, expected_email, address, agent, created_at, expires_at, poll_s,"
			" polled_at) VALUES (?, ?, 'pending', ?, ?, ?, ?, ?, ?, 0)"),
		    ARGS(*secret_digest(c, d->device_code, "dev_"), bytes_sha256(c, d->user_code),
			expected_email, from->address, origin_agent(c, from->agent), c->now,
			c->now + LIFE_S, POLL_S),
		    NULL);
	}
	d->verification_uri = mem_printf(c->mem, "%s/auth/device", c->conf->base_url);
	d->verification_uri_complete = mem_printf(
	    c->mem, "%s?code=%s", d->verification_uri, d->user_code);
	d->interval = POLL_S;
	d->expires_in = LIFE_S;
	return e;
}

#define LOGIN_COLUMNS \
	"device_hash, state, expected_email, address, agent, created_at, expires_at, poll_s," \
	" kept_polls, user_id, sealed_token, warn"

SEALS(device, "device_login", "sealed_token", "device_hash", SEALED_DIGEST, "''", "FALSE",
    .purpose = { "device_login:", "" }, .passing = "tokens that wait for their device");

/* A poll reads the row, then deletes it. If two polls race, only one deletes it. */
static enum err
device_consume(
    struct ctx *c, struct bytes digest, const struct device_login *d, struct device_token *out)
{
	const char *token = sealed_open(
	    c->mem, &device_sealed, d->device_hash, NULL, d->sealed_token);
	int64_t taken;

	if (!token)
		return fail_here(
		    c, "a pending token can't be decrypted; was the key file replaced?");
	TRY(db_exec(c,
	    EXEC(
		"DELETE FROM device_login"
		" WHERE device_hash = ? AND state = 'approved' AND expires_at > ?"),
	    ARGS(digest, c->now), &taken));
	*out = taken ? (struct device_token){ .status = "approved",
		.token = token,
		.user_id = d->user_id,
		.warn = d->warn }
		     : (struct device_token){ .status = "expired" };
	return E_OK;
}

enum err
device_poll(struct ctx *c, const char *device_code, struct device_token *out)
{
	const struct bytes *digest = secret_digest(c, device_code, "dev_");
	struct device_login *d;
	int64_t soon;

	*out = (struct device_token){ .status = "expired" };
	if (!digest)
		return fail(
		    c, E_INVALID, "device_code: isn't valid; check that it was copied in full");
	TRY(db_exec(c,
	    EXEC(
		"UPDATE device_login SET poll_s = poll_s + ?, polled_at = ?, kept_polls = 0"
		" WHERE device_hash = ? AND polled_at + poll_s > ?"),
	    ARGS(POLL_S, c->now, *digest, c->now), &soon));
	TRY(db_find(c,
	    ROWS(device_login,
		"SELECT " LOGIN_COLUMNS
		" FROM device_login WHERE device_hash = ? AND expires_at > ?"),
	    ARGS(*digest, c->now), &d));
	if (!d)
		return E_OK;
	/* Polls that wait long enough shorten the interval again. In RFC 8628 it only grows, so one
	 * short delay of a program could make its person wait a minute after they approve. */
	if (!soon) {
		d->kept_polls++;
		if (d->kept_polls >= KEPT_POLLS)
			d->poll_s = POLL_S;
		TRY(db_exec(c,
		    EXEC(
			"UPDATE device_login SET polled_at = ?, poll_s = ?, kept_polls = ?"
			" WHERE device_hash = ?"),
		    ARGS(c->now, d->poll_s, d->kept_polls, *digest), NULL));
	}
	out->interval = d->poll_s;
	out->has.interval = GIVEN;
	if (soon)
		return fail(c, E_SLOW_DOWN,
		    "You polled before the interval was over; it is now %lld seconds",
		    (long long)d->poll_s);
	if (str_eq(d->state, "approved"))
		return device_consume(c, *digest, d, out);
	out->status = d->state;
	return E_OK;
}

enum err
device_find(struct ctx *c, const char *user_code, bool lock, struct device_login **out)
{
	struct device_login_rows read = ROWS(device_login,
	    "SELECT " LOGIN_COLUMNS
	    " FROM device_login WHERE user_code_hash = ? AND state = 'pending' AND expires_at > ?");
	struct device_login_rows locked = ROWS(device_login,
	    "SELECT " LOGIN_COLUMNS
	    " FROM device_login WHERE user_code_hash = ? AND state = 'pending' AND expires_at > ?"
	    " FOR UPDATE");
	const char *code = device_user_code(c, user_code);

	*out = NULL;
	return code ? db_find(c, lock ? locked : read, ARGS(bytes_sha256(c, code), c->now), out)
		    : E_OK;
}

const char *
device_warning(struct ctx *c, const struct device_login *d, const struct principal *by)
{
	if (!d->expected_email || str_eq(email_fold(c, d->expected_email), by->email))
		return NULL;
	return mem_printf(c->mem, "%s was expected to sign in, but %s did",
	    d->expected_email, by->email);
}

static enum err
device_decide(struct ctx *c, const struct device_login *d, const char *state,
    const struct principal *by, const char *sealed)
{
	uint8_t *hash = mem_zalloc(c->mem, SHA256_BYTES);

	crypto_unhex(d->device_hash, hash, SHA256_BYTES);
	return db_exec1(c,
	    EXEC(
		"UPDATE device_login SET state = ?, user_id = ?, sealed_token = ?, warn = ?"
		" WHERE device_hash = ? AND state = 'pending' AND expires_at > ?"),
	    ARGS(state, by ? by->user_id : NULL, sealed, by ? device_warning(c, d, by) : NULL,
		((struct bytes){ hash, SHA256_BYTES }), c->now));
}

enum err
device_approve(
    struct ctx *c, const struct device_login *d, const struct principal *by, const char **token)
{
	const char *agent = str_cut(c->mem, d->agent, NAME_CHARS);
	const char *name = mem_printf(
	    c->mem, "%s%sfrom %s", agent, *agent ? ", " : "", d->address);

	TRY(token_mint(c, by->user_id, &(struct token_wish){ .name = name }, token));
	return device_decide(
	    c, d, "approved", by,
	    sealed_close(c->mem, &device_sealed, d->device_hash, NULL, *token));
}

enum err
device_deny(struct ctx *c, const struct device_login *d)
{
	return device_decide(c, d, "denied", NULL, NULL);
}

static enum err
device_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM device_login WHERE expires_at <= ? LIMIT ?"),
	    ARGS(c->now, limit), removed);
}

/* ---- when other things change ---- */

USERS(USER_ENDS(device_login, user_id))
FOLLOWS(device, USERS_FOLLOW);
ROUNDS(device, { "device_logins", .rows = device_reap });
