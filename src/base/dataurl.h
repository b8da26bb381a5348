/* SPDX-License-Identifier: Apache-2.0
 * Reads data: URLs (RFC 2397) of PNG images in base64, which is what pwa.icon may be. E_INVALID,
 * naming where, for anything else; the image itself is not looked at. */
#ifndef VITRINE_DATAURL_H
#define VITRINE_DATAURL_H
#include "base/ctx.h"

enum err data_url_parse(struct ctx *c, const char *where, const char *s, const char **mime,
    const char **bytes, size_t *n);
#endif
