/* SPDX-License-Identifier: Apache-2.0 */
#include "base/raster.h"

#include "base/sniff.h"
#include "base/str.h"

enum err
raster_new(struct ctx *c, const char *where, unsigned w, unsigned h, struct raster *out)
{
	if (!w || !h || w > RASTER_SIDE_MAX || h > RASTER_SIDE_MAX)
		return fail(c, E_INVALID, "%s: is %ux%u; the maximum is %dx%d", where, w, h,
		    RASTER_SIDE_MAX, RASTER_SIDE_MAX);
	*out = (struct raster){ w, h, mem_zalloc(c->mem, 4 * (size_t)w * h) };
	return E_OK;
}

enum err
raster_read(struct ctx *c, const char *where, const char *bytes, size_t n, struct raster *out)
{
	const char *mime = sniff_mime("", bytes, n < SNIFF_BYTES ? n : SNIFF_BYTES);

	if (str_eq(mime, "image/png"))
		return png_read(c, where, bytes, n, out);
	if (str_eq(mime, "image/jpeg"))
		return jpeg_read(c, where, bytes, n, out);
	if (str_eq(mime, "image/webp"))
		return webp_read(c, where, bytes, n, out);
	return fail(c, E_MEDIA_TYPE,
	    "%s: isn't a PNG, JPEG or WebP image, whatever its name or type says; "
	    "send one of those",
	    where);
}

/* Sets out to the mean of the pixels in box, weighted by opacity. */
static void
pixels_mean(const struct raster *src, const unsigned box[4], uint8_t *out)
{
	uint64_t sum[4] = { 0 }, count = 0;

	for (unsigned y = box[1]; y < box[3]; y++) {
		for (unsigned x = box[0]; x < box[2]; x++) {
			const uint8_t *p = src->rgba + 4 * ((size_t)y * src->w + x);

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

void
raster_draw(const struct raster *src, unsigned w, unsigned h, struct raster *out, unsigned left,
    unsigned top)
{
	for (unsigned y = 0; y < h; y++) {
		for (unsigned x = 0; x < w; x++) {
			unsigned box[4] = { x * src->w / w, y * src->h / h, (x + 1) * src->w / w,
				(y + 1) * src->h / h };

			box[2] += box[2] == box[0];
			box[3] += box[3] == box[1];
			pixels_mean(
			    src, box, out->rgba + 4 * ((size_t)(y + top) * out->w + x + left));
		}
	}
}

enum err
raster_fit(struct ctx *c, const struct raster *src, unsigned side, struct raster *out)
{
	unsigned longer = src->w > src->h ? src->w : src->h, w = src->w, h = src->h;

	*out = *src;
	if (longer <= side)
		return E_OK;
	w = (unsigned)((uint64_t)w * side / longer);
	h = (unsigned)((uint64_t)h * side / longer);
	TRY(raster_new(c, "image", w ? w : 1, h ? h : 1, out));
	raster_draw(src, out->w, out->h, out, 0, 0);
	return E_OK;
}
