/* SPDX-License-Identifier: Apache-2.0
 * Workspaces: their folders, and what was decided in them. */
#include "cli/workspace.h"

#include "base/id.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/help.h"
#include "cli/http.h"
#include "cli/list.h"
#include "cli/members.h"

/* ---- which ---- */

/* What stands in a reply goes into addresses. */
static const char *
workspace_id_of(struct cli *cli, const struct json *w, int *status)
{
	const char *id = json_member(w, "id");

	if (id_valid(id, "wsp_"))
		return id;
	*status = cli_fail("%s didn't return a workspace", cli->url);
	return NULL;
}

static const char *
workspace_by_slug(struct cli *cli, const char *slug, int *status)
{
	struct http_res res;

	if (!slug_valid(slug)) {
		cli_fail("%s is neither the slug nor the id of a workspace", slug);
		*status = EXIT_USAGE;
		return NULL;
	}
	*status = http_call(cli, "GET",
	    mem_printf(cli->c->mem, "/v1/workspaces/by-slug/%s", slug), NULL, &res);
	return *status ? NULL : workspace_id_of(cli, json_get(res.json, "workspace"), status);
}

static const char *
workspace_only(struct cli *cli, int *status)
{
	const struct json *rows;
	struct http_res res;
	size_t n;

	*status = http_call(cli, "GET", "/v1/workspaces?limit=2", NULL, &res);
	if (*status)
		return NULL;
	rows = json_list(res.json, "workspaces", &n);
	if (n == 1)
		return workspace_id_of(cli, json_at(rows, 0), status);
	*status = EXIT_USAGE;
	cli_fail(
	    n ? "you're in several workspaces: name one with --workspace or VITRINE_WORKSPACE, "
	      "or choose one with vitrine workspace use SLUG; vitrine workspace list lists them"
	      : "you aren't in any workspace");
	return NULL;
}

/* One that was taken into use may be gone by now, or have been left. */
static const char *
workspace_in_use(struct cli *cli, const char *slug, int *status)
{
	const char *id = workspace_by_slug(cli, slug, status);

	if (!id && *status == EXIT_REFUSED)
		cli_note("  %s is the workspace in use; "
			 "vitrine workspace use SLUG changes it, vitrine workspace use - clears it",
		    slug);
	return id;
}

/* A name that is given and empty is a mistake of a script's, not a wish for another workspace. */
const char *
workspace_which(struct cli *cli, int *status)
{
	const char *named = usage_option(&cli->with, "--workspace"),
		   *around = getenv("VITRINE_WORKSPACE"), *used;

	if (!named && around && *around)
		named = around;
	if (named)
		return id_valid(named, "wsp_") ? named : workspace_by_slug(cli, named, status);
	used = workspace_used(cli);
	return used ? workspace_in_use(cli, used, status) : workspace_only(cli, status);
}

/* Without what is empty: "/Reports//2026/" gives "Reports/2026". */
static const char *
folder_path_given(struct cli *cli, const char *path)
{
	char *rest = mem_strdup(cli->c->mem, path), *part;
	struct buf b = BUF(cli->c->mem);

	while ((part = str_split(&rest, '/')))
		if (*part)
			buf_fmt(&b, "%s%s", b.n ? "/" : "", part);
	return buf_done(&b);
}

/* *id is "" where there is none. */
static int
folder_get(struct cli *cli, const char *ws, const char *path, const char *quiet,
    struct http_res *res, const char **id)
{
	struct buf at = BUF(cli->c->mem);
	int status;

	*id = "";
	buf_fmt(&at, "/v1/workspaces/%s/folders/by-path/", ws);
	buf_url(&at, path);
	status = http_send(cli,
	    &(struct http_req){ .method = "GET", .path = buf_done(&at), .save_fd = -1 }, quiet,
	    res);
	if (status)
		return res->status == 404 && quiet ? EXIT_FINE : status;
	*id = json_member(res->json, "folder.id");
	return id_valid(*id, "fld_") ? EXIT_FINE : cli_fail("%s didn't return a folder", cli->url);
}

/* NULL after saying that there is none, and what the command (such as "folder add /Reports") does
 * about it. */
static const char *
folder_named(struct cli *cli, const char *ws, const char *path, const char *command,
    const char *does, int *status)
{
	const char *id, *given = folder_path_given(cli, path),
		   *named = usage_option(&cli->with, "--workspace");
	struct http_res res;

	if (!*given)
		return "";
	*status = folder_get(cli, ws, given, "NOT_FOUND", &res, &id);
	if (!*status && !*id)
		*status = cli_fail("/%s: there is no such folder; vitrine %s%s%s %s", given,
		    command, named ? " --workspace " : "", named ? named : "", does);
	return *status ? NULL : id;
}

const char *
workspace_folder(struct cli *cli, const char *ws, const char *path, int *status)
{
	return folder_named(cli, ws, path,
	    mem_printf(cli->c->mem, "folder add /%s", folder_path_given(cli, path)), "creates it",
	    status);
}

