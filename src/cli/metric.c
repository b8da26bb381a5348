/* SPDX-License-Identifier: Apache-2.0
 * Watches and alerts on an artifact's tables. */
#include "cli/cmd.h"

#include "base/id.h"
#include "base/num.h"
#include "base/str.h"
#include "cli/help.h"
#include "cli/http.h"
#include "cli/list.h"
#include "cli/which.h"

/* "sum of votes in guests" */
static const char *
metric_told(struct cli *cli, const struct json *m)
{
	const char *column = json_member(m, "column");

	return mem_printf(cli->c->mem, "%s%s%s in %s", json_member(m, "kind"),
	    *column ? " of " : "", column, json_member(m, "table"));
}

static const char *
number_told(struct cli *cli, const struct json *row, const char *member)
{
	const struct json *v = json_get(row, member);

	return v && json_kind(v) != J_NULL ? json_text(cli->c->mem, v) : "nothing";
}

static void
row_watch(struct cli *cli, const struct json *w)
{
	cli_line("%s  %s  %s%%  now %s", json_member(w, "id"), metric_told(cli, w),
	    number_told(cli, w, "threshold_pct"), number_told(cli, w, "last_value"));
}

static void
row_alert(struct cli *cli, const struct json *al)
{
	const struct json *enabled = json_get(al, "enabled");

	cli_line("%s  %s  %s  %s %s %s  now %s", json_member(al, "id"),
	    enabled && !json_true(enabled) ? "paused" : json_member(al, "state"),
	    json_member(al, "name"), metric_told(cli, al), json_member(al, "op"),
	    number_told(cli, al, "value"), number_told(cli, al, "last_value"));
}

static bool
is_number(const char *text)
{
	return *text && num_span(text, strlen(text)) == strlen(text);
}

/* Numbers go as they were typed. false after saying that one is none. */
static bool
number_add(struct buf *b, const char *name, const char *text)
{
	if (!is_number(text)) {
		cli_fail("%s isn't a number", text);
		return false;
	}
	json_key(b, name);
	buf_str(b, text);
	return true;
}

/* What is measured, of which artifact. */
static void
metric_begin(struct cli *cli, struct buf *b, const char *table, const char *artifact)
{
	const char *kind = usage_option(&cli->with, "--kind");
	const char *column = usage_option(&cli->with, "--column");

	buf_chr(b, '{');
	json_add(b, "artifact_id", artifact);
	json_add(b, "table", table);
	json_add(b, "kind", kind ? kind : "row_count");
	if (column)
		json_add(b, "column", column);
}

static int
metric_send(struct cli *cli, const char *path, const struct buf *body, const char *id)
{
	struct http_res res;
	int status = http_call(cli, "POST", path, body, &res);

	if (status)
		return status;
	if (cli->json)
		cli_print(cli, res.json);
	else
		cli_line("%s", json_member(res.json, id));
	return EXIT_FINE;
}

static int
metric_remove(struct cli *cli, const char *path, const char *prefix, const char *id)
{
	struct http_res res;
	int status;

	if (!id_valid(id, prefix)) {
		cli_fail("%s isn't the id of %s %s: vitrine %s list lists them", id,
		    str_eq(cli->cmd->name, "alert") ? "an" : "a", cli->cmd->name, cli->cmd->name);
		return EXIT_USAGE;
	}
	if ((status = http_call(
		 cli, "DELETE", mem_printf(cli->c->mem, "%s/%s", path, id), NULL, &res)))
		return status;
	if (!cli->quiet && !cli->json)
		cli_note("removed");
	return EXIT_FINE;
}

/* ---- watches ---- */

static int
watch_send(struct cli *cli, const char *table, const char *artifact)
{
	const char *change = usage_option(&cli->with, "--change");
	struct buf body = BUF(cli->c->mem);

	metric_begin(cli, &body, table, artifact);
	if (change && !number_add(&body, "threshold_pct", change))
		return EXIT_USAGE;
	buf_chr(&body, '}');
	return metric_send(cli, "/v1/metric-watch", &body, "watch.id");
}

/* list, add TABLE, remove ID */
static int
metric_run(struct cli *cli, const char *path, const char *plural, const char *prefix,
    void (*row)(struct cli *, const struct json *),
    int (*send)(struct cli *, const char *, const char *))
{
	const char *verb = cli->with.args[0], *artifact;
	bool lists = str_eq(verb, "list");
	int status = EXIT_FINE;

	if (!str_in(verb, "list|add|remove") || cli->with.n != (lists ? 1u : 2u))
		return help_usage(cli);
	if (str_eq(verb, "remove"))
		return metric_remove(cli, path, prefix, cli->with.args[1]);
	artifact = which_artifact(cli, usage_option(&cli->with, "--artifact"), &status);
	if (!artifact)
		return status;
	if (!lists)
		return send(cli, cli->with.args[1], artifact);
	return list_all(cli, mem_printf(cli->c->mem, "%s?artifact_id=%s", path, artifact), plural,
	    row);
}

