/* SPDX-License-Identifier: Apache-2.0 */
#include "base/viewdraw.h"

#include "base/mime.h"
#include "base/str.h"

#include <string.h>

/* 'self' also allows the script that the service adds to install the page as an app. */
#define PAGE_POLICY \
	"default-src 'self'; %sstyle-src 'self' 'unsafe-inline'; img-src 'self' %sdata:; " \
	"base-uri 'none'; form-action "

/* Colors as in vitrine.css. A view keeps the style that it was made with. */
static const char page_style[] =
    ":root{color-scheme:light dark;--bg:light-dark(#fafcfb,#0c1211);"
    "--card:light-dark(#fff,#131b1a);--low:light-dark(#f0f4f3,#1b2524);"
    "--line:light-dark(#dce3e1,#293534);--edge:light-dark(#c3cdcb,#3c4a48);"
    "--ink:light-dark(#12201e,#e9f0ee);--soft:light-dark(#51605d,#9fb0ad);"
    "--link:light-dark(#0a6b62,#45c4b4);--tint:light-dark(#e0f1ee,#10312d);"
    "--bad:light-dark(#fdebe8,#3d1815);--bad-ink:light-dark(#a3231a,#ffb0a6);"
    "--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0;min-height:100vh;display:flex;flex-direction:column;background:var(--bg);"
    "color:var(--ink);font:1rem/1.6 system-ui,sans-serif;overflow-wrap:anywhere}\n"
    "a{color:var(--link)}[hidden]{display:none!important}\n"
    ":focus-visible{outline:2px solid var(--link);outline-offset:2px}\n"
    ".bar{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem 1rem;"
    "padding:.5rem max(1.25rem,calc(50% - 38rem));background:var(--card);"
    "border-bottom:1px solid var(--line);font-size:.875rem}\n"
    ".bar h1,.bar strong{margin:0;font-size:1rem;font-weight:600}\n"
    ".bar span{color:var(--soft)}.bar p{display:flex;gap:.5rem;margin:0 0 0 auto}\n"
    ".button,button{display:inline-block;padding:.25rem .75rem;border:1px solid var(--edge);"
    "border-radius:6px;background:var(--card);color:var(--ink);font:inherit;font-size:.875rem;"
    "text-decoration:none}\n"
    "main{flex:1;width:100%;max-width:78.5rem;margin:0 auto;padding:1.5rem 1.25rem}\n"
    "main.read{display:grid;grid-template-columns:minmax(0,46rem);gap:0 3rem;"
    "justify-content:center}\n"
    "main.full{display:flex;flex-direction:column;max-width:none}\n"
    "main.full iframe{flex:1;width:100%;min-height:80vh;border:0}\n"
    "main.full img{max-width:100%;max-height:90vh;margin:auto;object-fit:contain}\n"
    "main.full video{max-width:100%;max-height:85vh;margin:auto}\n"
    "main.full audio{width:100%;max-width:40rem;margin:auto}\n"
    "main.card{display:grid;place-content:center;text-align:center}\n"
    ".side{font-size:.875rem;margin-bottom:1rem}"
    ".side a{display:block;padding:.25rem 0;color:inherit}\n"
    ".side .in{padding-left:1rem}\n"
    "@media(min-width:64rem){main.read.has{grid-template-columns:13rem minmax(0,46rem)}"
    ".side{position:sticky;top:1rem;align-self:start;max-height:calc(100vh - 2rem);"
    "overflow-y:auto}}\n"
    "h1{line-height:1.25}h2,h3{line-height:1.35}img{max-width:100%;height:auto}\n"
    "img:is([src$=\".svg\" i],[src*=\".svg?\" i],[src^=\"data:image/svg\"])"
    "{background:#fff;color-scheme:light}\n"
    "article>:first-child{margin-top:0}\n"
    "pre,code{font-family:var(--mono);font-size:.875em}\n"
    "code{padding:.1em .3em;border-radius:4px;background:var(--low)}\n"
    "pre{overflow-x:auto;padding:.75rem 1rem;border:1px solid var(--line);border-radius:8px;"
    "background:var(--card);line-height:1.5}pre code{padding:0;background:none}\n"
    "pre.err{background:var(--bad);color:var(--bad-ink)}\n"
    ".scroll{overflow-x:auto;max-width:100%;border:1px solid var(--line);border-radius:8px;"
    "background:var(--card);margin:1rem 0}\n"
    "table{border-collapse:collapse;min-width:100%;font-size:.875rem;overflow-wrap:normal}\n"
    "th,td{padding:.375rem .75rem;border-bottom:1px solid var(--line);vertical-align:top}\n"
    ":is(th,td):where(:not([align])){text-align:left}\n"
    "thead th{background:var(--low);white-space:nowrap}\n"
    "td{max-width:32rem}.data td{white-space:nowrap}"
    ".data .text{min-width:16rem;white-space:normal}\n"
    ".num{text-align:right;font-variant-numeric:tabular-nums}\n"
    ".soft{color:var(--soft)}\n"
    "code.display{display:block}.drawn{display:block;margin:1rem 0;overflow-x:auto}\n"
    "img.drawn{max-width:100%;height:auto;padding:1rem;border-radius:8px;background:#fff}\n"
    "blockquote{margin-inline:0;padding-left:1rem;border-left:3px solid var(--edge);"
    "color:var(--soft)}\n"
    ".alert{margin:1rem 0;padding:.5rem 1rem;border:1px solid var(--line);"
    "border-left:4px solid var(--mark);border-radius:8px;background:var(--card);"
    "--mark:light-dark(#2459a8,#8ab4f8)}\n"
    ".alert>p:first-child{margin:0;color:var(--mark)}.alert>:last-child{margin-bottom:0}\n"
    ".alert.tip{--mark:var(--link)}.alert.important{--mark:light-dark(#6b3fa0,#c4a5f5)}"
    ".alert.warning{--mark:light-dark(#754700,#f1cb73)}.alert.caution{--mark:var(--bad-ink)}\n"
    ".code{counter-reset:l;margin:0;padding:.5rem 0;list-style:none;overflow-x:auto;"
    "border:1px solid var(--line);border-radius:8px;background:var(--card);"
    "font:.8125rem/1.6 var(--mono);tab-size:4;overflow-wrap:normal}\n"
    ".code li{counter-increment:l;white-space:pre;width:max-content;min-width:100%;"
    "padding-right:1rem}\n"
    ".code li::before{content:counter(l);display:inline-block;width:3.5rem;padding-right:1rem;"
    "text-align:right;color:var(--soft);user-select:none}\n"
    ".code li:target,.code li.on{background:var(--tint)}\n"
    ".map{display:block;width:100%;max-height:80vh;margin-bottom:1rem;"
    "border:1px solid var(--line);border-radius:8px;background:var(--card);"
    "fill:var(--tint);stroke:var(--link);fill-rule:evenodd}\n"
    ".map .line{fill:none;stroke-width:2}.map circle{fill:var(--link)}"
    ".map g:hover{fill:var(--low)}\n"
    ".tree{font:.875rem/1.6 var(--mono)}.tree details,.tree div{padding-left:1.25rem}\n"
    ".tree summary{cursor:pointer;margin-left:-1.25rem}.tree b{font-weight:600}\n"
    ".cell{margin:1rem 0}.cell>.no{color:var(--soft);font:.75rem var(--mono)}\n"
    ".list{margin:1rem 0;padding:0;list-style:none;border:1px solid var(--line);"
    "border-radius:8px;background:var(--card)}\n"
    ".list li{display:flex;gap:1rem;padding:.5rem 1rem;border-bottom:1px solid var(--line)}\n"
    ".list li:last-child{border:0}.list a{flex:1;min-width:0}.list span{color:var(--soft);"
    "white-space:nowrap;font-size:.875rem}\n"
    ".find{display:flex;gap:.5rem;align-items:center;margin:1rem 0}\n"
    ".find input{flex:1;max-width:24rem;padding:.375rem .625rem;border:1px solid var(--edge);"
    "border-radius:6px;background:var(--card);color:inherit;font:inherit}\n";

