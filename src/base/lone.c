/* SPDX-License-Identifier: Apache-2.0 */
#include "base/lone.h"

#include "base/buf.h"
#include "base/frontmatter.h"
#include "base/markdown.h"
#include "base/mime.h"
#include "base/str.h"

/* 'self' also allows the script that the service adds to install the page as an app. */
#define PAGE_POLICY \
	"default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' https: data:; " \
	"base-uri 'none'; form-action 'none'"

static const char page_style[] =
    ":root{color-scheme:light dark;--line:#8884}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;min-height:100vh;display:flex;flex-direction:column;"
    "font:1rem/1.6 system-ui,sans-serif}\n"
    "main{flex:1;display:flex;flex-direction:column;overflow-wrap:anywhere}\n"
    "main.text{display:block;width:100%;max-width:46rem;margin:0 auto;padding:2rem 1.25rem}\n"
    "iframe{flex:1;width:100%;min-height:80vh;border:0}\n"
    "main>img{max-width:100%;max-height:90vh;margin:auto;object-fit:contain}\n"
    "main>video{max-width:100%;max-height:85vh;margin:auto}\n"
    "main>audio{width:100%;max-width:40rem;margin:auto}\n"
    "main.card{align-items:center;justify-content:center;text-align:center}\n"
    "header{padding:.5rem 1.25rem;border-bottom:1px solid var(--line);text-align:center}\n"
    "header h1{margin:0;font-size:1rem;overflow-wrap:anywhere}\n"
    ".card h1{margin:0}.card a{display:inline-block;padding:.5rem 1.25rem;"
    "border:1px solid;border-radius:.5rem}\n"
    ".text img{max-width:100%}\n"
    "pre{overflow-x:auto;white-space:pre-wrap;font:.9rem/1.5 ui-monospace,monospace}\n"
    ".text:not(.plain) pre{padding:.75rem 1rem;border:1px solid var(--line);border-radius:.5rem}\n"
    "table{border-collapse:collapse;display:block;overflow-x:auto}\n"
    "th,td{padding:.3rem .75rem;border:1px solid var(--line)}\n"
    "blockquote{margin-inline:0;padding-inline-start:1rem;"
    "border-inline-start:.25rem solid var(--line)}\n"
    "footer{padding:.75rem 1.25rem;border-top:1px solid var(--line);text-align:center}\n";

enum page_kind { PAGE_NONE, PAGE_PDF, PAGE_IMAGE, PAGE_VIDEO, PAGE_AUDIO, PAGE_MARKDOWN, PAGE_ANY };

/* The types that browsers show. A TypeScript file (.ts) has the type of a film, which is not among
 * them. */
static bool
is_shown(const char *mime)
{
	return str_in(mime,
		   "video/mp4|video/webm|video/ogg|video/quicktime|video/x-m4v|video/3gpp") ||
	    (str_starts(mime, "audio/") && !str_eq(mime, "audio/midi")) ||
	    (str_starts(mime, "image/") && !str_in(mime, "image/heic|image/tiff|image/jxl"));
}

static enum page_kind
page_kind(const char *path)
{
	const char *mime = mime_of(path);

	if (mime_is_page(mime))
		return PAGE_NONE;
	if (str_eq(mime, "application/pdf"))
		return PAGE_PDF;
	if (is_shown(mime))
		return *mime == 'i' ? PAGE_IMAGE : *mime == 'v' ? PAGE_VIDEO : PAGE_AUDIO;
	return str_starts(mime, "text/markdown") ? PAGE_MARKDOWN : PAGE_ANY;
}

bool
lone_wants_page(const char *path)
{
	return page_kind(path) != PAGE_NONE;
}

bool
lone_shows_text(const char *path)
{
	enum page_kind kind = page_kind(path);

	return kind == PAGE_MARKDOWN || kind == PAGE_ANY;
}

/* ---- Markdown ---- */

/* Labels each task's check box with the text of the task, up to the next line or list item's end.
 */
static const char *
tasks_label(void *mem, const char *html)
{
	static const char box[] = "<input type=\"checkbox\"";
	struct buf b = BUF(mem);
	const char *at, *p;

	for (; (at = strstr(html, box)); html = at + strlen(box)) {
		buf_add(&b, html, (size_t)(at - html));
		buf_fmt(&b, "%s aria-label=\"", box);
		p = strchr(at, '>') + 1;
		for (p += *p == ' '; *p && *p != '\n' && !str_starts(p, "</li"); p++) {
			if (*p == '<')
				p += strcspn(p, ">");
			else
				buf_chr(&b, *p);
			if (!*p)
				break;
		}
		buf_chr(&b, '"');
	}
	buf_str(&b, html);
	return buf_done(&b);
}

static size_t
first_headings(const char *html)
{
	size_t n = 0;

	for (; (html = strstr(html, "<h1")); html++)
		n++;
	return n;
}

/* A Markdown text whose front matter has been read. Invalid front matter counts as text. */
struct doc {
	/* title, lang: NULL if the front matter doesn't name them */
	const char *body, *title, *lang;
};

static const char *
field(const struct frontmatter *f, const char *name)
{
	const struct fm *at = fm_get(f->top, name);

	return at && at->kind == FM_TEXT && at->text && *at->text ? at->text : NULL;
}

