/* SPDX-License-Identifier: Apache-2.0 */
#include "admin/rows.h"

#include "billing/check.h"
#include "domains/domain.h"
#include "jobs/run_row.h"

#define ODD_ROW(F, T) F(T, STR, id)
SHAPE(odd_row, ODD_ROW);

/* Two statements: one lists the wrong rows, the other corrects (SETS) or deletes (GOES) them. */
#define SETS(id, tables, set, wrong) \
	"SELECT DISTINCT " id " AS id FROM " tables " WHERE " wrong, \
	    "UPDATE " tables " SET " set " WHERE " wrong
#define GOES(id, rows, tables, wrong) \
	"SELECT DISTINCT " id " AS id FROM " tables " WHERE " wrong, \
	    "DELETE " rows " FROM " tables " WHERE " wrong

#define LIVE "artifact a JOIN version v ON v.artifact_id = a.id AND v.version_no = a.live_no"
#define SLUGLESS \
	" FROM artifact a LEFT JOIN slug s ON s.slug = a.slug AND s.artifact_id = a.id" \
	" AND s.released_at IS NULL WHERE a.deleted_at IS NULL AND s.slug IS NULL"
#define RUN_OF "job_run r JOIN job j ON j.id = r.job_id"

/* F(noun, why, statements), in this order: a rule may need what an earlier one sets. An artifact
 * without an owner is purged: the runner deletes its rows. */
