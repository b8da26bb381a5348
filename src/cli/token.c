/* SPDX-License-Identifier: Apache-2.0
 * Tokens that a workspace's agents act with. A secret comes once: to standard output, or into a
 * file that nobody else can read. */
#include "base/id.h"
#include "base/principal.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/credentials.h"
#include "cli/help.h"
#include "cli/http.h"
#include "cli/list.h"
#include "cli/workspace.h"

#include <errno.h>
#include <unistd.h>

static const char *
token_option(const struct cli *cli, const char *name)
{
	return usage_option(&cli->with, name);
}

static const char *
tokens_path(struct cli *cli, int *status)
{
	const char *ws = workspace_which(cli, status);

	return ws ? mem_printf(cli->c->mem, "/v1/workspaces/%s/agent-tokens", ws) : NULL;
}

static bool
token_id_check(const char *id)
{
	if (id_valid(id, "tok_"))
		return true;
	cli_fail("%s isn't a token id: vitrine token agent list lists them", id);
	return false;
}

/* ---- list ---- */

static void
row_agent_token(struct cli *cli, const struct json *t)
{
	const char *revoked = list_time(cli, t, "revoked_at", NULL);
	struct buf scopes = BUF(cli->c->mem);
	const struct json *words;
	size_t n;

	words = json_list(t, "scopes", &n);
	for (size_t i = 0; i < n; i++)
		buf_fmt(&scopes, "%s%s", i ? "," : "", json_member(json_at(words, i), ""));
	cli_line("%s  %s %s  used %s  %s  %s", json_member(t, "id"),
	    revoked ? "revoked" : "expires",
	    revoked ? revoked : list_time(cli, t, "expires_at", "never               "),
	    list_time(cli, t, "last_used_at", "never               "), buf_done(&scopes),
	    json_member(t, "name"));
}

static int
agent_list(struct cli *cli)
{
	int status = EXIT_FINE;
	const char *path;

	if (cli->with.n > 2)
		return help_usage(cli);
	path = tokens_path(cli, &status);
	return path ? list_all(cli, path, "agent_tokens", row_agent_token) : status;
}

/* ---- the secret ---- */

/* Before it is made: a token that can't be kept is lost. */
static bool
out_check(struct cli *cli, bool fresh)
{
	const char *out = token_option(cli, "--out"), *slash = out ? strrchr(out, '/') : NULL;
	const char *dir = !slash ? "."
	    : slash == out     ? "/"
			       : mem_strndup(cli->c->mem, out, (size_t)(slash - out));
	struct stat st;

	if (!out)
		return true;
	if (!*out || (slash && !slash[1]))
		return cli_fail("--out: %s isn't the name of a file", out) == EXIT_FINE;
	if (lstat(out, &st) == 0 && (fresh || !S_ISREG(st.st_mode)))
		return cli_fail("--out: %s already exists%s", out,
			   fresh ? "; choose another file" : " and isn't a regular file") ==
		    EXIT_FINE;
	return access(dir, W_OK | X_OK) == 0 ||
	    cli_fail("--out: %s: %s", dir, strerror(errno)) == EXIT_FINE;
}

static int
secret_keep(struct cli *cli, const char *out, const struct json *reply)
{
	const char *id = json_member(reply, "agent_token.id");
	struct buf bytes = BUF(cli->c->mem);

	buf_fmt(&bytes, "%s\n", json_member(reply, "token"));
	if (!cli_file_write(cli, out, 0600, &bytes))
		return cli_fail(
		    "%s: %s; the token is lost: run vitrine token agent rotate %s for another", out,
		    strerror(errno), id);
	if (cli->json)
		cli_print(cli, json_get(reply, "agent_token"));
	else
		cli_line("%s", id);
	return EXIT_FINE;
}

static int
secret_say(struct cli *cli, const struct json *reply)
{
	const char *token = json_member(reply, "token"), *id = json_member(reply, "agent_token.id"),
		   *out = token_option(cli, "--out");

	if (!credentials_token_valid(token) || !id_valid(id, "tok_")) {
		cli_fail("%s didn't return a token; "
			 "vitrine token agent list shows whether one was created",
		    cli->url);
		return EXIT_NETWORK;
	}
	if (out)
		return secret_keep(cli, out, reply);
	if (!cli->quiet)
		cli_note("%s is the id of the token of %s", id,
		    json_member(reply, "agent_token.name"));
	if (isatty(STDOUT_FILENO))
		cli_note(
		    "Warning: the token is shown only once, and anyone who has it can act "
		    "as the agent; --out FILE keeps it off the screen");
	if (cli->json)
		cli_print(cli, reply);
	else
		cli_line("%s", token);
	return EXIT_FINE;
}

/* ---- add, rotate, revoke ---- */

/* The API's names, for people: "artifacts:read, …". */
static const char *
scopes_known(struct cli *cli)
{
	struct buf b = BUF(cli->c->mem);

	for (const char *p = SCOPE_WORDS; *p; p++)
		buf_str(&b, *p == '|' ? ", " : mem_strndup(cli->c->mem, p, 1));
	return buf_done(&b);
}

