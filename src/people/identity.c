/* SPDX-License-Identifier: Apache-2.0 */
#include "people/identity.h"

#include "base/id.h"
#include "base/str.h"
#include "core/member.h"
#include "core/session.h"
#include "core/storage.h"
#include "people/factor.h"
#include "people/password.h"

SHAPE_DEFINE(identity, IDENTITY);
SHAPE_DEFINE(attempt, ATTEMPT);

enum { ATTEMPT_S = 600 };

/* ---- attempts ---- */

static struct bytes
text_digest(struct ctx *c, const char *text)
{
	uint8_t *hash = mem_zalloc(c->mem, SHA256_BYTES);

	crypto_sha256(text, strlen(text), hash);
	return (struct bytes){ hash, SHA256_BYTES };
}

enum err
attempt_begin(struct ctx *c, const struct attempt *a, const char *state, const char **browser)
{
	*browser = token_new(c->mem, "idp_");
	return db_exec(c,
	    EXEC(
		"INSERT INTO provider_login (state_hash, browser_hash, provider, nonce, verifier, next, link_session_id, invite_hash, expires_at)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, UNHEX(?), ?)"),
	    ARGS(text_digest(c, state), *secret_digest(c, *browser, "idp_"), a->provider, a->nonce,
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
		"SELECT provider, nonce, verifier, next, link_session_id, invite_hash FROM provider_login"
		" WHERE state_hash = ? AND browser_hash = ? AND expires_at > ?"),
	    ARGS(text_digest(c, state), *digest, c->now), out));
	if (!*out)
		return E_OK;
	TRY(db_exec(c, EXEC("DELETE FROM provider_login WHERE state_hash = ?"),
	    ARGS(text_digest(c, state)), &taken));
	if (!taken)
		*out = NULL;
	return E_OK;
}

enum err
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
		"SELECT u.id, u.email, u.name, u.created_at, u.disabled_at FROM identity i JOIN user u ON u.id = i.user_id"
		" WHERE i.issuer = ? AND i.subject = ?"),
	    ARGS(who->issuer, who->subject), out);
}

static enum err
identity_insert(struct ctx *c, const struct idp_identity *who, const char *user_id)
{
	return db_exec(c,
	    EXEC(
		"INSERT INTO identity (issuer, subject, id, user_id, email, created_at, last_used_at) VALUES (?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(who->issuer, who->subject, id_new(c->mem, "idn_"), user_id,
		who->email ? who->email : "", c->now, c->now),
	    NULL);
}

#define WAYS(F, T) F(T, INT, n)
SHAPE_DECLARE(ways, WAYS);
SHAPE_DEFINE(ways, WAYS);

/* Counts the ways to sign in to the account: its password and its identities. */
static enum err
ways_count(struct ctx *c, const char *user_id, int64_t *n)
{
	struct ways *row;

	TRY(db_one(c,
	    ROWS(ways,
		"SELECT (SELECT COUNT(*) FROM password WHERE user_id = ?) + (SELECT COUNT(*) FROM identity WHERE user_id = ?) AS n"),
	    ARGS(user_id, user_id), &row));
	*n = row->n;
	return E_OK;
}

static bool
domain_allowed(struct ctx *c, const char *email, const char *allowed)
{
	char *rest = mem_strdup(c->mem, allowed), *domain;

	if (str_eq(allowed, "-"))
		return true;
	while ((domain = str_split(&rest, ' ')))
		if (*domain && strcasecmp(strrchr(email, '@') + 1, domain) == 0)
			return true;
	return false;
}

/* Handles an identity that signs in for the first time. When its address has an account that can be
 * signed in to already, the address does not prove that it is the same person: they must sign in to
 * the account the way they did before and link the identity there. */
static enum err
first_sign_in(
    struct ctx *c, const struct idp_identity *who, const char *allowed_domains, struct user **out)
{
	const char *email;
	int64_t ways;
	enum err e;

	if (!who->email || !who->email_verified)
		return fail(c, E_DENIED,
		    "Your sign-in provider hasn't verified your e-mail address; verify it there, then sign in again");
	TRY(user_primary_email(c, who->email, &email));
	e = user_get_by_email(c, email, out);
	if (e == E_NOT_FOUND) {
		if (!domain_allowed(c, email, allowed_domains))
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
		    "%s already has an account here. Sign in to it the way you did before, then link this sign-in on your account page",
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
		"UPDATE identity SET last_used_at = ?, email = COALESCE(?, email) WHERE issuer = ? AND subject = ?"),
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
		    "The account linked to this sign-in has been disabled by the operator of the service");
	return str_eq(owner->id, user_id) ? E_OK : user_merge(c, owner->id, user_id);
}

