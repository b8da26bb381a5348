/* SPDX-License-Identifier: Apache-2.0
 * Makes a job from options: which action has which options, and where they go in its config. */
#include "cli/jobadd.h"

#include "base/str.h"

/* With --connection, an ADDRESS is a PATH; a chat's path is a channel. */
enum setting_kind { TEXT, LIST, FLAG, MODE, PAYLOAD, HEADER, TARGET, ADDRESS, PATH, QUERY };

/* The options that choose an action. Such an option also has the action's address, if any. */
static const struct action {
	const char *option, *name;
} actions[] = { { "--email", "email" }, { "--webhook", "webhook" }, { "--get", "http_get" },
	{ "--materialize", "materialize" }, { "--query", "materialize" },
	{ "--chat-a", "chat_a" }, { "--chat-b", "chat_b" } };

/* object: the member of the config that contains name; "": the config itself. */
static const struct setting {
	const char *option, *actions, *object, *name;
	enum setting_kind kind;
} settings[] = {
	{ "--email", "email", "", "recipients", LIST },
	{ "--subject", "email", "", "subject", TEXT },
	{ "--text", "email", "", "body", TEXT },
	{ "--link", "email", "", "includeArtifactLink", FLAG },
	{ "--webhook", "webhook", "", "url", TEXT },
	{ "--payload", "webhook", "", "payload", PAYLOAD },
	{ "--get", "http_get", "", "url", ADDRESS },
	{ "--get", "http_get", "", "path", PATH },
	{ "--connection", "http_get|chat_a|chat_b", "", "connection_id", TEXT },
	{ "--header", "webhook|http_get", "", "headers", HEADER },
	{ "--save-to", "http_get", "", "save_to", TEXT },
	{ "--chat-a", "chat_a", "", "webhook_url", ADDRESS },
	{ "--chat-a", "chat_a", "", "channel", PATH },
	{ "--chat-b", "chat_b", "", "webhook_url", ADDRESS },
	{ "--chat-b", "chat_b", "", "channel", PATH },
	{ "--text", "chat_a|chat_b", "", "text", TEXT },
	{ "--append", "materialize", "", "mode", MODE },
	{ "--table", "materialize", "", "target", TARGET },
	{ "--materialize", "materialize", "source", "url", ADDRESS },
	{ "--materialize", "materialize", "source", "path", PATH },
	{ "--query", "materialize", "source", "query", QUERY },
	{ "--connection", "materialize", "source", "connection_id", TEXT },
	{ "--header", "materialize", "source", "headers", HEADER },
	{ "--format", "materialize", "source", "format", TEXT },
};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* ---- one setting ---- */

static bool
payload_add(struct cli *cli, struct buf *b, const char *given)
{
	struct buf text = BUF(cli->c->mem);
	struct json *tree;
	const char *why;
	size_t at;

	if (!cli_given(given, &text))
		return false;
	why = json_wrong(cli->c, text.s, text.n, &tree, &at);
	if (why)
		return cli_fail("--payload: at byte %zu: %s", at + 1, why) == EXIT_FINE;
	buf_str(b, json_text(cli->c->mem, tree));
	return true;
}

static bool
header_add(struct buf *b, const char *given)
{
	size_t n = strcspn(given, ":");

	if (!n || !given[n])
		return cli_fail("--header: write it as 'Name: value'") == EXIT_FINE;
	buf_chr(b, '{');
	buf_json(b, mem_strndup(b->owner, given, n));
	buf_chr(b, ':');
	buf_json(b, given + n + 1 + strspn(given + n + 1, " "));
	buf_chr(b, '}');
	return true;
}

/* Reads secrets from standard input, so that they are in no list of processes. */
static const char *
given_or_read(struct cli *cli, const struct setting *s, const char *given)
{
	struct buf text = BUF(cli->c->mem);

	if (!str_eq(given, "-") || !str_in(s->option, "--header|--chat-a|--chat-b"))
		return given;
	if (!cli_given(given, &text))
		return NULL;
	return mem_strndup(cli->c->mem, text.s, strcspn(text.s, "\r\n"));
}

static bool
setting_add(struct cli *cli, struct buf *b, const struct setting *s, const char *given)
{
	struct buf text = BUF(cli->c->mem);

	given = given_or_read(cli, s, given);
	if (!given)
		return false;
	json_key(b, s->name);
	switch (s->kind) {
	case LIST:
		json_split(b, given);
		return true;
	case FLAG: buf_str(b, "true"); return true;
	case MODE: buf_str(b, "\"append\""); return true;
	case PAYLOAD: return payload_add(cli, b, given);
	case HEADER: return header_add(b, given);
	case QUERY:
		if (str_eq(given, "-") && !cli_given(given, &text))
			return false;
		buf_json(b, text.n ? text.s : given);
		return true;
	case TARGET:
		buf_str(b, "{\"table\":");
		buf_json(b, given);
		buf_chr(b, '}');
		return true;
	default: buf_json(b, given); return true;
	}
}

/* ---- all ---- */

