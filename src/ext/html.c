/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/html.h"

#include "base/mdwrite.h"
#include "base/str.h"
#include "base/unicode.h"
#include "ext/apart.h"

#include <ctype.h>
#include <gumbo.h>
#include <setjmp.h>
#include <string.h>

enum {
	PARSE_BYTES = 256 << 20, /* of memory for a parse */
	COLUMNS = 40,
	TABLE_NODES = 100000,
	META_BYTES = 1024, /* at the start of a page, in which it names its character set */
	LABEL = 40
};

/* ---- elements ---- */

enum part {
	INLINE,
	BLOCK,
	DROPPED,
	BREAK,
	RULE,
	HEAD,
	HEADING,
	CODE,
	QUOTE,
	LIST,
	ITEM,
	TABLE,
	ROW,
	CELL,
	LINK,
	PICTURE
};

static const uint8_t parts[GUMBO_TAG_LAST + 1] = {
	[GUMBO_TAG_HEAD] = HEAD,
	[GUMBO_TAG_BR] = BREAK,
	[GUMBO_TAG_HR] = RULE,
	[GUMBO_TAG_A] = LINK,
	[GUMBO_TAG_IMG] = PICTURE,
	[GUMBO_TAG_H1] = HEADING, [GUMBO_TAG_H2] = HEADING, [GUMBO_TAG_H3] = HEADING,
	[GUMBO_TAG_H4] = HEADING, [GUMBO_TAG_H5] = HEADING, [GUMBO_TAG_H6] = HEADING,
	[GUMBO_TAG_PRE] = CODE, [GUMBO_TAG_LISTING] = CODE, [GUMBO_TAG_XMP] = CODE,
	[GUMBO_TAG_PLAINTEXT] = CODE,
	[GUMBO_TAG_BLOCKQUOTE] = QUOTE,
	[GUMBO_TAG_UL] = LIST, [GUMBO_TAG_OL] = LIST, [GUMBO_TAG_MENU] = LIST,
	[GUMBO_TAG_DIR] = LIST,
	[GUMBO_TAG_LI] = ITEM,
	[GUMBO_TAG_TABLE] = TABLE,
	[GUMBO_TAG_TR] = ROW,
	[GUMBO_TAG_TD] = CELL, [GUMBO_TAG_TH] = CELL,
	[GUMBO_TAG_BODY] = BLOCK, [GUMBO_TAG_ARTICLE] = BLOCK, [GUMBO_TAG_SECTION] = BLOCK,
	[GUMBO_TAG_ASIDE] = BLOCK, [GUMBO_TAG_HGROUP] = BLOCK, [GUMBO_TAG_HEADER] = BLOCK,
	[GUMBO_TAG_FOOTER] = BLOCK, [GUMBO_TAG_ADDRESS] = BLOCK, [GUMBO_TAG_P] = BLOCK,
	[GUMBO_TAG_DL] = BLOCK, [GUMBO_TAG_DT] = BLOCK, [GUMBO_TAG_DD] = BLOCK,
	[GUMBO_TAG_FIGURE] = BLOCK, [GUMBO_TAG_FIGCAPTION] = BLOCK, [GUMBO_TAG_MAIN] = BLOCK,
	[GUMBO_TAG_DIV] = BLOCK, [GUMBO_TAG_CAPTION] = BLOCK, [GUMBO_TAG_FORM] = BLOCK,
	[GUMBO_TAG_FIELDSET] = BLOCK, [GUMBO_TAG_LEGEND] = BLOCK, [GUMBO_TAG_DETAILS] = BLOCK,
	[GUMBO_TAG_SUMMARY] = BLOCK, [GUMBO_TAG_CENTER] = BLOCK,
	[GUMBO_TAG_SCRIPT] = DROPPED, [GUMBO_TAG_STYLE] = DROPPED,
	[GUMBO_TAG_NOSCRIPT] = DROPPED, [GUMBO_TAG_TEMPLATE] = DROPPED,
	[GUMBO_TAG_NAV] = DROPPED, [GUMBO_TAG_IFRAME] = DROPPED, [GUMBO_TAG_OBJECT] = DROPPED,
	[GUMBO_TAG_APPLET] = DROPPED, [GUMBO_TAG_CANVAS] = DROPPED, [GUMBO_TAG_VIDEO] = DROPPED,
	[GUMBO_TAG_AUDIO] = DROPPED, [GUMBO_TAG_BUTTON] = DROPPED, [GUMBO_TAG_SELECT] = DROPPED,
	[GUMBO_TAG_DATALIST] = DROPPED, [GUMBO_TAG_TEXTAREA] = DROPPED,
	[GUMBO_TAG_NOFRAMES] = DROPPED, [GUMBO_TAG_NOEMBED] = DROPPED, [GUMBO_TAG_RP] = DROPPED,
	[GUMBO_TAG_PROGRESS] = DROPPED, [GUMBO_TAG_METER] = DROPPED,
};

