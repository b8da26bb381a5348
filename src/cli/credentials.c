/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/credentials.h"

#include "base/str.h"
#include "base/unicode.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_BYTES = 65536 };

/* Returns the user's home, never the current folder, which may belong to anybody. */
static const char *
home_path(void)
{
	const char *home = getenv("HOME");
	const struct passwd *me;

	if (home && *home == '/')
		return home;
	me = getpwuid(geteuid());
	return me && me->pw_dir && *me->pw_dir == '/' ? me->pw_dir : "/nonexistent";
}

static const char *
file_path(struct cli *cli)
{
	const char *path = getenv("VITRINE_CREDENTIALS"), *base = getenv("XDG_CONFIG_HOME");

	if (path && *path)
		return path;
	if (base && *base == '/')
		return mem_printf(cli->c->mem, "%s/vitrine/credentials.json", base);
	return mem_printf(cli->c->mem, "%s/.config/vitrine/credentials.json", home_path());
}

const char *
credentials_beside(struct cli *cli, const char *name)
{
	const char *path = file_path(cli), *slash = strrchr(path, '/');

	return mem_printf(cli->c->mem, "%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name);
}

/* Follows a link, since people keep their settings in one place. The checks are about the owner and
 * mode of the file that it leads to. */
static bool
credentials_read_file(struct cli *cli, const char *path, const struct json **out)
{
	const char *real = realpath(path, mem_zalloc(cli->c->mem, PATH_MAX)), *text;
	struct stat st;
	struct json *tree;
	size_t n;

	*out = NULL;
	if (!real)
		return true;
	if (!cli_file_read(cli, real, FILE_BYTES, &st, &text, &n))
		return false;
	if (text && st.st_uid != geteuid()) {
		cli_fail("%s belongs to another user, who could read what you send", path);
		return false;
	}
	if (text && st.st_mode & 077) {
		cli_fail("%s can be read by other users; run chmod 600 on it", path);
		return false;
	}
	if (text && json_parse(cli->c, text, n, &tree) == E_OK)
		*out = tree;
	return true;
}

const char *
credentials_origin(struct cli *cli, const char *url)
{
	const char *host = url + strlen("https://");
	const char *origin = str_lower(
	    mem_printf(cli->c->mem, "https://%.*s", (int)strcspn(host, "/?#"), host));

	return strchr(origin + strlen("https://"), ':') ? origin
							: mem_printf(cli->c->mem, "%s:443", origin);
}

bool
credentials_url_valid(const char *url)
{
	return str_starts(url, "https://") && str_http_url(url);
}

/* The token becomes part of a header line, which a line end would split. */
bool
credentials_token_valid(const char *token)
{
	size_t n = strlen(token);

	for (const char *p = token; *p; p++)
		if (*p <= ' ' || *p >= 0x7f)
			return false;
	return n > 0 && n <= 255;
}

/* Uses the stored token only for the service that it was stored for. */
static void
kept_token(struct cli *cli, const struct json *kept)
{
	const char *url = json_member(kept, "url");

	if (credentials_url_valid(cli->url) && credentials_url_valid(url) &&
	    str_eq(credentials_origin(cli, url), credentials_origin(cli, cli->url)))
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
		cli->token = unicode_line(cli->c->mem, token, strlen(token));
	else if (kept && *json_member(kept, "token"))
		kept_token(cli, kept);
	return good;
}

void
credentials_use_kept(struct cli *cli)
{
	const struct json *kept;

	cli->token = NULL;
	if (credentials_read_file(cli, file_path(cli), &kept) && kept &&
	    *json_member(kept, "token"))
		kept_token(cli, kept);
}

bool
credentials_keep(struct cli *cli, const char *path, const struct buf *bytes)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/'))
		mkdir(mem_strndup(cli->c->mem, path, (size_t)(slash - path)), 0700);
	if (cli_file_write(cli, path, 0600, bytes))
		return true;
	cli_fail("%s: %s", path, strerror(errno));
	return false;
}

bool
credentials_save(struct cli *cli, const char *token)
{
	struct buf b = json_object_of(cli->c->mem, "token", token, "url", cli->url, NULL);

	buf_chr(&b, '\n');
	return credentials_keep(cli, file_path(cli), &b);
}

bool
credentials_forget(struct cli *cli)
{
	return unlink(file_path(cli)) == 0 || errno == ENOENT;
}
