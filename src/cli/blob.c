/* SPDX-License-Identifier: Apache-2.0
 * Commands about the files among an artifact's data. */
#include "cli/commands.h"

#include "base/id.h"
#include "base/str.h"
#include "cli/file.h"
#include "cli/line.h"
#include "cli/row.h"
#include "cli/which.h"

#include <fcntl.h>
#include <unistd.h>

/* More files than any service's settings allow; files in a page of the list. */
enum { BLOBS_MOST = 1000000, BLOBS_EACH = 200 };

struct blobs {
	struct cli *cli;
	const char *artifact; /* id */
};

/* ---- put ---- */

/* Says which file an error is about. */
static const char *
put_reword(struct cli *cli, const char *error, const void *path)
{
	return mem_printf(cli->c->mem, "%s: %s", (const char *)path, error);
}

static int
file_put(struct blobs *all, const char *path)
{
	struct cli *cli = all->cli;
	struct http_file file;
	struct http_req req = { .method = "PUT", .file = &file, .save_fd = -1,
		.reword = put_reword, .reword_arg = path };
	struct http_res res;
	struct stat st;
	int status = file_open(cli, path, &file, &st);

	if (status)
		return status;
	req.path = mem_printf(cli->c->mem, "/v1/data/%s/blobs?filename=%s", all->artifact,
	    form_encoded(cli->c->mem, str_base(path)));
	status = http_send(cli, &req, NULL, &res);
	return status ? status : line_result(cli, "{data.url}", res.json);
}

/* ---- list ---- */

/* Calls row() for each file and page_end() for each page, until row() fails. Each page has its own
 * memory. */
static int
blobs_each(struct blobs *all, int (*row)(struct cli *, const struct json *blob, void *arg),
    void (*page_end)(struct cli *, const struct json *reply), void *arg)
{
	bool more = true;
	int status = EXIT_FINE;

	for (int64_t offset = 0; more && !status; offset += BLOBS_EACH) {
		struct cli page = *all->cli;
		const struct json *rows, *data, *has_more;
		struct http_res res = { 0 };
		size_t n = 0;

		page.c = ctx_begin(NULL, NULL);
		status = http_do(&page, &res, "GET /v1/data/%s/blobs?limit=%d&offset=%lld",
		    all->artifact, BLOBS_EACH, (long long)offset);
		rows = json_list(status ? NULL : res.json, "data.blobs", &n);
		for (size_t i = 0; !status && i < n; i++)
			status = row(&page, json_at(rows, i), arg);
		if (!status && page_end)
			page_end(&page, res.json);
		data = status ? NULL : json_get(res.json, "data");
		has_more = data && json_kind(data) == J_OBJ ? json_get(data, "hasMore") : NULL;
		more = n && has_more && json_true(has_more) && offset < BLOBS_MOST;
		ctx_end(page.c);
	}
	return status;
}

static int
row_print(struct cli *cli, const struct json *b, void *arg)
{
	(void)arg;
	if (!cli->json)
		cli_line("%s  %10s  %s  %s", json_member(b, "id"),
		    str_amount_1024(cli->c->mem, json_number(b, "size")),
		    json_member(b, "createdAt"), json_member(b, "filename"));
	return EXIT_FINE;
}

static void
page_print(struct cli *cli, const struct json *reply)
{
	if (cli->json)
		cli_print(cli, reply);
}

/* ---- which one ---- */

struct sought {
	struct blobs *all;
	const char *name, *id;
	size_t n;
};

static int
row_match(struct cli *cli, const struct json *b, void *arg)
{
	struct sought *s = arg;

	(void)cli;
	if (!str_eq(json_member(b, "filename"), s->name))
		return EXIT_FINE;
	s->id = mem_strdup(s->all->cli->c->mem, json_member(b, "id"));
	s->n++;
	return EXIT_FINE;
}

/* Returns the id of a file by id or name; NULL after saying why there is none. */
static const char *
blob_named(struct blobs *all, const char *named, int *status)
{
	struct sought s = { .all = all, .name = named };

	if (id_valid(named, "blb_"))
		return named;
	if ((*status = blobs_each(all, row_match, NULL, &s)))
		return NULL;
	if (s.n == 1 && id_valid(s.id, "blb_"))
		return s.id;
	*status = cli_fail(s.n > 1
		? "%s: more than one file has this name; use an id from vitrine blob list"
		: "%s: no file has this name; vitrine blob list shows them all",
	    named);
	return NULL;
}

