/* SPDX-License-Identifier: Apache-2.0
 * Commands about a workspace's connections. Secrets come from a file or standard input, so they are
 * in no list of processes and no shell's history. */
#include "base/id.h"
#include "base/str.h"
#include "cli/commands.h"
#include "cli/http.h"
#include "cli/line.h"
#include "cli/named.h"
#include "cli/row.h"
#include "cli/workspace.h"

static const char *
connections_find(struct cli *cli, const char *what, int *status)
{
	const char *named, *ws, *id;

	if (!str_eq(what, "connection"))
		return NULL;
	named = row_given(cli, "CONNECTION");
	if (!(ws = row_found(cli, "workspace")) || id_valid(named, "con_"))
		return ws ? named : NULL;
	if (!str_utf8_valid(named, strlen(named))) {
		*status = cli_misuse("%s is neither the name nor the id of a connection", named);
		return NULL;
	}
	id = named_find(cli, mem_printf(cli->c->mem, "/v1/workspaces/%s/connections", ws),
	    &(struct named){ "connections", "name", "con_" }, named, status);
	if (!id && !*status)
		*status = cli_fail(
		    "there's no connection called %s; vitrine connections lists them", named);
	return id;
}

/* ---- config ---- */

static const struct setting {
	const char *option, *name;
	bool number;
} settings[] = {
	{ "--base-url", "base_url", false },
	{ "--auth", "auth", false },
	{ "--header", "header_name", false },
	{ "--host", "host", false },
	{ "--port", "port", true },
	{ "--database", "database", false },
	{ "--sslmode", "sslmode", false },
};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* Adds the settings that are given as members of an object. */
static bool
settings_add(struct cli *cli, struct buf *b, const char *username)
{
	for (const struct setting *s = settings; s < settings + SETTINGS; s++) {
		const char *given = cli_option(cli, s->option);
		int64_t number;

		if (!given)
			continue;
		if (s->number && !str_int(given, &number))
			return cli_fail("%s: %s isn't a number", s->option, given) == EXIT_FINE;
		json_key(b, s->name);
		if (s->number)
			buf_str(b, given);
		else
			buf_json(b, given);
	}
	if (username)
		json_add(b, "username", username);
	return true;
}

/* ---- credentials ---- */

static bool
secret_add(struct cli *cli, struct buf *b, const char *option, const char *name)
{
	const char *given = cli_option(cli, option);
	struct buf text = BUF(cli->c->mem);

	if (!given)
		return true;
	if (!cli_given(given, &text))
		return false;
	json_add(b, name, mem_strndup(cli->c->mem, text.s, strcspn(text.s, "\r\n")));
	return true;
}

static bool
credentials_add(struct cli *cli, struct buf *b, const char *username)
{
	json_texts(b, "username", username, NULL);
	return secret_add(cli, b, "--token", "token") &&
	    secret_add(cli, b, "--password", "password");
}

/* Adds the body's members that are objects. config: the connection's config, which the options
 * change; NULL for a new connection. */
static bool
body_add(struct cli *cli, struct buf *b, bool in_config, const struct json *config)
{
	const char *user = cli_option(cli, "--user"), *auth = cli_option(cli, "--auth");
	struct buf set = BUF(cli->c->mem), secrets = BUF(cli->c->mem);
	struct json *was = NULL, *now;
	const char *text = config ? json_text(cli->c->mem, config) : "{}";

	buf_chr(&set, '{');
	if (config && auth && !str_eq(auth, "header"))
		buf_str(&set, "\"header_name\":null");
	if (!settings_add(cli, &set, in_config ? user : NULL))
		return false;
	buf_chr(&set, '}');
	buf_chr(&secrets, '{');
	if (!credentials_add(cli, &secrets, in_config ? NULL : user))
		return false;
	buf_chr(&secrets, '}');
	if (json_parse(cli->c, text, strlen(text), &was) ||
	    json_parse(cli->c, set.s, set.n, &now))
		return cli_fail("%s", ctx_why(cli->c)) == EXIT_FINE;
	json_merge(was, now);
	if (!config || set.n > 2) {
		json_key(b, "config");
		buf_str(b, json_text(cli->c->mem, was));
	}
	if (secrets.n > 2) {
		json_key(b, "credentials");
		buf_add(b, secrets.s, secrets.n);
	}
	return true;
}

static bool
new_adds(struct cli *cli, struct buf *b)
{
	const char *provider = cli_option(cli, "--provider");
	bool database = !provider && cli_option(cli, "--host");

	if (cli_option(cli, "--member"))
		json_add(b, "auth_mode", "member");
	json_add(b, "provider", provider ? provider : database ? "postgres" : "http");
	return body_add(cli, b, database && !cli_option(cli, "--member"), NULL);
}

static bool
change_adds(struct cli *cli, struct buf *b)
{
	const char *ws = row_found(cli, "workspace"), *id = row_found(cli, "connection");
	const struct json *is;
	struct http_res res;

	if (!ws || !id || http_do(cli, &res, "GET /v1/workspaces/%s/connections/%s", ws, id))
		return false;
	is = json_get(res.json, "connection");
	return body_add(cli, b,
	    str_eq(json_member(is, "kind"), "postgres") &&
		str_eq(json_member(is, "auth_mode"), "shared"),
	    json_get(is, "config"));
}

static bool
mine_adds(struct cli *cli, struct buf *b)
{
	return credentials_add(cli, b, cli_option(cli, "--user"));
}

