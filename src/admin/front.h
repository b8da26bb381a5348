/* SPDX-License-Identifier: Apache-2.0
 * Writes the parts of nginx's configuration that follow from our tables: routes, media types, and
 * headers that pages may set. */
#ifndef VITRINE_FRONT_H
#define VITRINE_FRONT_H
#include <stdio.h>

struct conf;
/* print: dir is the folder of nginx's configuration. */
struct front_file {
	const char *name;
	void (*print)(FILE *out, const struct conf *, const char *dir);
};
extern const struct front_file front_files[]; /* ended by a row without a name */
#endif
