/* SPDX-License-Identifier: Apache-2.0
 * Request headers that somebody else chose, for requests to their servers. */
#ifndef VITRINE_EXT_HEADER_H
#define VITRINE_EXT_HEADER_H
#include <stdbool.h>

enum { HEADER_NAME_BYTES = 64 };

/* True for a token of RFC 9110 of at most HEADER_NAME_BYTES. */
bool header_name_valid(const char *name);
/* True for headers that callers may not set: those that HTTP needs, describe the body, or would
 * change the form of the answer. name must be valid. */
bool header_is_ours(const char *name);
/* True for visible ASCII and inner spaces. */
bool header_value_valid(const char *value);
#endif
