/* SPDX-License-Identifier: Apache-2.0 */
#include "connections/use.h"

#include "base/crypto.h"
#include "base/principal.h"
#include "base/redact.h"
#include "base/str.h"
#include "connections/renew.h"

enum { REPEATED_AFTER_S = 60 };

/* ---- the right to use it ---- */

#define CONNECTION_HELD(F, T) \
	F(T, ID,   id,           .arg = "con_") \
	F(T, STR,  provider) \
	F(T, STR,  kind) \
	F(T, STR,  name) \
	F(T, STR,  auth_mode) \
	F(T, STR,  config) \
	F(T, STR,  workspace_id) \
	F(T, TIME, last_used_at, .flags = F_NUL) \
	F(T, STR,  last_error,   .flags = F_NUL) \
	F(T, TIME, updated_at) \
	F(T, WORD, maker_role,   .flags = F_NUL, .arg = MEMBER_ROLES) \
	F(T, STR,  sealed,       .flags = F_NUL) \
	F(T, BOOL, needs_auth) \
	F(T, STR,  remote_account, .flags = F_NUL)
SHAPE(connection_held, CONNECTION_HELD);

/* ---- headers and passwords ---- */

static enum err
http_use(struct ctx *c, const char *config, const struct credential *k, struct connection_used *out)
{
	const char **headers = mem_array(c->mem, const char *, 2);
	struct connection_http_config *cfg;
	const char *pair;

	TRY(connection_http_config(c, config, &cfg));
	out->password = k ? k->password : NULL;
	if (str_eq(cfg->auth, "basic")) {
		pair = mem_printf(c->mem, "%s:%s", k->username, k->password);
		headers[0] = mem_printf(c->mem, "Authorization: Basic %s",
		    crypto_base64(c->mem, pair, strlen(pair)));
	} else if (!str_eq(cfg->auth, "none")) {
		headers[0] = mem_printf(c->mem, "%s: %s%s",
		    cfg->header_name ? cfg->header_name : "Authorization",
		    cfg->header_name ? "" : "Bearer ", k->token);
	}
	out->base_url = cfg->base_url;
	out->headers = headers;
	return E_OK;
}

static const char *
holder_of(const struct connection_held *h, const char *maker)
{
	return str_eq(h->auth_mode, "shared") ? CREDENTIAL_SHARED : maker;
}

static enum err
credential_of(struct ctx *c, const struct connection_held *h, const char *maker,
    const struct credential **out)
{
	const bool given = h->sealed != NULL;
	struct connection_config config;

	*out = NULL;
	TRY(connection_config(c, h->kind, h->auth_mode, h->config, &config));
	if (config.sign_in == SIGN_IN_NOTHING)
		return E_OK;
	if (given && !h->needs_auth)
		return credential_unseal(c, h->id, holder_of(h, maker), h->sealed, out);
	if (str_eq(h->auth_mode, "shared"))
		return fail(c, E_INVALID,
		    "the connection %s %s; an admin of the workspace can enter them%s", h->name,
		    given ? "has credentials that are no longer accepted" : "has no credentials",
		    given ? " again" : "");
	return fail(c, E_INVALID,
	    given ? "the credentials that the person who set up this job gave for the connection "
		    "%s are no longer accepted; they can enter them again"
		  : "the person who set up this job hasn't given credentials for the connection %s",
	    h->name);
}

static enum err
use_by_kind(struct ctx *c, const char *kind, const char *config, const struct credential *k,
    struct connection_used *out)
{
	struct connection_postgres_config *cfg;

	if (str_eq(kind, "http"))
		return http_use(c, config, k, out);
	TRY(connection_postgres_config(c, config, &cfg));
	if (k->username)
		cfg->username = k->username;
	out->postgres = cfg;
	out->password = k->password;
	return E_OK;
}

enum err
connection_use_new(struct ctx *c, const struct connection_new *in, struct connection_used **out)
{
	struct connection_used *used = mem_new(c->mem, struct connection_used);
	struct connection_config config;
	struct connection s = { .provider = in->provider,
		.auth_mode = in->auth_mode ? in->auth_mode : "shared",
		.name = in->name };
	struct credential k = { 0 };

	TRY(provider_kind(c, s.provider, &s.kind));
	TRY(connection_config(c, s.kind, s.auth_mode, in->config, &config));
	TRY(connection_host_check(c, &config));
	if (config.sign_in == SIGN_IN_PROVIDER)
		return fail(c, E_CONFLICT,
		    "Somebody signs in at %s first; test the connection after that", s.provider);
	if (config.sign_in != SIGN_IN_NOTHING && !in->credentials)
		return fail(c, E_INVALID, "credentials: are required for a test");
	if (in->credentials)
		TRY(credential_check(c, "credentials.", &config, in->credentials, &k));
	s.config = config.text;
	used->connection = mem_dup(c->mem, &s, sizeof s);
	*out = used;
	return use_by_kind(c, s.kind, s.config, &k, used);
}

