/* SPDX-License-Identifier: Apache-2.0
 * JSON as a tree that opens and closes; above it GeoJSON's shapes, or a list of records as a
 * table. */
#include "base/json.h"
#include "base/shape.h"
#include "base/str.h"
#include "base/viewdraw.h"

#include <string.h>

enum {
	NODES = 20000,
	OPEN_DEPTH = 2,
	RECORD_COLUMNS = 60,
	CELL_BYTES = 300,
	SHORT_CHARS = 20 /* a longer value may take several lines */
};

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

/* ---- records ---- */

struct records {
	void *owner;
	const struct json *const *v;
	size_t n, members;
	struct strs columns; /* names of members, in the order in which they come */
	bool *numbers;       /* of each column: it has nothing else */
};

static int
column_add(void *arg, const char *key, const struct json *value)
{
	struct records *r = arg;
	size_t at = 0;

	while (at < r->columns.n && !str_eq(r->columns.v[at], key))
		at++;
	if (at == RECORD_COLUMNS)
		return 1;
	if (at == r->columns.n) {
		strs_add(r->owner, &r->columns, mem_strdup(r->owner, key));
		r->numbers[at] = true;
	}
	if (json_kind(value) != J_NULL && json_kind(value) != J_INT && json_kind(value) != J_NUM)
		r->numbers[at] = false;
	r->members++;
	return 0;
}

/* Returns false if the values aren't records: at least two objects with much the same members. */
static bool
records_find(struct records *r)
{
	r->numbers = mem_array(r->owner, bool, RECORD_COLUMNS);
	for (size_t i = 0; i < r->n; i++)
		if (json_kind(r->v[i]) != J_OBJ || json_each(r->v[i], column_add, r))
			return false;
	return r->n > 1 && r->columns.n && r->n * r->columns.n <= 2 * r->members;
}

static void
value_write(struct buf *b, const struct json *value, bool number)
{
	void *mine = mem_zalloc(b->owner, 0);
	const char *text = !value || json_kind(value) == J_NULL ? ""
	    : json_kind(value) == J_STR                         ? json_str(value)
								: json_text(mine, value);

	buf_str(b, number                                ? "<td class=\"num\">"
		: str_chars(text) > SHORT_CHARS ? "<td class=\"text\">"
						: "<td>");
	buf_html(b, str_cut(mine, text, CELL_BYTES));
	buf_str(b, "</td>");
	mem_free(mine);
}

static void
records_write(struct buf *b, const struct records *r)
{
	buf_str(b, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Rows\">"
		   "<table class=\"data\"><thead><tr>"
		   "<th scope=\"col\" class=\"num soft\">Row</th>");
	for (size_t k = 0; k < r->columns.n; k++) {
		buf_fmt(b, "<th scope=\"col\"%s>", r->numbers[k] ? " class=\"num\"" : "");
		buf_html(b, str_cut(r->owner, r->columns.v[k], CELL_BYTES));
		buf_str(b, "</th>");
	}
	buf_str(b, "</tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < r->n; i++) {
		buf_fmt(b, "<tr><td class=\"num soft\">%zu</td>", i + 1);
		for (size_t k = 0; k < r->columns.n; k++)
			value_write(b, json_get(r->v[i], r->columns.v[k]), r->numbers[k]);
		buf_str(b, "</tr>\n");
	}
	buf_str(b, "</tbody></table></div>\n");
}

/* ---- a file ---- */

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

/* Returns all values, one for a whole file. NULL: the file isn't JSON, or has too many values. */
static struct json **
values_read(struct ctx *c, const struct view_source *s, bool lines, size_t *n)
{
	struct json **all = mem_array(c->mem, struct json *, lines ? NODES : 1);
	size_t at;

	*n = 1;
	if (lines)
		*n = lines_parse(c, s, all);
	else if (json_wrong(c, s->text, s->n, all, &at))
		return NULL;
	if (!lines && json_count(*all) > NODES)
		*n = 0;
	return all;
}

static void
tree_write(struct buf *b, struct json **all, size_t n, bool lines)
{
	struct tree t = { .b = b };

	for (size_t i = 0; i < n; i++)
		node_write(&t, NULL, lines ? i + 1 : 0, all[i]);
}

bool
view_json(struct ctx *c, const struct view_source *s, struct view_drawn *out)
{
	bool lines = str_ends(s->name, "ndjson") || str_ends(s->name, "jsonl"), map, table;
	struct records r = { .owner = c->mem };
	struct buf shapes = BUF(c->mem), *b = &out->html;
	const char *facts = view_facts(c->mem, s);
	struct json **all;
	size_t n;

	if (s->cut || !(all = values_read(c, s, lines, &n)))
		return false;
	map = !lines && str_ends(s->name, "geojson") && view_shapes(&shapes, *all);
	if (!n && !map)
		return false;
	r.v = (const struct json *const *)all;
	r.n = n;
	if (n && !lines && json_kind(*all) == J_ARR) {
		const struct json **item = mem_array(c->mem, const struct json *, NODES);

		for (r.n = 0; r.n < json_len(*all); r.n++)
			item[r.n] = json_at(*all, r.n);
		r.v = item;
	}
	table = !map && records_find(&r);
	if (table)
		facts = mem_printf(c->mem, "%s, %s, %s", facts,
		    str_count(c->mem, (int64_t)r.n, "row"),
		    str_count(c->mem, (int64_t)r.columns.n, "column"));
	view_begin_file(b, s, facts, 0);
	buf_str(b, table ? "<main>\n" : "<main class=\"tree\">\n");
	buf_add(b, shapes.s, shapes.n);
	if (table) {
		records_write(b, &r);
		buf_str(b, "<div class=\"tree\"><details><summary>As a tree</summary>\n");
	}
	tree_write(b, all, n, lines);
	buf_str(b, table ? "</details></div></main>" : "</main>");
	view_end(b);
	return true;
}
