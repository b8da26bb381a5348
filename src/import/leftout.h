/* SPDX-License-Identifier: Apache-2.0
 * The lines of a file that don't fit, as CSV: their numbers first, and why last. */
#ifndef VITRINE_LEFTOUT_H
#define VITRINE_LEFTOUT_H
#include "import/plan.h"

typedef enum err leftout_put(void *arg, const void *bytes, size_t n);
/* Reads the file again, as its last check did. */
enum err leftout_write(struct ctx *c, const struct artifact *a, const struct import *imp,
    leftout_put *put, void *arg);
#endif