static const char *
attribute(const GumboNode *node, const char *name)
{
	const GumboAttribute *a = gumbo_get_attribute(&node->v.element.attributes, name);

	return a ? a->value : NULL;
}

/* True if the style has a declaration such as display:none, with any spacing. */
static bool
style_has(const char *style, const char *name, const char *value)
{
	for (const char *at = style; (at = strcasestr(at, name));) {
		at += strlen(name);
		at += strspn(at, " \t\r\n");
		if (*at != ':')
			continue;
		at++;
		at += strspn(at, " \t\r\n");
		if (strncasecmp(at, value, strlen(value)) == 0)
			return true;
	}
	return false;
}

static bool
is_hidden(const GumboNode *node)
{
	const char *aria = attribute(node, "aria-hidden"), *style = attribute(node, "style");

	return attribute(node, "hidden") || (aria && strcasecmp(aria, "true") == 0) ||
	    (style &&
		(style_has(style, "display", "none") || style_has(style, "visibility", "hidden")));
}

/* Nodes that aren't HTML elements are DROPPED, except the document. */
static enum part
part_of(const GumboNode *node)
{
	if (node->type == GUMBO_NODE_DOCUMENT)
		return INLINE;
	if (node->type != GUMBO_NODE_ELEMENT ||
	    node->v.element.tag_namespace != GUMBO_NAMESPACE_HTML || is_hidden(node))
		return DROPPED;
	return parts[node->v.element.tag];
}

static bool
is_text(const GumboNode *node)
{
	return node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE ||
	    node->type == GUMBO_NODE_CDATA;
}

/* ---- a walk over nodes at any depth, without recursion ---- */

struct spot {
	const GumboNode *node;
	unsigned next; /* index of the next child */
	enum part part;
	size_t prefix_n;       /* bytes of the line prefix around it */
	size_t mark, from;     /* a link: offsets of its mark and of its words; 0 if it isn't one */
	int64_t number;        /* of a list's next item; 0: not numbered */
};
struct spots {
	void *owner;
	struct spot *v;
	size_t n, room;
};

static struct spot *
spot_push(struct spots *s, const GumboNode *node)
{
	if (s->n == s->room) {
		s->room = s->room ? s->room * 2 : 64;
		s->v = mem_grow(s->owner, s->v, s->room * sizeof *s->v);
	}
	s->v[s->n] = (struct spot){ .node = node, .part = part_of(node) };
	return &s->v[s->n++];
}

static const GumboNode *
spot_next(struct spot *s)
{
	const GumboVector *all = s->node->type == GUMBO_NODE_DOCUMENT
	    ? &s->node->v.document.children
	    : &s->node->v.element.children;

	return s->next < all->length ? all->data[s->next++] : NULL;
}

/* ---- reading ---- */

struct reading {
	struct ctx *c;
	const struct html_page *page;
	struct spots spots;
	struct md md;
	const char *title, *words;
	size_t columns, cells, rows; /* of the table and of its row; columns 0: not a data table */
	bool in_link;
	size_t taken; /* bytes allocated by the parser */
	jmp_buf full;
};

/* Returns all text beneath a node, unchanged. */
static const char *
text_beneath(struct reading *r, const GumboNode *top)
{
	struct spots spots = { .owner = r->c->mem };
	struct buf out = BUF(r->c->mem);

	spot_push(&spots, top);
	while (spots.n && out.n <= r->page->most) {
		const GumboNode *node = spot_next(&spots.v[spots.n - 1]);

		if (!node)
			spots.n--;
		else if (is_text(node))
			buf_str(&out, node->v.text.text);
		else if (part_of(node) == BREAK)
			buf_chr(&out, '\n');
		else if (part_of(node) != DROPPED)
			spot_push(&spots, node);
	}
	return buf_done(&out);
}

