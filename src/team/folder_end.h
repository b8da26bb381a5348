/* SPDX-License-Identifier: Apache-2.0
 * Says what deleting a folder does, as far as its viewer may know. */
#ifndef VITRINE_FOLDER_END_H
#define VITRINE_FOLDER_END_H
#include "core/workspace.h"
#include "team/folder.h"

/* *moves: it may have contents, which move up. */
enum err folder_end_words(struct ctx *c, const struct workspace *, const struct folder *,
    const char **words, bool *moves);
#endif
