/* SPDX-License-Identifier: Apache-2.0
 * PNG images. Only png.c sees libpng. An image's dimensions are checked before it is decoded. */
#ifndef VITRINE_PNG_H
#define VITRINE_PNG_H
#include "base/raster.h"

/* The same pixels always give the same bytes. */
enum err png_write(struct ctx *c, const struct raster *, const char **out, size_t *out_n);
/* Decodes an image only to check it. E_INVALID, as png_read(). */
enum err
png_check(struct ctx *c, const char *where, const char *bytes, size_t n, unsigned *w, unsigned *h);
/* Decodes an image that must have w x h pixels and writes it anew as RGB, without what else was in
 * it, in at most max bytes: with fewer shades where it takes more. E_INVALID also when all pixels
 * are alike, since that shows nothing. */
enum err png_rewrite(struct ctx *c, const char *bytes, size_t n, unsigned w, unsigned h, size_t max,
    const char **out, size_t *out_n);
/* Whether all its pixels are alike. E_INVALID, as png_read(). */
enum err png_blank(struct ctx *c, const char *bytes, size_t n, bool *blank);
/* Decodes an image of any size and writes it anew likewise, no side longer than `side`. */
enum err png_fit(struct ctx *c, const char *bytes, size_t n, unsigned side, size_t max,
    const char **out, size_t *out_n);
/* Scales an image to side x side pixels, centred on a transparent ground. The same bytes always
 * give the same result. */
enum err png_square(
    struct ctx *c, const char *bytes, size_t n, unsigned side, const char **out, size_t *out_n);
#endif
