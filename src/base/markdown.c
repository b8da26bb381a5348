/* SPDX-License-Identifier: Apache-2.0 */
#include "base/markdown.h"

#include "base/buf.h"
#include "base/mdalert.h"
#include "base/mdbound.h"
#include "base/mdhtml.h"
#include "base/mdmath.h"
#include "base/mem.h"
#include "base/str.h"

#include <ctype.h>

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>

/* cmark leaves out HTML and dangerous links unless CMARK_OPT_UNSAFE is set. */
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

static cmark_node *
document_of(cmark_parser *parser, const char *text, size_t n)
{
	cmark_node *document;

	cmark_parser_feed(parser, text, n);
	document = cmark_parser_finish(parser);
	alerts_mark(document, text, n);
	return document;
}

static const char *
kept(void *owner, char *rendered)
{
	const char *out = mem_strdup(owner, rendered);

	cmark_get_default_mem_allocator()->free(rendered);
	return out;
}

/* ---- headings ---- */

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

/* Makes ids as GitHub does: "What's new?" becomes whats-new. */
static const char *
heading_id(void *owner, const char *text)
{
	enum { CHARS = 100 };
	struct buf b = BUF(owner);

	for (text = str_cut(owner, text, CHARS); *text; text++)
		if (*text == ' ' || *text == '-')
			buf_chr(&b, '-');
		else if (isalnum((unsigned char)*text) || *text == '_' || *text & 0x80)
			buf_chr(&b, (char)tolower((unsigned char)*text));
	return buf_done(&b);
}

enum { HEADINGS = 500 /* at most this many headings get an id */ };
struct headings {
	void *owner;
	const struct mdmath *math;
	/* at: the id with the number that makes it unique */
	const char *ids[HEADINGS], *at[HEADINGS];
	const char *texts[HEADINGS];
	int levels[HEADINGS];
	size_t n;
};

/* The second heading with an id gets -1 after it, the third -2. */
static void
heading_add(struct headings *h, cmark_node *heading)
{
	const char *id;
	struct buf text;
	size_t same = 0;

	if (h->n == HEADINGS)
		return;
	heading_text(h->owner, heading, &text);
	h->texts[h->n] = mdmath_back(h->math, buf_done(&text));
	id = heading_id(h->owner, h->texts[h->n]);
	for (size_t i = 0; i < h->n; i++)
		same += str_eq(h->ids[i], id);
	h->ids[h->n] = id;
	h->at[h->n++] = same ? mem_printf(h->owner, "%s-%zu", id, same) : id;
}

/* marked: ids and links to them get MARKDOWN_AT. */
static void
headings_lower(struct headings *h, cmark_node *document, int below, bool marked)
{
	enum { LOWEST = 6 };
	cmark_iter *iter = cmark_iter_new(document);
	cmark_event_type event;

	while ((event = cmark_iter_next(iter)) != CMARK_EVENT_DONE) {
		cmark_node *at = cmark_iter_get_node(iter);
		int level = cmark_node_get_heading_level(at);
		const char *url = cmark_node_get_url(at);

		if (event == CMARK_EVENT_ENTER && marked && url && *url == '#')
			cmark_node_set_url(
			    at, mem_printf(h->owner, "#" MARKDOWN_AT "%s", url + 1));
		if (event != CMARK_EVENT_ENTER || !level)
			continue;
		level = level + below < LOWEST ? level + below : LOWEST;
		if (h->n < HEADINGS)
			h->levels[h->n] = level;
		heading_add(h, at);
		cmark_node_set_heading_level(at, level);
	}
	cmark_iter_free(iter);
}

/* cmark writes no ids. Only headings produce an <h1>…<h6> tag here, because HTML in the text is
 * left out. */
static const char *
ids_put(const struct headings *h, const char *html, const char *before)
{
	struct buf b = BUF(h->owner);
	const char *tag;
	size_t n = 0;

	for (; n < h->n && (tag = strstr(html, "<h")); html = tag) {
		tag += strlen("<hN");
		buf_add(&b, html, (size_t)(tag - html));
		if (*tag == '>' && *h->ids[n])
			buf_fmt(&b, " id=\"%s%s\"", before, h->at[n]);
		n += *tag == '>';
	}
	buf_str(&b, html);
	return buf_done(&b);
}

static const char *
plain_html(void *owner, const char *text, size_t n)
{
	struct buf b = BUF(owner);

	buf_str(&b,
	    "<p><em>This has too much nested in each other, or too wide tables, to be laid "
	    "out; here is its text.</em></p>\n<pre>\n");
	buf_html(&b, mem_strndup(owner, text, n));
	buf_str(&b, "</pre>\n");
	return buf_done(&b);
}

