/* SPDX-License-Identifier: Apache-2.0
 * The page around a lone file that is none itself, since an artifact needs one to begin with: it is
 * published with an index.html that shows a PDF, an image, Markdown or text, and links to whatever
 * it is. The page loads nothing but the file (and pictures that a Markdown text names) and runs no
 * script of its own. */
#ifndef VITRINE_CLI_PAGE_H
#define VITRINE_CLI_PAGE_H
#include "cli/folder.h"

enum { PAGE_TEXT_BYTES = 1 << 20 }; /* of a longer text the page has the link alone */

/* Adds the page where the folder is such a file. false after saying why the file can't be
 * read. */
bool page_make(struct cli *, struct folder *);
#endif
