/* SPDX-License-Identifier: Apache-2.0
 * Runs MariaDB's programs. A child ends with the process that started it. */
#ifndef VITRINE_TOOL_H
#define VITRINE_TOOL_H
#include "base/ctx.h"

#include <sys/types.h>

enum { TOOL_ARGS = 24 };
struct tool {
	const char *argv[TOOL_ARGS];
	size_t n;
	const char *password; /* goes into the child's environment, or NULL */
	int in, out, err;     /* descriptors; -1: /dev/null for in, else this process's own */
	int said;             /* a file for what it says of its failure, or 0 */
	pid_t pid;
};
/* A client of the database that conf names, as its db_user. E_INTERNAL if its password can't be
 * read. */
enum err tool_client(struct ctx *c, const struct conf *, const char *program, struct tool *out);
struct tool tool_of(const char *program);
void tool_add(struct tool *, const char *arg);

/* Returns when the program runs. Fails, naming it, if it isn't installed or can't be run. */
enum err tool_start(struct ctx *c, struct tool *);
/* Waits for its end, and fails unless its exit status is 0. */
enum err tool_end(struct ctx *c, struct tool *);
/* Does so for at most so many seconds; then kills it, and fails. */
enum err tool_end_within(struct ctx *c, struct tool *, int seconds);
/* Sets *ended if it has ended; fails if it ended with another exit status than 0. */
enum err tool_look(struct ctx *c, struct tool *, bool *ended);
/* Adds the end of what the tool writes to its standard error to the message of its failure. Until
 * owner is freed. */
enum err tool_listen(struct ctx *c, void *owner, struct tool *);
/* Ends it after a failure e at our end of its pipe, which must still be open: if it has closed its
 * own, its failure is the cause, and returned. */
enum err tool_failed(struct ctx *c, struct tool *, enum err e);
/* Runs `from | to`. Fails if no byte passes for backup_statement_s. */
enum err tool_pipe(struct ctx *c, struct tool *from, struct tool *to);
/* Starts a program that outlives this one. Fails like tool_start(). */
enum err tool_release(struct ctx *c, struct tool *);
#endif
