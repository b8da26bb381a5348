/* SPDX-License-Identifier: Apache-2.0
 * Each version that goes live is opened once in a browser of ours, to tell its editors what went
 * wrong. One row an artifact has what was found of the live version, or that it is to be opened
 * (CHECK_FRESH, core/picture_want.h). What opens it is runner/picture.c. */
#ifndef VITRINE_PAGECHECK_H
#define VITRINE_PAGECHECK_H
#include "core/artifact.h"
#include "ext/pagelog.h"
#include "site/due.h"

#define PAGE_FOUND(F, T) \
	F(T, LIST, items,       .sub = &page_problem_shape, .doc = "At most 20") \
	F(T, STRS, other_hosts, \
		.doc = "Hosts that the page wanted something from. Only its own is asked, and as " \
		       "nobody: what may come of that isn't listed, but other problems may, too")
SHAPE_DECLARE(page_found, PAGE_FOUND);

#define PAGE_PROBLEMS(F, T) \
	F(T, INT,  version_no, .flags = F_NUL, .doc = "The live version; null if there is none") \
	F(T, TIME, checked_at, .flags = F_NUL, .doc = "null while it has not been opened") \
	F(T, WORD, status, .arg = "waiting|checked|unavailable", \
		.doc = "waiting: it will be opened, usually within seconds; unavailable: " \
		       "it wasn't and won't be soon, as where no browser is installed") \
	PAGE_FOUND(F, T)
SHAPE_DECLARE(page_problems, PAGE_PROBLEMS);

/* Of the live version. */
enum err pagecheck_find(struct ctx *c, const struct artifact *a, struct page_problems **out);

/* Of any artifact whose pages are served, whoever can see them. */
DUE_DECLARE(pagecheck);
/* Changes nothing when another version is live by now, or the lease is somebody else's. */
enum err pagecheck_keep(struct ctx *c, const struct page_due *, const struct page_found *);
#endif
