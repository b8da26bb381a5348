/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/members.h"

#include "base/id.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/credentials.h"
#include "cli/help.h"
#include "cli/http.h"
#include "cli/list.h"
#include "cli/workspace.h"

#include <errno.h>
#include <unistd.h>

enum { KEPT_BYTES = 4096 };
#define ROLES_INVITED "member|admin"

/* ---- which one ---- */

static const char *
kept_path(struct cli *cli)
{
	return credentials_beside(cli, "workspace.json");
}

const char *
workspace_used(struct cli *cli)
{
	const char *text = NULL, *url, *slug;
	struct stat st;
	struct json *kept;
	size_t n;

	if (!cli_file_read(cli, kept_path(cli), KEPT_BYTES, &st, &text, &n) || !text ||
	    json_parse(cli->c, text, n, &kept) != E_OK)
		return NULL;
	url = json_member(kept, "url");
	slug = json_member(kept, "slug");
	return credentials_url_valid(url) && *slug && slug_valid(slug) &&
		str_eq(credentials_origin(cli, url), credentials_origin(cli, cli->url))
	    ? slug
	    : NULL;
}

static bool
workspace_keep(struct cli *cli, const char *slug)
{
	struct buf b = BUF(cli->c->mem);

	buf_chr(&b, '{');
	json_add(&b, "slug", slug);
	json_add(&b, "url", cli->url);
	buf_str(&b, "}\n");
	return credentials_keep(cli, kept_path(cli), &b);
}

static int
workspace_get(struct cli *cli, const char *name, struct http_res *res)
{
	if (id_valid(name, "wsp_"))
		return http_call(cli, "GET", mem_printf(cli->c->mem, "/v1/workspaces/%s", name),
		    NULL, res);
	if (!slug_valid(name)) {
		cli_fail("%s is neither the slug nor the id of a workspace", name);
		return EXIT_USAGE;
	}
	return http_call(cli, "GET", mem_printf(cli->c->mem, "/v1/workspaces/by-slug/%s", name),
	    NULL, res);
}

/* ---- what there is ---- */

static void
row_workspace(struct cli *cli, const struct json *w)
{
	const char *slug = json_member(w, "slug"), *used = workspace_used(cli);

	cli_line("%s %-30s  %-6s  %s", str_eq(slug, used) ? "*" : " ", slug,
	    json_member(w, "role"), json_member(w, "name"));
}

static int
workspaces_list(struct cli *cli)
{
	return cli->with.n > 1 ? help_usage(cli)
			       : list_all(cli, "/v1/workspaces", "workspaces", row_workspace);
}

static int
workspace_unuse(struct cli *cli)
{
	if (unlink(kept_path(cli)) && errno != ENOENT)
		return cli_fail("%s: %s", kept_path(cli), strerror(errno));
	if (!cli->quiet)
		cli_note("no workspace is in use");
	return EXIT_FINE;
}

static int
workspace_use_say(struct cli *cli)
{
	const char *used = workspace_used(cli);
	struct http_res res;
	int status;

	if (!used) {
		cli_note("no workspace is in use");
		return EXIT_FINE;
	}
	if (!cli->json) {
		cli_line("%s", used);
		return EXIT_FINE;
	}
	if (!(status = workspace_get(cli, used, &res)))
		cli_print(cli, res.json);
	return status;
}

/* "-" is no slug, so it can mean none. */
static int
workspace_use(struct cli *cli)
{
	const char *name = cli->with.n > 1 ? cli->with.args[1] : NULL;
	struct http_res res;
	int status;

	if (cli->with.n > 2)
		return help_usage(cli);
	if (str_eq(name, "-"))
		return workspace_unuse(cli);
	if (!name)
		return workspace_use_say(cli);
	if ((status = workspace_get(cli, name, &res)))
		return status;
	if (!workspace_keep(cli, json_member(res.json, "workspace.slug")))
		return EXIT_REFUSED;
	if (cli->json)
		cli_print(cli, res.json);
	else
		cli_line("%s", json_member(res.json, "workspace.slug"));
	return EXIT_FINE;
}

/* ---- its people ---- */

static void
row_member(struct cli *cli, const struct json *m)
{
	const char *name = json_member(m, "name");

	(void)cli;
	cli_line("%-6s  %s%s%s", json_member(m, "role"), json_member(m, "email"),
	    *name ? "  " : "", name);
}

static int
members_list(struct cli *cli)
{
	int status = EXIT_FINE;
	const char *id;

	if (cli->with.n > 1)
		return help_usage(cli);
	id = workspace_which(cli, &status);
	return id ? list_all(cli, mem_printf(cli->c->mem, "/v1/workspaces/%s/members", id),
			"members", row_member)
		  : status;
}

