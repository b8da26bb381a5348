/* SPDX-License-Identifier: Apache-2.0
 * Makes pictures of PDFs and films in libraries that are due (assets/preview.h), by programs in
 * rooms (ext/room.h). If a program isn't installed, files that need it stay due. */
#ifndef VITRINE_JOBS_PREVIEW_H
#define VITRINE_JOBS_PREVIEW_H
#include "base/ctx.h"

/* Makes one. *any: one was due. *none: the reason if no room can be made here. */
enum err preview_one(struct ctx *c, bool *any, const char **none);
#endif
