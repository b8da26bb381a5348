/* SPDX-License-Identifier: Apache-2.0
 * To whom outside of the workspace a folder shows what lies in it: by grants of it, and of those
 * above it (core/reach.h). Whoever moves something into one shows it to them, and is told so. One
 * that sleeps, since the plan has ended, counts: it wakes with the plan. */
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
/* Of a thing that has just come into a folder. */
#define SHOWN_FIELD(F, T) \
	F(T, LIST, shared_with, .flags = F_OPT, .sub = &shared_with_shape, \
		.doc = "In the reply to what put it into a folder: who outside the workspace can " \
		       "open it, by grants on that folder and those above. Absent: nobody")
#define SHOWN_SET(thing, to) \
	((thing)->shared_with = (struct list){ (to).v, (to).n }, \
	    (thing)->has.shared_with = (to).n ? GIVEN : ABSENT)

/* Of any folders; those that are NULL are left out. */
enum err shown_by(
    struct ctx *c, const char *const *folder_ids, size_t n, struct shared_with_list *out);
/* Of these, the ones of one folder (NULL: none). */
struct list shown_of(struct ctx *c, const struct shared_with_list *, const char *folder_id);
/* Lists the outsiders to whom one folder is shown. */
enum err shown_in(struct ctx *c, const char *folder_id, struct shared_with_list *out);
/* Their names, for a sentence; NULL: nobody. */
const char *shown_names(struct ctx *c, const struct list *);
/* Whether somebody sees it afterwards who didn't before, or may do more. */
bool shown_more(const struct list *before, const struct list *after);
/* Checks a move from one folder (NULL: the top) to another. Unless `may`, E_DENIED if more people
 * could see it there: "only `who` can move it there". */
enum err shown_move(struct ctx *c, const char *from, const char *to, const char *field, bool may,
    const char *who);
#endif
