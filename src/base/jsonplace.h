/* SPDX-License-Identifier: Apache-2.0
 * Finds places in JSON text, to show people where a mistake is. */
#ifndef VITRINE_JSONPLACE_H
#define VITRINE_JSONPLACE_H
#include "base/buf.h"

#include <stdbool.h>

/* Returns the offset of the value to which the names lead from the outermost object, or (name) of
 * the last name itself. If they don't lead so far, of the innermost value that they lead to. The
 * text should be valid JSON; in other text the offset is 0 or somewhere in it. */
size_t
json_place(void *owner, const char *text, const char *const *keys, size_t n, bool name);

/* Line and column of an offset, from 1; columns are characters. */
struct text_place {
	size_t line, column;
};
struct text_place text_place(const char *text, size_t at);
#endif
