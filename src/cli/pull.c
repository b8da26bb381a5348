/* SPDX-License-Identifier: Apache-2.0
 * A service may say what it likes: the whole list of files is judged by the rules of published
 * paths before the first is written, everything is opened beneath the folder without following a
 * link, and a file gets its name only when its bytes are those that the list promised. */
#include "cli/cmd.h"

#include "base/crypto.h"
#include "base/str.h"
#include "cli/http.h"
#include "cli/ignore.h"
#include "domain/path.h"
#include "store/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* What a service's settings can allow at most (max_file_bytes, max_version_bytes), and more files
 * than anybody has. */
enum { FILE_BYTES = 1 << 30, PULL_FILES = 200000 };
#define VERSION_BYTES 10737418240
#define FRESH_NAME ".vitrine:new" /* no published path has a colon */

struct pulled {
	const char *path;
	uint8_t sha256[SHA256_BYTES];
	int64_t size;
};
struct pulling {
	struct cli *cli;
	const char *id, *dir, *version;
	int root;
	struct pulled *v;
	size_t n, room;
	int64_t bytes, fetched, kept;
};

/* ---- the list ---- */

static bool
file_list(struct pulling *p, const struct json *file)
{
	struct ctx *c = p->cli->c;
	struct pulled f = { .path = json_member(file, "path"),
		.size = json_number(file, "size_bytes") };

	if (p->n == PULL_FILES) {
		cli_fail("the service names more than %d files", PULL_FILES);
		return false;
	}
	if (path_check(c, "the service named a path that can't be one of this folder", f.path)) {
		cli_fail("%s", c->message);
		return false;
	}
	p->bytes += f.size;
	if (!crypto_unhex(json_member(file, "sha256"), f.sha256, SHA256_BYTES) || f.size < 0 ||
	    f.size > FILE_BYTES || p->bytes > VERSION_BYTES) {
		cli_fail("%s: the service gave no digest, or no size that can be", f.path);
		return false;
	}
	if (p->n == p->room) {
		p->room = p->room ? 2 * p->room : 64;
		p->v = mem_grow(c->mem, p->v, p->room * sizeof *p->v);
	}
	f.path = mem_strdup(c->mem, f.path);
	p->v[p->n++] = f;
	return true;
}

static int
page_list(struct pulling *p, struct cli *page, const char **cursor)
{
	struct http_req req = { .method = "GET", .save_fd = -1 };
	const struct json *files;
	struct http_res res;
	int status;
	size_t n;

	req.path = mem_printf(page->c->mem, "/v1/artifacts/%s/files?limit=200&version=%s%s", p->id,
	    p->version, http_cursor(page, *cursor));
	if ((status = http_send(page, &req, NULL, &res)))
		return status;
	files = json_list(res.json, "files", &n);
	for (size_t i = 0; i < n; i++)
		if (!file_list(p, json_at(files, i)))
			return EXIT_REFUSED;
	*cursor = json_member(res.json, "next_cursor");
	if (!files || json_kind(files) != J_ARR || (**cursor && !n))
		return cli_fail("%s gave no list of files", p->cli->url);
	return EXIT_FINE;
}

/* No two that are one where case does not matter, none that is a folder of another. */
static int
list_judge(struct pulling *p)
{
	struct ctx *c = p->cli->c;
	const char **paths = mem_array(c->mem, const char *, p->n);

	for (size_t i = 0; i < p->n; i++)
		paths[i] = p->v[i].path;
	return path_set_check(c, paths, p->n)
	    ? cli_fail("the service named files that can't lie in one folder: %s", c->message)
	    : EXIT_FINE;
}

/* A page's memory ends with it. */
static int
list_all(struct pulling *p)
{
	char *cursor = mem_strdup(p->cli->c->mem, ""), *last;
	struct cli page = *p->cli;
	int status;

	do {
		const char *next = last = cursor;

		page.c = ctx_begin(NULL, NULL);
		status = page_list(p, &page, &next);
		cursor = mem_strdup(p->cli->c->mem, status ? "" : next);
		mem_free(last);
		ctx_end(page.c);
	} while (*cursor);
	return status ? status : list_judge(p);
}

/* ---- the files ---- */

static bool
has_bytes(int fd, const struct pulled *f)
{
	void *mem = mem_root("digest");
	struct sha256 *h = crypto_sha256_begin(mem);
	uint8_t digest[SHA256_BYTES];
	int64_t left = f->size;
	char chunk[65536];
	ssize_t got = -1;

	while (left >= 0 && (got = read(fd, chunk, sizeof chunk)) > 0) {
		crypto_sha256_add(h, chunk, (size_t)got);
		left -= got;
	}
	crypto_sha256_end(h, digest);
	mem_free(mem);
	return got == 0 && left == 0 && memcmp(digest, f->sha256, sizeof digest) == 0;
}

static bool
is_there(struct pulling *p, const struct pulled *f)
{
	struct stat st;
	int fd = beneath_open_file(p->root, f->path, &st);
	bool same = fd >= 0 && has_bytes(fd, f);

	if (fd >= 0)
		close(fd);
	return same;
}