/* Returns the text of the whole page, but for scripts and styles. */
static const char *
words_beneath(struct reading *r, const GumboNode *top)
{
	struct buf out = BUF(r->c->mem);

	spot_push(&r->spots, top);
	while (r->spots.n && out.n <= r->page->most) {
		const GumboNode *node = spot_next(&r->spots.v[r->spots.n - 1]);
		GumboTag tag = node && node->type == GUMBO_NODE_ELEMENT ? node->v.element.tag
									: GUMBO_TAG_UNKNOWN;

		if (!node)
			r->spots.n--;
		else if (is_text(node))
			buf_str(&out, node->v.text.text);
		else if (node->type == GUMBO_NODE_ELEMENT && tag != GUMBO_TAG_SCRIPT &&
		    tag != GUMBO_TAG_STYLE && tag != GUMBO_TAG_HEAD && tag != GUMBO_TAG_NOSCRIPT)
			spot_push(&r->spots, node);
	}
	return buf_done(&out);
}

static void
title_read(struct reading *r, const GumboNode *head)
{
	const GumboVector *all = &head->v.element.children;

	for (unsigned i = 0; i < all->length && !*r->title; i++) {
		const GumboNode *node = all->data[i];

		if (node->type == GUMBO_NODE_ELEMENT && node->v.element.tag == GUMBO_TAG_TITLE)
			r->title = str_cut(r->c->mem,
			    str_one_line(r->c->mem, text_beneath(r, node)), HTML_TITLE);
	}
}

/* ---- addresses ---- */

static size_t
scheme_bytes(const char *s)
{
	size_t n = isalpha((unsigned char)*s)
	    ? strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-")
	    : 0;

	return n && s[n] == ':' ? n : 0;
}

/* Returns how many bytes of the page's address precede a relative address, and skips ./ and ../ in
 * it. */
static size_t
base_bytes(const char *page, const char **relative)
{
	const char *host = strstr(page, "//") + 2;
	size_t origin = (size_t)(host - page) + strcspn(host, "/"), n = strcspn(page, "?#");

	if (**relative == '/' || !page[origin])
		return origin;
	if (**relative == '?')
		return n;
	while (n > origin && page[n - 1] != '/')
		n--;
	for (;; *relative += 2) {
		if (str_starts(*relative, "../")) {
			for (n -= n > origin + 1; n > origin + 1 && page[n - 1] != '/';)
				n--;
			++*relative;
		} else if (!str_starts(*relative, "./")) {
			return n;
		}
	}
}

/* Returns the absolute address of a link; NULL if it leads nowhere we follow. */
static const char *
address_of(struct reading *r, const char *sent)
{
	void *mem = r->c->mem;
	const char *page = r->page->address;
	char *href = mem_strndup(mem, sent + strspn(sent, " \t\r\n\f"), HTML_LINK_BYTES + 1), *to;
	struct buf b = BUF(mem);
	size_t scheme;

	for (const char *from = to = href;; from++)
		if (!strchr("\t\r\n", *from) || !*from)
			if (!(*to++ = *from))
				break;
	sent = href;
	scheme = scheme_bytes(sent);
	if (!*sent || *sent == '#' ||
	    (scheme && !str_in(mem_strndup(mem, sent, scheme), "http|https|mailto")))
		return NULL;
	if (!scheme && str_starts(sent, "//"))
		buf_str(&b, "https:");
	else if (!scheme)
		buf_add(&b, page, base_bytes(page, &sent));
	for (const char *s = sent; *s; s++)
		if ((unsigned char)*s <= ' ' || (unsigned char)*s >= 0x7f ||
		    strchr("\"<>\\^`{|}()[]", *s))
			buf_fmt(&b, "%%%02X", (unsigned char)*s);
		else
			buf_chr(&b, *s);
	return b.n <= HTML_LINK_BYTES ? buf_done(&b) : NULL;
}

/* ---- links, code, tables ---- */

