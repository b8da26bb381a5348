/* SPDX-License-Identifier: Apache-2.0 */
#include "base/png.h"

#include <errno.h>
#include <png.h>

static enum err
png_decode(struct ctx *c, const char *where, const char *bytes, size_t n, png_image *image,
    uint8_t **pixels)
{
	*image = (png_image){ .version = PNG_IMAGE_VERSION };
	if (!png_image_begin_read_from_memory(image, bytes, n))
		return fail(c, E_INVALID, "%s: is not a PNG image", where);
	if (image->width > PNG_SIDE_MAX || image->height > PNG_SIDE_MAX) {
		png_image_free(image);
		return fail(c, E_INVALID, "%s: is %ux%u; at most %dx%d is allowed", where,
		    image->width, image->height, PNG_SIDE_MAX, PNG_SIDE_MAX);
	}
	image->format = PNG_FORMAT_RGBA;
	*pixels = mem_zalloc(c->mem, PNG_IMAGE_SIZE(*image));
	if (!png_image_finish_read(image, NULL, *pixels, 0, NULL) ||
	    image->warning_or_error & PNG_IMAGE_ERROR) {
		png_image_free(image);
		return fail(
		    c, E_INVALID, "%s: the PNG image is damaged: %s", where, image->message);
	}
	return E_OK;
}

enum err
png_check(struct ctx *c, const char *where, const char *bytes, size_t n, unsigned *w, unsigned *h)
{
	png_image image;
	uint8_t *pixels;

	TRY(png_decode(c, where, bytes, n, &image, &pixels));
	*w = image.width;
	*h = image.height;
	mem_free(pixels);
	return E_OK;
}

/* Sets out to the mean of the source pixels in box, weighted by their opacity. */
static void
pixels_mean(const uint8_t *src, const png_image *image, const unsigned box[4], uint8_t *out)
{
	uint64_t sum[4] = { 0 }, count = 0;

	for (unsigned y = box[1]; y < box[3]; y++) {
		for (unsigned x = box[0]; x < box[2]; x++) {
			const uint8_t *p = src + 4 * ((size_t)y * image->width + x);

			for (int i = 0; i < 3; i++)
				sum[i] += (uint64_t)p[i] * p[3];
			sum[3] += p[3];
			count++;
		}
	}
	for (int i = 0; i < 3; i++)
		out[i] = (uint8_t)(sum[3] ? sum[i] / sum[3] : 0);
	out[3] = (uint8_t)(count ? sum[3] / count : 0);
}

static void
pixels_scale(const uint8_t *src, const png_image *image, unsigned side, uint8_t *out)
{
	unsigned longer = image->width > image->height ? image->width : image->height;
	unsigned w = (unsigned)((uint64_t)image->width * side / longer),
		 h = (unsigned)((uint64_t)image->height * side / longer);
	unsigned left = (side - w) / 2, top = (side - h) / 2;

	for (unsigned y = 0; y < h; y++) {
		for (unsigned x = 0; x < w; x++) {
			unsigned box[4] = { x * image->width / w, y * image->height / h,
				(x + 1) * image->width / w, (y + 1) * image->height / h };

			box[2] += box[2] == box[0];
			box[3] += box[3] == box[1];
			pixels_mean(
			    src, image, box, out + 4 * ((size_t)(y + top) * side + x + left));
		}
	}
}

enum err
png_square(
    struct ctx *c, const char *bytes, size_t n, unsigned side, const char **out, size_t *out_n)
{
	png_image image,
	    made = { .version = PNG_IMAGE_VERSION,
		    .width = side,
		    .height = side,
		    .format = PNG_FORMAT_RGBA };
	uint8_t *pixels, *scaled = mem_zalloc(c->mem, 4 * (size_t)side * side);
	png_alloc_size_t size;
	char *png;

	TRY(png_decode(c, "icon", bytes, n, &image, &pixels));
	pixels_scale(pixels, &image, side, scaled);
	size = PNG_IMAGE_PNG_SIZE_MAX(made);
	png = mem_zalloc(c->mem, size);
	if (!png_image_write_to_memory(&made, png, &size, 0, scaled, 0, NULL)) {
		errno = 0;
		return fail_here(c, "png: %s", made.message);
	}
	*out = png;
	*out_n = size;
	return E_OK;
}
