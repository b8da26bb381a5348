/* SPDX-License-Identifier: Apache-2.0
 * Spaces of accounts and workspaces that have ended. A space loses its name at once, so nobody
 * can search it. The runner deletes its rows later. */
#include "core/find.h"

#include "store/rounds.h"

/* A space without a name can't be searched. A workspace has four. */
static enum err
spaces_end(struct ctx *c, const char *id)
{
	return db_exec(c,
	    EXEC(
		"UPDATE search_space SET audience = CONCAT('-', no)"
		" WHERE audience IN (?, CONCAT(?, '" FIND_ARTIFACTS "'),"
		" CONCAT(?, '" FIND_EDITORS "'), CONCAT(?, '" FIND_ADMINS "'))"),
	    ARGS(id, id, id, id), NULL);
}

static enum err
workspace_purged(struct ctx *c, const struct happened *h)
{
	return spaces_end(c, h->workspace_id);
}

#define SPACE_ENDED(F, T) F(T, INT, no)
SHAPE(space_ended, SPACE_ENDED);

static enum err
space_empty(struct ctx *c, int64_t no, int64_t limit, int64_t *done)
{
	struct stmt *const all[] = {
		EXEC("DELETE FROM search_post WHERE space = ? LIMIT ?"),
		EXEC("DELETE FROM search_page WHERE space = ? LIMIT ?"),
		EXEC("DELETE FROM search_near WHERE space = ? LIMIT ?"),
		EXEC("DELETE FROM search_space WHERE no = ? LIMIT ?"),
	};

	for (size_t i = 0; i < sizeof all / sizeof *all && *done < limit; i++) {
		int64_t n;

		TRY(db_exec(c, all[i], ARGS(no, limit - *done), &n));
		*done += n;
	}
	return E_OK;
}

static enum err
spaces_reap(struct ctx *c, int64_t limit, int64_t *done)
{
	struct space_ended_list ended;

	*done = 0;
	TRY(db_all(c,
	    ROWS(space_ended,
		"SELECT no FROM search_space WHERE audience LIKE '-%' ORDER BY audience LIMIT ?"),
	    ARGS(limit), &ended));
	for (size_t i = 0; i < ended.n && *done < limit; i++)
		TRY(space_empty(c, ended.v[i].no, limit, done));
	return E_OK;
}

USERS(TRY(spaces_end(c, from));)
FOLLOWS(search_space, USERS_FOLLOW, { WORKSPACE_PURGED, workspace_purged });
ROUNDS(search_space, { "search_spaces", .rows = spaces_reap });
