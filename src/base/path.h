/* SPDX-License-Identifier: Apache-2.0
 * Checks the paths of published files, once, at publish. Later code uses them only beneath a
 * directory handle. site/README.md has the rules. */
#ifndef VITRINE_PATH_H
#define VITRINE_PATH_H
#include "base/ctx.h"

/* Requires a relative path without empty, "." or ".." segments and invisible characters, of at most
 * 1,024 bytes and 255 per segment. Converts *path to NFC first, because macOS sends decomposed
 * names. `where` names the path in E_INVALID's message. */
enum err path_check(struct ctx *c, const char *where, const char **path);
/* Returns bytes that may not be a valid path as text of about 1,024 bytes: \xNN for each byte that
 * can't be shown. */
const char *path_shown(void *owner, const char *bytes, size_t n);
/* Returns the path to which a relative address in the text at `path` leads, "" for the top. NULL if
 * it isn't relative, or leads above the top. Its query and fragment are left out. */
const char *path_beside(void *owner, const char *path, const char *address);
/* Returns the length, with its slash, of the top folder that holds all n paths; 0 if there is none.
 */
size_t path_wrapper(const char *const *paths, size_t n);
/* Two paths that can't be in one version: equal after case folding, or a is a folder of b. */
struct path_clash {
	const char *a, *b;
	bool folder;
};
bool path_set_clash(void *owner, const char *const *paths, size_t n, struct path_clash *out);
/* Fails with E_INVALID if two paths are equal after case folding, or one is a directory of another.
 */
enum err path_set_check(struct ctx *c, const char *const *paths, size_t n);
#endif
