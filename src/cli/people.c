/* SPDX-License-Identifier: Apache-2.0
 * Commands about the people who can see and change an artifact, and about requests for access. */
#include "cli/commands.h"
#include "cli/line.h"
#include "cli/outside.h"
#include "cli/row.h"
#include "cli/workspace.h"

#define PERSON_LINE "{-8 role} {email}{pending?' (no account yet)'}"

/* Says who got an e-mail, and who must be informed otherwise. */
static int
share_print(struct cli *cli, const struct json *reply)
{
	line_list(cli, PERSON_LINE, reply, "collaborators");
	if (!cli->quiet &&
	    line_each(cli,
		"[{mailed?email} gets an e-mail]"
		"[{mailed=false?email} gets no e-mail; send them the address yourself]",
		reply, "collaborators", cli_note))
		cli_note("an address without an account gets access once it has one");
	return EXIT_FINE;
}

static const struct cli_option share_options[] = {
	{ "--role viewer|editor",
	    "viewers can see it, editors can also publish to it (default: viewer)",
	    .checked = true },
	{ "--with WHO",
	    "share it with an address outside of its workspace, or with a client, by id" },
	{ "--can C", "with --with: what they may do (default: view)",
	    .words = CAPABILITIES },
	OUTSIDE_THING,
	{ "--expires WHEN",
	    "with --with: when it ends, a date such as 2027-12-31 or a number of days" },
	{ "--message TEXT", "with --with: what their e-mail says besides" },
	{ 0 },
};
static const struct cli_option unshare_options[] = {
	{ "--with WHO", "what an address outside of its workspace, or a client, has of it" },
	OUTSIDE_THING,
	{ 0 },
};
static const struct cli_option requests_options[] = {
	{ "--role viewer|editor", "role to give when you approve (default: viewer)",
	    .only = "approve", .checked = true },
	{ 0 },
};

static const struct cli_row share_rows[] = {
	{ NULL, "[SLUG]", .with = "--with", .run = run_share_with },
	{ NULL, "[SLUG] EMAIL…", "POST /v1/artifacts/{@artifact}/collaborators",
	    "role=--role|'viewer' emails:list=EMAIL", .check = outside_check, .then = share_print },
	{ NULL, "[SLUG]", "GET /v1/artifacts/{@artifact}/collaborators", .list = "collaborators",
	    .line = PERSON_LINE, .check = outside_check },
	{ 0 },
};
static const struct cli_row unshare_rows[] = {
	{ NULL, "[SLUG]", .with = "--with", .run = run_unshare_with },
	{ NULL, "[SLUG] EMAIL…", "DELETE /v1/artifacts/{@artifact}/collaborators/{EMAIL}",
	    .check = outside_check, .note = "{EMAIL} no longer has access, unless everyone does" },
	{ 0 },
};
#define REQUEST_ID { "acr_", "a request id: vitrine requests lists them" }
static const struct cli_row requests_rows[] = {
	{ NULL, NULL, "GET /v1/access-requests/incoming", .list = "access_requests",
	    .line = "{id}  {created_at:time|'(no time)'}  {email}  {url}\n{message:lines}" },
	{ "approve", "ID…", "POST /v1/access-requests/{ID}",
	    "action='approve' role=--role|'viewer'", .id = REQUEST_ID,
	    .note = "{access_request.email} now has access as {--role|'viewer'}: "
		    "{access_request.url}" },
	{ "deny", "ID…", "POST /v1/access-requests/{ID}", "action='deny'", .id = REQUEST_ID,
	    .note = "denied" },
	{ 0 },
};

const struct cli_cmd people_cli[] = {
	{ "share", "[SLUG] [EMAIL…]",
	    "give people access; without an address, list who has access", share_options,
	    share_rows },
	{ "unshare", "[SLUG] [EMAIL…]", "remove people's access, or your own", unshare_options,
	    unshare_rows },
	{ "requests", "[approve|deny] [ID…]",
	    "list requests for access to your artifacts; approve or deny them", requests_options,
	    requests_rows },
	{ 0 },
};
