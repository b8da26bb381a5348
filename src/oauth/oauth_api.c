/* SPDX-License-Identifier: Apache-2.0
 * The authorization server for programs: its metadata, registration, and tokens. Source:
 * RFC 8414, RFC 9728, RFC 7591, RFC 6749, RFC 7009; RFC 8628 for device logins; oauth/README.md. */
#include "base/conf.h"
#include "base/str.h"
#include "core/token.h"
#include "http/req.h"
#include "oauth/client.h"
#include "oauth/grant.h"
#include "people/device.h"

#define DEVICE_GRANT "urn:ietf:params:oauth:grant-type:device_code"

/* ---- metadata ---- */

static void
scopes_write(struct buf *b, const char *more)
{
	for (enum scope s = ANY_SCOPE + 1; s < SCOPE_END; s++)
		buf_fmt(b, "%s\"%s\"", s == ANY_SCOPE + 1 ? "" : ",", scope_name(s));
	buf_fmt(b, "%s]", more);
}

static enum err
h_resource(struct req *r)
{
	const char *base = r->c->conf->base_url;

	r->status = 200;
	buf_fmt(&r->out,
	    "{\"resource\":\"%s/mcp\",\"resource_name\":\"Vitrine\","
	    "\"authorization_servers\":[\"%s\"],"
	    "\"bearer_methods_supported\":[\"header\"],"
	    "\"resource_documentation\":\"%s/docs/connect\",\"scopes_supported\":[",
	    base, base, base);
	scopes_write(&r->out, "");
	buf_chr(&r->out, '}');
	return E_OK;
}

/* The scopes lack openid, because some programs request every scope in the list. */
static enum err
h_server(struct req *r)
{
	const char *base = r->c->conf->base_url;
	struct buf *b = &r->out;

	r->status = 200;
	buf_fmt(b, "{\"issuer\":\"%s\"", base);
	buf_fmt(b, ",\"authorization_endpoint\":\"%s/oauth/authorize\"", base);
	buf_fmt(b, ",\"token_endpoint\":\"%s/v1/oauth/token\"", base);
	buf_fmt(b, ",\"registration_endpoint\":\"%s/v1/oauth/register\"", base);
	buf_fmt(b, ",\"revocation_endpoint\":\"%s/v1/oauth/revoke\"", base);
	buf_fmt(b, ",\"device_authorization_endpoint\":\"%s/v1/oauth/device_authorization\"", base);
	buf_str(b,
	    ",\"response_types_supported\":[\"code\"],\"response_modes_supported\":[\"query\"],"
	    "\"grant_types_supported\":[\"authorization_code\",\"refresh_token\","
	    "\"" DEVICE_GRANT "\"],"
	    "\"code_challenge_methods_supported\":[\"S256\"],"
	    "\"token_endpoint_auth_methods_supported\":[\"none\"],"
	    "\"revocation_endpoint_auth_methods_supported\":[\"none\"],"
	    "\"client_id_metadata_document_supported\":true,"
	    "\"authorization_response_iss_parameter_supported\":true,");
	buf_fmt(b, "\"service_documentation\":\"%s/docs/connect\",\"scopes_supported\":[", base);
	scopes_write(b, ",\"offline_access\"");
	buf_chr(b, '}');
	return E_OK;
}

/* Replies with an OAuth failure: error and error_description are from RFC 6749 section 5.2, the
 * other members are ours. Returns E_OK, so what was written stays. */