static int
file_fetch(struct pulling *p, const struct pulled *f, int fd)
{
	struct http_req req = { .method = "GET", .save_fd = fd, .save_bytes = f->size };
	struct cli one = *p->cli;
	struct http_res res;
	struct buf url;
	int status;

	one.c = ctx_begin(NULL, NULL);
	url = BUF(one.c->mem);
	buf_fmt(&url, "/v1/artifacts/%s/files/", p->id);
	buf_url(&url, f->path);
	buf_fmt(&url, "?version=%s", p->version);
	req.path = url.s;
	status = http_send(&one, &req, NULL, &res);
	ctx_end(one.c);
	if (!status && lseek(fd, 0, SEEK_SET))
		status = cli_fail("%s: %s", f->path, strerror(errno));
	if (!status && !has_bytes(fd, f))
		status = cli_fail(
		    "%s: the bytes that came are not those that were published", f->path);
	return status;
}

/* dir holds the file. Nothing but a plain file is written over: a folder or a link was put there by
 * somebody for something. */
static int
file_place(struct pulling *p, const struct pulled *f, int dir, const char *name)
{
	const char *fresh = FRESH_NAME;
	struct stat st;
	int fd, status;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode))
		return cli_fail(
		    "%s/%s: is no plain file, so it is not written over", p->dir, f->path);
	unlinkat(dir, fresh, 0);
	fd = openat(dir, fresh, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return cli_fail("%s/%s: %s", p->dir, f->path, strerror(errno));
	status = file_fetch(p, f, fd);
	if (close(fd) && !status)
		status = cli_fail("%s/%s: %s", p->dir, f->path, strerror(errno));
	if (!status && renameat(dir, fresh, dir, name))
		status = cli_fail("%s/%s: %s", p->dir, f->path, strerror(errno));
	if (status)
		unlinkat(dir, fresh, 0);
	return status;
}

static int
file_pull(struct pulling *p, const struct pulled *f)
{
	const char *slash = strrchr(f->path, '/');
	const char *folder = slash ? mem_strndup(p->cli->c->mem, f->path, (size_t)(slash - f->path))
				   : ".";
	int dir, status;

	/* What the client keeps for itself comes from nobody else. */
	if (ignore_is_ours(f->path)) {
		cli_note("%s is left out", f->path);
		return EXIT_FINE;
	}
	if (is_there(p, f)) {
		p->kept++;
		return EXIT_FINE;
	}
	dir = beneath_mkdirs(p->root, folder, NULL);
	if (dir < 0)
		return cli_fail("%s/%s: %s", p->dir, folder,
		    beneath_absent(errno) ? "something is in the way of this folder"
					  : strerror(errno));
	status = file_place(p, f, dir, slash ? slash + 1 : f->path);
	close(dir);
	p->fetched += !status;
	return status;
}

static int
pull_all(struct pulling *p)
{
	int status = list_all(p);

	if (status)
		return status;
	if (mkdir(p->dir, 0777) && errno != EEXIST)
		return cli_fail("%s: %s", p->dir, strerror(errno));
	p->root = mem_fd(p->cli->c->mem, open(p->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	if (p->root < 0)
		return cli_fail("%s: %s", p->dir, strerror(errno));
	for (size_t i = 0; !status && i < p->n; i++) {
		cli_progress(p->cli, "fetching", (int64_t)i, (int64_t)p->n);
		status = file_pull(p, &p->v[i]);
	}
	cli_progress(p->cli, "", 1, 1);
	if (!p->cli->quiet)
		cli_note("%lld files fetched, %lld were there", (long long)p->fetched,
		    (long long)p->kept);
	return status;
}

/* The live version is named once, so that a publish meanwhile does not mix two. */
static int
version_live(struct pulling *p)
{
	struct http_res res;
	int status = http_send(p->cli,
	    &(struct http_req){ .method = "GET",
		.path = mem_printf(p->cli->c->mem, "/v1/artifacts/%s", p->id),
		.save_fd = -1 },
	    NULL, &res);

	if (status)
		return status;
	p->version = mem_printf(
	    p->cli->c->mem, "%lld", (long long)json_number(res.json, "artifact.version_no"));
	return EXIT_FINE;
}

static int
run_pull(struct cli *cli)
{
	struct pulling p = { .cli = cli,
		.dir = cli->with.n > 1 ? cli->with.args[1] : cli->with.args[0],
		.version = usage_option(&cli->with, "--version") };
	int status = EXIT_FINE;
	int64_t number;

	if (p.version && !str_int(p.version, &number)) {
		cli_fail("--version: %s is not a number", p.version);
		return EXIT_USAGE;
	}
	if (!(p.id = cli_artifact(cli, cli->with.args[0], &status)))
		return status;
	if (!p.version && (status = version_live(&p)))
		return status;
	return pull_all(&p);
}

static const struct cli_option pull_options[] = {
	{ "--version N", "that version instead of the live one" },
	{ 0 },
};

const struct cli_cmd pull_cli[] = {
	{ "pull", "SLUG [DIR] [--version N]",
	    "fetch the files of a version, as published, into DIR or a folder named SLUG", run_pull,
	    false, pull_options },
	{ 0 },
};
