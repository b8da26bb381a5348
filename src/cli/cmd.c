/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cmd.h"

#include "base/id.h"
#include "base/str.h"
#include "cli/credentials.h"
#include "cli/http.h"

#ifndef VITRINE_VERSION
#define VITRINE_VERSION "0"
#endif

static const struct cli_cmd *const tables[] = { account_cli, publish_cli, artifact_cli, pull_cli };

static void
usage(FILE *out)
{
	fputs("usage: vitrine COMMAND [--url URL] [--json] [--quiet]\n\n", out);
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		for (const struct cli_cmd *cmd = tables[i]; cmd->name; cmd++)
			fprintf(out, "  %-9s %-24s %s\n", cmd->name, cmd->usage, cmd->help);
	fputs("\nVITRINE_URL, VITRINE_TOKEN and VITRINE_CA say where, who and whom to trust. See vitrine(1).\n", out);
}

int
cli_fail(const char *fmt, ...)
{
	va_list ap;

	fputs("vitrine: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return EXIT_REFUSED;
}

const char *
cli_option(const struct cli *cli, const char *name)
{
	for (size_t i = 0; i < cli->option_n; i++)
		if (str_eq(cli->options[i].name, name))
			return cli->options[i].value;
	return NULL;
}

void
cli_print(struct cli *cli, const struct json *reply)
{
	printf("%s\n", json_text(cli->c->mem, reply));
}

static const struct json *
find(const struct json *j, const char *path)
{
	while (j && *path) {
		size_t n = strcspn(path, ".");
		char name[64];

		if (n >= sizeof name || json_kind(j) != J_OBJ)
			return NULL;
		memcpy(name, path, n);
		name[n] = '\0';
		j = json_get(j, name);
		path += n + (path[n] == '.');
	}
	return j;
}

const char *
json_member(const struct json *j, const char *path)
{
	j = find(j, path);
	return j && json_kind(j) == J_STR ? json_str(j) : "";
}

int64_t
json_number(const struct json *j, const char *path)
{
	j = find(j, path);
	return j && json_kind(j) == J_INT ? json_int(j) : 0;
}

const char *
cli_artifact(struct cli *cli, const char *id_or_slug, int *exit_status)
{
	struct http_req req = { .method = "GET", .save_fd = -1 };
	const struct json *rows;
	struct http_res res;
	struct buf path = BUF(cli->c->mem);

	if (id_valid(id_or_slug, "art_"))
		return id_or_slug;
	buf_str(&path, "/v1/artifacts?slug=");
	buf_url(&path, id_or_slug);
	req.path = path.s;
	if ((*exit_status = http_send(cli, &req, NULL, &res)))
		return NULL;
	rows = res.json ? json_get(res.json, "artifacts") : NULL;
	if (rows && json_len(rows))
		return json_member(json_at(rows, 0), "id");
	*exit_status = cli_fail("%s: none of your artifacts has this slug", id_or_slug);
	return NULL;
}

/* "--slug=" among a command's options means that it takes a value; 0 unknown, 1 flag, 2 with a value. */
static int
option_kind(const struct cli_cmd *cmd, const char *name)
{
	char with[64];

	if (snprintf(with, sizeof with, "%s=", name) >= (int)sizeof with)
		return 0;
	if (str_in(name, "--json|--quiet") || str_in(name, cmd->options))
		return 1;
	return str_eq(name, "--url") || str_in(with, cmd->options) ? 2 : 0;
}

static bool
arguments_read(struct cli *cli, const struct cli_cmd *cmd, int argc, char **argv)
{
	for (int i = 0; i < argc; i++) {
		char *value = strncmp(argv[i], "--", 2) == 0 ? strchr(argv[i], '=') : NULL;
		int kind;

		if (strncmp(argv[i], "--", 2) != 0) {
			if (cli->n == CLI_ARGS)
				return false;
			cli->args[cli->n++] = argv[i];
			continue;
		}
		if (value)
			*value++ = '\0';
		kind = option_kind(cmd, argv[i]);
		if (!kind || (kind == 1 && value) || cli->option_n == CLI_OPTIONS)
			return false;
		cli->options[cli->option_n].name = argv[i];
		if (kind == 2 && !value && ++i == argc)
			return false;
		cli->options[cli->option_n++].value = kind == 1 ? "" : value ? value : argv[i];
	}
	return cli->n >= cmd->least && cli->n <= cmd->most;
}

static int
run(struct cli *cli, const struct cli_cmd *cmd, int argc, char **argv)
{
	if (!arguments_read(cli, cmd, argc, argv)) {
		fprintf(stderr, "usage: vitrine %s %s\n", cmd->name, cmd->usage);
		return EXIT_USAGE;
	}
	cli->json = cli_option(cli, "--json");
	cli->quiet = cli_option(cli, "--quiet");
	cli->url = cli_option(cli, "--url");
	if (!credentials_load(cli) && !cmd->anonymous)
		return EXIT_REFUSED;
	if (!*cli->url) {
		cli_fail("no service is named: set VITRINE_URL, or vitrine login --url https://…");
		return EXIT_USAGE;
	}
	if (!cli->token && !cmd->anonymous) {
		cli_fail("you are not signed in: vitrine login, or set VITRINE_TOKEN");
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
		usage(stdout);
		status = EXIT_FINE;
	} else if (argc > 1 && str_in(argv[1], "version|--version")) {
		puts("vitrine " VITRINE_VERSION);
		status = EXIT_FINE;
	} else {
		const struct cli_cmd *found = NULL;

		for (size_t i = 0; argc > 1 && i < sizeof tables / sizeof *tables; i++)
			for (const struct cli_cmd *cmd = tables[i]; cmd->name; cmd++)
				found = str_eq(cmd->name, argv[1]) ? cmd : found;
		if (found)
			status = run(&cli, found, argc - 2, argv + 2);
		else
			usage(stderr);
	}
	if (fflush(stdout))
		status = EXIT_REFUSED;
	ctx_end(cli.c);
	return status;
}
