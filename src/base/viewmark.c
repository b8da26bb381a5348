/* SPDX-License-Identifier: Apache-2.0
 * Draws the view of a Markdown file. */
#include "base/frontmatter.h"
#include "base/markdown.h"
#include "base/str.h"
#include "base/viewdraw.h"

#include <ctype.h>
#include <string.h>

/* A Markdown text whose front matter has been read. Invalid front matter counts as text. */
struct doc {
	/* title, lang: NULL if the front matter doesn't name them */
	const char *body, *title, *lang, *wrong;
	bool bare; /* without contents */
	struct markdown_text text;
};

static const char *
field(const struct frontmatter *f, const char *name)
{
	const struct fm *at = fm_get(f->top, name);

	return at && at->kind == FM_TEXT && at->text && *at->text ? at->text : NULL;
}

/* A relative link to a file whose view reads better leads to the view. */
static const char *
link_to(void *owner, const char *address)
{
	size_t n = strcspn(address, "?#");
	char *path = mem_strndup(owner, address, n);

	if (!n || path[strcspn(path, ":")] || str_starts(path, "//") ||
	    !str_unescape(path, false) || !view_kind_is_read(view_kind_of(path)))
		return NULL;
	return mem_printf(owner, "%.*s.html%s", (int)n, address, address + n);
}

/* A text that is cut ends with a paragraph. */
static const char *
text_of(void *owner, const struct view_source *s)
{
	size_t n = s->n;

	if (s->cut)
		while (n && !(s->text[n - 1] == '\n' && n > 1 && s->text[n - 2] == '\n'))
			n--;
	return n ? mem_strndup(owner, s->text, n) : s->text;
}

static void
doc_read(struct ctx *c, const struct view_source *s, struct doc *out)
{
	const char *text = text_of(c->mem, s);
	struct frontmatter f = { 0 };

	*out = (struct doc){ .body = text };
	if (frontmatter_read(c, text, false, &f)) {
		out->wrong = mem_printf(
		    c->mem, "its front matter is shown as text: %s", c->message);
		ctx_forgive(c);
	} else if (f.top) {
		out->body = f.body;
		out->title = field(&f, "title");
		out->lang = field(&f, "lang");
		out->bare = str_eq(field(&f, "toc"), "false");
	}
	if (out->title)
		out->title = str_one_line(c->mem, out->title);
	if (out->lang && out->lang[strspn(out->lang, "abcdefghijklmnopqrstuvwxyz"
						     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")])
		out->lang = NULL;
	markdown_text(c->mem, out->body, strlen(out->body), link_to, c->mem, &out->text);
	for (size_t i = 0; !out->title && i < out->text.n; i++)
		if (out->text.v[i].level == 1 && *out->text.v[i].text)
			out->title = out->text.v[i].text;
}

/* Labels each task's check box with the text of the task, up to the next line or list item's end.
 */
static size_t
task_label(struct buf *b, const char *at)
{
	static const char box[] = "<input type=\"checkbox\"";
	const char *p = strchr(at, '>') + 1;

	buf_fmt(b, "%s aria-label=\"", box);
	for (p += *p == ' '; *p && *p != '\n' && !str_starts(p, "</li"); p++) {
		if (*p == '<')
			p += strcspn(p, ">");
		else
			buf_chr(b, *p);
		if (!*p)
			break;
	}
	buf_chr(b, '"');
	return strlen(box);
}

/* Lets wide tables and code scroll, by the keyboard, too. The renderer alone writes tags, so the
 * tags are its own. */
void
view_html_put(struct buf *b, const char *html)
{
	for (const char *at; (at = strchr(html, '<')); html = at) {
		buf_add(b, html, (size_t)(at - html));
		if (str_starts(at, "<table>")) {
			buf_str(b, "<div class=\"scroll\" tabindex=\"0\"><table>");
			at += strlen("<table>");
		} else if (str_starts(at, "</table>")) {
			buf_str(b, "</table></div>");
			at += strlen("</table>");
		} else if (str_starts(at, "<pre>")) {
			buf_str(b, "<pre tabindex=\"0\">");
			at += strlen("<pre>");
		} else if (str_starts(at, "<input type=\"checkbox\"")) {
			at += task_label(b, at);
		} else {
			buf_chr(b, *at++);
		}
	}
	buf_str(b, html);
}

static void
contents_write(struct buf *b, const struct markdown_text *t)
{
	enum { DEEPEST = 3 };

	buf_str(b, "<nav class=\"side\" aria-label=\"Contents\">");
	for (size_t i = 0; i < t->n; i++) {
		const struct markdown_heading *h = &t->v[i];

		if (h->level < 2 || h->level > DEEPEST)
			continue;
		buf_fmt(b, "<a%s href=\"#", h->level == DEEPEST ? " class=\"in\"" : "");
		buf_url(b, h->id);
		buf_str(b, "\">");
		buf_html(b, h->text);
		buf_str(b, "</a>");
	}
	buf_str(b, "</nav>");
}

static const char *
facts_of(void *owner, const struct view_source *s, const struct doc *d)
{
	enum { WORDS_A_MINUTE = 200 };
	int64_t words = 0, minutes;
	bool within = false;

	for (const char *p = d->body; *p; p++) {
		words += !within && !isspace((unsigned char)*p);
		within = !isspace((unsigned char)*p);
	}
	minutes = (words + WORDS_A_MINUTE - 1) / WORDS_A_MINUTE;
	return mem_printf(owner, "%s, %s to read", str_amount(owner, s->size),
	    str_count(owner, minutes ? minutes : 1, "minute"));
}

void
view_markdown(struct ctx *c, const struct view_source *s, struct view_drawn *out)
{
	enum { CONTENTS_FROM = 3 };
	struct buf *b = &out->html;
	struct doc d;
	bool contents;

	doc_read(c, s, &d);
	contents = !d.bare && d.text.n >= CONTENTS_FROM;
	out->warning = d.wrong;
	out->title = d.title ? d.title : s->name;
	view_begin(b,
	    &(struct view_head){ .name = s->name,
		.title = out->title,
		.lang = d.lang,
		.facts = facts_of(c->mem, s, &d),
		.loads = view_html_loads(d.text.html) });
	buf_fmt(b, "<main class=\"read%s\">", contents ? " has" : "");
	if (contents)
		contents_write(b, &d.text);
	buf_str(b, "<article>\n");
	/* The page gets exactly one <h1>: the text's, or one with its title. */
	if (d.text.firsts != 1) {
		buf_str(b, "<h1>");
		buf_html(b, out->title);
		buf_str(b, "</h1>\n");
	}
	view_html_put(b, d.text.html);
	view_cut_note(b, s, strlen(text_of(c->mem, s)));
	buf_str(b, "</article></main>");
	view_end(b);
}

void
view_readme(struct ctx *c, const struct view_source *s, struct view_drawn *out)
{
	struct doc d;

	*out = (struct view_drawn){ .html = BUF(c->mem) };
	doc_read(c, s, &d);
	if (d.text.firsts > 0)
		out->title = d.title;
	if (d.text.firsts > 1 && d.title) {
		buf_str(&out->html, "<h1>");
		buf_html(&out->html, d.title);
		buf_str(&out->html, "</h1>\n");
	}
	view_html_put(&out->html, d.text.html);
}
