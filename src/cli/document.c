/* SPDX-License-Identifier: Apache-2.0
 * Commands about an artifact's JSON document. */
#include "cli/commands.h"

#include "base/sample.h"
#include "base/str.h"
#include "cli/row.h"

/* Prints the document indented, since it may be one long line. */
static int
document_print(struct cli *cli, const struct json *reply)
{
	const struct json *data = json_get(reply, "data");
	char *rest = NULL, *line;

	if (cli->json)
		cli_print(cli, reply);
	else if (data)
		rest = mem_strdup(
		    cli->c->mem, json_indented(cli->c->mem, json_text(cli->c->mem, data)));
	while ((line = str_split(&rest, '\n')))
		cli_line("%s", line);
	return EXIT_FINE;
}

static bool
document_body(struct cli *cli, struct buf *body)
{
	return cli_given(row_given(cli, "FILE"), body);
}

/* A command stores a document here. */
static const char *
document_reword(struct cli *cli, const char *error, const void *arg)
{
	(void)arg;
	return cli_text_replaced(cli, error, "PUT one here", "vitrine data put FILE stores one");
}

static const struct cli_row data_rows[] = {
	{ "get", "[SLUG]", "GET /v1/data/{@artifact}/json", .then = document_print,
	    .reword = document_reword },
	{ "put", "[SLUG] FILE", "PUT /v1/data/{@artifact}/json", .adds = document_body,
	    .note = "saved" },
	{ "patch", "[SLUG] FILE", "PATCH /v1/data/{@artifact}/json", .adds = document_body,
	    .note = "saved" },
	{ 0 },
};

const struct cli_cmd document_cli[] = {
	{ "data", "get|put|patch [SLUG] [FILE]",
	    "print, replace, or merge into an artifact's JSON document; "
	    "FILE can be - or the JSON itself",
	    .rows = data_rows },
	{ 0 },
};
