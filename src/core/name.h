/* SPDX-License-Identifier: Apache-2.0
 * Names that people give to things, which must not look alike. */
#ifndef VITRINE_NAME_H
#define VITRINE_NAME_H
#include "base/ctx.h"

/* Sets the name in its stored form, and its key, which is the same for names that look alike.
 * E_INVALID, of the field `name`, if nothing of it is visible, or it has more than `most`
 * characters. */
enum err name_check(
    struct ctx *c, const char *given, size_t most, const char **name, const char **key);
#endif