static void
href_write(struct buf *b, const char *folder, const char *name)
{
	buf_chr(b, '"');
	buf_str(b, folder);
	buf_url(b, name);
	buf_chr(b, '"');
}

void
view_begin(struct buf *b, const struct view_head *h)
{
	const char *tag = h->h1 ? "h1" : "strong";

	buf_fmt(b,
	    "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\"" PAGE_POLICY "%s\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
	    h->lang ? h->lang : "en",
	    h->loads & VIEW_WASM ? "script-src 'self' 'wasm-unsafe-eval'; " : "",
	    h->loads & VIEW_ALONE ? "" : "https: ", h->forms ? "'self'" : "'none'");
	buf_html(b, h->title);
	buf_fmt(b, "</title>\n<style>\n%s</style>\n%s%s</head>\n<body>\n", page_style,
	    h->loads & VIEW_SCRIPT ? "<script src=\"/_vitrine/view.js\" defer></script>\n" : "",
	    h->loads & VIEW_DRAWS
		? "<script type=\"module\" src=\"/_vitrine/draw.js\"></script>\n"
		: "");
	if (!h->name)
		return;
	buf_fmt(b, "<header class=\"bar\"><%s>", tag);
	buf_html(b, h->name);
	buf_fmt(b, "</%s><span>", tag);
	buf_html(b, h->facts);
	buf_str(b, "</span><p><a class=\"button\" href=");
	href_write(b, h->path ? "/" : "./", h->path ? h->path : h->name);
	buf_str(b, ">Raw</a><a class=\"button\" href=");
	href_write(b, h->path ? "/" : "./", h->path ? h->path : h->name);
	buf_str(b, " download>Download</a></p></header>\n");
}

