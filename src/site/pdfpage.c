/* SPDX-License-Identifier: Apache-2.0 */
#include "site/pdfpage.h"

#include "base/str.h"
#include "core/follow.h"
#include "core/role.h"
#include "site/seen.h"
#include "store/rounds.h"

enum {
	DAY_S = 86400,
	KEPT_S = 30 * DAY_S,
	AGAIN_S = 60,
	WAITING = 20 /* of an artifact; a page beyond them is asked for by a later look */
};

SHAPE_DEFINE(pdf_page, PDF_PAGE);
SHAPE_DEFINE(pdf_due, PDF_DUE);

/* ---- looking ---- */

#define PDF_ROW(F, T) \
	F(T, INT,  pages) \
	F(T, BOOL, locked) \
	F(T, BOOL, next,      .doc = "The page behind it has a row") \
	F(T, INT,  looked_at, .doc = "0: it has no row") \
	F(T, BOOL, made) \
	F(T, STR,  problem)
SHAPE(pdf_row, PDF_ROW);

static enum err
row_find(struct ctx *c, const char *artifact_id, const char *input, int64_t page,
    struct pdf_row **out)
{
	return db_one(c,
	    ROWS(pdf_row,
		"SELECT COALESCE(MAX(pages), 0) AS pages,"
		" COALESCE(MAX(problem = 'locked'), 0) AS locked,"
		" COALESCE(MAX(page_no = ? + 1), 0) AS next,"
		" COALESCE(MAX(IF(page_no = ?, looked_at, 0)), 0) AS looked_at,"
		" COALESCE(MAX(page_no = ? AND sha256 IS NOT NULL), 0) AS made,"
		" MAX(IF(page_no = ?, problem, NULL)) AS problem FROM pdf_page"
		" WHERE artifact_id = ? AND input_sha256 = UNHEX(?)"),
	    ARGS(page, page, page, page, artifact_id, input), out);
}

#define PDF_COUNTS(F, T) \
	F(T, INT, kept) \
	F(T, INT, waiting)
SHAPE(pdf_counts, PDF_COUNTS);

/* Has a page drawn, unless too many of the artifact wait. If it then has too many pictures, those
 * that nobody looked at for longest go. */
static enum err
page_want(struct ctx *c, const char *artifact_id, const char *input, int64_t page)
{
	struct pdf_counts *n;

	TRY(db_one(c,
	    ROWS(pdf_counts,
		"SELECT COUNT(*) AS kept, COUNT(due_at) AS waiting FROM pdf_page"
		" WHERE artifact_id = ?"),
	    ARGS(artifact_id), &n));
	if (n->waiting >= WAITING)
		return E_OK;
	if (n->kept >= PDF_PAGES)
		TRY(db_exec(c,
		    EXEC("DELETE FROM pdf_page WHERE artifact_id = ?"
			 " ORDER BY looked_at, input_sha256, page_no LIMIT ?"),
		    ARGS(artifact_id, n->kept - PDF_PAGES + 1), NULL));
	return db_exec(c,
	    EXEC("INSERT IGNORE INTO pdf_page (artifact_id, input_sha256, page_no, due_at,"
		 " looked_at) VALUES (?, UNHEX(?), ?, ?, ?)"),
	    ARGS(artifact_id, input, page, c->now, c->now), NULL);
}

static bool
has_program(struct ctx *c)
{
	return seen_rooms(c, ROOM_PDF) && seen_rooms(c, ROOM_PAGES);
}

static const char *
page_status(struct ctx *c, const struct version_file *f, const struct pdf_row *row, int64_t page)
{
	return row->made                           ? "made"
	    : row->locked                          ? "locked"
	    : row->pages && page > row->pages      ? "beyond"
	    : page > PDF_PAGES                     ? "late"
	    : f->size_bytes > ROOM_INPUT           ? "large"
	    : row->problem                         ? row->problem
	    : has_program(c)                       ? "waiting"
						   : "unavailable";
}

