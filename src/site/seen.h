/* SPDX-License-Identifier: Apache-2.0
 * Our browser opens each version that goes live once, and drafts and earlier versions when their
 * editors ask. One row a version says what it saw, or is due (SEEN_FRESH, core/picture_want.h).
 * runner/picture.c opens the pages. */
#ifndef VITRINE_SEEN_H
#define VITRINE_SEEN_H
#include "core/artifact.h"
#include "ext/pagelog.h"
#include "ext/room.h"
#include "site/due.h"
#include "store/object.h"

enum { SEEN_WIDTH = 1280, SEEN_HEIGHT = 800, PHONE_WIDTH = 390, PHONE_HEIGHT = 844 };
enum { SEEN_WAIT_S = 10 };
/* Share of one colour from which on a page without text counts as blank. */
#define SEEN_BLANK 0.999

#define SEEN_WHYS "no_browser|paused|busy|gone|sign_in|crashed"

#define SEEN_BASICS(F, T) \
	F(T, STR,  title,                 .doc = "At most 300 characters") \
	F(T, STR,  lang) \
	F(T, BOOL, viewport,              .doc = "It says how it fits a phone") \
	F(T, INT,  images_without_alt) \
	F(T, INT,  links_without_text) \
	F(T, INT,  fields_without_label)
SHAPE_DECLARE(seen_basics, SEEN_BASICS);

#define SEEN_FACTS(F, T) \
	F(T, BOOL, ok,          .flags = F_NUL, \
		.doc = "False: a script failed, a file is missing, nothing could be seen, or it " \
		       "never finished. null: it needs what we don't load, or wasn't seen") \
	F(T, STR,  title,       .flags = F_NUL) \
	F(T, INT,  load_ms,     .flags = F_NUL, .doc = "Until its load event") \
	F(T, INT,  requests) \
	F(T, INT,  bytes) \
	F(T, NUM,  blank,       .flags = F_NUL, .lo = 0, .hi = 1, \
		.doc = "Share of the picture that has one colour; null if scripts of other hosts " \
		       "weren't loaded")
#define SEEN_LISTS(F, T) \
	F(T, STRS, other_hosts, \
		.doc = "Hosts that the page wanted something from. Only its own is asked, and as " \
		       "nobody: what may come of that isn't listed, but other problems may, too") \
	F(T, LIST, failed,      .sub = &page_failed_shape, \
		.doc = "Requests without an answer, at most 20")

/* The stored form. items: the problems. */
#define SEEN_FOUND(F, T) \
	F(T, WORD, why,         .flags = F_NUL, .arg = SEEN_WHYS) \
	SEEN_FACTS(F, T) \
	F(T, LIST, items,       .sub = &page_problem_shape) \
	SEEN_LISTS(F, T) \
	F(T, INT,  wide_px,     .flags = F_NUL) \
	F(T, OBJ,  basics,      .flags = F_NUL, .sub = &seen_basics_shape)
SHAPE_DECLARE(seen_found, SEEN_FOUND);

#define SEEN_PHONE(F, T) \
	F(T, INT, overflow_px, .flags = F_NUL, \
		.doc = "How much wider it is than a phone's 390 pixels") \
	F(T, URL, picture_url, .flags = F_NUL)
SHAPE_DECLARE(seen_phone, SEEN_PHONE);

#define SEEN(F, T) \
	F(T, INT,  version_no) \
	F(T, WORD, status,      .arg = "waiting|seen|not_seen", \
		.doc = "waiting: a browser will open it, usually within seconds") \
	F(T, WORD, why,         .flags = F_NUL, .arg = SEEN_WHYS, \
		.doc = "Why it wasn't seen. no_browser: none can run here; busy: there was no " \
		       "time; gone: its page couldn't be fetched; sign_in: it leads its visitors " \
		       "to sign in; crashed: the browser did; null: nobody asked") \
	F(T, TIME, at,          .flags = F_NUL) \
	SEEN_FACTS(F, T) \
	F(T, LIST, problems,    .sub = &page_problem_shape, .doc = "At most 20") \
	SEEN_LISTS(F, T) \
	F(T, URL,  picture_url, .flags = F_NUL, .doc = "A PNG of 1280 by 800") \
	F(T, OBJ,  phone,       .flags = F_NUL, .sub = &seen_phone_shape) \
	F(T, OBJ,  basics,      .flags = F_NUL, .sub = &seen_basics_shape)
SHAPE_DECLARE(seen, SEEN);

#define PAGE_PROBLEMS(F, T) \
	F(T, INT,  version_no,  .flags = F_NUL, .doc = "The live version; null if there is none") \
	F(T, TIME, checked_at,  .flags = F_NUL, .doc = "null while it has not been opened") \
	F(T, WORD, status,      .arg = "waiting|checked|unavailable", \
		.doc = "waiting: it will be opened, usually within seconds; unavailable: " \
		       "it wasn't and won't be soon, as where no browser is installed") \
	F(T, LIST, items,       .sub = &page_problem_shape, .doc = "At most 20") \
	F(T, STRS, other_hosts, .doc = "As in GET …/versions/{no}/seen")
SHAPE_DECLARE(page_problems, PAGE_PROBLEMS);

/* Returns false if no browser, or such a program, can run on this machine, as far as is known. */
bool seen_browser(struct ctx *c);
bool seen_rooms(struct ctx *c, enum room_kind);
/* The runner's lock. While no browser can run, its time of change is when the runner tries again,
 * and its time of access is when it gave up. After a pause of at most SEEN_BRIEF_S a browser may
 * run, so it counts as one. */
#define SEEN_LOCK "picture.lock"
enum { SEEN_BRIEF_S = 60 };

/* Of a version that the caller may see. */
enum err seen_get(struct ctx *c, const struct artifact *a, int64_t no, struct seen **out);
/* Of the live version. */
enum err seen_problems(struct ctx *c, const struct artifact *a, struct page_problems **out);
/* Has a version opened as soon as possible, also if it was before. The caller may see it. *out as
 * from seen_get(). */
enum err seen_again(struct ctx *c, const struct artifact *a, int64_t no, struct seen **out);
/* Says that somebody waits for a version that will be opened, so that it is among the first. */
enum err seen_await(struct ctx *c, const struct artifact *a, int64_t no);
/* *sha256 is the digest of its picture in that width. E_NOT_FOUND if there is none. */
enum err seen_picture(struct ctx *c, const struct artifact *a, int64_t no, int64_t width,
    const char **sha256);
/* Returns the subject (base/told.h) of what is seen of a version. */
const char *seen_subject(void *owner, const char *artifact_id, int64_t no);

/* seen_waits: true if one may be due; leases nothing. seen_take: leases a row for DUE_LEASE_S,
 * first those that somebody waits for; *out is NULL if there is none. A version that isn't live is
 * opened only if somebody asked. */
enum err seen_waits(struct ctx *c, bool *yes);
enum err seen_take(struct ctx *c, struct page_due **out);
/* Tries again later, or after the last attempt stores why it wasn't seen (one of SEEN_WHYS). */
enum err seen_fail(struct ctx *c, const struct page_due *, const char *why);
/* Stores what was seen, with the digests of its pictures (NULL: none), which are named objects.
 * Changes nothing if another runner has the lease, or another version went live meanwhile. */
enum err seen_keep(struct ctx *c, const struct page_due *, const struct seen_found *,
    const struct object *picture, const struct object *phone);
#endif
