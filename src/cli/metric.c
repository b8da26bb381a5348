/* SPDX-License-Identifier: Apache-2.0
 * Commands about watches and alerts on an artifact's tables. */
#include "cli/commands.h"
#include "cli/row.h"

/* Prints a measure: "sum of votes in guests". */
#define MEASURE "{kind}[ of {column}] in {table}"
#define SENDS_MEASURE \
	"artifact_id=@artifact table=TABLE kind=--kind|'row_count' column=--column "

static void
destination_add(struct buf *b, const char *type, const char *member, const char *address)
{
	if (!address)
		return;
	buf_fmt(b, "%s{\"type\":\"%s\",\"%s\":", b->s[b->n - 1] == '[' ? "" : ",", type, member);
	buf_json(b, address);
	buf_chr(b, '}');
}

static bool
alert_adds(struct cli *cli, struct buf *b)
{
	const char *email = cli_option(cli, "--email"), *webhook = cli_option(cli, "--webhook");

	if (!email && !webhook)
		return true;
	json_key(b, "destinations");
	buf_chr(b, '[');
	destination_add(b, "email", "email", email);
	destination_add(b, "webhook", "url", webhook);
	buf_chr(b, ']');
	return true;
}

static const char *const alert_members[][2] = { { "destinations.email", "--email" },
	{ "destinations.url", "--webhook" }, { NULL } };

static int
alert_check(struct cli *cli)
{
	int n = !!cli_option(cli, "--above") + !!cli_option(cli, "--below") +
	    !!cli_option(cli, "--change");

	return n == 1
	    ? EXIT_FINE
	    : cli_misuse("alert add needs exactly one of --above, --below, and --change");
}

#define ARTIFACT_OPTION \
	{ "--artifact SLUG", "whose tables (default: what was published from here)" }
#define KIND_OPTION \
	{ "--kind KIND", "row_count (default), sum, avg, min, max, distinct, or latest", \
	    .only = "add" }
#define COLUMN_OPTION \
	{ "--column NAME", "for every kind except row_count", .only = "add" }
static const struct cli_option watch_options[] = {
	ARTIFACT_OPTION,
	KIND_OPTION,
	COLUMN_OPTION,
	{ "--change PERCENT", "e-mail when it changes by at least this much (default: 10)",
	    .only = "add" },
	{ 0 },
};
static const struct cli_option alert_options[] = {
	ARTIFACT_OPTION,
	KIND_OPTION,
	COLUMN_OPTION,
	{ "--above VALUE", "alert when it is more", .only = "add" },
	{ "--below VALUE", "alert when it is less", .only = "add" },
	{ "--change PERCENT", "alert when it changes by this much from one check to the next",
	    .only = "add" },
	{ "--name NAME", "name of the alert (default: the table's name)", .only = "add" },
	{ "--checks N", "how many checks in a row it must hold (default: 1)", .only = "add" },
	{ "--email ADDRESS", "whom to e-mail (default: you, unless --webhook is given)",
	    .only = "add" },
	{ "--webhook URL", "address to call", .only = "add" },
	{ 0 },
};

static const struct cli_row watch_rows[] = {
	{ "list", NULL, "GET /v1/metric-watch", "artifact_id=@artifact", .list = "watches",
	    .line = "{id}  " MEASURE "  {threshold_pct|'nothing'}%  now {last_value|'nothing'}" },
	{ "add", "TABLE", "POST /v1/metric-watch", SENDS_MEASURE "threshold_pct:number=--change",
	    .line = "{watch.id}" },
	{ "remove", "ID", "DELETE /v1/metric-watch/{ID}", .note = "removed",
	    .id = { "wat_", "the id of a watch: vitrine watch list lists them" } },
	{ 0 },
};
static const struct cli_row alert_rows[] = {
	{ "list", NULL, "GET /v1/metric-alerts", "artifact_id=@artifact", .list = "alerts",
	    .line = "{id}  {enabled=false?'paused'|state}  {name}  " MEASURE
		    " {op} {value|'nothing'}  now {last_value|'nothing'}" },
	{ "add", "TABLE", "POST /v1/metric-alerts",
	    SENDS_MEASURE "name=--name|TABLE op=--above?'above'|--below?'below'|'change_pct' "
			  "value:number=--above|--below|--change breaches:number=--checks",
	    .adds = alert_adds, .check = alert_check, .options = alert_members,
	    .line = "{alert.id}" },
	{ "remove", "ID", "DELETE /v1/metric-alerts/{ID}", .note = "removed",
	    .id = { "alr_", "the id of an alert: vitrine alert list lists them" } },
	{ 0 },
};

const struct cli_cmd metric_cli[] = {
	{ "watch", "list|add|remove [TABLE|ID]", "get e-mail when a measure of a table changes",
	    watch_options, watch_rows },
	{ "alert", "list|add|remove [TABLE|ID]",
	    "alert people and programs when a measure of a table crosses a value", alert_options,
	    alert_rows },
	{ 0 },
};
