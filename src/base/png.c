/* SPDX-License-Identifier: Apache-2.0 */
#include "base/png.h"

#include <errno.h>
#include <png.h>
#include <string.h>

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
png_square(
    struct ctx *c, const char *bytes, size_t n, unsigned side, const char **out, size_t *out_n)
{
	png_image image,
	    made = { .version = PNG_IMAGE_VERSION,
		    .width = side,
		    .height = side,
		    .format = PNG_FORMAT_RGBA };
	uint8_t *pixels, *scaled = mem_zalloc(c->mem, 4 * (size_t)side * side);

	TRY(png_decode(c, "icon", bytes, n, &image, &pixels));
	pixels_scale(pixels, &image, side, scaled);
	return png_encode(c, &made, scaled, out, out_n);
}

/* From RGBA to RGB, with so many bits of each: black and white stay what they are. False when all
 * pixels are alike. */
static bool
pixels_plain(const uint8_t *rgba, size_t count, unsigned bits, uint8_t *rgb)
{
	unsigned most = (1U << bits) - 1;
	bool differ = false;

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < 3; k++)
			rgb[3 * i + k] = (uint8_t)((rgba[4 * i + k] >> (8 - bits)) * 255U / most);
		differ |= memcmp(rgba, rgba + 4 * i, 3) != 0;
	}
	return differ;
}

enum err
png_rewrite(struct ctx *c, const char *bytes, size_t n, unsigned w, unsigned h, size_t max,
    const char **out, size_t *out_n)
{
	size_t count = (size_t)w * h;
	png_image image, made = { .version = PNG_IMAGE_VERSION,
				 .width = w,
				 .height = h,
				 .format = PNG_FORMAT_RGB };
	uint8_t *pixels, *plain = mem_zalloc(c->mem, 3 * count);

	TRY(png_decode(c, "picture", bytes, n, &image, &pixels));
	if (image.width != w || image.height != h)
		return fail(c, E_INVALID, "picture: is %ux%u and should be %ux%u", image.width,
		    image.height, w, h);
	for (unsigned bits = 8; bits >= 2; bits--) {
		if (!pixels_plain(pixels, count, bits, plain))
			return fail(c, E_INVALID, "picture: all of it has one colour");
		TRY(png_encode(c, &made, plain, out, out_n));
		if (*out_n <= max)
			return E_OK;
	}
	return fail(c, E_INVALID, "picture: has %zu bytes; at most %zu are kept", *out_n, max);
}
