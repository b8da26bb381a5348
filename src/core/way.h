/* SPDX-License-Identifier: Apache-2.0
 * The way to the sign-in page and back. */
#ifndef VITRINE_WAY_H
#define VITRINE_WAY_H
#include "base/shape.h"

/* A page's address; a request of a program to be connected is the longest. */
enum { NEXT_MAX = 4096 };
/* Returns next when it is an address of ours, else the first page, so that signing in sends nobody
 * to another site. */
const char *next_path(const char *next);
/* The address of the sign-in page that comes back to path afterwards. */
const char *signin_path(struct ctx *c, const char *path);

/* A form that is only a button. */
#define BUTTON(F, T) F(T, STR, next, .hi = NEXT_MAX)
SHAPE_DECLARE(button, BUTTON);
#endif
