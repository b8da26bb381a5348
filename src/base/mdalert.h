/* SPDX-License-Identifier: Apache-2.0
 * GitHub's alerts: a block quote of the document whose first line is [!NOTE], [!TIP], [!IMPORTANT],
 * [!WARNING], or [!CAUTION] alone. The words are the same in capitals or not. */
#ifndef VITRINE_MDALERT_H
#define VITRINE_MDALERT_H
#include <stddef.h>

struct cmark_node;
/* Replaces the mark of each alert by a node that is written as it is, also as Markdown. text must
 * be what the document was parsed from. */
void alerts_mark(struct cmark_node *document, const char *text, size_t n);
/* Replaces each block quote that is marked and has more than the mark by a box with a label. */
void alerts_draw(struct cmark_node *document);
#endif
