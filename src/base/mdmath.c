/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mdmath.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

#include <cmark-gfm.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A mark is a number between these, which Unicode leaves to programs (U+FDD0, U+FDD1). They mean
 * nothing to cmark, also in addresses. */
#define OPEN "\xef\xb7\x90"
#define CLOSE "\xef\xb7\x91"
/* How far the end of a formula, or of code, is looked for, so that time is linear. */
enum { INLINE_BYTES = 1000, DISPLAY_BYTES = 8000, CODE_BYTES = 8000 };

struct text {
	const char *at, *end;
	struct buf out;
	struct mdmath *m;
};

/* ---- code, which has no formulas ---- */

static size_t
run_of(const char *at, const char *end)
{
	const char *s = at;

	while (s < end && *s == *at)
		s++;
	return (size_t)(s - at);
}

static const char *
line_end(const char *s, const char *end)
{
	const char *to = memchr(s, '\n', (size_t)(end - s));

	return to ? to + 1 : end;
}

static bool
is_blank(const char *s, const char *end)
{
	while (s < end && isspace((unsigned char)*s))
		s++;
	return s == end;
}

static bool
line_is_blank(const char *s, const char *end)
{
	return is_blank(s, line_end(s, end));
}

/* Returns what a line has behind the marks of quotes and lists. */
static const char *
line_content(const char *s, const char *end)
{
	while (s < end && (strchr(" \t>", *s) || (strchr("-+*", *s) && s + 1 < end && s[1] == ' ')))
		s++;
	return s;
}

/* Returns the end of a block of code that a line begins; NULL: it begins none. */
static const char *
fence_end(const char *line, const char *end)
{
	const char *s = line_content(line, end), *at;
	size_t n = s < end && (*s == '`' || *s == '~') ? run_of(s, end) : 0;

	at = line_end(s, end);
	if (n < 3 || (*s == '`' && memchr(s + n, '`', (size_t)(at - s) - n)))
		return NULL;
	for (; at < end; at = line_end(at, end)) {
		const char *in = line_content(at, end);

		if (in < end && *in == *s && run_of(in, end) >= n &&
		    line_is_blank(in + run_of(in, end), end))
			return line_end(in, end);
	}
	return end;
}

/* Returns the end of code that begins with backticks; behind them, if it doesn't end. */
static const char *
code_end(const char *at, const char *end)
{
	size_t n = run_of(at, end), more;

	end = end - at > CODE_BYTES ? at + CODE_BYTES : end;
	for (const char *s = at + n; s < end; s += more) {
		more = *s == '`' ? run_of(s, end) : 1;
		if (*s == '`' && more == n)
			return s + n;
		if (*s == '\n' && line_is_blank(s + 1, end))
			break;
	}
	return at + n;
}

/* ---- formulas ---- */

/* Returns the dollars that end a formula; NULL if there are none. */
static const char *
formula_end(const char *tex, const char *end, bool display)
{
	const size_t most = display ? DISPLAY_BYTES : INLINE_BYTES;
	size_t run;

	if (tex == end || (!display && isspace((unsigned char)*tex)))
		return NULL;
	end = (size_t)(end - tex) > most ? tex + most : end;
	for (const char *s = tex; s < end; s += run) {
		run = *s == '\\' ? 2 : 1;
		if (!display && strchr("\n`", *s))
			return NULL;
		if (*s == '\n' && (line_is_blank(s + 1, end) || s[1] == '>'))
			return NULL;
		if (*s != '$')
			continue;
		run = run_of(s, end);
		if (display && run == 2 && !is_blank(tex, s))
			return s;
		if (!display)
			return run > 1 || isspace((unsigned char)s[-1]) ||
				(s + 1 < end && isdigit((unsigned char)s[1]))
			    ? NULL
			    : s;
	}
	return NULL;
}

/* Reads a formula that begins with a dollar, and puts a mark in its place. Copies dollars that
 * begin none. */
static void
dollar_read(struct text *t)
{
	size_t n = run_of(t->at, t->end);
	const char *tex = t->at + n, *to = n > 2 ? NULL : formula_end(tex, t->end, n == 2);

	if (!to) {
		buf_add(&t->out, t->at, n);
		t->at = tex;
		return;
	}
	if (!(t->m->n & (t->m->n + 1)))
		t->m->v = mem_grow(
		    t->m->owner, t->m->v, 2 * (t->m->n + 1) * sizeof *t->m->v);
	t->m->v[t->m->n] = (struct mdmath_one){
		mem_strndup(t->m->owner, tex, (size_t)(to - tex)), n == 2
	};
	buf_fmt(&t->out, OPEN "%zu" CLOSE, t->m->n++);
	t->at = to + n;
}

