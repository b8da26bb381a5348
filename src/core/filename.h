/* SPDX-License-Identifier: Apache-2.0
 * Checks names of files that people send: such a name ends up on a disk, in a header, in a list. */
#ifndef VITRINE_FILENAME_H
#define VITRINE_FILENAME_H
#include "store/spool.h"

enum { FILENAME_BYTES = 255 };
/* E_INVALID, which begins with `at`, for what can't be a filename. */
enum err filename_check(struct ctx *c, const char *at, const char *name);
/* The name as every system takes it for a file of an archive: on Windows some characters and names
 * are none, nor may it end with a dot or a blank. */
const char *filename_portable(void *owner, const char *name);
/* The type by its bytes, else by its name, never by who sent it. */
enum err file_mime(struct ctx *c, const char *name, const struct span *, const char **mime);

/* The kind of a file of that type; core/file-icon.html has a picture for each. */
#define FILE_KINDS "picture|film|sound|document|archive|other"
const char *file_kind(const char *mime);
/* A regular expression that the types of a kind match. */
const char *file_kind_types(void *owner, const char *kind);
/* Whether a page draws it small by itself; a large picture isn't fetched for that. */
bool file_is_thumbnail(const char *mime, int64_t size);
#endif
