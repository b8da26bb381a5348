/* SPDX-License-Identifier: Apache-2.0
 * WebP images. Only webp.c sees libwebp. An image's dimensions are checked before it is decoded. */
#ifndef VITRINE_WEBP_H
#define VITRINE_WEBP_H
#include "base/raster.h"

/* E_INVALID, naming where, when it is not a WebP, is damaged, too large, or moves. */
enum err
webp_read(struct ctx *c, const char *where, const char *bytes, size_t n, struct raster *out);
#endif
