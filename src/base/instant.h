/* SPDX-License-Identifier: Apache-2.0
 * Times in the form of RFC 3339, with a fraction of a second and any offset. */
#ifndef VITRINE_INSTANT_H
#define VITRINE_INSTANT_H
#include <stdbool.h>
#include <stdint.h>

/* *unix_s is rounded down; *nanos is the rest. Returns false if text isn't a time, has more than
 * nine digits of a fraction, or is outside of the years 0000 to 9999. */
bool instant_read(const char *text, int64_t *unix_s, uint64_t *nanos);
#endif
