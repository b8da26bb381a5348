/* SPDX-License-Identifier: Apache-2.0 */
#include "base/frontmatter.h"

#include "base/buf.h"
#include "base/num.h"
#include "base/str.h"
#include "base/unicode.h"

#include <yaml.h>

struct reading {
	struct ctx *c;
	yaml_parser_t parser;
	int above; /* lines of the file before the YAML */
	size_t nodes;
	struct fm_limits limits;
};

/* ---- refusals ---- */

enum err
fm_fail(struct ctx *c, const struct fm *at, const char *fmt, ...)
{
	va_list ap;
	const char *why;

	va_start(ap, fmt);
	why = mem_vprintf(c->mem, fmt, ap);
	va_end(ap);
	c->details = mem_printf(c->mem, "{\"line\":%d,\"column\":%d}", at->line, at->column);
	return fail(c, E_INVALID, "Line %d: %s", at->line, why);
}

static struct fm
place_of(const struct reading *r, yaml_mark_t mark)
{
	return (struct fm){ .line = (int)mark.line + 1 + r->above,
		.column = (int)mark.column + 1 };
}

/* libyaml's messages, in words for people who write such files. at_context: the mistake is at the
 * start of the construct, not where libyaml noticed it. */
static const struct words {
	const char *context, *problem, *say;
	bool at_context;
} words[] = {
	{ "while scanning a quoted scalar", "found unexpected",
	    "the text begins with a quotation mark that never ends", true },
	{ "while parsing a quoted scalar", "found unknown escape",
	    "there's no such escape after a backslash; write \\\\ for a backslash", false },
	{ NULL, "found unknown escape",
	    "there's no such escape after a backslash; write \\\\ for a backslash", false },
	{ "while parsing a flow sequence", "",
	    "the list in brackets never ends, or lacks a comma", true },
	{ "while parsing a flow mapping", "",
	    "what is in braces never ends, or lacks a comma", true },
	{ NULL, "mapping values are not allowed",
	    "there's a colon in the text; put the text in quotes", false },
	{ NULL, "found character that cannot start",
	    "a text can't begin with this character; put it in quotes, "
	    "and indent with spaces instead of tabs", false },
	{ NULL, "found a tab", "indent with spaces instead of tabs", false },
	{ NULL, "could not find expected ':'", "there's no colon after the name", true },
	{ "while parsing a block mapping", "",
	    "this line isn't indented like those above it", false },
	{ "while parsing a block collection", "",
	    "this line isn't indented like those above it", false },
};

static bool
begins(const char *said, const char *expected)
{
	return !expected || (said && str_starts(said, expected));
}

/* libyaml's reader reports a byte offset instead of a line. */
static enum err
reader_refused(struct reading *r, const char *yaml, size_t n)
{
	struct fm at = { .line = 1 + r->above, .column = 1 };

	for (size_t i = 0; i < n && i < r->parser.problem_offset; i++) {
		at.column = yaml[i] == '\n' ? 1 : at.column + ((yaml[i] & 0xc0) != 0x80);
		at.line += yaml[i] == '\n';
	}
	return fm_fail(r->c, &at, "there's a control character here; remove it");
}

static enum err
yaml_refused(struct reading *r, const char *yaml, size_t n)
{
	const yaml_parser_t *p = &r->parser;
	struct fm at = place_of(r, p->problem_mark);

	if (p->error == YAML_MEMORY_ERROR)
		return fail_here(r->c, "libyaml has no memory");
	if (p->error == YAML_READER_ERROR)
		return reader_refused(r, yaml, n);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (!begins(p->context, words[i].context) || !begins(p->problem, words[i].problem))
			continue;
		if (words[i].at_context)
			at = place_of(r, p->context_mark);
		return fm_fail(r->c, &at, "%s", words[i].say);
	}
	return fm_fail(r->c, &at, "this isn't valid YAML: %s", p->problem ? p->problem : "");
}

/* ---- events ---- */

struct input {
	const char *s;
	size_t n;
};

static enum err
event_next(struct reading *r, const struct input *in, yaml_event_t *ev)
{
	return yaml_parser_parse(&r->parser, ev) ? E_OK : yaml_refused(r, in->s, in->n);
}

