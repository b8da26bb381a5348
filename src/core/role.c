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

/* ---- connected agents ---- */

bool
agent_is_barred(const char *bound)
{
	return bound && !str_eq(bound, "read_only");
}

const char *
agent_words(struct ctx *c, const struct principal *who, const char *bound)
{
	if (!bound)
		return NULL;
	if (str_eq(bound, "off"))
		return "The admins of this workspace have turned agents off, so no connected "
		       "program can work in it; your person can ask them to turn agents on";
	if (str_eq(bound, "read_only"))
		return "The admins of this workspace let agents read and change nothing in it; "
		       "your person can ask them to allow changes";
	return mem_printf(c->mem,
	    "The admins of this workspace let only agents of certain hosts work in it, and %s "
	    "isn't one of them; your person can ask them to add it",
	    who->agent_host);
}

enum err
agent_reads(struct ctx *c, const struct principal *who, const char *bound)
{
	return agent_is_barred(bound) ? fail(c, E_DENIED, "%s", agent_words(c, who, bound)) : E_OK;
}

enum err
agent_changes(struct ctx *c, const struct principal *who, const char *bound)
{
	return bound ? fail(c, E_DENIED, "%s", agent_words(c, who, bound)) : E_OK;
}
