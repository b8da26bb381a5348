/* SPDX-License-Identifier: Apache-2.0
 * Commands about the comments on an artifact. */
#include "cli/commands.h"
#include "cli/row.h"

static const struct cli_option comments_options[] = {
	{ "--text TEXT", "the comment to add", .only = "add" },
	{ "--path PATH", "the page it is about, such as /report.html" },
	{ "--reply ID", "the comment to reply to", .only = "add" },
	{ 0 },
};
static const struct cli_row comments_rows[] = {
	{ "[list]", "[SLUG]", "GET /v1/artifacts/{@artifact}/comments", "path=--path",
	    .list = "comments",
	    .line = "{id}  {created_at:time|'(no time)'}  "
		    "{author.name|author.email|author.id}[  {path}]\n{text:lines}" },
	{ "add", "[SLUG]", "POST /v1/artifacts/{@artifact}/comments",
	    "text=--text path=--path reply_to=--reply", .with = "--text", .line = "{comment.id}" },
	{ 0 },
};

const struct cli_cmd comment_cli[] = {
	{ "comments", "[list|add] [SLUG]", "list the comments on an artifact, or add one",
	    comments_options, comments_rows },
	{ 0 },
};