/* Refuses YAML features that we don't support, and too many values. */
static enum err
event_check(struct reading *r, const struct fm *at, const void *anchor, const void *tag)
{
	if (anchor)
		return fm_fail(r->c, at, "names with & aren't allowed; repeat what is meant");
	if (tag)
		return fm_fail(r->c, at, "types with ! aren't allowed; put the text in quotes");
	if (++r->nodes > r->limits.nodes)
		return fm_fail(r->c, at, "there are more than %zu values", r->limits.nodes);
	return E_OK;
}

static enum err
scalar_read(struct reading *r, const yaml_event_t *ev, struct fm *out)
{
	const char *s = (const char *)ev->data.scalar.value;
	size_t n = ev->data.scalar.length;
	bool plain = ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;

	TRY(event_check(r, out, ev->data.scalar.anchor, ev->data.scalar.tag));
	if (memchr(s, 0, n))
		return fm_fail(r->c, out, "there's a control character here; remove it");
	out->kind = FM_TEXT;
	out->plain = plain;
	if (!plain || !(!n || str_in(s, "~|null|Null|NULL")))
		out->text = mem_strndup(r->c->mem, s, n);
	return E_OK;
}

static struct fm *
item_add(struct reading *r, struct fm *to)
{
	if ((to->n & (to->n - 1)) == 0)
		to->v = mem_grow(r->c->mem, to->v, (to->n ? 2 * to->n : 1) * sizeof *to->v);
	to->v[to->n] = (struct fm){ 0 };
	return &to->v[to->n++];
}

static enum err
name_read(struct reading *r, const yaml_event_t *ev, struct fm *map, const char **name)
{
	struct fm at = place_of(r, ev->start_mark);

	if (ev->type == YAML_ALIAS_EVENT || ev->type != YAML_SCALAR_EVENT)
		return fm_fail(r->c, &at, "a name must be a text");
	TRY(scalar_read(r, ev, &at));
	*name = at.text;
	if (!*name)
		return fm_fail(r->c, &at, "there's no name before the colon");
	if (fm_get(map, *name))
		return fm_fail(r->c, &at, "%s is there twice; remove one", *name);
	if (map->n == FM_MEMBERS)
		return fm_fail(r->c, &at, "there are more than %d names", FM_MEMBERS);
	return E_OK;
}

static enum err
node_read(struct reading *r, const struct input *in, const yaml_event_t *ev, int depth,
    struct fm *out)
{
	const char *name = NULL;
	yaml_event_type_t end;
	yaml_event_t next;
	bool done = false;
	enum err e = E_OK;

	*out = place_of(r, ev->start_mark);
	if (ev->type == YAML_SCALAR_EVENT)
		return scalar_read(r, ev, out);
	if (ev->type == YAML_ALIAS_EVENT)
		return fm_fail(r->c, out, "names with * aren't allowed; repeat what is meant");
	if (depth == FM_DEPTH)
		return fm_fail(r->c, out, "lists and fields are nested more than %d deep",
		    FM_DEPTH);
	out->kind = ev->type == YAML_MAPPING_START_EVENT ? FM_MAP : FM_LIST;
	if (out->kind == FM_MAP)
		TRY(event_check(
		    r, out, ev->data.mapping_start.anchor, ev->data.mapping_start.tag));
	else
		TRY(event_check(
		    r, out, ev->data.sequence_start.anchor, ev->data.sequence_start.tag));
	end = out->kind == FM_MAP ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
	while (!e && !done) {
		TRY(event_next(r, in, &next));
		done = next.type == end;
		if (!done && out->kind == FM_MAP && !name) {
			e = name_read(r, &next, out, &name);
		} else if (!done) {
			struct fm *item = item_add(r, out);

			e = node_read(r, in, &next, depth + 1, item);
			item->name = name;
			name = NULL;
		}
		yaml_event_delete(&next);
	}
	return e;
}

/* ---- the whole ---- */

static enum err
document_begin(struct reading *r, const yaml_event_t *ev, bool again)
{
	struct fm at = place_of(r, ev->start_mark);

	if (again)
		return fm_fail(r->c, &at, "a second document begins here; there can be only one");
	if (ev->data.document_start.version_directive ||
	    ev->data.document_start.tag_directives.start !=
		ev->data.document_start.tag_directives.end)
		return fm_fail(r->c, &at, "directives with %% aren't allowed");
	return E_OK;
}

static enum err
top_read(struct reading *r, const struct input *in, const yaml_event_t *ev, struct fm *top)
{
	TRY(node_read(r, in, ev, 0, top));
	if (top->kind == FM_TEXT && !top->text)
		top->kind = FM_MAP;
	return top->kind == FM_MAP
	    ? E_OK
	    : fm_fail(r->c, top, "there must be fields here, such as title: Orders");
}

