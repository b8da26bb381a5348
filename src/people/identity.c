/* SPDX-License-Identifier: Apache-2.0 */
#include "people/identity.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "core/follow.h"
#include "core/session.h"
#include "core/storage.h"
#include "people/factor.h"
#include "people/password.h"
#include "store/rounds.h"

SHAPE_DEFINE(identity, IDENTITY);
SHAPE_DEFINE(attempt, ATTEMPT);

enum { ATTEMPT_S = 600 };

/* ---- attempts ---- */

enum err
attempt_begin(struct ctx *c, const struct attempt *a, const char *state, const char **browser)
{
	*browser = token_new(c->mem, "idp_");
	return db_exec(c,
	    EXEC(
		"INSERT INTO provider_login (state_hash, browser_hash,"
		" provider, nonce, verifier, next, link_session_id, invite_hash, expires_at)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, UNHEX(?), ?)"),
	    ARGS(bytes_sha256(c, state), *secret_digest(c, *browser, "idp_"), a->provider, a->nonce,
		a->verifier, a->next, a->link_session_id, a->invite_hash, c->now + ATTEMPT_S),
	    NULL);
}

enum err
attempt_take(struct ctx *c, const char *state, const char *browser, struct attempt **out)
{
	const struct bytes *digest = secret_digest(c, browser, "idp_");
	int64_t taken;

	*out = NULL;
	if (!state || !digest)
		return E_OK;
	TRY(db_find(c,
	    ROWS(attempt,
		"SELECT provider, nonce, verifier, next, link_session_id, invite_hash"
		" FROM provider_login"
		" WHERE state_hash = ? AND browser_hash = ? AND expires_at > ?"),
	    ARGS(bytes_sha256(c, state), *digest, c->now), out));
	if (!*out)
		return E_OK;
	TRY(db_exec(c, EXEC("DELETE FROM provider_login WHERE state_hash = ?"),
	    ARGS(bytes_sha256(c, state)), &taken));
	if (!taken)
		*out = NULL;
	return E_OK;
}

static enum err
attempt_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	return db_exec(c, EXEC("DELETE FROM provider_login WHERE expires_at <= ? LIMIT ?"),
	    ARGS(c->now, limit), removed);
}

/* ---- identities ---- */

enum err
identity_owner(struct ctx *c, const struct idp_identity *who, struct user **out)
{
	return db_find(c,
	    ROWS(user,
		"SELECT u.id, u.email, u.name, u.created_at, u.disabled_at FROM identity i"
		" JOIN user u ON u.id = i.user_id WHERE i.issuer = ? AND i.subject = ?"),
	    ARGS(who->issuer, who->subject), out);
}

static enum err
identity_insert(struct ctx *c, const struct idp_identity *who, const char *user_id)
{
	return db_exec(c,
	    EXEC(
		"INSERT INTO identity"
		" (issuer, subject, id, user_id, email, created_at, last_used_at)"
		" VALUES (?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(who->issuer, who->subject, id_new(c->mem, "idn_"), user_id,
		who->email ? who->email : "", c->now, c->now),
	    NULL);
}

#define WAYS(F, T) F(T, INT, n)
SHAPE(ways, WAYS);

/* Counts the ways to sign in to the account: its password and its identities. */
static enum err
ways_count(struct ctx *c, const char *user_id, int64_t *n)
{
	struct ways *row;

	TRY(db_one(c,
	    ROWS(ways,
		"SELECT (SELECT COUNT(*) FROM password WHERE user_id = ?) + (SELECT COUNT(*)"
		" FROM identity WHERE user_id = ?) AS n"),
	    ARGS(user_id, user_id), &row));
	*n = row->n;
	return E_OK;
}

static bool
domain_allowed(struct ctx *c, const char *email, const char *allowed)
{
	char *rest = mem_strdup(c->mem, allowed), *domain;

	if (!conf_has(allowed))
		return true;
	while ((domain = str_split(&rest, ' ')))
		if (*domain && strcasecmp(strrchr(email, '@') + 1, domain) == 0)
			return true;
	return false;
}

/* Handles an identity that signs in for the first time. If an account with its address can be
 * signed in to already, the address doesn't prove that it is the same person: they must sign in the
 * way they did before and link the identity there. */
static enum err
first_sign_in(
    struct ctx *c, const struct idp_identity *who, const char *allowed_domains, struct user **out)
{
	const char *email;
	bool invited;
	int64_t ways;
	enum err e;

	if (!who->email || !who->email_verified)
		return fail(c, E_DENIED,
		    "Your sign-in provider hasn't verified your e-mail address; "
		    "verify it there, then sign in again");
	TRY(user_primary_email(c, who->email, &email));
	e = user_get_by_email(c, email, out);
	if (e == E_NOT_FOUND) {
		TRY(user_is_invited(c, email, &invited));
		if (!invited && !domain_allowed(c, email, allowed_domains))
			return fail(c, E_DENIED,
			    "%s has no account here, and addresses in its domain can't create one",
			    email);
		TRY(user_add(c, email, who->name ? who->name : "", out));
		return identity_insert(c, who, (*out)->id);
	}
	TRY(e);
	TRY(ways_count(c, (*out)->id, &ways));
	if (ways)
		return fail(c, E_DENIED,
		    "%s already has an account here. Sign in to it the way you did before, "
		    "then link this sign-in on your account page",
		    email);
	return identity_insert(c, who, (*out)->id);
}

