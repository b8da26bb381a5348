/* SPDX-License-Identifier: Apache-2.0
 * Commands about what waits for the caller. */
#include "cli/commands.h"
#include "cli/row.h"
#include "cli/waiting.h"

static const struct cli_option inbox_options[] = {
	{ "--box B", "waiting (the default), know, or done", .words = "waiting|know|done",
	    .only = "[list]" },
	{ "--kind K", "one kind only, such as approval", .only = "[list]" },
	{ "--way W", "inbox only (page), also by e-mail at once (mail) or once a day (digest), or "
		     "not at all (off)",
	    .words = "page|mail|digest|off", .only = "settings" },
	{ "--at HH:MM", "when the daily e-mail comes", .only = "settings" },
	{ "--zone Z", "the time zone of that, such as Europe/Dublin", .only = "settings" },
	WAITING_OPTIONS("wait"),
	{ 0 },
};

static bool
now_add(struct cli *cli, struct buf *b)
{
	buf_fmt(b, "{\"before\":%lld}", (long long)cli->c->now);
	return true;
}

static bool
way_add(struct cli *cli, struct buf *b)
{
	buf_str(b, "{\"ways\":{");
	buf_json(b, row_given(cli, "KIND"));
	buf_chr(b, ':');
	buf_json(b, usage_option(&cli->with, "--way"));
	buf_str(b, "}}");
	return true;
}

#define ITEM_LINE \
	"{id}  {updated_at:time|'(no time)'}  {-10 kind}  {title}[: {excerpt}]\n" \
	"  {url}"
static int
inbox_wait(struct cli *cli)
{
	return waiting_run(cli, "/v1/inbox?box=waiting", "items", ITEM_LINE);
}

#define ITEM_ID .id = { "inb_", "an item's id: vitrine inbox lists them" }
#define DAILY \
	"digest_at=--at zone=--zone", .note = "the daily e-mail comes at {digest_at} ({zone})"
static const char *const way_members[][2] = { { "ways", "KIND" }, { NULL } };
static const struct cli_row inbox_rows[] = {
	{ "[list]", NULL, "GET /v1/inbox", "box=--box kind=--kind", .list = "items",
	    .line = ITEM_LINE },
	{ "wait", NULL, .run = inbox_wait },
	{ "seen", "ID…", "POST /v1/inbox/seen", "ids:list=ID", .note = "seen", ITEM_ID },
	{ "seen", NULL, "POST /v1/inbox/seen", .adds = now_add, .note = "all are seen" },
	{ "done", "ID…", "PATCH /v1/inbox/{ID}", "done:json='true'", .note = "done", ITEM_ID },
	{ "settings", "KIND", "PUT /v1/inbox/settings", .adds = way_add, .with = "--way",
	    .options = way_members, .note = "{KIND}: saved" },
	{ "settings", NULL, "PUT /v1/inbox/settings", DAILY, .with = "--at" },
	{ "settings", NULL, "PUT /v1/inbox/settings", DAILY, .with = "--zone" },
	{ "settings", NULL, "GET /v1/inbox/settings", .list = "kinds",
	    .line = "{-10 kind}  {-6 way}  {title}" },
	{ 0 },
};

const struct cli_cmd inbox_cli[] = {
	{ "inbox", "[list|wait|seen|done|settings] [ID…|KIND]",
	    "list what waits for you, or wait for more; mark it as seen or done; choose how you "
	    "hear of it",
	    inbox_options, inbox_rows },
	{ 0 },
};
