/* SPDX-License-Identifier: Apache-2.0 */
#include "people/factor.h"

#include "base/crypto.h"
#include "base/id.h"
#include "base/otp.h"
#include "base/str.h"
#include "core/session.h"
#include "db/sealed.h"
#include "store/rounds.h"

SHAPE_DEFINE(factor, FACTOR);
SHAPE_DEFINE(factor_login, FACTOR_LOGIN);

enum { DAY_S = 86400, SETUP_S = 1800, RECOVERY_CHARS = 16, RECOVERY_PART = 4, TYPED_CHARS = 40 };

/* Crockford's base 32: 0 and o count as the same when read, so do 1, i and l; we only print the
 * digits. */
static const char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";

SEALS(factor, "factor", "sealed", "user_id", SEALED_TEXT, "''", "FALSE",
    .purpose = { "factor:", "" }, .noun = "user", .what = "the second factor's secret",
    .who = "a recovery code", .mend = "does, or run vitrinectl user factor off");
SEALS(factor_setup, "factor_setup", "sealed", "session_id", SEALED_TEXT, "''", "FALSE",
    .purpose = { "factor_setup:", "" }, .passing = "second factors being set up");

enum err
factor_get(struct ctx *c, const char *user_id, struct factor **out)
{
	return db_find(c,
	    ROWS(factor,
		"SELECT on_at, (SELECT COUNT(*) FROM factor_recovery r"
		" WHERE r.user_id = factor.user_id) AS `left` FROM factor WHERE user_id = ?"),
	    ARGS(user_id), out);
}

/* The change must succeed even if its e-mail can't be sent. */
static enum err
factor_mail(struct ctx *c, const struct user *u, enum mail_template template, const char *left)
{
	enum err e;

	if (!mail_enabled(c))
		return E_OK;
	e = mail_send(c,
	    &(struct mail){ .template = template,
		.to = u->email,
		.values = {
		    .link = "/auth/account", .when = str_date(c->mem, c->now), .left = left } });
	return e == E_RATE_LIMITED ? E_OK : e;
}

/* ---- codes ---- */

/* Drops spaces and hyphens between the parts of a code. */
static const char *
code_joined(struct ctx *c, const char *typed)
{
	struct buf b = BUF(c->mem);

	for (; *typed && b.n < TYPED_CHARS; typed++)
		if (*typed != ' ' && *typed != '-')
			buf_chr(&b, *typed);
	return buf_done(&b);
}

bool
factor_is_recovery(const char *typed)
{
	size_t n = 0;

	for (; *typed; typed++)
		n += isalnum((unsigned char)*typed) != 0;
	return n == RECOVERY_CHARS;
}

static struct bytes
recovery_digest(struct ctx *c, const char *user_id, const char *code)
{
	return bytes_sha256(c, mem_printf(c->mem, "%s:%s", user_id, code));
}

static enum err
recovery_add(struct ctx *c, const char *user_id, const char **shown)
{
	uint8_t raw[RECOVERY_CHARS];
	struct buf code = BUF(c->mem), b = BUF(c->mem);

	crypto_random(raw, sizeof raw);
	for (int i = 0; i < RECOVERY_CHARS; i++) {
		if (i && i % RECOVERY_PART == 0)
			buf_chr(&b, '-');
		buf_chr(&b, alphabet[raw[i] % 32]);
		buf_chr(&code, alphabet[raw[i] % 32]);
	}
	*shown = buf_done(&b);
	return db_exec(c, EXEC("INSERT INTO factor_recovery (user_id, hash) VALUES (?, ?)"),
	    ARGS(user_id, recovery_digest(c, user_id, buf_done(&code))), NULL);
}

enum err
factor_renew_recovery(struct ctx *c, const char *user_id, struct strs *codes)
{
	*codes = (struct strs){ mem_array(c->mem, const char *, RECOVERY_CODES), RECOVERY_CODES };
	TRY(db_exec(c, EXEC("DELETE FROM factor_recovery WHERE user_id = ?"), ARGS(user_id), NULL));
	for (size_t i = 0; i < codes->n; i++)
		TRY(recovery_add(c, user_id, &codes->v[i]));
	return E_OK;
}

