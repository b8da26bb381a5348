/* SPDX-License-Identifier: Apache-2.0 */
#include "connections/config.h"

#include "base/host.h"
#include "base/json.h"
#include "base/str.h"
#include "ext/egress.h"
#include "ext/header.h"

#include <arpa/inet.h>

SHAPE_DEFINE(connection_http_config, CONNECTION_HTTP_CONFIG);
SHAPE_DEFINE(connection_postgres_config, CONNECTION_POSTGRES_CONFIG);

enum { POSTGRES_PORT = 5432 };

/* ---- paths ---- */

/* Checks one segment, and changes it. Some servers decode it; some take the part after a
 * semicolon as parameters. */
static const char *
segment_wrong(char *segment)
{
	static const char escaped[] = "must not contain an encoded slash or backslash";

	if (!str_unescape(segment, false))
		return "has a % that isn't followed by two hexadecimal digits of valid text";
	if (strpbrk(segment, "/\\"))
		return escaped;
	segment[strcspn(segment, ";")] = '\0';
	return str_in(segment, ".|..") ? "must not contain . or .. as a part" : NULL;
}

const char *
connection_path_wrong(struct ctx *c, const char *path)
{
	char *rest = mem_strdup(c->mem, path), *segment;
	const char *wrong;

	for (const char *p = path; *p; p++)
		if (*p <= ' ' || *p > '~' || *p == '\\' || *p == '#')
			return "must be visible ASCII without spaces, \\ and #; encode what isn't";
	if (strstr(path, "//"))
		return "must not contain //";
	while ((segment = str_split(&rest, '/')))
		if ((wrong = segment_wrong(segment)))
			return wrong;
	return NULL;
}

/* ---- http ---- */

/* Checks the address and removes its last slash. Refuses parts that no path can follow. */
static enum err
base_url_check(struct ctx *c, const char **url)
{
	const char *port, *wrong, *path = *url + strcspn(*url, "/") + strlen("//");
	size_t n = strlen(*url);

	if (!egress_host(c->mem, *url))
		return fail(c, E_INVALID,
		    "base_url: must be an http:// or https:// address without a user name in it");
	if (strpbrk(*url, "?#"))
		return fail(c, E_INVALID, "base_url: must have no query and no fragment");
	if (!egress_port_may(c, *url, &port))
		return fail(
		    c, E_INVALID, "base_url: port %s isn't allowed; use 80 or 443", port);
	path += strcspn(path, "/");
	if ((wrong = connection_path_wrong(c, path)))
		return fail(c, E_INVALID, "base_url: %s", wrong);
	*url = mem_strndup(c->mem, *url, n - ((*url)[n - 1] == '/'));
	return E_OK;
}

static enum err
header_name_check(struct ctx *c, const struct connection_http_config *cfg)
{
	const char *name = cfg->header_name;

	if (!str_eq(cfg->auth, "header"))
		return name ? fail(c, E_INVALID, "header_name: applies only to auth header")
			    : E_OK;
	if (!name)
		return fail(c, E_INVALID, "header_name: is required for auth header");
	if (!header_name_valid(name))
		return fail(c, E_INVALID,
		    "header_name: must have letters, digits, hyphens, "
		    "or other characters that RFC 9110 allows in a token");
	return header_is_ours(name)
	    ? fail(c, E_INVALID, "header_name: the header %s can't be set", name)
	    : E_OK;
}

static enum err
http_config(struct ctx *c, const char *mode, const struct json *sent, struct connection_config *out)
{
	struct connection_http_config *cfg;
	const char *port;
	bool tls;

	(void)mode;
	TRY(shape_read(c, &connection_http_config_shape, sent, (void **)&cfg));
	if (!cfg->auth)
		cfg->auth = "none";
	TRY(base_url_check(c, &cfg->base_url));
	TRY(header_name_check(c, cfg));
	tls = !strncasecmp(cfg->base_url, "https:", strlen("https:"));
	egress_port_may(c, cfg->base_url, &port);
	if (!*port)
		port = tls ? "443" : "80";
	*out = (struct connection_config){
		.text = shape_text(c->mem, &connection_http_config_shape, cfg),
		.server = mem_printf(c->mem, "%s %s %s", tls ? "https" : "http",
		    egress_host(c->mem, cfg->base_url), port),
		.host = egress_host(c->mem, cfg->base_url),
		.host_at = "base_url",
		.sign_in = str_eq(cfg->auth, "none") ? SIGN_IN_NOTHING
		    : str_eq(cfg->auth, "basic")     ? SIGN_IN_PAIR
						     : SIGN_IN_TOKEN
	};
	return E_OK;
}