void
view_begin_file(struct buf *b, const struct view_source *s, const char *facts, unsigned loads)
{
	view_begin(b,
	    &(struct view_head){ .name = s->name,
		.title = s->name,
		.facts = facts,
		.h1 = true,
		.loads = loads });
}

unsigned
view_html_loads(const char *html)
{
	bool draws = strstr(html, "<code class=\"math") || strstr(html, "<code class=\"language-");
	bool graph = strstr(html, "<code class=\"language-dot\"") ||
	    strstr(html, "<code class=\"language-gv\"") ||
	    strstr(html, "<code class=\"language-graphviz\"");

	return (draws ? VIEW_DRAWS : 0) | (graph ? VIEW_WASM : 0);
}

const char *
view_facts(void *owner, const struct view_source *s)
{
	return mem_printf(owner, "%s, %s", view_kind_said(owner, s->name),
	    str_amount(owner, s->size));
}

void
view_end(struct buf *b)
{
	buf_str(b, "\n</body>\n</html>\n");
}

void
view_cut_note(struct buf *b, const struct view_source *s, size_t shown)
{
	if (!s->cut)
		return;
	buf_fmt(b,
	    "<p class=\"soft\">This is the first %s of %s. Download the file to read the rest."
	    "</p>\n",
	    str_amount(b->owner, (int64_t)shown), str_amount(b->owner, s->size));
}

/* ---- what a browser shows itself ---- */

static const struct medium {
	const char *mime, *open, *label, *close; /* of the element, and of its name */
} media[] = {
	{ "image/", "<img src=", "alt", "" },
	{ "video/", "<video controls preload=\"metadata\" src=", "aria-label", "</video>" },
	{ "audio/", "<audio controls preload=\"metadata\" src=", "aria-label", "</audio>" },
	{ "", "<iframe src=", "title", "</iframe>" },
};

static void
media_draw(struct ctx *c, const struct view_source *s, struct view_drawn *out)
{
	const struct medium *m = media;
	struct buf *b = &out->html;

	while (!str_starts(mime_of(s->name), m->mime))
		m++;
	view_begin_file(b, s, view_facts(c->mem, s), 0);
	buf_fmt(b, "<main class=\"full\">%s", m->open);
	href_write(b, "./", s->name);
	buf_fmt(b, " %s=\"", m->label);
	buf_html(b, s->name);
	buf_fmt(b, "\">%s</main>", m->close);
	view_end(b);
}

