/* SPDX-License-Identifier: Apache-2.0
 * Pictures as pixels: RGBA, four bytes each, row by row from the top. Metadata of the source image
 * is dropped on purpose. */
#ifndef VITRINE_RASTER_H
#define VITRINE_RASTER_H
#include "base/ctx.h"

#include <stdint.h>

enum { RASTER_SIDE_MAX = 4096 };

struct raster {
	unsigned w, h;
	uint8_t *rgba; /* in c->mem */
};

/* Allocates a picture. Fails with E_INVALID, naming `where`, if a side is 0 or longer than
 * RASTER_SIDE_MAX. */
enum err raster_new(struct ctx *c, const char *where, unsigned w, unsigned h, struct raster *out);
/* Decode one format each (png.c, jpeg.c, webp.c), after checking the dimensions. E_INVALID, naming
 * `where`, if the image is of another format, damaged or too large; if a JPEG is CMYK or has too
 * many scans; if a WebP is animated. */
enum err
png_read(struct ctx *c, const char *where, const char *bytes, size_t n, struct raster *out);
enum err
jpeg_read(struct ctx *c, const char *where, const char *bytes, size_t n, struct raster *out);
enum err
webp_read(struct ctx *c, const char *where, const char *bytes, size_t n, struct raster *out);
/* Decodes a PNG, JPEG or WebP image; its first bytes decide which. E_MEDIA_TYPE for other formats,
 * E_INVALID if it is damaged or too large. */
enum err raster_read(struct ctx *c, const char *where, const char *bytes, size_t n,
    struct raster *out);
/* Draws the picture, scaled to w x h pixels, into `out` at left, top. Each pixel is the mean of the
 * pixels that it covers, weighted by opacity. */
void raster_draw(const struct raster *, unsigned w, unsigned h, struct raster *out, unsigned left,
    unsigned top);
/* Scales the picture down so that no side is longer than `side`. *out may share the pixels of src.
 */
enum err raster_fit(struct ctx *c, const struct raster *, unsigned side, struct raster *out);
#endif
