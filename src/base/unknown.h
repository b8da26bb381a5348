/* SPDX-License-Identifier: Apache-2.0
 * Warns the caller of names that a shape does not know, and says which was probably meant. Reading
 * ignores them (shape.h), so a misspelt member would pass unseen. A name is cut and printed without
 * what could steer a terminal. */
#ifndef VITRINE_UNKNOWN_H
#define VITRINE_UNKNOWN_H
#include "base/shape.h"

/* Of a body: those of the outermost object first. Stops at WARNINGS, so that a body of nothing else
 * costs little. */
void unknown_members(struct ctx *c, const struct shape *, const struct json *);
/* Of one name=value; shape NULL: none is known. */
void unknown_name(struct ctx *c, const struct shape *, const char *name);
#endif
