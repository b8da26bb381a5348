/* SPDX-License-Identifier: Apache-2.0
 * Commands about tokens of a workspace's agents. The service shows a secret once: it is printed, or
 * stored in a file that only the user can read. */
#include "base/id.h"
#include "base/principal.h"
#include "base/str.h"
#include "base/visibility.h"
#include "cli/commands.h"
#include "cli/credentials.h"
#include "cli/line.h"
#include "cli/row.h"
#include "cli/workspace.h"

#include <errno.h>
#include <unistd.h>

/* ---- the secret ---- */

/* Checks --out before the request, since a secret that can't be stored is lost. Only rotate may
 * replace a file. */
static int
out_check(struct cli *cli)
{
	const char *out = cli_option(cli, "--out"), *slash = out ? strrchr(out, '/') : NULL;
	const char *dir = !slash ? "."
	    : slash == out     ? "/"
			       : mem_strndup(cli->c->mem, out, (size_t)(slash - out));
	bool fresh = row_given(cli, "NAME");
	struct stat st;

	if (!out)
		return EXIT_FINE;
	if (!*out || (slash && !slash[1]))
		return cli_fail("--out: %s isn't the name of a file", out);
	if (lstat(out, &st) == 0 && (fresh || !S_ISREG(st.st_mode)))
		return cli_fail("--out: %s already exists%s", out,
		    fresh ? "; choose another file" : " and isn't a regular file");
	return access(dir, W_OK | X_OK) ? cli_fail("--out: %s: %s", dir, strerror(errno))
					: EXIT_FINE;
}

static int
secret_print(struct cli *cli, const struct json *reply)
{
	const char *token = json_member(reply, "token"), *id = json_member(reply, "agent_token.id"),
		   *out = cli_option(cli, "--out");
	struct buf bytes = BUF(cli->c->mem);

	if (!credentials_token_valid(token) || !id_valid(id, "tok_")) {
		cli_fail("%s didn't return a token; "
			 "vitrine token agent list shows whether one was created",
		    cli->url);
		return EXIT_NETWORK;
	}
	if (out) {
		buf_fmt(&bytes, "%s\n", token);
		return cli_file_write(cli, out, 0600, &bytes)
		    ? line_result(cli, "{id}", json_get(reply, "agent_token"))
		    : cli_fail("%s: %s; the token is lost: run vitrine token agent rotate %s for "
			       "another",
			  out, strerror(errno), id);
	}
	if (!cli->quiet)
		cli_note("%s is the id of the token of %s", id,
		    json_member(reply, "agent_token.name"));
	if (isatty(STDOUT_FILENO))
		cli_note(
		    "Warning: the token is shown only once, and anyone who has it can act "
		    "as the agent; --out FILE keeps it off the screen");
	return line_result(cli, "{token}", reply);
}

/* ---- scopes and limits ---- */

/* Returns the names of the scopes for people: "artifacts:read, …". */
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
	const char *given = cli_option(cli, "--scopes");
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
agent_adds(struct cli *cli, struct buf *body)
{
	const char *day = cli_option(cli, "--expires"), *opens_to = cli_option(cli, "--opens-to");
	int64_t until;

	if (!scopes_add(cli, body))
		return false;
	if (opens_to && !str_in(opens_to, VISIBILITIES))
		return cli_fail("--opens-to: %s isn't one of private, unlisted, and public",
			   opens_to) == EXIT_FINE;
	json_texts(body, "opens_to", opens_to, NULL);
	if (day && !str_from_rfc3339(mem_printf(cli->c->mem, "%sT23:59:59Z", day), &until))
		return cli_fail("--expires: %s isn't a date such as 2027-12-31", day) == EXIT_FINE;
	if (day) {
		json_key(body, "expires_at");
		buf_fmt(body, "%lld", (long long)until);
	}
	return true;
}

static const struct cli_option token_options[] = {
	{ "--workspace W", WORKSPACE_RULE },
	{ "--scopes SCOPES",
	    "for add: any of artifacts:read, artifacts:publish, data:read, and data:write, "
	    "separated by commas",
	    .only = "agent add" },
	{ "--opens-to VISIBILITY",
	    "for add: its ceiling; private: it opens nothing to others; unlisted; "
	    "public (default: no ceiling)",
	    .only = "agent add" },
	{ "--expires DAY",
	    "for add: last day the token works (UTC), such as 2027-12-31 (default: no end)",
	    .only = "agent add" },
	{ "--out FILE",
	    "for add and rotate: save the token here, readable only by you, and print its id",
	    .only = "agent add|agent rotate" },
	{ 0 },
};

static const char *const add_options[][2] = { { "scopes", "--scopes" },
	{ "opens_to", "--opens-to" }, { "expires_at", "--expires" }, { NULL } };
#define TOKENS "/v1/workspaces/{@workspace}/agent-tokens"
#define TOKEN_ID { "tok_", "a token id: vitrine token agent list lists them" }
static const struct cli_row token_rows[] = {
	{ "agent list", NULL, "GET " TOKENS, .list = "agent_tokens",
	    .line = "{id}  {revoked_at?'revoked'|'expires'} "
		    "{revoked_at:time|expires_at:time|'never               '}  "
		    "used {last_used_at:time|'never               '}  {scopes:list}  {name}" },
	{ "agent add", "NAME", "POST " TOKENS, "name=NAME", .adds = agent_adds,
	    .options = add_options, .check = out_check, .then = secret_print },
	{ "agent rotate", "ID", "POST " TOKENS "/{ID}/rotate", .id = TOKEN_ID, .check = out_check,
	    .then = secret_print },
	{ "agent revoke", "ID…", "DELETE " TOKENS "/{ID}", .id = TOKEN_ID,
	    .note = "{ID} is revoked" },
	{ 0 },
};

const struct cli_cmd token_cli[] = {
	{ "token", "agent list|add|rotate|revoke [NAME|ID…]",
	    "tokens of a workspace's agents: agent list; agent add NAME; agent rotate or "
	    "agent revoke by id",
	    token_options, token_rows },
	{ 0 },
};
