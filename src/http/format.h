/* SPDX-License-Identifier: Apache-2.0
 * Formats of templates: {{size:kib}} prints the field `size` by the format `kib`. page.h lists
 * them. */
#ifndef VITRINE_FORMAT_H
#define VITRINE_FORMAT_H
#include "base/shape.h"

/* True if `how` ("kib", "count file") is a format for a field of that kind. */
bool format_fits(const char *how, const struct field *);
/* Returns the name of the field whose text the format takes, such as currency in "money currency";
 * NULL if it takes none. */
const char *format_field(const char *how, const struct field *);
/* Writes the value at `at`, escaped, by a format that fits; nothing if it is missing. */
void format_print(struct buf *, const char *how, const struct field *, const void *at);
#endif
