/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/help.h"

#include "base/str.h"

#define CLI_TABLE(noun) noun##_cli,
const struct cli_cmd *const help_tables[] = { CLI_TABLES(CLI_TABLE) NULL };
const struct cli_option help_always[] = {
	{ "--url URL", "address of the service (default: VITRINE_URL, then the one login saved)" },
	{ "--json", "print the service's reply as JSON" },
	{ "--quiet", "print only results and errors" },
	{ 0 },
};

const struct cli_cmd *
help_find(const char *name)
{
	HELP_EACH (cmd)
		if (str_eq(cmd->name, name))
			return cmd;
	return NULL;
}

/* ---- help ---- */

void
help_all(void (*line)(const char *fmt, ...))
{
	int longest = 0;

	HELP_EACH (cmd)
		longest = (int)strlen(cmd->name) > longest ? (int)strlen(cmd->name) : longest;
	line("usage: vitrine COMMAND … " CMD_ALWAYS);
	HELP_EACH (cmd)
		line("  %-*s  %s", longest, cmd->name, cmd->help);
	line("Run vitrine COMMAND --help for a command's options; vitrine(1) is the full manual.");
	line("VITRINE_URL, VITRINE_TOKEN, and VITRINE_CA set the service, the token, "
	     "and the CA file.");
}

static void
options_print(const struct cli_option *o)
{
	for (; o && o->name; o++)
		cli_line("  %-22s  %s", o->name, o->help);
}

const char *
help_synopsis(struct cli *cli, const struct cli_cmd *cmd)
{
	struct buf b = BUF(cli->c->mem);

	buf_str(&b, cmd->args);
	for (const struct cli_option *o = cmd->options; o && o->name; o++)
		buf_fmt(&b, "%s[%.*s%s]", b.n ? " " : "",
		    (int)(o->words ? strcspn(o->name, " ") + 1 : strlen(o->name)), o->name,
		    o->words ? o->words : "");
	return buf_done(&b);
}

void
help_command(struct cli *cli, const struct cli_cmd *cmd)
{
	const char *synopsis = help_synopsis(cli, cmd);

	cli_line("usage: vitrine %s%s%s " CMD_ALWAYS, cmd->name, *synopsis ? " " : "", synopsis);
	cli_line("%s", cmd->help);
	if (strstr(cmd->args, "[SLUG]"))
		cli_line(
		    "SLUG is an artifact's slug or id, or a path you published (default: "
		    "what was published from here)");
	options_print(cmd->options);
	options_print(help_always);
}

/* ---- suggestions ---- */

/* A word further away than a third of its letters counts as another word. The dashes of options
 * aren't counted. */
static struct str_near
nearest_to(const char *name)
{
	return (struct str_near){ name, NULL, 2 + strlen(name + strspn(name, "-")) / 3 };
}

static void
options_try(struct cli *cli, struct str_near *n, const struct cli_option *o)
{
	for (; o && o->name; o++)
		str_near_try(n, mem_strndup(cli->c->mem, o->name, strcspn(o->name, " ")));
}

void
help_unknown(const char *name)
{
	struct str_near n = nearest_to(name);

	HELP_EACH (cmd)
		str_near_try(&n, cmd->name);
	if (n.word)
		cli_fail("%s isn't a command; did you mean vitrine %s?", name, n.word);
	else
		cli_fail("%s isn't a command; vitrine help lists them", name);
}

const char *
help_option(const struct cli_option *o, const char *name)
{
	for (; o && o->name; o++)
		if (strncmp(o->name, name, strlen(name)) == 0 && strchr(" ", o->name[strlen(name)]))
			return o->name;
	return NULL;
}

const char *
help_too_many(struct cli *cli, const char *arg)
{
	return mem_printf(cli->c->mem,
	    *arg == '-' && arg[1] ? "%s isn't an option" : "%s is one argument too many", arg);
}

/* usages: one a line; NULL: the command's. */
static void
usage_print(struct cli *cli, const struct cli_cmd *cmd, const char *why, const char *usages)
{
	const char *synopsis = help_synopsis(cli, cmd), *sep = *synopsis ? " " : "";
	struct buf all = BUF(cli->c->mem);
	char *rest, *one;

	why = why ? why : "the arguments don't fit together";
	rest = usages ? mem_strdup(cli->c->mem, usages)
		      : mem_printf(cli->c->mem, "%s%s%s", cmd->name, sep, synopsis);
	if (!cli_fail_is_json())
		cli_fail("%s", why);
	while ((one = str_split(&rest, '\n'))) {
		buf_fmt(&all, "%svitrine %s", all.n ? " or " : "", one);
		if (!cli_fail_is_json())
			cli_note("usage: vitrine %s", one);
	}
	if (cli_fail_is_json()) {
		cli_fail("%s; usage: %s", why, buf_done(&all));
		return;
	}
	cli_note("run vitrine %s --help for details", cmd->name);
}

