/* SPDX-License-Identifier: Apache-2.0
 * Pictures as their pixels: RGBA, four bytes each, row by row from the top. What an image of
 * somebody's says beside them is lost, on purpose. */
#ifndef VITRINE_RASTER_H
#define VITRINE_RASTER_H
#include "base/ctx.h"

#include <stdint.h>

enum { RASTER_SIDE_MAX = 4096 };

struct raster {
	unsigned w, h;
	uint8_t *rgba; /* in c->mem */
};

/* Makes room for one. E_INVALID, naming where, for more than RASTER_SIDE_MAX on a side. */
enum err raster_new(struct ctx *c, const char *where, unsigned w, unsigned h, struct raster *out);
/* Of one format, each in its own file (png.c, jpeg.c, webp.c); dimensions are checked before
 * anything is decoded. E_INVALID, naming where, for what is not of the format, is damaged, or is
 * too large; for a JPEG that is CMYK, or has so many scans that it was made to be slow; for a WebP
 * that moves. */
enum err
png_read(struct ctx *c, const char *where, const char *bytes, size_t n, struct raster *out);
enum err
jpeg_read(struct ctx *c, const char *where, const char *bytes, size_t n, struct raster *out);
enum err
webp_read(struct ctx *c, const char *where, const char *bytes, size_t n, struct raster *out);
/* Decodes a PNG, JPEG or WebP image, told by its first bytes. E_MEDIA_TYPE for anything else,
 * E_INVALID when it is damaged or too large. */
enum err raster_read(struct ctx *c, const char *where, const char *bytes, size_t n,
    struct raster *out);
/* Draws it w x h pixels large into `out` at left, top; each pixel is the mean of those it stands
 * for, weighted by their opacity. */
void raster_draw(const struct raster *, unsigned w, unsigned h, struct raster *out, unsigned left,
    unsigned top);
/* The same picture, no side longer than `side`. */
enum err raster_fit(struct ctx *c, const struct raster *, unsigned side, struct raster *out);
#endif
