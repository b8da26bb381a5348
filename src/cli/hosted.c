/* SPDX-License-Identifier: Apache-2.0
 * Sites that were made for other hosts. Netlify's netlify.toml and Vercel's vercel.json say what
 * redirects and headers there are; these become rules of _redirects and _headers. What else they
 * say, such as how the site is built, is listed. Source: docs.netlify.com, "File-based
 * configuration"; vercel.com/docs, "Project configuration". */
#include "cli/elsewhere.h"

#include "base/str.h"

#include <ctype.h>

struct hosted {
	struct elsewhere *e;
	void *mem;
	const char *file;
	struct buf redirects, headers;
	const char *root; /* the folder that is published, or NULL */
	/* the table of netlify.toml that is read */
	const char *from, *to, *status, *path;
	bool force;
};

/* ---- netlify.toml ---- */

static void
redirect_end(struct hosted *h)
{
	if (h->from && h->to)
		buf_fmt(&h->redirects, "%s %s %s%s\n", h->from, h->to,
		    h->status ? h->status : "301", h->force ? "!" : "");
	h->from = h->to = h->status = NULL;
	h->force = false;
}

/* Returns a value of TOML as text: a string without its quotes, else the word up to a comment. NULL
 * for arrays, tables and texts of several lines. */
static const char *
toml_value(void *mem, const char *s)
{
	const char quote[] = { *s, 0 };
	char *text;

	if (strchr("[{", *s) || str_starts(s, "\"\"\"") || str_starts(s, "'''"))
		return NULL;
	if (*s != '"' && *s != '\'')
		return mem_strndup(mem, s, strcspn(s, " \t#"));
	text = mem_strndup(mem, s + 1, strcspn(s + 1, quote));
	return s[strlen(text) + 1] && !strchr(text, '\\') ? text : NULL;
}

/* Reads a line of the table. Returns false if there is nothing here for it. */
static bool
toml_line(struct hosted *h, const char *table, const char *key, const char *value)
{
	/* Without its condition, a redirect would lead away more than it did. */
	if (str_starts(table, "redirects."))
		h->from = NULL;
	if (!value)
		return false;
	if (str_eq(table, "redirects")) {
		if (str_eq(key, "force"))
			h->force = str_eq(value, "true");
		else if (str_eq(key, "from"))
			h->from = value;
		else if (str_eq(key, "to"))
			h->to = value;
		else if (str_eq(key, "status"))
			h->status = value;
		else
			return false;
		return true;
	}
	if (str_eq(table, "headers") && str_eq(key, "for")) {
		buf_fmt(&h->headers, "%s\n", value);
		h->path = value;
	} else if (str_eq(table, "headers.values") && h->path) {
		buf_fmt(&h->headers, "  %s: %s\n", key, value);
	} else if (str_eq(table, "build") && str_eq(key, "publish")) {
		h->root = value;
	} else {
		return false;
	}
	return true;
}

