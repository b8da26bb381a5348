/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/list.h"

#include "base/str.h"
#include "cli/http.h"

#define LAST_SECOND 253402300799 /* 9999-12-31T23:59:59Z */

/* A page's memory ends with it. */
static int
page_print(struct cli *cli, const char *path, const char *plural,
    void (*row)(struct cli *, const struct json *), const char **cursor)
{
	const struct json *rows;
	struct http_res res;
	int status;
	size_t n;

	path = mem_printf(cli->c->mem, "%s%climit=200%s", path, strchr(path, '?') ? '&' : '?',
	    http_cursor(cli, *cursor));
	if ((status = http_call(cli, "GET", path, NULL, &res)))
		return status;
	rows = json_list(res.json, plural, &n);
	if (cli->json)
		cli_print(cli, res.json);
	for (size_t i = 0; !cli->json && i < n; i++)
		row(cli, json_at(rows, i));
	*cursor = json_member(res.json, "next_cursor");
	/* Else a service could keep us asking without ever giving anything. */
	if (**cursor && !n)
		return cli_fail("%s returned an empty page that isn't the last one", cli->url);
	return EXIT_FINE;
}

int
list_all(struct cli *cli, const char *path, const char *plural,
    void (*row)(struct cli *, const struct json *))
{
	char *cursor = mem_strdup(cli->c->mem, ""), *last;
	struct cli page = *cli;
	int status;

	do {
		const char *next = last = cursor;

		page.c = ctx_begin(NULL, NULL);
		status = page_print(&page, path, plural, row, &next);
		cursor = mem_strdup(cli->c->mem, status ? "" : next);
		mem_free(last);
		ctx_end(page.c);
	} while (*cursor);
	return status;
}

const char *
list_time(struct cli *cli, const struct json *row, const char *member, const char *otherwise)
{
	int64_t at = json_number(row, member);

	return at <= 0 || at > LAST_SECOND ? otherwise : str_rfc3339(cli->c->mem, at);
}
