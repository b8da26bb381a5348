/* SPDX-License-Identifier: Apache-2.0
 * Notebooks of Jupyter, nbformat 3 and 4. */
#include "base/json.h"
#include "base/markdown.h"
#include "base/mdhtml.h"
#include "base/str.h"
#include "base/viewdraw.h"

#include <string.h>

/* A text, or an array of texts. */
static const char *
text_of(void *owner, const struct json *j)
{
	struct buf b = BUF(owner);

	if (json_kind(j) == J_STR)
		return json_str(j);
	for (size_t i = 0; json_kind(j) == J_ARR && i < json_len(j); i++)
		if (json_kind(json_at(j, i)) == J_STR)
			buf_str(&b, json_str(json_at(j, i)));
	return buf_done(&b);
}

/* Returns the text without a terminal's control sequences. */
static const char *
terminal_text(void *owner, const char *s)
{
	struct buf b = BUF(owner);

	while (*s) {
		if (s[0] == '\x1b' && s[1] == '[') {
			s += 2 + strspn(s + 2, "0123456789;:<=>?");
			s += *s != '\0';
		} else if ((unsigned char)*s < ' ' && !strchr("\n\t", *s)) {
			s++;
		} else {
			buf_chr(&b, *s++);
		}
	}
	return buf_done(&b);
}

/* of_pre, of_code: attributes, or "". */
static void
pre_write(struct buf *b, const char *text, const char *of_pre, const char *of_code)
{
	buf_fmt(b, "<pre tabindex=\"0\"%s><code%s>", of_pre, of_code);
	buf_html(b, terminal_text(b->owner, text));
	buf_str(b, "</code></pre>\n");
}

/* Writes a picture as part of the page. False if the output has none. */
static bool
picture_write(struct buf *b, const struct json *data, const char *alt)
{
	static const char *const kinds[][2] = { { "image/png", "image/png" },
		{ "image/jpeg", "image/jpeg" }, { "image/gif", "image/gif" },
		{ "image/webp", "image/webp" }, { "png", "image/png" }, { "jpeg", "image/jpeg" } };
	static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				     "0123456789+/=\r\n";
	const char *text;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		text = text_of(b->owner, json_get(data, kinds[i][0]));
		if (!*text || text[strspn(text, base64)])
			continue;
		buf_fmt(b, "<img src=\"data:%s;base64,", kinds[i][1]);
		for (; *text; text++)
			if (*text > ' ')
				buf_chr(b, *text);
		buf_str(b, "\" alt=\"");
		buf_html(b, alt);
		buf_str(b, "\">\n");
		return true;
	}
	text = text_of(b->owner, json_get(data, json_get(data, "svg") ? "svg" : "image/svg+xml"));
	if (!*text)
		return false;
	/* Scripts don't run in a picture. */
	buf_str(b, "<img src=\"data:image/svg+xml,");
	buf_form(b, text);
	buf_str(b, "\" alt=\"");
	buf_html(b, alt);
	buf_str(b, "\">\n");
	return true;
}

static void
data_write(struct buf *b, const struct json *data, const char *alt)
{
	const char *marked = text_of(b->owner, json_get(data, "text/markdown"));
	const char *plain = text_of(b->owner, json_get(data, "text/plain"));
	const char *html = mdhtml_alone(b->owner, text_of(b->owner, json_get(data, "text/html")));
	const struct json *j = json_get(data, "application/json");

	if (picture_write(b, data, alt))
		return;
	if (*marked)
		view_html_put(b, markdown_math(b->owner, marked, strlen(marked), 1));
	else if (html)
		view_html_put(b, html);
	else if (*plain)
		pre_write(b, plain, "", "");
	else if (*text_of(b->owner, json_get(data, "text")))
		pre_write(b, text_of(b->owner, json_get(data, "text")), "", "");
	else if (j)
		pre_write(b, json_text(b->owner, j), "", "");
	else
		buf_str(b, "<p class=\"soft\">This output can’t be shown here.</p>\n");
}

static void
output_write(struct buf *b, const struct json *out, const char *alt)
{
	const char *type = json_word(out, "output_type");
	const struct json *data = json_get(out, "data");

	if (str_eq(type, "stream")) {
		pre_write(b, text_of(b->owner, json_get(out, "text")), "", "");
	} else if (str_eq(type, "error") || str_eq(type, "pyerr")) {
		const char *trace = text_of(b->owner, json_get(out, "traceback"));
		const char *said = mem_printf(b->owner, "%s: %s",
		    json_word(out, "ename") ? json_word(out, "ename") : "Error",
		    json_word(out, "evalue") ? json_word(out, "evalue") : "");

		pre_write(b, *trace ? trace : said, " class=\"err\"", "");
	} else {
		data_write(b, data ? data : out, alt);
	}
}