static void
link_begin(struct reading *r, struct spot *s)
{
	const char *href = attribute(s->node, "href");
	const char *address = href && !r->in_link ? address_of(r, href) : NULL;
	char begin = HTML_LINK, then = HTML_LINKED;

	if (!address)
		return;
	md_flush(&r->md);
	/* An exclamation mark before a link would make it a picture. */
	if (r->md.before == '!') {
		md_cut(&r->md, r->md.out.n - 1);
		md_raw(&r->md, "\\!", 2);
	}
	s->mark = r->md.out.n;
	md_raw(&r->md, &begin, 1);
	md_raw(&r->md, address, strlen(address));
	md_raw(&r->md, &then, 1);
	if (r->md.full) {
		md_cut(&r->md, s->mark);
		return;
	}
	s->from = r->md.out.n;
	r->in_link = true;
	r->md.flat++;
}

/* Removes a link that has no words. */
static void
link_end(struct reading *r, const struct spot *s)
{
	if (!s->from)
		return;
	r->md.flat--;
	r->in_link = false;
	if (r->md.out.n == s->from) {
		md_cut(&r->md, s->mark);
		r->md.before = ' ';
		return;
	}
	buf_chr(&r->md.out, HTML_LINK_END);
	r->md.before = ')';
}

static void
code_line(struct md *m, const char *line)
{
	size_t n;

	md_break(m, 1);
	md_raw(m, "", 0);
	for (; *line; line += n) {
		n = str_plain_run(line);
		md_raw(m, *line == '\t' ? "\t" : line, n + (*line == '\t'));
		n += !n;
	}
}

static void
code_write(struct reading *r, const GumboNode *node)
{
	const char *text = text_beneath(r, node), *fence;
	char *rest = mem_strdup(r->c->mem, text), *line;

	if (r->md.flat) {
		md_text(&r->md, text);
		return;
	}
	if (!text[strspn(text, " \t\r\n\f")])
		return;
	fence = md_fence(r->c->mem, text);
	md_break(&r->md, 2);
	md_raw(&r->md, fence, strlen(fence));
	while ((line = str_split(&rest, '\n')) && !r->md.full)
		if (*line || rest)
			code_line(&r->md, line);
	md_break(&r->md, 1);
	md_raw(&r->md, fence, strlen(fence));
	md_break(&r->md, 2);
}

/* Returns the number of columns of a data table; 0 for a table that only places its content. */
static size_t
table_columns(struct reading *r, const GumboNode *table)
{
	struct spots spots = { .owner = r->c->mem };
	size_t most = 0, nodes = 0, cells = 0;

	spot_push(&spots, table);
	while (spots.n) {
		const GumboNode *node = spot_next(&spots.v[spots.n - 1]);
		enum part part;

		if (!node) {
			spots.n--;
			continue;
		}
		if (is_text(node))
			continue;
		part = part_of(node);
		if (++nodes > TABLE_NODES || part == TABLE || part == LIST || part == HEADING ||
		    part == CODE || part == QUOTE)
			return 0;
		cells = part == ROW ? 0 : cells + (part == CELL);
		most = cells > most ? cells : most;
		if (part != DROPPED)
			spot_push(&spots, node);
	}
	return most > 1 && most <= COLUMNS ? most : 0;
}

static void
row_end(struct reading *r)
{
	r->md.space = false;
	for (; r->cells < r->columns; r->cells++)
		md_raw(&r->md, "  |", 3);
	if (r->rows++)
		return;
	md_break(&r->md, 1);
	md_raw(&r->md, "|", 1);
	for (size_t i = 0; i < r->columns; i++)
		md_raw(&r->md, "---|", 4);
}

/* ---- the walk ---- */

static void
item_begin(struct reading *r, struct spot *s)
{
	struct spot *list = r->spots.n > 1 ? s - 1 : NULL;
	char marker[MD_MARKER] = "- ";

	if (list && list->part == LIST && list->number > 0 && list->number < 1000000000)
		snprintf(marker, sizeof marker, "%lld. ", (long long)list->number++);
	md_item(&r->md, marker);
}

