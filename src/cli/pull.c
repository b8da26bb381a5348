/* SPDX-License-Identifier: Apache-2.0
 * The client doesn't trust the service: it checks the whole list of files by the rules of published
 * paths before it writes the first, opens everything beneath the folder without following links,
 * and names a file only after its bytes match the list's digest. Many files come as the version's
 * .zip, which store/archive.h checks like an upload. */
#include "cli/pull.h"

#include "base/crypto.h"
#include "base/ignore.h"
#include "base/path.h"
#include "base/str.h"
#include "cli/commands.h"
#include "cli/file.h"
#include "cli/http.h"
#include "cli/memory.h"
#include "cli/which.h"
#include "store/archive.h"
#include "store/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* The most that a service's settings allow (max_file_bytes, max_version_bytes), and more files than
 * anybody has. */
enum { FILE_BYTES = 1 << 30, PULL_FILES = 200000 };
/* Up to ONE_BY_ONE files are fetched one by one. ENTRY_BYTES: the most that a .zip has for a file
 * beside its bytes: twice its name of 1,024 bytes, and two headers. */
enum { ONE_BY_ONE = 16, ENTRY_BYTES = 4096 };
#define VERSION_BYTES 10737418240

struct pulled {
	const char *path;
	uint8_t sha256[SHA256_BYTES];
	int64_t size;
	bool wanted; /* must be fetched: the folder lacks it or it differs */
};
struct pulling {
	struct cli *cli;
	const struct pull_what *what;
	const char *id, *version;
	const char *dir; /* its path */
	int root;
	struct pulled *v;
	size_t n, room;
	int64_t bytes, wanted, wanted_bytes, fetched, kept;
	int status; /* exit status of a failure while the archive was read */
};
/* A file that is being received. */
struct arriving {
	struct pulled *f;
	const char *name;
	int dir, fd;
	int64_t left; /* bytes that may still arrive */
};

/* ---- the list ---- */

