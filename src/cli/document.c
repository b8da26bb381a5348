/* SPDX-License-Identifier: Apache-2.0
 * An artifact's JSON document. */
#include "cli/cmd.h"

#include "base/sample.h"
#include "base/str.h"
#include "cli/help.h"
#include "cli/http.h"
#include "cli/which.h"

static const char *
document_path(struct cli *cli, const char *named, int *status)
{
	const char *id = which_artifact(cli, named, status);

	return id ? mem_printf(cli->c->mem, "/v1/data/%s/json", id) : NULL;
}

/* The text as the service has it, one line a member. */
static int
document_print(struct cli *cli, const char *named)
{
	int status = EXIT_FINE;
	const char *path = document_path(cli, named, &status);
	const struct json *data;
	struct http_res res;
	char *rest, *line;

	if (!path || (status = http_call(cli, "GET", path, NULL, &res)))
		return status;
	data = json_get(res.json, "data");
	if (cli->json)
		cli_print(cli, res.json);
	if (cli->json || !data)
		return EXIT_FINE;
	rest = mem_strdup(
	    cli->c->mem, json_indented(cli->c->mem, json_text(cli->c->mem, data)));
	while ((line = str_split(&rest, '\n')))
		cli_line("%s", line);
	return EXIT_FINE;
}

static int
document_send(struct cli *cli, const char *method, const char *named, const char *given)
{
	struct buf body = BUF(cli->c->mem);
	int status = EXIT_FINE;
	struct http_res res;
	const char *path;

	if (!cli_given(given, &body))
		return EXIT_USAGE;
	path = document_path(cli, named, &status);
	if (!path || (status = http_call(cli, method, path, &body, &res)))
		return status;
	if (cli->json)
		cli_print(cli, res.json);
	else if (!cli->quiet)
		cli_note("saved");
	return EXIT_FINE;
}

static int
run_data(struct cli *cli)
{
	const char *verb = cli->with.args[0], *first = cli->with.n > 1 ? cli->with.args[1] : NULL;

	if (str_eq(verb, "get") && cli->with.n < 3)
		return document_print(cli, first);
	if (!str_in(verb, "put|patch") || !first)
		return help_usage(cli);
	return document_send(cli, str_eq(verb, "put") ? "PUT" : "PATCH",
	    cli->with.n > 2 ? first : NULL, cli->with.args[cli->with.n - 1]);
}

const struct cli_cmd document_cli[] = {
	{ "data", "get|put|patch [SLUG] [FILE]",
	    "print, replace, or merge into an artifact's JSON document; "
	    "FILE can be - or the JSON itself",
	    run_data, NEEDS_TOKEN, NULL },
	{ 0 },
};
