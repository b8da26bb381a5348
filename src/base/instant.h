/* SPDX-License-Identifier: Apache-2.0
 * Points in time as RFC 3339 writes them, with a fraction of a second and any offset. */
#ifndef VITRINE_INSTANT_H
#define VITRINE_INSTANT_H
#include <stdbool.h>
#include <stdint.h>

/* Seconds since 1970, rounded down, and the nanoseconds behind them. False: text is none, is not
 * within the years 0000 to 9999, or has more than nine digits of a second. */
bool instant_read(const char *text, int64_t *unix_s, uint64_t *nanos);
#endif