static int
test_print(struct cli *cli, const struct json *reply)
{
	bool ok = json_true(json_get(reply, "ok"));

	line_list(cli, "{ok?'ok    '|'failed'}  {name}: {says}", reply, "steps");
	return ok ? EXIT_FINE : EXIT_REFUSED;
}

/* ---- the commands ---- */

static const struct cli_option connections_options[] = {
	{ "--workspace W", WORKSPACE_RULE },
	{ "--provider P", "a service that the operator set up", .only = "new" },
	{ "--base-url URL", "an HTTP API's address", .only = "new|change" },
	{ "--auth A", "how it is signed in to (default: none)",
	    .words = "none|bearer|basic|header", .only = "new|change" },
	{ "--header NAME", "the header that has the token, with --auth header",
	    .only = "new|change" },
	{ "--host H", "a PostgreSQL server", .only = "new|change" },
	{ "--port N", "its port (default: 5432)", .only = "new|change" },
	{ "--database D", "its database", .only = "new|change" },
	{ "--sslmode M", "whether its certificate is checked (default: verify-full)",
	    .words = "verify-full|require", .only = "new|change" },
	{ "--user U", "who signs in", .only = "new|change|credentials" },
	{ "--token FILE", "a file with the token; -: standard input",
	    .only = "new|change|credentials" },
	{ "--password FILE", "a file with the password; -: standard input",
	    .only = "new|change|credentials" },
	{ "--member", "each member gives their own credentials", .only = "new" },
	{ "--name N", "another name", .only = "change" },
	{ "--sign-in", "print the address at which you sign in with your account",
	    .only = "credentials" },
	{ "--forget", "delete your credentials", .only = "credentials" },
	{ "--yes", "delete without asking", .only = "delete" },
	{ 0 },
};

static const char *const body_options[][2] = { { "config.base_url", "--base-url" },
	{ "config.auth", "--auth" }, { "config.header_name", "--header" },
	{ "config.host", "--host" }, { "config.port", "--port" },
	{ "config.database", "--database" }, { "config.sslmode", "--sslmode" },
	{ "credentials.token", "--token" }, { "credentials.password", "--password" }, { NULL } };
#define CONNECTIONS "/v1/workspaces/{@workspace}/connections"
#define CONNECTION CONNECTIONS "/{@connection}"
#define MINE CONNECTION "/my-credentials"
static const struct cli_row connections_rows[] = {
	{ "[list]", NULL, "GET " CONNECTIONS, .list = "connections",
	    .line = "{id}  {-10 status}  {-8 provider}  {name}" },
	{ "show", "CONNECTION", "GET " CONNECTION, .of = "connection",
	    .line = "{name}: {provider}, {auth_mode}, {status}[: {last_error}]\n{config:json}\n"
		    "[used {last_used_at:time}]" },
	{ "new", "NAME", "POST " CONNECTIONS, "name=NAME", .adds = new_adds,
	    .options = body_options, .of = "connection", .line = "{id}" },
	{ "change", "CONNECTION", "PATCH " CONNECTION, "name=--name", .adds = change_adds,
	    .options = body_options, .note = "changed" },
	{ "delete", "CONNECTION", "DELETE " CONNECTION,
	    .asks = ASKS_DELETE("Delete the connection {CONNECTION} with its credentials? "
				"Jobs that use it will fail."),
	    .note = "deleted; {used_by:count job} used it" },
	{ "test", "CONNECTION", "POST " CONNECTION "/test", .then = test_print },
	{ "artifacts", "CONNECTION", "GET " CONNECTION "/artifacts", .list = "artifacts",
	    .line = "{slug}  {name}  ({jobs:count job})" },
	{ "connect", "PROVIDER", "GET " CONNECTIONS "/{PROVIDER}/auth-url", .line = "{url}",
	    .note = "open this address in a browser in which you are signed in" },
	{ "channels", "CONNECTION CHAT", "GET " CONNECTION "/{CHAT}/channels", .list = "channels",
	    .line = "{id}  {name}{is_private?'  (private)'}" },
	{ "credentials", "CONNECTION", "GET " MINE "/auth-url", .with = "--sign-in",
	    .line = "{url}" },
	{ "credentials", "CONNECTION", "DELETE " MINE, .with = "--forget", .note = "deleted" },
	{ "credentials", "CONNECTION", "PUT " MINE, "", .with = "--token", .adds = mine_adds,
	    .note = "saved" },
	{ "credentials", "CONNECTION", "PUT " MINE, "", .with = "--password", .adds = mine_adds,
	    .note = "saved" },
	{ "credentials", "CONNECTION", "GET " MINE,
	    .line = "{connected?'saved'|'none'}[ {updated_at:time}]" },
	{ 0 },
};

const struct cli_cmd connections_cli[] = {
	{ "connections",
	    "[list|show|new|change|delete|test|artifacts|credentials|connect|channels] "
	    "[CONNECTION|NAME|PROVIDER] [CHAT]",
	    "servers that jobs may ask with stored credentials: list; show; new NAME, an HTTP API "
	    "or a database; change; delete; test, step by step; artifacts, whose jobs use one; "
	    "credentials, your own; connect PROVIDER, a service or a chat; "
	    "channels CONNECTION CHAT",
	    connections_options, connections_rows, .find = connections_find },
	{ 0 },
};
