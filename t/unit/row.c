/* SPDX-License-Identifier: Apache-2.0
 * The client's rows: what their templates print, and whether they agree with docs/openapi.json. */
#include "base/str.h"
#include "cli/help.h"
#include "cli/line.h"
#include "cli/row.h"
#include "tap.h"

#include <ctype.h>
#include <stdarg.h>

static struct ctx *c;
static struct buf said;

static void __attribute__((format(printf, 1, 2)))
say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_fmt(&said, "%s/", mem_vprintf(c->mem, fmt, ap));
	va_end(ap);
}

static const struct json *
parsed(const char *text, size_t n)
{
	struct json *j = NULL;

	return json_parse(c, text, n, &j) == E_OK ? j : NULL;
}

/* ---- templates ---- */

static int
templates_print(struct cli *cli)
{
	static const char reply[] = "{\"id\":\"x\",\"n\":1,\"zero\":0,\"on\":true,\"off\":false,\"none\":null,\"empty\":\"\",\"at\":1767323045,\"by\":{\"name\":\"Ann\"},"
				    "\"size\":1200000,\"ms\":1432,\"tags\":[\"a\",\"b\"],\"bare\":[],\"text\":\"one\\r\\n\\ntwo\\n\",\"rate\":2.5}";
	static const char *const cases[][3] = {
		{ "{id} {by.name} {n} {rate} {on}", "x Ann 1 2.5 true/", "members, and members of members" },
		{ "<{none}{off}{empty}{missing}{by.missing}>", "<>/", "what says nothing" },
		{ "{none|empty|by.name|id} {none|'nobody'} {zero|'none'}", "Ann nobody 0/", "the first that says something" },
		{ "{on?'yes'|'no'}{off?'yes'|'no'}{zero?'yes'|'no'}{none?'yes'|'no'}{at?'yes'}", "yesnononoyes/", "a test" },
		{ "{!on?'off'|id} {!off?'off'|id} {!zero?'none'}", "x off none/", "the opposite of one" },
		{ "{id=x?'it'} {id=y?'it'|'other'} {n=1?'one'} {off=false?'off'}{none=false?'off'} {!id=y?'other'}", "it other one off other/", "a comparison" },
		{ "{on?n=1?'both'}{on?n=2?'both'}{off?on?'both'|id}", "bothx/", "two tests" },
		{ "<{-4 id}><{4 id}><{2 by.name}><{-3 none}>", "<x   ><   x><Ann><   >/", "widths" },
		{ "{id}[ by {by.name}][ of {none}][ in {id} of {none}]", "x by Ann/", "what is left out with its words" },
		{ "{at:time} {size:bytes} {ms:seconds} {tags:list} {n:count file} {zero:count file}", "2026-01-02T03:04:05Z 1.2 MB 1.4 s a,b 1 file 0 files/", "formats" },
		{ "{id}[ of {bare:list}] {bare:list|'none'}", "x none/", "a list without items" },
		{ "{zero:time|'never'} {none:time|at:time}", "never 2026-01-02T03:04:05Z/", "a time that is none" },
		{ "{by:json} {tags:json}", "{\"name\":\"Ann\"} [\"a\",\"b\"]/", "JSON" },
		{ "{id}\n{text:lines}\n[{none}]\n{by.name}", "x/  one/  /  two/Ann/", "lines" },
		{ "{id} {JOB} {SLUG|--role|'viewer'} {--name}", "x rest viewer Bo/", "arguments and options" },
	};
	const struct json *about = parsed(reply, sizeof reply - 1);

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		said.n = 0;
		line_print(cli, cases[i][0], about, say);
		is_str(buf_done(&said), cases[i][1], cases[i][2]);
	}
	return EXIT_FINE;
}

static void
templates(void)
{
	static const struct cli_row rows[] = { { "show", "[SLUG] JOB", .run = templates_print }, { 0 } };
	char show[] = "show", rest[] = "rest", name[] = "--name=Bo", *argv[] = { show, rest, name };
	struct cli cli = { .c = c, .cmd = &(struct cli_cmd){ .name = "x", .args = "", .rows = rows } };

	usage_read("show [SLUG] JOB [--role R] [--name N]", "", 3, argv, &cli.with);
	is_int(row_run(&cli), EXIT_FINE, "a row is found by its words and its arguments");
}

/* ---- the rows against docs/openapi.json ---- */

static const struct json *api;

