/* SPDX-License-Identifier: Apache-2.0 */
#include "connections/renew.h"

#include "base/clock.h"
#include "base/str.h"
#include "connections/provider.h"
#include "core/branding.h"
#include "core/tell.h"

#include <time.h>

enum { EARLY_S = 60, LEASE_S = 30, WAIT_MS = 15000, LOOK_MS = 50, ADMINS_MAILED = 50 };

#define TOKEN_ROW(F, T) \
	F(T, STR,  sealed) \
	F(T, TIME, expires_at,  .flags = F_NUL) \
	F(T, BOOL, needs_auth) \
	F(T, TIME, lease_until, .flags = F_NUL)
SHAPE(token_row, TOKEN_ROW);

/* ---- refused credentials ---- */

#define CURATOR(F, T) F(T, EMAIL, email)
SHAPE(curator, CURATOR);

static enum err
refusal_mail(struct ctx *c, const struct connection *con, const char *holder)
{
	struct mail m = { .template = MAIL_CONNECTION_ENDED,
		.values = { .what = con->name,
		    .link = mem_printf(
			c->mem, "/w/%s/connections/%s", con->workspace_id, con->id) } };
	struct curator_list all;

	if (!mail_enabled(c))
		return E_OK;
	TRY(db_all(c,
	    ROWS(curator,
		"SELECT u.email FROM member m JOIN user u ON u.id = m.user_id"
		" WHERE m.workspace_id = ? AND u.email IS NOT NULL AND u.disabled_at IS NULL"
		" AND (m.user_id = ? OR (? = '' AND m.role IN ('admin', 'owner')))"
		" ORDER BY m.role DESC, m.joined_at, m.user_id LIMIT ?"),
	    ARGS(con->workspace_id, holder, holder, ADMINS_MAILED), &all));
	TRY(branding_on_mail(c, con->workspace_id, &m.values));
	for (size_t i = 0; i < all.n; i++) {
		m.to = all.v[i].email;
		TRY(tell(c, &m));
	}
	return E_OK;
}

static enum err
refusal_write(
    struct ctx *c, const struct connection *con, const char *holder, const char *sealed)
{
	int64_t first;

	TRY(db_begin(c));
	TRY(db_exec(c,
	    EXEC(
		"UPDATE connection_credential SET needs_auth = TRUE, lease_until = NULL"
		" WHERE connection_id = ? AND holder = ? AND sealed = COALESCE(?, sealed)"
		" AND NOT needs_auth"),
	    ARGS(con->id, holder, sealed), &first));
	if (first)
		TRY(refusal_mail(c, con, holder));
	return db_commit(c);
}

enum err
credential_refused(
    struct ctx *c, const struct connection *con, const char *holder, const char *sealed)
{
	int tries = 0;
	enum err e;

	do
		e = refusal_write(c, con, holder, sealed);
	while (e && db_again(c, e, &tries));
	return e;
}

static enum err
connect_again(struct ctx *c, const struct connection *con, const char *holder)
{
	return fail(c, E_INVALID,
	    *holder ? "%s no longer accepts the credentials of this job's maker, who must "
		      "connect again on the page of the connection"
		    : "%s no longer accepts this connection; an admin of the workspace must "
		      "connect it again",
	    con->name);
}

/* ---- renewal ---- */

struct credential
credential_from(const struct provider_tokens *t)
{
	return (struct credential){ .access_token = t->access_token,
		.refresh_token = t->refresh_token,
		.expires_at = t->expires_at,
		.has.expires_at = t->expires_at ? GIVEN : ABSENT };
}

/* The real time: c->now is when the work began, and leases are compared while waiting. */
static int64_t
now_s(void)
{
	return (int64_t)time(NULL);
}

static enum err
row_read(
    struct ctx *c, const struct connection *con, const char *holder, struct token_row **out)
{
	TRY(db_find(c,
	    ROWS(token_row,
		"SELECT sealed, expires_at, needs_auth, lease_until FROM connection_credential"
		" WHERE connection_id = ? AND holder = ?"),
	    ARGS(con->id, holder), out));
	if (!*out)
		return fail(c, E_INVALID,
		    *holder ? "this job's maker hasn't connected %s yet"
			    : "%s isn't connected yet; an admin of the workspace must do that",
		    con->name);
	return (*out)->needs_auth ? connect_again(c, con, holder) : E_OK;
}

