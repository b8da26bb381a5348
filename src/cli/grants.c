/* SPDX-License-Identifier: Apache-2.0
 * Sharing with people outside of a workspace: the grants of clients and persons, and things that
 * others share with the user. */
#include "cli/commands.h"

#include "base/str.h"
#include "cli/delivery.h"
#include "cli/line.h"
#include "cli/row.h"
#include "cli/workspace.h"
#include "core/reach.h"

/* ---- grants ---- */

/* Adds the type that an id's prefix stands for. */
static bool
type_add(struct cli *cli, struct buf *b, const char *member, const char *arg,
    const char *const types[][2], const char *is)
{
	const char *id = row_given(cli, arg);

	for (; (*types)[0]; types++)
		if (str_starts(id, (*types)[0])) {
			json_add(b, member, (*types)[1]);
			return true;
		}
	return cli_fail("%s isn't %s", id, is) == EXIT_FINE;
}

static bool
grant_adds(struct cli *cli, struct buf *b)
{
	static const char *const subjects[][2] = { { "shr_", "sharee" },
		{ "usr_", "external_user" }, { NULL } };
	static const char *const things[][2] = { { "fld_", "folder" }, { "art_", "artifact" },
		{ "dlv_", "file" }, { NULL } };

	return type_add(cli, b, "subject_type", "WHO", subjects,
		   "the id of a client or a person") &&
	    type_add(cli, b, "resource_type", "THING", things,
		"the id of a folder, artifact or file") &&
	    expiry_add(cli, b, "expires_at");
}

#define GRANTS "/v1/workspaces/{@workspace}/grants"
#define GRANT_LINE \
	"{id}  {-7 capability}  {subject_name} ({subject_id})  " \
	"{resource_type} {resource_name|'(private now)'} ({resource_id})" \
	"[  until {expires_at:time}]"
static const struct cli_option grants_options[] = {
	{ "--workspace W", WORKSPACE_RULE },
	{ "--who ID", "only those of this client or person", .only = "[list]" },
	{ "--of ID", "only those on this folder, artifact or file", .only = "[list]" },
	{ "--can C", "what they may do (default: view)", .words = CAPABILITIES,
	    .only = "add" },
	{ "--expires WHEN", "when it ends: a date such as 2027-12-31, or a number of days",
	    .only = "add" },
	{ 0 },
};
static const char *const add_options[][2] = { { "expires_at", "--expires" }, { NULL } };
static const struct cli_row grants_rows[] = {
	{ "[list]", NULL, "GET " GRANTS, "subject_id=--who resource_id=--of", .list = "grants",
	    .line = GRANT_LINE },
	{ "add", "WHO THING", "POST " GRANTS,
	    "subject_id=WHO resource_id=THING capability=--can|'view'",
	    .adds = grant_adds, .options = add_options, .of = "grant", .line = GRANT_LINE },
	{ "end", "ID…", "DELETE " GRANTS "/{ID}",
	    .id = { "grt_", "the id of a grant: vitrine grants lists them" } },
	{ 0 },
};

/* ---- shared with the user ---- */

static const struct cli_row shared_rows[] = {
	{ NULL, NULL, "GET /v1/shared", .list = "shared",
	    .line = "{-7 capability}  {resource_type} {resource_name}  {url}  {workspace.name}"
		    "[, for {client}][, until {expires_at:time}]" },
	{ NULL, "ID", "GET /v1/shared/folders/{ID}", .list = "items",
	    .line = "{resource_type} {resource_name}  {url}",
	    .id = { "fld_", "the id of a folder: vitrine shared --json has them" } },
	{ 0 },
};

const struct cli_cmd grants_cli[] = {
	{ "grants", "[list|add|end] [WHO] [THING] [ID…]",
	    "list what clients and people outside of a workspace were given; "
	    "give one of them a folder, artifact or file; end what they have",
	    grants_options, grants_rows },
	{ "shared", "[ID]", "list what was shared with you, or what lies in such a folder", NULL,
	    shared_rows },
	{ 0 },
};
