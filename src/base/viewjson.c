/* SPDX-License-Identifier: Apache-2.0
 * JSON as a tree that opens and closes; GeoJSON with its shapes above. */
#include "base/json.h"
#include "base/str.h"
#include "base/viewdraw.h"

#include <string.h>

enum { NODES = 20000, OPEN_DEPTH = 2 };

struct tree {
	struct buf *b;
	int depth;
};

static void node_write(struct tree *, const char *key, size_t at, const struct json *);

static void
key_write(struct buf *b, const char *key, size_t at)
{
	if (key) {
		buf_str(b, "<b>");
		buf_html(b, key);
		buf_str(b, "</b>: ");
	} else if (at) {
		buf_fmt(b, "<span class=\"soft\">%zu</span> ", at);
	}
}

static int
member_write(void *arg, const char *key, const struct json *value)
{
	node_write(arg, key, 0, value);
	return 0;
}

static void
inner_write(struct tree *t, const char *key, size_t at, const struct json *j)
{
	bool array = json_kind(j) == J_ARR;
	int64_t n = (int64_t)json_len(j);

	buf_fmt(t->b, "<details%s><summary>", t->depth < OPEN_DEPTH ? " open" : "");
	key_write(t->b, key, at);
	buf_fmt(t->b, "<span class=\"soft\">%s %s</span></summary>", array ? "[ ]" : "{ }",
	    str_count(t->b->owner, n, array ? "item" : "member"));
	t->depth++;
	for (size_t i = 0; array && i < (size_t)n; i++)
		node_write(t, NULL, i + 1, json_at(j, i));
	if (!array)
		json_each(j, member_write, t);
	t->depth--;
	buf_str(t->b, "</details>\n");
}

static void
node_write(struct tree *t, const char *key, size_t at, const struct json *j)
{
	enum json_kind kind = json_kind(j);

	if (kind == J_ARR || kind == J_OBJ) {
		inner_write(t, key, at, j);
		return;
	}
	buf_str(t->b, "<div>");
	key_write(t->b, key, at);
	buf_html(t->b, json_text(t->b->owner, j));
	buf_str(t->b, "</div>\n");
}

/* Parses the lines of NDJSON. Returns their number, or 0 if one of them isn't JSON. */
static size_t
lines_parse(struct ctx *c, const struct view_source *s, struct json **out)
{
	const char *end = s->text + s->n, *next;
	size_t n = 0, nodes = 0, at;

	for (const char *line = s->text; line < end; line = next + 1) {
		next = memchr(line, '\n', (size_t)(end - line));
		next = next ? next : end;
		if (strspn(line, " \t\r") >= (size_t)(next - line))
			continue;
		if (n == NODES || json_wrong(c, line, (size_t)(next - line), &out[n], &at))
			return 0;
		nodes += json_count(out[n++]);
		if (nodes > NODES)
			return 0;
	}
	return n;
}

bool
view_json(struct ctx *c, const struct view_source *s, struct view_drawn *out)
{
	bool lines = str_ends(s->name, "ndjson") || str_ends(s->name, "jsonl"), map;
	struct json **all;
	struct tree t = { .b = &out->html };
	struct buf shapes = BUF(c->mem);
	size_t n = 1, at;

	if (s->cut)
		return false;
	all = mem_array(c->mem, struct json *, lines ? NODES : 1);
	if (lines)
		n = lines_parse(c, s, all);
	else if (json_wrong(c, s->text, s->n, all, &at))
		return false;
	map = !lines && str_ends(s->name, "geojson") && view_shapes(&shapes, *all);
	if (!lines && json_count(*all) > NODES)
		n = 0;
	if (!n && !map)
		return false;
	view_begin_file(t.b, s, view_facts(c->mem, s), 0);
	buf_str(t.b, "<main class=\"tree\">\n");
	buf_add(t.b, shapes.s, shapes.n);
	for (size_t i = 0; i < n; i++)
		node_write(&t, NULL, lines ? i + 1 : 0, all[i]);
	buf_str(t.b, "</main>");
	view_end(t.b);
	return true;
}