static void
list_begin(struct reading *r, struct spot *s)
{
	const char *start = attribute(s->node, "start");
	int64_t number = 1;

	if (s->node->v.element.tag == GUMBO_TAG_OL)
		s->number = start && str_int(start, &number) && number > 0 ? number : 1;
	/* A nested list directly follows its item's text. */
	md_break(&r->md, r->spots.n > 1 && s[-1].part == ITEM ? 1 : 2);
}

static void
row_begin(struct reading *r)
{
	md_break(&r->md, r->columns && r->rows ? 1 : 2);
	r->cells = 0;
	if (r->columns)
		md_raw(&r->md, "|", 1);
}

static void
cell_begin(struct reading *r)
{
	if (!r->columns) {
		md_break(&r->md, 2);
		return;
	}
	r->md.flat++;
	md_raw(&r->md, " ", 1);
}

static void
cell_end(struct reading *r)
{
	if (!r->columns) {
		md_break(&r->md, 2);
		return;
	}
	r->md.flat--;
	r->md.space = false;
	r->cells++;
	md_raw(&r->md, " |", 2);
}

static void
heading_begin(struct reading *r, const struct spot *s)
{
	static const char hashes[] = "###### ";

	md_break(&r->md, 2);
	if (!r->md.flat++)
		r->md.lead = hashes + (GUMBO_TAG_H6 - s->node->v.element.tag);
}

/* Returns false if the walk must not enter the element. */
static bool
enter(struct reading *r, struct spot *s)
{
	struct md *m = &r->md;
	const char *alt;

	s->prefix_n = m->prefix_n;
	switch (s->part) {
	case DROPPED: return false;
	case HEAD: title_read(r, s->node); return false;
	case BREAK: md_break(m, 1); return false;
	case CODE: code_write(r, s->node); return false;
	case RULE:
		md_break(m, 2);
		if (!m->flat)
			md_raw(m, "---", 3);
		md_break(m, 2);
		return false;
	case PICTURE:
		if ((alt = attribute(s->node, "alt")))
			md_text(m, alt);
		return false;
	case HEADING: heading_begin(r, s); break;
	case BLOCK: md_break(m, 2); break;
	case QUOTE: md_quote(m); break;
	case LIST: list_begin(r, s); break;
	case ITEM: item_begin(r, s); break;
	case TABLE:
		md_break(m, 2);
		if (!m->flat)
			r->columns = table_columns(r, s->node);
		r->rows = 0;
		break;
	case ROW: row_begin(r); break;
	case CELL: cell_begin(r); break;
	case LINK: link_begin(r, s); break;
	case INLINE: break;
	}
	return true;
}

static void
leave(struct reading *r, const struct spot *s)
{
	struct md *m = &r->md;

	switch (s->part) {
	case HEADING:
		m->lead = NULL;
		m->flat--;
		md_break(m, 2);
		break;
	case BLOCK:
	case LIST: md_break(m, r->spots.n > 1 && s[-1].part == ITEM ? 1 : 2); break;
	case ITEM:
	case QUOTE: md_end(m, s->prefix_n); break;
	case TABLE:
		if (!m->flat)
			r->columns = 0;
		md_break(m, 2);
		break;
	case ROW:
		if (r->columns)
			row_end(r);
		break;
	case CELL: cell_end(r); break;
	case LINK: link_end(r, s); break;
	default: break;
	}
}

static void
walk(struct reading *r, const GumboNode *top)
{
	struct spots *all = &r->spots;

	spot_push(all, top);
	while (all->n) {
		struct spot *s = &all->v[all->n - 1];
		const GumboNode *node = r->md.full ? NULL : spot_next(s);

		if (!node) {
			leave(r, s);
			all->n--;
		} else if (is_text(node)) {
			md_text(&r->md, node->v.text.text);
		} else if (!enter(r, spot_push(all, node))) {
			all->n--;
		}
	}
}

/* ---- the parser ---- */

/* Gumbo doesn't check for failed allocations, so we leave it by longjmp(). */
static void *
parser_take(void *arg, size_t n)
{
	struct reading *r = arg;

	r->taken += n;
	if (r->taken > PARSE_BYTES)
		longjmp(r->full, 1);
	return mem_grow(r->spots.owner, NULL, n + !n);
}

static void
parser_give(void *arg, void *p)
{
	(void)arg;
	mem_free(p);
}

