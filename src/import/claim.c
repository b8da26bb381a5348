/* SPDX-License-Identifier: Apache-2.0 */
#include "import/claim.h"

#include "base/str.h"
#include "core/artifact.h"
#include "data/operation.h"

enum err
claim_next(struct ctx *c, struct import **out)
{
	struct import *i;
	int64_t mine;

	*out = NULL;
	TRY(db_find(c,
	    ROWS(import,
		"SELECT " IMPORT_COLUMNS " FROM import i"
		" WHERE i.due AND i.due_at <= ? ORDER BY i.due_at LIMIT 1"),
	    ARGS(c->now), &i));
	if (!i)
		return E_OK;
	TRY(db_exec(c,
	    EXEC("UPDATE import SET due_at = ?, fence = fence + 1 WHERE id = ? AND fence = ?"
		 " AND due AND due_at <= ?"),
	    ARGS(c->now + CLAIM_LEASE_S, i->id, i->fence, c->now), &mine));
	if (!mine)
		return E_OK;
	i->fence++;
	TRY(import_found_read(c, i));
	*out = i;
	return E_OK;
}

enum err
claim_hold(struct ctx *c, const struct import *imp)
{
	return db_exec1(c,
	    EXEC("UPDATE import SET due_at = ? WHERE id = ? AND fence = ? AND due"),
	    ARGS(c->now + CLAIM_LEASE_S, imp->id, imp->fence));
}

enum err
claim_rest(struct ctx *c, const struct import *imp, int64_t at)
{
	return db_exec(c,
	    EXEC("UPDATE import SET due = ?, due_at = ? WHERE id = ? AND fence = ?"),
	    ARGS(at > 0, at, imp->id, imp->fence), NULL);
}

enum err
claim_maker(struct ctx *c, const struct import *imp, struct principal *who, struct artifact **a,
    bool *waits)
{
	struct principal *asker;

	*waits = false;
	TRY(asker_find(c, imp->created_by, imp->artifact_id, &asker, a));
	*who = *asker;
	*waits = (*a)->paused || (*a)->has.deleted_at == GIVEN;
	return *waits ? E_OK : import_allowed(c, *a, who, imp->mode, imp->table);
}

enum err
claim_check_again(struct ctx *c, const struct import *imp)
{
	return db_exec1(c,
	    EXEC("UPDATE import SET state = 'checking', due = 1, due_at = 0, fence = fence + 1,"
		 " error = ? WHERE id = ? AND state IN ('ready', 'storing')"),
	    ARGS("The columns of the table have changed since the check, so the file was checked "
		 "again", imp->id));
}

enum err
claim_fail(struct ctx *c, const struct import *imp, const char *why)
{
	return db_exec(c,
	    EXEC("UPDATE import SET due = (staged_no IS NOT NULL OR rows_done > 0), due_at = 0,"
		 " state = 'failed', error = ?, ended_at = ?, expires_at = ?, fence = fence + 1"
		 " WHERE id = ? AND fence = ?"),
	    ARGS(str_cut(c->mem, why, 400), c->now, c->now + IMPORT_STAYS_S, imp->id, imp->fence),
	    NULL);
}