static const char *
document_html(struct headings *h, cmark_parser *parser, cmark_node *document, const char *before)
{
	alerts_draw(document);
	return mdmath_html(h->math,
	    ids_put(h,
		kept(h->owner, cmark_render_html(document, OPTIONS,
				   cmark_parser_get_syntax_extensions(parser))),
		before));
}

static const char *
text_html(void *owner, const char *text, size_t n, int below, const struct mdmath *math)
{
	struct headings *h;
	cmark_parser *parser;
	cmark_node *document;
	const char *out;

	if (!markdown_is_bounded(text, n))
		return NULL;
	h = mem_new(owner, struct headings);
	parser = parser_new();
	document = document_of(parser, text, n);
	mdmath_settle(document, math);
	h->owner = owner;
	h->math = math;
	headings_lower(h, document, below, below > 0);
	out = document_html(h, parser, document, below ? MARKDOWN_AT : "");
	cmark_node_free(document);
	cmark_parser_free(parser);
	return out;
}

const char *
markdown_html(void *owner, const char *text, size_t n, int below)
{
	const char *html = text_html(owner, text, n, below, &(struct mdmath){ 0 });

	return html ? html : plain_html(owner, text, n);
}

const char *
markdown_math(void *owner, const char *text, size_t n, int below)
{
	struct mdmath math;
	size_t left = n;
	const char *rest = mdmath_take(owner, text, &left, &math),
		   *html = text_html(owner, rest, left, below, &math);

	return html ? html : plain_html(owner, text, n);
}

/* ---- links between notes ---- */

/* A reference in a text: where it begins and ends. */
struct span_ref {
	const char *from, *to, *path, *text;
	const char *heading; /* a heading of the note; NULL: the whole note */
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
	const char *start = s, *hash;

	for (; (s = strchr(s, '[')); s++) {
		const char *in = s + 1 + (s[1] == '['), *end = in + strcspn(in, "[]\n"),
			   *bar = memchr(in, '|', (size_t)(end - in));

		if (s[1] != '[' || !str_starts(end, "]]"))
			continue;
		/* An embedded note (![[…]]) becomes a link. */
		*out = (struct span_ref){ s - (s > start && s[-1] == '!'), end + strlen("]]"),
			trimmed(owner, in, bar ? bar : end), NULL, NULL };
		out->text = bar ? trimmed(owner, bar + 1, end) : out->path;
		if (!*out->path || !*out->text)
			continue;
		/* "C#" and "C# basics" are names of notes. A reference to a block (#^…) links to
		 * the note. */
		hash = strchr(out->path, '#');
		if (hash && hash[1] && hash[1] != ' ') {
			out->heading = hash[1] == '^' ? NULL : hash + 1;
			out->path = trimmed(owner, out->path, hash);
		}
		return true;
	}
	return false;
}

/* A block as plain text, with the references in it. */
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
		if (!*found.path)
			continue;
		*b->last = r;
		b->last = &r->next;
	}
	buf_str(&b->text, s);
}

void
markdown_refs(void *owner, const char *text, size_t n,
    bool (*each)(void *arg, const struct markdown_ref *), void *arg)
{
	struct block b = { .owner = owner, .text = BUF(owner), .each = each, .arg = arg };
	cmark_parser *parser;
	cmark_node *document;
	cmark_iter *iter;
	cmark_event_type event;

	if (!markdown_is_bounded(text, n))
		return;
	parser = parser_new();
	document = document_of(parser, text, n);
	b.last = &b.first;
	/* cmark makes each bracket a text node of its own. */
	cmark_consolidate_text_nodes(document);
	iter = cmark_iter_new(document);
	while (!b.done && (event = cmark_iter_next(iter)) != CMARK_EVENT_DONE) {
		cmark_node *node = cmark_iter_get_node(iter);
		cmark_node_type type = cmark_node_get_type(node);

		if (event != CMARK_EVENT_ENTER)
			continue;
		if ((type & CMARK_NODE_TYPE_MASK) == CMARK_NODE_TYPE_BLOCK)
			block_end(&b);
		else if (type == CMARK_NODE_TEXT)
			block_text(&b, cmark_node_get_literal(node));
		else if (type == CMARK_NODE_CODE)
			buf_str(&b.text, cmark_node_get_literal(node));
		else if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK)
			buf_chr(&b.text, ' ');
	}
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
link_node(void *owner, const struct markdown_to *to, const char *heading, const char *text)
{
	cmark_node *link = cmark_node_new(CMARK_NODE_LINK);

	cmark_node_set_url(link,
	    heading ? mem_printf(owner, "%s#%s%s", to->url, *to->url ? MARKDOWN_AT : "",
			      heading_id(owner, heading)) : to->url);
	if (to->title)
		cmark_node_set_title(link, to->title);
	cmark_node_append_child(link, text_node(text));
	return link;
}

