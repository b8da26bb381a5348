/* SPDX-License-Identifier: Apache-2.0
 * Who is in a workspace, and as what. Source: decisions, "Workspaces, members, invites". */
#ifndef VITRINE_MEMBER_H
#define VITRINE_MEMBER_H

#include "domain/principal.h"

#define MEMBER_ROLES "agent|member|admin|owner"
/* An agent reads as a member does, and takes no seat. One owner each. */
enum member_role { MEMBER_NONE, MEMBER_AGENT, MEMBER_MEMBER, MEMBER_ADMIN, MEMBER_OWNER };
enum member_role member_rank(const char *word); /* MEMBER_NONE for NULL */
const char *member_word(enum member_role);      /* NULL for MEMBER_NONE */

#define WS_USER(F, T) \
	F(T, ID,    user_id, .arg = "usr_") \
	F(T, STR,   name) \
	F(T, EMAIL, email,   .flags = F_NUL) \
	F(T, WORD,  kind,    .arg = SUBJECT_KINDS)
SHAPE_DECLARE(ws_user, WS_USER);

/* Of two accounts that become one: the higher role is left, and one seat. */
enum err member_merge(struct ctx *c, const char *from, const char *into);
#endif
