/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/artifact.h"

#include "base/str.h"
#include "cli/cmd.h"
#include "cli/help.h"
#include "cli/http.h"
#include "cli/list.h"
#include "cli/which.h"
#include "cli/workspace.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- lists ---- */

static void
row_artifact(struct cli *cli, const struct json *a)
{
	(void)cli;
	cli_line("%-30s %-9s v%-4lld %s", json_member(a, "slug"), json_member(a, "visibility"),
	    (long long)json_number(a, "version_no"), json_member(a, "url"));
}

/* Those of a workspace, whoever owns them, only when one is asked for. */
static int
run_list(struct cli *cli)
{
	const char *folder = usage_option(&cli->with, "--folder"), *ws, *id = NULL;
	int status = EXIT_FINE;

	if (!folder && !usage_option(&cli->with, "--workspace"))
		return list_all(cli, "/v1/artifacts", "artifacts", row_artifact);
	if (!(ws = workspace_which(cli, &status)) ||
	    (folder && !(id = workspace_folder(cli, ws, folder, &status))))
		return status;
	return list_all(cli,
	    mem_printf(cli->c->mem, "/v1/artifacts?workspace_id=%s%s%s", ws,
		id ? "&folder_id=" : "", id ? *id ? id : "root" : ""),
	    "artifacts", row_artifact);
}

static void
row_trashed(struct cli *cli, const struct json *a)
{
	cli_line("%-30s %s  deleted %s  %s", json_member(a, "slug"), json_member(a, "id"),
	    list_time(cli, a, "deleted_at", "(no time)"), json_member(a, "name"));
}

static int
run_trash(struct cli *cli)
{
	return list_all(cli, "/v1/artifacts?deleted=1", "artifacts", row_trashed);
}

static void
row_version(struct cli *cli, const struct json *v)
{
	bool object = json_kind(v) == J_OBJ;
	const struct json *live = object ? json_get(v, "is_live") : NULL;
	const struct json *draft = object ? json_get(v, "is_draft") : NULL;
	const struct json *open = object ? json_get(v, "is_open") : NULL;
	long long files = (long long)json_number(v, "file_count");

	cli_line("%sv%-4lld %s %6lld %-5s %12s  %s%s",
	    live && json_true(live) ? "* " : "  ", (long long)json_number(v, "version_no"),
	    list_time(cli, v, "created_at", "(no time)"), files, files == 1 ? "file" : "files",
	    str_amount(cli->c->mem, json_number(v, "size_bytes")),
	    draft && json_true(draft)      ? "(draft) "
		: open && !json_true(open) ? "(closed) "
					   : "",
	    json_member(v, "message"));
}

/* The own address of one version. */
static int
version_open(struct cli *cli, const char *id, const char *no, bool open)
{
	struct buf body = BUF(cli->c->mem);
	struct http_res res;
	int64_t number;
	int status;

	if (!str_int(no + (*no == 'v'), &number)) {
		cli_fail("%s is not a version number", no);
		return EXIT_USAGE;
	}
	buf_fmt(&body, "{\"is_open\":%s}", open ? "true" : "false");
	status = http_call(cli, "PATCH",
	    mem_printf(cli->c->mem, "/v1/artifacts/%s/versions/%lld", id, (long long)number), &body,
	    &res);
	if (status)
		return status;
	if (cli->json)
		cli_print(cli, res.json);
	else if (!cli->quiet)
		cli_note(open ? "version %lld: "
				"its own address is open while the artifact is public or unlisted"
			      : "version %lld: its own address is closed to visitors",
		    (long long)number);
	return EXIT_FINE;
}

static int
run_versions(struct cli *cli)
{
	const char *open = usage_option(&cli->with, "--open");
	const char *close = usage_option(&cli->with, "--close");
	int status = EXIT_FINE;
	const char *id;

	if (open && close) {
		cli_fail("--open and --close are for one version at a time: leave one of them out");
		return EXIT_USAGE;
	}
	id = which_artifact(cli, which_first(cli, 0), &status);
	if (id && (open || close))
		return version_open(cli, id, open ? open : close, open != NULL);
	return id ? list_all(cli, mem_printf(cli->c->mem, "/v1/artifacts/%s/versions", id),
			"versions", row_version)
		  : status;
}

/* ---- changes ---- */

static int
run_rollback(struct cli *cli)
{
	const char *no = cli->with.args[cli->with.n - 1], *id, *path;
	struct http_res res;
	int status = EXIT_FINE;
	int64_t number;

	if (!str_int(no + (*no == 'v'), &number)) {
		cli_fail("%s is not a version number", no);
		return EXIT_USAGE;
	}
	if (!(id = which_artifact(cli, which_first(cli, 1), &status)))
		return status;
	path = mem_printf(
	    cli->c->mem, "/v1/artifacts/%s/versions/%lld/restore", id, (long long)number);
	if ((status = http_call(cli, "POST", path, NULL, &res)))
		return status;
	if (cli->json)
		cli_print(cli, res.json);
	else if (!cli->quiet)
		cli_note("version %lld is live", (long long)number);
	return EXIT_FINE;
}