static void
doc_read(struct ctx *c, const char *text, struct doc *out)
{
	struct frontmatter f = { 0 };

	*out = (struct doc){ .body = text };
	if (frontmatter_read(c, text, false, &f))
		ctx_forgive(c);
	else if (f.top)
		*out = (struct doc){ f.body, field(&f, "title"), field(&f, "lang") };
	if (out->lang && out->lang[strspn(out->lang, "abcdefghijklmnopqrstuvwxyz"
						     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-")])
		out->lang = NULL;
}

/* The page gets exactly one <h1>: the text's, or one with its title. */
static void
doc_write(void *mem, const struct doc *d, const char *path, struct buf *b)
{
	const char *html = markdown_html(mem, d->body, strlen(d->body), 0);
	size_t firsts = first_headings(html);

	buf_str(b, "<main class=\"text\">\n");
	if (firsts != 1) {
		buf_str(b, "<h1>");
		buf_html(b, d->title ? d->title : path);
		buf_str(b, "</h1>\n");
	}
	if (firsts > 1)
		html = markdown_html(mem, d->body, strlen(d->body), 1);
	buf_str(b, tasks_label(mem, html));
}

/* ---- the page ---- */

static void
link_write(const char *path, const char *words, struct buf *b)
{
	buf_str(b, "<a href=\"./");
	buf_url(b, path);
	buf_fmt(b, "\"%s>", words ? " download" : "");
	buf_html(b, words ? words : path);
	buf_str(b, "</a>");
}

static void
header_write(const char *path, struct buf *b)
{
	buf_str(b, "<header><h1>");
	buf_html(b, path);
	buf_str(b, "</h1></header>\n");
}

static void
frame_write(const char *path, enum page_kind kind, struct buf *b)
{
	static const char *const open[] = { [PAGE_PDF] = "<iframe src=\"./",
		[PAGE_IMAGE] = "<img src=\"./",
		[PAGE_VIDEO] = "<video controls preload=\"metadata\" src=\"./",
		[PAGE_AUDIO] = "<audio controls preload=\"metadata\" src=\"./" };
	static const char *const label[] = { [PAGE_PDF] = "title", [PAGE_IMAGE] = "alt",
		[PAGE_VIDEO] = "aria-label", [PAGE_AUDIO] = "aria-label" };
	static const char *const close[] = { [PAGE_PDF] = "</iframe>", [PAGE_IMAGE] = "",
		[PAGE_VIDEO] = "</video>", [PAGE_AUDIO] = "</audio>" };

	header_write(path, b);
	buf_fmt(b, "<main>%s", open[kind]);
	buf_url(b, path);
	buf_fmt(b, "\" %s=\"", label[kind]);
	buf_html(b, path);
	buf_fmt(b, "\">%s", close[kind]);
}

static void
size_write(int64_t size, struct buf *b)
{
	static const char *const units[] = { "bytes", "kB", "MB", "GB" };
	double n = (double)size;
	size_t unit = 0;

	for (; n >= 1000 && unit < 3; n /= 1000)
		unit++;
	buf_fmt(b, unit ? "%.1f %s" : "%.0f %s", n, units[unit]);
}

/* For files that no browser shows. */
static void
card_write(const char *path, int64_t size, struct buf *b)
{
	const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');

	buf_str(b, "<main class=\"card\">\n<h1>");
	buf_html(b, slash ? slash + 1 : path);
	buf_str(b, "</h1>\n<p>");
	for (const char *p = dot && dot > slash ? dot + 1 : ""; *p; p++)
		buf_html(b, (char[]){ (char)toupper((unsigned char)*p), 0 });
	buf_str(b, dot && dot > slash ? " file, " : "File, ");
	size_write(size, b);
	buf_str(b, "</p>\n");
	link_write(path, "Download", b);
}

static void
head_write(const char *title, const char *lang, struct buf *b)
{
	buf_fmt(b,
	    "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\"" PAGE_POLICY "\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	    "<title>", lang ? lang : "en");
	buf_html(b, title);
	buf_fmt(b, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", page_style);
}

const char *
lone_page(struct ctx *c, const char *path, int64_t size, const char *text, size_t n)
{
	enum page_kind kind = page_kind(path);
	struct buf b = BUF(c->mem);
	struct doc doc = { 0 };
	bool shown = text && !memchr(text, '\0', n) && str_utf8_valid(text, n);

	if (shown)
		text = mem_strndup(c->mem, text, n);
	if (shown && kind == PAGE_MARKDOWN)
		doc_read(c, text, &doc);
	head_write(doc.title ? doc.title : path, doc.lang, &b);
	if (doc.body) {
		doc_write(c->mem, &doc, path, &b);
	} else if (kind < PAGE_MARKDOWN) {
		frame_write(path, kind, &b);
	} else if (shown) {
		header_write(path, &b);
		/* The parser drops a line end directly after <pre>, so we add one. */
		buf_str(&b, "<main class=\"text plain\">\n<pre>\n");
		buf_html(&b, text);
		buf_str(&b, "</pre>");
	} else {
		card_write(path, size, &b);
	}
	buf_str(&b, "\n</main>\n<footer>");
	link_write(path, NULL, &b);
	buf_str(&b, "</footer>\n</body>\n</html>\n");
	return buf_done(&b);
}

bool
lone_is_page(const char *html)
{
	return strstr(html, PAGE_POLICY) && strstr(html, page_style);
}