enum err
identity_list(struct ctx *c, const char *user_id, struct list *out)
{
	return db_all(c,
	    ROWS(identity,
		"SELECT id, issuer, email, created_at, last_used_at FROM identity WHERE user_id = ? ORDER BY id"),
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
		  "This is the only way to sign in to the account; set a password or link another sign-in first");
}

/* ---- merging ---- */

/* Moves what concerns artifacts. What both accounts have, such as a role on the same artifact, is
 * kept once. */
static enum err
merge_artifacts(struct ctx *c, const char *from, const char *into)
{
	/* Their people go on to see the address that they know. */
	TRY(db_exec(c,
	    EXEC(
		"UPDATE artifact a JOIN user u ON u.id = a.owner_id SET a.owner_given = COALESCE(a.owner_given, u.email), a.owner_id = ? WHERE a.owner_id = ?"),
	    ARGS(into, from), NULL));
	TRY(db_exec(
	    c, EXEC("UPDATE slug SET owner_id = ? WHERE owner_id = ?"), ARGS(into, from), NULL));
	TRY(db_exec(c,
	    EXEC(
		"INSERT IGNORE INTO owned_object (owner_id, sha256, size_bytes) SELECT ?, sha256, size_bytes FROM owned_object WHERE owner_id = ?"),
	    ARGS(into, from), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM owned_object WHERE owner_id = ?"), ARGS(from), NULL));
	/* When both accounts have a role on an artifact, the greater one stays. GREATEST compares
	 * the numbers of the ENUM, in which editor comes after viewer. */
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO collaborator (artifact_id, user_id, role, given_email, created_at)"
		" SELECT f.artifact_id, ?, f.role, COALESCE(f.given_email, u.email), f.created_at FROM collaborator f JOIN user u ON u.id = f.user_id"
		" WHERE f.user_id = ? ON DUPLICATE KEY UPDATE role = GREATEST(collaborator.role + 0, VALUES(role) + 0)"),
	    ARGS(into, from), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM collaborator WHERE user_id = ?"), ARGS(from), NULL));
	TRY(db_exec(c,
	    EXEC(
		"DELETE co FROM collaborator co JOIN artifact a ON a.id = co.artifact_id AND a.owner_id = co.user_id WHERE co.user_id = ?"),
	    ARGS(into), NULL));
	TRY(db_exec(c,
	    EXEC(
		"INSERT IGNORE INTO favorite (user_id, artifact_id, created_at) SELECT ?, artifact_id, created_at FROM favorite WHERE user_id = ?"),
	    ARGS(into, from), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM favorite WHERE user_id = ?"), ARGS(from), NULL));
	TRY(db_exec(c, EXEC("UPDATE comment SET author_id = ? WHERE author_id = ?"),
	    ARGS(into, from), NULL));
	TRY(db_exec(c, EXEC("UPDATE job SET created_by = ? WHERE created_by = ?"),
	    ARGS(into, from), NULL));
	TRY(db_exec(c, EXEC("UPDATE metric_watch SET created_by = ? WHERE created_by = ?"),
	    ARGS(into, from), NULL));
	TRY(db_exec(c,
	    EXEC(
		"INSERT IGNORE INTO metric_subscription (alert_id, user_id, email, created_at) SELECT alert_id, ?, email, created_at FROM metric_subscription WHERE user_id = ?"),
	    ARGS(into, from), NULL));
	TRY(db_exec(
	    c, EXEC("DELETE FROM metric_subscription WHERE user_id = ?"), ARGS(from), NULL));
	return db_exec(c, EXEC("UPDATE version SET created_by = ? WHERE created_by = ?"),
	    ARGS(into, from), NULL);
}

/* What either has sent today counts: linking accounts is no way to a second budget. */
static enum err
merge_budgets(struct ctx *c, const char *from, const char *into)
{
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO mail_budget (kind, subject, day, used) SELECT f.kind, ?, f.day, f.used FROM mail_budget f"
		" WHERE f.kind = 'user' AND f.subject = ? ON DUPLICATE KEY UPDATE used = mail_budget.used + VALUES(used)"),
	    ARGS(into, from), NULL));
	return db_exec(c, EXEC("DELETE FROM mail_budget WHERE kind = 'user' AND subject = ?"),
	    ARGS(from), NULL);
}

