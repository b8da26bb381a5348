/* SPDX-License-Identifier: Apache-2.0
 * What a file may be called that somebody sends: it becomes a name on somebody's disk, in a header,
 * in a list. */
#ifndef VITRINE_FILENAME_H
#define VITRINE_FILENAME_H
#include "store/spool.h"

enum { FILENAME_BYTES = 255 };
/* E_INVALID, which begins with `at`, for what can't be a filename. */
enum err filename_check(struct ctx *c, const char *at, const char *name);
/* The type by its bytes, else by its name, never by who sent it. */
enum err file_mime(struct ctx *c, const char *name, const struct span *, const char **mime);
#endif
