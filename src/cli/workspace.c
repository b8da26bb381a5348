/* SPDX-License-Identifier: Apache-2.0
 * Commands about a workspace's folders and its audit log. */
#include "cli/workspace.h"

#include "base/id.h"
#include "base/str.h"
#include "base/visibility.h"
#include "cli/commands.h"
#include "cli/http.h"
#include "cli/members.h"
#include "cli/line.h"
#include "cli/row.h"
#include "cli/which.h"

/* ---- which ---- */

/* The id is checked because it becomes part of addresses. */
static const char *
workspace_id_of(struct cli *cli, const struct json *w, int *status)
{
	const char *id = json_member(w, "id");

	if (id_valid(id, "wsp_"))
		return id;
	*status = cli_fail("%s didn't return a workspace", cli->url);
	return NULL;
}

int
workspace_reply(struct cli *cli, const char *named, struct http_res *res)
{
	bool id = id_valid(named, "wsp_");

	if (id || slug_valid(named))
		return http_do(cli, res, "GET /v1/workspaces/%s%s", id ? "" : "by-slug/", named);
	return cli_misuse("%s is neither the slug nor the id of a workspace", named);
}

static const char *
workspace_by_slug(struct cli *cli, const char *slug, int *status)
{
	struct http_res res;

	*status = workspace_reply(cli, slug, &res);
	return *status ? NULL : workspace_id_of(cli, json_get(res.json, "workspace"), status);
}

static const char *
workspace_only(struct cli *cli, int *status)
{
	const struct json *rows;
	struct http_res res;
	size_t n;

	*status = http_do(cli, &res, "GET /v1/workspaces?limit=2");
	if (*status)
		return NULL;
	rows = json_list(res.json, "workspaces", &n);
	if (n == 1)
		return workspace_id_of(cli, json_at(rows, 0), status);
	*status = EXIT_USAGE;
	if (n)
		cli_fail("you're in several workspaces: name one with --workspace or "
			 "VITRINE_WORKSPACE, or choose one with vitrine workspace use SLUG; "
			 "vitrine workspace list lists them");
	else
		cli_fail("you aren't in any workspace, which this command needs: create one at "
			 "%s/w#new, or ask an admin of one to invite you",
		    cli->url);
	return NULL;
}

/* An empty --workspace is a script's mistake, so it is refused. */
const char *
workspace_which(struct cli *cli, int *status)
{
	const char *named = cli_option(cli, "--workspace"), *around = getenv("VITRINE_WORKSPACE"),
		   *used, *id;

	if (!named && around && *around)
		named = around;
	if (named)
		return id_valid(named, "wsp_") ? named : workspace_by_slug(cli, named, status);
	if (!(used = workspace_used(cli)))
		return workspace_only(cli, status);
	id = workspace_by_slug(cli, used, status);
	/* The workspace in use may be deleted by now, or the user may have left it. */
	if (!id && *status == EXIT_REFUSED)
		cli_note("  %s is the workspace in use; "
			 "vitrine workspace use SLUG changes it, vitrine workspace use - clears it",
		    used);
	return id;
}

/* Returns the path without empty segments: "/Reports//2026/" gives "Reports/2026". */
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

/* Asks for a folder by path. *id is "" if there is none and quiet has its error. */
static int
folder_get(struct cli *cli, const char *ws, const char *path, const char *quiet,
    struct http_res *res, const char **id)
{
	struct http_req req = { .method = "GET", .save_fd = -1 };
	int status;

	*id = "";
	req.path = mem_printf(cli->c->mem, "/v1/workspaces/%s/folders/by-path/%s", ws,
	    url_encoded(cli->c->mem, path));
	status = http_send(cli, &req, quiet, res);
	if (status)
		return res->status == 404 && quiet ? EXIT_FINE : status;
	*id = json_member(res->json, "folder.id");
	return id_valid(*id, "fld_") ? EXIT_FINE : cli_fail("%s didn't return a folder", cli->url);
}

/* Returns a folder's id. NULL after saying that there is none, and that a command such as "folder
 * add /Reports" does something about it (does: "creates it"). */
