/* SPDX-License-Identifier: Apache-2.0
 * Paths of published files. Checked once, at publish; from then on they are only names beneath a
 * directory handle. Source: site/README.md. */
#ifndef VITRINE_PATH_H
#define VITRINE_PATH_H
#include "base/ctx.h"

/* Relative, NFC, no empty, "." or ".." segment, nothing invisible, at most 1,024 bytes and 255 a
 * segment. where names it in the refusal. */
enum err path_check(struct ctx *c, const char *where, const char *path);
/* No two that fold to the same, none that is a directory of another. */
enum err path_set_check(struct ctx *c, const char *const *paths, size_t n);
#endif