/* The address is the result: a slug changes it. */
static int
artifact_say(struct cli *cli, const struct json *reply)
{
	const char *url = json_member(reply, "artifact.url");

	if (!str_http_url(url)) {
		cli_fail("%s didn't answer as Vitrine does; the change may have been made",
		    cli->url);
		return EXIT_NETWORK;
	}
	if (cli->json)
		cli_print(cli, reply);
	else
		cli_line("%s", url);
	return EXIT_FINE;
}

const char *
artifact_told(struct cli *cli, const char *error, const void *arg)
{
	size_t n = strcspn(error, ":");
	const char *option = mem_printf(cli->c->mem, "--%.*s", (int)n, error);
	const char *reworded = cli_reworded(
	    cli, error + n, "leave slug out to have one made from the name", "leave out --slug");

	(void)arg;
	return usage_option(&cli->with, option)
	    ? mem_printf(cli->c->mem, "%s%s", option, reworded ? reworded : error + n)
	    : NULL;
}

static int
artifact_patch(struct cli *cli, const char *named, struct buf *body, const struct json **reply)
{
	struct http_res res;
	int status = EXIT_FINE;
	const char *id = which_artifact(cli, named, &status);
	struct http_req req = { .method = "PATCH",
		.body = body->s,
		.body_n = body->n,
		.save_fd = -1,
		.told = artifact_told };

	if (!id)
		return status;
	req.path = mem_printf(cli->c->mem, "/v1/artifacts/%s", id);
	status = http_send(cli, &req, NULL, &res);
	*reply = res.json;
	return status;
}

void
visibility_explain(const struct cli *cli, const char *v, const char *audience, bool team)
{
	static const struct {
		const char *word, *means;
	} known[] = {
#define VISIBILITY(word, means) { #word, means },
#include "base/visibility.def"
#undef VISIBILITY
	};
	const char *word = v ? v : "private";

	if (team && str_eq(word, "private") && !*audience)
		audience =
		    "you, the workspace's admins, people you share it with and, "
		    "if the workspace lets them, its members can open it, after signing in";
	for (size_t i = 0; i < sizeof known / sizeof *known && !cli->quiet; i++)
		if (str_eq(known[i].word, word))
			cli_note("%s: %s%s", word, *audience ? audience : known[i].means,
			    str_eq(word, "private") && !team
				? " (to let others in, run vitrine visibility unlisted or public)"
				: "");
}

static int
run_visibility(struct cli *cli)
{
	const char *wanted = cli->with.args[cli->with.n - 1];
	struct buf body = BUF(cli->c->mem);
	const struct json *reply;
	int status;

	if (!str_in(wanted, "public|unlisted|private")) {
		cli_fail("%s isn't a visibility; use public, unlisted, or private", wanted);
		return EXIT_USAGE;
	}
	buf_chr(&body, '{');
	json_add(&body, "visibility", wanted);
	buf_chr(&body, '}');
	if ((status = artifact_patch(cli, which_first(cli, 1), &body, &reply)))
		return status;
	visibility_explain(cli, wanted, json_member(reply, "artifact.audience"),
	    *json_member(reply, "artifact.workspace_id"));
	return artifact_say(cli, reply);
}

static int
run_rename(struct cli *cli)
{
	const char *slug = usage_option(&cli->with, "--slug");
	struct buf body = BUF(cli->c->mem);
	const struct json *reply;
	int status;

	buf_chr(&body, '{');
	json_add(&body, "name", cli->with.args[cli->with.n - 1]);
	if (slug)
		json_add(&body, "slug", slug);
	buf_chr(&body, '}');
	status = artifact_patch(cli, which_first(cli, 1), &body, &reply);
	return status ? status : artifact_say(cli, reply);
}

/* ---- the trash ---- */

/* What is to go for good may be in the trash already. */
static const char *
purged_find(struct cli *cli, int *status)
{
	const char *named = which_first(cli, 0);

	if (!named || !usage_option(&cli->with, "--yes")) {
		cli_fail(named ? "--purge can't be undone: confirm it with --yes"
			       : "--purge can't be undone: name the artifact by its slug or id");
		*status = EXIT_USAGE;
		return NULL;
	}
	return which_any(cli, named, status);
}

static int
run_delete(struct cli *cli)
{
	bool purge = usage_option(&cli->with, "--purge");
	struct http_res res;
	int status = EXIT_FINE;
	const char *id = purge ? purged_find(cli, &status)
			       : which_artifact(cli, which_first(cli, 0), &status);

	if (!id)
		return status;
	if ((status = http_call(cli, "DELETE",
		 mem_printf(cli->c->mem, "/v1/artifacts/%s%s", id, purge ? "?purge=1" : ""), NULL,
		 &res)))
		return status;
	if (!cli->quiet && purge)
		cli_note("deleted permanently");
	else if (!cli->quiet)
		cli_note("moved to the trash; vitrine restore %s brings it back", id);
	return EXIT_FINE;
}

