/* SPDX-License-Identifier: Apache-2.0
 * Makes pictures that are due, by programs in rooms (ext/room.h): of PDFs and films in libraries
 * (assets/preview.h), and of pages of published PDFs (site/pdfpage.h). If a program isn't
 * installed, files that need it stay due. */
#ifndef VITRINE_JOBS_PREVIEW_H
#define VITRINE_JOBS_PREVIEW_H
#include "base/ctx.h"

/* Makes one. *any: one was due. *none: the reason if no room can be made here. */
enum err preview_one(struct ctx *c, bool *any, const char **none);
enum err pdf_page_one(struct ctx *c, bool *any, const char **none);
#endif