#define WRONG(F) \
	F("artifact", "its live version is missing", \
	    SETS("a.id", "artifact a LEFT JOIN version v ON v.artifact_id = a.id" \
		" AND v.version_no = a.live_no", \
		"a.live_no = (SELECT MAX(x.version_no) FROM version x" \
		" WHERE x.artifact_id = a.id AND x.first_live_at IS NOT NULL)", \
		"a.owner_id IS NOT NULL AND a.live_no IS NOT NULL AND v.id IS NULL")) \
	F("artifact", "live_mobile does not match the live version", \
	    SETS("a.id", LIVE, "a.live_mobile = v.mobile_sha256 IS NOT NULL", \
		"a.owner_id IS NOT NULL AND a.live_mobile <> (v.mobile_sha256 IS NOT NULL)")) \
	F("domain", "its artifact is missing", \
	    GOES("d.id", "d", "domain d LEFT JOIN artifact a ON a.id = d.artifact_id", \
		"a.id IS NULL")) \
	F("artifact", "domains and moved_to do not match its active domains", \
	    SETS("a.id", \
		"artifact a LEFT JOIN (SELECT artifact_id, " DOMAIN_HOSTS_COLUMNS \
		" FROM domain WHERE " DOMAIN_IS_SERVED " GROUP BY artifact_id) d" \
		" ON d.artifact_id = a.id", \
		"a.domains = d.hosts, a.moved_to = d.moved_to", \
		"NOT a.domains <=> d.hosts OR NOT a.moved_to <=> d.moved_to")) \
	F("artifact", "its live version is recorded as never live", \
	    SETS("a.id", LIVE, "v.first_live_at = v.created_at", \
		"a.owner_id IS NOT NULL AND v.first_live_at IS NULL")) \
	F("artifact", "it is open and its live version is recorded as closed", \
	    SETS("a.id", LIVE, "v.is_open = TRUE", \
		"a.owner_id IS NOT NULL AND a.visibility <> 'private' AND NOT v.is_open")) \
	F("artifact", "it has versions beyond last_no", \
	    SETS("a.id", "artifact a JOIN (SELECT artifact_id, MAX(version_no) AS no" \
		" FROM version GROUP BY artifact_id) m ON m.artifact_id = a.id", \
		"a.last_no = m.no", "a.owner_id IS NOT NULL AND a.last_no < m.no")) \
	F("artifact", "the number or size of files in a version is wrong", \
	    SETS("a.id", \
		"version v JOIN artifact a ON a.id = v.artifact_id AND a.owner_id IS NOT NULL" \
		" LEFT JOIN (SELECT artifact_id, version_no, COUNT(*) AS n," \
		" SUM(size_bytes) AS bytes" \
		" FROM version_file GROUP BY artifact_id, version_no) f" \
		" ON f.artifact_id = v.artifact_id AND f.version_no = v.version_no", \
		"v.file_count = COALESCE(f.n, 0), v.size_bytes = COALESCE(f.bytes, 0)", \
		"v.file_count <> COALESCE(f.n, 0) OR v.size_bytes <> COALESCE(f.bytes, 0)")) \
	F("artifact", "its slug is not reserved for it", \
	    "SELECT a.id" SLUGLESS, \
	    "INSERT INTO slug (slug, owner_id, artifact_id)" \
	    " SELECT * FROM (SELECT a.slug, a.owner_id, a.id" SLUGLESS ") t" \
	    " ON DUPLICATE KEY UPDATE owner_id = IF(slug.released_at IS NULL, slug.owner_id," \
	    " VALUES(owner_id)), artifact_id = IF(slug.released_at IS NULL, slug.artifact_id," \
	    " VALUES(artifact_id)), released_at = NULL") \
	F("artifact", "has blobs but does not exist", \
	    GOES("b.artifact_id", "b", \
		"artifact_blob b LEFT JOIN artifact a ON a.id = b.artifact_id", "a.id IS NULL")) \
	F("artifact", "is in a folder of another workspace", \
	    SETS("a.id", "artifact a JOIN folder f ON f.id = a.folder_id", \
		"a.folder_id = NULL", "NOT f.workspace_id <=> a.workspace_id")) \
	F("artifact", "its storage is counted in another workspace", \
	    SETS("a.id", "artifact a JOIN artifact_storage s ON s.artifact_id = a.id", \
		"s.workspace_id = a.workspace_id", \
		"a.owner_id IS NOT NULL AND NOT s.workspace_id <=> a.workspace_id")) \
	F("artifact", "a day has more views of one part of it than in total", \
	    SETS("artifact_id", "view_day", \
		"views = GREATEST(views, 0), entry_views = LEAST(entry_views, views)," \
		" version_views = LEAST(version_views, views)", \
		"entry_views > views OR version_views > views OR views < 0")) \
	F("artifact", "its JSON document is not what its digest says", \
	    SETS("artifact_id", "document", \
		"sha256 = UNHEX(SHA2(body, 256)), size_bytes = LENGTH(body)", \
		"sha256 <> UNHEX(SHA2(body, 256)) OR size_bytes <> LENGTH(body)")) \
	F("file", "shows another version than its latest", \
	    SETS("d.id", \
		"deliverable d JOIN (SELECT deliverable_id, MAX(version) AS version" \
		" FROM deliverable_version GROUP BY deliverable_id) m ON m.deliverable_id = d.id" \
		" JOIN deliverable_version v ON v.deliverable_id = d.id" \
		" AND v.version = m.version", \
		"d.version = v.version, d.blob_id = v.blob_id", \
		"d.version <> v.version OR NOT d.blob_id <=> v.blob_id")) \
	F("user", "there are recovery codes, but no second factor", \
	    GOES("r.user_id", "r", \
		"factor_recovery r LEFT JOIN factor f ON f.user_id = r.user_id", \
		"f.user_id IS NULL")) \
	F("grant", "its client or person is gone", \
	    GOES("g.id", "g", "share_grant g LEFT JOIN sharee s ON s.id = g.subject_id" \
		" AND s.workspace_id = g.workspace_id LEFT JOIN user u ON u.id = g.subject_id", \
		"IF(g.subject_type = 'sharee', s.id, u.id) IS NULL")) \
	F("grant", "its folder, artifact or file is gone", \
	    GOES("g.id", "g", \
		"share_grant g LEFT JOIN folder f ON f.id = g.resource_id" \
		" AND f.workspace_id = g.workspace_id" \
		" LEFT JOIN artifact a ON a.id = g.resource_id" \
		" AND a.owner_id IS NOT NULL AND a.workspace_id = g.workspace_id" \
		" LEFT JOIN deliverable d ON d.id = g.resource_id" \
		" AND d.workspace_id = g.workspace_id", \
		"CASE g.resource_type WHEN 'folder' THEN f.id WHEN 'artifact' THEN a.id" \
		" ELSE d.id END IS NULL")) \
	F("client", "has people of another workspace's", \
	    GOES("m.sharee_id", "m", "sharee_member m JOIN sharee s ON s.id = m.sharee_id", \
		"s.workspace_id <> m.workspace_id")) \
	F("workspace", "has members and no owner", \
	    SETS("m.workspace_id", \
		"member m JOIN (SELECT workspace_id, user_id," \
		" SUM(role = 'owner') OVER w AS owners, ROW_NUMBER()" \
		" OVER (PARTITION BY workspace_id ORDER BY role DESC, joined_at) AS turn" \
		" FROM member WINDOW w AS (PARTITION BY workspace_id)) t" \
		" ON t.workspace_id = m.workspace_id AND t.user_id = m.user_id", \
		"m.role = 'owner'", \
		"t.owners = 0 AND t.turn = 1 AND m.role <> 'agent'")) \
	F("workspace", "a subscription of its is live and has ended, or is neither", \
	    SETS("workspace_id", "subscription", \
		"live_of = IF(ended_at IS NULL, workspace_id, NULL)", \
		"(ended_at IS NULL) <> (live_of <=> workspace_id)")) \
	F("workspace", "what it has for payment is not what its subscription says", \
	    SETS("w.id", \
		"workspace w LEFT JOIN subscription s ON s.live_of = w.id" \
		" LEFT JOIN billing_account a ON a.workspace_id = w.id", \
		"w.paid_plan = s.plan_id, w.paid_seats = s.seats, w.paid_until = " PAID_UNTIL \
		", w.plan_due = UNIX_TIMESTAMP()", \
		"NOT (w.paid_plan <=> s.plan_id AND w.paid_seats <=> s.seats" \
		" AND w.paid_until <=> " PAID_UNTIL ")")) \
	F("job", "is on and has no next time", \
	    SETS("id", "job", "next_run_at = UNIX_TIMESTAMP()", \
		"enabled AND trigger_type = 'cron' AND deleted_at IS NULL" \
		" AND next_run_at IS NULL")) \
	F("job", "has a next time and should have none", \
	    SETS("id", "job", "next_run_at = NULL", \
		"next_run_at IS NOT NULL" \
		" AND (NOT enabled OR trigger_type <> 'cron' OR deleted_at IS NOT NULL)")) \
	F("job", "has runs of another artifact", \
	    SETS("j.id", RUN_OF, "r.artifact_id = j.artifact_id", \
		"r.artifact_id <> j.artifact_id")) \
	F("job", "is in another workspace than its artifact", \
	    SETS("j.id", "job j JOIN artifact a ON a.id = j.artifact_id", \
		"j.workspace_id = a.workspace_id", "NOT j.workspace_id <=> a.workspace_id")) \
	F("job", "has runs in another workspace than its artifact", \
	    SETS("r.job_id", "job_run r JOIN artifact a ON a.id = r.artifact_id", \
		"r.workspace_id = a.workspace_id", \
		"NOT r.workspace_id <=> a.workspace_id" \
		" AND NOT EXISTS (SELECT 1 FROM job_move m WHERE m.artifact_id = a.id)")) \
	F("job", "has runs on another surface", \
	    SETS("j.id", RUN_OF, "r.surface = " RUN_SURFACE_OF("j.trigger_type"), \
		"NOT r.surface <=> " RUN_SURFACE_OF("j.trigger_type")))