static void
copy_to(struct text *t, const char *to)
{
	buf_add(&t->out, t->at, (size_t)(to - t->at));
	t->at = to;
}

static char *
mark_find(const char *text, const char *mark)
{
	char *s = strchr(text, *mark);

	while (s && !str_starts(s, mark))
		s = strchr(s + 1, *mark);
	return s;
}

const char *
mdmath_take(void *owner, const char *text, size_t *n, struct mdmath *out)
{
	static const char replacement[] = "\xef\xbf\xbd";
	struct text t = { .out = BUF(owner), .m = out };
	char *copy = mem_strndup(owner, text, *n);

	*out = (struct mdmath){ .owner = owner };
	/* Marks in the text itself are replaced. */
	for (char *s = copy; (s = mark_find(s, OPEN));)
		memcpy(s, replacement, strlen(replacement));
	for (char *s = copy; (s = mark_find(s, CLOSE));)
		memcpy(s, replacement, strlen(replacement));
	text = t.at = copy;
	t.end = t.at + strlen(t.at);
	while (t.at < t.end) {
		bool begins = t.at == text || t.at[-1] == '\n';
		const char *fence = begins ? fence_end(t.at, t.end) : NULL;

		if (fence)
			copy_to(&t, fence);
		else if (*t.at == '`')
			copy_to(&t, code_end(t.at, t.end));
		else if (*t.at == '$')
			dollar_read(&t);
		else if (*t.at == '\\' && t.at + 1 < t.end && t.at[1] != '\n')
			copy_to(&t, t.at + 2);
		else
			copy_to(&t, t.at + 1);
	}
	*n = t.out.n;
	return buf_done(&t.out);
}

/* ---- back into the tree ---- */

/* Returns the formula of the first mark in a text, moves *at to it, and sets *end behind it; NULL:
 * there is none. */
static const struct mdmath_one *
mark_next(const struct mdmath *m, const char **at, const char **end)
{
	const char *s = mark_find(*at, OPEN);
	char *to;
	size_t no;

	if (!s)
		return NULL;
	no = strtoul(s + strlen(OPEN), &to, 10);
	if (!str_starts(to, CLOSE) || no >= m->n)
		return NULL;
	*at = s;
	*end = to + strlen(CLOSE);
	return &m->v[no];
}

static const char *
marks_replace(const struct mdmath *m, const char *text,
    void (*put)(struct buf *, const struct mdmath_one *))
{
	struct buf b = BUF(m->owner);
	const struct mdmath_one *one;
	const char *at, *end;

	for (at = text; (one = mark_next(m, &at, &end)); text = at = end) {
		buf_add(&b, text, (size_t)(at - text));
		put(&b, one);
	}
	if (!b.n)
		return text;
	buf_str(&b, text);
	return buf_done(&b);
}

static void
source_put(struct buf *b, const struct mdmath_one *one)
{
	buf_fmt(b, one->display ? "$$%s$$" : "$%s$", one->tex);
}

static void
html_put(struct buf *b, const struct mdmath_one *one)
{
	buf_fmt(b, "<code class=\"math%s\">", one->display ? " display" : "");
	buf_html(b, one->tex);
	buf_str(b, "</code>");
}

const char *
mdmath_back(const struct mdmath *m, const char *text)
{
	return marks_replace(m, text, source_put);
}

const char *
mdmath_html(const struct mdmath *m, const char *html)
{
	return marks_replace(m, html, html_put);
}

static void
part_back(const struct mdmath *m, cmark_node *node, const char *text,
    int (*set)(cmark_node *, const char *))
{
	const char *was = text ? mdmath_back(m, text) : NULL;

	if (was != text)
		set(node, was);
}

void
mdmath_settle(cmark_node *document, const struct mdmath *m)
{
	cmark_iter *iter = cmark_iter_new(document);
	cmark_event_type event;
	size_t images = 0;

	while (m->n && (event = cmark_iter_next(iter)) != CMARK_EVENT_DONE) {
		cmark_node *node = cmark_iter_get_node(iter);
		cmark_node_type type = cmark_node_get_type(node);

		if (type == CMARK_NODE_IMAGE)
			images += event == CMARK_EVENT_ENTER ? 1 : (size_t)-1;
		if (event != CMARK_EVENT_ENTER || (type == CMARK_NODE_TEXT && !images))
			continue;
		part_back(m, node, cmark_node_get_literal(node), cmark_node_set_literal);
		part_back(m, node, cmark_node_get_url(node), cmark_node_set_url);
		part_back(m, node, cmark_node_get_title(node), cmark_node_set_title);
		part_back(m, node, cmark_node_get_fence_info(node), cmark_node_set_fence_info);
	}
	cmark_iter_free(iter);
}
