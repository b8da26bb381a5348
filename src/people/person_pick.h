/* SPDX-License-Identifier: Apache-2.0
 * A field in which a page's user chooses a person of the workspace (people/person-options.html). It
 * offers a limited number; if there are more, the page has a search field for their names, `who` in
 * its query. */
#ifndef VITRINE_PERSON_PICK_H
#define VITRINE_PERSON_PICK_H
#include "people/people.h"

enum { PICK_MOST = 200 };

#define PERSON_PICK(F, T) \
	F(T, LIST, people, .sub = &ws_person_shape) \
	F(T, ID,   chosen, .arg = "usr_") \
	F(T, BOOL, many, .doc = "There are more, or they were looked for") \
	F(T, STR,  who)
SHAPE_DECLARE(person_pick, PERSON_PICK);

/* Fills the picker with up to PICK_MOST of the people found, by name. Returns the chosen one: the
 * one with the id `chosen`, or the only one that `who` matched; NULL if there is none. */
const char *person_pick_of(struct ctx *c, const struct ws_person_list *found, const char *who,
    const char *chosen, struct person_pick *out);
/* person_pick_of() among all members and agents, to filter a list. A person whom `who` alone
 * matched becomes chosen. *out_id is their id. */
enum err person_pick_find(struct ctx *c, const struct workspace *, const char *who,
    const char *chosen, struct person_pick *out, const char **out_id);
/* Adds the chosen person to the list, even if they have left or don’t match. name is their name
 * there. */
void person_pick_keep(
    struct ctx *c, struct person_pick *, const char *chosen, const char *name);
#endif
