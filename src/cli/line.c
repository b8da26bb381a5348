/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/line.h"

#include "base/str.h"
#include "cli/row.h"

#include <ctype.h>

#define LAST_SECOND 253402300799 /* 9999-12-31T23:59:59Z */

/* ---- a value ---- */

/* A part of "!enabled?'paused'|state": a test, or a name or text that is printed. */
struct term {
	const char *name, *is, *format; /* is and format may be NULL */
	bool not, quoted, test;
};

static const char *
part(struct cli *cli, const char **at, const char *until)
{
	size_t n = strcspn(*at, until);
	const char *s = mem_strndup(cli->c->mem, *at, n);

	*at += n;
	return s;
}

static bool
term_next(struct cli *cli, const char **at, struct term *t)
{
	const char *s = *at + (**at == '|');

	*t = (struct term){ .not = *s == '!' };
	s += t->not;
	t->quoted = *s == '\'';
	s += t->quoted;
	t->name = part(cli, &s, t->quoted ? "'" : "=?:|");
	s += t->quoted && *s;
	if (*s == '=' && s++)
		t->is = part(cli, &s, "?");
	if (*s == ':' && s++)
		t->format = part(cli, &s, "|");
	t->test = *s == '?';
	*at = s + t->test;
	return *t->name || t->quoted || t->format;
}

static const char *
number_text(struct cli *cli, int64_t n, const char *format)
{
	if (str_eq(format, "time"))
		return n <= 0 || n > LAST_SECOND ? NULL : str_rfc3339(cli->c->mem, n);
	if (str_eq(format, "seconds"))
		return mem_printf(cli->c->mem, "%lld.%lld s", (long long)(n / 1000),
		    (long long)(n % 1000 / 100));
	return str_eq(format, "bytes") ? str_amount(cli->c->mem, n)
				       : str_count(cli->c->mem, n, strchr(format, ' ') + 1);
}

static const char *
term_text(struct cli *cli, const struct json *about, const struct term *t)
{
	const struct json *j;
	enum json_kind kind;
	struct buf b = BUF(cli->c->mem);

	if (t->quoted)
		return t->name;
	if (*t->name == '@')
		return row_found(cli, t->name + 1);
	if (*t->name == '-')
		return cli_option(cli, t->name);
	if (isupper((unsigned char)*t->name))
		return row_given(cli, t->name);
	j = json_find(about, t->name);
	kind = j ? json_kind(j) : J_NULL;
	if (kind == J_NULL || (kind == J_BOOL && !json_true(j) && !str_eq(t->format, "json")))
		return NULL;
	if (str_eq(t->format, "list")) {
		for (size_t i = 0; kind == J_ARR && i < json_len(j); i++)
			buf_fmt(&b, "%s%s", i ? "," : "", json_member(json_at(j, i), ""));
		return b.n ? buf_done(&b) : NULL;
	}
	if (t->format && !str_in(t->format, "json|lines"))
		return number_text(cli, kind == J_INT ? json_int(j) : 0, t->format);
	if (kind == J_STR)
		return *json_str(j) ? json_str(j) : NULL;
	return json_text(cli->c->mem, j);
}

static bool
term_holds(struct cli *cli, const struct json *about, struct term *t)
{
	const char *text;

	if (t->is)
		t->format = "json";
	text = term_text(cli, about, t);
	if (t->is)
		return (text && str_eq(text, t->is)) != t->not;
	return (text && (*t->name == '-' || !str_eq(text, "0"))) != t->not;
}

const char *
line_value(struct cli *cli, const struct json *about, const char *value)
{
	bool holds = true;
	const char *text;
	struct term t;

	while (term_next(cli, &value, &t)) {
		if (t.test) {
			holds = holds && term_holds(cli, about, &t);
			continue;
		}
		if (holds && (text = term_text(cli, about, &t)))
			return text;
		holds = true;
	}
	return NULL;
}

/* ---- a template ---- */

struct line {
	struct cli *cli;
	const struct json *about;
	void (*out)(const char *fmt, ...);
	struct buf b;
	bool lacks; /* a name in it has no value */
};

static void
line_end(struct line *l)
{
	if (l->b.n)
		l->out("%s", l->b.s);
	l->b.n = 0;
}

static void
value_add(struct line *l, const char *value)
{
	char *name = (char *)(uintptr_t)value;
	long width = isdigit((unsigned char)value[*value == '-']) ? strtol(value, &name, 10) : 0;
	const char *text = line_value(l->cli, l->about, name + (width != 0));
	char *rest = mem_strdup(l->cli->c->mem, text ? text : ""), *one;

	l->lacks |= !text;
	if (!str_ends(value, ":lines")) {
		buf_fmt(&l->b, "%*s", (int)width, rest);
		return;
	}
	while (rest && *rest && (one = str_split(&rest, '\n'))) {
		buf_fmt(&l->b, "  %.*s", (int)strcspn(one, "\r"), one);
		line_end(l);
	}
}

static void
template_add(struct line *l, const char *s)
{
	while (*s) {
		char what = *s++;

		if (what == '{') {
			value_add(l, part(l->cli, &s, "}"));
			s++;
		} else if (what == '[') {
			struct line inner = *l;

			inner.b = BUF(l->cli->c->mem);
			inner.lacks = false;
			template_add(&inner, part(l->cli, &s, "]"));
			s++;
			buf_str(&l->b, inner.lacks ? "" : buf_done(&inner.b));
		} else if (what == '\n') {
			line_end(l);
		} else {
			buf_chr(&l->b, what);
		}
	}
}

void
line_print(struct cli *cli, const char *template, const struct json *about,
    void (*out)(const char *fmt, ...))
{
	struct line l = { cli, about, out, BUF(cli->c->mem), false };

	template_add(&l, template);
	line_end(&l);
}

int
line_result(struct cli *cli, const char *template, const struct json *reply)
{
	if (cli->json)
		cli_print(cli, reply);
	else
		line_print(cli, template, reply, cli_line);
	return EXIT_FINE;
}

size_t
line_each(struct cli *cli, const char *template, const struct json *about, const char *list,
    void (*out)(const char *fmt, ...))
{
	size_t n;
	const struct json *rows = json_list(about, list, &n);

	for (size_t i = 0; i < n; i++)
		line_print(cli, template, json_at(rows, i), out);
	return n;
}

int
line_list(struct cli *cli, const char *template, const struct json *reply, const char *list)
{
	if (cli->json)
		cli_print(cli, reply);
	else
		line_each(cli, template, reply, list, cli_line);
	return EXIT_FINE;
}

const char *
line_text(struct cli *cli, const char *template, const struct json *about)
{
	struct line l = { .cli = cli, .about = about, .b = BUF(cli->c->mem) };

	template_add(&l, template);
	return buf_done(&l.b);
}