const char *
markdown_unlinked(void *owner, const char *text)
{
	struct buf b = BUF(owner);
	struct span_ref found;

	for (; ref_next(owner, text, &found); text = found.to) {
		buf_add(&b, text, (size_t)(found.from - text));
		buf_str(&b, found.text);
	}
	buf_str(&b, text);
	return buf_done(&b);
}

struct linking {
	void *owner;
	const struct markdown_to *(*to)(void *arg, const char *path);
	void *arg;
};

/* The node remains and holds the text after the last reference. */
static void
text_link(const struct linking *l, cmark_node *node)
{
	const char *s = mem_strdup(l->owner, cmark_node_get_literal(node));
	const char *was = s;
	struct span_ref found;

	for (; ref_next(l->owner, s, &found); s = found.to) {
		const struct markdown_to here = { "", NULL },
					 *to = *found.path ? l->to(l->arg, found.path) : &here;

		cmark_node_insert_before(node,
		    text_node(mem_strndup(l->owner, s, (size_t)(found.from - s))));
		cmark_node_insert_before(node,
		    to ? link_node(l->owner, to, found.heading, found.text)
		       : text_node(found.text));
	}
	if (s != was)
		cmark_node_set_literal(node, s);
}

const char *
markdown_linked(void *owner, const char *text, size_t n,
    const struct markdown_to *(*to)(void *arg, const char *path), void *arg)
{
	const struct linking l = { owner, to, arg };
	cmark_parser *parser;
	cmark_node *document;
	cmark_iter *iter;
	cmark_event_type event;
	const char *out;

	if (!markdown_is_bounded(text, n))
		return mem_strndup(owner, text, n);
	parser = parser_new();
	document = document_of(parser, text, n);
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

typedef const char *lead_fn(void *arg, const char *address);

/* The iterator has moved past a link when it reports its exit, so the link may be freed. picture is
 * NULL if pictures stay. */
static bool
links_lead(cmark_node *document, lead_fn *to, lead_fn *picture, void *arg)
{
	cmark_iter *iter = cmark_iter_new(document);
	cmark_event_type event;
	bool changed = false;

	while ((event = cmark_iter_next(iter)) != CMARK_EVENT_DONE) {
		cmark_node *node = cmark_iter_get_node(iter);
		cmark_node_type type = cmark_node_get_type(node);
		lead_fn *fn = type == CMARK_NODE_LINK ? to
		    : type == CMARK_NODE_IMAGE        ? picture
						      : NULL;
		const char *where;

		if (event != CMARK_EVENT_EXIT || !fn)
			continue;
		where = fn(arg, cmark_node_get_url(node));
		changed |= where != NULL;
		if (where && *where) {
			cmark_node_set_url(node, where);
		} else if (where) {
			/* The link's text takes its place. */
			for (cmark_node *in; (in = cmark_node_first_child(node));)
				cmark_node_insert_before(node, in);
			cmark_node_free(node);
		}
	}
	cmark_iter_free(iter);
	return changed;
}

const char *
markdown_led_all(
    void *owner, const char *text, size_t n, lead_fn *to, lead_fn *picture, void *arg)
{
	cmark_parser *parser;
	cmark_node *document;
	const char *out = NULL;

	if (!markdown_is_bounded(text, n))
		return NULL;
	parser = parser_new();
	document = document_of(parser, text, n);
	if (links_lead(document, to, picture, arg))
		out = kept(owner, cmark_render_commonmark(document, OPTIONS, 0));
	cmark_node_free(document);
	cmark_parser_free(parser);
	return out;
}

const char *
markdown_led(void *owner, const char *text, size_t n, lead_fn *to, void *arg)
{
	return markdown_led_all(owner, text, n, to, NULL, arg);
}

/* ---- HTML in the text ---- */

/* cmark writes this in place of each piece of HTML, and nowhere else: text is escaped. */
static const char left_out[] = "<!-- raw HTML omitted -->";

/* The pieces of HTML in a document's order, as they are kept. */
struct pieces {
	const char *html;
	struct pieces *next;
};

static void
piece_add(void *owner, struct pieces ***end, const char *html)
{
	struct pieces *piece = mem_new(owner, struct pieces);

	piece->html = html;
	**end = piece;
	*end = &piece->next;
}

/* Adds a piece that closes what is still open in a container: at its end, or before a node. */
static void
container_leave(struct mdhtml *m, cmark_node *node, cmark_node *before, struct pieces ***end)
{
	cmark_node *beside = before ? before : cmark_node_last_child(node), *more;
	cmark_node_type kind = cmark_node_get_type(beside) & CMARK_NODE_TYPE_MASK;
	const char *html = mdhtml_leave(m);

	if (!*html)
		return;
	more = cmark_node_new(
	    kind == CMARK_NODE_TYPE_BLOCK ? CMARK_NODE_HTML_BLOCK : CMARK_NODE_HTML_INLINE);
	if (before)
		cmark_node_insert_before(before, more);
	else
		cmark_node_append_child(node, more);
	piece_add(m->owner, end, html);
}

/* An image's text has no elements, so HTML in it stays text. cmark puts footnotes in a list at the
 * document's end, so elements of the document end before them. */
static struct pieces *
html_keep(cmark_node *document, struct mdhtml *m)
{
	struct pieces *all = NULL, **end = &all;
	cmark_iter *iter = cmark_iter_new(document);
	cmark_event_type event;
	size_t images = 0;

	while ((event = cmark_iter_next(iter)) != CMARK_EVENT_DONE) {
		cmark_node *node = cmark_iter_get_node(iter);
		cmark_node_type type = cmark_node_get_type(node);
		bool enters = event == CMARK_EVENT_ENTER, holds = cmark_node_first_child(node);

		m->firsts += enters && cmark_node_get_heading_level(node) == 1;
		if (type == CMARK_NODE_IMAGE)
			images += enters ? 1 : (size_t)-1;
		if (images)
			continue;
		if (type == CMARK_NODE_FOOTNOTE_DEFINITION && enters) {
			container_leave(m, NULL, node, &end);
			mdhtml_enter(m);
		}
		if (type == CMARK_NODE_HTML_BLOCK || type == CMARK_NODE_HTML_INLINE)
			piece_add(m->owner, &end, mdhtml_kept(m, cmark_node_get_literal(node)));
		else if (holds && type != CMARK_NODE_IMAGE && enters)
			mdhtml_enter(m);
		else if (holds && type != CMARK_NODE_IMAGE)
			container_leave(m, node, NULL, &end);
	}
	cmark_iter_free(iter);
	return all;
}

/* Puts the pieces where cmark has left them out. */
static const char *
pieces_put(void *owner, const struct pieces *piece, const char *html, int below)
{
	struct buf b = BUF(owner);

	for (const char *at; piece && (at = strstr(html, left_out)); piece = piece->next) {
		buf_add(&b, html, (size_t)(at - html));
		mdhtml_put(&b, piece->html, below);
		html = at + strlen(left_out);
	}
	buf_str(&b, html);
	return buf_done(&b);
}

/* ---- a page of its own ---- */

void
markdown_text(void *owner, const char *text, size_t n,
    const char *(*to)(void *arg, const char *address), void *arg, struct markdown_text *out)
{
	struct mdhtml m = { .owner = owner, .to = to, .arg = arg, .open = BUF(owner) };
	struct pieces *pieces;
	struct headings *h;
	cmark_parser *parser;
	cmark_node *document;
	struct mdmath math;
	size_t left = n;
	const char *rest = mdmath_take(owner, text, &left, &math);

	*out = (struct markdown_text){ 0 };
	if (!markdown_is_bounded(rest, left)) {
		out->html = plain_html(owner, text, n);
		return;
	}
	h = mem_new(owner, struct headings);
	h->owner = owner;
	h->math = &math;
	parser = parser_new();
	document = document_of(parser, rest, left);
	mdmath_settle(document, &math);
	links_lead(document, to, NULL, arg);
	pieces = html_keep(document, &m);
	out->firsts = m.firsts;
	headings_lower(h, document, out->firsts > 1, false);
	out->html = pieces_put(
	    owner, pieces, document_html(h, parser, document, ""), out->firsts > 1);
	out->v = mem_array(owner, struct markdown_heading, h->n + 1);
	for (size_t i = 0; i < h->n; i++)
		if (*h->ids[i])
			out->v[out->n++] = (struct markdown_heading){ h->levels[i], h->at[i],
				str_one_line(owner, h->texts[i]) };
	cmark_node_free(document);
	cmark_parser_free(parser);
}

const char *
markdown_heading(void *owner, const char *text, size_t n)
{
	struct buf out = BUF(owner);
	cmark_parser *parser;
	cmark_node *document, *at;

	if (!markdown_is_bounded(text, n))
		return NULL;
	parser = parser_new();
	document = document_of(parser, text, n);
	at = cmark_node_first_child(document);
	while (at && !(cmark_node_get_heading_level(at) && heading_text(owner, at, &out)))
		at = cmark_node_next(at);
	cmark_node_free(document);
	cmark_parser_free(parser);
	return out.n ? str_one_line(owner, buf_done(&out)) : NULL;
}