/* The parser's own way to free the tree recurses as deep as the tree, so we free its memory
 * instead. */
static bool
page_walk(struct reading *r, const char *bytes, size_t n)
{
	GumboOptions options = kGumboDefaultOptions;
	const GumboNode *document;

	options.allocator = parser_take;
	options.deallocator = parser_give;
	options.userdata = r;
	options.max_errors = 0;
	if (setjmp(r->full))
		return false;
	document = gumbo_parse_with_options(&options, bytes, n)->document;
	if (r->page->words)
		r->words = words_beneath(r, document);
	else
		walk(r, document);
	return true;
}

/* ---- character sets ---- */

/* Returns the value of "charset=x", or NULL. */
static const char *
charset_in(struct ctx *c, const char *text)
{
	const char *at = strcasestr(text, "charset");
	size_t n;

	if (!at)
		return NULL;
	at += strlen("charset");
	at += strspn(at, " \t\r\n");
	if (*at++ != '=')
		return NULL;
	at += strspn(at, " \t\r\n\"'");
	n = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:");
	return n && n <= LABEL ? mem_strndup(c->mem, at, n) : NULL;
}

static const char *
charset_of(struct ctx *c, const struct html_page *page)
{
	const char *meta, *named;

	if (page->n >= 2 && (memcmp(page->bytes, "\xff\xfe", 2) == 0 ||
				memcmp(page->bytes, "\xfe\xff", 2) == 0))
		return "utf-16";
	if (page->charset && strcasecmp(page->charset, "utf-8") != 0)
		return page->charset;
	/* Browsers treat a page that claims UTF-8 wrongly, or claims nothing, as windows-1252. */
	meta = strcasestr(
	    mem_strndup(c->mem, page->bytes, page->n < META_BYTES ? page->n : META_BYTES), "<meta");
	named = meta ? charset_in(c, meta) : NULL;
	return !named || strcasecmp(named, "utf-8") == 0 || strcasecmp(named, "utf8") == 0 ||
		strcasecmp(named, "iso-8859-1") == 0
	    ? "windows-1252"
	    : named;
}

static enum err
utf8_make(struct ctx *c, const struct html_page *page, const char **bytes, size_t *n)
{
	const char *charset;

	*bytes = page->bytes;
	*n = page->n;
	if (str_utf8_valid(page->bytes, page->n))
		return E_OK;
	charset = charset_of(c, page);
	*bytes = unicode_from(c->mem, charset, page->bytes, page->n, n);
	return *bytes ? E_OK
		      : fail(c, E_INVALID, "its character set, %s, isn't known here", charset);
}

enum err
html_parse(struct ctx *c, const struct html_page *page, struct html_content *out)
{
	struct reading r = { .c = c, .page = page, .title = "" };
	const char *bytes;
	size_t n;
	bool whole;

	r.md = MD(c->mem, page->most);
	r.spots.owner = mem_new(c->mem, struct spots);
	TRY(utf8_make(c, page, &bytes, &n));
	whole = page_walk(&r, bytes, n);
	mem_free(r.spots.owner);
	if (!whole)
		return fail(c, E_INVALID, "it has too many elements");
	*out = (struct html_content){ r.title, buf_done(&r.md.out), r.md.full };
	if (page->words) {
		out->cut = strlen(r.words) > page->most;
		out->text = out->cut ? "" : r.words;
	}
	return E_OK;
}

/* ---- in a separate process ---- */

enum err
html_work(struct ctx *c, const char *in, size_t n, struct buf *out)
{
	const char *at = in, *end = in + n;
	const char *fields[4]; /* each ended by a NUL, then the page's bytes */
	struct html_page page = { 0 };
	struct html_content content;
	int64_t most;

	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		fields[i] = at;
		at = memchr(at, '\0', (size_t)(end - at));
		if (!at++)
			return fail(c, E_INVALID, "no page");
	}
	if (!str_int(fields[2], &most))
		return fail(c, E_INVALID, "no page");
	page.address = fields[0];
	page.charset = *fields[1] ? fields[1] : NULL;
	page.bytes = at;
	page.n = (size_t)(end - at);
	page.most = (size_t)most;
	page.words = *fields[3];
	TRY(html_parse(c, &page, &content));
	buf_add(out, content.title, strlen(content.title) + 1);
	buf_chr(out, content.cut ? '1' : '0');
	buf_str(out, content.text);
	return E_OK;
}

