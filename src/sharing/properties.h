/* SPDX-License-Identifier: Apache-2.0
 * The properties of a client as people type them, one a line: "name: value". */
#ifndef VITRINE_PROPERTIES_H
#define VITRINE_PROPERTIES_H
#include "base/ctx.h"

/* Converts a JSON object to lines. */
enum err properties_told(struct ctx *c, const char *properties, const char **out);
/* Converts typed lines to a JSON object. typed NULL means none. E_INVALID names the line. */
enum err properties_read(struct ctx *c, const char *typed, const char **out);
#endif
