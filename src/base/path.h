/* SPDX-License-Identifier: Apache-2.0
 * Paths of published files. Checked once, at publish; from then on they are only names beneath a
 * directory handle. Source: site/README.md. */
#ifndef VITRINE_PATH_H
#define VITRINE_PATH_H
#include "base/ctx.h"

/* Relative, NFC, no empty, "." or ".." segment, nothing invisible, at most 1,024 bytes and 255 a
 * segment. where names it in the refusal. *path is composed (NFC) if it isn't yet: a Mac sends its
 * names in decomposed form. */
enum err path_check(struct ctx *c, const char *where, const char **path);
/* Bytes that may be no path at all, as text of some 1,024 bytes: \xNN for each that can't be
 * shown. */
const char *path_shown(void *owner, const char *bytes, size_t n);
/* The length of the folder, with its slash, that holds all n paths; 0 when none does. */
size_t path_wrapper(const char *const *paths, size_t n);
/* No two that fold to the same, none that is a directory of another. */
enum err path_set_check(struct ctx *c, const char *const *paths, size_t n);
#endif
