/* SPDX-License-Identifier: Apache-2.0
 * Which files of a folder are not published: those that base/leftout.def or .vitrineignore match,
 * in the language of gitignore(5): a pattern a line; # starts a comment; ! includes again; a slash
 * at the end matches folders only; one at the start or within matches from the top; ** crosses
 * folders; the last match decides. .git and the client's own files are never published. */
#ifndef VITRINE_IGNORE_H
#define VITRINE_IGNORE_H
#include <stdbool.h>

#define IGNORE_FILE ".vitrineignore"
enum { IGNORE_FILE_BYTES = 65536, IGNORE_RULES = 1024 };

struct ignore;
/* text: of .vitrineignore, or NULL. Returns NULL if it has more than IGNORE_RULES patterns. */
struct ignore *ignore_new(void *owner, const char *text);
/* Returns the patterns of base/leftout.def, separated by blanks. */
const char *ignore_always(void);
/* True for the client's own files, which it needn't report as left out. */
bool ignore_is_ours(const char *path);
/* path is relative to the folder. Doesn't check the folders above path; the caller must not descend
 * into one that is left out. */
bool ignore_leaves_out(const struct ignore *, const char *path, bool is_dir);
/* Also checks each folder above path. */
bool ignore_leaves_out_within(const struct ignore *, const char *path, bool is_dir);
#endif