/* Takes spaces from both ends, in place. */
static char *
trimmed(char *s)
{
	char *end;

	s += strspn(s, " \t\r");
	end = s + strlen(s);
	while (end > s && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return s;
}

static void
netlify_read(struct hosted *h, char *text)
{
	const char *table = "";
	char *line;

	for (int no = 1; (line = str_split(&text, '\n')); no++) {
		char *key = trimmed(line), *value = strchr(key, '=');

		if (!*key || *key == '#')
			continue;
		if (*key == '[' && !value) {
			table = key + strspn(key, "[ ");
			key[strcspn(key, "]#")] = '\0';
			if (!str_starts(table, "redirects."))
				redirect_end(h);
			continue;
		}
		if (value)
			*value++ = '\0';
		key = trimmed(key);
		if (*key == '"')
			key = trimmed(mem_strndup(h->mem, key + 1, strcspn(key + 1, "\"")));
		if (!value || !toml_line(h, table, key, toml_value(h->mem, trimmed(value))))
			left_add(h->e, "%s, line %d: %s%s%s", h->file, no, table,
			    *table ? ": " : "", key);
	}
	redirect_end(h);
}

/* ---- vercel.json ---- */

/* Returns a rule's path for _redirects: its placeholders are the same, but for (.*) and :name*.
 * NULL for other patterns. */
static const char *
vercel_path(void *mem, const char *path)
{
	struct buf b = BUF(mem);

	for (const char *s = path; *s;) {
		size_t name = *s == ':' ? strspn(s + 1, "abcdefghijklmnopqrstuvwxyz"
							"ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")
					: 0;

		if (str_starts(s, "(.*)")) {
			buf_chr(&b, '*');
			s += 4;
		} else if (name && s[name + 1] == '*') {
			buf_chr(&b, '*');
			s += name + 2;
		} else if (strchr("()?+{}|\\", *s)) {
			return NULL;
		} else {
			buf_add(&b, s, 1 + name);
			s += 1 + name;
		}
	}
	return buf_done(&b);
}

/* Returns where a rule leads, in which $1 and :name* become :splat; NULL for other patterns. */
static const char *
vercel_target(void *mem, const char *path)
{
	const char *splat = strstr(path, "$1"), *star = strchr(path, '*'), *part = star;

	if (splat)
		return mem_printf(mem, "%.*s:splat%s", (int)(splat - path), path, splat + 2);
	while (part && part > path && part[-1] != '/')
		part--;
	return !star     ? path
	    : *part == ':' ? mem_printf(mem, "%.*s:splat%s", (int)(part - path), path, star + 1)
			   : NULL;
}

static void
vercel_rules(struct hosted *h, const struct json *all, const char *list, const char *status)
{
	const struct json *rules = json_get_as(all, list, J_ARR);

	for (size_t i = 0; i < json_len(rules); i++) {
		const struct json *one = json_at(rules, i),
				  *permanent = json_get_as(one, "permanent", J_BOOL);
		const char *from = vercel_path(h->mem, json_member(one, "source")),
			   *to = vercel_target(h->mem, json_member(one, "destination"));
		int64_t code = json_number(one, "statusCode");
		const char *said = code ? mem_printf(h->mem, "%lld", (long long)code)
		    : permanent && !json_true(permanent) ? "307"
							 : status;

		if (!from || !*from || !to || !*to || json_get(one, "has") ||
		    json_get(one, "missing"))
			left_add(h->e, "%s: %s[%zu] of %s", h->file, list, i,
			    json_member(one, "source"));
		else
			buf_fmt(&h->redirects, "%s %s %s\n", from, to, said);
	}
}

static void
vercel_headers(struct hosted *h, const struct json *all)
{
	const struct json *rules = json_get_as(all, "headers", J_ARR);

	for (size_t i = 0; i < json_len(rules); i++) {
		const struct json *one = json_at(rules, i),
				  *heads = json_get_as(one, "headers", J_ARR);
		const char *path = vercel_path(h->mem, json_member(one, "source"));

		if (!path || !*path || json_get(one, "has") || json_get(one, "missing")) {
			left_add(h->e, "%s: headers[%zu] of %s", h->file, i,
			    json_member(one, "source"));
			continue;
		}
		buf_fmt(&h->headers, "%s\n", path);
		for (size_t k = 0; k < json_len(heads); k++)
			buf_fmt(&h->headers, "  %s: %s\n", json_member(json_at(heads, k), "key"),
			    json_member(json_at(heads, k), "value"));
	}
}

static void
vercel_read(struct hosted *h, const char *text)
{
	static const char *const others[] = { "buildCommand", "builds", "crons", "functions",
		"routes", "cleanUrls", "trailingSlash", "framework", "installCommand", "images" };
	struct ctx *c = h->e->cli->c;
	struct json *all;

	if (json_parse(c, text, strlen(text), &all)) {
		left_add(h->e, "%s: %s", h->file, ctx_why(c));
		c->err = E_OK;
		return;
	}
	vercel_rules(h, all, "redirects", "308");
	vercel_rules(h, all, "rewrites", "200");
	vercel_headers(h, all);
	h->root = json_word(all, "outputDirectory");
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (json_get(all, others[i]))
			left_add(h->e, "%s: %s", h->file, others[i]);
}

/* ---- the site ---- */

/* Takes the folder that the host published for the root, if it has files. */
static void
root_choose(struct hosted *h, struct folder *o)
{
	const char *root = h->root ? h->root + strspn(h->root, "./") : "";
	const char *in = mem_printf(h->mem, "%s%s", root, str_ends(root, "/") ? "" : "/");
	size_t n = 0;

	for (size_t i = 0; *root && i < o->n; i++)
		n += str_starts(o->v[i].path, in);
	if (!n)
		return;
	n = 0;
	for (size_t i = 0; i < o->n; i++) {
		if (!str_starts(o->v[i].path, in)) {
			o->bytes -= o->v[i].size;
			continue;
		}
		o->v[n] = o->v[i];
		o->v[n++].path += strlen(in);
	}
	left_add(h->e, "%zu files outside of %s, which %s names as the site", o->n - n, root,
	    h->file);
	o->n = n;
}

/* Adds the rules before those of the site's own file, since the first that fits counts. */
static void
rules_add(struct hosted *h, struct folder *o, const char *path, struct buf *rules)
{
	char *bytes = NULL;

	if (!rules->n)
		return;
	for (size_t i = 0; i < o->n; i++) {
		if (!str_eq(o->v[i].path, path) ||
		    !folder_content(h->e->cli, o, &o->v[i], &bytes))
			continue;
		buf_str(rules, bytes);
		o->bytes -= o->v[i].size;
		o->v[i] = o->v[--o->n];
		break;
	}
	folder_make(h->e->cli, o, path, buf_done(rules), rules->n);
}

void
hosted_convert(struct elsewhere *e, struct item *item)
{
	struct folder *o = &item->files;
	void *mem = e->cli->c->mem;
	struct hosted h = { .e = e, .mem = mem, .redirects = BUF(mem), .headers = BUF(mem) };

	for (size_t i = 0; i < o->n; i++) {
		bool netlify = str_eq(o->v[i].path, "netlify.toml");
		char *text;

		if ((!netlify && !str_eq(o->v[i].path, "vercel.json")) ||
		    !folder_content(e->cli, o, &o->v[i], &text))
			continue;
		h.file = o->v[i].path;
		if (netlify)
			netlify_read(&h, text);
		else
			vercel_read(&h, text);
		o->bytes -= o->v[i].size;
		o->v[i--] = o->v[--o->n];
	}
	root_choose(&h, o);
	rules_add(&h, o, "_redirects", &h.redirects);
	rules_add(&h, o, "_headers", &h.headers);
}
