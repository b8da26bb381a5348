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

/* https://host:port, in lower case and with its port, of an address that str_http_url() takes. */
static const char *
origin_of(struct cli *cli, const char *url)
{
	const char *host = url + strlen("https://");
	char *origin = mem_printf(cli->c->mem, "https://%.*s", (int)strcspn(host, "/?#"), host);

	for (char *p = origin; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return strchr(origin + strlen("https://"), ':') ? origin
							: mem_printf(cli->c->mem, "%s:443", origin);
}

bool
credentials_url_valid(const char *url)
{
	return str_starts(url, "https://") && str_http_url(url);
}

/* The token goes only to the service that gave it. */
static void
kept_token(struct cli *cli, const struct json *kept)
{
	const char *url = json_member(kept, "url");

	if (credentials_url_valid(cli->url) && credentials_url_valid(url) &&
	    str_eq(origin_of(cli, url), origin_of(cli, cli->url)))
		cli->token = json_member(kept, "token");
	else
		cli->kept_for = *url ? url : "(no address)";
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
	n = strlen(cli->url);
	if (n && cli->url[n - 1] == '/')
		cli->url = mem_strndup(cli->c->mem, cli->url, n - 1);
	if (token && *token)
		cli->token = token;
	else if (kept && *json_member(kept, "token"))
		kept_token(cli, kept);
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
	const char *path = file_path(cli);
	struct buf b = BUF(cli->c->mem);

	buf_chr(&b, '{');
	json_add(&b, "token", token);
	json_add(&b, "url", cli->url);
	buf_str(&b, "}\n");
	directory_make(path);
	if (cli_file_write(cli, path, 0600, &b))
		return true;
	cli_fail("%s: %s", path, strerror(errno));
	return false;
}

bool
credentials_forget(struct cli *cli)
{
	return unlink(file_path(cli)) == 0 || errno == ENOENT;
}
