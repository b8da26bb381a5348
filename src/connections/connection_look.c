/* SPDX-License-Identifier: Apache-2.0 */
#include "connections/connection_look.h"

#include "base/json.h"
#include "base/str.h"
#include "connections/provider.h"

SHAPE_DEFINE(service_offered, SERVICE_OFFERED);

bool
connection_is_own(const struct connection *k)
{
	return str_eq(k->auth_mode, "member");
}

bool
connection_needs_credentials(const struct connection *k)
{
	return str_eq(k->status, "needs_auth") || (connection_is_own(k) && !k->my_credentials);
}

const char *
connection_state(const struct connection *k, bool admin)
{
	if (connection_needs_credentials(k))
		return admin || connection_is_own(k) ? "you" : "admin";
	return str_eq(k->status, "error") ? "bad" : "ok";
}

bool
connection_signs_in(const char *kind)
{
	return str_in(kind, "oauth2|chat");
}

/* Returns NULL if the config isn't JSON. */
static struct json *
config_of(struct ctx *c, const char *config)
{
	struct json *out;

	return json_parse(c, config, strlen(config), &out) ? NULL : out;
}

/* Returns the host and port of an address, or "". url: NULL for no address. */
static const char *
host_of_url(struct ctx *c, const char *url)
{
	const char *from = url ? strstr(url, "://") : NULL;

	return from ? mem_strndup(c->mem, from + 3, strcspn(from + 3, "/?#")) : "";
}

const char *
connection_host(struct ctx *c, const char *config)
{
	const struct json *o = config_of(c, config);
	const char *host = json_word(o, "host");

	return host ? host : host_of_url(c, json_word(o, "base_url"));
}

const char *
connection_server(struct ctx *c, const struct connection *k)
{
	struct connection_postgres_config *p;
	const char *url = json_word(config_of(c, k->config), "base_url");

	if (!str_eq(k->kind, "postgres"))
		return url ? url : "";
	if (connection_postgres_config(c, k->config, &p))
		return "";
	return mem_printf(c->mem, "%s%s%s:%lld/%s",
	    connection_is_own(k) ? "" : p->username,
	    connection_is_own(k) ? "" : "@", p->host, (long long)p->port, p->database);
}

const char *
credentials_asked(struct ctx *c, const char *kind, const char *mode, const char *config)
{
	struct connection_config read;

	if (connection_config(c, kind, mode, config, &read))
		return "none";
	return read.sign_in == SIGN_IN_TOKEN                                  ? "token"
	    : read.sign_in == SIGN_IN_PAIR || read.sign_in == SIGN_IN_PASSWORD ? "login"
										: "none";
}

/* ---- services at which people sign in ---- */

struct list
services_offered(struct ctx *c, const char *kind)
{
	const struct conf *conf = c->conf;
	struct service_offered *to =
	    mem_array(c->mem, struct service_offered, conf->connector_n + 1);
	size_t n = 0;

	for (size_t i = 0; i < conf->connector_n; i++) {
		const struct connector *s = &conf->connectors[i];

		if (provider_is_chat(s->name) != str_eq(kind, "chat"))
			continue;
		to[n++] = (struct service_offered){ .provider = s->name,
			.title = s->title,
			.host = host_of_url(c, s->authorize_url) };
	}
	return (struct list){ to, n };
}

const char *
connection_service(struct ctx *c, const struct connection *k)
{
	const struct connector *s =
	    connection_signs_in(k->kind) ? provider_of(c->conf, k->provider) : NULL;

	return s ? host_of_url(c, s->authorize_url) : NULL;
}

const char *
connection_signin(struct ctx *c, const char *workspace_id, const struct connection *k)
{
	return connection_service(c, k)
	    ? mem_printf(c->mem, "/w/%s/connections/%s/signin", workspace_id, k->id)
	    : NULL;
}
