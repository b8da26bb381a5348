/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/artifact.h"

#include "base/str.h"
#include "cli/commands.h"
#include "cli/line.h"
#include "cli/row.h"
#include "cli/which.h"
#include "cli/workspace.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- which ---- */

/* Returns a version's number: "3" of "3" or "v3". */
static const char *
version_find(struct cli *cli, int *status)
{
	const char *no = line_value(cli, NULL, "VERSION|--open|--close|--remove");
	int64_t number;

	if (str_int(no + (*no == 'v'), &number))
		return no + (*no == 'v');
	*status = cli_misuse("%s is not a version number", no);
	return NULL;
}

/* Returns the artifact to purge, which may be in the trash already. */
static const char *
purged_find(struct cli *cli, int *status)
{
	const char *named = row_given(cli, "SLUG");

	if (!named || !cli_option(cli, "--yes")) {
		*status = cli_misuse(named
			? "--purge can't be undone: confirm it with --yes"
			: "--purge can't be undone: name the artifact by its slug or id");
		return NULL;
	}
	return which_any(cli, named, status);
}

static const char *
artifact_find(struct cli *cli, const char *what, int *status)
{
	const char *named = row_given(cli, "SLUG"), *id;

	if (str_eq(what, "trashed") && named && !which_is_path(named))
		return which_trashed(cli, named, status);
	if (str_eq(what, "folder")) {
		id = workspace_folder(
		    cli, row_found(cli, "workspace"), cli_option(cli, "--folder"), status);
		return id && !*id ? "root" : id;
	}
	return str_eq(what, "version") ? version_find(cli, status)
	    : str_eq(what, "purged")   ? purged_find(cli, status)
				       : NULL;
}

static int
version_check(struct cli *cli)
{
	return !row_given(cli, "VERSION") || row_found(cli, "version") ? EXIT_FINE : EXIT_USAGE;
}

/* ---- changes ---- */

/* Prints the address, since a new slug changes it. */
static int
artifact_print(struct cli *cli, const struct json *reply)
{
	const char *url = json_member(reply, "artifact.url");

	if (!str_http_url(url)) {
		cli_fail("%s didn't answer as Vitrine does; the change may have been made",
		    cli->url);
		return EXIT_NETWORK;
	}
	return line_result(cli, "{artifact.url}", reply);
}

const char *
artifact_reword(struct cli *cli, const char *error, const void *arg)
{
	size_t n = strcspn(error, ":");
	const char *option = mem_printf(cli->c->mem, "--%.*s", (int)n, error);
	const char *reworded = cli_text_replaced(
	    cli, error + n, "leave slug out to have one made from the name", "leave out --slug");

	(void)arg;
	return cli_option(cli, option)
	    ? mem_printf(cli->c->mem, "%s%s", option, reworded ? reworded : error + n)
	    : NULL;
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
visibility_check(struct cli *cli)
{
	const char *wanted = row_given(cli, "VISIBILITY");

	return str_in(wanted, "public|unlisted|private")
	    ? EXIT_FINE
	    : cli_misuse("%s isn't a visibility; use public, unlisted, or private", wanted);
}

static int
visibility_print(struct cli *cli, const struct json *reply)
{
	visibility_explain(cli, row_given(cli, "VISIBILITY"),
	    json_member(reply, "artifact.audience"),
	    *json_member(reply, "artifact.workspace_id"));
	return artifact_print(cli, reply);
}

static const char *
slug_reword(struct cli *cli, const char *error, const void *arg)
{
	const char *reworded = cli_text_replaced(
	    cli, error, "send {\"slug\": \"...\"} to restore", "use --slug S to restore");

	return reworded ? reworded : artifact_reword(cli, error, arg);
}

/* ---- in a browser ---- */

static int
url_print(struct cli *cli, const struct json *reply)
{
	const char *url = json_member(reply, "artifact.url"), *browser = getenv("BROWSER");
	pid_t pid;

	if (!str_http_url(url))
		return cli_fail("the service didn't return a valid address: %s", url);
	line_result(cli, "{artifact.url}", reply);
	fflush(stdout);
	/* Opens a browser at a terminal. The address is printed in any case. */
	if (!cli->json && isatty(STDOUT_FILENO) &&
	    posix_spawnp(&pid, browser && *browser ? browser : "xdg-open", NULL, NULL,
		(char *[]){ "open", (char *)(uintptr_t)url, NULL }, environ) == 0)
		waitpid(pid, NULL, 0);
	return EXIT_FINE;
}

/* ---- problems ---- */

#define PROBLEM_LINE \
	"{-9 kind} {url?'at '}{url}{line?':'}{line}{url?': '}{text}{!count=1?' (' }" \
	"{!count=1?count}{!count=1?' times)'}"

size_t
problems_print(struct cli *cli, const struct json *of, const char *list,
    void (*print)(const char *fmt, ...))
{
	return line_each(cli, PROBLEM_LINE, of, list, print);
}

static int
problems_show(struct cli *cli, const struct json *reply)
{
	const struct json *p = json_get(reply, "problems");

	if (cli->json)
		return line_result(cli, "", reply);
	if (!problems_print(cli, p, "items", cli_line) && !cli->quiet)
		line_print(cli,
		    "{status=checked?'nothing went wrong when the live version was opened'}"
		    "{status=waiting?'the live version will be opened soon; "
		    "ask again in 10 seconds'}"
		    "{status=unavailable?'the live version was not opened in a browser'}",
		    p, cli_note);
	return EXIT_FINE;
}

/* ---- the commands ---- */

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
	{ "--remove N", "remove this version for good" },
	{ "--yes", "remove without asking" },
	{ 0 },
};

