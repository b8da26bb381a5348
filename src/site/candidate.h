/* SPDX-License-Identifier: Apache-2.0
 * Candidates: what a publish that met conflicts would have published, with marks in texts, and what
 * else its request said. Its maker settles the conflicts by a further publish within an hour, which
 * is merged again if another version went live since (site/merge.h). */
#ifndef VITRINE_CANDIDATE_H
#define VITRINE_CANDIDATE_H
#include "site/manifest.h"

enum { CANDIDATE_S = 3600 };

#define CANDIDATE_FILE(F, T) \
	F(T, STR,  path) \
	F(T, STR,  sha256) \
	F(T, INT,  size_bytes) \
	F(T, STR,  mime) \
	F(T, BOOL, declared) \
	F(T, BOOL, conflict)
SHAPE_DECLARE(candidate_file, CANDIDATE_FILE);

struct candidate {
	const char *id, *artifact_id;
	int64_t version_no; /* it is united with that version */
	struct candidate_file_list files;
};

/* Finds the candidate that the request names, and adds to the request what its first publish said.
 * *out is NULL if it names none. E_NOT_FOUND unless it is the caller's. */
enum err candidate_read(struct ctx *c, const struct principal *who, const struct publish_new **in,
    const struct candidate **out);
/* Stores the files of a request that met conflicts; their bytes are durable afterwards. Commits by
 * itself, because the request fails. */
enum err candidate_add(struct manifest *m, const struct principal *who, int64_t version_no,
    const struct item *items, size_t n, const char **id);
/* E_NOT_FOUND if another publish has used it. */
enum err candidate_use(struct ctx *c, const struct candidate *);
#endif
