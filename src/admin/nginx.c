/* SPDX-License-Identifier: Apache-2.0
 * nginx's configuration, filled from ours: what both must know stands in vitrine.yaml alone. */
#include "admin/cmd.h"
#include "base/conf.h"
#include "base/mime.h"
#include "base/str.h"
#include "domain/rules.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The form around an archive and its manifest. */
enum { FORM_BYTES = 64 << 10 };

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
		if (!*v->text || v->text[strcspn(v->text, " \t\r\n\"';{}$#")])
			return fail(c, E_INVALID, "%s: \"%s\" can't stand in nginx's configuration; name a path without spaces, quotes, ; { } $ and #", v->name, v->text);
	return E_OK;
}

/* The template with each @NAME@ replaced. */
static enum err
fill(struct ctx *c, const char *template, const struct value *values, FILE *out)
{
	FILE *in = fopen(template, "re");
	char line[4096];

	if (!in)
		return fail_here(c, "%s", template);
	while (fgets(line, sizeof line, in)) {
		const char *from = line, *at;

		while ((at = strchr(from, '@'))) {
			const struct value *v = values;
			size_t n = strspn(at + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");

			fwrite(from, 1, (size_t)(at - from), out);
			from = at + 1;
			if (!n || at[n + 1] != '@') {
				fputc('@', out);
				continue;
			}
			while (v->name && !(strlen(v->name) == n && strncmp(v->name, at + 1, n) == 0))
				v++;
			if (!v->name) {
				fclose(in);
				return fail(c, E_INTERNAL, "%s: %.*s is not known", template, (int)n, at + 1);
			}
			fputs(v->text, out);
			from = at + n + 2;
		}
		fputs(from, out);
	}
	fclose(in);
	return E_OK;
}

/* A file is replaced whole, so that an nginx that reads it meanwhile sees one of both. */
static enum err
file_make(struct ctx *c, const char *dir, const char *name, const struct value *values)
{
	const char *to = mem_printf(c->mem, "%s/%s", dir, name), *fresh = mem_printf(c->mem, "%s.new", to);
	FILE *out = fopen(fresh, "we");
	bool bad;

	if (!out)
		return fail_here(c, "%s", fresh);
	if (str_eq(name, "mime.types"))
		mime_print_nginx(out);
	else if (str_eq(name, "headers.conf"))
		rules_print_nginx(out);
	else if (fill(c, mem_printf(c->mem, "%s/nginx/%s.in", cmd_share_dir(), name), values, out)) {
		fclose(out);
		unlink(fresh);
		return c->err;
	}
	bad = ferror(out) || fflush(out) || fsync(fileno(out));
	if (fclose(out) || bad || rename(fresh, to))
		return fail_here(c, "%s", to);
	return E_OK;
}

static enum err
cmd_nginx(struct cmd_call *call)
{
	static const char *const files[] = { "vitrine.conf", "fastcgi.conf", "mime.types", "headers.conf", NULL };
	struct ctx *c = call->c;
	const struct conf *conf = c->conf;
	const char *dir = call->with.args[0], *listen = usage_option(&call->with, "--listen");
	const struct value values[] = {
		{ "CONF", dir },
		{ "LISTEN", listen ? listen : "443" },
		{ "CERT", usage_option(&call->with, "--cert") },
		{ "KEY", usage_option(&call->with, "--key") },
		{ "API_HOST", host_of(c->mem, conf->base_url) },
		{ "CONTENT_DOMAIN_RE", escape_dots(c->mem, conf->content_domain) },
		{ "DATA", conf->data_dir },
		{ "SOCKET", conf->socket },
		{ "PUBLISH_BYTES", mem_printf(c->mem, "%lld", (long long)(conf->max_archive_bytes + conf->max_json_bytes + FORM_BYTES)) },
		{ NULL, NULL },
	};

	TRY(values_check(c, values));
	if (mkdir(dir, 0755) && errno != EEXIST)
		return fail_here(c, "%s", dir);
	for (size_t i = 0; files[i]; i++)
		TRY(file_make(c, dir, files[i], values));
	return E_OK;
}

const struct cmd nginx_cmds[] = {
	{ "nginx", "DIR --cert FILE --key FILE [--listen PORT]", "write nginx's configuration into DIR", cmd_nginx },
	{ 0 },
};
