/* SPDX-License-Identifier: Apache-2.0
 * Checks names of uploaded files. A name ends up on a disk, in a header, and in a list. */
#ifndef VITRINE_FILENAME_H
#define VITRINE_FILENAME_H
#include "store/spool.h"

enum { FILENAME_BYTES = 255 };
/* E_INVALID, whose message begins with `at`, if it can't be a filename. */
enum err filename_check(struct ctx *c, const char *at, const char *name);
/* Returns the name in a form that every system accepts for a file of an archive. Windows forbids
 * some characters and names, and a dot or blank at the end. */
const char *filename_portable(void *owner, const char *name);
/* Returns the type by the file's bytes, or by its name. We ignore the type that the sender
 * claims. */
enum err file_mime(struct ctx *c, const char *name, const struct span *, const char **mime);

/* Returns the kind of files of a type; core/file-icon.html has a picture for each kind. */
#define FILE_KINDS "picture|film|sound|document|archive|other"
const char *file_kind(const char *mime);
/* A regular expression for the types of a kind. */
const char *file_kind_types(void *owner, const char *kind);
/* True if pages show the file itself as its small picture. A large one would take too long to
 * load. */
bool file_is_thumbnail(const char *mime, int64_t size);
#endif
