/* SPDX-License-Identifier: Apache-2.0
 * Who is in a workspace, and as what. Source: decisions, "Workspaces, members, invites". */
#ifndef VITRINE_MEMBER_H
#define VITRINE_MEMBER_H

#include "base/ctx.h"

#define MEMBER_ROLES "agent|member|admin|owner"
/* An agent reads as a member does, and takes no seat. One owner each. */
enum member_role { MEMBER_NONE, MEMBER_AGENT, MEMBER_MEMBER, MEMBER_ADMIN, MEMBER_OWNER };
enum member_role member_rank(const char *word); /* MEMBER_NONE for NULL */
const char *member_word(enum member_role);      /* NULL for MEMBER_NONE */
/* Of two accounts that become one: the higher role is left, and one seat. */
enum err member_merge(struct ctx *c, const char *from, const char *into);
#endif
