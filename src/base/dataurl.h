/* SPDX-License-Identifier: Apache-2.0
 * Reads data: URLs (RFC 2397) of images in base64. E_INVALID, naming where, for anything else; the
 * image itself is not looked at. */
#ifndef VITRINE_DATAURL_H
#define VITRINE_DATAURL_H
#include "base/ctx.h"

/* types: those that it may have, as "png|jpeg". */
enum err data_url_parse(struct ctx *c, const char *where, const char *types, const char *s,
    const char **bytes, size_t *n);
#endif
