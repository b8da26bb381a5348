/* SPDX-License-Identifier: Apache-2.0
 * Parses strangers' bytes in a separate process, which has these bytes, limited memory and time,
 * and a pipe back, but no files, network, keys, or data of other work. A helper forks a process for
 * each piece of work; the helper itself was forked before this process knew any secret, and ends
 * with it. */
#ifndef VITRINE_APART_H
#define VITRINE_APART_H
#include "base/buf.h"
#include "base/ctx.h"

enum { APART_CPU_S = 5, APART_S = 15, APART_BYTES = 512 << 20, APART_IN = 16 << 20 };

/* Fills out, or fails with a message for people. c has no configuration and no database. */
typedef enum err apart_work(struct ctx *c, const char *in, size_t n, struct buf *out);

/* Work on a file of any length, whose answer comes in pieces. It may take minutes. */
struct apart_file;
typedef enum err apart_file_work(struct ctx *c, const struct apart_file *);

/* A kind of work has one of the two. APART_AT_ONCE of a kind run at once; others wait for these. */
enum { APART_KINDS = 7, APART_AT_ONCE = 4 };
struct apart_kind {
	apart_work *work;
	apart_file_work *file_work;
	unsigned s, cpu_s; /* of file_work; 0: APART_FILE_S, APART_FILE_CPU_S */
};

/* Starts the helper for at most APART_KINDS kinds. Must be called first, and once, with one thread:
 * work can see all that this process knows at this point. */
void apart_prepare(const struct apart_kind *kinds, size_t n);
bool apart_prepared(apart_work *work);
/* Returns the work's answer for n bytes (at most APART_IN), of at most `most` bytes, followed by a
 * NUL, in c->mem. E_INVALID with the work's message if it failed; E_LIMIT_REACHED if it took too
 * much memory or time, which a retry may not; E_UNAVAILABLE if there is no helper. */
enum err apart_run(struct ctx *c, apart_work *work, const char *in, size_t n, size_t most,
    const char **out, size_t *out_n);

enum { APART_FILE_CPU_S = 300, APART_FILE_S = 600, APART_ASKED = 4096 };
struct apart_file {
	int fd; /* for pread() and mmap() */
	int64_t size;
	int side_fd; /* of a second file; -1: there is none */
	int64_t side_size;
	char asked[APART_ASKED];
	int to;
};
/* In the work: gives a part of the answer. */
enum err apart_file_put(struct ctx *c, const struct apart_file *, const void *bytes, size_t n);
/* Calls take() for each part. files: without the members below side_size. asked: what the work is
 * told. Fails as apart_run() does, or with what take() returns. */
enum err apart_file_run(struct ctx *c, apart_file_work *work, const struct apart_file *files,
    const char *asked, enum err (*take)(void *arg, const void *bytes, size_t n), void *arg);
#endif
