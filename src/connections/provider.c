/* SPDX-License-Identifier: Apache-2.0 */
#include "connections/provider.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/crypto.h"
#include "base/json.h"
#include "base/str.h"

enum { ACCOUNT_CHARS = 255, LABEL_CHARS = 80, YEAR_S = 31536000 };
enum { PAUSED = 32, HUNG_MS = 5000, PAUSE_MS = 60000 };

/* The characters of b64token in RFC 6750. Others could end the header's line. */
#define TOKEN_LETTERS \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/="

const struct connector *
provider_of(const struct conf *conf, const char *name)
{
	for (size_t i = 0; i < conf->connector_n; i++)
		if (str_eq(conf->connectors[i].name, name))
			return &conf->connectors[i];
	return NULL;
}

enum err
provider_find(struct ctx *c, const char *name, const struct connector **out)
{
	*out = provider_of(c->conf, name);
	return *out ? E_OK
		    : fail(c, E_CONFLICT,
			  "provider: %s isn't set up here; the service's operator must add "
			  "%s.yaml to connections_dir",
			  name, name);
}

bool
provider_is_chat(const char *name)
{
	return str_in(name, CONNECTOR_CHATS);
}

static const char *
redirect_uri(struct ctx *c, const struct connector *p)
{
	return mem_printf(c->mem, "%s/v1/oauth/%s/callback", c->conf->base_url, p->name);
}

/* ---- the page where people agree ---- */

const char *
provider_authorize_url(
    struct ctx *c, const struct connector *p, const char *state, const char *verifier)
{
	struct buf b = BUF(c->mem);
	uint8_t hash[SHA256_BYTES];

	crypto_sha256(verifier, strlen(verifier), hash);
	buf_str(&b, p->authorize_url);
	if (!strchr(p->authorize_url, '?'))
		buf_chr(&b, '?');
	form_pair(&b, "response_type", "code");
	form_pair(&b, "client_id", p->client_id);
	form_pair(&b, "redirect_uri", redirect_uri(c, p));
	if (conf_has(p->scopes))
		form_pair(&b, "scope", p->scopes);
	form_pair(&b, "state", state);
	form_pair(&b, "code_challenge", crypto_base64url(c->mem, hash, sizeof hash));
	form_pair(&b, "code_challenge_method", "S256");
	return buf_done(&b);
}

/* ---- requests ---- */

static enum err
unreachable(struct ctx *c, const struct connector *p)
{
	return fail(c, E_UPSTREAM, "%s can't be reached, or took too long; try again shortly",
	    p->title);
}

static enum err
nonsense(struct ctx *c, const struct connector *p, long status)
{
	return fail(c, E_UPSTREAM, "%s didn't respond as expected (status %ld)", p->title, status);
}

static enum err
too_often(struct ctx *c, const struct connector *p, const struct egress_res *res)
{
	c->retry_after_s = res->retry_after_s;
	return fail(c, E_UPSTREAM, "%s was asked too often; try again later", p->title);
}

static enum err
secret_read(struct ctx *c, const struct connector *p, const char *path, const char **out)
{
	*out = conf_has(path) ? conf_secret(c->mem, path) : NULL;
	if (*out || !conf_has(path))
		return E_OK;
	fail_here(c, "%s of %s.yaml can't be read", path, p->name);
	return fail(c, E_UNAVAILABLE, "%s", err_table[E_UNAVAILABLE].text);
}

enum err
provider_json(struct ctx *c, const struct connector *p, const struct egress_res *res,
    const struct json **out)
{
	struct json *tree;

	if (res->encoded || json_parse(c, res->body, res->body_n, &tree))
		return nonsense(c, p, res->status);
	*out = tree;
	return E_OK;
}

/* After a service didn't answer, this process doesn't ask it for a minute. Otherwise all jobs of a
 * runner would wait for it. */
static struct pause {
	char name[64];
	int64_t until_ms;
} pauses[PAUSED];

static enum err
request_send(struct ctx *c, const struct connector *p, const struct egress_req *req,
    struct egress_res **out)
{
	struct pause *pause = pauses;
	int64_t began;

	while (pause < pauses + PAUSED - 1 && *pause->name && !str_eq(pause->name, p->name))
		pause++;
	snprintf(pause->name, sizeof pause->name, "%s", p->name);
	began = clock_ms();
	if (began < pause->until_ms)
		return unreachable(c, p);
	if (!egress_send(c, req, out))
		return E_OK;
	if (clock_ms() - began >= HUNG_MS)
		pause->until_ms = clock_ms() + PAUSE_MS;
	return unreachable(c, p);
}

enum err
provider_ask(struct ctx *c, const struct connector *p, const char *url, const char *header,
    struct egress_res **out)
{
	const char *headers[] = { "Accept: application/json", header, NULL };
	const struct egress_req req = { .url = url,
		.max_bytes = PROVIDER_BYTES,
		.timeout_s = PROVIDER_TIMEOUT_S,
		.headers = headers };

	return request_send(c, p, &req, out);
}

enum err
provider_header(
    struct ctx *c, const struct connector *p, const char *access_token, const char **out)
{
	const char *bot;

	TRY(secret_read(c, p, p->bot_token_file, &bot));
	*out = bot ? mem_printf(c->mem, "Authorization: Bot %s", bot)
		   : mem_printf(c->mem, "Authorization: Bearer %s", access_token);
	return E_OK;
}

/* ---- tokens ---- */

