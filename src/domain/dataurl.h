/* SPDX-License-Identifier: Apache-2.0
 * data: URLs (RFC 2397) of PNG images in base64: what pwa.icon may be. */
#ifndef VITRINE_DATAURL_H
#define VITRINE_DATAURL_H
#include "base/ctx.h"

enum err data_url_parse(struct ctx *c, const char *where, const char *s, const char **mime,
    const char **bytes, size_t *n);
#endif
