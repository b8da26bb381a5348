/* SPDX-License-Identifier: Apache-2.0
 * Helpers: processes that do what a confined process may not, and therefore hold nothing of value.
 * A helper is forked before its parent is confined, drops root, its files and its environment, and
 * gets orders by a socket. It ends when all processes that could send orders have ended. */
#ifndef VITRINE_HELPER_H
#define VITRINE_HELPER_H
#include <stdbool.h>
#include <stddef.h>

/* Starts a helper that runs serve() until it returns. Returns the socket for orders, or -1. The
 * caller needn't wait for the process, because its parent is a child that exits at once. */
int helper_start(
    const char *name, void (*serve)(int orders, const void *arg), const void *arg);
/* Ends all helpers that this process has started, and waits for that, at most a second each. No
 * other process may send orders any more. */
void helpers_end(void);
/* Sends a message, with a descriptor if fd isn't -1. */
bool helper_send(int to, const void *what, size_t n, int fd);
/* Receives a message of n bytes; *fd is -1 if it has no descriptor. Returns false for another size
 * and at the end. */
bool helper_hear(int from, void *what, size_t n, int *fd);
/* Writes n bytes to a socket or a file; false if that fails. */
bool helper_write(int to, const void *bytes, size_t n);
#endif
