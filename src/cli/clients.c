/* SPDX-License-Identifier: Apache-2.0
 * A workspace's clients, the people in them, and notes about them. */
#include "base/id.h"
#include "base/str.h"
#include "base/unicode.h"
#include "cli/commands.h"
#include "cli/line.h"
#include "cli/named.h"
#include "cli/row.h"
#include "cli/workspace.h"

enum { NAME_CHARS = 120 };

static const char *
client_find(struct cli *cli, int *status)
{
	const char *named = row_given(cli, "CLIENT"), *ws = row_found(cli, "workspace");
	const char *id, *path;

	if (!ws || id_valid(named, "shr_"))
		return ws ? named : NULL;
	if (!str_utf8_valid(named, strlen(named)) || str_chars(named) > NAME_CHARS) {
		*status = cli_misuse("%s is neither the name nor the id of a client", named);
		return NULL;
	}
	path = mem_printf(cli->c->mem, "/v1/workspaces/%s/sharees?q=%s", ws,
	    form_encoded(cli->c->mem, unicode_name_key(cli->c->mem, named)));
	id = named_find(cli, path, &(struct named){ "sharees", "name", "shr_" }, named, status);
	if (!id && !*status)
		*status = cli_fail(
		    "there's no client called %s; vitrine clients lists them", named);
	return id;
}

static const char *
person_find(struct cli *cli, int *status)
{
	const char *ws = row_found(cli, "workspace"), *client = row_found(cli, "client"),
		   *email = row_given(cli, "EMAIL"), *id;

	if (!ws || !client)
		return NULL;
	id = named_find(cli,
	    mem_printf(cli->c->mem, "/v1/workspaces/%s/sharees/%s/members", ws, client),
	    &(struct named){ "members", "email", "usr_" }, email, status);
	if (!id && !*status)
		*status = cli_fail("%s isn't in this client", email);
	return id;
}

static const char *
clients_find(struct cli *cli, const char *what, int *status)
{
	return str_eq(what, "client") ? client_find(cli, status)
	    : str_eq(what, "person")  ? person_find(cli, status)
				      : NULL;
}

/* ---- notes ---- */

static bool
note_adds(struct cli *cli, struct buf *b)
{
	struct buf text = BUF(cli->c->mem);

	if (!cli_given(row_given(cli, "FILE"), &text))
		return false;
	*b = json_object_of(cli->c->mem, "content", buf_done(&text), NULL);
	return true;
}

/* ---- the commands ---- */

static const struct cli_option clients_options[] = {
	{ "--workspace W", WORKSPACE_RULE },
	{ "--type T", "what kind of client it is, a word of yours (default: client)",
	    .only = "add" },
	{ "--yes", "remove without asking", .only = "rm" },
	{ 0 },
};

#define CLIENTS "/v1/workspaces/{@workspace}/sharees"
#define CLIENT CLIENTS "/{@client}"
#define NOTES CLIENT "/context"
static const struct cli_row clients_rows[] = {
	{ "[list]", NULL, "GET " CLIENTS, .list = "sharees",
	    .line = "{id}  {name}  ({member_count=1?'1 person'}"
		    "[{!member_count=1?member_count} people])" },
	{ "add", "NAME", "POST " CLIENTS, "name=NAME type=--type", .of = "sharee", .line = "{id}" },
	{ "show", "CLIENT", "GET " CLIENT "/members", .list = "members",
	    .line = "{-7 status}  {email}[  {name}]" },
	{ "rename", "CLIENT NAME", "PATCH " CLIENT, "name=NAME",
	    .note = "it's called {sharee.name} now" },
	{ "rm", "CLIENT", "DELETE " CLIENT,
	    .asks = { "Remove the client {CLIENT}? Its people lose what was shared with it, "
		      "and its notes are deleted.",
		"nothing was removed; --yes removes without asking" },
	    .note = "removed" },
	{ "invite", "CLIENT EMAIL", "POST " CLIENT "/members", "email=EMAIL",
	    .note = "{member.email} is in the client" },
	{ "remove", "CLIENT EMAIL", "DELETE " CLIENT "/members/{@person}",
	    .note = "{EMAIL} is no longer in the client" },
	{ "notes", "CLIENT", "GET " NOTES, .list = "notes",
	    .line = "{name}  {size_bytes:bytes}  {updated_at:time}[  {updated_by.name}]" },
	{ "notes", "CLIENT NAME", "GET " NOTES "/{NAME}", .text = "content" },
	{ "note", "CLIENT NAME FILE", "PUT " NOTES "/{NAME}", .adds = note_adds, .note = "saved" },
	{ "forget", "CLIENT NAME", "DELETE " NOTES "/{NAME}", .note = "deleted" },
	{ 0 },
};

const struct cli_cmd clients_cli[] = {
	{ "clients",
	    "[list|add|show|rename|rm|invite|remove|notes|note|forget] [CLIENT] [NAME|EMAIL] "
	    "[FILE]",
	    "people outside of a workspace whom it shares with, by client: list; add NAME; "
	    "show CLIENT, its people; rename; rm; invite or remove EMAIL; "
	    "notes CLIENT, what you wrote down about it; note NAME FILE; forget NAME",
	    clients_options, clients_rows, .find = clients_find },
	{ 0 },
};