/* ---- postgres ---- */

static enum err
postgres_config(
    struct ctx *c, const char *mode, const struct json *sent, struct connection_config *out)
{
	struct connection_postgres_config *cfg;
	bool shared = str_eq(mode, "shared");
	struct in6_addr address;

	TRY(shape_read(c, &connection_postgres_config_shape, sent, (void **)&cfg));
	/* libpq would take a path for a socket and a list for several servers. */
	if (inet_pton(AF_INET6, cfg->host, &address) != 1)
		cfg->host = host_name(c->mem, cfg->host);
	if (!cfg->host)
		return fail(c, E_INVALID,
		    "host: must be the name or address of one server, without a port");
	if (shared && !cfg->username)
		return fail(c, E_INVALID, "username: is required");
	if (!shared && cfg->username)
		return fail(c, E_INVALID,
		    "username: each member gives their own, since auth_mode is member");
	if (!cfg->port)
		cfg->port = POSTGRES_PORT;
	if (!cfg->sslmode)
		cfg->sslmode = "verify-full";
	*out = (struct connection_config){
		.text = shape_text(c->mem, &connection_postgres_config_shape, cfg),
		.server = mem_printf(c->mem, "%s %lld", cfg->host, (long long)cfg->port),
		.host = cfg->host,
		.host_at = "host",
		.sign_in = shared ? SIGN_IN_PASSWORD : SIGN_IN_PAIR
	};
	return E_OK;
}

/* ---- all kinds ---- */

static const struct config_kind {
	const char *name;
	const struct shape *shape; /* NULL: no fields */
	/* NULL: the operator's file has all settings */
	enum err (*read)(struct ctx *c, const char *mode, const struct json *sent,
	    struct connection_config *out);
} kinds[] = {
	{ "http", &connection_http_config_shape, http_config },
	{ "postgres", &connection_postgres_config_shape, postgres_config },
	{ "oauth2", NULL, NULL },
	{ "chat", NULL, NULL },
};

struct members {
	struct ctx *c;
	const struct config_kind *kind;
};

/* Unknown fields are errors: a misspelled sslmode would be a weaker connection, and a password
 * here would be visible to all members. */
static int
member_known(void *arg, const char *name, const struct json *value)
{
	const struct members *m = arg;

	(void)value;
	return m->kind->shape && shape_field(m->kind->shape, name)
	    ? 0
	    : (int)fail(m->c, E_INVALID, "%s: isn't a setting of a connection of the kind %s",
		  name, m->kind->name);
}

static enum err
config_read(struct ctx *c, const struct config_kind *kind, const char *mode, const char *json,
    struct connection_config *out)
{
	struct json *sent;

	TRY(json_parse(c, json, strlen(json), &sent));
	TRY((enum err)json_each(sent, member_known, &(struct members){ c, kind }));
	if (kind->read)
		return kind->read(c, mode, sent, out);
	/* The sign-in chooses one team or guild, so a chat has one connection for all members. */
	if (str_eq(kind->name, "chat") && str_eq(mode, "member"))
		return fail(c, E_INVALID, "auth_mode: must be shared for a chat");
	*out = (struct connection_config){
		.text = "{}", .server = "", .sign_in = SIGN_IN_PROVIDER
	};
	return E_OK;
}

enum err
connection_config(struct ctx *c, const char *kind, const char *mode, const char *json,
    struct connection_config *out)
{
	const struct config_kind *k = kinds;
	enum err e;

	while (!str_eq(k->name, kind))
		k++;
	e = config_read(c, k, mode, json, out);
	if (e == E_INVALID && c->message)
		c->message = mem_printf(c->mem, "config.%s", c->message);
	return e;
}

enum err
connection_host_check(struct ctx *c, const struct connection_config *config)
{
	return config->host && host_is_ours(c->conf, config->host)
	    ? fail(c, E_INVALID,
		  "config.%s: %s is part of this service; connect another server",
		  config->host_at, config->host)
	    : E_OK;
}

static enum err
config_of(struct ctx *c, const struct shape *shape, const char *text, void **out)
{
	struct json *tree;

	TRY(json_parse(c, text, strlen(text), &tree));
	return shape_read(c, shape, tree, out);
}

enum err
connection_http_config(struct ctx *c, const char *text, struct connection_http_config **out)
{
	return config_of(c, &connection_http_config_shape, text, (void **)out);
}

enum err
connection_postgres_config(
    struct ctx *c, const char *text, struct connection_postgres_config **out)
{
	return config_of(c, &connection_postgres_config_shape, text, (void **)out);
}
