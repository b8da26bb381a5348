/* SPDX-License-Identifier: Apache-2.0 */
#include "site/tablepage.h"

#include "base/crypto.h"
#include "base/shape.h"
#include "base/str.h"
#include "db/db.h"
#include "ext/tableread.h"
#include "import/xlsx.h"
#include "store/object.h"
#include "store/side.h"

#include <unistd.h>

enum { PAGE_MOST = 1000000, SHEETS_MOST = 200 };

#define TABLE_FILE(F, T) \
	F(T, STR, sha256) \
	F(T, INT, size_bytes)
SHAPE(table_file, TABLE_FILE);

static enum err
number_read(struct ctx *c, const char *name, const char *value, int64_t least, int64_t most,
    int64_t *out)
{
	if (!*value)
		return E_OK;
	if (!str_int(value, out) || *out < least || *out > most || !*out)
		return fail(c, E_INVALID, "%s can’t be “%s”.", name, str_cut(c->mem, value, 40));
	return E_OK;
}

static enum err
member_read(struct ctx *c, const char *name, const char *value, struct table_asked *out)
{
	if (str_eq(name, "page"))
		return number_read(c, "page", value, 1, PAGE_MOST, &out->page);
	if (str_eq(name, "sort"))
		return number_read(
		    c, "sort", value, -VIEW_COLUMNS, VIEW_COLUMNS, &out->sort);
	if (str_eq(name, "sheet") && out->sheet)
		return number_read(c, "sheet", value, 1, SHEETS_MOST, &out->sheet);
	if (!str_eq(name, "q"))
		return E_OK;
	out->q = str_one_line(c->mem, value);
	return str_chars(out->q) <= TABLE_FIND_CHARS
	    ? E_OK
	    : fail(c, E_INVALID, "A text to find has at most %d characters.", TABLE_FIND_CHARS);
}

/* Other names are ignored: links of mails and of other sites add some. */
static enum err
query_read(struct ctx *c, const char *query, struct table_asked *out)
{
	char *rest = mem_strdup(c->mem, query), *name;

	while ((name = str_split(&rest, '&'))) {
		char *value = strchr(name, '=');

		if (!value)
			continue;
		*value++ = '\0';
		if (!str_unescape(value, true))
			return fail(c, E_INVALID, "The address isn’t properly encoded.");
		TRY(member_read(c, name, value, out));
	}
	return E_OK;
}

/* ---- the file ---- */

/* Opens the file that has the rows: the table, or a workbook's sheet as text, which is made first
 * if it isn't there. */
static enum err
rows_open(struct ctx *c, const char *sha256, const struct table_asked *asked,
    struct apart_file *files)
{
	uint8_t digest[SHA256_BYTES];
	struct buf text = BUF(c->mem);
	struct span book;
	const char *name;

	*files = (struct apart_file){ .side_fd = -1 };
	if (!crypto_unhex(sha256, digest, sizeof digest))
		return fail_here(c, "%s is not a digest", sha256);
	TRY(object_open(c, digest, &files->fd, &files->size));
	if (!asked->sheet)
		return E_OK;
	book = (struct span){ .fd = files->fd, .n = files->size };
	name = mem_printf(c->mem, "sheet-1.%s.%lld", sha256, (long long)asked->sheet);
	TRY(side_open(c, name, &files->fd, &files->size));
	if (files->fd >= 0)
		return E_OK;
	TRY(xlsx_sheet(c, &book, asked->sheet, &text));
	TRY(side_put(c, name, buf_done(&text), text.n));
	return side_open(c, name, &files->fd, &files->size);
}

enum err
tablepage_first(
    struct ctx *c, const char *sha256, int64_t size, const char *path, struct buf *html)
{
	const struct table_asked first = { .path = path,
		.page = 1,
		.q = "",
		.sheet = view_kind_is_book(path),
		.size = size };
	struct apart_file files;

	TRY(rows_open(c, sha256, &first, &files));
	return table_read(c, &files, TABLE_FIRST, &first, html);
}

/* ---- the side ---- */

static bool
side_is_sound(const struct apart_file *files, struct table_side *start)
{
	return files->side_fd >= 0 &&
	    pread(files->side_fd, start, sizeof *start, 0) == (ssize_t)sizeof *start &&
	    table_side_of((const char *)start, (size_t)files->side_size);
}

/* Opens the side, and has it made first if there is none. It depends on the bytes and on which kind
 * of table the name tells. */
static enum err
side_ready(struct ctx *c, const struct table_file *file, const struct table_asked *asked,
    struct apart_file *files)
{
	const char *name = mem_printf(c->mem, "table-1.%s.%s.%lld.%lld", file->sha256,
	    view_kind_said(c->mem, asked->path), (long long)asked->sheet,
	    (long long)asked->sort);
	struct buf side = BUF(c->mem);
	struct table_side start;

	TRY(side_open(c, name, &files->side_fd, &files->side_size));
	if (side_is_sound(files, &start))
		return E_OK;
	files->side_fd = -1;
	TRY(table_read(c, files, TABLE_SIDE, asked, &side));
	TRY(side_put(c, name, buf_done(&side), side.n));
	return side_open(c, name, &files->side_fd, &files->side_size);
}

/* Has a file that isn't UTF-8 converted, and takes its text for the file. A text that is too long
 * isn't kept, but converted for each page. */
static enum err
text_ready(struct ctx *c, const char *sha256, struct table_asked *asked, struct apart_file *files)
{
	const char *name = mem_printf(c->mem, "text-1.%s", sha256);
	const struct table_asked whole = { .path = asked->path, .page = 1, .q = "" };
	struct buf text = BUF(c->mem);
	struct table_side start;
	struct apart_file as = *files;
	enum err e;

	if (!side_is_sound(files, &start) || start.as_is)
		return E_OK;
	TRY(side_open(c, name, &as.fd, &as.size));
	if (as.fd < 0 || as.size != (int64_t)start.n) {
		e = table_read(c, files, TABLE_TEXT, &whole, &text);
		if (e == E_LIMIT_REACHED) {
			ctx_forgive(c);
			return E_OK;
		}
		TRY(e);
		TRY(side_put(c, name, buf_done(&text), text.n));
		TRY(side_open(c, name, &as.fd, &as.size));
	}
	asked->converted = true;
	*files = as;
	return E_OK;
}

enum err
tablepage_make(struct ctx *c, const char *artifact_id, int64_t no, const char *path,
    const char *query, bool json, struct buf *out, bool *found)
{
	struct table_asked asked = { .path = path,
		.json = json,
		.page = 1,
		.q = "",
		.sheet = view_kind_is_book(path) };
	struct apart_file files;
	struct table_file *file;

	TRY(db_find(c,
	    ROWS(table_file,
		"SELECT f.sha256, f.size_bytes FROM view w JOIN version_file f"
		" ON f.artifact_id = w.artifact_id AND f.version_no = w.version_no"
		" AND f.path = w.source WHERE w.artifact_id = ? AND w.version_no = ?"
		" AND w.path = ? AND w.source = ? AND w.kind = 'table'"),
	    ARGS(artifact_id, no, mem_printf(c->mem, "%s.html", path), path), &file));
	*found = file && file->size_bytes <= TABLE_BYTES;
	if (!*found)
		return E_OK;
	TRY(query_read(c, query, &asked));
	asked.size = file->size_bytes;
	TRY(rows_open(c, file->sha256, &asked, &files));
	TRY(side_ready(c, file, &asked, &files));
	TRY(text_ready(c, file->sha256, &asked, &files));
	return table_read(c, &files, TABLE_PAGE, &asked, out);
}
