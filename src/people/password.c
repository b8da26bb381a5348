/* SPDX-License-Identifier: Apache-2.0 */
#include "people/password.h"

#include "base/email.h"
#include "base/id.h"
#include "base/passhash.h"
#include "base/str.h"
#include "base/strength.h"
#include "core/mail.h"
#include "core/session.h"
#include "people/factor.h"
#include "store/rounds.h"

enum { SIGNIN_EACH_S = 7200 };

/* The kinds of link, and how long each is valid. */
static const struct letter_kind {
	enum mail_template template;
	const char *path;
	int64_t life_s;
} letters[] = {
	[LETTER_RESET] = { MAIL_RESET_PASSWORD, "/auth/password/set", 3600 },
	[LETTER_SIGNIN] = { MAIL_SIGNIN_LINK, "/auth/signin/link", 4 * 3600 },
	[LETTER_INVITATION] = { MAIL_INVITATION, "/auth/password/set", 7 * 86400 },
};

#define STORED(F, T) F(T, STR, hash)
SHAPE(stored, STORED);

static enum err
stored_hash(struct ctx *c, const char *user_id, const char **out)
{
	struct stored *row;

	TRY(db_find(
	    c, ROWS(stored, "SELECT hash FROM password WHERE user_id = ?"), ARGS(user_id), &row));
	*out = row ? row->hash : NULL;
	return E_OK;
}

enum err
password_exists(struct ctx *c, const char *user_id, bool *yes)
{
	const char *hash;

	TRY(stored_hash(c, user_id, &hash));
	*yes = hash != NULL;
	return E_OK;
}

/* Finds the primary address of the account that has the address. *out is NULL, which no account
 * has, if that isn't an address. */
static enum err
primary_find(struct ctx *c, const char *email, const char **out)
{
	*out = NULL;
	return email_read(c->mem, email) ? user_primary_email(c, email, out) : E_OK;
}

enum err
password_prove(
    struct ctx *c, const char *email, const char *password, struct password_proof *out)
{
	const char *primary, *hash = NULL;
	struct user *u;

	*out = (struct password_proof){ 0 };
	TRY(primary_find(c, email, &primary));
	TRY(db_find(c,
	    ROWS(user,
		"SELECT id, email, name, created_at, disabled_at FROM user"
		" WHERE email = ? AND disabled_at IS NULL"),
	    ARGS(primary), &u));
	/* An address without an account costs the same two statements and one hash, so that the
	 * time does not tell which addresses have accounts. */
	TRY(stored_hash(c, u ? u->id : "", &hash));
	if (passhash_check(password, hash))
		*out = (struct password_proof){ u->id, hash };
	return E_OK;
}

enum err
password_proven(struct ctx *c, const struct password_proof *proof, struct user **out)
{
	*out = NULL;
	if (!proof->user_id)
		return E_OK;
	return db_find(c,
	    ROWS(user,
		"SELECT u.id, u.email, u.name, u.created_at, u.disabled_at"
		" FROM user u JOIN password p ON p.user_id = u.id"
		" WHERE u.id = ? AND p.hash = ? AND u.disabled_at IS NULL LOCK IN SHARE MODE"),
	    ARGS(proof->user_id, proof->hash), out);
}

enum err
password_judge(struct ctx *c, const struct user *u, const char *password)
{
	size_t n = strlen(password);
	const char *own, *why;

	if (!str_utf8_valid(password, n) || str_chars(password) < PASSWORD_MIN)
		return fail(
		    c, E_INVALID, "password: must be at least %d characters", PASSWORD_MIN);
	if (n > PASSHASH_MAX)
		return fail(c, E_INVALID, "password: must be at most %d bytes", PASSHASH_MAX);
	if (strcasecmp(password, u->email) == 0)
		return fail(c, E_INVALID, "password: must not be your e-mail address");
	/* Guesses are made from the person's own address first. */
	own = mem_strndup(c->mem, u->email, strcspn(u->email, "@"));
	why = strength_wrong(password, own);
	return why ? fail(c, E_INVALID, "password: %s; use several words or a longer password", why)
		   : E_OK;
}

