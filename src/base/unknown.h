/* SPDX-License-Identifier: Apache-2.0
 * Warns the caller of names that a shape doesn't know, and suggests the likely one. shape_read()
 * ignores unknown names, so without this a misspelt member would go unnoticed. Prints a name cut
 * and without what could control a terminal. */
#ifndef VITRINE_UNKNOWN_H
#define VITRINE_UNKNOWN_H
#include "base/shape.h"

/* Checks a body, the outermost object first. Stops at WARNINGS, so that a hostile body costs
 * little. */
void unknown_members(struct ctx *c, const struct shape *, const struct json *);
/* Checks the name of one name=value. shape NULL means that no name is known. */
void unknown_name(struct ctx *c, const struct shape *, const char *name);
#endif