static void
file_draw(struct ctx *c, const struct view_source *s, struct view_drawn *out)
{
	struct buf *b = &out->html;
	bool doc = s->kind == VIEW_DOC;

	view_begin_file(b, s, view_facts(c->mem, s), doc ? VIEW_DRAWS | VIEW_ALONE : 0);
	/* The script puts the document here. */
	buf_fmt(b,
	    "<main class=\"card%s\"><p>A browser can’t show this file%s. "
	    "Download it to open it.</p></main>",
	    doc ? " doc" : "", doc ? " without its script" : "");
	view_end(b);
}

/* ---- a text in lines ---- */

int64_t
view_lines(struct buf *b, const char *text, size_t n, bool ids)
{
	int64_t no = 0;

	for (const char *at = text, *end = at + n, *next; at < end; at = next) {
		void *mine = mem_zalloc(b->owner, 0);
		struct buf one = BUF(mine);
		size_t line_n;

		next = memchr(at, '\n', (size_t)(end - at));
		line_n = (size_t)((next ? next : end) - at);
		line_n -= line_n && at[line_n - 1] == '\r';
		buf_html(&one, mem_strndup(mine, at, line_n));
		next = next ? next + 1 : end;
		no++;
		if (ids)
			buf_fmt(b, "<li id=L%lld>", (long long)no);
		else
			buf_str(b, "<li>");
		buf_add(b, buf_done(&one), one.n);
		buf_chr(b, '\n');
		mem_free(mine);
	}
	return no;
}

void
view_code(struct ctx *c, const struct view_source *s, struct view_drawn *out)
{
	struct buf *b = &out->html, lines = BUF(c->mem);
	/* A text that is cut ends with a line. */
	const char *last = s->cut ? memrchr(s->text, '\n', s->n) : NULL;
	size_t n = last ? (size_t)(last - s->text) + 1 : s->n;
	int64_t no = view_lines(&lines, s->text, n, true);
	bool diagram = s->kind == VIEW_DIAGRAM && !s->cut;

	view_begin_file(b, s,
	    mem_printf(c->mem, "%s, %s", view_facts(c->mem, s),
		s->cut ? "shown in part" : str_count(c->mem, no, "line")),
	    VIEW_SCRIPT | VIEW_DRAWS | (diagram ? VIEW_WASM | VIEW_ALONE : 0));
	buf_str(b, diagram ? "<main class=\"diagram\">" : "<main>");
	view_cut_note(b, s, n);
	if (s->n) {
		buf_str(b, "<ol class=\"code\" tabindex=\"0\" aria-label=\"Lines of ");
		buf_html(b, s->name);
		buf_fmt(b, "\">%s</ol></main>", buf_done(&lines));
	} else {
		buf_str(b, "<p>The file is empty.</p></main>");
	}
	view_end(b);
}

/* ---- a folder ---- */

static void
entry_write(struct buf *b, const struct view_entry *e)
{
	bool folder = str_ends(e->name, "/");

	buf_str(b, "<li><a href=\"./");
	buf_url(b, e->link);
	buf_str(b, "\">");
	buf_html(b, e->name);
	buf_fmt(b, "</a><span>%s</span></li>\n",
	    folder ? str_count(b->owner, e->size, "file") : str_amount(b->owner, e->size));
}

static void
neighbours_write(struct buf *b, const struct view_folder *f)
{
	if (!f->before && !f->after)
		return;
	buf_str(b, "<p>");
	if (f->before)
		buf_fmt(b, "<a class=\"button\" rel=\"prev\" href=\"./%s\">Previous</a> ",
		    f->before);
	if (f->after)
		buf_fmt(b, "<a class=\"button\" rel=\"next\" href=\"./%s\">Next</a>", f->after);
	buf_str(b, "</p>\n");
}

