/* SPDX-License-Identifier: Apache-2.0
 * Somebody of a workspace to be chosen on a page (people/person-options.html). So many are
 * offered at once; where there are more, the page has a field that looks for them by name, which
 * is `who` of its query. */
#ifndef VITRINE_PERSON_PICK_H
#define VITRINE_PERSON_PICK_H
#include "people/people.h"

enum { PICK_MOST = 200 };

#define PICKED(F, T) \
	F(T, ID,   user_id, .arg = "usr_") \
	F(T, STR,  name) \
	F(T, STR,  email, .doc = "Beside the name, where there is one") \
	F(T, BOOL, agent) \
	F(T, BOOL, chosen)
SHAPE_DECLARE(picked, PICKED);

#define PERSON_PICK(F, T) \
	F(T, LIST, people, .sub = &picked_shape) \
	F(T, BOOL, many, .doc = "There are more, or they were looked for") \
	F(T, STR,  who)
SHAPE_DECLARE(person_pick, PERSON_PICK);

/* What a field of that name was sent; NULL when it is empty. */
const char *pick_typed(const char *typed);
/* Those found, by name: PICK_MOST of them. The one with the id `chosen`, or the only one that `who`
 * led to, is the chosen one, which is returned; NULL: none is. */
const char *person_pick_of(struct ctx *c, const struct ws_person_list *found, const char *who,
    const char *chosen, struct person_pick *out);
/* The same among all members and agents, for what a list is narrowed by: whom `who` alone led to is
 * chosen, and is looked for no longer. *out_id is the chosen one's. */
enum err person_pick_find(struct ctx *c, const struct workspace *, const char *who,
    const char *chosen, struct person_pick *out, const char **out_id);
/* Who is chosen is offered, too, though they are not among those: they have left, or were not
 * looked for. name is what they are called there. */
void person_pick_keep(
    struct ctx *c, struct person_pick *, const char *chosen, const char *name);
#endif
