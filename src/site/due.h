/* SPDX-License-Identifier: Apache-2.0
 * A page that our browser is to open, as a row of seen.c, picture.c, or comparepic.c, which say
 * when it is due (NULL: it isn't) and the number of attempts. A runner that leases a row moves its
 * due_at; that time and the attempts identify the lease. runner/picture.c does the work. */
#ifndef VITRINE_DUE_H
#define VITRINE_DUE_H
#include "core/artifact.h"

#define PAGE_DUE(F, T) \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, SLUG, slug) \
	F(T, INT,  version_no,  .doc = "Of a picture the live one, when it was taken") \
	F(T, BOOL, live,        .doc = "It was the live one then") \
	F(T, INT,  waiter_until) \
	F(T, BOOL, held,        .doc = "Of a version: the checks hold it until it was seen") \
	F(T, INT,  from_no,     .doc = "Of a pair of versions: the other one") \
	F(T, INT,  page_no,     .doc = "Of a pair") \
	F(T, STR,  path,        .doc = "Of a pair: after the version's address") \
	F(T, INT,  due_at) \
	F(T, INT,  attempts)
SHAPE_DECLARE(page_due, PAGE_DUE);
enum { DUE_LEASE_S = 90, DUE_ATTEMPTS = 3 /* of a version */ };

/* Functions of a kind of row. due_first finds the one that has waited longest, or NULL. due_take
 * leases it for DUE_LEASE_S; *out is NULL if another runner was quicker, or if the page isn't to be
 * opened any more: then the row is deleted. */
typedef enum err due_first(struct ctx *c, struct page_due **out);
typedef enum err due_take(struct ctx *c, struct page_due *d, struct page_due **out);
/* *yes is true if one may be due; leases nothing. */
enum err due_waits(struct ctx *c, due_first *first, bool *yes);
/* Leases a row; *out is NULL if there is none. */
enum err due_lease(struct ctx *c, due_first *first, due_take *take, struct page_due **out);

/* Enters the lease into d, after the UPDATE that takes it changed so many rows. False if another
 * runner was quicker. */
bool due_taken(struct ctx *c, struct page_due *d, int64_t changed);

/* SQL condition: the row still has this lease; takes DUE_ARGS. */
#define DUE_IS_MINE " artifact_id = ? AND due_at = ? AND attempts = ?"
#define DUE_ARGS(d) (d)->artifact_id, (d)->due_at, (d)->attempts
#endif
