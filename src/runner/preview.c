/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/preview.h"

#include "assets/preview.h"
#include "base/log.h"
#include "base/png.h"
#include "base/str.h"
#include "ext/room.h"
#include "site/pdfpage.h"
#include "talk/place.h"

enum {
	SIDE = 640,
	MADE_BYTES = 2 << 20, /* largest picture that pdftoppm or ffmpeg may print */
	KEPT_BYTES = 512 << 10,
	TOLD_BYTES = 1 << 20, /* longest output of pdfinfo */
	PAGE_SIDE = 1280,
	PAGE_MADE_BYTES = 8 << 20,
	PAGES_MOST = 1000000 /* a PDF that claims more pages is refused */
};

/* Runs the program of a room, and returns what it prints. */
static enum err
output_read(struct ctx *c, enum room_kind kind, int input, int page, size_t most,
    const char **bytes, size_t *n)
{
	struct room *room;
	enum err e;

	TRY(room_open(c, kind, input, page, &room));
	e = room_output(c, room, most, bytes, n);
	mem_free(room);
	return e;
}

/* Makes and stores something in a context of its own, because the store's sweeper waits for the
 * context's end. *none: why no room could be made. */
static enum err
make_alone(struct ctx *c, enum err (*make)(struct ctx *one, const void *due), const void *due,
    const char *what, const char *of, const char **none)
{
	struct ctx *one = ctx_begin(c->conf, c->db);
	enum err e = make(one, due);

	if (e == E_UNAVAILABLE)
		*none = mem_strdup(c->mem, ctx_why(one));
	log_line(LOG_LEVEL_INFO, e ? mem_printf(c->mem, "no %s", what) : what, "of", of,
	    e ? "why" : NULL, ctx_why(one), NULL);
	ctx_end(one);
	return e;
}

/* Opens the file of a digest. */
static enum err
input_open(struct ctx *c, const char *hex, int *input, int64_t *size)
{
	uint8_t sha256[SHA256_BYTES];

	return crypto_unhex(hex, sha256, sizeof sha256) ? object_open(c, sha256, input, size)
							: fail(c, E_INVALID, "no digest");
}

/* Reads the number of pages from pdfinfo; 0 if there is none. *locked: it wants a password. */
static enum err
pages_count(struct ctx *c, int input, int64_t *pages, bool *locked)
{
	const char *text, *at;
	char *digits;
	size_t n;

	*pages = 0;
	TRY(output_read(c, ROOM_PAGES, input, 0, TOLD_BYTES, &text, &n));
	*locked = strstr(text, "Incorrect password") != NULL;
	at = strstr(text, "\nPages:");
	if (!at)
		return E_OK;
	for (at += strlen("\nPages:"); *at == ' '; at++)
		;
	digits = mem_strndup(c->mem, at, strspn(at, "0123456789"));
	if (!str_int(digits, pages))
		*pages = 0;
	return E_OK;
}

static enum err
preview_make(struct ctx *c, const void *due)
{
	const struct preview_due *d = due;
	const char *made, *png;
	struct batch *batch;
	struct object o;
	size_t made_n, n;
	int64_t size, pages = 0;
	bool locked;
	int input;

	TRY(input_open(c, d->input_sha256, &input, &size));
	if (!d->film && size > ROOM_INPUT)
		return fail(c, E_INVALID, "the file is too large");
	TRY(output_read(
	    c, d->film ? ROOM_FILM : ROOM_PDF, input, 1, MADE_BYTES, &made, &made_n));
	TRY(png_fit(c, made, made_n, SIDE, KEPT_BYTES, &png, &n));
	if (!d->film)
		TRY(pages_count(c, input, &pages, &locked));
	TRY(batch_begin(c, &batch));
	TRY(batch_put(c, batch, png, n, &o));
	TRY(batch_sync(c, batch));
	return preview_keep(c, d, &o, pages);
}

enum err
preview_one(struct ctx *c, bool *any, const char **none)
{
	static const enum room_kind by[] = { ROOM_PDF, ROOM_FILM };
	struct preview_due *d = NULL;

	*any = false;
	for (int film = 0; film < 2 && !d; film++)
		if (room_program(c->mem, c->conf, by[film]))
			TRY(preview_next(c, film, &d));
	if (!d)
		return E_OK;
	TRY(preview_take(c, d, any));
	return *any && make_alone(c, preview_make, d, "preview", d->input_sha256, none)
	    ? preview_fail(c, d, !*none)
	    : E_OK;
}

/* ---- a page ---- */

struct page_made {
	int64_t pages;
	const char *problem;
	struct object *picture;
};

static enum err
page_draw(struct ctx *c, int input, int page, struct object **out)
{
	struct raster whole, small;
	struct batch *batch;
	const char *made, *png;
	size_t made_n, n;

	TRY(output_read(c, ROOM_PDF, input, page, PAGE_MADE_BYTES, &made, &made_n));
	TRY(png_read(c, "page", made, made_n, &whole));
	TRY(raster_fit(c, &whole, PAGE_SIDE, &small));
	TRY(png_pack(c, &small, PDF_PAGE_BYTES, &png, &n)); /* a page may be blank */
	TRY(batch_begin(c, &batch));
	*out = mem_new(c->mem, struct object);
	TRY(batch_put(c, batch, png, n, *out));
	return batch_sync(c, batch);
}

/* A page that the PDF doesn't have has no picture, which isn't a failure. */
static enum err
page_make(struct ctx *c, const struct pdf_due *d, struct page_made *m)
{
	bool locked = false;
	int64_t size;
	int input;

	*m = (struct page_made){ .pages = d->pages };
	TRY(input_open(c, d->input_sha256, &input, &size));
	if (size > ROOM_INPUT)
		m->problem = "large";
	else if (!m->pages)
		TRY(pages_count(c, input, &m->pages, &locked));
	if (locked)
		m->problem = "locked";
	if (m->problem)
		return E_OK;
	if (m->pages < 1 || m->pages > PAGES_MOST)
		return fail(c, E_INVALID, "its pages can't be counted");
	return d->page_no > m->pages ? E_OK : page_draw(c, input, (int)d->page_no, &m->picture);
}

/* Once a PDF's pages are counted, remarks on pages that it doesn't have are looked for again. */
static enum err
page_run(struct ctx *c, const void *due)
{
	const struct pdf_due *d = due;
	struct page_made m;

	TRY(page_make(c, d, &m));
	TRY(pdf_page_keep(c, d, m.pages, m.picture, m.problem));
	return m.pages && !d->pages ? places_again(c, d->artifact_id, d->input_sha256) : E_OK;
}

enum err
pdf_page_one(struct ctx *c, bool *any, const char **none)
{
	struct pdf_due *d;

	*any = false;
	if (!room_program(c->mem, c->conf, ROOM_PDF) || !room_program(c->mem, c->conf, ROOM_PAGES))
		return E_OK;
	TRY(pdf_page_lease(c, any, &d));
	return d && make_alone(c, page_run, d, "page", d->input_sha256, none)
	    ? pdf_page_fail(c, d, !*none)
	    : E_OK;
}
