/* SPDX-License-Identifier: Apache-2.0
 * JPEG images. Only jpeg.c sees libjpeg. An image's dimensions are checked before it is decoded. */
#ifndef VITRINE_JPEG_H
#define VITRINE_JPEG_H
#include "base/raster.h"

/* E_INVALID, naming where, when it is not a JPEG, is damaged, is too large or CMYK, or when it has
 * so many scans that it was made to be slow. */
enum err
jpeg_read(struct ctx *c, const char *where, const char *bytes, size_t n, struct raster *out);
#endif
