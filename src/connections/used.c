/* SPDX-License-Identifier: Apache-2.0 */
#include "connections/used.h"

#include "base/jobtitle.h"
#include "base/str.h"
#include "connections/connection_look.h"
#include "core/role.h"
#include "db/db.h"
#include "db/ids.h"

SHAPE_DEFINE(connection_job, CONNECTION_JOB);
SHAPE_DEFINE(connection_job_count, CONNECTION_JOB_COUNT);
SHAPE_DEFINE(credential_place, CREDENTIAL_PLACE);
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

/* ---- in words ---- */

const char *
connection_hidden(struct ctx *c, int64_t hidden)
{
	return hidden == 1 ? "1 job of an artifact that you can’t open"
	    : hidden       ? mem_printf(c->mem, "%s of artifacts that you can’t open",
				   str_count(c->mem, hidden, "job"))
			   : NULL;
}

const char *
connection_gone_words(
    struct ctx *c, const struct connection_job_list *jobs, int64_t seen, int64_t all)
{
	const char **names = mem_array(c->mem, const char *, jobs->n + 2),
		   *hidden = connection_hidden(c, all - seen);
	size_t n = 0;

	for (size_t i = 0; i < jobs->n; i++)
		names[n++] = mem_printf(c->mem, "%s (%s)",
		    jobs->v[i].name ? jobs->v[i].name : "a job", jobs->v[i].artifact_name);
	if (!all)
		return "No job uses it. Its credentials are deleted, too.";
	return mem_printf(c->mem,
	    "%s %s it and will fail: %s%s%s. Its credentials are deleted, too.",
	    str_count(c->mem, all, "job"), all == 1 ? "uses" : "use",
	    str_some(c->mem, names, n), n && hidden ? "; also " : "", hidden ? hidden : "");
}

static const char *
waits_words(struct ctx *c, const struct own_job_list *jobs, const char *connection_id)
{
	const char **names = mem_array(c->mem, const char *, jobs->n + 1);
	size_t n = 0;

	for (size_t i = 0; i < jobs->n; i++)
		if (str_eq(jobs->v[i].connection_id, connection_id))
			names[n++] = mem_printf(c->mem, "“%s”", jobs->v[i].name);
	return n ? mem_printf(c->mem, "your %s %s %s for it", n == 1 ? "job" : "jobs",
		       str_some(c->mem, names, n), n == 1 ? "waits" : "wait")
		 : NULL;
}

enum err
credentials_say(struct ctx *c, const struct principal *who, struct own_credential_list *rows)
{
	const char **ids = mem_array(c->mem, const char *, rows->n + 1);
	struct own_job_list jobs;

	if (!rows->n)
		return E_OK;
	for (size_t i = 0; i < rows->n; i++)
		ids[i] = rows->v[i].connection_id;
	TRY(jobs_own(c, who, ids_json(c, ids, rows->n), &jobs));
	for (size_t i = 0; i < rows->n; i++) {
		struct own_credential *o = &rows->v[i];
		const struct connection k = { .id = o->connection_id, .kind = o->kind,
			.provider = o->provider, .config = o->config, .auth_mode = "member" };

		o->host = connection_host(c, o->config);
		o->asks = credentials_asked(c, o->kind, k.auth_mode, o->config);
		if (!o->updated_at || o->needs_auth)
			o->waits = waits_words(c, &jobs, o->connection_id);
		o->signin = connection_signin(c, o->workspace_id, &k);
		o->signin_host = connection_service(c, &k);
	}
	return E_OK;
}

struct list
credential_places(struct ctx *c, const struct own_credential_list *rows)
{
	struct credential_place *place = mem_array(c->mem, struct credential_place, rows->n + 1);
	size_t n = 0, from = 0;

	for (size_t i = 0; i < rows->n; i++) {
		if (i + 1 < rows->n &&
		    str_eq(rows->v[i].workspace_id, rows->v[i + 1].workspace_id))
			continue;
		place[n++] = (struct credential_place){
			.workspace_name = rows->v[i].workspace_name,
			.credentials = { rows->v + from, i + 1 - from } };
		from = i + 1;
	}
	return (struct list){ place, n };
}
