/* SPDX-License-Identifier: Apache-2.0
 * nginx's configuration, filled from ours: what both must know stands in vitrine.yaml alone. */
#include "admin/cmd.h"
#include "admin/front.h"
#include "base/conf.h"
#include "base/str.h"
#include "http/route.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct value {
	const char *name, *text;
};

/* A dot in a host name is a dot. */
static const char *
escape_dots(void *mem, const char *host)
{
	struct buf b = BUF(mem);

	for (; *host; host++)
		buf_fmt(&b, "%s%c", *host == '.' ? "\\" : "", *host);
	return buf_done(&b);
}

static const char *
host_of(void *mem, const char *url)
{
	const char *host = strstr(url, "://") + 3;

	return mem_printf(mem, "%.*s", (int)strcspn(host, ":/"), host);
}

static enum err
values_check(struct ctx *c, const struct value *v)
{
	for (; v->name; v++)
		if (v->text && v->text[strcspn(v->text, " \t\r\n\"';{}$#")])
			return fail(c, E_INVALID,
			    "%s: \"%s\" can't stand in nginx's configuration; name a path without spaces, quotes, ; { } $ and #",
			    v->name, v->text);
	return E_OK;
}

/* The line with each @NAME@ replaced; NULL if it is left out, since what it would name is nothing.
 */
