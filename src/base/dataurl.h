/* SPDX-License-Identifier: Apache-2.0
 * Reads data: URLs (RFC 2397) of images in base64. Anything else fails with E_INVALID, naming
 * `where`. Doesn't check that the bytes are an image. */
#ifndef VITRINE_DATAURL_H
#define VITRINE_DATAURL_H
#include "base/ctx.h"

/* types: the allowed image types, such as "png|jpeg". *bytes lives in c->mem. */
enum err data_url_parse(struct ctx *c, const char *where, const char *types, const char *s,
    const char **bytes, size_t *n);
#endif
