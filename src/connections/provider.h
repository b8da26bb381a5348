/* SPDX-License-Identifier: Apache-2.0
 * The services that workspaces connect by OAuth 2 (RFC 6749, with PKCE, RFC 7636): what the
 * operator has set up in connections_dir (base/connector.def), and what they are asked. Requests go
 * out as those of jobs do (ext/egress.h), so what is inside must be in egress_allow, and nowhere
 * but to the file's own addresses. Answers that make no sense, and none at all, are E_UPSTREAM,
 * with c->retry_after_s where a service says when to come again; no message repeats its words. */
#ifndef VITRINE_CONNECTION_PROVIDER_H
#define VITRINE_CONNECTION_PROVIDER_H
#include "base/conf.h"
#include "ext/egress.h"

struct json;

enum { PROVIDER_TIMEOUT_S = 10, PROVIDER_BYTES = 1 << 20 };

/* NULL: there is no such file. */
const struct connector *provider_of(const struct conf *, const char *name);
/* E_CONFLICT names the file that is missing. */
enum err provider_find(struct ctx *c, const char *name, const struct connector **out);
bool provider_is_chat(const char *name);

/* Where a person agrees. state and verifier are of idp_login_new()'s kind. */
const char *provider_authorize_url(struct ctx *c, const struct connector *, const char *state,
    const char *verifier);

/* What a service gives for a code. */
struct provider_tokens {
	const char *access_token;
	const char *refresh_token;   /* NULL: it can't be renewed, or the one before stays */
	int64_t expires_at;          /* Unix seconds; 0: it doesn't expire, or nobody says */
	const char *account, *label; /* whose they are, and what people call that; or NULL */
};
/* E_INVALID when the service doesn't accept the code. */
enum err provider_exchange(struct ctx *c, const struct connector *, const char *code,
    const char *verifier, struct provider_tokens *out);
/* Asks whose they are, where the tokens don't tell; account is "" where nobody does. */
enum err provider_account(struct ctx *c, const struct connector *, struct provider_tokens *);
/* New ones for a refresh token. E_INVALID when it isn't accepted any more. */
enum err provider_renew(struct ctx *c, const struct connector *, const char *refresh_token,
    struct provider_tokens *out);

/* The line that a request of its API carries. Of chat_b it has the bot's token. */
enum err provider_header(struct ctx *c, const struct connector *, const char *access_token,
    const char **out);
/* A request to its API with that line; url begins with api_base. */
enum err provider_ask(struct ctx *c, const struct connector *, const char *url, const char *header,
    struct egress_res **out);
/* *out is the JSON value in the answer. */
enum err provider_json(struct ctx *c, const struct connector *, const struct egress_res *,
    const struct json **out);
#endif
