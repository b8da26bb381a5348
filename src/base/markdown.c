/* SPDX-License-Identifier: Apache-2.0 */
#include "base/markdown.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

/* cmark leaves HTML and dangerous links out unless CMARK_OPT_UNSAFE is said. */
enum { OPTIONS = CMARK_OPT_VALIDATE_UTF8 | CMARK_OPT_FOOTNOTES };

static cmark_parser *
parser_new(void)
{
	static const char *const extensions[] = { "table", "strikethrough", "autolink",
		"tasklist" };
	cmark_parser *parser;

	cmark_gfm_core_extensions_ensure_registered();
	parser = cmark_parser_new(OPTIONS);
	for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
		cmark_parser_attach_syntax_extension(
		    parser, cmark_find_syntax_extension(extensions[i]));
	return parser;
}

static void
headings_lower(cmark_node *document, int below)
{
	enum { LOWEST = 6 };
	cmark_iter *iter = cmark_iter_new(document);
	cmark_event_type event;

	while ((event = cmark_iter_next(iter)) != CMARK_EVENT_DONE) {
		cmark_node *at = cmark_iter_get_node(iter);
		int level = cmark_node_get_heading_level(at);

		if (event == CMARK_EVENT_ENTER && level)
			cmark_node_set_heading_level(
			    at, level + below < LOWEST ? level + below : LOWEST);
	}
	cmark_iter_free(iter);
}

static cmark_node *
document_of(cmark_parser *parser, const char *text, size_t n)
{
	cmark_parser_feed(parser, text, n);
	return cmark_parser_finish(parser);
}

static const char *
kept(void *owner, char *rendered)
{
	const char *out = mem_strdup(owner, rendered);

	cmark_get_default_mem_allocator()->free(rendered);
	return out;
}

const char *
markdown_html(void *owner, const char *text, size_t n, int below)
{
	cmark_parser *parser = parser_new();
	cmark_node *document = document_of(parser, text, n);
	const char *out;

	headings_lower(document, below);
	out = kept(owner, cmark_render_html(document, OPTIONS,
	    cmark_parser_get_syntax_extensions(parser)));
	cmark_node_free(document);
	cmark_parser_free(parser);
	return out;
}

/* ---- links between notes ---- */

/* The next one in a text: where it begins and ends there. */
struct span_ref {
	const char *from, *to, *path, *text;
};

static const char *
trimmed(void *owner, const char *s, const char *end)
{
	while (s < end && *s == ' ')
		s++;
	while (end > s && end[-1] == ' ')
		end--;
	return mem_strndup(owner, s, (size_t)(end - s));
}

static bool
ref_next(void *owner, const char *s, struct span_ref *out)
{
	for (; (s = strstr(s, "[[")); s++) {
		const char *in = s + strlen("[["), *end = in + strcspn(in, "[]"),
			   *bar = memchr(in, '|', (size_t)(end - in));

		if (!str_starts(end, "]]"))
			continue;
		*out = (struct span_ref){ s, end + strlen("]]"),
			trimmed(owner, in, bar ? bar : end), NULL };
		out->text = bar ? trimmed(owner, bar + 1, end) : out->path;
		if (*out->path && *out->text)
			return true;
	}
	return false;
}

/* A block as text, with the references in it. */
struct block {
	void *owner;
	struct buf text;
	struct block_ref {
		const char *path, *text;
		size_t at;
		struct block_ref *next;
	} *first, **last;
	bool (*each)(void *arg, const struct markdown_ref *);
	void *arg;
	bool done;
};

static const char *
last_chars(void *owner, const char *s, size_t n)
{
	size_t chars = 0;
	const char *at = s + n;

	for (; at > s && chars < MARKDOWN_AROUND; chars++)
		do
			at--;
		while (at > s && ((unsigned char)*at & 0xc0) == 0x80);
	return mem_strndup(owner, at, (size_t)(s + n - at));
}

static void
block_end(struct block *b)
{
	for (struct block_ref *r = b->first; r && !b->done; r = r->next)
		b->done = !b->each(b->arg,
		    &(struct markdown_ref){ r->path, r->text,
			last_chars(b->owner, b->text.s, r->at),
			str_cut(b->owner, b->text.s + r->at + strlen(r->text),
			    MARKDOWN_AROUND) });
	b->first = NULL;
	b->last = &b->first;
	b->text = BUF(b->owner);
}

static void
block_text(struct block *b, const char *s)
{
	struct span_ref found;

	for (; ref_next(b->owner, s, &found); s = found.to) {
		struct block_ref *r = mem_new(b->owner, struct block_ref);

		buf_add(&b->text, s, (size_t)(found.from - s));
		*r = (struct block_ref){ found.path, found.text, b->text.n, NULL };
		buf_str(&b->text, found.text);
		*b->last = r;
		b->last = &r->next;
	}
	buf_str(&b->text, s);
}

static void
block_node(struct block *b, cmark_node *node)
{
	cmark_node_type type = cmark_node_get_type(node);

	if ((type & CMARK_NODE_TYPE_MASK) == CMARK_NODE_TYPE_BLOCK)
		block_end(b);
	else if (type == CMARK_NODE_TEXT)
		block_text(b, cmark_node_get_literal(node));
	else if (type == CMARK_NODE_CODE)
		buf_str(&b->text, cmark_node_get_literal(node));
	else if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK)
		buf_chr(&b->text, ' ');
}

