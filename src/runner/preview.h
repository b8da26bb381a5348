/* SPDX-License-Identifier: Apache-2.0
 * Makes the pictures of PDFs and films in libraries that are due (assets/preview.h), by programs of
 * others in rooms of their own (ext/room.h). Where a program isn't installed, those that need it
 * stay due. */
#ifndef VITRINE_JOBS_PREVIEW_H
#define VITRINE_JOBS_PREVIEW_H
#include "base/ctx.h"

/* One; *any: there was one. *none: why no room can be made here, if that is so. */
enum err preview_one(struct ctx *c, bool *any, const char **none);
#endif
