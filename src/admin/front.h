/* SPDX-License-Identifier: Apache-2.0
 * What nginx must know of our tables (routes, media types, headers that pages may set), printed
 * from them: nothing of it is typed twice. */
#ifndef VITRINE_FRONT_H
#define VITRINE_FRONT_H
#include <stdio.h>

struct conf;
/* dir is where nginx's configuration lies. */
struct front_file {
	const char *name;
	void (*print)(FILE *out, const struct conf *, const char *dir);
};
extern const struct front_file front_files[]; /* ended by a row without a name */
#endif