/* Adds the client's id and secret to the form or the headers, and sends it. */
static enum err
token_ask(struct ctx *c, const struct connector *p, struct buf *form, struct egress_res **out)
{
	const char *headers[] = { "Accept: application/json", NULL, NULL }, *secret;
	struct buf pair = BUF(c->mem);
	struct egress_req req = { .url = p->token_url,
		.max_bytes = PROVIDER_BYTES,
		.timeout_s = PROVIDER_TIMEOUT_S,
		.headers = headers };

	TRY(secret_read(c, p, p->client_secret_file, &secret));
	if (secret && str_eq(p->client_auth, "basic")) {
		/* RFC 6749 section 2.3.1: id and secret are form-encoded before the colon. */
		buf_form(&pair, p->client_id);
		buf_chr(&pair, ':');
		buf_form(&pair, secret);
		headers[1] = mem_printf(c->mem, "Authorization: Basic %s",
		    crypto_base64(c->mem, pair.s, pair.n));
	} else {
		form_pair(form, "client_id", p->client_id);
		if (secret)
			form_pair(form, "client_secret", secret);
	}
	req.form = buf_done(form);
	return request_send(c, p, &req, out);
}

/* Reads the error code of RFC 6749 section 5.2. Chats send it with status 200. */
static enum err
token_refused(
    struct ctx *c, const struct connector *p, const struct egress_res *res, const char *code)
{
	if (str_in(code ? code : "", "invalid_grant|invalid_code|code_already_used|"
				     "invalid_refresh_token|token_revoked|token_expired"))
		return fail(c, E_INVALID, "%s no longer accepts this sign-in", p->title);
	if (str_in(code ? code : "", "ratelimited|rate_limited"))
		return too_often(c, p, res);
	if (str_in(code ? code : "", "invalid_client|unauthorized_client|bad_client_secret"))
		return fail(c, E_UPSTREAM,
		    "%s doesn't accept this service's client_id and secret; "
		    "the service's operator must correct them",
		    p->title);
	return nonsense(c, p, res->status);
}

/* Returns a text, or a whole number as text, because services use both as identifiers. */
static const char *
identifier(struct ctx *c, const struct json *object, const char *name)
{
	const struct json *n = json_get_as(object, name, J_INT);
	const char *s = n ? json_text(c->mem, n) : json_word(object, name);

	return s && *s && str_plain(s) && str_chars(s) <= ACCOUNT_CHARS ? s : NULL;
}

static enum err
tokens_read(struct ctx *c, const struct connector *p, const struct egress_res *res,
    struct provider_tokens *out)
{
	const struct json *tree, *ok, *party;
	const char *label, *expires_in;
	int64_t s = 0;

	if (res->status == 429)
		return too_often(c, p, res);
	TRY(provider_json(c, p, res, &tree));
	if (json_kind(tree) != J_OBJ)
		return nonsense(c, p, res->status);
	ok = json_get(tree, "ok");
	if (res->status != 200 || (ok && !json_true(ok)) || json_get(tree, "error"))
		return token_refused(c, p, res, json_word(tree, "error"));
	/* The team or guild to which the chat was added. */
	party = json_get_as(tree, json_get_as(tree, "team", J_OBJ) ? "team" : "guild", J_OBJ);
	label = identifier(c, party, "name");
	expires_in = identifier(c, tree, "expires_in");
	if (!expires_in || !str_int(expires_in, &s) || s <= 0)
		s = 0;
	*out = (struct provider_tokens){ .access_token = json_word(tree, "access_token"),
		.refresh_token = json_word(tree, "refresh_token"),
		.expires_at = s ? c->now + (s < YEAR_S ? s : YEAR_S) : 0,
		.account = identifier(c, party, "id"),
		.label = label ? str_cut(c->mem, label, LABEL_CHARS) : NULL };
	return out->access_token && *out->access_token &&
		!out->access_token[strspn(out->access_token, TOKEN_LETTERS)]
	    ? E_OK
	    : nonsense(c, p, res->status);
}

enum err
provider_exchange(struct ctx *c, const struct connector *p, const char *code,
    const char *verifier, struct provider_tokens *out)
{
	struct buf form = BUF(c->mem);
	struct egress_res *res;

	form_pair(&form, "grant_type", "authorization_code");
	form_pair(&form, "code", code);
	form_pair(&form, "redirect_uri", redirect_uri(c, p));
	form_pair(&form, "code_verifier", verifier);
	TRY(token_ask(c, p, &form, &res));
	return tokens_read(c, p, res, out);
}

enum err
provider_renew(struct ctx *c, const struct connector *p, const char *refresh_token,
    struct provider_tokens *out)
{
	struct buf form = BUF(c->mem);
	struct egress_res *res;

	form_pair(&form, "grant_type", "refresh_token");
	form_pair(&form, "refresh_token", refresh_token);
	TRY(token_ask(c, p, &form, &res));
	return tokens_read(c, p, res, out);
}

enum err
provider_account(struct ctx *c, const struct connector *p, struct provider_tokens *t)
{
	const struct json *tree;
	struct egress_res *res;
	const char *header;

	if (t->account)
		return E_OK;
	if (provider_is_chat(p->name))
		return fail(c, E_UPSTREAM, "%s didn't say what it was added to", p->title);
	t->account = "";
	if (!conf_has(p->account_path))
		return E_OK;
	TRY(provider_header(c, p, t->access_token, &header));
	TRY(provider_ask(
	    c, p, mem_printf(c->mem, "%s/%s", p->api_base, p->account_path), header, &res));
	TRY(provider_json(c, p, res, &tree));
	t->account = t->label = identifier(c, tree, p->account_field);
	return res->status == 200 && t->account
	    ? E_OK
	    : fail(c, E_UPSTREAM, "%s didn't say whose account this is (status %ld)", p->title,
		  res->status);
}
