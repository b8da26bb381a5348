/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/preview.h"

#include "assets/preview.h"
#include "base/log.h"
#include "base/png.h"
#include "base/str.h"
#include "ext/room.h"

enum {
	SIDE = 640,
	MADE_BYTES = 2 << 20, /* the most from the program */
	KEPT_BYTES = 512 << 10,
	TOLD_BYTES = 64 << 10 /* the most from pdfinfo */
};

static enum err
room_said(struct ctx *c, enum room_kind kind, int input, size_t most, const char **bytes,
    size_t *n)
{
	struct room *room;
	enum err e;

	TRY(room_open(c, kind, input, &room));
	e = room_output(c, room, most, bytes, n);
	mem_free(room);
	return e;
}

/* Reads the number of pages from pdfinfo; 0 if there is none. */
static enum err
pages_count(struct ctx *c, int input, int64_t *pages)
{
	const char *text, *at;
	char *digits;
	size_t n;

	*pages = 0;
	TRY(room_said(c, ROOM_PAGES, input, TOLD_BYTES, &text, &n));
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
preview_make(struct ctx *c, const struct preview_due *d, struct object *o, int64_t *pages)
{
	uint8_t sha256[SHA256_BYTES];
	const char *made, *png;
	struct batch *batch;
	size_t made_n, n;
	int64_t size;
	int input;

	*pages = 0;
	if (!crypto_unhex(d->input_sha256, sha256, sizeof sha256))
		return fail(c, E_INVALID, "no digest");
	TRY(object_open(c, sha256, &input, &size));
	if (!d->film && size > ROOM_INPUT)
		return fail(c, E_INVALID, "the file is too large");
	TRY(room_said(
	    c, d->film ? ROOM_FILM : ROOM_PDF, input, MADE_BYTES, &made, &made_n));
	TRY(png_fit(c, made, made_n, SIDE, KEPT_BYTES, &png, &n));
	if (!d->film)
		TRY(pages_count(c, input, pages));
	TRY(batch_begin(c, &batch));
	TRY(batch_put(c, batch, png, n, o));
	return batch_sync(c, batch);
}

/* Makes and stores the picture, in a context of its own, because the store's sweeper waits for its
 * end. */
static enum err
due_run(struct ctx *c, const struct preview_due *d, const char **none)
{
	struct ctx *one = ctx_begin(c->conf, c->db);
	struct object o;
	int64_t pages;
	enum err e = preview_make(one, d, &o, &pages);

	if (e == E_UNAVAILABLE)
		*none = mem_strdup(c->mem, ctx_why(one));
	if (!e)
		e = preview_keep(one, d, &o, pages);
	log_line(LOG_LEVEL_INFO, e ? "no preview" : "preview", "of", d->input_sha256,
	    e ? "why" : NULL, ctx_why(one), NULL);
	ctx_end(one);
	return e;
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
	return *any && due_run(c, d, none) ? preview_fail(c, d, !*none) : E_OK;
}