/* One to be moved or deleted, which is none to be created. */
static const char *
folder_there(struct cli *cli, const char *ws, const char *path, int *status)
{
	const char *id = folder_named(
	    cli, ws, path, "folder list", "lists those at the top", status);

	if (id && !*id) {
		cli_fail("%s isn't the path of a folder", path);
		*status = EXIT_USAGE;
		return NULL;
	}
	return id;
}

/* ---- folders ---- */

static void
row_folder(struct cli *cli, const struct json *f)
{
	cli_line("%s  %s, %s", json_member(f, "path"),
	    str_count(cli->c->mem, json_number(f, "folder_count"), "folder"),
	    str_count(cli->c->mem, json_number(f, "artifact_count"), "artifact"));
}

static int
folders_show(struct cli *cli, const char *ws, const char *path)
{
	int status = EXIT_FINE;
	const char *id = workspace_folder(cli, ws, path ? path : "/", &status);

	if (!id)
		return status;
	return list_all(cli,
	    mem_printf(cli->c->mem, "/v1/workspaces/%s/folders?parent_id=%s", ws,
		*id ? id : "root"),
	    "folders", row_folder);
}

static int
folder_make_one(
    struct cli *cli, const char *ws, const char *name, const char *parent, struct http_res *res)
{
	struct buf body = BUF(cli->c->mem);

	buf_chr(&body, '{');
	json_add(&body, "name", name);
	if (*parent)
		json_add(&body, "parent_id", parent);
	buf_chr(&body, '}');
	return http_call(cli, "POST", mem_printf(cli->c->mem, "/v1/workspaces/%s/folders", ws),
	    &body, res);
}

/* Those above it too, where they are missing; where all are there, nothing. */
static int
folder_make_all(struct cli *cli, const char *ws, const char *path)
{
	const char *given = folder_path_given(cli, path), *parent = "", *id;
	char *rest = mem_strdup(cli->c->mem, given), *name;
	struct buf so_far = BUF(cli->c->mem);
	struct http_res res;
	int status;

	if (!*given) {
		cli_fail("%s isn't the path of a folder", path);
		return EXIT_USAGE;
	}
	for (; (name = str_split(&rest, '/')); parent = id) {
		buf_fmt(&so_far, "%s%s", so_far.n ? "/" : "", name);
		if ((status = folder_get(cli, ws, so_far.s, "NOT_FOUND", &res, &id)))
			return status;
		if (*id)
			continue;
		if ((status = folder_make_one(cli, ws, name, parent, &res)))
			return status;
		id = json_member(res.json, "folder.id");
		if (!id_valid(id, "fld_"))
			return cli_fail("%s didn't return a folder", cli->url);
	}
	if (cli->json)
		cli_print(cli, res.json);
	else
		cli_line("/%s", given);
	return EXIT_FINE;
}

/* Of an artifact "folder_id", of a folder "parent_id". */
static void
place_body(struct buf *body, const char *member, const char *folder)
{
	buf_chr(body, '{');
	if (*folder)
		json_add(body, member, folder);
	else
		buf_fmt(body, "\"%s\":null", member);
	buf_chr(body, '}');
}

static int
folder_move_folder(struct cli *cli, const char *ws, const char *from, const char *to)
{
	struct buf body = BUF(cli->c->mem);
	struct http_res res;
	int status = EXIT_FINE;
	const char *id = folder_there(cli, ws, from, &status);

	if (!id)
		return status;
	place_body(&body, "parent_id", to);
	status = http_call(cli, "PATCH",
	    mem_printf(cli->c->mem, "/v1/workspaces/%s/folders/%s", ws, id), &body, &res);
	if (!status && cli->json)
		cli_print(cli, res.json);
	else if (!status)
		cli_line("%s", json_member(res.json, "folder.path"));
	return status;
}

/* Of those in the workspace, whoever owns it. */
static const char *
artifact_there(struct cli *cli, const char *ws, const char *named, int *status)
{
	struct buf path = BUF(cli->c->mem);
	const struct json *rows;
	struct http_res res;
	const char *id;
	size_t n;

	if (id_valid(named, "art_"))
		return named;
	buf_fmt(&path, "/v1/artifacts?workspace_id=%s&slug=", ws);
	buf_form(&path, named);
	if (!slug_valid(named))
		*status = cli_fail("%s is neither the slug nor the id of an artifact", named);
	else
		*status = http_call(cli, "GET", buf_done(&path), NULL, &res);
	if (*status)
		return NULL;
	rows = json_list(res.json, "artifacts", &n);
	id = n ? json_member(json_at(rows, 0), "id") : "";
	if (id_valid(id, "art_"))
		return id;
	*status = cli_fail("the workspace has no artifact %s that you can see", named);
	return NULL;
}