static enum err
recovery_prove(struct ctx *c, const struct user *u, const char *joined, enum factor_proof *out)
{
	char *code = mem_strdup(c->mem, joined);
	struct factor *f;
	int64_t used;

	/* In the stored form, the letters that people confuse are digits. */
	for (char *p = code; *p; p++) {
		*p = (char)tolower((unsigned char)*p);
		*p = *p == 'o' ? '0' : *p == 'i' || *p == 'l' ? '1' : *p;
	}
	TRY(db_exec(c, EXEC("DELETE FROM factor_recovery WHERE user_id = ? AND hash = ?"),
	    ARGS(u->id, recovery_digest(c, u->id, code)), &used));
	*out = used ? FACTOR_RECOVERY : FACTOR_WRONG;
	if (!used)
		return E_OK;
	TRY(factor_get(c, u->id, &f));
	return factor_mail(
	    c, u, MAIL_FACTOR_RECOVERY, mem_printf(c->mem, "%lld", (long long)(f ? f->left : 0)));
}

#define FACTOR_SECRET(F, T) \
	F(T, STR, sealed) \
	F(T, INT, last_step)
SHAPE(factor_secret, FACTOR_SECRET);

/* Locks the row, so that the second of two requests with one code sees that its step is used. */
static enum err
code_prove(struct ctx *c, const char *user_id, const char *joined, enum factor_proof *out)
{
	struct factor_secret *row;
	const char *secret;
	int64_t step;

	TRY(db_find(c,
	    ROWS(
		factor_secret, "SELECT sealed, last_step FROM factor WHERE user_id = ? FOR UPDATE"),
	    ARGS(user_id), &row));
	if (!row)
		return E_OK;
	secret = sealed_open(c->mem, &factor_sealed, user_id, NULL, row->sealed);
	step = secret ? otp_step(secret, joined, c->now, row->last_step) : -1;
	*out = !secret ? FACTOR_SEALED : step < 0 ? FACTOR_WRONG : FACTOR_CODE;
	return *out == FACTOR_CODE
	    ? db_exec1(
		  c, EXEC("UPDATE factor SET last_step = ? WHERE user_id = ?"), ARGS(step, user_id))
	    : E_OK;
}

enum err
factor_prove(struct ctx *c, const struct user *u, const char *typed, enum factor_proof *out)
{
	*out = FACTOR_WRONG;
	return factor_is_recovery(typed) ? recovery_prove(c, u, code_joined(c, typed), out)
					 : code_prove(c, u->id, code_joined(c, typed), out);
}

/* ---- on and off ---- */

enum err
factor_setup_begin(struct ctx *c, const char *session_id)
{
	const char *sealed = sealed_close(
	    c->mem, &factor_setup_sealed, session_id, NULL, otp_secret_new(c->mem));

	return db_exec(c,
	    EXEC("REPLACE INTO factor_setup (session_id, sealed, created_at) VALUES (?, ?, ?)"),
	    ARGS(session_id, sealed, c->now), NULL);
}

enum err
factor_setup_secret(struct ctx *c, const char *session_id, const char **out)
{
	struct factor_secret *row;

	TRY(db_find(c,
	    ROWS(factor_secret,
		"SELECT sealed, 0 AS last_step FROM factor_setup"
		" WHERE session_id = ? AND created_at > ?"),
	    ARGS(session_id, c->now - SETUP_S), &row));
	*out = row
	    ? sealed_open(c->mem, &factor_setup_sealed, session_id, NULL, row->sealed)
	    : NULL;
	return E_OK;
}

enum err
factor_turn_on(struct ctx *c, const struct principal *who, const char *code, struct strs *codes)
{
	const struct user u = { .id = who->user_id, .email = who->email };
	const char *secret;
	int64_t step;
	enum err e;

	*codes = (struct strs){ 0 };
	TRY(factor_setup_secret(c, who->session_id, &secret));
	step = secret ? otp_step(secret, code_joined(c, code), c->now, -1) : -1;
	if (step < 0)
		return E_OK;
	/* The code that turned it on counts as used. */
	e = db_exec(c,
	    EXEC("INSERT INTO factor (user_id, sealed, last_step, on_at) VALUES (?, ?, ?, ?)"),
	    ARGS(u.id, sealed_close(c->mem, &factor_sealed, u.id, NULL, secret), step, c->now),
	    NULL);
	if (e == E_CONFLICT && !c->replay)
		return fail(c, E_CONFLICT, "A second factor is already on; turn it off first");
	TRY(e);
	TRY(db_exec(
	    c, EXEC("DELETE FROM factor_setup WHERE session_id = ?"), ARGS(who->session_id), NULL));
	TRY(factor_renew_recovery(c, u.id, codes));
	return factor_mail(c, &u, MAIL_FACTOR_ON, NULL);
}

