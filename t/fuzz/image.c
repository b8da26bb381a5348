/* SPDX-License-Identifier: Apache-2.0
 * Images that somebody sends: whatever is in them, they are refused or become a PNG. */
#include "base/png.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

enum { SIDE = 64 };

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx *c = ctx_begin(NULL, NULL);
	struct raster whole, small;
	const char *png;
	size_t png_n;
	unsigned w, h;

	if (raster_read(c, "file", (const char *)data, n, &whole) == E_OK &&
	    (raster_fit(c, &whole, SIDE, &small) || png_write(c, &small, &png, &png_n) ||
		png_check(c, "made", png, png_n, &w, &h) || w > SIDE || h > SIDE))
		abort();
	ctx_end(c);
	return 0;
}
