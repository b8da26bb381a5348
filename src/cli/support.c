/* SPDX-License-Identifier: Apache-2.0
 * Commands about support tickets: questions to the operator of the service. */
#include "base/str.h"
#include "cli/commands.h"
#include "cli/line.h"
#include "cli/row.h"

static int
ticket_print(struct cli *cli, const struct json *reply)
{
	const struct json *ticket = json_get(reply, "ticket");
	int status = line_result(cli,
	    "{ticket.id}  {ticket.status}  {ticket.created_at:time|'(no time)'}"
	    "  {ticket.subject}", reply);

	if (!cli->json)
		line_each(cli,
		    "\n{created_at:time|'(no time)'}  {staff?'staff'}{!staff?'you'}"
		    "[  {note?'(note)'}]\n{body:lines}", ticket, "messages", cli_line);
	return status;
}

static int
new_check(struct cli *cli)
{
	return cli_option(cli, "--subject") && cli_option(cli, "--text")
	    ? EXIT_FINE
	    : cli_misuse("vitrine support new needs --subject TEXT and --text TEXT");
}

static const struct cli_option support_options[] = {
	{ "--subject TEXT", "what it is about, in a line", .only = "new" },
	{ "--text TEXT", "the question, or what to write in the ticket", .only = "new|reply" },
	{ "--workspace ID",
	    "for new: the workspace that it is about; for list: its tickets, as an admin",
	    .only = "[list]|new" },
	{ "--status open|pending|resolved|closed", "for list: only tickets with this status",
	    .only = "[list]" },
	{ "--solved", "it is solved: the ticket is resolved", .only = "reply" },
	{ 0 },
};

#define TICKETS "/v1/support/tickets"
#define IS_TICKET { "tkt_", "the id of a ticket; vitrine support list lists them" }
static const struct cli_row support_rows[] = {
	{ "new", NULL, "POST " TICKETS,
	    "subject=--subject body=--text workspaceId=--workspace", .check = new_check,
	    .line = "{ticket.id}" },
	{ "[list]", NULL, "GET " TICKETS,
	    "scope=--workspace?'workspace' workspace=--workspace status=--status",
	    .list = "tickets",
	    .line = "{id}  {-8 status}  {created_at:time|'(no time)'}  {subject}" },
	{ "show", "ID", "GET " TICKETS "/{ID}", .then = ticket_print, .id = IS_TICKET },
	{ "reply", "ID", "POST " TICKETS "/{ID}/message",
	    "body=--text solved:json=--solved?'true'", .with = "--text", .line = "{message.id}",
	    .id = IS_TICKET },
	{ 0 },
};

const struct cli_cmd support_cli[] = {
	{ "support", "[list|new|show|reply] [ID]",
	    "your tickets with the operator of the service: new asks something; show ID, its "
	    "messages; reply ID, write in it",
	    support_options, support_rows },
	{ 0 },
};
