/* SPDX-License-Identifier: Apache-2.0
 * Who else may see and change an artifact, and who asks to. */
#include "cli/cmd.h"

#include "base/id.h"
#include "base/str.h"
#include "cli/help.h"
#include "cli/http.h"
#include "cli/list.h"
#include "cli/which.h"

#define ROLES_GIVEN "viewer|editor"

/* The artifact, and the addresses: *from on. No slug, id or path is an address. */
static const char *
shared_find(struct cli *cli, size_t *from, int *status)
{
	bool named = cli->with.n && !strchr(cli->with.args[0], '@');

	*from = named;
	for (size_t i = named; i < cli->with.n; i++)
		if (!str_email(cli->with.args[i])) {
			cli_fail("%s isn't an e-mail address", cli->with.args[i]);
			*status = EXIT_USAGE;
			return NULL;
		}
	return which_artifact(cli, named ? cli->with.args[0] : NULL, status);
}

/* NULL after saying what is wrong with --role. */
static const char *
role_given(struct cli *cli)
{
	const char *role = usage_option(&cli->with, "--role");

	if (!role)
		return "viewer";
	if (str_in(role, ROLES_GIVEN))
		return role;
	cli_fail("--role: %s is neither viewer nor editor", role);
	return NULL;
}

static void
row_person(struct cli *cli, const struct json *p)
{
	(void)cli;
	cli_line("%-8s %s", json_member(p, "role"), json_member(p, "email"));
}

/* Who was mailed, and who must be told otherwise. The service says of nobody whether they have an
 * account. */
static void
shared_note(const struct json *p)
{
	const struct json *mailed = json_get(p, "mailed");

	if (mailed && json_kind(mailed) == J_BOOL)
		cli_note(json_true(mailed) ? "%s gets an e-mail"
					   : "%s gets no e-mail; send them the address yourself",
		    json_member(p, "email"));
}

static int
emails_share(struct cli *cli, const char *path, size_t from, const char *role)
{
	struct buf body = BUF(cli->c->mem);
	const struct json *rows;
	struct http_res res;
	int status;
	size_t n;

	buf_chr(&body, '{');
	json_add(&body, "role", role);
	json_key(&body, "emails");
	for (size_t i = from; i < cli->with.n; i++) {
		buf_chr(&body, i == from ? '[' : ',');
		buf_json(&body, cli->with.args[i]);
	}
	buf_str(&body, "]}");
	if ((status = http_call(cli, "POST", path, &body, &res)))
		return status;
	if (cli->json)
		cli_print(cli, res.json);
	rows = json_list(res.json, "collaborators", &n);
	for (size_t i = 0; !cli->json && i < n; i++)
		row_person(cli, json_at(rows, i));
	for (size_t i = 0; !cli->quiet && i < n; i++)
		shared_note(json_at(rows, i));
	if (!cli->quiet && n)
		cli_note("an address without an account gets access once it has one");
	return EXIT_FINE;
}

static int
run_share(struct cli *cli)
{
	const char *role = role_given(cli), *id, *path;
	int status = EXIT_FINE;
	size_t from;

	if (!role)
		return EXIT_USAGE;
	if (!(id = shared_find(cli, &from, &status)))
		return status;
	path = mem_printf(cli->c->mem, "/v1/artifacts/%s/collaborators", id);
	return from == cli->with.n ? list_all(cli, path, "collaborators", row_person)
				   : emails_share(cli, path, from, role);
}

static int
email_unshare(struct cli *cli, const char *id, const char *email)
{
	struct buf path = BUF(cli->c->mem);
	struct http_res res;
	int status;

	buf_fmt(&path, "/v1/artifacts/%s/collaborators/", id);
	buf_form(&path, email);
	status = http_call(cli, "DELETE", path.s, NULL, &res);
	if (!status && !cli->quiet)
		cli_note("%s no longer has access, unless everyone does", email);
	return status;
}

/* One that fails does not keep the others; the first failure is the status. */
static int
run_unshare(struct cli *cli)
{
	int status = EXIT_FINE, first = EXIT_FINE;
	size_t from;
	const char *id = shared_find(cli, &from, &status);

	if (!id)
		return status;
	if (from == cli->with.n)
		return help_usage(cli);
	for (size_t i = from; i < cli->with.n; i++) {
		status = email_unshare(cli, id, cli->with.args[i]);
		first = first ? first : status;
	}
	return first;
}

/* ---- requests ---- */

static void
row_request(struct cli *cli, const struct json *q)
{
	char *rest = mem_strdup(cli->c->mem, json_member(q, "message")), *line;

	cli_line("%s  %s  %s  %s", json_member(q, "id"),
	    list_time(cli, q, "created_at", "(no time)"), json_member(q, "email"),
	    json_member(q, "url"));
	while (rest && *rest && (line = str_split(&rest, '\n')))
		cli_line("  %.*s", (int)strcspn(line, "\r"), line);
}

static int
request_decide(struct cli *cli, const char *id, const char *action, const char *role)
{
	struct buf body = BUF(cli->c->mem);
	struct http_res res;
	int status;

	buf_chr(&body, '{');
	json_add(&body, "action", action);
	if (str_eq(action, "approve"))
		json_add(&body, "role", role);
	buf_chr(&body, '}');
	if ((status = http_call(
		 cli, "POST", mem_printf(cli->c->mem, "/v1/access-requests/%s", id), &body, &res)))
		return status;
	if (cli->json)
		cli_print(cli, res.json);
	else if (!cli->quiet && str_eq(action, "approve"))
		cli_note("%s now has access as %s: %s",
		    json_member(res.json, "access_request.email"), role,
		    json_member(res.json, "access_request.url"));
	else if (!cli->quiet)
		cli_note("denied");
	return EXIT_FINE;
}

static int
run_requests(struct cli *cli)
{
	const char *action = cli->with.n ? cli->with.args[0] : NULL, *role = role_given(cli);
	int status, first = EXIT_FINE;

	if (!role)
		return EXIT_USAGE;
	if (!action)
		return list_all(
		    cli, "/v1/access-requests/incoming", "access_requests", row_request);
	if (!str_in(action, "approve|deny") || cli->with.n < 2)
		return help_usage(cli);
	for (size_t i = 1; i < cli->with.n; i++)
		if (!id_valid(cli->with.args[i], "acr_")) {
			cli_fail("%s isn't a request id: vitrine requests lists them",
			    cli->with.args[i]);
			return EXIT_USAGE;
		}
	for (size_t i = 1; i < cli->with.n; i++) {
		status = request_decide(cli, cli->with.args[i], action, role);
		first = first ? first : status;
	}
	return first;
}

static const struct cli_option share_options[] = {
	{ "--role " ROLES_GIVEN,
	    "viewers can see it, editors can also publish to it (default: viewer)" },
	{ 0 },
};
static const struct cli_option requests_options[] = {
	{ "--role " ROLES_GIVEN, "role to give when you approve (default: viewer)" },
	{ 0 },
};

const struct cli_cmd people_cli[] = {
	{ "share", "[SLUG] [EMAIL…] [--role " ROLES_GIVEN "]",
	    "give people access; without an address, list who has access", run_share, NEEDS_TOKEN,
	    share_options },
	{ "unshare", "[SLUG] EMAIL…", "remove people's access, or your own", run_unshare,
	    NEEDS_TOKEN, NULL },
	{ "requests", "[approve|deny] [ID…] [--role " ROLES_GIVEN "]",
	    "list requests for access to your artifacts; approve or deny them", run_requests,
	    NEEDS_TOKEN, requests_options },
	{ 0 },
};
