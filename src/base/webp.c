/* SPDX-License-Identifier: Apache-2.0
 * Reads WebP images. Only this file includes libwebp. */
#include "base/raster.h"

#include <webp/decode.h>

enum err
webp_read(struct ctx *c, const char *where, const char *bytes, size_t n, struct raster *out)
{
	WebPBitstreamFeatures f;

	if (WebPGetFeatures((const uint8_t *)bytes, n, &f) != VP8_STATUS_OK)
		return fail(c, E_INVALID, "%s: isn't a WebP image", where);
	if (f.has_animation)
		return fail(c, E_INVALID, "%s: is animated; send a still image", where);
	TRY(raster_new(c, where, (unsigned)f.width, (unsigned)f.height, out));
	return WebPDecodeRGBAInto((const uint8_t *)bytes, n, out->rgba,
		   4 * (size_t)out->w * out->h, (int)(4 * out->w))
	    ? E_OK
	    : fail(c, E_INVALID, "%s: the WebP image is damaged", where);
}