static const char *
folder_named(struct cli *cli, const char *ws, const char *path, const char *command,
    const char *does, int *status)
{
	const char *id, *given = folder_path_given(cli, path),
			*named = cli_option(cli, "--workspace");
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

/* Finds an existing folder other than the top. Never creates one. */
static const char *
folder_of_workspace(struct cli *cli, const char *ws, const char *path, int *status)
{
	const char *id = folder_named(
	    cli, ws, path, "folder list", "lists those at the top", status);

	if (id && !*id) {
		*status = cli_misuse("%s isn't the path of a folder", path);
		return NULL;
	}
	return id;
}

/* ---- folders ---- */

/* Returns @parent, the folder to list, or @folder, an existing folder. */
static const char *
folder_find(struct cli *cli, const char *what, int *status)
{
	const char *path = row_given(cli, "PATH"), *ws, *id;

	if (!str_in(what, "parent|folder") || !(ws = row_found(cli, "workspace")))
		return NULL;
	if (str_eq(what, "folder"))
		return folder_of_workspace(cli, ws, path, status);
	id = workspace_folder(cli, ws, path ? path : "/", status);
	return id && !*id ? "root" : id;
}

/* Creates a folder and the missing folders above it. Does nothing if all exist. */
static int
folder_make_all(struct cli *cli)
{
	const char *path = row_given(cli, "PATH"), *given = folder_path_given(cli, path),
		   *parent = "", *id, *ws;
	char *rest = mem_strdup(cli->c->mem, given), *name;
	struct buf so_far = BUF(cli->c->mem), body;
	struct http_res res;
	int status = EXIT_FINE;

	if (!(ws = workspace_which(cli, &status)))
		return status;
	if (!*given)
		return cli_misuse("%s isn't the path of a folder", path);
	for (; (name = str_split(&rest, '/')); parent = id) {
		buf_fmt(&so_far, "%s%s", so_far.n ? "/" : "", name);
		if ((status = folder_get(cli, ws, so_far.s, "NOT_FOUND", &res, &id)))
			return status;
		if (*id)
			continue;
		body = json_object_of(
		    cli->c->mem, "name", name, *parent ? "parent_id" : NULL, parent, NULL);
		if ((status = http_json(cli, "POST",
			 mem_printf(cli->c->mem, "/v1/workspaces/%s/folders", ws), &body, NULL,
			 &res)))
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

/* Returns the id of an artifact in the workspace, which may be anybody's. */
static const char *
artifact_of_workspace(struct cli *cli, const char *ws, const char *named, int *status)
{
	const char *id = NULL;

	if (id_valid(named, "art_"))
		return named;
	if (!slug_valid(named))
		*status = cli_fail("%s is neither the slug nor the id of an artifact", named);
	else
		id = which_slug(
		    cli, mem_printf(cli->c->mem, "workspace_id=%s&", ws), named, status);
	if (!id && !*status)
		*status = cli_fail("the workspace has no artifact %s that you can see", named);
	return id;
}

/* Moves a folder, which is named with a slash, or an artifact. */
static int
folder_move(struct cli *cli)
{
	const char *what = cli->with.args[1], *ws, *to, *id;
	bool folder = *what == '/';
	struct buf body = BUF(cli->c->mem);
	struct http_res res;
	int status = EXIT_FINE;

	if (!(ws = workspace_which(cli, &status)) ||
	    !(to = workspace_folder(cli, ws, row_given(cli, "TO"), &status)) ||
	    !(id = folder ? folder_of_workspace(cli, ws, what, &status)
			  : artifact_of_workspace(cli, ws, what, &status)))
		return status;
	buf_fmt(&body, "{\"%s\":", folder ? "parent_id" : "folder_id");
	buf_json(&body, *to ? to : NULL);
	buf_chr(&body, '}');
	status = http_json(cli, folder ? "PATCH" : "POST",
	    mem_printf(cli->c->mem, "/v1/workspaces/%s/%s/%s%s", ws,
		folder ? "folders" : "artifacts", id, folder ? "" : "/move"),
	    &body, NULL, &res);
	return status ? status : line_result(cli, folder ? "{folder.path}" : "", res.json);
}

static const char *
recursive_reword(struct cli *cli, const char *error, const void *arg)
{
	(void)arg;
	return cli_text_replaced(cli, error, "?recursive=1", "--recursive");
}

static bool
default_adds(struct cli *cli, struct buf *body)
{
	const char *v = row_given(cli, "VISIBILITY");

	if (!str_in(v, VISIBILITIES "|inherit"))
		return cli_fail("%s isn't private, unlisted, public, or inherit", v) == EXIT_FINE;
	json_key(body, "default_visibility");
	if (str_eq(v, "inherit"))
		buf_str(body, "null");
	else
		buf_json(body, v);
	return true;
}

#define WORKSPACE_OPTION { "--workspace W", WORKSPACE_RULE }
static const struct cli_option folder_options[] = {
	WORKSPACE_OPTION,
	{ "--recursive", "for delete: delete its subfolders, too; artifacts in them move up",
	    .only = "delete" },
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

#define FOLDERS "/v1/workspaces/{@workspace}/folders"
#define FOLDERS_LIST \
	"GET " FOLDERS, "parent_id=@parent", .list = "folders", \
	    .line = "{path}  {folder_count:count folder}, {artifact_count:count artifact}"
static const struct cli_row folder_rows[] = {
	{ NULL, NULL, FOLDERS_LIST },
	{ "list", "[PATH]", FOLDERS_LIST },
	{ "add", "PATH", .run = folder_make_all },
	{ "move", "PATH TO", .run = folder_move },
	{ "default", "PATH VISIBILITY", "PATCH " FOLDERS "/{@folder}", .adds = default_adds,
	    .of = "folder", .line = "{path}  {default_visibility|'inherit'}" },
	{ "delete", "PATH", "DELETE " FOLDERS "/{@folder}", "recursive=--recursive?'1'",
	    .reword = recursive_reword },
	{ 0 },
};
static const struct cli_row audit_rows[] = {
	{ NULL, NULL, "GET /v1/workspaces/{@workspace}/audit",
	    "actor=--actor action=--action target_id=--target since=--since until=--until",
	    .list = "audit",
	    .line = "{at:time|'(no time)'}  [{agent_name} for ]"
		    "{actor.name|actor.user_id|'the service'}  "
		    "{action}  {target.type} {target.name}" },
	{ 0 },
};

const struct cli_cmd workspace_cli[] = {
	{ "folder", "[list|add|move|default|delete] [PATH] [TO|VISIBILITY]",
	    "list, add, or delete a workspace's folders; move a folder or an artifact into one; "
	    "default says what a new artifact in one becomes: "
	    "private, unlisted, public, or inherit",
	    folder_options, folder_rows, .find = folder_find },
	{ "audit", "", "show a workspace's audit log, newest first", audit_options, audit_rows },
	{ 0 },
};
