/* SPDX-License-Identifier: Apache-2.0
 * Whether laying a Markdown text out is work that grows with its length: cmark's is the square of
 * some depths, fills tables up to their widest row, and looks at an address once for each bracket
 * behind it. */
#ifndef VITRINE_MDBOUND_H
#define VITRINE_MDBOUND_H
#include <stdbool.h>
#include <stddef.h>

enum { MARKDOWN_DEPTH = 30 /* quotes and lists in each other */ };
bool markdown_is_bounded(const char *text, size_t n);
#endif