enum err
identity_sign_in(
    struct ctx *c, const struct idp_identity *who, const char *allowed_domains, struct user **out)
{
	TRY(identity_owner(c, who, out));
	if (!*out)
		TRY(first_sign_in(c, who, allowed_domains, out));
	if ((*out)->disabled_at)
		return fail(
		    c, E_DENIED, "This account has been disabled by the operator of the service");
	return db_exec(c,
	    EXEC(
		"UPDATE identity SET last_used_at = ?, email = COALESCE(?, email)"
		" WHERE issuer = ? AND subject = ?"),
	    ARGS(c->now, who->email, who->issuer, who->subject), NULL);
}

enum err
identity_link(struct ctx *c, const struct idp_identity *who, const char *user_id)
{
	struct user *owner;

	TRY(identity_owner(c, who, &owner));
	if (!owner)
		return identity_insert(c, who, user_id);
	if (owner->disabled_at)
		return fail(c, E_DENIED,
		    "The account linked to this sign-in has been disabled by the operator "
		    "of the service");
	return str_eq(owner->id, user_id) ? E_OK : user_merge(c, owner->id, user_id);
}

enum err
identity_list(struct ctx *c, const char *user_id, struct list *out)
{
	return db_all(c,
	    ROWS(identity,
		"SELECT id, issuer, email, created_at, last_used_at FROM identity WHERE user_id = ?"
		" ORDER BY id"),
	    ARGS(user_id), out);
}

enum err
identity_unlink(struct ctx *c, const char *user_id, const char *id)
{
	int64_t ways;

	TRY(db_exec1(
	    c, EXEC("DELETE FROM identity WHERE id = ? AND user_id = ?"), ARGS(id, user_id)));
	TRY(ways_count(c, user_id, &ways));
	return ways
	    ? E_OK
	    : fail(c, E_CONFLICT,
		  "This is the only way to sign in to the account; "
		  "set a password or link another sign-in first");
}

/* ---- merging ---- */

static enum err
account_end(struct ctx *c, const char *id)
{
	TRY(db_exec(c, EXEC("DELETE FROM password WHERE user_id = ?"), ARGS(id), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM password_link WHERE user_id = ?"), ARGS(id), NULL));
	/* A second factor belongs to a password, and is deleted with it. */
	TRY(db_exec(c, EXEC("DELETE FROM factor WHERE user_id = ?"), ARGS(id), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM factor_recovery WHERE user_id = ?"), ARGS(id), NULL));
	TRY(factor_logins_end(c, id));
	TRY(db_exec(c, EXEC("DELETE FROM known_browser WHERE user_id = ?"), ARGS(id), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM idempotency WHERE user_id = ?"), ARGS(id), NULL));
	TRY(session_end_others(c, id, NULL));
	return db_exec1(c, EXEC("DELETE FROM user WHERE id = ?"), ARGS(id));
}

#define OWNS(F, T) F(T, INT, n)
SHAPE(owns, OWNS);

enum err
user_merge(struct ctx *c, const char *from, const char *into)
{
	TRY(follow(c, USER_MERGED, &(struct happened){ .user_id = into, .from_id = from }));
	TRY(db_exec(
	    c, EXEC("UPDATE identity SET user_id = ? WHERE user_id = ?"), ARGS(into, from), NULL));
	TRY(db_exec(c, EXEC("UPDATE email_alias SET user_id = ? WHERE user_id = ?"),
	    ARGS(into, from), NULL));
	TRY(db_exec(c,
	    EXEC("INSERT INTO email_alias (email, user_id) SELECT email, ? FROM user WHERE id = ?"),
	    ARGS(into, from), NULL));
	/* The merged account keeps the password of `into` only. */
	return account_end(c, from);
}

enum err
user_delete(struct ctx *c, const char *id)
{
	struct owns *row;

	TRY(db_one(c,
	    ROWS(owns, "SELECT COUNT(*) AS n FROM artifact WHERE owner_id = ?"), ARGS(id), &row));
	if (row->n)
		return fail(c, E_CONFLICT, "the account still owns %s",
		    str_count(c->mem, row->n, "artifact"));
	TRY(follow(c, USER_DELETED, &(struct happened){ .user_id = id }));
	TRY(db_exec(c, EXEC("DELETE FROM identity WHERE user_id = ?"), ARGS(id), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM email_alias WHERE user_id = ?"), ARGS(id), NULL));
	return account_end(c, id);
}

ROUNDS(identity, { "provider_logins", .rows = attempt_reap });
