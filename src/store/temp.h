/* SPDX-License-Identifier: Apache-2.0
 * Temporaries in tmp/, which are removed with their owner unless they were moved to a name, and
 * trash/, to which something is moved by one rename before it is removed. After a crash the sweeper
 * empties both. The caller must hold store_share() while it has a temporary. */
#ifndef VITRINE_TEMP_H
#define VITRINE_TEMP_H
#include "store/beneath.h"

enum {
	/* Tmp/0 to tmp/f: creating files in one directory would serialise processes. */
	TEMP_DIRS = 16,
	TEMP_PATH = 6 + RANDOM_NAME /* "tmp/0/<random>" */
};

struct temp {
	int root, fd;         /* fd is -1 after temp_close() */
	/* Below root; empty after temp_move(), and while temp_keep() keeps it. */
	char path[TEMP_PATH];
	const char *name;     /* of temp_keep(), below root */
};

/* Makes a temporary. root must stay open as long as owner lives. */
enum err temp_new(struct ctx *c, void *owner, int root, struct temp **out);
enum err temp_write(struct ctx *c, struct temp *t, const void *bytes, size_t n);
/* Appends n bytes of fd, from offset at, without passing them through memory where the kernel can.
 */
enum err temp_copy(struct ctx *c, struct temp *t, int fd, int64_t at, int64_t n);
/* Opens or makes a temporary that survives this request, under a name in the spool, from where the
 * sweeper removes it if nobody has written to it for long. Locks it until owner is freed;
 * E_CONFLICT if another request has it. */
enum err temp_keep(struct ctx *c, void *owner, int root, const char *name, struct temp **out,
    int64_t *size);
/* Makes a kept temporary an ordinary one: it loses its name, and is removed with its owner. */
enum err temp_claim(struct ctx *c, struct temp *t);
/* Makes a file without a name, which vanishes with its owner, even if the process is killed. */
enum err temp_nameless(struct ctx *c, void *owner, int *fd);
/* Makes a temporary that is a link to a file below root. *out is NULL if the file system refuses.
 */
enum err temp_link(struct ctx *c, void *owner, int root, const char *from, struct temp **out);
/* Call after the last write. */
enum err
temp_stamp(struct ctx *c, const struct temp *t, struct timespec mtime);
void temp_close(struct temp *t);
enum err
temp_move(struct ctx *c, struct temp *t, int at, const char *path); /* replaces an existing file */
/* Returns an unused path "tmp/0/<random>". */
void temp_path(char out[TEMP_PATH]);

/* Moves a path below root into trash/. *moved is its path there, for trash_remove(); NULL if there
 * was nothing to move. The caller must sync. */
enum err trash_move(struct ctx *c, int root, const char *path, const char **moved);
/* Removes the path and all below it. Doesn't follow symbolic links. */
enum err trash_remove(struct ctx *c, int root, const char *moved);
/* Removes entries of trash/ for about budget_ms. *removed counts them; *finished is false if there
 * are more. Continues after an entry that can't be removed, and returns the first failure. */
enum err trash_empty(
    struct ctx *c, int root, int64_t budget_ms, int64_t *removed, bool *finished);
#endif
