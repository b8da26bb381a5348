/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/textfiles.h"

#include "base/etag.h"
#include "base/path.h"
#include "base/str.h"
#include "base/unicode.h"
#include "cli/folder.h"
#include "cli/commands.h"
#include "cli/file.h"
#include "cli/http.h"
#include "cli/row.h"
#include "store/beneath.h"

#include <errno.h>
#include <unistd.h>

enum { FILE_BYTES = 256 << 10 };

/* A text in the service's list. */
struct text_kept {
	const char *id, *path, *etag; /* etag: of the text's bytes */
	bool here;                    /* the folder has a file with this path */
};
struct files {
	struct cli *cli;
	const struct text_library *of;
	const char *ws, *dir;
	int root; /* the folder's descriptor, or -1 */
	struct text_kept *v;
	size_t n;
	int64_t done, same;
};

/* ---- the service's list ---- */

static bool
is_file(const struct files *f, const char *path)
{
	for (const char *const *end = f->of->endings; *end; end++)
		if (str_ends(path, *end))
			return true;
	return false;
}

static int
page_keep(struct cli *cli, const struct json *reply, void *arg)
{
	struct files *f = arg;
	struct ctx *c = f->cli->c;
	size_t n;
	const struct json *rows = json_list(reply, f->of->list, &n);
	const struct json *on = json_find(reply, "enabled");

	(void)cli;
	if (f->of->off && !(on && json_true(on)))
		return cli_fail("%s", f->of->off);
	for (size_t i = 0; i < n; i++) {
		const struct json *row = json_at(rows, i);
		const char *type = json_member(row, "type");
		struct text_kept k = { json_member(row, "id"), json_member(row, "path"),
			json_member(row, "etag"), false };

		if (*type && !str_eq(type, "file"))
			continue;
		if (f->n == f->of->most)
			return cli_fail("the service listed more than %zu files", f->of->most);
		/* Programs read hidden files as settings (.bashrc, .ssh/authorized_keys). */
		if (*k.path == '.' || strstr(k.path, "/.") || !str_plain(k.path) ||
		    !is_file(f, k.path)) {
			cli_note("%s is left out", k.path);
			continue;
		}
		if (path_check(c, "the service listed a path that can't be used in a folder",
			&k.path))
			return cli_fail("%s", c->message);
		f->v[f->n++] = (struct text_kept){ mem_strdup(c->mem, k.id),
			mem_strdup(c->mem, k.path), mem_strdup(c->mem, k.etag), false };
	}
	return EXIT_FINE;
}

static int
files_begin(struct cli *cli, struct files *f)
{
	const struct text_library *of = cli->cmd->texts;

	*f = (struct files){ .cli = cli,
		.of = of,
		.ws = row_found(cli, "workspace"),
		.dir = row_given(cli, "DIR"),
		.root = -1 };
	if (!f->ws)
		return EXIT_REFUSED;
	f->v = mem_array(cli->c->mem, struct text_kept, of->most);
	return http_pages(cli, mem_printf(cli->c->mem, "/v1/workspaces/%s/%s", f->ws, of->all),
	    of->list, page_keep, f);
}

/* ---- pull ---- */

static bool
has_etag(struct cli *cli, const char *bytes, size_t n, const char *etag)
{
	bytes = unicode_text(cli->c->mem, bytes, &n);
	return str_eq(etag, etag_of_bytes(cli->c->mem, bytes, n));
}

/* True if the folder's file equals the service's text. *there: the folder has the file. */
static bool
is_here(const struct files *f, const struct text_kept *k, bool *there)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	const char *bytes = NULL;
	struct stat st;
	int fd = beneath_open_file(f->root, k->path, &st);
	bool same = fd >= 0 && st.st_size <= FILE_BYTES &&
	    !read_exactly(c, c->mem, fd, (size_t)st.st_size, &bytes) &&
	    has_etag(f->cli, bytes, (size_t)st.st_size, k->etag);

	*there = fd >= 0;
	if (fd >= 0)
		close(fd);
	ctx_end(c);
	return same;
}

static int
file_pull(struct files *f, const struct text_kept *k)
{
	struct cli one = *f->cli;
	struct http_res res;
	const char *bytes;
	int status;

	one.c = ctx_begin(NULL, NULL);
	status = http_do(&one, &res, "GET /v1/workspaces/%s/%s%s", f->ws, f->of->one,
	    url_encoded(one.c->mem, f->of->has_ids ? k->id : k->path));
	bytes = status ? NULL : json_member(res.json, f->of->content);
	if (bytes && !file_write_at(&one, f->root, k->path, bytes, strlen(bytes), 0))
		status = cli_fail("%s/%s: %s", f->dir, k->path, strerror(errno));
	f->done += !status;
	ctx_end(one.c);
	return status;
}