static void
code_write(struct buf *b, const struct json *cell, const char *language)
{
	const struct json *no = json_get_as(cell, "execution_count", J_INT), *outs;
	const char *source, *count;

	no = no ? no : json_get_as(cell, "prompt_number", J_INT);
	count = no ? mem_printf(b->owner, "%lld", (long long)json_int(no)) : " ";
	source = text_of(b->owner, json_get(cell, json_get(cell, "source") ? "source" : "input"));
	buf_fmt(b, "<div class=\"cell\"><span class=\"no\">In [%s]</span>", count);
	pre_write(b, source, "", language);
	outs = json_get_as(cell, "outputs", J_ARR);
	if (json_len(outs))
		buf_fmt(b, "<span class=\"no\">Out [%s]</span>", count);
	for (size_t i = 0; i < json_len(outs); i++)
		output_write(b, json_at(outs, i), mem_printf(b->owner, "Output of cell %s", count));
	buf_str(b, "</div>\n");
}

static void
cell_write(struct buf *b, const struct json *cell, const char *language)
{
	const char *type = json_word(cell, "cell_type"), *text;

	if (str_eq(type, "code")) {
		code_write(b, cell, language);
		return;
	}
	text = text_of(b->owner, json_get(cell, "source"));
	buf_str(b, "<div class=\"cell\">");
	if (str_eq(type, "raw"))
		pre_write(b, text, "", "");
	else if (str_eq(type, "heading"))
		buf_str(b, "<h2>"), buf_html(b, text), buf_str(b, "</h2>");
	else
		view_html_put(b, markdown_math(b->owner, text, strlen(text), 1));
	buf_str(b, "</div>\n");
}

static const char *
language_of(const struct json *book)
{
	const struct json *meta = json_get_as(book, "metadata", J_OBJ);

	return json_word(json_get_as(meta, "language_info", J_OBJ), "name");
}

/* Returns the attribute of code in this language, by which the script colors it. */
static const char *
class_of(void *owner, const char *language)
{
	struct buf b = BUF(owner);

	if (!language)
		return "";
	buf_str(&b, " class=\"language-");
	buf_html(&b, str_lower(str_cut(owner, language, 40)));
	buf_chr(&b, '"');
	return buf_done(&b);
}

/* Adds the cells and returns how many there are; SIZE_MAX if the text is no notebook. */
static size_t
cells_write(struct ctx *c, const struct view_source *s, struct buf *b, const char **kernel)
{
	const struct json *sheets, *cells, *meta;
	const char *class, *name;
	struct json *book;
	size_t at;

	if (s->cut || json_wrong(c, s->text, s->n, &book, &at))
		return SIZE_MAX;
	sheets = json_get_as(book, "worksheets", J_ARR);
	cells = json_get_as(json_len(sheets) ? json_at(sheets, 0) : book, "cells", J_ARR);
	if (!cells)
		return SIZE_MAX;
	meta = json_get_as(book, "metadata", J_OBJ);
	name = json_word(json_get_as(meta, "kernelspec", J_OBJ), "display_name");
	*kernel = name ? name : language_of(book);
	class = class_of(c->mem, language_of(book));
	for (size_t i = 0; i < json_len(cells); i++)
		cell_write(b, json_at(cells, i), class);
	return json_len(cells);
}

bool
view_cells(struct ctx *c, const struct view_source *s, struct view_drawn *out)
{
	const char *kernel;

	*out = (struct view_drawn){ .html = BUF(c->mem) };
	return cells_write(c, s, &out->html, &kernel) != SIZE_MAX;
}

bool
view_notebook(struct ctx *c, const struct view_source *s, struct view_drawn *out)
{
	struct buf *b = &out->html, html = BUF(c->mem);
	const char *kernel;
	size_t n = cells_write(c, s, &html, &kernel);

	if (n == SIZE_MAX)
		return false;
	view_begin_file(b, s,
	    mem_printf(c->mem, "Notebook, %s%s%s",
		kernel ? str_cut(c->mem, str_one_line(c->mem, kernel), 40) : "",
		kernel ? ", " : "", str_count(c->mem, (int64_t)n, "cell")),
	    view_html_loads(buf_done(&html)));
	buf_str(b, "<main class=\"read\"><article>\n");
	buf_add(b, html.s, html.n);
	buf_str(b, "</article></main>");
	view_end(b);
	return true;
}
