/* SPDX-License-Identifier: Apache-2.0 */
#include "core/role.h"

#include "base/str.h"

static const char *const words[] = { [ROLE_VIEWER] = "viewer",
	[ROLE_EDITOR] = "editor",
	[ROLE_OWNER] = "owner" };

enum role
role_rank(const char *word)
{
	for (enum role r = ROLE_OWNER; r > ROLE_NONE; r--)
		if (str_eq(words[r], word))
			return r;
	return ROLE_NONE;
}

const char *
role_word(enum role role)
{
	return words[role];
}

static const char *const member_words[] = { [MEMBER_AGENT] = "agent",
	[MEMBER_MEMBER] = "member",
	[MEMBER_ADMIN] = "admin",
	[MEMBER_OWNER] = "owner" };

enum member_role
member_rank(const char *word)
{
	for (enum member_role r = MEMBER_OWNER; r > MEMBER_NONE; r--)
		if (str_eq(member_words[r], word))
			return r;
	return MEMBER_NONE;
}

const char *
member_word(enum member_role role)
{
	return member_words[role];
}
