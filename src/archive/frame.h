/* SPDX-License-Identifier: Apache-2.0
 * Encrypted pieces of a backup. A piece is a head (FRAME_HEAD bytes: a word, the key's id, a random
 * salt), then frames: up to 64 KiB of text by AES-256-GCM, each with its tag. The key of a piece is
 * derived from the backup's key and the salt, so its nonces, which count the frames, never repeat.
 * The last frame's nonce is marked, and the piece's name is authenticated, so a piece that was cut
 * off, changed, or renamed doesn't open. */
#ifndef VITRINE_FRAME_H
#define VITRINE_FRAME_H
#include "base/crypto.h"
#include "base/ctx.h"

#include <stddef.h>

enum { FRAME_BYTES = 1 << 16, FRAME_HEAD = 32 };

struct frame_key {
	uint8_t bytes[AES_KEY_BYTES];
	uint8_t id[8]; /* identifies the key without revealing it */
};
/* Reads backup_key_file. E_INVALID if it is no key, or is the installation's key. */
enum err frame_key_read(struct ctx *c, struct frame_key *out);

/* Writing: begin, add and fill any number of times, end. */
struct frames;
enum err frames_begin(struct ctx *c, void *owner, const struct frame_key *, const char *name,
    int fd, struct frames **out);
enum err frames_add(struct ctx *c, struct frames *, const void *bytes, size_t n);
/* Adds the next n bytes of a file (-1: all up to its end), and also to hash unless it is NULL. */
enum err frames_fill(struct ctx *c, struct frames *, int from, int64_t n, struct sha256 *hash);
enum err frames_end(struct ctx *c, struct frames *);

/* Reading: frames_open(), then frames_next() until *n is 0. E_CONFLICT with a message that names
 * the piece if it was encrypted with another key, is damaged, or is cut off. */
enum err frames_open(struct ctx *c, void *owner, const struct frame_key *, const char *name, int fd,
    struct frames **out);
enum err frames_next(struct ctx *c, struct frames *, const uint8_t **bytes, size_t *n);
/* Checks the piece to its end, and copies it to the file, unless `to` is -1, and to hash, unless
 * that is NULL. */
enum err frames_copy(struct ctx *c, struct frames *, int to, struct sha256 *hash);
#endif
