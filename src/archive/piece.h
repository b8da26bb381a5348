/* SPDX-License-Identifier: Apache-2.0
 * The open backup, its pieces, which are encrypted, and the files of this installation's state of
 * it, data_dir/archive. */
#ifndef VITRINE_ARCHIVE_PIECE_H
#define VITRINE_ARCHIVE_PIECE_H
#include "archive/frame.h"
#include "archive/place.h"

#include <time.h>

bool archive_on(const struct conf *); /* backup_url is set */
struct archive {
	struct place place;
	struct frame_key key;
};
/* Fails, with a message for the operator, if the backup isn't there or has no usable key. */
enum err archive_open(struct ctx *c, void *owner, struct archive *out);
/* Waits until no other process of this installation changes the backup, and keeps others from it
 * until owner is freed. */
enum err archive_lock(struct ctx *c, void *owner);
/* Does so for bases or proofs, of which one is made at a time: E_CONFLICT if another is. */
enum err archive_alone(struct ctx *c, void *owner, const char *what);

/* A piece that is being written: begin, frames_add() or frames_fill(), end. It is open until owner
 * or *put is freed. */
enum err piece_begin(struct ctx *c, void *owner, const struct archive *, const char *name,
    struct put **put, struct frames **f);
enum err piece_end(struct ctx *c, struct put *, struct frames *);
/* Opens a piece for frames_next() or frames_copy(), until c->mem is freed. Errors are those of
 * place_get() and frames_open(). */
enum err piece_open(struct ctx *c, const struct archive *, const char *name, struct frames **f);

/* Replaces a file durably. at: the time that it gets; NULL: now. */
enum err state_write(struct ctx *c, const char *path, const void *bytes, size_t n,
    const struct timespec *at);
#endif