static int
run_watch(struct cli *cli)
{
	return metric_run(cli, "/v1/metric-watch", "watches", "wat_", row_watch, watch_send);
}

/* ---- alerts ---- */

/* One of --above, --below and --change. */
static const char *
alert_op(struct cli *cli, const char **value)
{
	static const char *const options[][2] = { { "--above", "above" }, { "--below", "below" },
		{ "--change", "change_pct" } };
	const char *op = NULL;
	size_t n = 0;

	for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
		const char *given = usage_option(&cli->with, options[i][0]);

		if (!given)
			continue;
		op = options[i][1];
		*value = given;
		n++;
	}
	return n == 1 ? op : NULL;
}

static void
alert_destinations(struct buf *b, const char *email, const char *webhook)
{
	if (!email && !webhook)
		return;
	json_key(b, "destinations");
	buf_chr(b, '[');
	if (email) {
		buf_str(b, "{\"type\":\"email\",\"email\":");
		buf_json(b, email);
		buf_chr(b, '}');
	}
	if (webhook) {
		buf_fmt(b, "%s{\"type\":\"webhook\",\"url\":", email ? "," : "");
		buf_json(b, webhook);
		buf_chr(b, '}');
	}
	buf_chr(b, ']');
}

static int
alert_send(struct cli *cli, const char *table, const char *artifact)
{
	const char *name = usage_option(&cli->with, "--name"), *value = NULL;
	const char *checks = usage_option(&cli->with, "--checks");
	const char *op = alert_op(cli, &value);
	struct buf body = BUF(cli->c->mem);

	if (!op) {
		cli_fail("alert add needs exactly one of --above, --below, and --change");
		return EXIT_USAGE;
	}
	metric_begin(cli, &body, table, artifact);
	json_add(&body, "name", name ? name : table);
	json_add(&body, "op", op);
	if (!number_add(&body, "value", value) ||
	    (checks && !number_add(&body, "breaches", checks)))
		return EXIT_USAGE;
	alert_destinations(&body, usage_option(&cli->with, "--email"),
	    usage_option(&cli->with, "--webhook"));
	buf_chr(&body, '}');
	return metric_send(cli, "/v1/metric-alerts", &body, "alert.id");
}

static int
run_alert(struct cli *cli)
{
	return metric_run(cli, "/v1/metric-alerts", "alerts", "alr_", row_alert, alert_send);
}

static const struct cli_option watch_options[] = {
	{ "--artifact SLUG", "whose tables (default: what was published from here)" },
	{ "--kind KIND", "row_count (default), sum, avg, min, max, distinct, or latest" },
	{ "--column NAME", "for every kind except row_count" },
	{ "--change PERCENT", "e-mail when it changes by at least this much (default: 10)" },
	{ 0 },
};
static const struct cli_option alert_options[] = {
	{ "--artifact SLUG", "whose tables (default: what was published from here)" },
	{ "--kind KIND", "row_count (default), sum, avg, min, max, distinct, or latest" },
	{ "--column NAME", "for every kind except row_count" },
	{ "--above VALUE", "alert when it is more" },
	{ "--below VALUE", "alert when it is less" },
	{ "--change PERCENT", "alert when it changes by this much from one check to the next" },
	{ "--name NAME", "name of the alert (default: the table's name)" },
	{ "--checks N", "how many checks in a row it must hold (default: 1)" },
	{ "--email ADDRESS", "whom to e-mail (default: you, unless --webhook is given)" },
	{ "--webhook URL", "address to call" },
	{ 0 },
};

const struct cli_cmd metric_cli[] = {
	{ "watch", "list|add|remove [TABLE|ID] [--artifact SLUG] [--kind KIND] [--column NAME] "
		   "[--change PERCENT]",
	    "get e-mail when a measure of a table changes", run_watch, NEEDS_TOKEN, watch_options },
	{ "alert", "list|add|remove [TABLE|ID] [--artifact SLUG] [--kind KIND] [--column NAME] "
		   "[--above VALUE] [--below VALUE] [--change PERCENT] [--name NAME] [--checks N] "
		   "[--email ADDRESS] [--webhook URL]",
	    "alert people and programs when a measure of a table crosses a value", run_alert,
	    NEEDS_TOKEN, alert_options },
	{ 0 },
};
