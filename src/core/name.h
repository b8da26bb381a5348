/* SPDX-License-Identifier: Apache-2.0
 * Names that people give to things of which no two may be taken for one another. */
#ifndef VITRINE_NAME_H
#define VITRINE_NAME_H
#include "base/ctx.h"

/* The name as it is kept, and the key that is the same for names that people take for the same.
 * E_INVALID, of the field `name`, when nothing of it is seen, or it has more than `most`
 * characters. */
enum err name_check(
    struct ctx *c, const char *given, size_t most, const char **name, const char **key);
#endif
