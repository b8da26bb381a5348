/* SPDX-License-Identifier: Apache-2.0
 * Helpers: processes that do what a confined one may not, and therefore hold nothing. One is forked
 * before its parent is confined, gives up root, its files and its environment, and gets orders by a
 * socket; it ends when the last process that could give it orders has. */
#ifndef VITRINE_HELPER_H
#define VITRINE_HELPER_H
#include <stdbool.h>
#include <stddef.h>

/* Starts one, which serves orders until it has heard the last; then it ends. The socket for orders,
 * or -1. Nobody has to wait for the process: its parent is a child that ends at once. */
int helper_start(
    const char *name, void (*serve)(int orders, const void *arg), const void *arg);
/* A message, with a descriptor beside it if fd isn't -1. */
bool helper_send(int to, const void *what, size_t n, int fd);
/* One of n bytes; *fd is -1 if none is beside it. False for another, and at the end. */
bool helper_hear(int from, void *what, size_t n, int *fd);
#endif
