/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/tableread.h"

#include "base/charset.h"
#include "base/json.h"
#include "base/str.h"

#include <string.h>
#include <sys/mman.h>

enum { PIECE = 64 << 10, ANSWER_BYTES = 64 << 20 };

/* ---- in the process apart ---- */

static enum err
file_map(struct ctx *c, int fd, int64_t size, const char **out)
{
	*out = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0) : "";
	return *out == MAP_FAILED ? fail_here(c, "mmap") : E_OK;
}

static enum err
asked_read(struct ctx *c, char *text, enum table_want *want, struct table_asked *out)
{
	const char *what = str_split(&text, '\n'), *page = str_split(&text, '\n'),
		   *sort = str_split(&text, '\n'), *sheet = str_split(&text, '\n'),
		   *size = str_split(&text, '\n'), *flags = str_split(&text, '\n');
	int64_t no;

	out->path = str_split(&text, '\n');
	out->q = text;
	if (!str_int(what, &no) || !page || !str_int(page, &out->page) || !sort ||
	    !str_int(sort, &out->sort) || !sheet || !str_int(sheet, &out->sheet) || !size ||
	    !str_int(size, &out->size) || !flags || strlen(flags) != 2 || !out->q)
		return fail(c, E_INVALID, "it isn't an order");
	*want = (enum table_want)no;
	out->json = flags[0] == '1';
	out->converted = flags[1] == '1';
	return E_OK;
}

/* A sheet's file begins with a line about its workbook (import/xlsx.h). */
static enum err
book_read(struct ctx *c, struct table_asked *asked, struct view_source *s)
{
	const char *end = memchr(s->text, '\n', s->n);
	const struct json *names;
	const char **v;
	struct json *head;

	if (!end)
		return fail_here(c, "a sheet without a first line");
	TRY(json_parse(c, s->text, (size_t)(end - s->text), &head));
	names = json_get(head, "sheets");
	asked->sheet_n = json_len(names);
	asked->sheets = v = mem_array(c->mem, const char *, asked->sheet_n + 1);
	for (size_t i = 0; i < asked->sheet_n; i++)
		v[i] = json_str(json_at(names, i));
	s->n -= (size_t)(end + 1 - s->text);
	s->text = end + 1;
	s->size = asked->size;
	return E_OK;
}

static enum err
source_open(struct ctx *c, const struct apart_file *f, struct table_asked *asked,
    const struct table_side *side, struct view_source *out)
{
	*out = (struct view_source){ .kind = VIEW_TABLE,
		.name = str_base(asked->path),
		.path = asked->path,
		.size = f->size,
		.n = (size_t)f->size };
	TRY(file_map(c, f->fd, f->size, &out->text));
	if (asked->sheet)
		TRY(book_read(c, asked, out));
	if (side && (side->as_is || asked->converted) && side->n <= out->n) {
		/* Only a byte order mark may be before it. */
		out->text += out->n - side->n;
		out->n = side->n;
	} else {
		out->text = charset_text(c->mem, out->text, &out->n, &out->charset);
	}
	return out->text ? E_OK : fail(c, E_INVALID, "it isn't text");
}

static enum err
answer_put(struct ctx *c, const struct apart_file *f, const char *bytes, size_t all)
{
	for (size_t at = 0, n; at < all; at += n) {
		n = all - at < PIECE ? all - at : PIECE;
		TRY(apart_file_put(c, f, bytes + at, n));
	}
	return E_OK;
}

enum err
table_work(struct ctx *c, const struct apart_file *f)
{
	struct view_drawn drawn = { .html = BUF(c->mem) };
	struct table_asked asked = { 0 };
	struct view_source s;
	enum table_want want;
	const char *side = NULL;

	TRY(asked_read(c, mem_strdup(c->mem, f->asked), &want, &asked));
	if (f->side_fd >= 0)
		TRY(file_map(c, f->side_fd, f->side_size, &side));
	TRY(source_open(c, f, &asked,
	    side ? table_side_of(side, (size_t)f->side_size) : NULL, &s));
	if (want == TABLE_TEXT)
		return answer_put(c, f, s.text, s.n);
	if (want == TABLE_FIRST && asked.sheet)
		TRY(table_first(c, &s, &asked, &drawn.html));
	else if (want == TABLE_FIRST)
		view_draw(c, &s, &drawn);
	else if (want == TABLE_SIDE)
		TRY(table_side_make(c, &s, asked.sort, &drawn.html));
	else
		TRY(table_page(
		    c, &s, &asked, side, side ? (size_t)f->side_size : 0, &drawn.html));
	return answer_put(c, f, drawn.html.s, drawn.html.n);
}

/* ---- in the caller's process ---- */

struct answer {
	struct ctx *c;
	struct buf *to;
};

static enum err
answer_take(void *arg, const void *bytes, size_t n)
{
	struct answer *a = arg;

	if (a->to->n + n > ANSWER_BYTES)
		return fail(a->c, E_LIMIT_REACHED, "it is too long");
	buf_add(a->to, bytes, n);
	return E_OK;
}

enum err
table_read(struct ctx *c, const struct apart_file *files, enum table_want want,
    const struct table_asked *asked, struct buf *out)
{
	struct answer a = { c, out };

	return apart_file_run(c, table_work, files,
	    mem_printf(c->mem, "%d\n%lld\n%lld\n%lld\n%lld\n%d%d\n%s\n%s", want,
		(long long)asked->page, (long long)asked->sort, (long long)asked->sheet,
		(long long)asked->size, asked->json, asked->converted, asked->path, asked->q),
	    answer_take, &a);
}
