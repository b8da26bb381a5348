/* SPDX-License-Identifier: Apache-2.0
 * Exact sums of numbers of any size that a key holds (data/cell.h). */
#ifndef VITRINE_DECIMAL_H
#define VITRINE_DECIMAL_H
#include "data/cell.h"

/* v[i] counts 10^(9 * (low + i)). Parts are signed and may exceed 10^9 until the sum is written. */
struct decimal_sum {
	int64_t *v;
	int low;
	unsigned n;
};

/* Adds a number's key. Returns the bytes that owner's memory has grown by. Others add nothing. */
size_t decimal_add(void *owner, struct decimal_sum *sum, const struct cell_pairs *number);
/* Returns the sum divided by `by`, which is more than 0, as JSON writes a number: exactly, or
 * rounded to 30 digits if the quotient doesn't end. */
const char *decimal_text(void *owner, const struct decimal_sum *sum, int64_t by);
#endif