/* ---- get ---- */

struct getting {
	struct blobs *all;
	const char *named, *id;
	struct file_place place;
	int64_t size;
};

static int
bytes_get(struct getting *g, int fd)
{
	struct cli *cli = g->all->cli;
	struct http_req req = {
		.method = "GET", .save_bytes = g->size, .save_fd = fd, .shown = true
	};
	struct http_res res;
	int status;

	req.path = mem_printf(cli->c->mem, "/v1/data/%s/blobs/%s/content", g->all->artifact, g->id);
	status = http_send(cli, &req, NULL, &res);
	return !status && res.saved != g->size
	    ? cli_fail("%s: the download is incomplete", g->named)
	    : status;
}

static int
file_get(struct getting *g)
{
	int fd, status;

	unlinkat(g->place.at, FRESH_NAME, 0);
	if ((fd = file_place_make(&g->place, FRESH_NAME, O_EXCL)) < 0)
		return EXIT_REFUSED;
	status = bytes_get(g, fd);
	if (!status)
		status = file_place_keep(&g->place, FRESH_NAME, fd);
	close(fd);
	if (status)
		unlinkat(g->place.at, FRESH_NAME, 0);
	return status;
}

static int
blob_fetch(struct blobs *all, const char *named)
{
	struct getting g = { .all = all, .named = named };
	struct http_res res;
	int status = EXIT_FINE;
	bool out = file_out_stdout(all->cli, &status);

	if (status || !(g.id = blob_named(all, named, &status)) ||
	    (!out && (status = file_place_find(all->cli, &g.place))) ||
	    (status = http_do(all->cli, &res, "GET /v1/data/%s/blobs/%s", all->artifact, g.id)))
		return status;
	g.size = json_number(res.json, "data.size");
	if (out)
		return bytes_get(&g, STDOUT_FILENO);
	status = file_place_judge(&g.place, named, json_member(res.json, "data.filename"), g.size);
	return status ? status : file_get(&g);
}

/* ---- rm ---- */

static int
blob_remove(struct blobs *all, const char *named)
{
	struct cli *cli = all->cli;
	int status = EXIT_FINE;
	const char *id = blob_named(all, named, &status);
	struct http_res res;

	if (!id)
		return status;
	status = http_do(cli, &res, "DELETE /v1/data/%s/blobs/%s", all->artifact, id);
	if (!status && !cli->quiet)
		cli_note("%s is deleted", named);
	return status;
}

/* ---- all ---- */

/* Stops at the first failure; finished files have been printed. */
static int
run_blob(struct cli *cli)
{
	static const struct {
		const char *verb;
		int (*each)(struct blobs *, const char *named);
	} verbs[] = { { "put", file_put }, { "get", blob_fetch }, { "rm", blob_remove } };
	struct blobs all = { .cli = cli };
	const char *verb = cli->with.args[0];
	int status = EXIT_FINE;
	size_t v = 0;

	if (!file_out_judge(cli))
		return EXIT_USAGE;
	all.artifact = which_artifact(cli, cli_option(cli, "--artifact"), &status);
	if (!all.artifact)
		return status;
	if (str_eq(verb, "list"))
		return blobs_each(&all, row_print, page_print, NULL);
	while (!str_eq(verbs[v].verb, verb))
		v++;
	for (size_t i = 1; !status && i < cli->with.n; i++)
		status = verbs[v].each(&all, cli->with.args[i]);
	return status;
}

static const struct cli_option blob_options[] = {
	{ "--artifact SLUG", "whose files (default: what was published from here)" },
	{ "--to DIR", "for get: where to save (default: the current folder)" },
	{ "--out FILE", "for get: save one file under this name; - writes it to standard output" },
	{ 0 },
};

static const struct cli_row blob_rows[] = {
	{ "put", "FILE…", .run = run_blob },
	{ "get", "FILE…", .run = run_blob },
	{ "list", NULL, .run = run_blob },
	{ "rm", "FILE…", .run = run_blob },
	{ 0 },
};

const struct cli_cmd blob_cli[] = {
	{ "blob", "put|get|list|rm [FILE…]",
	    "an artifact's uploaded files: put, get, or rm some (by name or id); list all",
	    blob_options, blob_rows },
	{ 0 },
};
