/* SPDX-License-Identifier: Apache-2.0
 * Things on their way in and out: temporaries under tmp/, which vanish with their owner unless they
 * were moved to a name, and trash/, where something goes by one rename before it is removed at
 * leisure. Both are emptied by the sweeper after a crash; whoever makes a temporary holds
 * store_share() meanwhile. */
#ifndef VITRINE_TEMP_H
#define VITRINE_TEMP_H
#include "store/beneath.h"

enum {
	TEMP_DIRS = 16, /* tmp/0 to tmp/f: who makes files in one directory waits for the others */
	TEMP_PATH = 6 + RANDOM_NAME /* "tmp/0/<random>" */
};

struct temp {
	int root, fd;         /* fd -1 after temp_close() */
	char path[TEMP_PATH]; /* below root; empty after temp_move(), or while it is kept */
	const char *name;     /* of temp_keep(), below root */
};

/* root must stay open as long as owner lives. */
enum err temp_new(struct ctx *c, void *owner, int root, struct temp **out);
enum err temp_write(struct ctx *c, struct temp *t, const void *bytes, size_t n);
/* n bytes of fd from at on, by the kernel. */
enum err temp_copy(struct ctx *c, struct temp *t, int fd, int64_t at, int64_t n);
/* A temporary that goes on from one request to the next, by its own name in the spool, from where
 * the sweeper removes it when nobody has written to it for long. It is the caller's alone until
 * owner is freed (E_CONFLICT: somebody else has it), and stays. */
enum err temp_keep(struct ctx *c, void *owner, int root, const char *name, struct temp **out,
    int64_t *size);
/* Ends that: nobody finds it by its name any more, and it vanishes with its owner. */
enum err temp_claim(struct ctx *c, struct temp *t);
/* A file without a name, which is gone with its owner, whatever becomes of the process. */
enum err temp_nameless(struct ctx *c, void *owner, int *fd);
/* One that is a second name of a file below root. *out is NULL where the file system gives it
 * none. */
enum err temp_link(struct ctx *c, void *owner, int root, const char *from, struct temp **out);
enum err
temp_stamp(struct ctx *c, const struct temp *t, struct timespec mtime); /* after the last write */
void temp_close(struct temp *t);
enum err
temp_move(struct ctx *c, struct temp *t, int at, const char *path); /* replaces what is there */
/* An unused path "tmp/0/<random>". */
void temp_path(char out[TEMP_PATH]);

/* Moves a path below root into trash/. *moved is its path there, for trash_remove(); NULL when
 * there was nothing to move. The caller makes it durable. */
enum err trash_move(struct ctx *c, int root, const char *path, const char **moved);
/* Removes it with all that is below; follows no symbolic link. */
enum err trash_remove(struct ctx *c, int root, const char *moved);
/* Goes on emptying trash/ for about budget_ms. *removed counts its entries; *finished is false when
 * there is more. What can't be removed is passed over, and is the failure in the end. */
enum err trash_empty(
    struct ctx *c, int root, int64_t budget_ms, int64_t *removed, bool *finished);
#endif
