/* SPDX-License-Identifier: Apache-2.0
 * Pictures of the pages of two versions, with what differs in them: the entry page, and the pages
 * whose files differ. Editors ask for them, and so do an approval and a review; then
 * runner/picture.c makes them. Five pairs of an artifact stay, for 30 days after the last look. */
#ifndef VITRINE_COMPAREPIC_H
#define VITRINE_COMPAREPIC_H
#include "base/rasterdiff.h"
#include "core/artifact.h"
#include "site/due.h"
#include "store/object.h"

enum { COMPARED_PAGES = 20, COMPARED_PAIRS = 5, COMPARED_HEIGHT = 4000 };

#define PICTURED_SIDE(F, T) \
	F(T, INT,  version_no) \
	F(T, URL,  url,    .doc = "A PNG, for who sees both versions") \
	F(T, INT,  width) \
	F(T, INT,  height, .doc = "At most 4,000: a longer page is cut") \
	F(T, LIST, boxes,  .sub = &raster_box_shape, .doc = "What differs; at most 50")
SHAPE_DECLARE(pictured_side, PICTURED_SIDE);

#define PICTURED_PAGE(F, T) \
	F(T, STR,  path) \
	F(T, WORD, status,  .arg = "waiting|made|same|failed|unavailable", \
		.doc = "same: it looks the same in both; unavailable: no browser can run here") \
	F(T, NUM,  changed, .flags = F_NUL, .lo = 0, .hi = 1, \
		.doc = "Share of the picture that differs") \
	F(T, OBJ,  from,    .flags = F_NUL, .sub = &pictured_side_shape, .doc = "Only if made") \
	F(T, OBJ,  to,      .flags = F_NUL, .sub = &pictured_side_shape)
SHAPE_DECLARE(pictured_page, PICTURED_PAGE);

#define PICTURED(F, T) \
	F(T, INT,  from) \
	F(T, INT,  to) \
	F(T, URL,  url,          .doc = "The page that shows them, with frames") \
	F(T, BOOL, waiting,      .doc = "A browser will open some of the pages") \
	F(T, LIST, pages,        .sub = &pictured_page_shape, \
		.doc = "The entry page, then those that differ; empty if nobody asked") \
	F(T, INT,  not_pictured, .doc = "Pages that differ, beyond 20")
SHAPE_DECLARE(pictured, PICTURED);

/* Lists the pictures of two versions (versions_pick(), site/compare.h). Notes once a day that
 * somebody looked. */
enum err pictured_get(
    struct ctx *c, const struct artifact *a, int64_t from, int64_t to, struct pictured **out);
/* Has them made, unless they are or will be; failed ones again. */
enum err pictured_want(struct ctx *c, const char *artifact_id, int64_t from, int64_t to);
/* *from is the version with which people compare `no`; 0: there is none, or the caller doesn't see
 * both. */
enum err pictured_of(struct ctx *c, const struct artifact *a, int64_t no, int64_t *from);
/* pictured_want() of these two, for people who are to judge the version; nothing if from is 0. */
enum err pictured_prepare(struct ctx *c, const struct artifact *a, int64_t no);
/* *yes is true if asking would have pictures made: there are none or some failed, and there is a
 * page to open. */
enum err pictured_helps(
    struct ctx *c, const struct artifact *a, const struct pictured *, bool *yes);
/* Picks the two versions (versions_pick()), and has pictures made. */
enum err pictured_ask(struct ctx *c, const struct artifact *a, int64_t from_no, int64_t to_no,
    struct pictured **out);
/* *sha256 is the digest of a page's picture on one side. E_NOT_FOUND if there is none. */
enum err pictured_find(struct ctx *c, const struct artifact *a, int64_t from, int64_t to,
    const char *path, bool of_from, const char **sha256);

/* ---- for the runner ---- */

/* pair_waits: true if one may be due; leases nothing. pair_lease: leases a row for DUE_LEASE_S;
 * *out is NULL if there is none. */
enum err pair_waits(struct ctx *c, bool *yes);
enum err pair_lease(struct ctx *c, struct page_due **out);
/* Tries again later, or after the last attempt stores that it failed. */
enum err pair_fail(struct ctx *c, const struct page_due *);
/* Stores what differs, JSON of raster_diff, with the pictures (NULL: they look the same). Changes
 * nothing if another runner has the lease. */
enum err pair_keep(struct ctx *c, const struct page_due *, const char *found,
    const struct object *from, const struct object *to);
/* Has pictures made again whose bytes are lost. */
enum err pair_lost(struct ctx *c, const uint8_t sha256[SHA256_BYTES]);
#endif
