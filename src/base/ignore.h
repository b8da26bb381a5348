/* SPDX-License-Identifier: Apache-2.0
 * What of a folder is not published: what base/leftout.def says, and what .vitrineignore says, in
 * the language of gitignore(5): a pattern a line, # for comments, ! takes something in again, a
 * slash at the end means folders only, one at the start or within binds the pattern to the top, **
 * crosses folders, the last pattern that matches decides. .git and what the client keeps for itself
 * never go. */
#ifndef VITRINE_IGNORE_H
#define VITRINE_IGNORE_H
#include <stdbool.h>

#define IGNORE_FILE ".vitrineignore"
enum { IGNORE_FILE_BYTES = 65536, IGNORE_RULES = 1024 };

struct ignore;
/* text: of .vitrineignore, or NULL. NULL: it has more than IGNORE_RULES patterns. */
struct ignore *ignore_new(void *owner, const char *text);
/* The patterns of base/leftout.def, with a blank between them. */
const char *ignore_always(void);
/* What the client keeps for itself: nobody wonders where it is. */
bool ignore_is_ours(const char *path);
/* path is relative to the folder. A folder that is left out is not looked into. */
bool ignore_leaves_out(const struct ignore *, const char *path, bool is_dir);
/* The same where nobody has looked into its folders so far: it is left out with them. */
bool ignore_leaves_out_within(const struct ignore *, const char *path, bool is_dir);
/* The pattern matcher alone; takes time in proportion to both lengths' product, whatever the
 * pattern. */
bool ignore_match(const char *pattern, const char *path);
#endif
