/* SPDX-License-Identifier: Apache-2.0 */
#include "core/role.h"

#include "base/str.h"

/* Where the word stands, from the top down to 1; else 0. */
static int
rank(const char *const *words, int top, const char *word)
{
	while (top && !str_eq(words[top], word))
		top--;
	return top;
}

enum role
role_rank(const char *word)
{
	static const char *const words[] = { [ROLE_VIEWER] = "viewer",
		[ROLE_EDITOR] = "editor",
		[ROLE_OWNER] = "owner" };

	return rank(words, ROLE_OWNER, word);
}

enum member_role
member_rank(const char *word)
{
	static const char *const words[] = { [MEMBER_AGENT] = "agent",
		[MEMBER_MEMBER] = "member",
		[MEMBER_ADMIN] = "admin",
		[MEMBER_OWNER] = "owner" };

	return rank(words, MEMBER_OWNER, word);
}
