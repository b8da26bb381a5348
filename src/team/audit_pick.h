/* SPDX-License-Identifier: Apache-2.0
 * The audit's actions by groups of people's words, to choose from (team/ws_audit.html). */
#ifndef VITRINE_AUDIT_PICK_H
#define VITRINE_AUDIT_PICK_H
#include "base/shape.h"

#define AUDIT_CHOICE(F, T) \
	F(T, STR,  action) \
	F(T, STR,  label) \
	F(T, BOOL, chosen)
SHAPE_DECLARE(audit_choice, AUDIT_CHOICE);

#define AUDIT_GROUP(F, T) \
	F(T, STR,  group) \
	F(T, LIST, actions, .sub = &audit_choice_shape)
SHAPE_DECLARE(audit_group, AUDIT_GROUP);

/* Returns the only action that has `what` in its words; NULL if there are none or several. */
const char *audit_action_sole(const char *what);
/* Returns a list of struct audit_group: the actions with `what` (NULL: all) and the chosen one. */
struct list audit_actions_offered(void *mem, const char *what, const char *chosen);
#endif
