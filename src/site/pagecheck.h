/* SPDX-License-Identifier: Apache-2.0
 * Our browser opens each version that goes live once, to tell its editors which errors it has. One
 * row an artifact has the findings of the live version, or is due (CHECK_FRESH,
 * core/picture_want.h). runner/picture.c opens the pages. */
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

/* For the live version. */
enum err pagecheck_find(struct ctx *c, const struct artifact *a, struct page_problems **out);

/* For any artifact whose pages are served, whoever may see them. */
DUE_DECLARE(pagecheck);
/* Changes nothing if another version is live by now, or another runner has the lease. */
enum err pagecheck_keep(struct ctx *c, const struct page_due *, const struct page_found *);
#endif
