/* SPDX-License-Identifier: Apache-2.0 */
#include "store/workbook.h"

#include "base/buf.h"
#include "base/conf.h"
#include "base/str.h"
#include "store/archive.h"
#include "store/object.h"
#include "store/temp.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <xlsxwriter.h>

struct workbook {
	lxw_workbook *book;
	lxw_worksheet *sheet;
	lxw_format *head, *moments[WORKBOOK_SHOWS];
	/* The library writes rows here as XML, and closes it at its end only. */
	FILE *rows;
	struct temp *temp;
	lxw_row_t row;
	lxw_col_t column;
	lxw_error failed; /* the first */
};

static void
workbook_drop(void *arg)
{
	struct workbook *w = arg;

	if (w->book)
		lxw_workbook_free(w->book);
	if (w->rows)
		fclose(w->rows);
}

static enum err
book_new(struct ctx *c, struct workbook *w, const char *name)
{
	static const char *const formats[] = { "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss",
		"yyyy-mm-dd hh:mm:ss.000" };
	const char *data = c->conf->data_dir;
	/* Excel reserves the name History. */
	const char *title = strcasecmp(name, "history") == 0
	    ? mem_printf(w, "%s_", name)
	    : mem_strndup(w, name, strnlen(name, WORKBOOK_NAME_CHARS));
	/* The library keeps the pointer to tmpdir. */
	lxw_workbook_options options = { .constant_memory = LXW_TRUE,
		.tmpdir = mem_printf(w, "%s/%.5s", data, w->temp->path) };

	w->book = workbook_new_opt(mem_printf(w, "%s/%s", data, w->temp->path), &options);
	w->sheet = w->book ? workbook_add_worksheet(w->book, title) : NULL;
	w->head = w->sheet ? workbook_add_format(w->book) : NULL;
	for (int i = 0; w->head && i < WORKBOOK_SHOWS; i++) {
		w->moments[i] = workbook_add_format(w->book);
		if (!w->moments[i])
			return fail_here(c, "a workbook's format can't be made");
		format_set_num_format(w->moments[i], formats[i]);
	}
	if (!w->head)
		return fail_here(c, "a workbook can't be begun");
	w->rows = w->sheet->optimize_tmpfile;
	format_set_bold(w->head);
	worksheet_freeze_panes(w->sheet, 1, 0);
	return E_OK;
}

/* The library doesn't say why a write failed. Almost always, the disk is full. */
static enum err
write_failed(struct ctx *c, const char *why)
{
	errno = ENOSPC;
	return fail_here(c, "a workbook can't be written: %s", why);
}

enum err
workbook_begin(struct ctx *c, void *owner, const char *name, struct workbook **out)
{
	struct workbook *w = mem_new(owner, struct workbook);
	int root;

	*w = (struct workbook){ 0 };
	TRY(store_share(c, w));
	TRY(store_root(c, w, &root));
	TRY(temp_new(c, w, root, &w->temp));
	mem_defer(w, workbook_drop, w);
	*out = w;
	return book_new(c, w, name);
}

/* ---- cells ---- */

static void
cell_done(struct workbook *w, lxw_error e)
{
	w->column++;
	if (!w->failed)
		w->failed = e;
}

/* True at "_x0041_", which readers would take for an A. */
static bool
is_escape(const char *s)
{
	return s[0] == '_' && s[1] == 'x' && isxdigit((unsigned char)s[2]) &&
	    isxdigit((unsigned char)s[3]) && isxdigit((unsigned char)s[4]) &&
	    isxdigit((unsigned char)s[5]) && s[6] == '_';
}

/* U+FFFE and U+FFFF, which can't be in XML. */
static bool
is_nonchar(const char *s)
{
	return (unsigned char)s[0] == 0xef && (unsigned char)s[1] == 0xbf &&
	    ((unsigned char)s[2] | 1) == 0xbf;
}

/* Escapes what the library doesn't. It does so with control characters. Source: ECMA-376, part 1,
 * 22.9.2.19. */
static const char *
text_escaped(void *owner, const char *text)
{
	struct buf b = BUF(owner);
	const char *from = text;

	for (const char *s = text; *s; s++) {
		if (!is_escape(s) && !is_nonchar(s))
			continue;
		buf_add(&b, from, (size_t)(s - from));
		if (*s == '_') {
			buf_str(&b, "_x005F_");
			from = s + 1;
		} else {
			buf_fmt(&b, "_xFFF%c_", (unsigned char)s[2] == 0xbf ? 'F' : 'E');
			from = s + 3;
			s += 2;
		}
	}
	if (from == text)
		return text;
	buf_str(&b, from);
	return buf_done(&b);
}