static enum err
line_fill(struct ctx *c, const char *line, const struct value *values, const char **out)
{
	struct buf b = BUF(c->mem);
	const char *at;

	for (; (at = strchr(line, '@')); line = at + 1) {
		const struct value *v = values;
		size_t n = strspn(at + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

		buf_add(&b, line, (size_t)(at - line));
		if (!n || at[n + 1] != '@') {
			buf_str(&b, "@");
			continue;
		}
		while (v->name && !(strlen(v->name) == n && strncmp(v->name, at + 1, n) == 0))
			v++;
		if (!v->name)
			return fail_here(c, "%.*s is not known", (int)n, at + 1);
		if (!v->text) {
			*out = NULL;
			return E_OK;
		}
		buf_str(&b, v->text);
		at += n + 1;
	}
	buf_str(&b, line);
	*out = buf_done(&b);
	return E_OK;
}

static enum err
template_fill(struct ctx *c, const char *template, const struct value *values, FILE *out)
{
	FILE *in = fopen(template, "re");
	char line[4096];
	const char *filled = NULL;

	if (!in)
		return fail_here(c, "%s", template);
	while (!c->err && fgets(line, sizeof line, in))
		if (!line_fill(c, line, values, &filled) && filled)
			fputs(filled, out);
	fclose(in);
	return c->err;
}

static enum err
file_print(struct ctx *c, const char *dir, const char *name, const struct value *values, FILE *out)
{
	for (const struct front_file *made = front_files; made->name; made++) {
		if (str_eq(made->name, name)) {
			if (!str_ends(name, ".html"))
				fputs("# Made by vitrinectl nginx.\n", out);
			made->print(out, c->conf, dir);
			return E_OK;
		}
	}
	return template_fill(
	    c, mem_printf(c->mem, "%s/nginx/%s.in", cmd_share_dir(), name), values, out);
}

/* A file is replaced whole, so that an nginx that reads it meanwhile sees one of both. */
static enum err
file_make(struct ctx *c, const char *dir, const char *name, const struct value *values)
{
	const char *to = mem_printf(c->mem, "%s/%s", dir, name),
		   *fresh = mem_printf(c->mem, "%s.new", to);
	FILE *out = fopen(fresh, "we");
	bool bad;

	if (!out)
		return fail_here(c, "%s", fresh);
	if (file_print(c, dir, name, values, out)) {
		fclose(out);
		unlink(fresh);
		return c->err;
	}
	bad = ferror(out) || fflush(out) || fsync(fileno(out));
	if (fclose(out) || bad || rename(fresh, to))
		return fail_here(c, "%s", to);
	return E_OK;
}

/* A port alone is one of every address, of both families. */
static const char *
listen_ipv6(void *mem, const char *listen)
{
	return strchr(listen, ':') ? NULL : mem_printf(mem, "[::]:%s", listen);
}

/* nginx's master opens the log as root, and follows links: in a folder of another user that user
 * could have it write to any file. */
static enum err
views_folder_make(struct ctx *c, const char *log, uid_t me)
{
	const char *folder = mem_printf(c->mem, "%.*s", (int)(strrchr(log, '/') - log), log);
	struct stat st;

	if (mkdir(folder, 0755) && errno != EEXIST)
		return fail_here(c, "views_log: %s", folder);
	if (stat(folder, &st))
		return fail_here(c, "views_log: %s", folder);
	if (me == 0 && (st.st_uid != 0 || st.st_mode & S_IWOTH))
		return fail(c, E_INVALID,
		    "views_log: %s can be changed by others than root, and nginx opens what is in it as root; name a file in a folder of root's",
		    folder);
	errno = 0;
	return E_OK;
}

/* The file is the runner's, which takes away what it has counted. */
static enum err
views_log_make(struct ctx *c)
{
	const char *log = c->conf->views_log;
	struct stat data;
	int fd;

	if (*log != '/' || strrchr(log, '/') == log)
		return fail(c, E_INVALID,
		    "views_log: %s must be an absolute path with a folder of its own", log);
	TRY(views_folder_make(c, log, geteuid()));
	fd = mem_fd(c->mem, open(log, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0640));
	if (fd < 0)
		return fail_here(c, "views_log: %s", log);
	if (geteuid() == 0 && stat(c->conf->data_dir, &data) == 0 &&
	    fchown(fd, data.st_uid, data.st_gid))
		return fail_here(c, "views_log: %s", log);
	errno = 0;
	return E_OK;
}

static enum err
cmd_nginx(struct cmd_call *call)
{
	static const char *const templates[] = { "tls.conf", "always.conf", "head.conf",
		"fastcgi.conf", "views.conf", "site.conf", "vitrine.conf", NULL };
	struct ctx *c = call->c;
	const struct conf *conf = c->conf;
	const char *dir = call->with.args[0], *port = usage_option(&call->with, "--listen"),
		   *http = usage_option(&call->with, "--http");
	const char *listen = port ? port : "443";
	bool counted = !str_eq(conf->views_log, "-");
	const struct value values[] = {
		{ "CONF", dir },
		{ "LISTEN", listen },
		{ "LISTEN6", listen_ipv6(c->mem, listen) },
		{ "HTTP", http },
		{ "HTTP6", http ? listen_ipv6(c->mem, http) : NULL },
		{ "HTTPS_PORT",
		    conf->content_port == 443
			? ""
			: mem_printf(c->mem, ":%lld", (long long)conf->content_port) },
		{ "CERT", usage_option(&call->with, "--cert") },
		{ "KEY", usage_option(&call->with, "--key") },
		{ "API_HOST", host_of(c->mem, conf->base_url) },
		{ "CONTENT_DOMAIN", conf->content_domain },
		{ "CONTENT_DOMAIN_RE", escape_dots(c->mem, conf->content_domain) },
		{ "DATA", conf->data_dir },
		{ "SHARE", cmd_share_dir() },
		{ "SOCKET", conf->socket },
		{ "SLOW_SOCKET", conf->slow_socket },
		{ "VIEWS_LOG", counted ? conf->views_log : NULL },
		{ "VIEWS_OFF", counted ? NULL : "off" },
		{ "BODY_BYTES",
		    mem_printf(c->mem, "%lld", (long long)body_bytes(conf, BODY_USUAL)) },
		{ NULL, NULL },
	};

	TRY(values_check(c, values));
	if (counted)
		TRY(views_log_make(c));
	if (mkdir(dir, 0755) && errno != EEXIST)
		return fail_here(c, "%s", dir);
	for (const struct front_file *made = front_files; made->name; made++)
		TRY(file_make(c, dir, made->name, values));
	for (size_t i = 0; templates[i]; i++)
		TRY(file_make(c, dir, templates[i], values));
	if (http)
		return file_make(c, dir, "plain.conf", values);
	if (unlink(mem_printf(c->mem, "%s/plain.conf", dir)) && errno != ENOENT)
		return fail_here(c, "%s/plain.conf", dir);
	return E_OK;
}

const struct cmd nginx_cmds[] = {
	{ "nginx", "DIR --cert FILE --key FILE [--listen PORT] [--http PORT]",
	    "write nginx's configuration into DIR", cmd_nginx },
	{ 0 },
};