/* Returns the action that the options choose; NULL after saying that they choose none or two. */
static const struct action *
action_given(struct cli *cli)
{
	const struct action *found = NULL;

	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
		if (!cli_option(cli, actions[i].option))
			continue;
		if (found) {
			cli_fail("%s and %s can't be combined: each is a job of its own",
			    found->option, actions[i].option);
			return NULL;
		}
		found = &actions[i];
	}
	if (!found)
		cli_fail(
		    "what should it do? "
		    "Use --email, --webhook, --chat-a, --chat-b, --get, --materialize, or --query");
	return found;
}

/* Refuses an option of another action. */
static bool
options_fit(struct cli *cli, const struct action *action)
{
	for (size_t i = 0; i < SETTINGS; i++) {
		bool fits = false;

		for (size_t k = 0; k < SETTINGS; k++)
			fits |= str_eq(settings[k].option, settings[i].option) &&
			    str_in(action->name, settings[k].actions);
		if (!fits && cli_option(cli, settings[i].option))
			return cli_fail("%s can't be used with %s", settings[i].option,
				   action->option) == EXIT_FINE;
	}
	if (str_eq(action->option, "--query") && !cli_option(cli, "--connection"))
		return cli_fail("--query needs --connection ID, the database that answers it; "
				"vitrine connections list lists them") == EXIT_FINE;
	return true;
}

static bool
object_add(struct cli *cli, struct buf *b, const struct action *action, const char *object)
{
	enum setting_kind not = cli_option(cli, "--connection") ? ADDRESS : PATH;

	for (const struct setting *s = settings; s < settings + SETTINGS; s++) {
		const char *given = cli_option(cli, s->option);

		if (given && s->kind != not && str_in(action->name, s->actions) &&
		    str_eq(s->object, object) && !setting_add(cli, b, s, given))
			return false;
	}
	return true;
}

static bool
config_add(struct cli *cli, struct buf *b, const struct action *action)
{
	bool loads = str_eq(action->name, "materialize");

	json_key(b, "config");
	buf_chr(b, '{');
	if (!object_add(cli, b, action, ""))
		return false;
	if (loads && !cli_option(cli, "--table"))
		json_add(b, "target", "json");
	if (loads) {
		json_key(b, "source");
		buf_chr(b, '{');
		if (!object_add(cli, b, action, "source"))
			return false;
		buf_chr(b, '}');
	}
	buf_chr(b, '}');
	return true;
}

/* Returns the API's name of an event: "updated" is artifact.updated. NULL if there is none. */
static const char *
event_named(const char *given)
{
	return str_in(given, "updated|artifact.updated") ? "artifact.updated"
	    : str_in(given, "viewed|artifact.viewed")    ? "artifact.viewed"
	    : str_in(given, "comment|comment.added")     ? "comment.added"
							 : NULL;
}

static bool
when_add(struct cli *cli, struct buf *b)
{
	const char *cron = cli_option(cli, "--cron"), *event = cli_option(cli, "--on"),
		   *zone = cli_option(cli, "--timezone");

	if (!cron == !event)
		return cli_fail(
			   "when should it run? "
			   "Use either --cron '0 7 * * *' or --on updated, viewed, or comment") ==
		    EXIT_FINE;
	if (event && !event_named(event))
		return cli_fail("--on: %s isn't one of updated, viewed, and comment", event) ==
		    EXIT_FINE;
	json_texts(b, "schedule", cron, "event_type", event ? event_named(event) : NULL, "timezone",
	    zone, NULL);
	return true;
}

bool
jobadd_body(struct cli *cli, const char *artifact_id, struct buf *out)
{
	const struct action *action = action_given(cli);
	const char *attempts = cli_option(cli, "--attempts");
	int64_t n;

	if (!action || !options_fit(cli, action))
		return false;
	buf_chr(out, '{');
	json_texts(out, "artifact_id", artifact_id, "action", action->name, "name",
	    cli_option(cli, "--name"), NULL);
	if (!when_add(cli, out) || !config_add(cli, out, action))
		return false;
	if (attempts && !str_int(attempts, &n))
		return cli_fail("--attempts: must be a number") == EXIT_FINE;
	if (attempts) {
		json_key(out, "retry_config");
		buf_fmt(out, "{\"maxAttempts\":%lld}", (long long)n);
	}
	buf_chr(out, '}');
	return true;
}

/* ---- errors ---- */

/* Returns the option that sets the member at a path such as "config.source.url"; or NULL. */
static const char *
option_of(struct cli *cli, const char *path)
{
	static const struct {
		const char *path, *option;
	} others[] = { { "schedule", "--cron" }, { "timezone", "--timezone" },
		{ "event_type", "--on" }, { "name", "--name" },
		{ "retry_config.maxAttempts", "--attempts" } };
	const struct action *action = action_given(cli);

	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (str_eq(path, others[i].path))
			return others[i].option;
	for (const struct setting *s = settings; s < settings + SETTINGS; s++)
		if (str_in(action->name, s->actions) &&
		    str_eq(path,
			mem_printf(cli->c->mem, "config.%s%s%s", s->object, *s->object ? "." : "",
			    s->name)))
			return s->option;
	return NULL;
}

/* "config.recipients[1]: must be …" is about the second value of --email. */
const char *
jobadd_reword(struct cli *cli, const char *error, const void *arg)
{
	(void)arg;
	return cli_option_error(
	    cli, error, option_of(cli, mem_strndup(cli->c->mem, error, strcspn(error, ":[ "))));
}
