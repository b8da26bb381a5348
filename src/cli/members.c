/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/members.h"

#include "base/id.h"
#include "base/str.h"
#include "cli/commands.h"
#include "cli/credentials.h"
#include "cli/http.h"
#include "cli/line.h"
#include "cli/row.h"
#include "cli/subscription.h"
#include "cli/workspace.h"

#include <errno.h>
#include <unistd.h>

enum { KEPT_BYTES = 4096 };

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

/* ---- reading ---- */

static void
row_workspace(struct cli *cli, const struct json *w)
{
	const char *slug = json_member(w, "slug"), *used = workspace_used(cli);

	cli_line("%s %-30s  %-6s  %s", str_eq(slug, used) ? "*" : " ", slug,
	    json_member(w, "role"), json_member(w, "name"));
}

static int
workspace_use_print(struct cli *cli)
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
	if (!(status = workspace_reply(cli, used, &res)))
		cli_print(cli, res.json);
	return status;
}

/* "-" stands for none, since it is no slug. */
static int
workspace_use(struct cli *cli)
{
	const char *name = row_given(cli, "SLUG");
	struct http_res res;
	struct buf b;
	int status;

	if (str_eq(name, "-")) {
		if (unlink(kept_path(cli)) && errno != ENOENT)
			return cli_fail("%s: %s", kept_path(cli), strerror(errno));
		if (!cli->quiet)
			cli_note("no workspace is in use");
		return EXIT_FINE;
	}
	if (!name)
		return workspace_use_print(cli);
	if ((status = workspace_reply(cli, name, &res)))
		return status;
	b = json_object_of(
	    cli->c->mem, "slug", json_member(res.json, "workspace.slug"), "url", cli->url, NULL);
	buf_chr(&b, '\n');
	if (!credentials_keep(cli, kept_path(cli), &b))
		return EXIT_REFUSED;
	return line_result(cli, "{workspace.slug}", res.json);
}

/* ---- its people ---- */

static int
invites_print(struct cli *cli, const struct json *reply)
{
	if (cli->json) {
		cli_print(cli, reply);
		return EXIT_FINE;
	}
	line_each(cli,
	    "{-6 role}  {email}[{!mailed?''}  (no e-mail sent: "
	    "they'll see the invite when they sign in with this address)]",
	    reply, "invites", cli_line);
	line_each(cli,
	    "{email} is skipped: [{reason=member?''}already a member]"
	    "[{!reason=member?''}the workspace's access policy doesn't allow this address]",
	    reply, "skipped", cli_note);
	return EXIT_FINE;
}

/* Returns what PLAN costs, as JSON. Asked once, so the price shown is the price agreed to. */
static const char *
quote_find(struct cli *cli, int *status)
{
	const char *ws = row_found(cli, "workspace"), *seats = cli_option(cli, "--seats");
	struct http_req req = { .method = "GET", .save_fd = -1, .reword = billing_reword };
	struct http_res res;

	if (!ws)
		return NULL;
	req.path = mem_printf(cli->c->mem, "/v1/billing/quote?workspace_id=%s&plan_id=%s%s%s", ws,
	    form_encoded(cli->c->mem, row_given(cli, "PLAN")), seats ? "&seats=" : "",
	    form_encoded(cli->c->mem, seats ? seats : ""));
	*status = http_send(cli, &req, NULL, &res);
	return *status ? NULL : json_text(cli->c->mem, res.json);
}

static const char *
quoted_find(struct cli *cli, const char *what)
{
	const char *text = row_found(cli, "quote");
	struct json *quote;

	if (!text || json_parse(cli->c, text, strlen(text), &quote))
		return NULL;
	return str_eq(what, "price") ? quote_text(cli, quote) : quote_agreed(cli, quote);
}

/* Returns the user's id, the workspace's name, or what a plan costs. */
static const char *
members_find(struct cli *cli, const char *what, int *status)
{
	struct http_res res;

	if (str_eq(what, "me"))
		*status = http_do(cli, &res, "GET /v1/auth/me");
	else if (str_eq(what, "name"))
		*status = workspace_reply(cli, row_found(cli, "workspace"), &res);
	else if (str_eq(what, "quote"))
		return quote_find(cli, status);
	else if (str_in(what, "price|agreed"))
		return quoted_find(cli, what);
	else
		return NULL;
	return *status ? NULL : json_member(res.json, *what == 'm' ? "user_id" : "workspace.name");
}

