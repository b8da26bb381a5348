/* SPDX-License-Identifier: Apache-2.0
 * Finds what differs between two pictures of a page. Rows that are equal are matched first, so a
 * band that was inserted is one box and not everything below it. Between matched rows, blocks of
 * 8 x 8 pixels are compared. What a browser rounds otherwise, since it moved by part of a pixel,
 * isn't framed: a pixel that is a row higher or lower, and one or two rows more or less. */
#ifndef VITRINE_RASTERDIFF_H
#define VITRINE_RASTERDIFF_H
#include "base/buf.h"
#include "base/raster.h"
#include "base/shape.h"

enum { RASTER_BOXES = 50, PAIR_BYTES = 512 << 10 };

#define RASTER_BOX(F, T) \
	F(T, INT, x) \
	F(T, INT, y) \
	F(T, INT, w) \
	F(T, INT, h)
SHAPE_DECLARE(raster_box, RASTER_BOX);

#define RASTER_SIDE(F, T) \
	F(T, INT,  width) \
	F(T, INT,  height) \
	F(T, LIST, boxes, .sub = &raster_box_shape, .doc = "At most 50")
SHAPE_DECLARE(raster_side, RASTER_SIDE);

#define RASTER_DIFF(F, T) \
	F(T, NUM, changed, .lo = 0, .hi = 1) /* share of the larger one, to four decimals */ \
	F(T, OBJ, from,    .sub = &raster_side_shape) \
	F(T, OBJ, to,      .sub = &raster_side_shape)
SHAPE_DECLARE(raster_diff, RASTER_DIFF);

/* Compares two pictures of the same width. changed is 0 if they look equal: colors that differ by
 * 16 of 255 at most count as equal. Lives in c->mem. */
void rasters_diff(struct ctx *c, const struct raster *from, const struct raster *to,
    struct raster_diff *out);

/* For ext/apart.h: in is two PNGs, each after its length; out is the difference as JSON and, if
 * there is one, the two pictures written anew, of at most PAIR_BYTES each (scaled down, if they
 * need more), each of the three after its length. pair_put() writes such a part, pair_take() reads
 * one: false if there is none. */
enum err pair_work(struct ctx *c, const char *in, size_t n, struct buf *out);
void pair_put(struct buf *b, const char *bytes, size_t n);
bool pair_take(const char **in, size_t *n, const char **bytes, size_t *bytes_n);
#endif