/* Writes only if the row still has the old tokens: somebody may have connected again meanwhile. */
static enum err
renewed_write(struct ctx *c, const struct connection *con, const char *holder,
    const struct token_row *row, const struct credential *now)
{
	struct token_row *held;

	TRY(db_begin(c));
	TRY(db_find(c,
	    ROWS(token_row,
		"SELECT sealed, expires_at, needs_auth, lease_until FROM connection_credential"
		" WHERE connection_id = ? AND holder = ? AND sealed = ? FOR UPDATE"),
	    ARGS(con->id, holder, row->sealed), &held));
	if (held)
		TRY(credential_save(c, con, holder, now));
	return db_commit(c);
}

/* The caller has the lease. Asks the service and stores the new tokens. */
static enum err
tokens_exchange(struct ctx *c, const struct connection *con, const char *holder,
    const struct token_row *row, const struct credential *old, const char **access_token)
{
	const struct connector *p;
	struct provider_tokens t;
	struct credential now;
	int tries = 0;
	enum err e = provider_find(c, con->provider, &p);

	e = e ? e : provider_renew(c, p, old->refresh_token, &t);
	if (e == E_INVALID) {
		TRY(credential_refused(c, con, holder, row->sealed));
		return connect_again(c, con, holder);
	}
	if (e) {
		/* Ends the lease, or extends it to when the service wants to be asked again. */
		TRY(db_exec(c,
		    EXEC(
			"UPDATE connection_credential SET lease_until = NULLIF(?, 0)"
			" WHERE connection_id = ? AND holder = ? AND sealed = ?"),
		    ARGS(c->retry_after_s ? now_s() + c->retry_after_s : 0, con->id, holder,
			row->sealed),
		    NULL));
		return e;
	}
	t.refresh_token = t.refresh_token ? t.refresh_token : old->refresh_token;
	now = credential_from(&t);
	*access_token = t.access_token;
	do
		e = renewed_write(c, con, holder, row, &now);
	while (e && db_again(c, e, &tries));
	return e;
}

/* *access_token is NULL if another process has the lease. */
static enum err
token_renew(struct ctx *c, const struct connection *con, const char *holder,
    const struct token_row *row, const struct credential *old, const char **access_token)
{
	const int64_t now = now_s();
	int64_t taken;

	if (!old->refresh_token) {
		TRY(credential_refused(c, con, holder, row->sealed));
		return connect_again(c, con, holder);
	}
	*access_token = NULL;
	TRY(db_exec(c,
	    EXEC(
		"UPDATE connection_credential SET lease_until = ?"
		" WHERE connection_id = ? AND holder = ? AND sealed = ? AND NOT needs_auth"
		" AND (lease_until IS NULL OR lease_until <= ?)"),
	    ARGS(now + LEASE_S, con->id, holder, row->sealed, now), &taken));
	return taken ? tokens_exchange(c, con, holder, row, old, access_token) : E_OK;
}

enum err
connection_token(
    struct ctx *c, const struct connection *con, const char *holder, const char **access_token)
{
	static const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };
	const int64_t give_up = clock_ms() + WAIT_MS;
	const struct credential *now;
	struct token_row *row;

	for (;;) {
		TRY(row_read(c, con, holder, &row));
		TRY(credential_unseal(c, con->id, holder, row->sealed, &now));
		*access_token = now->access_token;
		if (!row->expires_at || row->expires_at > now_s() + EARLY_S)
			return E_OK;
		/* Only a 429 of the service sets a lease longer than LEASE_S. */
		if (row->lease_until > now_s() + LEASE_S || clock_ms() > give_up) {
			c->retry_after_s =
			    row->lease_until > now_s() ? row->lease_until - now_s() : 0;
			return fail(c, E_UPSTREAM,
			    "the sign-in of %s can't be renewed right now; try again later",
			    con->name);
		}
		TRY(token_renew(c, con, holder, row, now, access_token));
		if (*access_token)
			return E_OK;
		nanosleep(&pause, NULL);
	}
}

enum err
provider_use(struct ctx *c, const char *holder, struct connection_used *u)
{
	const char **headers = mem_array(c->mem, const char *, 2);
	const struct connector *p;

	TRY(provider_find(c, u->connection->provider, &p));
	TRY(connection_token(c, u->connection, holder, &u->token));
	TRY(provider_header(c, p, u->token, &headers[0]));
	u->base_url = p->api_base;
	u->headers = headers;
	return E_OK;
}