void
view_draw_folder(void *owner, const struct view_folder *f, struct view_drawn *out)
{
	enum { FIND_FROM = 8 };
	struct buf *b = &out->html;
	const char *name = f->name ? f->name : "Files";
	bool finds = f->n >= FIND_FROM;
	unsigned loads = f->readme ? view_html_loads(f->readme) : 0;

	*b = BUF(owner);
	out->title = out->title ? out->title : name;
	view_begin(b,
	    &(struct view_head){ .title = out->title,
		.loads = loads | (finds ? VIEW_SCRIPT : 0) });
	buf_str(b, "<main class=\"read\"><div>");
	if (f->readme)
		buf_fmt(b, "<article>%s</article>\n", f->readme);
	buf_str(b, f->has_h1 ? "<h2>" : "<h1>");
	buf_html(b, name);
	buf_str(b, f->has_h1 ? "</h2>\n" : "</h1>\n");
	if (f->below)
		buf_str(b, "<p><a href=\"../\">The folder above</a></p>\n");
	/* The script shows it. */
	if (finds)
		buf_str(b, "<form class=\"find\" role=\"search\" hidden><label for=\".find\">Find"
			   "</label><input id=\".find\" type=\"search\" autocomplete=\"off\">"
			   "<span role=\"status\"></span></form>\n");
	buf_fmt(b, f->n ? "<ul class=\"list\">\n" : "<p>There are no files to show.</p>\n");
	for (size_t i = 0; i < f->n; i++)
		entry_write(b, &f->v[i]);
	buf_str(b, f->n ? "</ul>\n" : "");
	neighbours_write(b, f);
	buf_str(b, "</div></main>");
	view_end(b);
}

/* ---- any kind ---- */

const char *
view_renderer(enum view_kind kind)
{
	static const char *const names[] = { [VIEW_NONE] = "", [VIEW_MARKDOWN] = "markdown-5",
		[VIEW_TABLE] = "table-4", [VIEW_NOTEBOOK] = "notebook-5", [VIEW_CODE] = "code-3",
		[VIEW_JSON] = "json-4", [VIEW_DIAGRAM] = "diagram-1", [VIEW_DOC] = "doc-1",
		[VIEW_APP] = "app-1", [VIEW_MEDIA] = "media-2", [VIEW_FILE] = "file-2",
		[VIEW_FOLDER] = "folder-5" };

	return names[kind];
}

size_t
view_wants(enum view_kind kind, int64_t size)
{
	bool none = kind == VIEW_MEDIA || kind == VIEW_FOLDER || kind == VIEW_DOC;
	size_t most = none		    ? 0
	    : kind == VIEW_NOTEBOOK ? VIEW_NOTEBOOK_BYTES
				    : VIEW_TEXT_BYTES;

	/* A notebook is read as a whole, or shown as text. */
	if (kind == VIEW_NOTEBOOK && size > (int64_t)most)
		most = VIEW_TEXT_BYTES;
	return size < (int64_t)most ? (size_t)size : most;
}

bool
view_parses(enum view_kind kind)
{
	return kind == VIEW_MARKDOWN || kind == VIEW_JSON || kind == VIEW_TABLE ||
	    kind == VIEW_NOTEBOOK;
}

void
view_draw(struct ctx *c, const struct view_source *s, struct view_drawn *out)
{
	*out = (struct view_drawn){ .html = BUF(c->mem), .title = s->name };
	if (s->kind == VIEW_MEDIA) {
		media_draw(c, s, out);
		return;
	}
	if (!s->text) {
		file_draw(c, s, out);
		return;
	}
	if (s->kind == VIEW_MARKDOWN)
		view_markdown(c, s, out);
	else if (!(s->kind == VIEW_JSON && view_json(c, s, out)) &&
	    !(s->kind == VIEW_TABLE && view_table(c, s, out)) &&
	    !(s->kind == VIEW_NOTEBOOK && view_notebook(c, s, out)))
		view_code(c, s, out);
}