void
workbook_head(struct workbook *w, const char *name, unsigned width)
{
	worksheet_set_column(w->sheet, w->column, w->column, width, NULL);
	cell_done(w, worksheet_write_string(w->sheet, w->row, w->column, name, w->head));
}

void
workbook_text(struct workbook *w, const char *text)
{
	void *mine;

	if (!text || !*text) {
		w->column++;
		return;
	}
	mine = mem_zalloc(w, 0);
	cell_done(w,
	    worksheet_write_string(
		w->sheet, w->row, w->column, text_escaped(mine, text), NULL));
	mem_free(mine);
}

void
workbook_number(struct workbook *w, double v)
{
	cell_done(w, worksheet_write_number(w->sheet, w->row, w->column, v, NULL));
}

void
workbook_bool(struct workbook *w, bool v)
{
	cell_done(w, worksheet_write_boolean(w->sheet, w->row, w->column, v, NULL));
}

void
workbook_moment(struct workbook *w, int64_t ms, enum workbook_shows shows)
{
	enum { DAYS_TO_1970 = 25569 };
	double days = (double)ms / 86400000 + DAYS_TO_1970;

	cell_done(w,
	    worksheet_write_number(w->sheet, w->row, w->column, days, w->moments[shows]));
}

enum err
workbook_row_end(struct ctx *c, struct workbook *w)
{
	lxw_worksheet_write_single_row(w->sheet);
	w->row++;
	w->column = 0;
	if (w->failed)
		return fail_here(c, "a workbook's cell: %s", lxw_strerror(w->failed));
	if (ferror(w->rows))
		return write_failed(c, "rows");
	if (ftello(w->rows) <= WORKBOOK_BYTES)
		return E_OK;
	return fail(c, E_INVALID,
	    "format: These rows are too large for a workbook, whose limit is %lld MB. Export them "
	    "as CSV, or choose fewer rows or columns",
	    (long long)(WORKBOOK_BYTES >> 20));
}

/* ---- the end ---- */

/* Facts about a workbook that is read back. */
struct check {
	int64_t sheet; /* bytes of its sheet */
	char last;     /* of the part that is being read */
	bool in_sheet, damaged;
};

static enum err
part_begin(void *arg, struct ctx *c, const char *path)
{
	struct check *k = arg;

	(void)c;
	k->in_sheet = str_eq(path, "xl/worksheets/sheet1.xml");
	k->last = '\0';
	return E_OK;
}

static enum err
part_data(void *arg, struct ctx *c, const void *bytes, size_t n)
{
	struct check *k = arg;
	const char *s = bytes;

	(void)c;
	k->sheet += k->in_sheet ? (int64_t)n : 0;
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	k->last = n ? s[n - 1] : k->last;
	return E_OK;
}

static enum err
part_end(void *arg, struct ctx *c)
{
	struct check *k = arg;

	(void)c;
	k->damaged |= k->last != '>';
	return E_OK;
}

/* rows: bytes of the rows, which the sheet must have at least. */
static enum err
book_check(struct ctx *c, int fd, int64_t rows)
{
	const struct archive_limits limits = { .max_files = 100, .max_file_bytes = INT64_MAX,
		.max_total_bytes = INT64_MAX, .max_ratio = INT32_MAX };
	struct check k = { 0 };
	const struct archive_sink sink = { part_begin, part_data, part_end, &k };
	struct stat st;

	if (fstat(fd, &st))
		return fail_here(c, "a workbook can't be read");
	TRY(archive_read(c, &(struct span){ .fd = fd, .n = st.st_size }, &limits, &sink));
	return k.damaged || k.sheet <= rows ? fail(c, E_INVALID, "it lacks bytes") : E_OK;
}

enum err
workbook_end(struct ctx *c, struct workbook *w, void *fd_owner, int *fd)
{
	int64_t rows = ftello(w->rows);
	lxw_workbook *book = w->book;
	lxw_error e;

	if (fflush(w->rows) || ferror(w->rows))
		return write_failed(c, "rows");
	w->book = NULL;
	w->rows = NULL;
	e = workbook_close(book);
	if (e)
		return write_failed(c, lxw_strerror(e));
	if (book_check(c, w->temp->fd, rows))
		return write_failed(c, c->message ? c->message : "it can't be read back");
	*fd = mem_fd(fd_owner, fcntl(w->temp->fd, F_DUPFD_CLOEXEC, 0));
	return *fd < 0 ? fail_here(c, "a workbook can't be kept") : E_OK;
}
