/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cmd.h"

#include "base/str.h"
#include "cli/credentials.h"
#include "cli/http.h"

#ifndef VITRINE_VERSION
#define VITRINE_VERSION "0"
#endif

#define ALWAYS "[--url URL] [--json] [--quiet]"

static const struct cli_cmd *const tables[] = { account_cli, publish_cli, artifact_cli, pull_cli };

static void
cmd_usage(void (*line)(const char *fmt, ...))
{
	line("usage: vitrine COMMAND " ALWAYS);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		for (const struct cli_cmd *cmd = tables[i]; cmd->name; cmd++) {
			line("  %s%s%s", cmd->name, *cmd->usage ? " " : "", cmd->usage);
			line("      %s", cmd->help);
		}
	line(
	    "VITRINE_URL, VITRINE_TOKEN and VITRINE_CA say where, who and whom to trust. See vitrine(1).");
}

static int
cmd_run(struct cli *cli, const struct cli_cmd *cmd, int argc, char **argv)
{
	if (!usage_read(cmd->usage, ALWAYS, argc, argv, &cli->with)) {
		cli_note("usage: vitrine %s %s", cmd->name, cmd->usage);
		return EXIT_USAGE;
	}
	cli->json = usage_option(&cli->with, "--json");
	cli->quiet = usage_option(&cli->with, "--quiet");
	cli->url = usage_option(&cli->with, "--url");
	if (!credentials_load(cli) && !cmd->anonymous)
		return EXIT_REFUSED;
	if (!*cli->url) {
		cli_fail("no service is named: set VITRINE_URL, or vitrine login --url https://…");
		return EXIT_USAGE;
	}
	if (!credentials_url_valid(cli->url)) {
		cli_fail("%s is not an https:// address", cli->url);
		return EXIT_USAGE;
	}
	if (cli->kept_for && !str_eq(cmd->name, "login")) {
		cli_fail(
		    "the token that is kept is for %s and is not sent to %s: vitrine login --url %s to sign in there, or vitrine %s --url %s",
		    cli->kept_for, cli->url, cli->url, cmd->name, cli->kept_for);
		return EXIT_SIGNED_OUT;
	}
	if (!cli->token && !cmd->anonymous) {
		cli_fail("you are not signed in: vitrine login, or set VITRINE_TOKEN");
		return EXIT_SIGNED_OUT;
	}
	if (cli->token && !cmd->anonymous && !credentials_token_valid(cli->token)) {
		cli_fail("the token is none: one has visible characters and no blanks");
		return EXIT_SIGNED_OUT;
	}
	return cmd->run(cli);
}

int
cli_main(int argc, char **argv)
{
	struct cli cli = { .c = ctx_begin(NULL, NULL) };
	int status = EXIT_USAGE;

	if (argc > 1 && str_in(argv[1], "help|--help|-h")) {
		cmd_usage(cli_line);
		status = EXIT_FINE;
	} else if (argc > 1 && str_in(argv[1], "version|--version")) {
		cli_line("vitrine " VITRINE_VERSION);
		status = EXIT_FINE;
	} else {
		const struct cli_cmd *found = NULL;

		for (size_t i = 0; argc > 1 && i < sizeof tables / sizeof *tables; i++)
			for (const struct cli_cmd *cmd = tables[i]; cmd->name; cmd++)
				found = str_eq(cmd->name, argv[1]) ? cmd : found;
		if (found)
			status = cmd_run(&cli, found, argc - 2, argv + 2);
		else
			cmd_usage(cli_note);
	}
	if (fflush(stdout))
		status = EXIT_REFUSED;
	ctx_end(cli.c);
	return status;
}
