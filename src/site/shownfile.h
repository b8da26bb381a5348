/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VITRINE_SHOWNFILE_H
#define VITRINE_SHOWNFILE_H
#include <stddef.h>
#include <stdint.h>

/* A file to be shown. */
struct shown_file {
	const char *path;
	const char *sha256; /* in hexadecimal; NULL: there is no object, fileview_draw() */
	int64_t size;
	const char *bytes; /* NULL: only in the store */
	size_t view;       /* set by the plan: its view's number, from 1; 0: none */
};
/* For qsort() and bsearch(). */
int shown_by_path(const void *, const void *);
#endif
