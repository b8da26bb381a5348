/* SPDX-License-Identifier: Apache-2.0
 * Programs of others that vitrinectl runs, and files that it replaces whole. */
#ifndef VITRINE_PROGRAM_H
#define VITRINE_PROGRAM_H
#include "base/buf.h"
#include "base/ctx.h"

#include <sys/types.h>

enum { PROGRAM_SAID = 16 << 10, PROGRAM_NOT_RUN = 127, PROGRAM_TOO_LONG = 124 };
/* Runs a program from PATH without input, and returns its exit status. Adds what it writes, at most
 * PROGRAM_SAID bytes, to said. After most_s seconds it is killed with its children:
 * PROGRAM_TOO_LONG. */
int program_run(const char *const *argv, int64_t most_s, struct buf *said);
/* Writes a file beside path, and renames it when it is on disk. Replaces a link, follows none. */
enum err file_replace(struct ctx *c, const char *path, mode_t mode, const void *bytes, size_t n);
#endif
