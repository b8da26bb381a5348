/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cmd.h"

#include "base/str.h"
#include "cli/http.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Every page of a list: row() for each, or the replies themselves with --json. */
static int
list(struct cli *cli, const char *path, const char *plural,
    void (*row)(struct cli *, const struct json *))
{
	const char *cursor = "";

	for (;;) {
		struct http_req req = { .method = "GET", .save_fd = -1 };
		const struct json *rows;
		struct http_res res;
		int status;

		req.path = mem_printf(
		    cli->c->mem, "%s?limit=200%s", path, http_cursor(cli, cursor));
		if ((status = http_send(cli, &req, NULL, &res)))
			return status;
		rows = json_get(res.json, plural);
		if (cli->json)
			cli_print(cli, res.json);
		for (size_t i = 0; !cli->json && rows && i < json_len(rows); i++)
			row(cli, json_at(rows, i));
		cursor = json_member(res.json, "next_cursor");
		if (!*cursor)
			return EXIT_FINE;
	}
}

static void
row_artifact(struct cli *cli, const struct json *a)
{
	printf("%-30s %-9s v%-4lld %s\n", json_shown(cli, a, "slug"),
	    json_shown(cli, a, "visibility"), (long long)json_number(a, "version_no"),
	    json_shown(cli, a, "url"));
}

static int
run_list(struct cli *cli)
{
	return list(cli, "/v1/artifacts", "artifacts", row_artifact);
}

static void
row_version(struct cli *cli, const struct json *v)
{
	const struct json *live = json_get(v, "is_live");

	printf("%sv%-4lld %s %6lld files %10lld bytes  %s\n", live && json_true(live) ? "* " : "  ",
	    (long long)json_number(v, "version_no"),
	    str_rfc3339(cli->c->mem, json_number(v, "created_at")),
	    (long long)json_number(v, "file_count"), (long long)json_number(v, "size_bytes"),
	    json_shown(cli, v, "message"));
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
		fprintf(stderr, "version %lld is live\n", (long long)no);
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
		fprintf(stderr,
		    purge ? "deleted for good\n" : "deleted; it can be restored for a while\n");
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
	printf("%s\n", cli_shown(cli, url));
	fflush(stdout);
	if (isatty(1) && str_http_url(url) &&
	    posix_spawnp(&pid, browser ? browser : "xdg-open", NULL, NULL,
		(char *[]){ "open", (char *)(uintptr_t)url, NULL }, environ) == 0)
		waitpid(pid, NULL, 0);
	return EXIT_FINE;
}

const struct cli_cmd artifact_cli[] = {
	{ "list", "", "your artifacts and those shared with you", run_list, false },
	{ "versions", "SLUG", "the versions of an artifact", run_versions, false },
	{ "rollback", "SLUG VERSION", "make an earlier version live", run_rollback, false },
	{ "open", "SLUG", "print its address, and show it", run_open, false },
	{ "delete", "SLUG [--purge] [--yes]", "delete an artifact", run_delete, false },
	{ 0 },
};
