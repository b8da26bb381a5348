/* SPDX-License-Identifier: Apache-2.0
 * Reads and writes PNG images. Checks an image's dimensions before decoding it. Only png.c includes
 * libpng. */
#ifndef VITRINE_PNG_H
#define VITRINE_PNG_H
#include "base/raster.h"

/* Deterministic: equal pixels give equal bytes. *out lives in c->mem, here and below. */
enum err png_write(struct ctx *c, const struct raster *, const char **out, size_t *out_n);
/* Encodes a picture as RGB without metadata in at most max bytes, with fewer shades if necessary.
 * E_INVALID if it needs more. */
enum err png_pack(
    struct ctx *c, const struct raster *, size_t max, const char **out, size_t *out_n);
/* Decodes an image to check it, and frees the pixels. Fails like png_read(). */
enum err
png_check(struct ctx *c, const char *where, const char *bytes, size_t n, unsigned *w, unsigned *h);
/* Decodes an image that must have w x h pixels and encodes it as RGB without metadata in at most
 * max bytes, with fewer shades if necessary. E_INVALID also if all pixels are equal. */
enum err png_rewrite(struct ctx *c, const char *bytes, size_t n, unsigned w, unsigned h, size_t max,
    const char **out, size_t *out_n);
/* *share: which part of the pixels, 0 to 1, has the commonest color. Colors that differ in the last
 * three of eight bits count as one. Fails like png_read(). */
enum err png_commonest(struct ctx *c, const char *bytes, size_t n, double *share);
/* Like png_rewrite(), but scales an image of any size down so that no side is longer than `side`.
 */
enum err png_fit(struct ctx *c, const char *bytes, size_t n, unsigned side, size_t max,
    const char **out, size_t *out_n);
/* Scales an image into side x side pixels, centred on a transparent ground. Deterministic. */
enum err png_square(
    struct ctx *c, const char *bytes, size_t n, unsigned side, const char **out, size_t *out_n);
#endif
