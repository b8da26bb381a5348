/* SPDX-License-Identifier: Apache-2.0
 * What of a folder is not published: names that begin with a dot, but .well-known; node_modules;
 * and what .vitrineignore says, in the language of gitignore(5): a pattern a line, # for comments,
 * ! takes something in again, a slash at the end means folders only, one at the start or within
 * binds the pattern to the top, ** crosses folders, the last pattern that matches decides. .git and
 * what the client keeps for itself never go. */
#ifndef VITRINE_CLI_IGNORE_H
#define VITRINE_CLI_IGNORE_H
#include "cli/cli.h"

enum { IGNORE_FILE_BYTES = 65536, IGNORE_RULES = 1024 };

struct ignore;
/* text: of .vitrineignore, or NULL. NULL after saying that there are too many patterns. */
struct ignore *ignore_new(struct cli *, const char *text);
/* What the client keeps for itself: nobody wonders where it is. */
bool ignore_is_ours(const char *path);
/* path is relative to the folder. A folder that is left out is not looked into. */
bool ignore_leaves_out(const struct ignore *, const char *path, bool is_dir);
/* The pattern matcher alone; takes time in proportion to both lengths' product, whatever the
 * pattern. */
bool ignore_match(const char *pattern, const char *path);
#endif
