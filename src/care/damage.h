/* SPDX-License-Identifier: Apache-2.0
 * Damage that the scrub found and couldn't repair, until it is whole again. */
#ifndef VITRINE_DAMAGE_H
#define VITRINE_DAMAGE_H
#include "db/db.h"

#define DAMAGE(F, T) \
	F(T, STR,  subject) \
	F(T, STR,  why) \
	F(T, TIME, found_at)
SHAPE_DECLARE(damage, DAMAGE);

/* These functions are about this machine's damage. subject is a path below data_dir. */
enum err damage_keep(struct ctx *c, const char *subject, const char *why);
enum err damage_forget(struct ctx *c, const char *subject);
/* Lists damage, the longest unchecked first. */
enum err damage_list(struct ctx *c, int64_t most, struct list *out);
enum err damage_count(struct ctx *c, int64_t *n);
#endif
