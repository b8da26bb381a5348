/* SPDX-License-Identifier: Apache-2.0
 * Finds links in texts of a workspace that lead to entries of its data catalog. */
#ifndef VITRINE_MENTION_H
#define VITRINE_MENTION_H
#include "base/shape.h"

enum { MENTIONS = 200 /* different things in a text; more are ignored */ };

/* Returns the id of the entry that an address leads to; NULL if it leads elsewhere. */
const char *mention_of(struct ctx *c, const char *workspace_id, const char *address);
/* Finds the links of a Markdown text, each once. */
void mentions_of(struct ctx *c, const char *workspace_id, const char *text, size_t n,
    struct strs *out);
#endif
