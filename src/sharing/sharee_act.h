/* SPDX-License-Identifier: Apache-2.0
 * Acts of outside people through grants (core/outside.h), for admins: the same act of the same
 * person at most once in ten minutes, stored for 90 days. Source: interface, "External sharing";
 * sharing/README.md. */
#ifndef VITRINE_SHAREE_ACT_H
#define VITRINE_SHAREE_ACT_H
#include "core/artifact.h"
#include "core/outside.h"
#include "core/workspace.h"
#include "sharing/outside_person.h"

enum { SHAREE_ACT_DAYS = 90 };

#define SHAREE_ACT(F, T) \
	F(T, ID,   id,            .arg = "sac_") \
	F(T, OBJ,  member,        .sub = &outside_person_shape) \
	F(T, WORD, action,        .arg = OUTSIDE_ACTIONS) \
	F(T, WORD, resource_type, .arg = OUTSIDE_THINGS) \
	F(T, STR,  resource_id) \
	F(T, STR,  resource_name, .doc = "Its name at the time") \
	F(T, TIME, at,            .doc = "When they did so first, within ten minutes") \
	F(T, STR,  clients,       .flags = F_HID, .doc = "Names of theirs, for pages of several")
SHAPE_DECLARE(sharee_act, SHAREE_ACT);

/* Lists the newest first. *next is NULL on the last page. sharee_id: acts of that client's people,
 * through any grant; NULL: everyone. E_NOT_FOUND if the workspace has no such client. */
enum err sharee_act_list(struct ctx *c, const struct workspace *, const char *sharee_id,
    const struct page_query *, struct sharee_act_list *out, const char **next);
#endif
