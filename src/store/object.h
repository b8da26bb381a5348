/* SPDX-License-Identifier: Apache-2.0
 * Stores bytes under their SHA-256: objects/ab/<64 hex digits>. An object is written once and never
 * changed. Its mtime is derived from the digest, so that the web server's ETag (mtime and size)
 * depends on the bytes only and is equal on all machines.
 *
 *
 *	TRY(batch_begin(c, &b)); TRY(batch_put(c, b, bytes, n, &o)); … TRY(batch_sync(c, b));
 *	then commit the rows that name the objects
 *
 * A failed write leaves nothing behind. E_DISK_FULL if there is no space. */
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

/* Keeps objects also in a store that somebody else runs (bucket/). */
struct elsewhere {
	/* The objects have their names here, and rows will name them. Is not called in a
	 * transaction. NULL: this program puts none there. */
	enum err (*put)(struct ctx *c, const uint8_t *digests, size_t n);
	/* The object, which a row names, isn't here: brings it. */
	enum err (*fetch)(struct ctx *c, const uint8_t sha256[SHA256_BYTES]);
	/* Whether it is recorded to be there. */
	enum err (*has)(struct ctx *c, const uint8_t sha256[SHA256_BYTES], bool *yes);
};
/* Takes effect while store_url is set. */
void object_elsewhere(const struct elsewhere *);

/* Makes the directories in data_dir, which must exist. Idempotent; called at start. */
enum err store_prepare(struct ctx *c);
/* Keeps the sweeper from removing anything until owner is freed. Waits while a sweep is removing.
 */
enum err store_share(struct ctx *c, void *owner);
/* Waits until no other process is in a turn. For work that keeps the database busy: several at once
 * wouldn't finish sooner, and would take its processors from other requests. The turn ends when
 * owner is freed or the process ends. Must be called before a transaction, not within. */
enum err store_turn(struct ctx *c, void *owner);

/* Begins a batch. It holds store_share() until c->mem is freed, so that the objects can't be swept
 * before the rows that name them are committed. */
enum err batch_begin(struct ctx *c, struct batch **out);
/* Writes nothing if the object exists. Otherwise the bytes wait for batch_sync() to become durable
 * and get their name. */
enum err batch_put(struct ctx *c, struct batch *b, const void *bytes, size_t n, struct object *out);
/* From now on writes also objects that exist, because these may be damaged. */
void batch_renew(struct batch *b);
/* batch_put() for bytes whose digest and size are known. */
enum err batch_put_known(
    struct ctx *c, struct batch *b, const void *bytes, const struct object *known);
/* batch_put() for a spooled body or a part of it. whole is the spooled file's path if the span is
 * all of it, else NULL; a whole file is linked instead of copied. */
enum err batch_put_span(struct ctx *c, struct batch *b, const struct span *bytes, const char *whole,
    struct object *out);
/* Puts all bytes of a temporary, which then belongs to the batch. */
enum err batch_put_temp(struct ctx *c, struct batch *b, struct temp *, int64_t size,
    struct object *out);
/* object_exists() for many objects, which opens no directory for each. */
bool batch_has(const struct batch *b, const uint8_t sha256[SHA256_BYTES], int64_t size);
/* For an existing object that the batch's rows name: batch_sync() syncs its directory too, because
 * another process may have named it a moment ago. */
void batch_found(struct batch *b, const uint8_t sha256[SHA256_BYTES]);
/* batch_put() in chunks: new, add…, end. The caller must limit the bytes. */
enum err object_writer_new(struct ctx *c, struct batch *b, struct object_writer **out);
enum err object_writer_add(struct ctx *c, struct object_writer *w, const void *bytes, size_t n);
enum err
object_writer_end(struct ctx *c, struct object_writer *w, struct object *out); /* frees w */
/* Makes the bytes durable, names them, then syncs the directories, also of objects that existed.
 * More can be put and synced later, unless this failed; then the batch can't be used any more. */
enum err batch_sync(struct ctx *c, struct batch *b);
/* Puts the objects that were named since the last call, and those that were found, elsewhere, too.
 * batch_sync() does it; after batch_name(), whoever will commit rows that name them. */
enum err batch_elsewhere(struct ctx *c, struct batch *b);
/* The first half of batch_sync(): makes the bytes durable and names them. For callers that sync the
 * directories with others (tree_build()). */
enum err batch_name(struct ctx *c, struct batch *b);
/* The second half of batch_sync(): syncs the directories. b may be NULL: there are none. */
enum err batch_sync_dirs(struct ctx *c, struct batch *b);
size_t batch_dirs(const struct batch *b); /* their number */

/* The path below data_dir, and the mtime, of an object. */
void object_path(char out[OBJECT_PATH], const uint8_t sha256[SHA256_BYTES]);
struct timespec object_mtime(const uint8_t sha256[SHA256_BYTES]);
/* Gives an object a second name below at, which must not exist: a link, or a copy if it has too
 * many links. The name isn't durable yet. */
enum err object_link(struct ctx *c, int root, const uint8_t sha256[SHA256_BYTES], int64_t size,
    int at, const char *name);
bool object_exists(struct ctx *c, const uint8_t sha256[SHA256_BYTES], int64_t size);
/* *yes: it exists, or, with the setting objects_keep or in a cluster, isn't here but elsewhere. */
enum err object_kept(struct ctx *c, const uint8_t sha256[SHA256_BYTES], int64_t size, bool *yes);
/* Fetches an object that a row names, if it is only elsewhere. Call before its path is given to
 * nginx. */
enum err object_bring(struct ctx *c, const uint8_t sha256[SHA256_BYTES]);
/* Calls write() for the bytes of a missing object that a row names, and names it. *sound is false
 * if they are others; then nothing is kept. */
enum err object_restore(struct ctx *c, const uint8_t sha256[SHA256_BYTES],
    enum err (*write)(struct ctx *c, struct object_writer *w, void *arg), void *arg, bool *sound);
/* Opens an object that a row names; E_INTERNAL if it is missing. *fd is closed with c->mem. */
enum err object_open(struct ctx *c, const uint8_t sha256[SHA256_BYTES], int *fd, int64_t *size);
/* Reads the first max bytes, or all if there are fewer, into owner's memory, followed by a NUL. */
enum err object_head(struct ctx *c, void *owner, const uint8_t sha256[SHA256_BYTES], size_t max,
    const char **bytes, size_t *n);
/* Reads an object into c->mem, followed by a NUL. E_FILE_TOO_LARGE above max. */
enum err object_read(
    struct ctx *c, const uint8_t sha256[SHA256_BYTES], size_t max, const char **bytes, size_t *n);
/* Reads an object into c->mem. *text is NULL if its size is above max, or it isn't text
 * (str_is_text()). */
enum err object_text(struct ctx *c, const uint8_t sha256[SHA256_BYTES], int64_t size, size_t max,
    const char **text);
/* Calls visit for each object, under store_share(): none is removed meanwhile, some may be added.
 * Ends at the first failure. */
enum err object_each(struct ctx *c,
    enum err (*visit)(struct ctx *c, void *arg, const uint8_t sha256[SHA256_BYTES]), void *arg);
/* Restores a lost object from the file `from`, which was a link of it, if its bytes have the
 * digest. */
enum err object_give_back(struct ctx *c, int at, const char *from, const struct object *o);
/* Reads the whole object. *problem is NULL if it is sound, else the problem in words for people.
 * size -1 accepts any; *found (found may be NULL) is the actual size. */
enum err object_verify(struct ctx *c, const uint8_t sha256[SHA256_BYTES], int64_t size,
    int64_t *found, const char **problem);
#endif
