/* SPDX-License-Identifier: Apache-2.0
 * The way to the sign-in page and back. */
#ifndef VITRINE_WAY_H
#define VITRINE_WAY_H
#include "base/shape.h"

/* the length of a page's address; a program's request to be connected is the longest */
enum { NEXT_MAX = 4096 };
/* Returns next if it is an address of ours, else the first page, so that signing in leads nobody to
 * another site. */
const char *next_path(const char *next);
/* Returns the address of the sign-in page that leads back to path. */
const char *signin_path(struct ctx *c, const char *path);

/* A form that is only a button. */
#define BUTTON(F, T) F(T, STR, next, .hi = NEXT_MAX)
SHAPE_DECLARE(button, BUTTON);
#endif
