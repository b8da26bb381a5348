/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cmd.h"

#include "base/crypto.h"
#include "base/str.h"
#include "cli/http.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct pulling {
	struct cli *cli;
	const char *id, *dir, *version;
	int64_t fetched, kept;
};

static bool
path_safe(const char *path)
{
	for (const char *p = path; p; p = strchr(p, '/')) {
		p += *p == '/';
		if (!*p || *p == '/' ||
		    (p[0] == '.' &&
			(!p[1] || p[1] == '/' || (p[1] == '.' && (!p[2] || p[2] == '/')))))
			return false;
	}
	return *path && *path != '/' && str_plain(path);
}

static bool
has_digest(const char *path, const char *hex)
{
	void *mem = mem_root("digest");
	struct sha256 *h = crypto_sha256_begin(mem);
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	uint8_t digest[SHA256_BYTES];
	char chunk[65536];
	ssize_t got = -1;
	bool same;

	while (fd >= 0 && (got = read(fd, chunk, sizeof chunk)) > 0)
		crypto_sha256_add(h, chunk, (size_t)got);
	if (fd >= 0)
		close(fd);
	crypto_sha256_end(h, digest);
	same = got == 0 && str_eq(crypto_hex(mem, digest, sizeof digest), hex);
	mem_free(mem);
	return same;
}

/* No folder on the way may be a link: it could lead elsewhere. */
static bool
folders_make(struct pulling *p, const char *path)
{
	struct stat st;

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		const char *dir = mem_printf(
		    p->cli->c->mem, "%s/%.*s", p->dir, (int)(slash - path), path);

		if ((mkdir(dir, 0777) && errno != EEXIST) || lstat(dir, &st) ||
		    !S_ISDIR(st.st_mode)) {
			cli_fail("%s: is in the way of a folder", dir);
			return false;
		}
	}
	return true;
}

static int
pull_file(struct pulling *p, const struct json *file)
{
	const char *path = json_member(file, "path"), *digest = json_member(file, "sha256");
	const char *to = mem_printf(p->cli->c->mem, "%s/%s", p->dir, path),
		   *fresh = mem_printf(p->cli->c->mem, "%s.vitrine-new", to);
	struct http_req req = { .method = "GET" };
	struct buf url = BUF(p->cli->c->mem);
	struct http_res res;
	int status;

	if (!path_safe(path))
		return cli_fail("%s: the service named a path that can't be one of this folder",
		    cli_shown(p->cli, path));
	if (has_digest(to, digest)) {
		p->kept++;
		return EXIT_FINE;
	}
	if (!folders_make(p, path))
		return EXIT_REFUSED;
	buf_fmt(&url, "/v1/artifacts/%s/files/", p->id);
	buf_url(&url, path);
	buf_fmt(&url, "?version=%s", p->version);
	req.path = url.s;
	unlink(fresh);
	req.save_fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (req.save_fd < 0)
		return cli_fail("%s: %s", fresh, strerror(errno));
	status = http_send(p->cli, &req, NULL, &res);
	if (close(req.save_fd) && !status)
		status = cli_fail("%s: %s", fresh, strerror(errno));
	if (!status && !has_digest(fresh, digest))
		status = cli_fail(
		    "%s: the bytes that came are not those that were published", path);
	if (!status && rename(fresh, to))
		status = cli_fail("%s: %s", to, strerror(errno));
	if (status)
		unlink(fresh);
	p->fetched += !status;
	return status;
}

static int
pull_all(struct pulling *p)
{
	const char *cursor = "";

	do {
		struct http_req req = { .method = "GET", .save_fd = -1 };
		const struct json *files;
		struct http_res res;
		int status;

		req.path = mem_printf(p->cli->c->mem,
		    "/v1/artifacts/%s/files?limit=200&version=%s%s", p->id, p->version,
		    http_cursor(p->cli, cursor));
		if ((status = http_send(p->cli, &req, NULL, &res)))
			return status;
		files = json_get(res.json, "files");
		for (size_t i = 0; files && i < json_len(files); i++)
			if ((status = pull_file(p, json_at(files, i))))
				return status;
		cursor = json_member(res.json, "next_cursor");
	} while (*cursor);
	return EXIT_FINE;
}

static int
run_pull(struct cli *cli)
{
	struct pulling p = { .cli = cli,
		.dir = cli->with.n > 1 ? cli->with.args[1] : cli->with.args[0],
		.version = usage_option(&cli->with, "--version") };
	struct http_res res;
	int status = EXIT_FINE;
	int64_t number;

	if (p.version && !str_int(p.version, &number)) {
		cli_fail("--version: %s is not a number", p.version);
		return EXIT_USAGE;
	}
	if (!(p.id = cli_artifact(cli, cli->with.args[0], &status)))
		return status;
	/* The live version is named once, so that a publish meanwhile does not mix two. */
	if (!p.version) {
		status = http_send(cli,
		    &(struct http_req){ .method = "GET",
			.path = mem_printf(cli->c->mem, "/v1/artifacts/%s", p.id),
			.save_fd = -1 },
		    NULL, &res);
		if (status)
			return status;
		p.version = mem_printf(
		    cli->c->mem, "%lld", (long long)json_number(res.json, "artifact.version_no"));
	}
	if (mkdir(p.dir, 0777) && errno != EEXIST)
		return cli_fail("%s: %s", p.dir, strerror(errno));
	status = pull_all(&p);
	if (!cli->quiet)
		fprintf(stderr, "%lld files fetched, %lld were there\n", (long long)p.fetched,
		    (long long)p.kept);
	return status;
}

const struct cli_cmd pull_cli[] = {
	{ "pull", "SLUG [DIR] [--version N]", "fetch the files of a version, as published",
	    run_pull, false },
	{ 0 },
};