#define FIND(noun, why, ...) FIND_(__VA_ARGS__)
#define FIND_(find, mend) \
	&(struct stmt){ .sql = find, .file = __FILE__, .line = __LINE__, .shape = &odd_row_shape },
#define MEND(noun, why, ...) MEND_(__VA_ARGS__)
#define MEND_(find, mend) STMT(mend),
#define NAME(noun, why, ...) { noun, why },

STMTS(finds, WRONG(FIND));
STMTS(mends, WRONG(MEND));
static const struct {
	const char *noun, *why;
} names[] = { WRONG(NAME) };

enum err
rows_check(struct ctx *c,
    void (*tell)(void *arg, const char *noun, const char *id, const char *why), void *arg)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct odd_row_rows find = { .stmt = finds[i] };
		struct odd_row_list rows;

		TRY(db_all(c, find, NOARGS, &rows));
		for (size_t k = 0; k < rows.n; k++)
			tell(arg, names[i].noun, rows.v[k].id, names[i].why);
	}
	return E_OK;
}

enum err
rows_mend(struct ctx *c)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		int64_t n;

		TRY(db_exec(c, mends[i], NOARGS, &n));
		if (n)
			printf("%s: %s: %lld repaired\n", names[i].noun, names[i].why,
			    (long long)n);
	}
	return E_OK;
}
