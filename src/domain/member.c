/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/member.h"

#include "base/str.h"
#include "db/db.h"

SHAPE_DEFINE(ws_user, WS_USER);

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

/* Of each workspace that both are in, the row of the lower role goes. */
#define RANK(role) "FIELD(" role ", 'agent', 'member', 'admin', 'owner')"
#define BOTH \
	"member f JOIN member i ON i.workspace_id = f.workspace_id AND i.user_id = ? WHERE f.user_id = ?"

enum err
member_merge(struct ctx *c, const char *from, const char *into)
{
	TRY(db_exec(c,
	    EXEC(
		"UPDATE workspace w JOIN member f ON f.workspace_id = w.id JOIN member i ON i.workspace_id = w.id AND i.user_id = ? SET w.people = w.people - 1"
		" WHERE f.user_id = ?"),
	    ARGS(into, from), NULL));
	TRY(db_exec(c, EXEC("DELETE i FROM " BOTH " AND " RANK("f.role") " > " RANK("i.role")),
	    ARGS(into, from), NULL));
	TRY(db_exec(c, EXEC("DELETE f FROM " BOTH), ARGS(into, from), NULL));
	TRY(db_exec(c, EXEC("UPDATE member SET user_id = ? WHERE user_id = ?"), ARGS(into, from),
	    NULL));
	TRY(db_exec(c, EXEC("UPDATE folder SET created_by = ? WHERE created_by = ?"),
	    ARGS(into, from), NULL));
	return db_exec(c, EXEC("UPDATE audit SET actor_id = ? WHERE actor_id = ?"),
	    ARGS(into, from), NULL);
}
