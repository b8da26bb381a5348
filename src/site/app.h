/* SPDX-License-Identifier: Apache-2.0
 * Apps: a .tsx or .jsx file whose default export a page shows. esbuild bundles it with the files
 * that it imports, in a room (ext/room.h). It can import files of its version, relatively or from
 * the top as "@/…", libraries (base/weblib.h), and modules of other hosts by their https: address.
 */
#ifndef VITRINE_APP_H
#define VITRINE_APP_H
#include "base/ctx.h"

#include <stddef.h>

struct shown_file;
struct view_drawn;

/* Does view_app_of() with the files of a version. */
size_t app_find(void *owner, const struct shown_file *files, size_t n);
/* Builds the app files[entry] and draws its page. E_INVALID if it doesn't build, which the message
 * says, and details {errors [{file, line, column, text}], libraries}. If it can't be built here, or
 * in the time and memory that there are, *why says so, and nothing is drawn. *renderer: what made
 * it. E_RATE_LIMITED if others are built and no turn comes. */
enum err app_draw(struct ctx *c, const struct shown_file *files, size_t n, size_t entry,
    struct view_drawn *out, const char **renderer, const char **why);
/* Asks the program in a room for its version. E_UNAVAILABLE if that can't be made. */
enum err app_builder(struct ctx *c, const char *program, const char **version);
#endif
