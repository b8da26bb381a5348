/* SPDX-License-Identifier: Apache-2.0
 * The digest of a version: SHA-256 of all that is served of it and of what it changes when it goes
 * live. Equal digests mean equal pages, so a review (review/review.h) names one. It covers sources
 * only: pages that we derive, numbers, times, and authors are no part of it. Source:
 * review/README.md. */
#ifndef VITRINE_DIGEST_H
#define VITRINE_DIGEST_H
#include "base/crypto.h"
#include "site/project.h"

struct digest_file {
	const char *path, *mime;
	int64_t size;
	const uint8_t *sha256;
};
/* Changes that a draft makes to its artifact (version_draft()); NULL: none. */
struct digest_next {
	const char *name, *policy, *agent;
};

/* Returns false if it changes nothing. */
bool digest_of_next(void *owner, const struct digest_next *, uint8_t out[SHA256_BYTES]);
/* Digests v's entry page, routing, mobile page, PWA and icon, the files, whose order is changed,
 * and next, of digest_of_next() (NULL: nothing). */
void digest_of_version(void *owner, const struct version_row *v, const uint8_t *next,
    struct digest_file *files, size_t n, uint8_t out[SHA256_BYTES]);

/* *hex is the digest of a version. It is computed from the rows and stored if there is none. In a
 * transaction. E_NOT_FOUND. */
enum err digest_get(struct ctx *c, const char *artifact_id, int64_t version_no, const char **hex);
/* *right is false if a stored digest isn't that of the rows. */
enum err digest_check(struct ctx *c, const char *artifact_id, int64_t version_no, bool *right);
#endif
