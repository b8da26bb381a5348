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