static enum err
stream_read(struct reading *r, const struct input *in, struct fm *top)
{
	bool done = false, begun = false;
	yaml_event_t ev;
	enum err e = E_OK;

	while (!e && !done) {
		TRY(event_next(r, in, &ev));
		done = ev.type == YAML_STREAM_END_EVENT;
		if (ev.type == YAML_DOCUMENT_START_EVENT) {
			e = document_begin(r, &ev, begun);
			begun = true;
		} else if (ev.type != YAML_STREAM_START_EVENT && !done &&
		    ev.type != YAML_DOCUMENT_END_EVENT) {
			e = top_read(r, in, &ev, top);
		}
		yaml_event_delete(&ev);
	}
	return e;
}

static enum err
yaml_read(struct ctx *c, const struct input *in, int above, struct fm_limits limits,
    const struct fm **out)
{
	struct reading r = { .c = c, .above = above, .limits = limits };
	struct fm *top = mem_new(c->mem, struct fm);
	enum err e;

	*top = (struct fm){ .kind = FM_MAP, .line = 1 + above, .column = 1 };
	if (in->n > limits.bytes)
		return fm_fail(c, top, "the %s is longer than %s", limits.what,
		    str_amount_1024(c->mem, (int64_t)limits.bytes));
	if (!yaml_parser_initialize(&r.parser))
		return fail_here(c, "libyaml has no memory");
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)in->s, in->n);
	e = stream_read(&r, in, top);
	yaml_parser_delete(&r.parser);
	*out = top;
	return e;
}

/* Returns the line after the fence at s; NULL if the line at s isn't a fence. */
static const char *
fence_end(const char *s)
{
	size_t n = strncmp(s, "---", 3) == 0 ? 3 : 0;

	if (!n)
		return NULL;
	n += strspn(s + n, " \t\r");
	return s[n] == '\n' ? s + n + 1 : s[n] ? NULL : s + n;
}

enum err
frontmatter_read(struct ctx *c, const char *text, bool yaml, struct frontmatter *out)
{
	const struct fm_limits of_front = { "front matter", FM_BYTES, FM_NODES };
	const struct fm start = { .line = 1, .column = 1 };
	size_t n = strlen(text);
	const char *s = unicode_text(c->mem, text, &n), *from, *end;

	*out = (struct frontmatter){ .body = s };
	if (yaml) {
		out->body = "";
		return yaml_read(c, &(struct input){ s, strlen(s) }, 0, of_front, &out->top);
	}
	from = fence_end(s);
	if (!from)
		return E_OK;
	for (end = from; *end && !fence_end(end); end = strchr(end, '\n') + 1)
		if (!strchr(end, '\n'))
			return fm_fail(c, &start,
			    "the front matter never ends; put --- on a line of its own behind it");
	if (!*end)
		return fm_fail(c, &start,
		    "the front matter never ends; put --- on a line of its own behind it");
	out->body = fence_end(end);
	return yaml_read(
	    c, &(struct input){ from, (size_t)(end - from) }, 1, of_front, &out->top);
}

enum err
yaml_file_read(
    struct ctx *c, const char *text, struct fm_limits limits, const struct fm **top)
{
	size_t n = strlen(text);
	const char *s = unicode_text(c->mem, text, &n);

	return yaml_read(c, &(struct input){ s, strlen(s) }, 0, limits, top);
}

void
fm_json(struct buf *b, const struct fm *v)
{
	size_t n = v->text ? strlen(v->text) : 0;

	if (v->kind == FM_TEXT) {
		if (!v->text)
			buf_str(b, "null");
		else if (v->plain &&
		    (str_in(v->text, "true|false") || (n && num_span(v->text, n) == n)))
			buf_str(b, v->text);
		else
			buf_json(b, v->text);
		return;
	}
	buf_chr(b, v->kind == FM_MAP ? '{' : '[');
	for (size_t i = 0; i < v->n; i++) {
		if (v->kind == FM_MAP)
			json_key(b, v->v[i].name);
		else if (i)
			buf_chr(b, ',');
		fm_json(b, &v->v[i]);
	}
	buf_chr(b, v->kind == FM_MAP ? '}' : ']');
}

const struct fm *
fm_get(const struct fm *map, const char *name)
{
	for (size_t i = 0; map && i < map->n; i++)
		if (str_eq(map->v[i].name, name))
			return &map->v[i];
	return NULL;
}
