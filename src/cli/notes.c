/* SPDX-License-Identifier: Apache-2.0
 * Commands about a workspace's notes and what is learned of its pages. */
#include "base/str.h"
#include "cli/commands.h"
#include "cli/row.h"
#include "cli/textfiles.h"
#include "cli/workspace.h"

enum { NOTES = 20000 };

/* ---- to a folder and back ---- */

static const struct text_library notes = { .called = "the notes",
	.endings = { ".md" },
	.most = NOTES,
	.all = "knowledge/tree",
	.list = "tree",
	.one = "knowledge/files/",
	.content = "content",
	.remove = "knowledge/files/",
	.put = "knowledge/files/" };

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
	{ "pull", "DIR", .run = text_files_pull },
	{ "push", "DIR", .run = text_files_push },
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
	    notes_options, notes_rows, .texts = &notes },
	{ 0 },
};
