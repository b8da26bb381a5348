/* SPDX-License-Identifier: Apache-2.0
 * Commands about the comments on an artifact. */
#include "cli/commands.h"
#include "cli/row.h"
#include "cli/waiting.h"

static const struct cli_option comments_options[] = {
	{ "--text TEXT", "the comment, or what it is changed to", .only = "add|reply|edit" },
	{ "--path PATH", "the page it is about, such as /report.html", .only = "[list]|add" },
	{ "--reply ID", "the comment to reply to", .only = "add" },
	{ "--for WHO", "all, or people: only those with a role or a grant", .only = "add|edit" },
	{ "--mention WHO", "ids or addresses of people, with commas between them",
	    .only = "add|reply" },
	{ "--version N", "the version that it is about, that resolves it, or in which to find it",
	    .only = "[list]|add|resolve" },
	{ "--state S", "open, resolved, or all (the default)", .only = "[list]" },
	{ "--yes", "delete without asking", .only = "rm" },
	WAITING_OPTIONS("wait"),
	{ 0 },
};
#define COMMENTS "/v1/artifacts/{@artifact}/comments"
#define COMMENT_ID .id = { "cmt_", "a comment id: vitrine comments lists them" }
#define COMMENT_LINE \
	"{id}  {created_at:time|'(no time)'}  {author.name|author.email|author.id}[  {path}]" \
	"{state=resolved?'  resolved'}{place.status=changed?'  its text has changed'}" \
	"{place.status=gone?'  not in that version'}{audience=people?'  people'}\n{text:lines}"
static int
comments_wait(struct cli *cli)
{
	const char *id = row_found(cli, "artifact");

	return !id ? EXIT_REFUSED
		   : waiting_run(cli,
			 mem_printf(cli->c->mem,
			     "/v1/artifacts/%s/comments?state=open", id),
			 "comments", COMMENT_LINE);
}

static const struct cli_row comments_rows[] = {
	{ "[list]", "[SLUG]", "GET " COMMENTS, "path=--path state=--state version=--version",
	    .list = "comments",
	    .line = COMMENT_LINE },
	{ "wait", "[SLUG]", .run = comments_wait },
	{ "add", "[SLUG]", "POST " COMMENTS,
	    "text=--text path=--path reply_to=--reply audience=--for mentions:list=--mention "
	    "version_no:number=--version",
	    .with = "--text", .line = "{comment.id}" },
	{ "reply", "ID [SLUG]", "POST " COMMENTS, "text=--text reply_to=ID mentions:list=--mention",
	    .with = "--text", .line = "{comment.id}", COMMENT_ID },
	{ "resolve", "ID [SLUG]", "PATCH " COMMENTS "/{ID}",
	    "state='resolved' version_no:number=--version",
	    .note = "resolved[ by version {comment.resolved_version_no}]", COMMENT_ID },
	{ "reopen", "ID [SLUG]", "PATCH " COMMENTS "/{ID}", "state='open'", .note = "open again",
	    COMMENT_ID },
	{ "edit", "ID [SLUG]", "PATCH " COMMENTS "/{ID}", "text=--text audience=--for",
	    .note = "changed", COMMENT_ID },
	{ "rm", "ID [SLUG]", "DELETE " COMMENTS "/{ID}", .note = "deleted",
	    .asks = ASKS_DELETE("Delete {ID}? Replies to it stay."), COMMENT_ID },
	{ 0 },
};

const struct cli_cmd comment_cli[] = {
	{ "comments", "[list|wait|add|reply|resolve|reopen|edit|rm] [ID] [SLUG]",
	    "list the comments on an artifact, or wait for more; "
	    "add, answer, resolve, or change one",
	    comments_options, comments_rows },
	{ 0 },
};
