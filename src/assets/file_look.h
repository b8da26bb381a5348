/* SPDX-License-Identifier: Apache-2.0
 * Facts of files that pages of a library show and the API doesn't. */
#ifndef VITRINE_FILE_LOOK_H
#define VITRINE_FILE_LOOK_H
#include "assets/asset.h"
#include "core/workspace.h"

/* w NULL: of the person's own library. Only a small picture is its own preview. */
void file_dress(struct ctx *c, const struct workspace *w, struct deliverable *);
/* Adds which links show each file, and with `placed` the folder that it is in. */
enum err files_dress(
    struct ctx *c, const struct workspace *w, const struct list *files, bool placed);
#endif