static int
folder_move_artifact(struct cli *cli, const char *ws, const char *named, const char *to)
{
	struct buf body = BUF(cli->c->mem);
	struct http_res res;
	int status = EXIT_FINE;
	const char *id = artifact_there(cli, ws, named, &status);

	if (!id)
		return status;
	place_body(&body, "folder_id", to);
	status = http_call(cli, "POST",
	    mem_printf(cli->c->mem, "/v1/workspaces/%s/artifacts/%s/move", ws, id), &body, &res);
	if (!status && cli->json)
		cli_print(cli, res.json);
	return status;
}

static const char *
recursive_told(struct cli *cli, const char *error, const void *arg)
{
	(void)arg;
	return cli_reworded(cli, error, "?recursive=1", "--recursive");
}

static int
folder_move(struct cli *cli, const char *ws, const char *what, const char *path)
{
	int status = EXIT_FINE;
	const char *to = workspace_folder(cli, ws, path, &status);

	if (!to)
		return status;
	return *what == '/' ? folder_move_folder(cli, ws, what, to)
			    : folder_move_artifact(cli, ws, what, to);
}

static int
folder_end(struct cli *cli, const char *ws, const char *path)
{
	bool all = usage_option(&cli->with, "--recursive");
	struct http_req req = { .method = "DELETE", .save_fd = -1, .told = recursive_told };
	struct http_res res;
	int status = EXIT_FINE;
	const char *id = folder_there(cli, ws, path, &status);

	if (!id)
		return status;
	req.path = mem_printf(
	    cli->c->mem, "/v1/workspaces/%s/folders/%s%s", ws, id, all ? "?recursive=1" : "");
	return http_send(cli, &req, NULL, &res);
}

static int
run_folder(struct cli *cli)
{
	size_t n = cli->with.n;
	const char *act = n ? cli->with.args[0] : "list", *a = n > 1 ? cli->with.args[1] : NULL,
		   *b = n > 2 ? cli->with.args[2] : NULL, *ws;
	bool lists = str_eq(act, "list"), moves = str_eq(act, "move");
	int status = EXIT_FINE;

	if (!str_in(act, "list|add|move|delete") || n > 3 || (b != NULL) != moves ||
	    (!a && !lists) || (usage_option(&cli->with, "--recursive") && !str_eq(act, "delete")))
		return help_usage(cli);
	if (!(ws = workspace_which(cli, &status)))
		return status;
	return lists                  ? folders_show(cli, ws, a)
	    : moves                   ? folder_move(cli, ws, a, b)
	    : str_eq(act, "add")      ? folder_make_all(cli, ws, a)
				      : folder_end(cli, ws, a);
}

/* ---- the audit ---- */

static void
row_audit(struct cli *cli, const struct json *m)
{
	const char *name = json_member(m, "actor.name"), *id = json_member(m, "actor.user_id");

	cli_line("%s  %s  %s  %s %s", list_time(cli, m, "at", "(no time)"),
	    *name      ? name
		: *id  ? id
		       : "the service",
	    json_member(m, "action"), json_member(m, "target.type"),
	    json_member(m, "target.name"));
}

static int
run_audit(struct cli *cli)
{
	static const char *const filters[] = { "actor", "action", "target_id", "since", "until" };
	static const char *const options[] = { "--actor", "--action", "--target", "--since",
		"--until" };
	struct buf path = BUF(cli->c->mem);
	int status = EXIT_FINE;
	const char *ws = workspace_which(cli, &status);
	char before = '?';

	if (!ws)
		return status;
	buf_fmt(&path, "/v1/workspaces/%s/audit", ws);
	for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
		const char *given = usage_option(&cli->with, options[i]);

		if (!given)
			continue;
		buf_fmt(&path, "%c%s=", before, filters[i]);
		buf_form(&path, given);
		before = '&';
	}
	return list_all(cli, buf_done(&path), "audit", row_audit);
}

#define WORKSPACE_OPTION { "--workspace W", WORKSPACE_RULE }
static const struct cli_option folder_options[] = {
	WORKSPACE_OPTION,
	{ "--recursive", "for delete: delete its subfolders, too; artifacts in them move up" },
	{ 0 },
};
static const struct cli_option audit_options[] = {
	WORKSPACE_OPTION,
	{ "--actor ID", "only actions by this person or agent" },
	{ "--action A", "only this action, such as member.removed" },
	{ "--target ID", "only actions on this" },
	{ "--since SECONDS", "only from this time on, in seconds since 1970" },
	{ "--until SECONDS", "only before this time" },
	{ 0 },
};

const struct cli_cmd workspace_cli[] = {
	{ "folder", "[list|add|move|delete] [PATH] [TO] [--workspace W] [--recursive]",
	    "list, add, or delete a workspace's folders; move a folder or an artifact into one",
	    run_folder, NEEDS_TOKEN, folder_options },
	{ "audit",
	    "[--workspace W] [--actor ID] [--action A] [--target ID] [--since SECONDS] "
	    "[--until SECONDS]",
	    "show a workspace's audit log, newest first", run_audit, NEEDS_TOKEN,
	    audit_options },
	{ 0 },
};
