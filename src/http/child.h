/* SPDX-License-Identifier: Apache-2.0
 * The wait of children without requests: the packer and the indexer. */
#ifndef VITRINE_CHILD_H
#define VITRINE_CHILD_H
#include <stdint.h>

/* Waits until a descriptor (-1: none) can be read, at most ms milliseconds (-1: no limit). Signals
 * to stop end the process here and nowhere else, so it leaves no work half done. */
void child_wait(int fd, int64_t ms);
#endif