static const struct cli_option workspace_options[] = {
	{ "--workspace W", WORKSPACE_RULE },
	{ "--role member|admin", "role of the people you invite (default: member)",
	    .only = "invite", .checked = true },
	{ "--hosts HOSTS", "let in connected agents from these hosts only, with commas between",
	    .only = "agents" },
	{ "--any-host", "let in those from any host", .only = "agents" },
	{ "--seats N", "begin a plan with as many seats; without it, the plan is changed",
	    .only = "plan" },
	{ "--yes", "leave, or change the plan, without asking" },
	{ 0 },
};

#define AGENTS "/v1/workspaces/{@workspace}/agent-policy"
#define AGENT_HOSTS_SENT "agent_hosts:list=--hosts agent_hosts:json=--any-host?'[]'"
#define AGENTS_LINE .line = "{agents}[, from {agent_hosts:list} only]"
#define ASKS_PLAN(does) \
	.asks = { "{@price}. " does " {PLAN}?", \
		"nothing has changed; --yes changes it without asking" }
static const struct cli_row workspace_rows[] = {
	{ "list", NULL, "GET /v1/workspaces", .list = "workspaces", .prints = row_workspace },
	{ "use", "[SLUG]", .run = workspace_use },
	{ "members", NULL, "GET /v1/workspaces/{@workspace}/members", .list = "members",
	    .line = "{-6 role}  {email}[  {name}]" },
	{ "invite", "EMAIL…", "POST /v1/workspaces/{@workspace}/members/invite",
	    "role=--role|'member' emails:list=EMAIL", .then = invites_print },
	{ "agents", "MODE", "PATCH " AGENTS, "agents=MODE " AGENT_HOSTS_SENT, AGENTS_LINE },
	{ "agents", NULL, "PATCH " AGENTS, AGENT_HOSTS_SENT, .with = "--hosts", AGENTS_LINE },
	{ "agents", NULL, "PATCH " AGENTS, AGENT_HOSTS_SENT, .with = "--any-host", AGENTS_LINE },
	{ "agents", NULL, "GET " AGENTS, AGENTS_LINE },
	{ "plan", "PLAN", "POST /v1/billing/subscribe",
	    "workspace_id=@workspace plan_id=PLAN seats:number=--seats agreed:json=@agreed",
	    .with = "--seats", .reword = billing_reword, ASKS_PLAN("Begin"),
	    .then = subscription_say },
	{ "plan", "PLAN", "PATCH /v1/billing/subscription/plan",
	    "workspace_id=@workspace plan_id=PLAN agreed:json=@agreed", .reword = billing_reword,
	    ASKS_PLAN("Change to"), .then = subscription_say },
	{ "plan", NULL, "GET /v1/billing/subscription", "workspace_id=@workspace",
	    .then = subscription_say },
	{ "seats", "N", "PATCH /v1/billing/subscription/seats",
	    "workspace_id=@workspace seats:number=N", .reword = billing_reword,
	    .then = subscription_say },
	{ "seats", NULL, "GET /v1/workspaces/{@workspace}", .of = "workspace",
	    .line = "{seats.used} taken[ of {seats.limit}]"
		    "[, {seats.pending?seats.pending} invited]" },
	{ "invoices", NULL, "GET /v1/billing/invoices", "workspace_id=@workspace",
	    .list = "invoices", .prints = invoice_say },
	{ "leave", NULL, "DELETE /v1/workspaces/{@workspace}/members/{@me}",
	    .asks = { "Leave the workspace {@name}? Your artifacts there go to its owner.",
		"you didn't leave; confirm with y, or use --yes" },
	    .note = "you left; your artifacts there now belong to its owner" },
	{ 0 },
};

const struct cli_cmd members_cli[] = {
	{ "workspace",
	    "list|use|members|invite|agents|plan|seats|invoices|leave [SLUG|MODE|PLAN|N|EMAIL…]",
	    "work in a team's workspace: list; use SLUG (- for none); members; "
	    "invite EMAIL…; agents on|read_only|off, what connected agents can do there; "
	    "plan, seats, and invoices, what it pays for; leave",
	    workspace_options, workspace_rows, .find = members_find },
	{ 0 },
};