static const struct cli_option list_options[] = {
	{ "--workspace W", "list this workspace's artifacts that you can see, whoever owns them" },
	{ "--folder PATH", "list only this folder of it, such as /Reports/2026; / is the top" },
	{ 0 },
};

/* Without --workspace, lists the user's own artifacts; with it, the workspace's of any owner. */
static const struct cli_row list_rows[] = {
	{ NULL, NULL, "GET /v1/artifacts",
	    "workspace_id=--workspace?@workspace|--folder?@workspace folder_id=--folder?@folder",
	    .list = "artifacts", .line = "{-30 slug} {-9 visibility} v{-4 version_no|'0'} {url}" },
	{ 0 },
};
static const struct cli_row open_rows[] = {
	{ NULL, "[SLUG]", "GET /v1/artifacts/{@artifact}", .then = url_print },
	{ 0 },
};
#define VERSION "/v1/artifacts/{@artifact}/versions/{@version}"
static const struct cli_row versions_rows[] = {
	{ NULL, "[SLUG]", "PATCH " VERSION, "is_open:json='true'", .with = "--open",
	    .check = version_check,
	    .note = "version {@version}: "
		    "its own address is open while the artifact is public or unlisted" },
	{ NULL, "[SLUG]", "PATCH " VERSION, "is_open:json='false'", .with = "--close",
	    .note = "version {@version}: its own address is closed to visitors" },
	{ NULL, "[SLUG]", "DELETE " VERSION, .with = "--remove",
	    .check = version_check,
	    .asks = { "Remove version {@version} for good?",
		"nothing was removed; --yes removes without asking" },
	    .note = "version {@version} is removed" },
	{ NULL, "[SLUG]", "GET /v1/artifacts/{@artifact}/versions", .list = "versions",
	    .line = "{is_live?'* '|'  '}v{-4 version_no} {created_at:time|'(no time)'} "
		    "{6 file_count} {-5 file_count=1?'file'|'files'} {12 size_bytes:bytes}  "
		    "{is_pinned?'(pinned) '}{is_draft?'(draft) '|is_open=false?'(closed) '}"
		    "{message|'-'}  "
		    "[{agent_name} for ]{author}" },
	{ 0 },
};
static const struct cli_row history_rows[] = {
	{ NULL, "[SLUG] PATH", "GET /v1/artifacts/{@artifact}/file-history", "path=PATH",
	    .list = "changes", .none = "no version has {PATH}",
	    .line = "v{-4 version_no} {at:time} {-8 change} {12 size_bytes:bytes|'-'}  "
		    "{message|'-'}  [{agent_name} for ]{by|'-'}" },
	{ 0 },
};
static const struct cli_row blame_rows[] = {
	{ NULL, "[SLUG] PATH", "GET /v1/artifacts/{@artifact}/blame", "path=PATH", .list = "lines",
	    .line = "{5 from}-{-5 to} v{-4 version_no} {at:time}  [{agent_name} for ]{by|'-'}" },
	{ 0 },
};
/* Prints a text's lines as diff -u does, without the heads of hunks. */
static int
diff_print(struct cli *cli, const struct json *reply)
{
	if (cli->json)
		return line_result(cli, "", reply);
	line_each(cli,
	    "{sign=gone?'-'}{sign=new?'+'}{sign=same?' '}{line}"
	    "{sign=skip?'@@ '}{sign=skip?skipped}{sign=skip?' the same @@'}",
	    json_get(reply, "text"), "lines", cli_line);
	if (!cli->quiet)
		line_print(cli,
		    "{text.too_large=true?'it is too long to compare: more than 1 MiB, or than "
		    "20,000 lines'}",
		    reply, cli_note);
	return EXIT_FINE;
}

static int
pictures_print(struct cli *cli, const struct json *reply)
{
	if (cli->json)
		return line_result(cli, "", reply);
	if (!line_each(cli,
		"{-11 status} {path}{status=made?'  '}{status=made?changed}"
		"{status=made?' of it differs'}",
		reply, "pictures.pages", cli_line)) {
		cli_note("no page is in both versions");
		return EXIT_FINE;
	}
	line_print(cli, "{pictures.url}", reply, cli_line);
	if (!cli->quiet)
		line_print(cli,
		    "{pictures.waiting?'a browser is about to open them; run this again then'}",
		    reply, cli_note);
	return EXIT_FINE;
}

