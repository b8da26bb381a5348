/* SPDX-License-Identifier: Apache-2.0
 * Numbers as JSON writes them (RFC 8259, section 6), whatever the locale of the process. */
#ifndef VITRINE_NUM_H
#define VITRINE_NUM_H
#include <stdbool.h>
#include <stddef.h>

enum { NUM_CHARS = 32 };

/* Bytes of the number that begins at s, of which n are left; 0 when none does. */
size_t num_span(const char *s, size_t n);
/* The nearest double of a text that is a number from end to end: false when it is not. What is too
 * large becomes infinite. */
bool num_read(const char *s, double *out);
/* The shortest text that reads back as v, which must be finite: "0.7", "1e22", "-0". Returns out.
 */
const char *num_write(char out[NUM_CHARS], double v);
#endif
