/* SPDX-License-Identifier: Apache-2.0
 * Commands about a workspace's notes and what is learned of its pages. */
#include "base/str.h"
#include "cli/commands.h"
#include "cli/row.h"
#include "cli/textfiles.h"
#include "cli/workspace.h"

enum { NOTES = 20000 };

/* ---- to a folder and back ---- */

#define AT "/v1/workspaces/%s/knowledge"

static bool
is_note(const char *path)
{
	return str_ends(path, ".md");
}

static bool
note_listed(const struct json *row, struct text_kept *out)
{
	*out = (struct text_kept){ .path = json_member(row, "path"),
		.etag = json_member(row, "etag") };
	return str_eq(json_member(row, "type"), "file");
}

static const char *
notes_all(void *mem, const char *ws)
{
	return mem_printf(mem, AT "/tree", ws);
}

static const char *
note_address(void *mem, const char *ws, const char *path)
{
	struct buf b = BUF(mem);

	buf_fmt(&b, AT "/files/", ws);
	buf_url(&b, path);
	return buf_done(&b);
}

static const char *
note_one(void *mem, const char *ws, const struct text_kept *k)
{
	return note_address(mem, ws, k->path);
}

static const struct text_library library = { .called = "the notes",
	.list = "tree",
	.most = NOTES,
	.content = "content",
	.is_file = is_note,
	.listed = note_listed,
	.all = notes_all,
	.one = note_one,
	.remove = note_one,
	.put = note_address };

static int
run_pull(struct cli *cli)
{
	return text_files_pull(cli, &library);
}

static int
run_push(struct cli *cli)
{
	return text_files_push(cli, &library);
}

static const struct cli_option notes_options[] = {
	{ "--workspace W", WORKSPACE_RULE },
	{ "--force", "overwrite files that differ", .only = "pull" },
	{ "--delete", "delete the notes that the folder doesn't have", .only = "push" },
	{ "--forget", "don't learn its page again", .only = "delete" },
	{ "--yes", "delete without asking", .only = "push|delete" },
	{ 0 },
};

#define NOTES_AT "/v1/workspaces/{@workspace}/knowledge"
static const struct cli_row notes_rows[] = {
	{ "[tree]", NULL, "GET " NOTES_AT "/tree", .list = "tree",
	    .line = "{path}[{type=folder?'/'}][  {title}]" },
	{ "show", "PATH", "GET " NOTES_AT "/files/{+PATH}", .text = "content" },
	{ "pull", "DIR", .run = run_pull },
	{ "push", "DIR", .run = run_push },
	{ "delete", "PATH", "DELETE " NOTES_AT "/files/{+PATH}", "forget=--forget?'1'",
	    .asks = ASKS_DELETE("Delete the note {PATH} with its history?"), .note = "deleted" },
	{ "status", NULL, "GET " NOTES_AT "/status",
	    .line = "{learned} learned, {skipped} skipped, {failed} failed in {window_hours} hours;"
		    " {queued} waiting" },
	{ "backfill", NULL, "POST " NOTES_AT "/backfill",
	    .note = "{queued:count page} to be learned" },
	{ "enable", NULL, "POST " NOTES_AT "/enable", "enabled:json='true'",
	    .note = "pages are learned from now on" },
	{ "disable", NULL, "POST " NOTES_AT "/enable", "enabled:json='false'",
	    .note = "learning is off; the notes stay" },
	{ 0 },
};

const struct cli_cmd notes_cli[] = {
	{ "notes", "[tree|show|pull|push|delete|status|backfill|enable|disable] [PATH|DIR]",
	    "a workspace's notes: tree, all of them; show PATH; pull and push DIR, all of them to "
	    "a folder and back; delete PATH; status, what was learned of its pages; backfill, "
	    "learn what isn't learned yet; enable; disable",
	    notes_options, notes_rows },
	{ 0 },
};