enum err
html_read(struct ctx *c, const struct html_page *page, struct html_content *out)
{
	struct buf in = BUF(c->mem);
	const char *bytes, *text;
	enum err e;
	size_t n;

	buf_add(&in, page->address, strlen(page->address) + 1);
	buf_str(&in, page->charset ? page->charset : "");
	buf_chr(&in, '\0');
	buf_fmt(&in, "%zu", page->most);
	buf_chr(&in, '\0');
	buf_str(&in, page->words ? "1" : "");
	buf_chr(&in, '\0');
	buf_add(&in, page->bytes, page->n);
	e = apart_run(c, html_work, in.s, in.n, page->most + HTML_LINK_BYTES, &bytes, &n);
	if (e)
		return e == E_LIMIT_REACHED ? fail(c, E_INVALID, "%s", ctx_why(c)) : e;
	text = bytes + strlen(bytes) + 1;
	if (text >= bytes + n || !str_utf8_valid(bytes, n))
		return fail(c, E_INVALID, "it can't be read");
	*out = (struct html_content){ bytes, text + 1, *text == '1' };
	return E_OK;
}

/* ---- links ---- */

/* Words within [[…]] can't be escaped, so backslashes are removed. */
static void
words_bare(struct buf *b, const char *words)
{
	for (; *words; words++)
		if (*words != '\\')
			buf_chr(b, *words);
		else if (!*++words)
			return;
}

const char *
html_links(
    void *owner, const char *text, const char *(*path)(void *arg, const char *address), void *arg)
{
	char *rest = mem_strdup(owner, text), *address, *words;
	struct buf b = BUF(owner);

	buf_str(&b, str_split(&rest, HTML_LINK));
	while (rest && (address = str_split(&rest, HTML_LINKED)) && rest &&
	    (words = str_split(&rest, HTML_LINK_END))) {
		const char *to = path ? path(arg, address) : NULL;

		buf_str(&b, to ? "[[" : "[");
		if (to)
			buf_fmt(&b, "%s|", to);
		(to ? words_bare : buf_str)(&b, words);
		if (to)
			buf_str(&b, "]]");
		else
			buf_fmt(&b, "](%s)", address);
		if (rest)
			buf_str(&b, str_split(&rest, HTML_LINK));
	}
	return buf_done(&b);
}

/* ---- plain text ---- */

/* Removes the backslashes before punctuation. line must have no links. */
static void
bare_add(struct buf *b, const char *line)
{
	for (; *line; line++)
		if (*line != '\\' || !ispunct((unsigned char)line[1]))
			buf_chr(b, *line);
		else
			buf_chr(b, *++line);
}

/* Appends the address after the words, unless they contain it. */
static void
line_bare(void *owner, struct buf *b, const char *line)
{
	char *rest = mem_strdup(owner, line), *address, *words;

	bare_add(b, str_split(&rest, HTML_LINK));
	while (rest && (address = str_split(&rest, HTML_LINKED)) && rest &&
	    (words = str_split(&rest, HTML_LINK_END))) {
		size_t from = b->n;
		const char *bare = address + (str_starts(address, "mailto:") ? 7 : 0);

		bare_add(b, words);
		if (!strstr(buf_done(b) + from, bare))
			buf_fmt(b, " (%s)", bare);
		if (rest)
			bare_add(b, str_split(&rest, HTML_LINK));
	}
}

const char *
html_plain(void *owner, const char *text)
{
	char *rest = mem_strdup(owner, text), *line;
	struct buf b = BUF(owner);
	size_t open = 0;

	while ((line = str_split(&rest, '\n'))) {
		/* A fence is at least three backticks, after the quotes and lists around it. */
		const char *ticks = line + strspn(line, "> -");
		size_t fence = strspn(ticks, "`");

		if (fence >= 3 && !ticks[fence] && (!open || fence == open)) {
			open = open ? 0 : fence;
			continue;
		}
		if (open)
			buf_str(&b, line);
		else
			line_bare(owner, &b, line);
		if (rest)
			buf_chr(&b, '\n');
	}
	return buf_done(&b);
}
