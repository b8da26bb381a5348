/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cmd.h"

#include "base/str.h"
#include "cli/credentials.h"
#include "cli/help.h"
#include "cli/row.h"
#include "cli/which.h"
#include "cli/workspace.h"

#ifndef VITRINE_VERSION
#define VITRINE_VERSION "0"
#endif

static int
address_check(struct cli *cli)
{
	if (!*cli->url)
		return cli_misuse(
		    "no service given: set VITRINE_URL, or run vitrine login --url https://…");
	return credentials_url_valid(cli->url)
	    ? EXIT_FINE
	    : cli_misuse("%s isn't an https:// address", cli->url);
}

int
cmd_address(struct cli *cli)
{
	cli->url = cli_option(cli, "--url");
	credentials_load(cli);
	return address_check(cli);
}

int
cmd_service(struct cli *cli, enum cli_needs needs)
{
	const char *name = cli->cmd->name;
	int status;

	cli->url = cli_option(cli, "--url");
	if (!credentials_load(cli) && needs == NEEDS_TOKEN)
		return EXIT_REFUSED;
	if ((status = address_check(cli)))
		return status;
	if (cli->kept_for && !str_eq(name, "login")) {
		cli_fail(
		    "your saved token is for %s and isn't sent to %s: "
		    "run vitrine login --url %s to sign in there, or vitrine %s --url %s",
		    cli->kept_for, cli->url, cli->url, name, cli->kept_for);
		return EXIT_SIGNED_OUT;
	}
	if (!cli->token && needs == NEEDS_TOKEN) {
		cli_fail("you're not signed in: run vitrine login, or set VITRINE_TOKEN");
		return EXIT_SIGNED_OUT;
	}
	if (cli->token && needs == NEEDS_TOKEN && !credentials_token_valid(cli->token)) {
		cli_fail(
		    "the token isn't valid: a token has only visible characters and no spaces");
		return EXIT_SIGNED_OUT;
	}
	return EXIT_FINE;
}

/* Asks the command's own find first; then finds the workspace or the artifact. */
static const char *
id_find(struct cli *cli, const char *what, int *status)
{
	const char *id = cli->cmd->find ? cli->cmd->find(cli, what, status) : NULL,
		   *slug = row_given(cli, "SLUG");

	if (id || *status)
		return id;
	return str_eq(what, "workspace")
	    ? workspace_which(cli, status)
	    : which_artifact(cli, slug ? slug : cli_option(cli, "--artifact"), status);
}

static bool
words_have(int argc, char **argv, const char *words)
{
	for (int i = 0; i < argc && !str_eq(argv[i], "--"); i++)
		if (str_in(argv[i], words))
			return true;
	return false;
}

/* Checks the options whose value is one of the words that the option's name lists. */
static int
choices_check(struct cli *cli)
{
	for (const struct cli_option *o = cli->cmd->options; o && o->name; o++) {
		size_t n = strcspn(o->name, " ");
		const char *name = mem_strndup(cli->c->mem, o->name, n),
			   *given = cli_option(cli, name), *words = o->name + n + 1;

		if (given && o->checked && !str_in(given, words))
			return cli_misuse("%s: must be %s, not %s", name,
			    str_or(cli->c->mem, words), given);
	}
	return EXIT_FINE;
}

static int
cmd_run(struct cli *cli, const struct cli_cmd *cmd, int argc, char **argv)
{
	int status;

	if (words_have(argc, argv, "--help|-h")) {
		help_command(cli, cmd);
		return EXIT_FINE;
	}
	cli->cmd = cmd;
	if (!usage_read(help_synopsis(cli, cmd), CMD_ALWAYS, argc, argv, &cli->with)) {
		if (words_have(argc, argv, "--json"))
			cli_fail_json();
		help_refusal(cli, cmd, argc, argv);
		return EXIT_USAGE;
	}
	cli->json = cli_option(cli, "--json");
	if (cli->json)
		cli_fail_json();
	cli->quiet = cli_option(cli, "--quiet");
	if ((status = choices_check(cli)))
		return status;
	if (cmd->needs != NEEDS_NOTHING && (status = cmd_service(cli, cmd->needs)))
		return status;
	return cmd->rows ? row_run(cli) : cmd->run(cli);
}

static int
cmd_choose(struct cli *cli, int argc, char **argv)
{
	const struct cli_cmd *cmd = argc > 1 ? help_find(argv[1]) : NULL;

	if (cmd)
		return cmd_run(cli, cmd, argc - 2, argv + 2);
	if (argc == 3 && str_eq(argv[1], "help") && help_find(argv[2])) {
		help_command(cli, help_find(argv[2]));
	} else if (argc == 2 && str_in(argv[1], "help|--help|-h")) {
		help_all(cli_line);
	} else if (argc == 2 && str_in(argv[1], "version|--version")) {
		cli_line("vitrine " VITRINE_VERSION);
		cli_line("authorities: %s", http_ca() ? http_ca() : "none found");
	} else if (argc < 2) {
		help_all(cli_note);
		return EXIT_USAGE;
	} else {
		if (words_have(argc, argv, "--json"))
			cli_fail_json();
		help_unknown(str_eq(argv[1], "help") ? argv[2] : argv[1]);
		return EXIT_USAGE;
	}
	return EXIT_FINE;
}

int
cli_main(int argc, char **argv)
{
	struct cli cli = { .c = ctx_begin(NULL, NULL), .find = id_find, .shown = -1 };
	int status = cmd_choose(&cli, argc, argv);

	if (fflush(stdout))
		status = EXIT_REFUSED;
	cli_fail_end(status);
	ctx_end(cli.c);
	return status;
}