/* A second factor belongs to the password that it is asked for after, and goes with it. */
static enum err
factor_end(struct ctx *c, const char *user_id)
{
	TRY(db_exec(c, EXEC("DELETE FROM factor WHERE user_id = ?"), ARGS(user_id), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM factor_recovery WHERE user_id = ?"), ARGS(user_id), NULL));
	return factor_logins_end(c, user_id);
}

static enum err
account_end(struct ctx *c, const char *id)
{
	TRY(db_exec(c, EXEC("DELETE FROM password WHERE user_id = ?"), ARGS(id), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM password_link WHERE user_id = ?"), ARGS(id), NULL));
	TRY(factor_end(c, id));
	TRY(db_exec(c, EXEC("DELETE FROM known_browser WHERE user_id = ?"), ARGS(id), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM idempotency WHERE user_id = ?"), ARGS(id), NULL));
	TRY(session_end_others(c, id, NULL));
	return db_exec1(c, EXEC("DELETE FROM user WHERE id = ?"), ARGS(id));
}

#define OWNS(F, T) F(T, INT, n)
SHAPE_DECLARE(owns, OWNS);
SHAPE_DEFINE(owns, OWNS);

enum err
user_merge(struct ctx *c, const char *from, const char *into)
{
	TRY(merge_artifacts(c, from, into));
	TRY(merge_budgets(c, from, into));
	TRY(member_merge(c, from, into));
	TRY(db_exec(c, EXEC("UPDATE approval SET requested_by = ? WHERE requested_by = ?"),
	    ARGS(into, from), NULL));
	TRY(db_exec(c, EXEC("UPDATE IGNORE approver SET user_id = ? WHERE user_id = ?"),
	    ARGS(into, from), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM approver WHERE user_id = ?"), ARGS(from), NULL));
	TRY(db_exec(c, EXEC("UPDATE token SET made_by = ? WHERE made_by = ?"), ARGS(into, from),
	    NULL));
	TRY(db_exec(c, EXEC("UPDATE context_file SET updated_by = ? WHERE updated_by = ?"),
	    ARGS(into, from), NULL));
	TRY(db_exec(
	    c, EXEC("UPDATE token SET user_id = ? WHERE user_id = ?"), ARGS(into, from), NULL));
	TRY(db_exec(
	    c, EXEC("UPDATE identity SET user_id = ? WHERE user_id = ?"), ARGS(into, from), NULL));
	TRY(db_exec(c, EXEC("UPDATE email_alias SET user_id = ? WHERE user_id = ?"),
	    ARGS(into, from), NULL));
	TRY(db_exec(c,
	    EXEC("INSERT INTO email_alias (email, user_id) SELECT email, ? FROM user WHERE id = ?"),
	    ARGS(into, from), NULL));
	TRY(db_exec(c, EXEC("UPDATE device_login SET user_id = ? WHERE user_id = ?"),
	    ARGS(into, from), NULL));
	TRY(storage_merge(c, from, into));
	TRY(db_exec(c, EXEC("UPDATE artifact_blob SET created_by = ? WHERE created_by = ?"),
	    ARGS(into, from), NULL));
	/* The merged account keeps the password of `into` only. */
	return account_end(c, from);
}

enum err
user_delete(struct ctx *c, const char *id)
{
	struct stmt *const steps[] = {
		EXEC("DELETE FROM owned_object WHERE owner_id = ?"),
		EXEC("DELETE FROM collaborator WHERE user_id = ?"),
		EXEC("DELETE FROM favorite WHERE user_id = ?"),
		EXEC("DELETE FROM comment WHERE author_id = ?"),
		EXEC("DELETE FROM metric_watch WHERE created_by = ?"),
		EXEC("DELETE FROM metric_subscription WHERE user_id = ?"),
		EXEC("DELETE FROM mail_budget WHERE kind = 'user' AND subject = ?"),
		EXEC("DELETE FROM storage WHERE user_id = ?"),
		EXEC("DELETE FROM token WHERE user_id = ?"),
		EXEC("DELETE FROM identity WHERE user_id = ?"),
		EXEC("DELETE FROM email_alias WHERE user_id = ?"),
		EXEC("DELETE FROM device_login WHERE user_id = ?"),
		EXEC("UPDATE artifact_blob SET created_by = NULL WHERE created_by = ?"),
		/* Another editor who switches it on answers for it then. */
		EXEC(
		    "UPDATE job SET created_by = NULL, enabled = FALSE, next_run_at = NULL WHERE created_by = ?"),
		EXEC("UPDATE folder SET created_by = NULL WHERE created_by = ?"),
		EXEC("UPDATE context_file SET updated_by = NULL WHERE updated_by = ?"),
		EXEC("UPDATE token SET made_by = NULL WHERE made_by = ?"),
		/* The audit goes on telling of them. */
		EXEC("DELETE FROM approver WHERE user_id = ?"),
		EXEC("DELETE FROM approval WHERE requested_by = ?"),
		/* What they let go of is kept for nobody. */
		EXEC("DELETE FROM slug WHERE owner_id = ?"),
	};
	struct owns *row;

	TRY(db_one(c,
	    ROWS(owns, "SELECT COUNT(*) AS n FROM artifact WHERE owner_id = ?"), ARGS(id), &row));
	if (row->n)
		return fail(
		    c, E_CONFLICT, "the account still owns %s", str_count(c->mem, row->n, "artifact"));
	TRY(member_forget(c, id));
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		TRY(db_exec(c, steps[i], ARGS(id), NULL));
	return account_end(c, id);
}
