/* SPDX-License-Identifier: Apache-2.0
 * Views of files: whatever a file has, its page ends, is bounded, and has no script; of a text's HTML it has a
 * few elements alone, and they are balanced. */
#include "base/str.h"
#include "base/viewdraw.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
expect(bool holds)
{
	if (!holds)
		abort();
}

/* Reads attributes up to the tag's end, which it returns. */
static const char *
attributes_check(void *mem, const char *s)
{
	static const char all[] = "align|alt|aria-label|checked|class|disabled|height|href|id|src|start|tabindex|title|type|width";

	for (s += strspn(s, " /"); *s != '>'; s += strspn(s, " /")) {
		size_t n = strcspn(s, "= />");
		const char *name = mem_strndup(mem, s, n), *value = "";

		expect(n && (str_in(name, all) || str_starts(name, "data-footnote")));
		s += n;
		if (*s == '=') {
			expect(s[1] == '"');
			value = s + 2;
			s = value + strcspn(value, "\"");
			expect(*s++ == '"');
		}
		value += strspn(value, " ");
		if (str_in(name, "href|src"))
			expect(strncasecmp(value, "javascript:", 11) && strncasecmp(value, "vbscript:", 9) && strncasecmp(value, "data:text", 9));
	}
	return s;
}

/* What Markdown is drawn as: known tags, each ended in its order. */
static void
markdown_check(const char *html)
{
	static const char alone[] = "br|hr|img|input", all[] = "a|abbr|article|b|blockquote|caption|code|del|details|div|em|h1|h2|h3|h4|h5|h6|i|"
		"ins|kbd|li|main|mark|ol|p|pre|section|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|ul";
	void *mem = mem_root("tags");
	const char **open = mem_array(mem, const char *, strlen(html) + 1);
	size_t depth = 0;

	for (const char *at = html; (at = strchr(at, '<'));) {
		bool ends = at[1] == '/';
		const char *name = mem_strndup(mem, at + 1 + ends, strcspn(at + 1 + ends, " />"));

		at = attributes_check(mem, at + 1 + ends + strlen(name));
		if (str_in(name, alone))
			continue;
		expect(str_in(name, all) && (!ends || (depth && str_eq(open[--depth], name))));
		if (!ends)
			open[depth++] = name;
	}
	expect(!depth);
	mem_free(mem);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const names[] = { "a.md", "a.csv", "a.json", "a.ndjson", "a.ipynb", "a.c" };
	struct ctx *c = ctx_begin(NULL, NULL);
	struct view_source s = { 0 };
	struct view_drawn drawn;
	struct buf order = BUF(c->mem), answer = BUF(c->mem);
	bool within;

	if (n && str_is_text((const char *)data + 1, n - 1)) {
		s.name = names[data[0] % (sizeof names / sizeof *names)];
		s.kind = view_kind_of(s.name);
		s.text = mem_strndup(c->mem, (const char *)data + 1, n - 1);
		s.n = n - 1;
		s.cut = data[0] & 0x80;
		s.size = (int64_t)s.n + s.cut;
		within = data[0] & 0x40 && (s.kind == VIEW_MARKDOWN || s.kind == VIEW_NOTEBOOK);
		view_order(&order, &s, within);
		if (!view_parses(s.kind))
			view_draw(c, &s, &drawn);
		else if (view_work(c, buf_done(&order), order.n, &answer) && within && s.kind == VIEW_NOTEBOOK)
			drawn = (struct view_drawn){ .html = BUF(c->mem) };
		else if (c->err || !view_answer(c->mem, buf_done(&answer), answer.n, &drawn))
			abort();
		if (strstr(buf_done(&drawn.html), "<script>") || strstr(buf_done(&drawn.html), "href=\"javascript:"))
			abort();
		if (s.kind == VIEW_MARKDOWN) {
			const char *from = strstr(drawn.html.s, "<article>"), *end = strstr(drawn.html.s, "</main>");

			markdown_check(from && end ? mem_strndup(c->mem, from, (size_t)(end - from)) : drawn.html.s);
		}
		if (drawn.html.n > 200 * n + (64 << 10))
			abort();
	}
	ctx_end(c);
	return 0;
}
