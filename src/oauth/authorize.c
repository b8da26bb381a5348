/* SPDX-License-Identifier: Apache-2.0 */
#include "oauth/authorize.h"

#include "base/conf.h"
#include "base/principal.h"
#include "base/str.h"

SHAPE_DEFINE(authorize, AUTHORIZE);

int64_t
authorize_scopes(struct ctx *c, const char *scope)
{
	char *rest = mem_strdup(c->mem, scope ? scope : ""), *word;
	int64_t asked = 0, all = 0;

	while ((word = strsep(&rest, " ")))
		for (enum scope s = ANY_SCOPE + 1; s < SCOPE_END; s++)
			if (str_eq(word, scope_name(s)))
				asked |= scope_bits((enum scope[]){ s, NO_SCOPE });
	for (enum scope s = ANY_SCOPE + 1; s < SCOPE_END; s++)
		all |= scope_bits((enum scope[]){ s, NO_SCOPE });
	return asked ? asked : all;
}

enum err
authorize_judge(struct ctx *c, const struct authorize *q, struct oauth_client *client,
    const char **word)
{
	const char *base = c->conf->base_url, *resource = q->resource;

	*word = NULL;
	if (!q->client_id || !q->redirect_uri)
		return fail(c, E_INVALID,
		    "%s: is missing; start again in the program that sent you here",
		    q->client_id ? "redirect_uri" : "client_id");
	TRY(client_find(c, q->client_id, client));
	if (!client_returns_to(client, q->redirect_uri))
		return fail(c, E_INVALID,
		    "redirect_uri: isn't one that this program has said it comes back to");
	*word = "unsupported_response_type";
	if (!str_eq(q->response_type, "code"))
		return fail(c, E_INVALID, "response_type: must be code");
	*word = "invalid_request";
	if (!q->code_challenge || strlen(q->code_challenge) != 43 ||
	    !str_eq(q->code_challenge_method, "S256"))
		return fail(c, E_INVALID,
		    "code_challenge: must be there, made by code_challenge_method S256");
	*word = "invalid_target";
	/* The agents' protocol, or this service: some programs leave out the path, or add a
	 * slash. */
	if (!resource || str_eq(resource, base) ||
	    (str_starts(resource, base) && str_in(resource + strlen(base), "/|/mcp|/mcp/")))
		return E_OK;
	return fail(c, E_INVALID, "resource: must be %s/mcp", base);
}

const char *
authorize_answer(struct ctx *c, const char *uri, const char *state, const char *name,
    const char *value, const char *why)
{
	struct buf to = BUF(c->mem);

	buf_fmt(&to, "%s%c%s=", uri, strchr(uri, '?') ? '&' : '?', name);
	buf_form(&to, value);
	if (why) {
		buf_str(&to, "&error_description=");
		buf_form(&to, why);
	}
	if (state) {
		buf_str(&to, "&state=");
		buf_form(&to, state);
	}
	buf_str(&to, "&iss=");
	buf_form(&to, c->conf->base_url);
	return buf_done(&to);
}

const char *
authorize_source(void *mem, const char *uri)
{
	const char *host = client_uri_host(mem, uri);

	return str_starts(uri, "https:") ? mem_printf(mem, "https://%s", host)
	    : str_starts(uri, "http:")   ? "http:"
					 : host;
}