static void
invites_print(const struct json *reply)
{
	const struct json *rows;
	size_t n;

	rows = json_list(reply, "invites", &n);
	for (size_t i = 0; i < n; i++) {
		const struct json *v = json_at(rows, i), *sent = json_get(v, "mailed");
		bool mailed = sent && json_kind(sent) == J_BOOL && json_true(sent);

		cli_line("%-6s  %s%s", json_member(v, "role"), json_member(v, "email"),
		    mailed ? ""
			   : "  (no e-mail sent: "
			     "they'll see the invite when they sign in with this address)");
	}
	rows = json_list(reply, "skipped", &n);
	for (size_t i = 0; i < n; i++) {
		const struct json *s = json_at(rows, i);

		cli_note("%s is skipped: %s", json_member(s, "email"),
		    str_eq(json_member(s, "reason"), "member")
			? "already a member"
			: "the workspace's access policy doesn't allow this address");
	}
}

static bool
invite_body(struct cli *cli, struct buf *body)
{
	const char *role = usage_option(&cli->with, "--role");

	if (role && !str_in(role, ROLES_INVITED)) {
		cli_fail("--role: %s is neither member nor admin", role);
		return false;
	}
	buf_chr(body, '{');
	json_add(body, "role", role ? role : "member");
	json_key(body, "emails");
	for (size_t i = 1; i < cli->with.n; i++) {
		if (!str_email(cli->with.args[i])) {
			cli_fail("%s isn't an e-mail address", cli->with.args[i]);
			return false;
		}
		buf_chr(body, i == 1 ? '[' : ',');
		buf_json(body, cli->with.args[i]);
	}
	buf_str(body, "]}");
	return true;
}

static int
members_invite(struct cli *cli)
{
	struct buf body = BUF(cli->c->mem);
	int status = EXIT_FINE;
	struct http_res res;
	const char *id;

	if (cli->with.n < 2)
		return help_usage(cli);
	if (!invite_body(cli, &body))
		return EXIT_USAGE;
	if (!(id = workspace_which(cli, &status)))
		return status;
	status = http_call(cli, "POST",
	    mem_printf(cli->c->mem, "/v1/workspaces/%s/members/invite", id), &body, &res);
	if (status)
		return status;
	if (cli->json)
		cli_print(cli, res.json);
	else
		invites_print(res.json);
	return EXIT_FINE;
}

/* It may be one that nobody has named. */
static bool
leave_asked(struct cli *cli, const char *id, int *status)
{
	struct http_res res;

	if (usage_option(&cli->with, "--yes"))
		return true;
	if (!cli_asks())
		return false;
	if ((*status = workspace_get(cli, id, &res)))
		return false;
	return cli_ask("Leave the workspace %s? Your artifacts there go to its owner.",
	    json_member(res.json, "workspace.name"));
}

static int
workspace_leave(struct cli *cli)
{
	int status = EXIT_FINE;
	struct http_res me, res;
	const char *id;

	if (cli->with.n > 1)
		return help_usage(cli);
	if (!(id = workspace_which(cli, &status)))
		return status;
	if (!leave_asked(cli, id, &status))
		return status ? status : cli_fail("you didn't leave; confirm with y, or use --yes");
	if ((status = http_call(cli, "GET", "/v1/auth/me", NULL, &me)))
		return status;
	status = http_call(cli, "DELETE",
	    mem_printf(cli->c->mem, "/v1/workspaces/%s/members/%s", id,
		json_member(me.json, "user_id")),
	    NULL, &res);
	if (!status && !cli->quiet)
		cli_note("you left; your artifacts there now belong to its owner");
	return status;
}

static int
run_workspace(struct cli *cli)
{
	static const struct {
		const char *name;
		int (*run)(struct cli *);
	} actions[] = { { "list", workspaces_list }, { "use", workspace_use },
		{ "members", members_list }, { "invite", members_invite },
		{ "leave", workspace_leave } };

	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		if (str_eq(cli->with.args[0], actions[i].name))
			return actions[i].run(cli);
	return help_usage(cli);
}

static const struct cli_option workspace_options[] = {
	{ "--workspace W", WORKSPACE_RULE },
	{ "--role " ROLES_INVITED, "role of the people you invite (default: member)" },
	{ "--yes", "leave without asking" },
	{ 0 },
};

const struct cli_cmd members_cli[] = {
	{ "workspace",
	    "list|use|members|invite|leave [SLUG|EMAIL…] [--workspace W] [--role " ROLES_INVITED
	    "] [--yes]",
	    "work in a team's workspace: list; use SLUG (- for none); members; "
	    "invite EMAIL…; leave",
	    run_workspace, NEEDS_TOKEN, workspace_options },
	{ 0 },
};
