/* SPDX-License-Identifier: Apache-2.0
 * The command that finds things by words. */
#include "cli/commands.h"
#include "cli/line.h"
#include "cli/row.h"

/* Joins all words into one query. The empty query lists what was opened last. */
static bool
words_add(struct cli *cli, struct buf *b)
{
	struct buf all = BUF(cli->c->mem);

	for (size_t i = 0; i < cli->with.n; i++)
		buf_fmt(&all, "%s%s", i ? " " : "", cli->with.args[i]);
	buf_str(b, b->n ? "&q=" : "q=");
	buf_form(b, buf_done(&all));
	return true;
}

static int
found_print(struct cli *cli, const struct json *reply)
{
	if (cli->json)
		cli_print(cli, reply);
	else if (!line_each(
		     cli, "{-10 group} {title}[  {subtitle}]  {url}", reply, "results", cli_line) &&
	    !cli->quiet)
		cli_note("nothing was found");
	return EXIT_FINE;
}

static const struct cli_option search_options[] = {
	{ "--groups LIST",
	    "only these kinds of things, separated by commas: pages, folders, "
	    "files, datasets, connectors, people, schedules, crew, alerts" },
	{ "--limit N", "at most so many results (default: 20)" },
	{ "--workspace W", "only in this workspace (slug or id)" },
	{ 0 },
};

static const struct cli_row search_rows[] = {
	{ NULL, "[WORDS…]", "GET /v1/search",
	    "groups=--groups limit:number=--limit workspace=--workspace?@workspace",
	    .adds = words_add, .then = found_print },
	{ 0 },
};

const struct cli_cmd search_cli[] = {
	{ "search", "[WORDS…]",
	    "find pages, folders, files, people and more that you can see, even with typos; "
	    "without words, list what you opened last",
	    search_options, search_rows },
	{ 0 },
};
