/* SPDX-License-Identifier: Apache-2.0
 * Headers that somebody else chose, for requests to their servers. */
#ifndef VITRINE_EXT_HEADER_H
#define VITRINE_EXT_HEADER_H
#include <stdbool.h>

enum { HEADER_NAME_BYTES = 64 };

/* A token of RFC 9110 of at most HEADER_NAME_BYTES. */
bool header_name_valid(const char *name);
/* Whether HTTP itself needs it, it says what the body is, or it would have the answer come in
 * another form than it is read in. Of a valid name. */
bool header_is_ours(const char *name);
/* Visible ASCII with spaces between, not around. */
bool header_value_valid(const char *value);
#endif
