/* SPDX-License-Identifier: Apache-2.0
 * Bytes by their SHA-256: objects/ab/<64 hex digits>, written once, never changed. An object's
 * mtime comes from its digest, so that the web server's ETag (mtime and size) changes with the
 * bytes and is the same on every machine.
 *
 *	TRY(batch_begin(c, &b)); TRY(batch_put(c, b, bytes, n, &o)); … TRY(batch_sync(c, b));
 *	then the rows that name the objects
 *
 * A failed write leaves nothing. E_DISK_FULL when there is no room. */
#ifndef VITRINE_OBJECT_H
#define VITRINE_OBJECT_H
#include "base/crypto.h"
#include "base/ctx.h"
#include "store/spool.h"

#include <stddef.h>
#include <time.h>

struct object {
	uint8_t sha256[SHA256_BYTES];
	int64_t size;
};
struct batch;
struct temp;
struct object_writer;

enum { OBJECT_PATH = 8 + 3 + SHA256_HEX + 1 }; /* "objects/ab/<hex>" and its NUL */

/* Makes the directories of data_dir, which must exist. Idempotent; call at start. */
enum err store_prepare(struct ctx *c);
/* Keeps the sweeper away until owner is freed: bytes found or written meanwhile stay. Waits while a
 * sweep is at work (briefly). */
enum err store_share(struct ctx *c, void *owner);
/* Waits for a turn, over all processes, at what keeps the database busy for long: several at once
 * would not be done sooner, and would take its processors from everybody else. Over when owner is
 * freed, or the process ends. Before a transaction, never within. */
enum err store_turn(struct ctx *c, void *owner);

/* A batch holds store_share() until c->mem is freed, so that its bytes can't be swept before the
 * rows that name them are committed. */
enum err batch_begin(struct ctx *c, struct batch **out);
/* Writes nothing if the object is there. Else the bytes wait, neither durable nor named, for
 * batch_sync(). */
enum err batch_put(struct ctx *c, struct batch *b, const void *bytes, size_t n, struct object *out);
/* From here on an object that is there is written again, since it may be damaged. */
void batch_renew(struct batch *b);
/* The same for bytes whose digest and size the caller has computed. */
enum err batch_put_known(
    struct ctx *c, struct batch *b, const void *bytes, const struct object *known);
/* The bytes of a spooled body, or of a part of it. whole is the spooled file's path when they are
 * all that is in it, else NULL: such a file is linked, not copied. */
enum err batch_put_span(struct ctx *c, struct batch *b, const struct span *bytes, const char *whole,
    struct object *out);
/* All that is in a temporary, which is the batch's from here on. */
enum err batch_put_temp(struct ctx *c, struct batch *b, struct temp *, int64_t size,
    struct object *out);
/* An object that was there is named by the batch's rows too: its name becomes durable with them,
 * since another process may have given it a moment ago. */
void batch_found(struct batch *b, const uint8_t sha256[SHA256_BYTES]);
/* The same in pieces: new, add…, end. The caller counts the bytes and stops where its limit is. */
enum err object_writer_new(struct ctx *c, struct batch *b, struct object_writer **out);
enum err object_writer_add(struct ctx *c, struct object_writer *w, const void *bytes, size_t n);
enum err
object_writer_end(struct ctx *c, struct object_writer *w, struct object *out); /* w is gone */
/* Data durable, then named, then the names durable; those of objects found too, since another
 * process may have named one a moment ago. More can be put and synced afterwards, unless it failed:
 * then the batch is good for nothing more. */
enum err batch_sync(struct ctx *c, struct batch *b);
/* The first half, for whoever makes the names durable together with others (tree_build()): data
 * durable, then named. */
enum err batch_name(struct ctx *c, struct batch *b);
/* The directories that the second half syncs, and it one by one. b may be NULL: none. */
size_t batch_dirs(const struct batch *b);
enum err batch_sync_dirs(struct ctx *c, struct batch *b);

/* The path below data_dir, and the time, of an object. */
void object_path(char out[OBJECT_PATH], const uint8_t sha256[SHA256_BYTES]);
struct timespec object_mtime(const uint8_t sha256[SHA256_BYTES]);
/* Gives an object a second name below at, where none is: a link, or a copy once it has too many.
 * The name isn't durable yet. */
enum err object_link(struct ctx *c, int root, const uint8_t sha256[SHA256_BYTES], int64_t size,
    int at, const char *name);
bool object_exists(struct ctx *c, const uint8_t sha256[SHA256_BYTES], int64_t size);
/* An object that a row names must be there: E_INTERNAL if it isn't. *fd is closed with c->mem. */
enum err object_open(struct ctx *c, const uint8_t sha256[SHA256_BYTES], int *fd, int64_t *size);
/* The first max bytes, or all, in owner; as object_read(). */
enum err object_head(struct ctx *c, void *owner, const uint8_t sha256[SHA256_BYTES], size_t max,
    const char **bytes, size_t *n);
/* E_FILE_TOO_LARGE above max. The bytes are followed by a NUL and live in c->mem. */
enum err object_read(
    struct ctx *c, const uint8_t sha256[SHA256_BYTES], size_t max, const char **bytes, size_t *n);
/* All that are there, under store_share(): none goes meanwhile, some may come. Ends at the first
 * failure. */
enum err object_each(struct ctx *c,
    enum err (*visit)(struct ctx *c, void *arg, const uint8_t sha256[SHA256_BYTES]), void *arg);
/* Gives the store back an object that it lost, from a file at from that was its link: only when the
 * bytes have the digest. */
enum err object_give_back(struct ctx *c, int at, const char *from, const struct object *o);
/* Reads it all. *problem is NULL for a sound object, else what is wrong with it, for people. A size
 * of -1 is any; *found (may be NULL) is the one that it has. */
enum err object_verify(struct ctx *c, const uint8_t sha256[SHA256_BYTES], int64_t size,
    int64_t *found, const char **problem);
#endif