enum err
pdf_page_look(struct ctx *c, const char *artifact_id, const struct version_file *f, int64_t page,
    struct pdf_page **out)
{
	struct pdf_page *p = *out = mem_new(c->mem, struct pdf_page);
	struct pdf_row *row;

	TRY(row_find(c, artifact_id, f->sha256, page, &row));
	*p = (struct pdf_page){
		.page = page, .pages = row->pages, .status = page_status(c, f, row, page)
	};
	if (row->looked_at && row->looked_at <= c->now - DAY_S)
		/* Once a day it is noted that somebody looked, and a failure is tried again. */
		TRY(db_exec(c,
		    EXEC("UPDATE pdf_page SET looked_at = ?,"
			 " attempts = IF(problem = 'failed', 0, attempts),"
			 " due_at = IF(problem = 'failed', ?, due_at),"
			 " problem = NULLIF(problem, 'failed')"
			 " WHERE artifact_id = ? AND input_sha256 = UNHEX(?) AND page_no = ?"),
		    ARGS(c->now, c->now, artifact_id, f->sha256, page), NULL));
	if (!row->looked_at && str_eq(p->status, "waiting"))
		TRY(page_want(c, artifact_id, f->sha256, page));
	return row->made && !row->next && page < row->pages && page < PDF_PAGES
	    ? page_want(c, artifact_id, f->sha256, page + 1)
	    : E_OK;
}

#define PDF_PICTURE(F, T) F(T, STR, sha256)
SHAPE(pdf_picture, PDF_PICTURE);

enum err
pdf_page_find(struct ctx *c, const char *artifact_id, const char *input_sha256, int64_t page,
    const char **picture)
{
	struct pdf_picture *row;

	TRY(db_find(c,
	    ROWS(pdf_picture,
		"SELECT sha256 FROM pdf_page WHERE artifact_id = ? AND input_sha256 = UNHEX(?)"
		" AND page_no = ? AND sha256 IS NOT NULL"),
	    ARGS(artifact_id, input_sha256, page), &row));
	if (!row)
		return fail(c, E_NOT_FOUND, "page: there is no picture of page %lld",
		    (long long)page);
	*picture = row->sha256;
	return E_OK;
}

enum err
pdf_pages_count(struct ctx *c, const char *artifact_id, const char *input_sha256, int64_t page,
    int64_t *pages)
{
	struct pdf_row *row;

	page = page <= PDF_PAGES ? page : 1;
	TRY(row_find(c, artifact_id, input_sha256, page, &row));
	*pages = row->pages;
	return row->pages || row->looked_at || row->locked || !has_program(c)
	    ? E_OK
	    : page_want(c, artifact_id, input_sha256, page);
}

/* ---- for the runner ---- */

#define PDF_IS_MINE \
	" artifact_id = ? AND input_sha256 = UNHEX(?) AND page_no = ? AND due_at = ?" \
	" AND attempts = ?"
#define PDF_MINE(d) (d)->artifact_id, (d)->input_sha256, (d)->page_no, (d)->due_at, (d)->attempts

/* Reads what drawing the page needs. Deletes a page that needn't be drawn any more; then *out is
 * NULL. */
static enum err
lease_fill(struct ctx *c, struct pdf_due *d, struct pdf_due **out)
{
	TRY(db_find(c,
	    ROWS(pdf_due,
		"SELECT p.artifact_id, p.input_sha256, p.page_no, p.due_at, p.attempts,"
		" COALESCE((SELECT MAX(o.pages) FROM pdf_page o"
		" WHERE o.artifact_id = p.artifact_id AND o.input_sha256 = p.input_sha256), 0)"
		" AS pages FROM pdf_page p JOIN artifact a ON a.id = p.artifact_id"
		" WHERE p.artifact_id = ? AND p.input_sha256 = UNHEX(?) AND p.page_no = ?"
		" AND " ARTIFACT_IS_AWAKE " AND (SELECT 1 FROM version_file f"
		" FORCE INDEX (version_file_sha256) WHERE f.sha256 = p.input_sha256"
		" AND f.artifact_id = p.artifact_id LIMIT 1) IS NOT NULL"),
	    ARGS(d->artifact_id, d->input_sha256, d->page_no), out));
	return *out ? E_OK
		    : db_exec(c, EXEC("DELETE FROM pdf_page WHERE" PDF_IS_MINE), ARGS(PDF_MINE(d)),
			  NULL);
}

