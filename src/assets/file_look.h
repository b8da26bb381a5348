/* SPDX-License-Identifier: Apache-2.0
 * Facts of files that pages of a library show and the API doesn't. */
#ifndef VITRINE_FILE_LOOK_H
#define VITRINE_FILE_LOOK_H
#include "assets/asset.h"
#include "core/workspace.h"

/* Fills kind and picture. w NULL: the person's own library. Only a small picture is its own
 * preview. */
void file_dress(struct ctx *c, const struct workspace *w, struct deliverable *);
/* Does that for all files; also fills the number of links that show each and, with `placed`, its
 * folder. */
enum err files_dress(
    struct ctx *c, const struct workspace *w, const struct list *files, bool placed);
#endif