static enum err
oauth_refuse(struct req *r, const char *word, const char *text)
{
	char *code = mem_strdup(r->c->mem, word);

	for (char *p = code; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	r->status = 400;
	r->out = BUF(r->c->mem);
	buf_fmt(&r->out,
	    "{\"success\":false,\"error\":\"%s\",\"code\":\"%s\",\"request_id\":", word, code);
	buf_json(&r->out, r->id);
	buf_str(&r->out, ",\"error_description\":");
	buf_json(&r->out, text);
	buf_chr(&r->out, '}');
	return E_OK;
}

/* Replies to a request that is refused before its handler, in the form of RFC 6749 section 5.2 and
 * RFC 7591 section 3.2.2. */
static void
oauth_refuse_all(struct req *r, enum err e)
{
	const char *why = ctx_told(r->c, e);

	oauth_refuse(r,
	    err_table[e].status >= 500             ? "temporarily_unavailable"
		: r->route->body.kind == BODY_OAUTH ? "invalid_request"
		: str_starts(why, "redirect_uris")  ? "invalid_redirect_uri"
						    : "invalid_client_metadata",
	    why);
	r->status = err_table[e].status;
	reply_header(r, "Content-Type", "application/json");
}

/* ---- registration ---- */

/* Metadata of RFC 7591 and OpenID Connect that changes nothing here, so no warning names it. */
#define IGNORED(F, T, name) F(T, JSON, name, .flags = F_NUL, .doc = "Ignored")

#define REGISTER(F, T) \
	F(T, STR,  client_name) \
	F(T, STRS, redirect_uris, .flags = F_REQ, .lo = 1, .hi = 100, \
		.eg = "[\"http://127.0.0.1/callback\"]", \
		.doc = "https, http on this machine (any port), or an app's own scheme") \
	IGNORED(F, T, grant_types) IGNORED(F, T, response_types) \
	IGNORED(F, T, token_endpoint_auth_method) IGNORED(F, T, application_type) \
	IGNORED(F, T, client_uri) IGNORED(F, T, logo_uri) IGNORED(F, T, scope) \
	IGNORED(F, T, contacts) IGNORED(F, T, tos_uri) IGNORED(F, T, policy_uri) \
	IGNORED(F, T, jwks_uri) IGNORED(F, T, jwks) IGNORED(F, T, software_id) \
	IGNORED(F, T, software_version) IGNORED(F, T, software_statement)
SHAPE(oauth_register, REGISTER);

#define REGISTERED(F, T) \
	F(T, STR,  client_id) \
	F(T, TIME, client_id_issued_at) \
	F(T, STR,  client_name) \
	F(T, STRS, redirect_uris, .doc = "Those that can be used") \
	F(T, STRS, grant_types) \
	F(T, STRS, response_types) \
	F(T, STR,  token_endpoint_auth_method, .doc = "none: there is no secret")
SHAPE(oauth_registered, REGISTERED);

static enum err
h_register(struct req *r)
{
	static const char *grants[] = { "authorization_code", "refresh_token" };
	static const char *types[] = { "code" };
	const struct oauth_register *in = r->in;
	struct oauth_client client;

	if (!client_register(r->c, in->client_name, &in->redirect_uris, &client))
		return fail(r->c, E_INVALID,
		    "redirect_uris: one to twelve are needed that are https, http on this machine, "
		    "or an app's own scheme");
	return reply_flat(r,
	    &(struct oauth_registered){ .client_id = client.id,
		.client_id_issued_at = r->c->now,
		.client_name = client.name,
		.redirect_uris = client.uris,
		.grant_types = { grants, 2 },
		.response_types = { types, 1 },
		.token_endpoint_auth_method = "none" });
}

/* ---- tokens ---- */

#define OAUTH_ASK(F, T) \
	F(T, STR, grant_type,    .flags = F_REQ, .hi = 200, .eg = "\"" DEVICE_GRANT "\"", \
		.doc = "authorization_code, refresh_token, or " DEVICE_GRANT) \
	F(T, STR, device_code,   .hi = 200, .eg = "\"…\"", .doc = "Of a device login") \
	F(T, STR, client_id,     .hi = CLIENT_ID_MAX, .doc = "Not needed for a device login") \
	F(T, STR, code,          .hi = 200) \
	F(T, STR, code_verifier, .hi = 200) \
	F(T, STR, redirect_uri,  .hi = CLIENT_URI_MAX) \
	F(T, STR, refresh_token, .hi = 200)
SHAPE(oauth_ask, OAUTH_ASK);

static enum err
token_of_device(struct req *r, const struct oauth_ask *in)
{
	struct device_token out;
	enum err e;

	if (!in->device_code)
		return oauth_refuse(r, "invalid_request", "device_code is missing");
	e = device_poll(r->c, in->device_code, &out);
	if (e == E_SLOW_DOWN || e == E_INVALID)
		return oauth_refuse(
		    r, e == E_SLOW_DOWN ? "slow_down" : "invalid_grant", r->c->message);
	TRY(e);
	if (str_eq(out.status, "approved"))
		return reply_flat(r,
		    &(struct grant_tokens){ .access_token = out.token,
			.token_type = "Bearer",
			.expires_in = TOKEN_YEAR_S });
	if (str_eq(out.status, "pending"))
		return oauth_refuse(r, "authorization_pending", "no one has approved it yet");
	return str_eq(out.status, "denied")
	    ? oauth_refuse(r, "access_denied", "the person denied it")
	    : oauth_refuse(r, "expired_token",
		"the code has expired, or its token has already been fetched");
}

static enum err
token_of_grant(struct req *r, const struct oauth_ask *in, bool refreshes)
{
	struct grant_tokens out;
	const char *wrong = NULL;

	if (!in->client_id || (refreshes ? !in->refresh_token : !in->code || !in->code_verifier))
		return oauth_refuse(r, "invalid_request",
		    refreshes ? "client_id and refresh_token are needed"
			      : "client_id, code and code_verifier are needed");
	TRY(refreshes ? grant_refresh(r->c, in->refresh_token, in->client_id, &out, &wrong)
		      : grant_redeem(r->c,
			    &(struct redeemed){ in->code, in->client_id, in->redirect_uri,
				in->code_verifier },
			    &out, &wrong));
	return wrong ? oauth_refuse(r, "invalid_grant", wrong) : reply_flat(r, &out);
}

/* An error doesn't roll back, because its rows must stay: the time of a poll, the end of a
 * grant. */
static enum err
h_token(struct req *r)
{
	const struct oauth_ask *in = r->in;

	if (str_eq(in->grant_type, DEVICE_GRANT))
		return token_of_device(r, in);
	if (str_in(in->grant_type, "authorization_code|refresh_token"))
		return token_of_grant(r, in, str_eq(in->grant_type, "refresh_token"));
	return oauth_refuse(r, "unsupported_grant_type",
	    "grant_type must be authorization_code, refresh_token, or " DEVICE_GRANT);
}

#define OAUTH_END(F, T) \
	F(T, STR, token, .flags = F_REQ, .hi = 200, \
		.doc = "The access token or the refresh token; both end, whichever it is")
SHAPE(oauth_end, OAUTH_END);

static enum err
h_revoke(struct req *r)
{
	const struct oauth_end *in = r->in;

	TRY(grant_end_by_token(r->c, in->token));
	return reply_none(r);
}

static const struct route oauth_routes[] = {
/*  method  path                                          who
    body                   reply                          handler */
  { GET,  "/.well-known/oauth-protected-resource",        PUBLIC,
    TAKES_NOTHING,         GIVES_JSON,                    h_resource,
    .scope = ANY_SCOPE, .doc = "Where tokens for /mcp come from" },
  { GET,  "/.well-known/oauth-protected-resource/mcp",    PUBLIC,
    TAKES_NOTHING,         GIVES_JSON,                    h_resource,
    .scope = ANY_SCOPE, .doc = "The same, where the resource's path leads to" },
  { GET,  "/.well-known/oauth-authorization-server",      PUBLIC,
    TAKES_NOTHING,         GIVES_JSON,                    h_server,
    .scope = ANY_SCOPE, .doc = "What this authorization server can do" },
  { GET,  "/.well-known/oauth-authorization-server/mcp",  PUBLIC,
    TAKES_NOTHING,         GIVES_JSON,                    h_server,
    .scope = ANY_SCOPE, .doc = "The same, where some programs look first" },
  { GET,  "/.well-known/openid-configuration",            PUBLIC,
    TAKES_NOTHING,         GIVES_JSON,                    h_server,
    .scope = ANY_SCOPE, .doc = "The same, where others do" },
  { GET,  "/.well-known/openid-configuration/mcp",        PUBLIC,
    TAKES_NOTHING,         GIVES_JSON,                    h_server,
    .scope = ANY_SCOPE, .doc = "The same" },
  { POST, "/v1/oauth/register",                           PUBLIC,
    TAKES(oauth_register), GIVES_FLAT(oauth_registered),  h_register,
    .scope = ANY_SCOPE, .success = 201, .no_transaction = true, .refuse = oauth_refuse_all,
    .doc = "Register a program; the same one gets the same client_id" },
  { POST, "/v1/oauth/token",                              PUBLIC,
    TAKES_OAUTH(oauth_ask), GIVES_FLAT(grant_tokens),     h_token,
    .scope = ANY_SCOPE, .refuse = oauth_refuse_all,
    .doc = "Get a token for a code, a refresh token, or a device login" },
  { POST, "/v1/oauth/revoke",                             PUBLIC,
    TAKES_OAUTH(oauth_end), GIVES_NOTHING,                h_revoke,
    .scope = ANY_SCOPE, .refuse = oauth_refuse_all,
    .doc = "Disconnect: all tokens of the program's connection end" },
};
ROUTES(oauth, "OAuth",
    "How a program is connected to /mcp without a token being copied: it registers, its person "
    "agrees at /oauth/authorize, and it trades the code for tokens.");
