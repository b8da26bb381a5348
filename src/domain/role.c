/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/role.h"

#include "base/str.h"
#include "db/db.h"

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

#define ROLE_OF(F, T) \
	F(T, WORD, role, .arg = ROLES) \
	F(T, STR,  in_workspace)
SHAPE_DECLARE(role_of, ROLE_OF);
SHAPE_DEFINE(role_of, ROLE_OF);

enum err
role_find(struct ctx *c, const char *artifact_id, const struct principal *who, const char **role,
    const char **in_workspace)
{
	struct role_of *row;

	TRY(db_find(c,
	    ROWS(role_of,
		"SELECT " ROLE_COLUMN(AS_SUBJECT) " AS role, " WORKSPACE_ROLE_COLUMN(AS_SUBJECT) " AS in_workspace FROM " SUBJECT_TABLE
		" JOIN artifact a" ROLE_TABLES("s.user_id") " WHERE a.id = ?"),
	    ARGS(SUBJECT(who), artifact_id), &row));
	*role = row ? row->role : NULL;
	*in_workspace = row ? row->in_workspace : NULL;
	return E_OK;
}