void
connection_used_redact(const struct connection_used *used, struct redact *out)
{
	redact_add(out, used->password);
	redact_add(out, used->token);
	for (const char *const *line = used->headers; line && *line; line++) {
		const char *value = strstr(*line, ": "), *last = strrchr(*line, ' ');

		redact_add(out, value ? value + 2 : NULL);
		redact_add(out, last ? last + 1 : NULL);
	}
}

static enum err
held_read(struct ctx *c, const char *connection_id, const char *workspace_id, const char *maker,
    struct connection_held **out)
{
	TRY(db_find(c,
	    ROWS(connection_held,
		"SELECT n.id, n.provider, n.kind, n.name, n.auth_mode, n.config,"
		" n.remote_account, n.workspace_id, n.last_used_at, n.last_error,"
		" n.updated_at, m.role AS maker_role, k.sealed,"
		" COALESCE(k.needs_auth, FALSE) AS needs_auth FROM connection n"
		" LEFT JOIN member m ON m.workspace_id = n.workspace_id AND m.user_id = ?"
		" LEFT JOIN connection_credential k ON k.connection_id = n.id"
		" AND k.holder = IF(n.auth_mode = 'shared', '', ?) WHERE n.id = ?"),
	    ARGS(maker, maker, connection_id), out));
	if (!*out)
		return fail(c, E_INVALID,
		    "the connection that this job uses has been deleted; choose another one");
	if (!str_eq((*out)->workspace_id, workspace_id))
		return fail(c, E_INVALID,
		    "the artifact isn't in the workspace of the connection that this job uses; "
		    "choose a connection of the artifact's own workspace");
	return member_rank((*out)->maker_role) >= MEMBER_MEMBER
	    ? E_OK
	    : fail(c, E_INVALID,
		  "the person who set up this job isn't a member of the workspace, so the job "
		  "can't use its connection %s; a member can turn the job back on",
		  (*out)->name);
}

enum err
connection_may(struct ctx *c, const char *connection_id, const char *workspace_id,
    const char *maker)
{
	const struct credential *k;
	struct connection_held *h;
	enum err e;

	TRY(held_read(c, connection_id, workspace_id, maker, &h));
	e = credential_of(c, h, maker, &k);
	if (e == E_INVALID && c->message && c->actor && str_eq(c->actor->user_id, maker) &&
	    str_eq(h->auth_mode, "member"))
		c->message = mem_printf(c->mem,
		    "%s; you answer for it, so give your own first, on the connection's page or by "
		    "PUT /v1/workspaces/%s/connections/%s/my-credentials",
		    c->message, workspace_id, connection_id);
	return e;
}

enum err
connection_use(struct ctx *c, const char *connection_id, const char *workspace_id,
    const char *maker, struct connection_used **out)
{
	struct connection_used *used = mem_new(c->mem, struct connection_used);
	struct connection *s = mem_new(c->mem, struct connection);
	const struct credential *k;
	struct connection_held *h;

	TRY(held_read(c, connection_id, workspace_id, maker, &h));
	TRY(credential_of(c, h, maker, &k));
	*s = (struct connection){ .id = h->id,
		.provider = h->provider,
		.kind = h->kind,
		.name = h->name,
		.auth_mode = h->auth_mode,
		.config = h->config,
		.my_credentials = h->sealed != NULL,
		.last_used_at = h->last_used_at,
		.last_error = h->last_error,
		.updated_at = h->updated_at,
		.workspace_id = h->workspace_id,
		.remote_account = h->remote_account };
	used->connection = s;
	*out = used;
	if (!str_eq(h->kind, "http") && !str_eq(h->kind, "postgres"))
		return provider_use(c, holder_of(h, maker), used);
	return use_by_kind(c, h->kind, h->config, k, used);
}

enum err
connection_ended(struct ctx *c, const struct connection *s, const char *error)
{
	const char *shown =
	    error ? str_cut(c->mem, str_one_line(c->mem, error), CONNECTION_ERROR_CHARS) : NULL;

	if (str_eq(shown, s->last_error) && s->last_used_at > c->now - REPEATED_AFTER_S)
		return E_OK;
	return db_exec(c,
	    EXEC("UPDATE connection SET last_used_at = ?, last_error = ?,"
		 " last_error_at = IF(? IS NULL, NULL, ?) WHERE id = ? AND updated_at = ?"),
	    ARGS(c->now, shown, shown, c->now, s->id, s->updated_at), NULL);
}

/* ---- paths ---- */

enum err
connection_path(struct ctx *c, const char *base_url, const char *path, const char **url)
{
	const char *under = path + (*path == '/'), *query = under + strcspn(under, "?");
	const char *wrong;

	wrong = connection_path_wrong(c, mem_strndup(c->mem, under, (size_t)(query - under)));
	/* The query, too, may only contain characters of an address. */
	for (const char *p = query; *p && !wrong; p++)
		if (*p <= ' ' || *p > '~' || *p == '#')
			wrong = "must be visible ASCII without spaces and #; encode what isn't";
	if (!wrong && *under == '/')
		wrong = "must not begin with //";
	if (wrong)
		return fail(c, E_INVALID, "path: %s", wrong);
	*url = mem_printf(c->mem, "%s%s%s", base_url, *under && *under != '?' ? "/" : "", under);
	return E_OK;
}