void
markdown_refs(void *owner, const char *text, size_t n,
    bool (*each)(void *arg, const struct markdown_ref *), void *arg)
{
	struct block b = { .owner = owner, .text = BUF(owner), .each = each, .arg = arg };
	cmark_parser *parser = parser_new();
	cmark_node *document = document_of(parser, text, n);
	cmark_iter *iter;
	cmark_event_type event;

	b.last = &b.first;
	/* A bracket is a text of its own before. */
	cmark_consolidate_text_nodes(document);
	iter = cmark_iter_new(document);
	while (!b.done && (event = cmark_iter_next(iter)) != CMARK_EVENT_DONE)
		if (event == CMARK_EVENT_ENTER)
			block_node(&b, cmark_iter_get_node(iter));
	block_end(&b);
	cmark_iter_free(iter);
	cmark_node_free(document);
	cmark_parser_free(parser);
}

static cmark_node *
text_node(const char *text)
{
	cmark_node *node = cmark_node_new(CMARK_NODE_TEXT);

	cmark_node_set_literal(node, text);
	return node;
}

static cmark_node *
link_node(const struct markdown_to *to, const char *text)
{
	cmark_node *link = cmark_node_new(CMARK_NODE_LINK);

	cmark_node_set_url(link, to->url);
	if (to->title)
		cmark_node_set_title(link, to->title);
	cmark_node_append_child(link, text_node(text));
	return link;
}

struct linking {
	void *owner;
	const struct markdown_to *(*to)(void *arg, const char *path);
	void *arg;
};

/* The node stays, with what stands behind the last one. */
static void
text_link(const struct linking *l, cmark_node *node)
{
	const char *s = mem_strdup(l->owner, cmark_node_get_literal(node));
	const char *was = s;
	struct span_ref found;

	for (; ref_next(l->owner, s, &found); s = found.to) {
		const struct markdown_to *to = l->to(l->arg, found.path);

		cmark_node_insert_before(node,
		    text_node(mem_strndup(l->owner, s, (size_t)(found.from - s))));
		cmark_node_insert_before(node,
		    to ? link_node(to, found.text) : text_node(found.text));
	}
	if (s != was)
		cmark_node_set_literal(node, s);
}

const char *
markdown_linked(void *owner, const char *text, size_t n,
    const struct markdown_to *(*to)(void *arg, const char *path), void *arg)
{
	const struct linking l = { owner, to, arg };
	cmark_parser *parser = parser_new();
	cmark_node *document = document_of(parser, text, n);
	cmark_iter *iter;
	cmark_event_type event;
	const char *out;

	cmark_consolidate_text_nodes(document);
	iter = cmark_iter_new(document);
	while ((event = cmark_iter_next(iter)) != CMARK_EVENT_DONE)
		if (event == CMARK_EVENT_ENTER &&
		    cmark_node_get_type(cmark_iter_get_node(iter)) == CMARK_NODE_TEXT)
			text_link(&l, cmark_iter_get_node(iter));
	cmark_iter_free(iter);
	out = kept(owner, cmark_render_commonmark(document, OPTIONS, 0));
	cmark_node_free(document);
	cmark_parser_free(parser);
	return out;
}

/* A link's text takes its place. */
static void
link_end(cmark_node *link)
{
	for (cmark_node *in; (in = cmark_node_first_child(link));)
		cmark_node_insert_before(link, in);
	cmark_node_free(link);
}

/* What follows it in the document is known before it goes. */
static bool
links_lead(cmark_node *document, const char *(*to)(void *arg, const char *address), void *arg)
{
	cmark_iter *iter = cmark_iter_new(document);
	cmark_event_type event;
	bool changed = false;

	while ((event = cmark_iter_next(iter)) != CMARK_EVENT_DONE) {
		cmark_node *node = cmark_iter_get_node(iter);
		const char *where;

		if (event != CMARK_EVENT_EXIT || cmark_node_get_type(node) != CMARK_NODE_LINK)
			continue;
		where = to(arg, cmark_node_get_url(node));
		changed |= where != NULL;
		if (where && *where)
			cmark_node_set_url(node, where);
		else if (where)
			link_end(node);
	}
	cmark_iter_free(iter);
	return changed;
}

const char *
markdown_led(void *owner, const char *text, size_t n,
    const char *(*to)(void *arg, const char *address), void *arg)
{
	cmark_parser *parser = parser_new();
	cmark_node *document = document_of(parser, text, n);
	const char *out = NULL;

	if (links_lead(document, to, arg))
		out = kept(owner, cmark_render_commonmark(document, OPTIONS, 0));
	cmark_node_free(document);
	cmark_parser_free(parser);
	return out;
}

static bool
heading_text(void *owner, cmark_node *heading, struct buf *out)
{
	cmark_iter *iter = cmark_iter_new(heading);
	cmark_event_type event;

	*out = BUF(owner);
	while ((event = cmark_iter_next(iter)) != CMARK_EVENT_DONE) {
		cmark_node_type type = cmark_node_get_type(cmark_iter_get_node(iter));

		if (event == CMARK_EVENT_ENTER &&
		    (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE))
			buf_str(out, cmark_node_get_literal(cmark_iter_get_node(iter)));
	}
	cmark_iter_free(iter);
	return out->n > 0;
}

const char *
markdown_heading(void *owner, const char *text, size_t n)
{
	cmark_parser *parser = parser_new();
	cmark_node *document = document_of(parser, text, n), *at = cmark_node_first_child(document);
	struct buf out = BUF(owner);

	while (at && !(cmark_node_get_heading_level(at) && heading_text(owner, at, &out)))
		at = cmark_node_next(at);
	cmark_node_free(document);
	cmark_parser_free(parser);
	return out.n ? str_one_line(owner, buf_done(&out)) : NULL;
}