enum err
pdf_page_lease(struct ctx *c, bool *any, struct pdf_due **out)
{
	struct pdf_due *d;
	int64_t mine;

	*out = NULL;
	TRY(db_find(c,
	    ROWS(pdf_due,
		"SELECT artifact_id, input_sha256, page_no, due_at, attempts, 0 AS pages"
		" FROM pdf_page WHERE due_at <= ? ORDER BY due_at LIMIT 1"),
	    ARGS(c->now), &d));
	*any = d != NULL;
	if (!d)
		return E_OK;
	TRY(db_exec(c,
	    EXEC("UPDATE pdf_page SET due_at = ?, attempts = attempts + 1 WHERE" PDF_IS_MINE),
	    ARGS(c->now + PDF_LEASE_S, PDF_MINE(d)), &mine));
	d->due_at = c->now + PDF_LEASE_S;
	d->attempts++;
	return mine ? lease_fill(c, d, out) : E_OK;
}

enum err
pdf_page_keep(struct ctx *c, const struct pdf_due *d, int64_t pages, const struct object *picture,
    const char *problem)
{
	return db_exec(c,
	    EXEC("UPDATE pdf_page SET due_at = NULL, attempts = 0, pages = NULLIF(?, 0),"
		 " problem = ?, sha256 = ?, size_bytes = ? WHERE" PDF_IS_MINE),
	    ARGS(pages, problem, arg_sha256(picture ? picture->sha256 : NULL),
		arg_opt(picture != NULL, picture ? picture->size : 0), PDF_MINE(d)),
	    NULL);
}

enum err
pdf_page_fail(struct ctx *c, const struct pdf_due *d, bool counts)
{
	if (counts && d->attempts >= PDF_ATTEMPTS)
		return pdf_page_keep(c, d, d->pages, NULL, "failed");
	return db_exec(c,
	    EXEC("UPDATE pdf_page SET due_at = ?, attempts = attempts - ? WHERE" PDF_IS_MINE),
	    ARGS(c->now + (AGAIN_S << 2 * d->attempts), !counts, PDF_MINE(d)), NULL);
}

enum err
pdf_page_lost(struct ctx *c, const uint8_t sha256[SHA256_BYTES])
{
	return db_exec(c,
	    EXEC("UPDATE pdf_page SET due_at = ?, attempts = 0, sha256 = NULL, size_bytes = NULL"
		 " WHERE sha256 = ?"),
	    ARGS(c->now, ((struct bytes){ sha256, SHA256_BYTES })), NULL);
}

/* ---- when other things change ---- */

/* Deletes the pages of files that only a removed version had. */
static enum err
version_passed(struct ctx *c, const struct happened *h)
{
	return h->version_no
	    ? db_exec(c,
		  EXEC("DELETE FROM pdf_page WHERE artifact_id = ? AND (SELECT 1"
		       " FROM version_file f FORCE INDEX (version_file_sha256)"
		       " WHERE f.sha256 = pdf_page.input_sha256"
		       " AND f.artifact_id = pdf_page.artifact_id LIMIT 1) IS NULL"),
		  ARGS(h->artifact_id), NULL)
	    : E_OK;
}

static enum err
pages_reap(struct ctx *c, int64_t limit, int64_t *done)
{
	return db_exec(c, EXEC("DELETE FROM pdf_page WHERE looked_at < ? LIMIT ?"),
	    ARGS(c->now - KEPT_S, limit), done);
}

FOLLOWS(pdfpage, { VERSION_PASSED, version_passed });
PURGES(pdfpage, ROWS_OF(pdf_page));
ROUNDS(pdfpage, { "pages of PDFs", .rows = pages_reap });
