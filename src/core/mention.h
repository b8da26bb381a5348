/* SPDX-License-Identifier: Apache-2.0
 * Links in texts of a workspace to addresses of our pages: an entry of its data catalog. */
#ifndef VITRINE_MENTION_H
#define VITRINE_MENTION_H
#include "base/shape.h"

enum { MENTIONS = 200 /* in a text, of different things; more are not kept */ };

/* The id of the entry that such an address leads to; NULL: it leads elsewhere. */
const char *mention_of(struct ctx *c, const char *workspace_id, const char *address);
/* Of a Markdown text, each once. */
void mentions_of(struct ctx *c, const char *workspace_id, const char *text, size_t n,
    struct strs *out);
#endif
