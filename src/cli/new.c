/* SPDX-License-Identifier: Apache-2.0
 * A new page from one of the service's templates. */
#include "cli/commands.h"

#include "base/str.h"
#include "cli/fill.h"
#include "cli/http.h"
#include "cli/row.h"
#include "store/archive.h"

#include <unistd.h>

enum { TEMPLATE_BYTES = 32 << 20, TEMPLATE_FILES = 500 };

struct reading {
	struct cli *cli;
	struct folder *out;
	const char *path;
	struct buf bytes;
};

static enum err
file_begin(void *arg, struct ctx *c, const char *path)
{
	struct reading *r = arg;

	(void)c;
	r->path = mem_strdup(r->cli->c->mem, path);
	r->bytes = BUF(r->cli->c->mem);
	return E_OK;
}

static enum err
file_data(void *arg, struct ctx *c, const void *bytes, size_t n)
{
	(void)c;
	buf_add(&((struct reading *)arg)->bytes, bytes, n);
	return E_OK;
}

static enum err
file_end(void *arg, struct ctx *c)
{
	struct reading *r = arg;
	const char *bytes = buf_done(&r->bytes);

	(void)c;
	folder_make(r->cli, r->out, r->path, bytes, r->bytes.n);
	return E_OK;
}

/* Fetches a template and reads its files. */
static int
template_fetch(struct cli *cli, const char *name, struct folder *out)
{
	struct reading r = { .cli = cli, .out = out };
	const struct archive_sink sink = { file_begin, file_data, file_end, &r };
	const struct archive_limits limits = { TEMPLATE_FILES, TEMPLATE_BYTES, TEMPLATE_BYTES,
		INT64_MAX };
	struct http_req req = { .method = "GET", .save_bytes = TEMPLATE_BYTES };
	struct http_res res;
	struct span zip;
	struct ctx *c;
	char *path;
	int status;

	req.path = mem_printf(cli->c->mem, "/v1/templates/%s", url_encoded(cli->c->mem, name));
	req.save_fd = mem_fd(cli->c->mem, folder_scratch(cli, &path));
	if (req.save_fd < 0)
		return EXIT_REFUSED;
	if ((status = http_send(cli, &req, NULL, &res)))
		return status;
	zip = (struct span){ .fd = req.save_fd, .n = lseek(req.save_fd, 0, SEEK_END) };
	c = ctx_begin(NULL, NULL);
	if (archive_read(c, &zip, &limits, &sink))
		status = cli_fail(
		    "%s sent a template that can't be used: %s", cli->url, ctx_why(c));
	ctx_end(c);
	return status;
}

static int
template_write(struct cli *cli)
{
	const char *name = row_given(cli, "TEMPLATE"), *dir = row_given(cli, "DIR");
	struct folder files = { .place = name };
	int status = template_fetch(cli, name, &files);

	if (!dir)
		dir = name;
	if (status || (status = fill_folder(cli, dir, &files)))
		return status;
	if (cli->json)
		cli_print(cli, json_new(cli->c, "template", name, "dir", dir, NULL));
	else
		cli_line("%s", dir);
	if (!cli->quiet)
		cli_note("vitrine dev %1$s shows it while you change it, "
			 "vitrine publish %1$s publishes it",
		    str_shell(cli->c->mem, dir));
	return EXIT_FINE;
}

static const struct cli_row new_rows[] = {
	{ NULL, NULL, "GET /v1/templates", .list = "templates",
	    .line = "{-10 name} {title}: {description}" },
	{ NULL, "TEMPLATE [DIR]", .run = template_write },
	{ 0 },
};

const struct cli_cmd new_cli[] = {
	{ "new", "[TEMPLATE] [DIR]",
	    "list the templates, or write one into a new or empty folder",
	    .rows = new_rows, .needs = NEEDS_SERVICE },
	{ 0 },
};