static bool
scopes_add(struct cli *cli, struct buf *body)
{
	const char *given = token_option(cli, "--scopes");
	char *rest = mem_strdup(cli->c->mem, given ? given : ""), *word;
	char before = '[';

	if (!given)
		return cli_fail("--scopes: list what the agent can do, separated by commas: %s",
			   scopes_known(cli)) == EXIT_FINE;
	json_key(body, "scopes");
	while ((word = str_split(&rest, ','))) {
		if (!str_in(word, SCOPE_WORDS))
			return cli_fail("--scopes: %s isn't one of %s", word, scopes_known(cli)) ==
			    EXIT_FINE;
		buf_chr(body, before);
		buf_json(body, word);
		before = ',';
	}
	buf_chr(body, ']');
	return true;
}

static bool
agent_body(struct cli *cli, struct buf *body)
{
	const char *day = token_option(cli, "--expires");
	int64_t until;

	buf_chr(body, '{');
	json_add(body, "name", cli->with.args[2]);
	if (!scopes_add(cli, body))
		return false;
	if (day && !str_from_rfc3339(mem_printf(cli->c->mem, "%sT23:59:59Z", day), &until))
		return cli_fail("--expires: %s isn't a date such as 2027-12-31", day) == EXIT_FINE;
	if (day) {
		json_key(body, "expires_at");
		buf_fmt(body, "%lld", (long long)until);
	}
	buf_chr(body, '}');
	return true;
}

static int
agent_add(struct cli *cli)
{
	struct buf body = BUF(cli->c->mem);
	int status = EXIT_FINE;
	struct http_res res;
	const char *path;

	if (cli->with.n != 3)
		return help_usage(cli);
	if (!agent_body(cli, &body))
		return EXIT_USAGE;
	if (!out_check(cli, true))
		return EXIT_REFUSED;
	if (!(path = tokens_path(cli, &status)))
		return status;
	status = http_call(cli, "POST", path, &body, &res);
	return status ? status : secret_say(cli, res.json);
}

static int
agent_rotate(struct cli *cli)
{
	int status = EXIT_FINE;
	struct http_res res;
	const char *path;

	if (cli->with.n != 3)
		return help_usage(cli);
	if (!token_id_check(cli->with.args[2]))
		return EXIT_USAGE;
	if (!out_check(cli, false))
		return EXIT_REFUSED;
	if (!(path = tokens_path(cli, &status)))
		return status;
	status = http_call(cli, "POST",
	    mem_printf(cli->c->mem, "%s/%s/rotate", path, cli->with.args[2]), NULL, &res);
	return status ? status : secret_say(cli, res.json);
}

static int
agent_revoke(struct cli *cli)
{
	int status = EXIT_FINE, first = EXIT_FINE;
	struct http_res res;
	const char *path;

	if (cli->with.n < 3)
		return help_usage(cli);
	for (size_t i = 2; i < cli->with.n; i++)
		if (!token_id_check(cli->with.args[i]))
			return EXIT_USAGE;
	if (!(path = tokens_path(cli, &status)))
		return status;
	for (size_t i = 2; i < cli->with.n; i++) {
		status = http_call(cli, "DELETE",
		    mem_printf(cli->c->mem, "%s/%s", path, cli->with.args[i]), NULL, &res);
		first = first ? first : status;
		if (!status && !cli->quiet)
			cli_note("%s is revoked", cli->with.args[i]);
	}
	return first;
}

static int
run_token(struct cli *cli)
{
	static const struct {
		const char *name;
		int (*run)(struct cli *);
		bool makes, adds; /* a secret; of a new agent */
	} acts[] = { { "list", agent_list, false, false }, { "add", agent_add, true, true },
		{ "rotate", agent_rotate, true, false },
		{ "revoke", agent_revoke, false, false } };
	bool shaped = token_option(cli, "--scopes") || token_option(cli, "--expires");

	if (!str_eq(cli->with.args[0], "agent"))
		return help_usage(cli);
	for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
		if (str_eq(cli->with.args[1], acts[i].name))
			return (token_option(cli, "--out") && !acts[i].makes) ||
				(shaped && !acts[i].adds)
			    ? help_usage(cli)
			    : acts[i].run(cli);
	return help_usage(cli);
}

static const struct cli_option token_options[] = {
	{ "--workspace W", WORKSPACE_RULE },
	{ "--scopes SCOPES",
	    "for add: any of artifacts:read, artifacts:publish, data:read, and data:write, "
	    "separated by commas" },
	{ "--expires DAY",
	    "for add: last day the token works (UTC), such as 2027-12-31 (default: no end)" },
	{ "--out FILE",
	    "for add and rotate: save the token here, readable only by you, and print its id" },
	{ 0 },
};

const struct cli_cmd token_cli[] = {
	{ "token",
	    "agent list|add|rotate|revoke [NAME|ID…] [--workspace W] [--scopes SCOPES] "
	    "[--expires DAY] [--out FILE]",
	    "tokens of a workspace's agents: list; add NAME; rotate or revoke by id",
	    run_token, NEEDS_TOKEN, token_options },
	{ 0 },
};
