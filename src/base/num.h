/* SPDX-License-Identifier: Apache-2.0
 * Numbers in JSON's form (RFC 8259, section 6), in any locale of the process. */
#ifndef VITRINE_NUM_H
#define VITRINE_NUM_H
#include <stdbool.h>
#include <stddef.h>

enum { NUM_CHARS = 32 };

/* Returns the bytes of the number that begins at s, of at most n; 0 if there is none. */
size_t num_span(const char *s, size_t n);
/* Reads a text that is a number from end to end as the nearest double; infinity if it is too large.
 * Returns false if it isn't a number. */
bool num_read(const char *s, double *out);
/* Writes the shortest text that reads back as v, which must be finite: "0.7", "1e22", "-0". Returns
 * out. */
const char *num_write(char out[NUM_CHARS], double v);
#endif
