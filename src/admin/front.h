/* SPDX-License-Identifier: Apache-2.0
 * Writes the parts of nginx's configuration that follow from our tables: routes, media types, and
 * headers that pages may set. */
#ifndef VITRINE_FRONT_H
#define VITRINE_FRONT_H
#include <stdio.h>

struct conf;
struct page_error;
/* print: dir is the folder of nginx's configuration. */
struct front_file {
	const char *name;
	void (*print)(FILE *out, const struct conf *, const char *dir);
	const struct page_error *page; /* in place of print: a page for browsers */
};
/* Writes a page of an error. */
void front_page(FILE *out, const struct conf *, const struct page_error *);
extern const struct front_file front_files[]; /* ended by a row without a name */
#endif
