/* SPDX-License-Identifier: Apache-2.0
 * Reads JPEG images. Only this file includes libjpeg. */
#include "base/raster.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

/* Progressive images from cameras and editors have about ten. */
enum { SCANS_MAX = 100 };

struct jpeg_work {
	/* must be first: libjpeg passes its address, which is ours too */
	struct jpeg_error_mgr errors;
	struct jpeg_decompress_struct d;
	struct jpeg_progress_mgr progress;
	jmp_buf out;
	char why[JMSG_LENGTH_MAX];
	enum err e;
};

/* libjpeg requires that this doesn't return. */
static void
jpeg_fatal(j_common_ptr info)
{
	struct jpeg_work *w = (struct jpeg_work *)info->err;

	info->err->format_message(info, w->why);
	longjmp(w->out, 1);
}

/* libjpeg's warnings mean missing or broken data, so they fail the image. */
static void
jpeg_message(j_common_ptr info, int level)
{
	if (level < 0)
		jpeg_fatal(info);
}

/* Each scan goes over the whole picture, even if it has only a few bytes. */
static void
jpeg_progress(j_common_ptr info)
{
	struct jpeg_work *w = (struct jpeg_work *)info->err;

	if (w->d.input_scan_number <= SCANS_MAX)
		return;
	snprintf(w->why, sizeof w->why, "it has more than %d scans", SCANS_MAX);
	longjmp(w->out, 1);
}

static void
jpeg_pixels(
    struct jpeg_work *w, struct ctx *c, const char *where, const char *bytes, size_t n,
    struct raster *out)
{
	jpeg_mem_src(&w->d, (const unsigned char *)bytes, (unsigned long)n);
	jpeg_read_header(&w->d, TRUE);
	w->e = raster_new(c, where, w->d.image_width, w->d.image_height, out);
	if (w->e)
		return;
	w->d.out_color_space = JCS_EXT_RGBA;
	w->d.progress = &w->progress;
	w->progress.progress_monitor = jpeg_progress;
	jpeg_start_decompress(&w->d);
	while (w->d.output_scanline < w->d.output_height) {
		JSAMPROW row = out->rgba + 4 * (size_t)out->w * w->d.output_scanline;

		jpeg_read_scanlines(&w->d, &row, 1);
	}
	jpeg_finish_decompress(&w->d);
}

enum err
jpeg_read(struct ctx *c, const char *where, const char *bytes, size_t n, struct raster *out)
{
	struct jpeg_work *w = mem_new(c->mem, struct jpeg_work);

	w->d.err = jpeg_std_error(&w->errors);
	w->errors.error_exit = jpeg_fatal;
	w->errors.emit_message = jpeg_message;
	if (setjmp(w->out)) {
		jpeg_destroy_decompress(&w->d);
		return fail(c, E_INVALID, "%s: the JPEG image can't be read: %s", where, w->why);
	}
	jpeg_create_decompress(&w->d);
	jpeg_pixels(w, c, where, bytes, n, out);
	jpeg_destroy_decompress(&w->d);
	return w->e;
}
