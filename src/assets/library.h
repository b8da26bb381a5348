/* SPDX-License-Identifier: Apache-2.0
 * An asset library of a workspace or of a person. Its bucket has counters of its contents. The
 * statements that change them also check the limits, so these hold with concurrent changes. Source:
 * interface, "Asset library"; assets/README.md. */
#ifndef VITRINE_LIBRARY_H
#define VITRINE_LIBRARY_H
#include "core/storage.h"

struct workspace;

struct library {
	const char *bucket_id;
	const char *workspace_id; /* NULL: a person's own */
};
/* Returns the library of the workspace, or with w NULL the person's own. */
struct library library_of(struct ctx *c, const struct workspace *w, const char *user_id);

#define LIBRARY_USAGE(F, T) \
	F(T, INT, files) \
	F(T, INT, bytes) \
	F(T, INT, reserved, .doc = "Of uploads that come in pieces")
SHAPE_DECLARE(library_usage, LIBRARY_USAGE);
enum err library_usage_get(struct ctx *c, const struct library *, struct library_usage *out);

/* Checks that so many bytes fit in, before they are sent. E_FILE_TOO_LARGE, E_STORAGE_FULL. */
enum err library_room(struct ctx *c, const struct library *, int64_t bytes);
/* Counts a file of so many bytes. Callers do this last in the transaction, because it locks the
 * bucket. E_STORAGE_FULL. */
enum err library_take(struct ctx *c, const struct library *, int64_t bytes);
/* Reserves room for later bytes; a negative number returns it. */
enum err library_reserve(struct ctx *c, const struct library *, int64_t bytes);
enum err library_give_back(struct ctx *c, const char *bucket_id, int64_t files, int64_t bytes);

/* Counts buckets whose bytes or files differ from the sums of their blobs. */
enum err library_check(struct ctx *c, struct miscount_list *out);
/* Corrects all of them and returns how many were wrong. */
enum err library_recount(struct ctx *c, int64_t *mended);
#endif
