/* SPDX-License-Identifier: Apache-2.0
 * Pipes to and from the programs of tool.h. */
#ifndef VITRINE_PIPE_H
#define VITRINE_PIPE_H
#include "base/ctx.h"

#include <sys/types.h>

/* Makes a pipe to or from a tool. Our end, ends[ours], doesn't block: before it is used again after
 * EAGAIN, pipe_await() waits for POLLIN or POLLOUT, for backup_statement_s; then it fails, with
 * what. */
enum err pipe_make(struct ctx *c, int ends[2], int ours);
enum err pipe_await(struct ctx *c, int fd, short way, const char *what);
/* Reads from a pipe, or a file, like read(), but waits where that can't go on. Sets *got to what
 * read() returned, which is less than 0 after another failure. */
enum err pipe_read(
    struct ctx *c, int fd, void *out, size_t n, const char *what, ssize_t *got);
#endif