/* "/v1/jobs/{job_id}" is "/v1/jobs/{}", as the row's "/v1/jobs/{@job}" is. */
static const char *
address(const char *path)
{
	struct buf b = BUF(c->mem);

	for (; *path; path++) {
		buf_chr(&b, *path);
		if (*path == '{')
			path += strcspn(path, "}") - 1;
	}
	return buf_done(&b);
}

static int
path_matches(void *arg, const char *key, const struct json *value)
{
	const char **sought = arg;

	if (!str_eq(address(key), *sought))
		return 0;
	*sought = (const char *)value;
	return 1;
}

/* What the document says of "GET /v1/jobs/{@job}", or NULL. */
static const struct json *
operation_of(const char *does)
{
	const char *at = strchr(does, ' '), *sought = address(at + 1);
	char *method = mem_strndup(c->mem, does, (size_t)(at - does));

	for (char *p = method; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return json_each(json_find(api, "paths"), path_matches, &sought) ? json_get((const struct json *)sought, method) : NULL;
}

/* The schema of a member, in whichever of several the schema is put together from; NULL: it has none. */
static const struct json *
member_of(const struct json *schema, const char *name)
{
	static const char *const several[] = { "allOf", "anyOf" };
	const char *ref = json_member(schema, "$ref");
	const struct json *found = json_find(schema, mem_printf(c->mem, "properties.%s", name)), *all;
	size_t n;

	if (*ref)
		return member_of(json_find(api, mem_printf(c->mem, "components.schemas.%s", str_base(ref))), name);
	for (size_t i = 0; !found && i < 2; i++) {
		all = json_list(schema, several[i], &n);
		for (size_t k = 0; !found && k < n; k++)
			found = member_of(json_at(all, k), name);
	}
	return found;
}

static const struct json *
reply_of(const struct json *operation)
{
	static const char *const fine[] = { "200", "201", "202" };

	for (size_t i = 0; i < 3; i++) {
		const struct json *reply = json_get(json_get(operation, "responses"), fine[i]);
		const struct json *content = reply ? json_get(reply, "content") : NULL;

		if (content && json_get(content, "application/json"))
			return json_get(json_get(content, "application/json"), "schema");
	}
	return NULL;
}

static bool
query_has(const struct json *operation, const char *name)
{
	size_t n;
	const struct json *all = json_list(operation, "parameters", &n);

	for (size_t i = 0; i < n; i++)
		if (str_eq(json_member(json_at(all, i), "name"), name) && str_eq(json_member(json_at(all, i), "in"), "query"))
			return true;
	return false;
}

struct checking {
	const struct cli_cmd *cmd;
	const struct cli_row *row;
	const struct json *about; /* schema that members are of; NULL: there are none here */
	struct buf wrong;
};

static void
wrong(struct checking *k, const char *what, const char *name)
{
	buf_fmt(&k->wrong, " %s %s;", what, name);
}

static bool
has_option(const struct cli_cmd *cmd, const char *name)
{
	for (const struct cli_option *o = cmd->options; o && o->name; o++)
		if (str_starts(o->name, name) && strchr(" ", o->name[strlen(name)]))
			return true;
	return false;
}

static bool
has_argument(const struct cli_row *row, const char *name)
{
	const char *at = row->args ? row->args : "";
	struct usage_word w;

	while (usage_next(&at, &w))
		if (w.n == strlen(name) && memcmp(w.s, name, w.n) == 0)
			return true;
	return false;
}

static void
name_check(struct checking *k, const char *name)
{
	char *rest = mem_strdup(c->mem, name), *one;
	const struct json *at = k->about;

	name += *name == '+';
	if (*name == '@' ? str_in(name, "@artifact|@workspace") || k->cmd->find
	    : *name == '-'                     ? has_option(k->cmd, name)
	    : isupper((unsigned char)*name)    ? has_argument(k->row, name)
					       : false)
		return;
	while (islower((unsigned char)*name) && at && (one = str_split(&rest, '.')))
		at = member_of(at, one);
	if (!islower((unsigned char)*name) || !at)
		wrong(k, "there is no", name);
}

/* As line_value() reads it. */
static void
value_check(struct checking *k, const char *value)
{
	static const char formats[] = "time|bytes|seconds|json|list|lines";
	char *rest = mem_strdup(c->mem, value), *one;

	while ((one = str_split(&rest, '|'))) {
		char *format = strchr(one, ':'), *name;

		if (*one != '\'' && format) {
			*format++ = '\0';
			if (!str_in(format, formats) && !str_starts(format, "count "))
				wrong(k, "there is no format", format);
		}
		while ((name = str_split(&one, '?')))
			if (*name != '\'' && *name)
				name_check(k, mem_strndup(c->mem, name + (*name == '!'), strcspn(name + (*name == '!'), "=")));
	}
}

static void
template_check(struct checking *k, const char *template, const struct json *about)
{
	const char *at = template ? strchr(template, '{') : NULL;

	k->about = about;
	for (; at; at = strchr(at, '{')) {
		size_t n = strcspn(++at, "}");
		char *value = mem_strndup(c->mem, at, n);

		if (isdigit((unsigned char)value[*value == '-']))
			value = strchr(value, ' ') + 1;
		value_check(k, value);
	}
	k->about = NULL;
}

static void
sends_check(struct checking *k, const struct json *operation)
{
	bool query = str_starts(k->row->does, "GET") || str_starts(k->row->does, "DELETE");
	char *rest = mem_strdup(c->mem, k->row->sends ? k->row->sends : ""), *value, *name;
	const struct json *body = json_find(operation, "requestBody.content");

	body = body ? json_get(json_get(body, "application/json"), "schema") : NULL;
	while ((value = str_split(&rest, ' ')) && *value) {
		name = str_split(&value, '=');
		name[strcspn(name, ":")] = '\0';
		if (query ? !query_has(operation, name) : !member_of(body, name))
			wrong(k, query ? "the query has no" : "the body has no", name);
		value_check(k, value);
	}
}

static void
row_check(struct checking *k)
{
	const struct cli_row *row = k->row;
	const struct json *operation = operation_of(row->does), *reply, *about;

	if (!operation) {
		wrong(k, "there is no", row->does);
		return;
	}
	about = reply = reply_of(operation);
	if (row->of && !(about = member_of(reply, row->of)))
		wrong(k, "the reply has no", row->of);
	if (row->list && !(about = member_of(reply, row->list)))
		wrong(k, "the reply has no", row->list);
	if (row->list && about)
		about = json_get(about, "items");
	if (row->id.prefix && !has_argument(row, "ID"))
		wrong(k, "there is no", "ID");
	if (row->with && !has_option(k->cmd, row->with))
		wrong(k, "there is no", row->with);
	sends_check(k, operation);
	template_check(k, row->does, NULL);
	template_check(k, row->asks.question, NULL);
	template_check(k, row->line, about);
	template_check(k, row->note, reply);
	template_check(k, row->none, NULL);
}

static void
command_check(const struct cli_cmd *cmd)
{
	if (!cmd->rows == !cmd->run)
		ok(false, mem_printf(c->mem, "%s has rows or code", cmd->name));
	for (const struct cli_row *row = cmd->rows; row && (row->does || row->run); row++) {
		struct checking k = { cmd, row, NULL, BUF(c->mem) };

		if (row->run)
			continue;
		row_check(&k);
		is_str(buf_done(&k.wrong), "", mem_printf(c->mem, "vitrine %s %s: %s", cmd->name, row->word ? row->word : "", row->does));
	}
}

/* What isn't there is found. */
static void
mistakes(void)
{
	static const struct cli_row rows[] = {
		{ NULL, "[SLUG]", "GET /v1/artifacts/{@artifact}/comment", .line = "{id}" },
		{ NULL, "[SLUG]", "GET /v1/artifacts/{@artifact}/comments", "page=--path path=--page", .list = "comments", .line = "{author.nam} {ID} {id:date}" },
		{ NULL, "[SLUG]", "POST /v1/artifacts/{@slug}/comments", "texts=TEXT", .line = "{comment.ids}", .note = "{comment.author.name}" },
	};
	static const char *const found[] = { " there is no GET /v1/artifacts/{@artifact}/comment;",
		" the query has no page; there is no --page; there is no author.nam; there is no ID; there is no format date;",
		" the body has no texts; there is no TEXT; there is no @slug; there is no comment.ids;" };
	static const struct cli_option options[] = { { "--path PATH", "" }, { 0 } };

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct checking k = { &(struct cli_cmd){ .name = "x", .options = options }, &rows[i], NULL, BUF(c->mem) };

		row_check(&k);
		is_str(buf_done(&k.wrong), found[i], "a row's mistakes are found");
	}
}

int
main(void)
{
	struct buf text = { 0 };
	FILE *in = fopen("docs/openapi.json", "re");

	c = ctx_begin(NULL, NULL);
	said = text = BUF(c->mem);
	templates();
	if (!ok(in && cli_stream_read(in, 16 << 20, &text) && (api = parsed(text.s, text.n)), "docs/openapi.json is read"))
		return done();
	fclose(in);
	mistakes();
	HELP_EACH (cmd)
		command_check(cmd);
	ctx_end(c);
	return done();
}