enum err
factor_turn_off(struct ctx *c, const struct user *u)
{
	TRY(db_exec1(c, EXEC("DELETE FROM factor WHERE user_id = ?"), ARGS(u->id)));
	TRY(db_exec(c, EXEC("DELETE FROM factor_recovery WHERE user_id = ?"), ARGS(u->id), NULL));
	TRY(factor_logins_end(c, u->id));
	return factor_mail(c, u, MAIL_FACTOR_OFF, NULL);
}

/* ---- sign-ins that wait ---- */

enum err
factor_login_begin(struct ctx *c, const char *user_id, const char *next, const char **cookie)
{
	*cookie = token_new(c->mem, "fac_");
	return db_exec(c,
	    EXEC(
		"INSERT INTO factor_login (hash, user_id, next, tries, expires_at)"
		" VALUES (?, ?, ?, 0, ?)"),
	    ARGS(*secret_digest(c, *cookie, "fac_"), user_id, next, c->now + FACTOR_LOGIN_S), NULL);
}

static enum err
login_find(struct ctx *c, const struct bytes *digest, int64_t most, struct factor_login **out)
{
	return db_find(c,
	    ROWS(factor_login,
		"SELECT u.id AS `user.id`, u.email AS `user.email`, u.name AS `user.name`,"
		" u.created_at AS `user.created_at`, l.next, l.tries"
		" FROM factor_login l JOIN user u ON u.id = l.user_id WHERE l.hash = ?"
		" AND l.expires_at > ? AND l.tries <= ? AND u.disabled_at IS NULL"),
	    ARGS(*digest, c->now, most), out);
}

enum err
factor_login_get(struct ctx *c, const char *cookie, struct factor_login **out)
{
	const struct bytes *digest = secret_digest(c, cookie, "fac_");

	*out = NULL;
	return digest ? login_find(c, digest, FACTOR_TRIES - 1, out) : E_OK;
}

enum err
factor_login_try(struct ctx *c, const char *cookie, struct factor_login **out)
{
	const struct bytes *digest = secret_digest(c, cookie, "fac_");
	int64_t counted = 0;

	*out = NULL;
	if (digest)
		TRY(db_exec(c,
		    EXEC(
			"UPDATE factor_login SET tries = tries + 1"
			" WHERE hash = ? AND expires_at > ? AND tries < ?"),
		    ARGS(*digest, c->now, FACTOR_TRIES), &counted));
	return counted ? login_find(c, digest, FACTOR_TRIES, out) : E_OK;
}

enum err
factor_login_failed(struct ctx *c, const char *cookie, const struct factor_login *login)
{
	const struct user *u = login->user;
	int64_t due;

	TRY(factor_login_end(c, cookie));
	/* Mails once a day. Otherwise somebody who knows the password could use up the address's
	 * budget of e-mail for the day, which its person needs to set a new password. */
	TRY(db_exec(c, EXEC("UPDATE factor SET told_at = ? WHERE user_id = ? AND told_at <= ?"),
	    ARGS(c->now, u->id, c->now - DAY_S), &due));
	return due ? factor_mail(c, u, MAIL_FACTOR_GUESSED, NULL) : E_OK;
}

enum err
factor_login_end(struct ctx *c, const char *cookie)
{
	const struct bytes *digest = secret_digest(c, cookie, "fac_");

	return digest
	    ? db_exec(c, EXEC("DELETE FROM factor_login WHERE hash = ?"), ARGS(*digest), NULL)
	    : E_OK;
}

enum err
factor_logins_end(struct ctx *c, const char *user_id)
{
	return db_exec(c, EXEC("DELETE FROM factor_login WHERE user_id = ?"), ARGS(user_id), NULL);
}

static enum err
factor_login_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM factor_login WHERE expires_at <= ? LIMIT ?"),
	    ARGS(c->now, limit), removed);
}

ROUNDS(factor, { "factor_logins", .rows = factor_login_reap });