int
text_files_pull(struct cli *cli)
{
	bool force = cli_option(cli, "--force") != NULL, there;
	struct files f;
	int status = files_begin(cli, &f);

	if (status)
		return status;
	if (mkdir(f.dir, 0777) && errno != EEXIST)
		return cli_fail("%s: %s", f.dir, strerror(errno));
	f.root = mem_fd(cli->c->mem, open(f.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	if (f.root < 0)
		return cli_fail("%s: %s", f.dir, strerror(errno));
	for (size_t i = 0; !status && i < f.n; i++) {
		cli_progress(cli, "fetching", (int64_t)i + 1, (int64_t)f.n);
		if (is_here(&f, &f.v[i], &there))
			f.same++;
		else if (there && !force)
			status = cli_fail("%s/%s isn't as in %s; --force overwrites it, "
					  "or push it first",
			    f.dir, f.v[i].path, f.of->called);
		else
			status = file_pull(&f, &f.v[i]);
	}
	if (!cli->quiet && !status)
		cli_note("%s fetched, %s unchanged", str_count(cli->c->mem, f.done, "file"),
		    str_number(cli->c->mem, f.same));
	return status;
}

/* ---- push ---- */

static const char *
file_reword(struct cli *cli, const char *error, const void *path)
{
	return mem_printf(cli->c->mem, "%s: %s", (const char *)path, error);
}

/* Sends a text. The service refuses it if somebody has changed the text since it was listed. */
static int
file_push(struct files *f, const char *path, const char *content, const struct text_kept *old)
{
	struct cli one = *f->cli;
	const char *heads[2] = { NULL, NULL };
	struct http_req req = { .method = "PUT",
		.save_fd = -1,
		.heads = heads,
		.reword = file_reword,
		.reword_arg = path };
	struct http_res res;
	struct buf b;
	int status;

	one.c = ctx_begin(NULL, NULL);
	heads[0] = old ? mem_printf(one.c->mem, "If-Match: %s", old->etag) : "If-None-Match: *";
	b = json_object_of(
	    one.c->mem, "path", f->of->has_ids ? path : NULL, "content", content, NULL);
	req.path = mem_printf(one.c->mem, "/v1/workspaces/%s/%s%s", f->ws, f->of->put,
	    f->of->has_ids ? "" : url_encoded(one.c->mem, path));
	req.body = b.s;
	req.body_n = b.n;
	status = http_send(&one, &req, NULL, &res);
	f->done += !status;
	ctx_end(one.c);
	return status;
}

static int
by_path(const void *a, const void *b)
{
	return strcmp(((const struct text_kept *)a)->path, ((const struct text_kept *)b)->path);
}

static int
file_send(struct files *f, const struct folder *from, const struct folder_file *file)
{
	const struct text_kept key = { .path = file->path };
	struct text_kept *old = bsearch(&key, f->v, f->n, sizeof *f->v, by_path);
	size_t n = (size_t)file->size;
	const char *content;
	char *bytes;

	if (old)
		old->here = true;
	if (!folder_content(f->cli, from, file, &bytes))
		return EXIT_REFUSED;
	content = unicode_text(f->cli->c->mem, bytes, &n);
	if (old && has_etag(f->cli, content, n, old->etag)) {
		f->same++;
		return EXIT_FINE;
	}
	return strlen(content) != n || !str_utf8_valid(content, n)
	    ? cli_fail("%s/%s: isn't UTF-8 text", f->dir, file->path)
	    : file_push(f, file->path, content, old);
}

/* With --delete and a confirmation, deletes the texts that the folder doesn't have. */
static int
rest_remove(struct files *f, int64_t *removed)
{
	size_t gone = 0;
	int status = EXIT_FINE;
	const char *first = NULL;
	struct http_res res;

	for (size_t i = 0; i < f->n; i++)
		if (!f->v[i].here && gone++ == 0)
			first = f->v[i].path;
	if (!gone || !cli_option(f->cli, "--delete"))
		return EXIT_FINE;
	if (!cli_option(f->cli, "--yes") &&
	    !cli_ask("Delete %s%s from %s, which %s doesn't have?", first,
		gone > 1 ? mem_printf(f->cli->c->mem, " and %zu more", gone - 1) : "",
		f->of->called, f->dir))
		return cli_fail("nothing was deleted; --yes deletes without asking");
	for (size_t i = 0; !status && i < f->n; i++) {
		struct cli one = *f->cli;

		if (f->v[i].here)
			continue;
		one.c = ctx_begin(NULL, NULL);
		status = http_do(&one, &res, "DELETE /v1/workspaces/%s/%s%s", f->ws, f->of->remove,
		    url_encoded(one.c->mem, f->v[i].path));
		ctx_end(one.c);
		*removed += !status;
	}
	return status;
}

int
text_files_push(struct cli *cli)
{
	struct folder from;
	struct files f;
	int64_t removed = 0;
	int status = files_begin(cli, &f);

	if (status)
		return status;
	if (!folder_read(cli, f.dir, -1, &from) || !folder_hash(cli, &from))
		return EXIT_REFUSED;
	if (f.n)
		qsort(f.v, f.n, sizeof *f.v, by_path);
	/* Sends all texts, also after one is refused, and returns the first failure. */
	for (size_t i = 0; i < from.n; i++) {
		int one;

		if (!is_file(&f, from.v[i].path))
			continue;
		cli_progress(cli, "sending", (int64_t)i + 1, (int64_t)from.n);
		one = file_send(&f, &from, &from.v[i]);
		status = status ? status : one;
	}
	if (!status)
		status = rest_remove(&f, &removed);
	if (!cli->quiet)
		cli_note("%s sent, %s unchanged, %s deleted",
		    str_count(cli->c->mem, f.done, "file"), str_number(cli->c->mem, f.same),
		    str_number(cli->c->mem, removed));
	return status;
}
