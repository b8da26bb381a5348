/* SPDX-License-Identifier: Apache-2.0
 * Grants and the contents of folders as pages list them: each thing once, with the most that its
 * grants allow. */
#ifndef VITRINE_SHARED_THINGS_H
#define VITRINE_SHARED_THINGS_H
#include "sharing/shared.h"

#define SHARED_THINGS(F, T) \
	F(T, LIST, folders,   .sub = &shared_shape) \
	F(T, LIST, artifacts, .sub = &shared_shape) \
	F(T, LIST, files,     .sub = &shared_shape)
SHAPE_DECLARE(shared_things, SHARED_THINGS);

/* The things that one workspace shares. */
#define SHARED_SECTION(F, T) \
	F(T, OBJ,  by,      .sub = &shared_workspace_shape) \
	F(T, STRS, clients, .doc = "That they are of") \
	F(T, OBJ,  things,  .sub = &shared_things_shape)
SHAPE_DECLARE(shared_section, SHARED_SECTION);

/* Groups rows of shared_list() by workspace. */
struct list shared_sections(struct ctx *c, const struct shared_list *);
/* Fills out with the folder's items. grants: those of the person, who may have more on an item
 * than the folder gives, such as on things that they made. */
void shared_items(struct ctx *c, const struct shared_folder *, const struct shared_list *grants,
    struct shared_things *out);
/* The highest capability that the person has in the folder. */
const char *shared_capability(const struct shared_folder *);
#endif