static bool
file_list(struct pulling *p, const struct json *file)
{
	struct ctx *c = p->cli->c;
	struct pulled f = { .path = json_member(file, "path"),
		.size = json_number(file, "size_bytes") };

	if (p->n == PULL_FILES) {
		cli_fail("the service listed more than %d files", PULL_FILES);
		return false;
	}
	if (path_check(c, "the service listed a path that can't be used in a folder", &f.path)) {
		cli_fail("%s", c->message);
		return false;
	}
	p->bytes += f.size;
	if (!crypto_unhex(json_member(file, "sha256"), f.sha256, SHA256_BYTES) || f.size < 0 ||
	    f.size > FILE_BYTES || p->bytes > VERSION_BYTES) {
		cli_fail("%s: the service returned no digest or an impossible size", f.path);
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
page_list(struct cli *cli, const struct json *reply, void *arg)
{
	size_t n;
	const struct json *files = json_list(reply, "files", &n);

	for (size_t i = 0; i < n; i++)
		if (!file_list(arg, json_at(files, i)))
			return EXIT_REFUSED;
	if (!files || json_kind(files) != J_ARR)
		return cli_fail("%s didn't return a list of files", cli->url);
	return EXIT_FINE;
}

static int
files_list(struct pulling *p)
{
	struct ctx *c = p->cli->c;
	const char **paths;
	int status = http_pages(p->cli,
	    mem_printf(p->cli->c->mem, "/v1/artifacts/%s/files?version=%s", p->id, p->version),
	    "files", page_list, p);

	if (status)
		return status;
	/* Refuses paths that differ only in case, and a file in the place of another's folder. */
	paths = mem_array(c->mem, const char *, p->n);
	for (size_t i = 0; i < p->n; i++)
		paths[i] = p->v[i].path;
	return path_set_check(c, paths, p->n)
	    ? cli_fail("the service listed files that can't be in one folder: %s", c->message)
	    : EXIT_FINE;
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

/* True if the folder has a regular file with this path. */
static bool
has_file(struct pulling *p, const struct pulled *f)
{
	const char *name;
	struct stat st;
	int dir = beneath_parent(p->root, f->path, &name);
	bool taken = dir >= 0 && fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISREG(st.st_mode);

	if (dir >= 0)
		close(dir);
	return taken;
}

static int
file_fails(const struct pulling *p, const struct pulled *f)
{
	return cli_fail("%s/%s: %s", p->dir, f->path, strerror(errno));
}

/* Begins to receive a file. If it succeeds, file_arrived() must end it. */
static int
file_arrives(struct pulling *p, struct pulled *f, struct arriving *a)
{
	const char *slash = strrchr(f->path, '/');
	const char *folder = slash ? mem_strndup(p->cli->c->mem, f->path, (size_t)(slash - f->path))
				   : ".";
	struct stat st;
	int status;

	*a = (struct arriving){ .f = f, .name = slash ? slash + 1 : f->path, .left = f->size };
	a->dir = beneath_mkdirs(p->root, folder, NULL);
	if (a->dir < 0)
		return cli_fail("%s/%s: %s", p->dir, folder,
		    beneath_absent(errno) ? "something is in the way of this folder"
					  : strerror(errno));
	/* Overwrites regular files only: somebody made a folder or link there on purpose. */
	if (fstatat(a->dir, a->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode)) {
		status = cli_fail(
		    "%s/%s: isn't a regular file, so it isn't overwritten", p->dir, f->path);
	} else {
		unlinkat(a->dir, FRESH_NAME, 0);
		a->fd = openat(
		    a->dir, FRESH_NAME, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
		status = a->fd < 0 ? file_fails(p, f) : EXIT_FINE;
	}
	if (status)
		close(a->dir);
	return status;
}

/* Gives the file its name if status is EXIT_FINE and its digest is right. Returns the status. */
static int
file_arrived(struct pulling *p, struct arriving *a, int status)
{
	if (!status && lseek(a->fd, 0, SEEK_SET))
		status = file_fails(p, a->f);
	if (!status && !has_bytes(a->fd, a->f))
		status = cli_fail(
		    "%s: the bytes received aren't those that were published", a->f->path);
	if (close(a->fd) && !status)
		status = file_fails(p, a->f);
	if (!status && renameat(a->dir, FRESH_NAME, a->dir, a->name))
		status = file_fails(p, a->f);
	if (status)
		unlinkat(a->dir, FRESH_NAME, 0);
	close(a->dir);
	a->f->wanted = status != EXIT_FINE;
	p->fetched += !status;
	return status;
}

/* ---- one by one ---- */

static int
each_pull(struct pulling *p)
{
	struct arriving a;
	struct http_res res;
	int status = EXIT_FINE;

	for (struct pulled *f = p->v; !status && f < p->v + p->n; f++) {
		struct cli one = *p->cli;
		struct http_req req = { .method = "GET", .save_bytes = f->size };

		cli_progress(p->cli, "fetching", p->fetched, p->wanted);
		if (!f->wanted || (status = file_arrives(p, f, &a)))
			continue;
		one.c = ctx_begin(NULL, NULL);
		req.path = mem_printf(one.c->mem, "/v1/artifacts/%s/files/%s?version=%s", p->id,
		    url_encoded(one.c->mem, f->path), p->version);
		req.save_fd = a.fd;
		status = http_send(&one, &req, NULL, &res);
		ctx_end(one.c);
		status = file_arrived(p, &a, status);
	}
	return status;
}

/* ---- as an archive ---- */

static int
by_path(const void *a, const void *b)
{
	return strcmp(((const struct pulled *)a)->path, ((const struct pulled *)b)->path);
}

struct unpacking {
	struct pulling *p;
	struct arriving a;
	bool open; /* a file is being received; else its bytes are skipped, since it isn't wanted */
};

static enum err
unpack_begin(void *arg, struct ctx *c, const char *path)
{
	struct unpacking *u = arg;
	struct pulling *p = u->p;
	struct pulled *f = bsearch(
	    &(struct pulled){ .path = path }, p->v, p->n, sizeof *p->v, by_path);

	if (!f)
		return fail(c, E_INVALID, "%s is not in its list of files", path);
	u->open = f->wanted;
	if (!u->open)
		return E_OK;
	cli_progress(p->cli, "unpacking", p->fetched, p->wanted);
	p->status = file_arrives(p, f, &u->a);
	u->open = !p->status;
	return p->status ? E_INTERNAL : E_OK;
}

static enum err
unpack_data(void *arg, struct ctx *c, const void *bytes, size_t n)
{
	struct unpacking *u = arg;
	struct arriving *a = &u->a;

	if (!u->open)
		return E_OK;
	if ((int64_t)n > a->left)
		return fail(
		    c, E_INVALID, "%s has more bytes than its list of files says", a->f->path);
	a->left -= (int64_t)n;
	if (!cli_bytes_write(a->fd, bytes, n)) {
		u->p->status = file_fails(u->p, a->f);
		return E_INTERNAL;
	}
	return E_OK;
}

static enum err
unpack_end(void *arg, struct ctx *c)
{
	struct unpacking *u = arg;

	(void)c;
	if (u->open)
		u->p->status = file_arrived(u->p, &u->a, EXIT_FINE);
	u->open = false;
	return u->p->status ? E_INTERNAL : E_OK;
}

static int
archive_unpack(struct pulling *p, int fd)
{
	struct unpacking u = { .p = p };
	struct archive_sink sink = { unpack_begin, unpack_data, unpack_end, &u };
	/* The list of files limits the bytes, so a small archive can't unpack to endless ones. */
	struct archive_limits limits = { (int64_t)p->n, FILE_BYTES, p->bytes, INT64_MAX };
	struct span zip = { .fd = fd, .n = lseek(fd, 0, SEEK_END) };
	struct ctx *c = ctx_begin(NULL, NULL);
	enum err e = archive_read(c, &zip, &limits, &sink);

	if (u.open)
		file_arrived(p, &u.a, EXIT_REFUSED);
	if (e && !p->status)
		p->status = cli_fail(
		    "%s sent an archive that can't be used: %s", p->cli->url, ctx_why(c));
	ctx_end(c);
	for (size_t i = 0; !p->status && i < p->n; i++)
		if (p->v[i].wanted)
			p->status = cli_fail(
			    "%s: is missing from the archive the service sent", p->v[i].path);
	return p->status;
}

/* Stores the archive in the target folder, whose disk must have room, in a file without a name. */
static int
archive_pull(struct pulling *p)
{
	struct http_req req = { .method = "GET",
		.shown = true,
		.save_bytes = p->bytes + p->bytes / 256 + (int64_t)p->n * ENTRY_BYTES };
	struct http_res res;
	int status;

	unlinkat(p->root, FRESH_NAME, 0);
	req.save_fd = mem_fd(p->cli->c->mem,
	    openat(p->root, FRESH_NAME, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
	if (req.save_fd < 0)
		return cli_fail("%s: %s", p->dir, strerror(errno));
	unlinkat(p->root, FRESH_NAME, 0);
	req.path = mem_printf(
	    p->cli->c->mem, "/v1/artifacts/%s/versions/%s/export", p->id, p->version);
	status = http_send(p->cli, &req, NULL, &res);
	return status ? status : archive_unpack(p, req.save_fd);
}

/* ---- all ---- */

static void
wanted_find(struct pulling *p)
{
	const struct ignore *ignore = ignore_new(p->cli->c->mem, NULL);
	struct stat st;
	int fd;

	for (size_t i = 0; i < p->n; i++) {
		struct pulled *f = &p->v[i];

		/* Nobody else may write the client's own files, nor an agent files that programs
		 * run or read as settings, such as .bashrc or .git/hooks. */
		if (ignore_is_ours(f->path) ||
		    (p->what->agent && ignore_leaves_out_within(ignore, f->path, false))) {
			cli_note("%s is left out", f->path);
			continue;
		}
		fd = beneath_open_file(p->root, f->path, &st);
		f->wanted = fd < 0 || !has_bytes(fd, f);
		if (fd >= 0)
			close(fd);
		p->kept += !f->wanted;
		p->wanted += f->wanted;
		p->wanted_bytes += f->wanted ? f->size : 0;
	}
}

/* Refuses to overwrite files that differ, since they may be somebody's only copy. */
static int
changes_keep(struct pulling *p)
{
	enum { NAMED = 5 };
	struct buf b = BUF(p->cli->c->mem);
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		if (p->v[i].wanted && has_file(p, &p->v[i]) && n++ < NAMED)
			buf_fmt(&b, "%s%s", n > 1 ? ", " : "", p->v[i].path);
	if (!n || cli_option(p->cli, "--force"))
		return EXIT_FINE;
	return cli_fail(
	    "%s in %s %s from what would be fetched: %s%s; "
	    "--force overwrites, or choose another folder",
	    str_count(p->cli->c->mem, (int64_t)n, "file"), p->dir,
	    n == 1 ? "differs" : "differ", b.s,
	    n > NAMED ? ", …" : "");
}

static int
pull_all(struct pulling *p)
{
	int status = files_list(p);

	if (status)
		return status;
	p->root = p->what->fd;
	if (p->root < 0 && mkdir(p->dir, 0777) && errno != EEXIST)
		return cli_fail("%s: %s", p->dir, strerror(errno));
	if (p->root < 0)
		p->root = mem_fd(
		    p->cli->c->mem, open(p->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	if (p->root < 0)
		return cli_fail("%s: %s", p->dir, strerror(errno));
	if (p->n)
		qsort(p->v, p->n, sizeof *p->v, by_path);
	wanted_find(p);
	/* The archive has all files, so it is fetched only if most bytes are wanted. */
	if (!(status = changes_keep(p)))
		status = p->wanted > ONE_BY_ONE && p->wanted_bytes >= p->bytes / 2 ? archive_pull(p)
										   : each_pull(p);
	cli_progress(p->cli, "", 1, 1);
	if (!p->cli->quiet && (!status || p->fetched))
		cli_note("%s fetched, %s already there",
		    str_count(p->cli->c->mem, (int64_t)p->fetched, "file"),
		    str_number(p->cli->c->mem, (int64_t)p->kept));
	return status;
}

int
pull(struct cli *cli, const struct pull_what *what, struct pull_done *done)
{
	struct pulling p = {
		.cli = cli, .what = what, .dir = what->dir, .version = cli_option(cli, "--version")
	};
	struct http_res res;
	int status = EXIT_FINE;
	int64_t number;

	if (p.version && !str_int(p.version, &number))
		return cli_misuse("--version: %s is not a number", p.version);
	if (!(p.id = which_named(cli, what->artifact, &status)))
		return status;
	if ((status = http_do(cli, &res, "GET /v1/artifacts/%s", p.id)))
		return status;
	/* All requests use this number, so a publish meanwhile can't mix two versions. */
	if (!p.version)
		p.version = mem_printf(
		    cli->c->mem, "%lld", (long long)json_number(res.json, "artifact.version_no"));
	status = pull_all(&p);
	*done = (struct pull_done){
		p.id, p.version, json_get_as(res.json, "artifact", J_OBJ), p.fetched, p.kept
	};
	return status;
}

/* Returns the artifact's address if the user may publish to it; else NULL. */
static const char *
own_url(const struct json *artifact)
{
	const char *url = json_member(artifact, "url");

	return str_http_url(url) &&
		(str_in(json_member(artifact, "role"), "owner|editor") ||
		    str_eq(json_member(artifact, "capability"), "edit"))
	    ? url
	    : NULL;
}

static int
run_pull(struct cli *cli)
{
	struct pull_what what = { .artifact = cli->with.args[0],
		.dir = cli->with.n > 1 ? cli->with.args[1] : cli->with.args[0],
		.fd = -1 };
	struct pull_done done;
	int status = pull(cli, &what, &done);
	int64_t number;

	if (!status && str_int(done.version, &number))
		memory_pulled(cli, what.dir, done.id, own_url(done.artifact), number);
	return status;
}

static const struct cli_option pull_options[] = {
	{ "--version N", "fetch this version instead of the live one" },
	{ "--force", "overwrite files that differ" },
	{ 0 },
};

const struct cli_cmd pull_cli[] = {
	{ "pull", "SLUG [DIR]",
	    "fetch an artifact's files, as published, into DIR or a folder named SLUG",
	    pull_options, .run = run_pull },
	{ 0 },
};
