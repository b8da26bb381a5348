/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/credentials.h"

#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_BYTES = 65536 };

static const char *
file_path(struct cli *cli)
{
	const char *path = getenv("VITRINE_CREDENTIALS"), *base = getenv("XDG_CONFIG_HOME"),
		   *home = getenv("HOME");

	if (path)
		return path;
	if (base && *base == '/')
		return mem_printf(cli->c->mem, "%s/vitrine/credentials.json", base);
	return mem_printf(cli->c->mem, "%s/.config/vitrine/credentials.json", home ? home : ".");
}

static bool
credentials_read_file(struct cli *cli, const char *path, const struct json **out)
{
	int fd = mem_fd(cli->c->mem, open(path, O_RDONLY | O_CLOEXEC));
	char *text = mem_zalloc(cli->c->mem, FILE_BYTES);
	struct stat st;
	struct json *tree;
	ssize_t n;

	*out = NULL;
	if (fd < 0 || fstat(fd, &st))
		return true;
	if (st.st_mode & 077) {
		cli_fail("%s can be read by others; chmod 600 it", path);
		return false;
	}
	n = read(fd, text, FILE_BYTES);
	if (n > 0 && json_parse(cli->c, text, (size_t)n, &tree) == E_OK)
		*out = tree;
	return true;
}

bool
credentials_load(struct cli *cli)
{
	const char *url = getenv("VITRINE_URL"), *token = getenv("VITRINE_TOKEN");
	const struct json *kept;
	bool good = credentials_read_file(cli, file_path(cli), &kept);
	size_t n;

	if (!cli->url)
		cli->url = url && *url ? url : kept ? json_member(kept, "url") : "";
	cli->token = token && *token ? token : kept ? json_member(kept, "token") : NULL;
	if (cli->token && !*cli->token)
		cli->token = NULL;
	n = strlen(cli->url);
	if (n && cli->url[n - 1] == '/')
		cli->url = mem_strndup(cli->c->mem, cli->url, n - 1);
	return good;
}

static void
directory_make(const char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		char *part = strndup(path, (size_t)(slash - path));

		mkdir(part, 0700);
		free(part);
	}
}

bool
credentials_save(struct cli *cli, const char *token)
{
	const char *path = file_path(cli), *fresh = mem_printf(cli->c->mem, "%s.new", path);
	struct buf b = BUF(cli->c->mem);
	bool good;
	int fd;

	buf_str(&b, "{\"token\":");
	buf_json(&b, token);
	buf_str(&b, ",\"url\":");
	buf_json(&b, cli->url);
	buf_str(&b, "}\n");
	directory_make(path);
	unlink(fresh);
	fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	good = fd >= 0 && write(fd, b.s, b.n) == (ssize_t)b.n && fsync(fd) == 0;
	if (fd >= 0)
		good &= close(fd) == 0;
	good = good && rename(fresh, path) == 0;
	if (!good)
		cli_fail("%s: %s", path, strerror(errno));
	return good;
}

bool
credentials_forget(struct cli *cli)
{
	return unlink(file_path(cli)) == 0 || errno == ENOENT;
}
