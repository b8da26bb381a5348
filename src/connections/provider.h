/* SPDX-License-Identifier: Apache-2.0
 * Services that workspaces connect by OAuth 2 (RFC 6749 with PKCE, RFC 7636). The operator sets
 * them up in connections_dir (base/connector.def). Requests follow the rules of jobs' requests
 * (ext/egress.h) and go only to addresses in the operator's file. No response, or a wrong one,
 * is E_UPSTREAM, with c->retry_after_s if the service sets it. Messages never repeat the
 * service's words. */
#ifndef VITRINE_CONNECTION_PROVIDER_H
#define VITRINE_CONNECTION_PROVIDER_H
#include "base/conf.h"
#include "ext/egress.h"

struct json;

enum { PROVIDER_TIMEOUT_S = 10, PROVIDER_BYTES = 1 << 20 };

/* Returns the operator's settings of a service, or NULL. */
const struct connector *provider_of(const struct conf *, const char *name);
/* E_CONFLICT: not set up; the message names the missing file. */
enum err provider_find(struct ctx *c, const char *name, const struct connector **out);
bool provider_is_chat(const char *name);

/* Returns the address where a person agrees. Make state and verifier like idp_login_new() does. */
const char *provider_authorize_url(struct ctx *c, const struct connector *, const char *state,
    const char *verifier);

/* The tokens that a service returns for a code. */
struct provider_tokens {
	const char *access_token;
	const char *refresh_token;   /* NULL: no renewal, or the old refresh token stays valid */
	int64_t expires_at;          /* Unix seconds; 0: no expiry, or unknown */
	const char *account, *label; /* id of the account there and its name for people; or NULL */
};
/* Exchanges a code. E_INVALID: the service doesn't accept it. */
enum err provider_exchange(struct ctx *c, const struct connector *, const char *code,
    const char *verifier, struct provider_tokens *out);
/* Fills `account` by a request if the tokens don't contain it. It is "" if the service has no
 * account_path. */
enum err provider_account(struct ctx *c, const struct connector *, struct provider_tokens *);
/* Exchanges a refresh token. E_INVALID: the service no longer accepts it. */
enum err provider_renew(struct ctx *c, const struct connector *, const char *refresh_token,
    struct provider_tokens *out);

/* Returns the Authorization header for requests to the API. chat_b uses the operator's bot
 * token. */
enum err provider_header(struct ctx *c, const struct connector *, const char *access_token,
    const char **out);
/* Sends a request to the API with that header. url begins with api_base. */
enum err provider_ask(struct ctx *c, const struct connector *, const char *url, const char *header,
    struct egress_res **out);
/* Reads the response body as JSON. */
enum err provider_json(struct ctx *c, const struct connector *, const struct egress_res *,
    const struct json **out);
#endif
