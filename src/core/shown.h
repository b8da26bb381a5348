/* SPDX-License-Identifier: Apache-2.0
 * Lists the outsiders to whom a folder shows its contents, by grants on it and on the folders above
 * (core/reach.h). Moving a thing into a folder shows it to them, and the reply says so. Grants that
 * rest because the plan has ended count: they work again with the plan. */
#ifndef VITRINE_SHOWN_H
#define VITRINE_SHOWN_H
#include "core/reach.h"

#define SHARED_WITH(F, T) \
	F(T, WORD, subject_type, .arg = GRANT_SUBJECTS) \
	F(T, STR,  subject_id) \
	F(T, STR,  name,         .doc = "Of a person without one, their address") \
	F(T, WORD, capability,   .arg = CAPABILITIES) \
	F(T, ID,   folder_id,    .flags = F_HID, .arg = "fld_", .doc = "The one asked about")
SHAPE_DECLARE(shared_with, SHARED_WITH);
/* A field for replies that create a thing in a folder or move it there. */
#define SHOWN_FIELD(F, T) \
	F(T, LIST, shared_with, .flags = F_OPT, .sub = &shared_with_shape, \
		.doc = "In the reply to what put it into a folder: who outside the workspace can " \
		       "open it, by grants on that folder and those above. Absent: nobody")
#define SHOWN_SET(thing, to) \
	((thing)->shared_with = (struct list){ (to).v, (to).n }, \
	    (thing)->has.shared_with = (to).n ? GIVEN : ABSENT)

/* Lists the outsiders who can open things in each of these folders; NULLs are skipped. */
enum err shown_by(
    struct ctx *c, const char *const *folder_ids, size_t n, struct shared_with_list *out);
/* Returns the outsiders of one folder, out of such a list; none if folder_id is NULL. */
struct list shown_of(struct ctx *c, const struct shared_with_list *, const char *folder_id);
/* Lists the outsiders to whom one folder is shown. */
enum err shown_in(struct ctx *c, const char *folder_id, struct shared_with_list *out);
/* Joins their names for a sentence; NULL if there are none. */
const char *shown_names(struct ctx *c, const struct list *);
/* True if somebody can see the thing now who couldn't before, or can do more with it. */
bool shown_more(const struct list *before, const struct list *after);
/* Checks a move from one folder (NULL: the top) to another. E_DENIED if more people could see the
 * thing there and the caller isn't allowed that (may): "only `who` can move it there". */
enum err shown_move(struct ctx *c, const char *from, const char *to, const char *field, bool may,
    const char *who);
#endif