/* Returns which of the usage's arguments is missing, or which is too many; NULL if neither is. */
static const char *
arguments_wrong(struct cli *cli, const struct cli_cmd *cmd)
{
	const char *usage = cmd->args;
	size_t due = 0, most = 0;
	struct usage_word w;

	while (usage_next(&usage, &w)) {
		due += !w.optional;
		most += w.more ? USAGE_ARGS : 1;
		if (due > cli->with.n)
			return mem_printf(cli->c->mem, "%s%.*s is missing",
			    memchr(w.s, '|', w.n) ? "one of " : "", (int)w.n, w.s);
	}
	return most < cli->with.n ? help_too_many(cli, cli->with.args[most]) : NULL;
}

/* Returns what is wrong with the known option at argv[i], or NULL. */
static const char *
option_wrong(struct cli *cli, char **argv, int i)
{
	for (int k = 0; k < i; k++)
		if (str_eq(argv[k], argv[i]))
			return mem_printf(cli->c->mem, "%s is given twice", argv[i]);
	return cli_option(cli, argv[i]) || cli->with.option_n == USAGE_OPTIONS
	    ? NULL
	    : mem_printf(cli->c->mem, "%s takes no value", argv[i]);
}

static bool
is_option(const struct cli_cmd *cmd, const char *name)
{
	return help_option(cmd->options, name) || help_option(help_always, name);
}

void
help_refusal(struct cli *cli, const struct cli_cmd *cmd, int argc, char **argv)
{
	const char *lacking = cli->with.lacking, *whole, *why = NULL;

	if (lacking) {
		whole = help_option(cmd->options, lacking);
		cli_fail("%s: has no value; write %s", lacking,
		    whole ? whole : help_option(help_always, lacking));
		return;
	}
	for (int i = 0; i < argc && !str_eq(argv[i], "--") && !why; i++) {
		const char *name = mem_strndup(cli->c->mem, argv[i], strcspn(argv[i], "="));
		struct str_near n = nearest_to(name);

		if (str_starts(name, "--") && is_option(cmd, name))
			why = option_wrong(cli, argv, i);
		if (!str_starts(name, "--") || is_option(cmd, name))
			continue;
		options_try(cli, &n, cmd->options);
		options_try(cli, &n, help_always);
		if (n.word)
			cli_fail("%s isn't an option of %s; did you mean %s?", name, cmd->name,
			    n.word);
		else
			cli_fail("%s isn't an option of %s; vitrine %s --help lists them", name,
			    cmd->name, cmd->name);
		return;
	}
	usage_print(cli, cmd, why ? why : arguments_wrong(cli, cmd), NULL);
}

/* Refuses a first argument that isn't one of the words with which the usage begins. Returns false
 * if the first argument isn't the fault. */
static bool
word_refuse(struct cli *cli)
{
	const char *usage = cli->cmd->args, *said = cli->with.n ? cli->with.args[0] : NULL;
	struct str_near n = nearest_to(said ? said : "");
	char *words, *one, *rest;
	struct usage_word w;

	if (!said || !usage_next(&usage, &w) || w.option || !memchr(w.s, '|', w.n))
		return false;
	words = mem_strndup(cli->c->mem, w.s, w.n);
	if (str_in(said, words))
		return false;
	rest = mem_strdup(cli->c->mem, words);
	while ((one = str_split(&rest, '|')))
		str_near_try(&n, one);
	if (n.word)
		cli_fail("%s isn't a command of vitrine %s; did you mean vitrine %s %s?", said,
		    cli->cmd->name, cli->cmd->name, n.word);
	else
		cli_fail("%s isn't a command of vitrine %s; write one of %s", said, cli->cmd->name,
		    words);
	return true;
}

int
help_usage(struct cli *cli, const char *why, const char *usages)
{
	if (!word_refuse(cli))
		usage_print(cli, cli->cmd, why, usages);
	return EXIT_USAGE;
}
