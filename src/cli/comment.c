/* SPDX-License-Identifier: Apache-2.0
 * What people say about an artifact. */
#include "cli/cmd.h"

#include "base/str.h"
#include "cli/help.h"
#include "cli/http.h"
#include "cli/list.h"
#include "cli/which.h"

static void
row_comment(struct cli *cli, const struct json *m)
{
	const char *name = json_member(m, "author.name"), *email = json_member(m, "author.email"),
		   *path = json_member(m, "path");
	char *rest = mem_strdup(cli->c->mem, json_member(m, "text")), *line;

	cli_line("%s  %s  %s%s%s", json_member(m, "id"),
	    list_time(cli, m, "created_at", "(no time)"),
	    *name        ? name
		: *email ? email
			 : json_member(m, "author.id"),
	    *path ? "  " : "", path);
	while (rest && *rest && (line = str_split(&rest, '\n')))
		cli_line("  %s", line);
}

static int
comments_list(struct cli *cli, const char *path)
{
	const char *about = usage_option(&cli->with, "--path");
	struct buf query = BUF(cli->c->mem);

	buf_str(&query, path);
	if (about) {
		buf_str(&query, "?path=");
		buf_form(&query, about);
	}
	return list_all(cli, query.s, "comments", row_comment);
}

static int
comment_send(struct cli *cli, const char *path, const char *text)
{
	const char *about = usage_option(&cli->with, "--path"),
		   *reply = usage_option(&cli->with, "--reply");
	struct buf body = BUF(cli->c->mem);
	struct http_res res;
	int status;

	buf_chr(&body, '{');
	json_add(&body, "text", text);
	if (about)
		json_add(&body, "path", about);
	if (reply)
		json_add(&body, "reply_to", reply);
	buf_chr(&body, '}');
	if ((status = http_call(cli, "POST", path, &body, &res)))
		return status;
	if (cli->json)
		cli_print(cli, res.json);
	else
		cli_line("%s", json_member(res.json, "comment.id"));
	return EXIT_FINE;
}

static int
run_comments(struct cli *cli)
{
	const char *text = usage_option(&cli->with, "--text"), *id, *path;
	bool word = cli->with.n && str_in(cli->with.args[0], "list|add");
	bool adds = word && str_eq(cli->with.args[0], "add");
	int status = EXIT_FINE;

	if (cli->with.n > word + 1u || adds != (text != NULL) ||
	    (!adds && usage_option(&cli->with, "--reply")))
		return help_usage(cli);
	id = which_artifact(cli, cli->with.n > word ? cli->with.args[word] : NULL, &status);
	if (!id)
		return status;
	path = mem_printf(cli->c->mem, "/v1/artifacts/%s/comments", id);
	return adds ? comment_send(cli, path, text) : comments_list(cli, path);
}

static const struct cli_option comments_options[] = {
	{ "--text TEXT", "the comment to add" },
	{ "--path PATH", "the page it is about, such as /report.html" },
	{ "--reply ID", "the comment to reply to" },
	{ 0 },
};

const struct cli_cmd comment_cli[] = {
	{ "comments", "[list|add] [SLUG] [--text TEXT] [--path PATH] [--reply ID]",
	    "list the comments on an artifact, or add one", run_comments, NEEDS_TOKEN,
	    comments_options },
	{ 0 },
};