enum err
password_set(struct ctx *c, const struct user *u, const char *hash)
{
	TRY(db_exec(c, EXEC("REPLACE INTO password (user_id, hash, changed_at) VALUES (?, ?, ?)"),
	    ARGS(u->id, hash, c->now), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM password_link WHERE user_id = ?"), ARGS(u->id), NULL));
	return factor_logins_end(c, u->id);
}

enum err
password_ask_link(struct ctx *c, const char *email, enum password_letter letter)
{
	const char *kind = letter == LETTER_SIGNIN ? "signin_link" : "password_link";

	if (!email_read(c->mem, email))
		return fail(c, E_INVALID, "email: %s", email_wrong(c->mem, email));
	return db_exec(c,
	    EXEC("INSERT INTO outbox (id, kind, subject, due_at) VALUES (?, ?, ?, ?)"),
	    ARGS(id_new(c->mem, "out_"), kind, email, c->now), NULL);
}

#define FRESH(F, T) F(T, BOOL, yes)
SHAPE(fresh, FRESH);

/* Finds the account to mail a link to, guests included; *out is NULL if there is none, or it is
 * disabled. */
static enum err
mailed_find(struct ctx *c, const char *email, struct user **out)
{
	const char *primary;

	TRY(primary_find(c, email, &primary));
	return db_find(c,
	    ROWS(user,
		"SELECT u.id, COALESCE(u.email, u.invited_email) AS email, u.name, u.created_at"
		" FROM user u WHERE u.disabled_at IS NULL"
		" AND u.id = COALESCE((SELECT ow.id FROM user ow WHERE ow.email = ?),"
		" (SELECT g.id FROM user g WHERE g.invited_email = ?))"),
	    ARGS(primary, primary), out);
}

static const char *
link_path(struct ctx *c, enum password_letter letter, const char *secret)
{
	return mem_printf(c->mem, "%s?link=%s", letters[letter].path, secret);
}

static enum err
link_insert(struct ctx *c, const char *user_id, const char *secret, int64_t until)
{
	return db_exec(c,
	    EXEC("INSERT INTO password_link (hash, user_id, expires_at) VALUES (?, ?, ?)"),
	    ARGS(*secret_digest(c, secret, "pwl_"), user_id, until), NULL);
}

enum err
password_send_link(
    struct ctx *c, const char *email, enum password_letter letter, const char *inviter)
{
	const char *secret = token_new(c->mem, "pwl_");
	int64_t until = c->now + letters[letter].life_s;
	struct fresh *fresh = NULL;
	struct user *u;
	enum err e;

	TRY(mailed_find(c, email, &u));
	/* Wrong passwords cause at most one mail every SIGNIN_EACH_S seconds. */
	if (u && letter == LETTER_SIGNIN)
		TRY(db_find(c,
		    ROWS(fresh,
			"SELECT 1 AS yes FROM password_link"
			" WHERE user_id = ? AND expires_at > ? LIMIT 1"),
		    ARGS(u->id, until - SIGNIN_EACH_S), &fresh));
	if (!u || fresh)
		return E_OK;
	e = mail_send(c,
	    &(struct mail){ .template = letters[letter].template,
		.to = u->email,
		.values = { .by = inviter,
		    .until = str_date(c->mem, until),
		    .link = link_path(c, letter, secret) } });
	if (e == E_RATE_LIMITED)
		return E_OK;
	TRY(e);
	return link_insert(c, u->id, secret, until);
}

enum err
password_guest_link(struct ctx *c, const char *user_id, const char **path, const char **until)
{
	int64_t ends = c->now + letters[LETTER_INVITATION].life_s;
	const char *secret = token_new(c->mem, "pwl_");

	*path = link_path(c, LETTER_INVITATION, secret);
	*until = str_date(c->mem, ends);
	return link_insert(c, user_id, secret, ends);
}

enum err
password_link_owner(struct ctx *c, const char *secret, bool use, struct user **out)
{
	const struct bytes *digest = secret_digest(c, secret, "pwl_");
	int64_t used = 1;

	*out = NULL;
	if (!digest)
		return E_OK;
	TRY(db_find(c,
	    ROWS(user,
		"SELECT u.id, COALESCE(u.email, u.invited_email) AS email, u.name, u.created_at"
		" FROM password_link l JOIN user u ON u.id = l.user_id"
		" WHERE l.hash = ? AND l.expires_at > ? AND u.disabled_at IS NULL"),
	    ARGS(*digest, c->now), out));
	if (use && *out)
		TRY(db_exec(
		    c, EXEC("DELETE FROM password_link WHERE hash = ?"), ARGS(*digest), &used));
	/* If two requests use the link at the same time, only the one that deletes its row gets the
	 * account. */
	if (!used)
		*out = NULL;
	return use && *out ? user_claim(c, *out) : E_OK;
}

static enum err
password_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM password_link WHERE expires_at <= ? LIMIT ?"),
	    ARGS(c->now, limit), removed);
}

ROUNDS(password, { "password_links", .rows = password_reap });
