/* SPDX-License-Identifier: Apache-2.0 */
#include "base/lone.h"

#include "base/buf.h"
#include "base/markdown.h"
#include "base/mime.h"
#include "base/str.h"

/* 'self' lets the service's own additions run, which install the page as an app. */
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
    ".text img{max-width:100%}\n"
    "pre{overflow-x:auto;white-space:pre-wrap;font:.9rem/1.5 ui-monospace,monospace}\n"
    ".text:not(.plain) pre{padding:.75rem 1rem;border:1px solid var(--line);border-radius:.5rem}\n"
    "table{border-collapse:collapse;display:block;overflow-x:auto}\n"
    "th,td{padding:.3rem .75rem;border:1px solid var(--line)}\n"
    "blockquote{margin-inline:0;padding-inline-start:1rem;"
    "border-inline-start:.25rem solid var(--line)}\n"
    "footer{padding:.75rem 1.25rem;border-top:1px solid var(--line);text-align:center}\n";

enum page_kind { PAGE_NONE, PAGE_PDF, PAGE_IMAGE, PAGE_MARKDOWN, PAGE_ANY };

static enum page_kind
page_kind(const char *path)
{
	const char *mime = mime_of(path);

	if (mime_is_page(mime))
		return PAGE_NONE;
	if (str_eq(mime, "application/pdf"))
		return PAGE_PDF;
	if (str_starts(mime, "image/"))
		return PAGE_IMAGE;
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

/* What is no text is linked to only. */
static void
text_write(void *mem, enum page_kind kind, const char *text, size_t n, struct buf *b)
{
	if (!text || memchr(text, '\0', n) || !str_utf8_valid(text, n)) {
		buf_str(b, "<main class=\"text\">");
	} else if (kind == PAGE_MARKDOWN) {
		buf_fmt(b, "<main class=\"text\">\n%s", markdown_html(mem, text, n, 0));
	} else {
		/* A line end here is the parser's, not the text's. */
		buf_str(b, "<main class=\"text plain\">\n<pre>\n");
		buf_html(b, text);
		buf_str(b, "</pre>");
	}
}

static void
frame_write(const char *path, enum page_kind kind, struct buf *b)
{
	buf_str(b, kind == PAGE_PDF ? "<main><iframe src=\"./" : "<main><img src=\"./");
	buf_url(b, path);
	buf_str(b, kind == PAGE_PDF ? "\" title=\"" : "\" alt=\"");
	buf_html(b, path);
	buf_str(b, kind == PAGE_PDF ? "\"></iframe>" : "\">");
}

static void
head_write(const char *path, struct buf *b)
{
	buf_str(b,
	    "<!DOCTYPE html>\n<html>\n<head>\n<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\"" PAGE_POLICY "\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	    "<title>");
	buf_html(b, path);
	buf_fmt(b, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", page_style);
}

static void
foot_write(const char *path, struct buf *b)
{
	buf_str(b, "\n</main>\n<footer><a href=\"./");
	buf_url(b, path);
	buf_str(b, "\">");
	buf_html(b, path);
	buf_str(b, "</a></footer>\n</body>\n</html>\n");
}

const char *
lone_page(struct ctx *c, const char *path, const char *text, size_t n)
{
	enum page_kind kind = page_kind(path);
	struct buf b = BUF(c->mem);

	head_write(path, &b);
	if (kind == PAGE_PDF || kind == PAGE_IMAGE)
		frame_write(path, kind, &b);
	else
		text_write(c->mem, kind, text, n, &b);
	foot_write(path, &b);
	return buf_done(&b);
}