static const char *
slug_told(struct cli *cli, const char *error, const void *arg)
{
	const char *told = cli_reworded(
	    cli, error, "send {\"slug\": \"...\"} to restore", "use --slug S to restore");

	return told ? told : artifact_told(cli, error, arg);
}

static int
run_restore(struct cli *cli)
{
	const char *named = which_first(cli, 0), *slug = usage_option(&cli->with, "--slug"), *id;
	struct http_req req = { .method = "POST", .save_fd = -1, .told = slug_told };
	struct buf body = BUF(cli->c->mem);
	struct http_res res;
	int status = EXIT_FINE;

	id = named && !which_is_path(named) ? which_trashed(cli, named, &status)
					    : which_artifact(cli, named, &status);
	if (!id)
		return status;
	if (slug) {
		buf_chr(&body, '{');
		json_add(&body, "slug", slug);
		buf_chr(&body, '}');
		req.body = body.s;
		req.body_n = body.n;
	}
	req.path = mem_printf(cli->c->mem, "/v1/artifacts/%s/restore", id);
	status = http_send(cli, &req, NULL, &res);
	return status ? status : artifact_say(cli, res.json);
}

/* ---- in a browser ---- */

/* A courtesy at a terminal; the address is printed in any case. */
static void
url_show(const char *url)
{
	const char *browser = getenv("BROWSER");
	pid_t pid;

	fflush(stdout);
	if (isatty(STDOUT_FILENO) &&
	    posix_spawnp(&pid, browser && *browser ? browser : "xdg-open", NULL, NULL,
		(char *[]){ "open", (char *)(uintptr_t)url, NULL }, environ) == 0)
		waitpid(pid, NULL, 0);
}

static int
run_open(struct cli *cli)
{
	struct http_res res;
	int status = EXIT_FINE;
	const char *id = which_artifact(cli, which_first(cli, 0), &status), *url;

	if (!id)
		return status;
	if ((status = http_call(
		 cli, "GET", mem_printf(cli->c->mem, "/v1/artifacts/%s", id), NULL, &res)))
		return status;
	url = json_member(res.json, "artifact.url");
	if (!str_http_url(url))
		return cli_fail("the service didn't return a valid address: %s", url);
	if (cli->json) {
		cli_print(cli, res.json);
	} else {
		cli_line("%s", url);
		url_show(url);
	}
	return EXIT_FINE;
}

static const struct cli_option rename_options[] = {
	{ "--slug S", "change its address, too; the old one redirects to the new one" },
	{ 0 },
};
static const struct cli_option restore_options[] = {
	{ "--slug S", "restore it under this slug, if another artifact has taken its own" },
	{ 0 },
};
static const struct cli_option delete_options[] = {
	{ "--purge", "delete it permanently, with all versions; this can't be undone" },
	{ "--yes", "confirm --purge" },
	{ 0 },
};

static const struct cli_option versions_options[] = {
	{ "--open N", "let visitors open this version at its own address" },
	{ "--close N", "keep visitors from this version's own address" },
	{ 0 },
};

static const struct cli_option list_options[] = {
	{ "--workspace W", "list this workspace's artifacts that you can see, whoever owns them" },
	{ "--folder PATH", "list only this folder of it, such as /Reports/2026; / is the top" },
	{ 0 },
};

const struct cli_cmd artifact_cli[] = {
	{ "list", "[--workspace W] [--folder PATH]",
	    "list your artifacts and those shared with you",
	    run_list, NEEDS_TOKEN, list_options },
	{ "open", "[SLUG]", "print an artifact's address and open it in a browser", run_open,
	    NEEDS_TOKEN, NULL },
	{ "versions", "[SLUG] [--open N] [--close N]",
	    "list an artifact's versions, or open or close the address of one", run_versions,
	    NEEDS_TOKEN, versions_options },
	{ "rollback", "[SLUG] VERSION", "make a version live: an earlier one, or a draft",
	    run_rollback, NEEDS_TOKEN, NULL },
	{ "visibility", "[SLUG] public|unlisted|private", "choose who can open an artifact",
	    run_visibility, NEEDS_TOKEN, NULL },
	{ "rename", "[SLUG] NAME [--slug S]", "change an artifact's name, or its address, too",
	    run_rename, NEEDS_TOKEN, rename_options },
	{ "delete", "[SLUG] [--purge] [--yes]", "move an artifact to the trash", run_delete,
	    NEEDS_TOKEN, delete_options },
	{ "trash", "", "list what is in the trash", run_trash, NEEDS_TOKEN, NULL },
	{ "restore", "[SLUG] [--slug S]", "restore an artifact from the trash", run_restore,
	    NEEDS_TOKEN, restore_options },
	{ 0 },
};
