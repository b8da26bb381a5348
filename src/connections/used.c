/* SPDX-License-Identifier: Apache-2.0 */
#include "connections/used.h"

#include "base/jobtitle.h"
#include "base/str.h"
#include "core/role.h"
#include "db/db.h"
#include "db/ids.h"

SHAPE_DEFINE(connection_job, CONNECTION_JOB);
SHAPE_DEFINE(connection_job_count, CONNECTION_JOB_COUNT);
SHAPE_DEFINE(own_credential, OWN_CREDENTIAL);
SHAPE_DEFINE(own_job, OWN_JOB);

/* The jobs `j` that use the connection n, with their artifacts. Only artifacts in n's workspace
 * use it. */
#define JOBS_OF_IT \
	" STRAIGHT_JOIN job j ON j.connection_id = n.id AND j.deleted_at IS NULL" \
	" STRAIGHT_JOIN artifact a ON a.id = j.artifact_id AND a.deleted_at IS NULL" \
	" AND a.workspace_id = n.workspace_id" ROLE_TABLES("s.user_id")
#define IT " STRAIGHT_JOIN connection n ON n.id = ?"

#define JOB_COUNTS(F, T) \
	F(T, INT, seen) \
	F(T, INT, all_)
SHAPE(job_counts, JOB_COUNTS);

enum err
connection_jobs(struct ctx *c, const struct principal *who, const char *connection_id,
    struct connection_job_list *out, int64_t *seen, int64_t *all)
{
	struct job_counts *n;

	TRY(db_one(c,
	    ROWS(job_counts,
		"SELECT COUNT((" ROLE_COLUMN ")) AS seen, COUNT(*) AS all_ FROM " SUBJECT_TABLE IT
		JOBS_OF_IT),
	    ARGS(SUBJECT(who), connection_id), &n));
	*seen = n->seen;
	*all = n->all_;
	return db_all(c,
	    ROWS(connection_job,
		"SELECT j.id, IF((" ROLE_COLUMN ") <> 'viewer' OR " GOVERNS ", COALESCE(j.name, "
		JOB_ACTION_TITLE ", 'Alert'), NULL) AS name,"
		" j.trigger_type, a.id AS artifact_id, a.name AS artifact_name,"
		" COALESCE(NULLIF(u.name, ''), u.email) AS maker, j.fills,"
		" (" ROLE_COLUMN ") <> 'viewer' AS edits, j.enabled, j.failures, j.last_run_at"
		" FROM " SUBJECT_TABLE IT JOBS_OF_IT " LEFT JOIN user u ON u.id = j.created_by"
		" WHERE (" ROLE_COLUMN ") IS NOT NULL ORDER BY j.id LIMIT ?"),
	    ARGS(SUBJECT(who), connection_id, USED_SHOWN), out);
}

enum err
connection_jobs_counted(struct ctx *c, const struct principal *who, const char *workspace_id,
    struct connection_job_count_list *out)
{
	return db_all(c,
	    ROWS(connection_job_count,
		"SELECT n.id AS connection_id, COUNT((" ROLE_COLUMN ")) AS jobs FROM " SUBJECT_TABLE
		" STRAIGHT_JOIN connection n ON n.workspace_id = ?" JOBS_OF_IT
		" GROUP BY n.id"),
	    ARGS(SUBJECT(who), workspace_id), out);
}

int64_t
connection_jobs_of(const struct connection_job_count_list *counts, const char *connection_id)
{
	for (size_t i = 0; i < counts->n; i++)
		if (str_eq(counts->v[i].connection_id, connection_id))
			return counts->v[i].jobs;
	return 0;
}

enum err
credentials_own(struct ctx *c, const struct principal *who, struct own_credential_list *out)
{
	return db_all(c,
	    ROWS(own_credential,
		"SELECT k.id AS connection_id, k.name, k.kind, k.provider, k.config,"
		" w.id AS workspace_id, w.name AS workspace_name,"
		" COALESCE(cc.needs_auth, FALSE) AS needs_auth, cc.updated_at, cc.used_at"
		" FROM member m STRAIGHT_JOIN workspace w ON w.id = m.workspace_id"
		" AND w.deleted_at IS NULL"
		" STRAIGHT_JOIN connection k ON k.workspace_id = w.id AND k.auth_mode = 'member'"
		" LEFT JOIN connection_credential cc ON cc.connection_id = k.id"
		" AND cc.holder = m.user_id"
		" WHERE m.user_id = ? AND m.role <> 'agent'"
		" ORDER BY w.name, w.id, k.name, k.id"),
	    ARGS(who->user_id), out);
}

enum err
jobs_own(struct ctx *c, const struct principal *who, const char *connection_ids,
    struct own_job_list *out)
{
	return db_all(c,
	    ROWS(own_job,
		"SELECT j.connection_id, COALESCE(j.name, " JOB_ACTION_TITLE ", 'Alert')"
		" AS name FROM " ID_TABLE
		" STRAIGHT_JOIN job j ON j.connection_id = t.id AND j.created_by = ?"
		" AND j.deleted_at IS NULL AND j.enabled ORDER BY j.id"),
	    ARGS(connection_ids, who->user_id), out);
}