static const struct cli_option diff_options[] = {
	{ "--from N", "from this one; else from the live one if that is older, or the one before" },
	{ "--to N", "to this version; else to the newest" },
	{ "--text PATH", "print which lines of this file differ" },
	{ "--was PATH", "its path in the earlier version, if it had another" },
	{ "--whole", "print all its lines" },
	{ "--pictures", "have pictures of their pages made, and print where they are" },
	{ 0 },
};
#define DIFF "GET /v1/artifacts/{@artifact}/compare"
static const struct cli_row diff_rows[] = {
	{ NULL, "[SLUG]", DIFF "/text", "path=--text was=--was whole=--whole from=--from to=--to",
	    .with = "--text", .then = diff_print },
	{ NULL, "[SLUG]", "POST /v1/artifacts/{@artifact}/compare/pictures",
	    "from:number=--from to:number=--to", .with = "--pictures", .then = pictures_print },
	{ NULL, "[SLUG]", DIFF, "from=--from to=--to", .list = "files",
	    .line = "{-8 status} {path}{was?'  (was '}{was}{was?')'}" },
	{ 0 },
};
static const struct cli_row problems_rows[] = {
	{ NULL, "[SLUG]", "GET /v1/artifacts/{@artifact}/problems", .then = problems_show },
	{ 0 },
};
static const struct cli_row rollback_rows[] = {
	{ NULL, "[SLUG] VERSION", "POST " VERSION "/restore", .check = version_check,
	    .note = "version {@version} is live" },
	{ 0 },
};
static const struct cli_option pin_options[] = {
	{ "--end", "let publishes go live again" },
	{ 0 },
};
static const struct cli_row pin_rows[] = {
	{ NULL, "[SLUG]", "PATCH /v1/artifacts/{@artifact}", "pinned_version:json='null'",
	    .with = "--end", .note = "no version is pinned; the next publish goes live" },
	{ NULL, "[SLUG] VERSION", "PATCH /v1/artifacts/{@artifact}", "pinned_version:json=@version",
	    .check = version_check,
	    .note = "version {@version} stays live; publishes become drafts" },
	{ 0 },
};
static const struct cli_row visibility_rows[] = {
	{ NULL, "[SLUG] VISIBILITY", "PATCH /v1/artifacts/{@artifact}", "visibility=VISIBILITY",
	    .check = visibility_check, .reword = artifact_reword, .then = visibility_print },
	{ 0 },
};
static const struct cli_row rename_rows[] = {
	{ NULL, "[SLUG] NAME", "PATCH /v1/artifacts/{@artifact}", "name=NAME slug=--slug",
	    .reword = artifact_reword, .then = artifact_print },
	{ 0 },
};
static const struct cli_row delete_rows[] = {
	{ NULL, "[SLUG]", "DELETE /v1/artifacts/{@purged}", "purge='1'", .with = "--purge",
	    .note = "deleted permanently" },
	{ NULL, "[SLUG]", "DELETE /v1/artifacts/{@artifact}",
	    .note = "moved to the trash; vitrine restore {@artifact} brings it back" },
	{ 0 },
};
static const struct cli_row trash_rows[] = {
	{ NULL, NULL, "GET /v1/artifacts", "deleted='1'", .list = "artifacts",
	    .line = "{-30 slug} {id}  deleted {deleted_at:time|'(no time)'}  {name}" },
	{ 0 },
};
static const struct cli_row restore_rows[] = {
	{ NULL, "[SLUG]", "POST /v1/artifacts/{@trashed}/restore", "slug=--slug",
	    .reword = slug_reword, .then = artifact_print },
	{ 0 },
};

#define FIND .find = artifact_find
const struct cli_cmd artifact_cli[] = {
	{ "list", "", "list your artifacts and those shared with you", list_options, list_rows,
	    FIND },
	{ "open", "[SLUG]", "print an artifact's address and open it in a browser",
	    .rows = open_rows },
	{ "versions", "[SLUG]", "list an artifact's versions, or open, close, or remove one",
	    versions_options, versions_rows, FIND },
	{ "diff", "[SLUG]",
	    "list what differs between two versions: files, lines, and how pages look",
	    diff_options, diff_rows },
	{ "problems", "[SLUG]", "tell what went wrong when a browser opened the live version",
	    .rows = problems_rows },
	{ "rollback", "[SLUG] VERSION", "make a version live: an earlier one, or a draft",
	    .rows = rollback_rows, FIND },
	{ "history", "[SLUG] PATH", "list the versions that changed a file", .rows = history_rows },
	{ "blame", "[SLUG] PATH", "tell which version each line of a file comes from",
	    .rows = blame_rows },
	{ "pin", "[SLUG] [VERSION]", "keep a version live: publishes become drafts", pin_options,
	    pin_rows, FIND },
	{ "visibility", "[SLUG] public|unlisted|private", "choose who can open an artifact",
	    .rows = visibility_rows },
	{ "rename", "[SLUG] NAME", "change an artifact's name, or its address, too",
	    rename_options, rename_rows },
	{ "delete", "[SLUG]", "move an artifact to the trash", delete_options, delete_rows, FIND },
	{ "trash", "", "list what is in the trash", .rows = trash_rows },
	{ "restore", "[SLUG]", "restore an artifact from the trash", restore_options, restore_rows,
	    FIND },
	{ 0 },
};
