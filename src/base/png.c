/* SPDX-License-Identifier: Apache-2.0 */
#include "base/png.h"

#include <errno.h>
#include <png.h>
#include <string.h>

enum err
png_read(struct ctx *c, const char *where, const char *bytes, size_t n, struct raster *out)
{
	png_image image = { .version = PNG_IMAGE_VERSION };
	enum err e;

	if (!png_image_begin_read_from_memory(&image, bytes, n))
		return fail(c, E_INVALID, "%s: isn't a PNG image", where);
	e = raster_new(c, where, image.width, image.height, out);
	if (e) {
		png_image_free(&image);
		return e;
	}
	image.format = PNG_FORMAT_RGBA;
	if (!png_image_finish_read(&image, NULL, out->rgba, 0, NULL) ||
	    image.warning_or_error & PNG_IMAGE_ERROR) {
		png_image_free(&image);
		return fail(
		    c, E_INVALID, "%s: the PNG image is damaged: %s", where, image.message);
	}
	return E_OK;
}

static enum err
png_encode(struct ctx *c, png_image *made, const uint8_t *pixels, const char **out, size_t *out_n)
{
	png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(*made);
	char *png = mem_zalloc(c->mem, size);

	if (!png_image_write_to_memory(made, png, &size, 0, pixels, 0, NULL)) {
		errno = 0;
		return fail_here(c, "png: %s", made->message);
	}
	*out = png;
	*out_n = size;
	return E_OK;
}

enum err
png_write(struct ctx *c, const struct raster *r, const char **out, size_t *out_n)
{
	png_image made = { .version = PNG_IMAGE_VERSION,
		.width = r->w,
		.height = r->h,
		.format = PNG_FORMAT_RGBA };

	return png_encode(c, &made, r->rgba, out, out_n);
}

enum err
png_check(struct ctx *c, const char *where, const char *bytes, size_t n, unsigned *w, unsigned *h)
{
	struct raster image;

	TRY(png_read(c, where, bytes, n, &image));
	*w = image.w;
	*h = image.h;
	mem_free(image.rgba);
	return E_OK;
}

enum err
png_square(
    struct ctx *c, const char *bytes, size_t n, unsigned side, const char **out, size_t *out_n)
{
	struct raster image, square;
	unsigned longer, w, h;

	TRY(png_read(c, "icon", bytes, n, &image));
	TRY(raster_new(c, "icon", side, side, &square));
	longer = image.w > image.h ? image.w : image.h;
	w = (unsigned)((uint64_t)image.w * side / longer);
	h = (unsigned)((uint64_t)image.h * side / longer);
	raster_draw(&image, w, h, &square, (side - w) / 2, (side - h) / 2);
	return png_write(c, &square, out, out_n);
}

/* Converts RGBA to RGB with `bits` bits per colour; black and white don't change. */
static void
pixels_plain(const uint8_t *rgba, size_t count, unsigned bits, uint8_t *rgb)
{
	unsigned most = (1U << bits) - 1;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < 3; k++)
			rgb[3 * i + k] = (uint8_t)((rgba[4 * i + k] >> (8 - bits)) * 255U / most);
}

enum err
png_pack(struct ctx *c, const struct raster *r, size_t max, const char **out, size_t *out_n)
{
	size_t count = (size_t)r->w * r->h;
	png_image made = { .version = PNG_IMAGE_VERSION,
		.width = r->w,
		.height = r->h,
		.format = PNG_FORMAT_RGB };
	uint8_t *plain = mem_zalloc(c->mem, 3 * count);

	for (int bits = 8; bits >= 2; bits--) {
		pixels_plain(r->rgba, count, (unsigned)bits, plain);
		TRY(png_encode(c, &made, plain, out, out_n));
		if (*out_n <= max)
			break;
		mem_free((void *)(uintptr_t)*out);
		/* Fewer shades hardly save more than five sixths. */
		bits = *out_n > 6 * max ? 0 : *out_n > 2 * max && bits > 3 ? bits - 1 : bits;
	}
	mem_free(plain);
	if (*out_n <= max)
		return E_OK;
	return fail(c, E_INVALID, "picture: is %zu bytes; the maximum is %zu", *out_n, max);
}

/* png_pack() for a picture that must show something. */
static enum err
pixels_pack(struct ctx *c, const struct raster *r, size_t max, const char **out, size_t *out_n)
{
	size_t count = (size_t)r->w * r->h;

	for (size_t i = 1; i < count; i++)
		if (memcmp(r->rgba, r->rgba + 4 * i, 3) != 0)
			return png_pack(c, r, max, out, out_n);
	return fail(c, E_INVALID, "picture: is all one color");
}

enum err
png_rewrite(struct ctx *c, const char *bytes, size_t n, unsigned w, unsigned h, size_t max,
    const char **out, size_t *out_n)
{
	struct raster image;

	TRY(png_read(c, "picture", bytes, n, &image));
	if (image.w != w || image.h != h)
		return fail(c, E_INVALID, "picture: is %ux%u but must be %ux%u", image.w,
		    image.h, w, h);
	return pixels_pack(c, &image, max, out, out_n);
}

enum err
png_commonest(struct ctx *c, const char *bytes, size_t n, double *share)
{
	enum { BITS = 5, COLOURS = 1 << 3 * BITS };
	struct raster image;
	uint32_t *times, most = 0;
	size_t count;

	TRY(png_read(c, "picture", bytes, n, &image));
	count = (size_t)image.w * image.h;
	times = mem_zalloc(c->mem, COLOURS * sizeof *times);
	for (size_t i = 0; i < count; i++) {
		const uint8_t *p = image.rgba + 4 * i;
		size_t at = (size_t)p[0] >> 3 << 2 * BITS | (size_t)p[1] >> 3 << BITS | p[2] >> 3;

		most = ++times[at] > most ? times[at] : most;
	}
	*share = (double)most / (double)count;
	mem_free(times);
	mem_free(image.rgba);
	return E_OK;
}

enum err
png_fit(struct ctx *c, const char *bytes, size_t n, unsigned side, size_t max, const char **out,
    size_t *out_n)
{
	struct raster image, small;

	TRY(png_read(c, "picture", bytes, n, &image));
	TRY(raster_fit(c, &image, side, &small));
	return pixels_pack(c, &small, max, out, out_n);
}
