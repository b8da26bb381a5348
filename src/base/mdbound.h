/* SPDX-License-Identifier: Apache-2.0
 * Tells whether cmark lays out a Markdown text in time proportional to its length. cmark needs the
 * square of some nesting depths, fills tables up to their widest row, and examines an address once
 * for each bracket after it. */
#ifndef VITRINE_MDBOUND_H
#define VITRINE_MDBOUND_H
#include <stdbool.h>
#include <stddef.h>

enum { MARKDOWN_DEPTH = 30 /* of nested quotes and lists */ };
bool markdown_is_bounded(const char *text, size_t n);
#endif
