/* SPDX-License-Identifier: Apache-2.0
 * Requests to an object store by S3's API: path style, signature version 4, no multipart, no
 * conditions. The host that the operator named may be private. Redirects aren't followed. Source:
 * AWS, "Amazon S3 API Reference". */
#ifndef VITRINE_S3_H
#define VITRINE_S3_H
#include "base/crypto.h"
#include "base/ctx.h"
#include "base/shape.h"

/* A bucket, or a prefix of its keys. */
struct s3 {
	const char *url; /* https://host[:port]/bucket[/prefix] */
	const char *region, *key_file; /* the file has a key id, a space and a key */
};
struct s3 s3_store(const struct conf *); /* store_url */

/* Keys have letters, digits, and "/._-" only, so they are never escaped. */
struct s3_call {
	enum s3_method { S3_GET, S3_HEAD, S3_PUT, S3_DELETE } method;
	const char *key;   /* below the url */
	const char *query; /* of a list, which asks the bucket; NULL: none */
	/* PUT: opens the file to send, which is closed afterwards; -1 with errno. The store
	 * compares what it gets with the digest. */
	int (*open)(struct s3_call *);
	int64_t size;
	const uint8_t *sha256;
	/* GET: takes bytes of an answer with status 200. False ends the call. */
	bool (*take)(struct s3_call *, const char *bytes, size_t n);
	void *arg; /* of both */
	/* Filled: */
	long status;     /* 0 if there is no complete answer */
	const char *why; /* in c->mem; NULL for a status from 200 to 299 */
	bool absent;     /* open() failed with ENOENT, or the status is 404 */
	int64_t length;  /* of the object, by HEAD; -1: not told */
};

/* Carries out the calls, eight at once. A call that makes no progress for store_wait_s ends. When
 * one has no answer, or one of 500 and above, those that haven't begun fail like that one. This
 * process keeps connections for later calls. E_INTERNAL only if the key can't be read. */
enum err s3_calls(struct ctx *c, struct s3, struct s3_call *calls, size_t n);

/* Requests of this process to stores. */
struct s3_counts {
	uint64_t puts, gets, others;
	uint64_t failed; /* of these */
	uint64_t wait_us;
};
/* Returns what is new since the last call. */
struct s3_counts s3_counts_take(void);

/* Lists keys that begin with `folder` and are above `after` (NULL: all), in order, at most a
 * thousand; *more: some are left. E_STORE if the store doesn't answer. */
enum err s3_list(struct ctx *c, struct s3, const char *folder, const char *after,
    struct strs *out, bool *more);
#endif
