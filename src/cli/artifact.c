/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cmd.h"

#include "base/str.h"
#include "cli/http.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define LAST_SECOND 253402300799 /* 9999-12-31T23:59:59Z */

/* Every page of a list: row() for each, or the replies themselves with --json. A page's memory ends
 * with it. */
static int
list_page(struct cli *cli, const char *path, const char *plural,
    void (*row)(struct cli *, const struct json *), const char **cursor)
{
	struct http_req req = { .method = "GET", .save_fd = -1 };
	const struct json *rows;
	struct http_res res;
	int status;
	size_t n;

	req.path = mem_printf(cli->c->mem, "%s?limit=200%s", path, http_cursor(cli, *cursor));
	if ((status = http_send(cli, &req, NULL, &res)))
		return status;
	rows = json_list(res.json, plural, &n);
	if (cli->json)
		cli_print(cli, res.json);
	for (size_t i = 0; !cli->json && i < n; i++)
		row(cli, json_at(rows, i));
	*cursor = json_member(res.json, "next_cursor");
	/* Else a service could keep us asking without ever giving anything. */
	if (**cursor && !n)
		return cli_fail("%s answered with an empty page that is not the last", cli->url);
	return EXIT_FINE;
}

static int
list(struct cli *cli, const char *path, const char *plural,
    void (*row)(struct cli *, const struct json *))
{
	char *cursor = mem_strdup(cli->c->mem, ""), *last;
	struct cli page = *cli;
	int status;

	do {
		const char *next = last = cursor;

		page.c = ctx_begin(NULL, NULL);
		status = list_page(&page, path, plural, row, &next);
		cursor = mem_strdup(cli->c->mem, status ? "" : next);
		mem_free(last);
		ctx_end(page.c);
	} while (*cursor);
	return status;
}

static void
row_artifact(struct cli *cli, const struct json *a)
{
	(void)cli;
	cli_line("%-30s %-9s v%-4lld %s", json_member(a, "slug"), json_member(a, "visibility"),
	    (long long)json_number(a, "version_no"), json_member(a, "url"));
}

static int
run_list(struct cli *cli)
{
	return list(cli, "/v1/artifacts", "artifacts", row_artifact);
}

static void
row_version(struct cli *cli, const struct json *v)
{
	const struct json *live = json_kind(v) == J_OBJ ? json_get(v, "is_live") : NULL;
	int64_t made = json_number(v, "created_at");

	cli_line("%sv%-4lld %s %6lld files %10lld bytes  %s", live && json_true(live) ? "* " : "  ",
	    (long long)json_number(v, "version_no"),
	    made < 0 || made > LAST_SECOND ? "(no time)" : str_rfc3339(cli->c->mem, made),
	    (long long)json_number(v, "file_count"), (long long)json_number(v, "size_bytes"),
	    json_member(v, "message"));
}

static int
run_versions(struct cli *cli)
{
	int status = EXIT_FINE;
	const char *id = cli_artifact(cli, cli->with.args[0], &status);

	return id ? list(cli, mem_printf(cli->c->mem, "/v1/artifacts/%s/versions", id), "versions",
			row_version)
		  : status;
}

static int
run_rollback(struct cli *cli)
{
	struct http_req req = { .method = "POST", .save_fd = -1 };
	struct http_res res;
	int status = EXIT_FINE;
	int64_t no;
	const char *id;

	if (!str_int(cli->with.args[1] + (*cli->with.args[1] == 'v'), &no)) {
		cli_fail("%s is not a version number", cli->with.args[1]);
		return EXIT_USAGE;
	}
	if (!(id = cli_artifact(cli, cli->with.args[0], &status)))
		return status;
	req.path = mem_printf(
	    cli->c->mem, "/v1/artifacts/%s/versions/%lld/restore", id, (long long)no);
	if ((status = http_send(cli, &req, NULL, &res)))
		return status;
	if (cli->json)
		cli_print(cli, res.json);
	else if (!cli->quiet)
		cli_note("version %lld is live", (long long)no);
	return EXIT_FINE;
}

static int
run_delete(struct cli *cli)
{
	bool purge = usage_option(&cli->with, "--purge");
	struct http_req req = { .method = "DELETE", .save_fd = -1 };
	struct http_res res;
	int status = EXIT_FINE;
	const char *id = cli_artifact(cli, cli->with.args[0], &status);

	if (!id)
		return status;
	if (purge && !usage_option(&cli->with, "--yes")) {
		cli_fail("--purge is final: say --yes as well");
		return EXIT_USAGE;
	}
	req.path = mem_printf(cli->c->mem, "/v1/artifacts/%s%s", id, purge ? "?purge=1" : "");
	if ((status = http_send(cli, &req, NULL, &res)))
		return status;
	if (!cli->quiet)
		cli_note(purge ? "deleted for good" : "deleted; it can be restored for a while");
	return EXIT_FINE;
}

static int
run_open(struct cli *cli)
{
	const char *browser = getenv("BROWSER");
	struct http_req req = { .method = "GET", .save_fd = -1 };
	struct http_res res;
	int status = EXIT_FINE;
	const char *id = cli_artifact(cli, cli->with.args[0], &status), *url;
	pid_t pid;

	if (!id)
		return status;
	req.path = mem_printf(cli->c->mem, "/v1/artifacts/%s", id);
	if ((status = http_send(cli, &req, NULL, &res)))
		return status;
	url = json_member(res.json, "artifact.url");
	if (!str_http_url(url))
		return cli_fail("the service gave no address: %s", url);
	cli_line("%s", url);
	fflush(stdout);
	if (isatty(1) &&
	    posix_spawnp(&pid, browser ? browser : "xdg-open", NULL, NULL,
		(char *[]){ "open", (char *)(uintptr_t)url, NULL }, environ) == 0)
		waitpid(pid, NULL, 0);
	return EXIT_FINE;
}

static const struct cli_option delete_options[] = {
	{ "--purge", "for good, with all versions; nothing brings it back" },
	{ "--yes", "say that --purge is meant" },
	{ 0 },
};

const struct cli_cmd artifact_cli[] = {
	{ "list", "", "your artifacts and those shared with you", run_list, false, NULL },
	{ "versions", "SLUG", "the versions of an artifact", run_versions, false, NULL },
	{ "rollback", "SLUG VERSION", "make an earlier version live", run_rollback, false, NULL },
	{ "open", "SLUG", "print its address, and show it", run_open, false, NULL },
	{ "delete", "SLUG [--purge] [--yes]", "delete an artifact", run_delete, false,
	    delete_options },
	{ 0 },
};
