/* SPDX-License-Identifier: Apache-2.0
 * PNG icons. png.c alone sees libpng. Dimensions are judged before anything is decoded. */
#ifndef VITRINE_PNG_H
#define VITRINE_PNG_H
#include "base/ctx.h"

enum { PNG_SIDE_MAX = 4096 };

/* E_INVALID, naming where: not a PNG, damaged, or larger than PNG_SIDE_MAX on a side. */
enum err
png_check(struct ctx *c, const char *where, const char *bytes, size_t n, unsigned *w, unsigned *h);
/* side x side, the picture centred on transparency. The same bytes give the same result. */
enum err png_square(
    struct ctx *c, const char *bytes, size_t n, unsigned side, const char **out, size_t *out_n);
#endif
