/* SPDX-License-Identifier: Apache-2.0
 * A person outside of a workspace, as its admins see them. */
#ifndef VITRINE_OUTSIDE_PERSON_H
#define VITRINE_OUTSIDE_PERSON_H
#include "base/shape.h"

#define OUTSIDE_PERSON(F, T) \
	F(T, ID,    id,     .arg = "usr_") \
	F(T, EMAIL, email) \
	F(T, STR,   name,   .flags = F_NUL, .doc = "null until they have an account") \
	F(T, WORD,  status, .arg = "invited|active", .doc = "invited: they have no account yet") \
	F(T, TIME,  disabled_at, .flags = F_HID)
SHAPE_DECLARE(outside_person, OUTSIDE_PERSON);

/* Columns of the row u of user, as fields of the object `as` ("": of the row itself). */
#define OUTSIDE_PERSON_COLUMNS(u, as) \
	u ".id AS `" as "id`, COALESCE(" u ".email, " u ".invited_email) AS `" as "email`," \
	" NULLIF(" u ".name, '') AS `" as "name`," \
	" IF(" u ".kind = 'guest', 'invited', 'active') AS `" as "status`," \
	" " u ".disabled_at AS `" as "disabled_at`"
#endif
