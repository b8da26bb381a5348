/* SPDX-License-Identifier: Apache-2.0
 * fsck: what must hold between rows and bytes. Each problem is a line that says what mends it; none
 * is mended here. */
#include "admin/cmd.h"
#include "assets/asset.h"
#include "assets/library.h"
#include "assets/linkshow.h"
#include "base/conf.h"
#include "base/seal.h"
#include "base/str.h"
#include "billing/check.h"
#include "care/inspect.h"
#include "care/reference.h"
#include "connections/credential.h"
#include "core/member.h"
#include "core/storage.h"
#include "data/document.h"
#include "data/table.h"
#include "db/db.h"
#include "jobs/job.h"
#include "knowledge/notecheck.h"
#include "people/factor.h"
#include "search/reindex.h"
#include "sharing/share_grant.h"
#include "sharing/sharee_member.h"
#include "store/object.h"
#include "team/sessionpolicy.h"

#include <unistd.h>

struct check {
	struct cmd_call *call;
	bool quick;
	int64_t problems;
};

static void
fsck_problem(struct check *k, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void
fsck_problem(struct check *k, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	k->problems++;
}

/* Every row's bytes are there, whole and right; of purged artifacts too, while their rows are. */
static enum err
check_bytes(struct check *k)
{
	struct ctx *c = k->call->c;
	const struct reference *row;
	struct list rows;

	TRY(reference_list(c, &rows));
	row = rows.v;
	for (size_t i = 0; i < rows.n; i++, row++) {
		uint8_t sha256[SHA256_BYTES];
		const char *why = NULL;

		if (!crypto_unhex(row->sha256, sha256, sizeof sha256))
			why = "is not a digest";
		else if (k->quick)
			why = object_exists(c, sha256, row->size_bytes)
			    ? NULL
			    : "is missing or has the wrong size";
		else
			TRY(object_verify(c, sha256, row->size_bytes, NULL, &why));
		if (why)
			fsck_problem(k, "object %s %s; run vitrinectl reproject --from BACKUP",
			    row->sha256, why);
	}
	return E_OK;
}

#define ODD(F, T) \
	F(T, ID,  id, .arg = "art_") \
	F(T, STR, why)
SHAPE_DECLARE(odd, ODD);
SHAPE_DEFINE(odd, ODD);

/* An artifact without an owner is purged: the runner is taking its rows away. */
static enum err
check_rows(struct check *k)
{
	struct odd_list rows;

	TRY(db_all(k->call->c,
	    ROWS(odd,
		"SELECT a.id, 'its live version is missing' AS why"
		" FROM artifact a LEFT JOIN version v ON v.artifact_id = a.id"
		" AND v.version_no = a.live_no"
		" WHERE a.owner_id IS NOT NULL AND a.live_no IS NOT NULL AND v.id IS NULL"
		" UNION ALL SELECT a.id, 'live_mobile does not match the live version'"
		" FROM artifact a JOIN version v ON v.artifact_id = a.id"
		" AND v.version_no = a.live_no"
		" WHERE a.owner_id IS NOT NULL AND a.live_mobile <> (v.mobile_sha256 IS NOT NULL)"
		" UNION ALL SELECT a.id, 'its live version is recorded as never live'"
		" FROM artifact a JOIN version v ON v.artifact_id = a.id"
		" AND v.version_no = a.live_no"
		" WHERE a.owner_id IS NOT NULL AND v.first_live_at IS NULL"
		" UNION ALL SELECT a.id, 'it is open and its live version is recorded as closed'"
		" FROM artifact a JOIN version v ON v.artifact_id = a.id"
		" AND v.version_no = a.live_no"
		" WHERE a.owner_id IS NOT NULL AND a.visibility <> 'private' AND NOT v.is_open"
		" UNION ALL SELECT a.id, 'its versions are not numbered from 1 to last_no'"
		" FROM artifact a LEFT JOIN version v ON v.artifact_id = a.id"
		" WHERE a.owner_id IS NOT NULL GROUP BY a.id, a.last_no"
		" HAVING COUNT(v.id) <> a.last_no OR COALESCE(MAX(v.version_no), 0) <> a.last_no"
		" UNION ALL SELECT v.artifact_id,"
		" 'the number or size of files in a version is wrong'"
		" FROM version v JOIN artifact a ON a.id = v.artifact_id AND a.owner_id IS NOT NULL"
		" LEFT JOIN version_file f ON f.artifact_id = v.artifact_id"
		" AND f.version_no = v.version_no"
		" GROUP BY v.artifact_id, v.version_no, v.file_count, v.size_bytes"
		" HAVING COUNT(f.path) <> v.file_count"
		" OR COALESCE(SUM(f.size_bytes), 0) <> v.size_bytes"
		" UNION ALL SELECT a.id, 'its slug is not reserved for it'"
		" FROM artifact a LEFT JOIN slug s ON s.slug = a.slug AND s.artifact_id = a.id"
		" AND s.released_at IS NULL WHERE a.deleted_at IS NULL AND s.slug IS NULL"
		" UNION ALL SELECT b.artifact_id, 'has blobs but does not exist'"
		" FROM artifact_blob b LEFT JOIN artifact a ON a.id = b.artifact_id"
		" WHERE a.id IS NULL GROUP BY b.artifact_id"
		" UNION ALL SELECT a.id,"
		" 'the count or size of its blobs is wrong; run vitrinectl reproject'"
		" FROM artifact a"
		" LEFT JOIN blob_usage u ON u.artifact_id = a.id"
		" LEFT JOIN (SELECT artifact_id, COUNT(*) AS n, SUM(size_bytes) AS bytes"
		" FROM artifact_blob GROUP BY artifact_id) b"
		" ON b.artifact_id = a.id"
		" WHERE a.owner_id IS NOT NULL AND (COALESCE(u.blobs, 0) <> COALESCE(b.n, 0)"
		" OR COALESCE(u.bytes, 0) <> COALESCE(b.bytes, 0))"
		" UNION ALL SELECT a.id, 'is in a folder of another workspace' FROM artifact a"
		" JOIN folder f ON f.id = a.folder_id WHERE NOT f.workspace_id <=> a.workspace_id"
		" UNION ALL SELECT a.id, 'its storage is counted in another workspace'"
		" FROM artifact a JOIN artifact_storage s ON s.artifact_id = a.id"
		" WHERE a.owner_id IS NOT NULL AND NOT s.workspace_id <=> a.workspace_id"
		" UNION ALL SELECT artifact_id,"
		" 'a day has more views of one part of it than in total'"
		" FROM view_day WHERE entry_views > views OR version_views > views OR views < 0"),
	    NOARGS, &rows));
	for (size_t i = 0; i < rows.n; i++)
		fsck_problem(k, "artifact %s: %s", rows.v[i].id, rows.v[i].why);
	return E_OK;
}

static enum err
check_storage(struct check *k)
{
	const struct miscount *m;
	struct miscount_list rows;

	TRY(storage_check(k->call->c, &rows));
	m = rows.v;
	for (size_t i = 0; i < rows.n; i++, m++)
		fsck_problem(k,
		    "%s %s: %lld bytes of storage are counted, but it has %lld; "
		    "run vitrinectl user recount",
		    m->noun, m->id, (long long)m->counted, (long long)m->used);
	return E_OK;
}

static enum err
check_libraries(struct check *k)
{
	struct miscount_list rows;

	TRY(deliverables_check(k->call->c, &rows));
	for (size_t i = 0; i < rows.n; i++)
		fsck_problem(k, "file %s: shows another version than its latest, %lld",
		    rows.v[i].id, (long long)rows.v[i].counted);
	TRY(library_check(k->call->c, &rows));
	for (size_t i = 0; i < rows.n; i++)
		fsck_problem(k,
		    "asset library %s: %lld bytes are counted, but its files have %lld, "
		    "or their number is wrong; run vitrinectl user recount",
		    rows.v[i].id, (long long)rows.v[i].counted, (long long)rows.v[i].used);
	return E_OK;
}

static enum err
check_deliveries(struct check *k)
{
	int64_t wrong;

	TRY(links_check(k->call->c, false, &wrong));
	if (wrong)
		fsck_problem(k, "%s show what they shouldn't; run vitrinectl reproject",
		    str_count(k->call->c->mem, wrong, "delivery link"));
	return E_OK;
}

static enum err
check_members(struct check *k)
{
	struct member_odd_list rows;

	TRY(members_check(k->call->c, &rows));
	for (size_t i = 0; i < rows.n; i++) {
		const struct member_odd *w = &rows.v[i];

		if (w->people != w->members)
			fsck_problem(k,
			    "workspace %s: %lld seats are counted, but it has %lld members; "
			    "run vitrinectl user recount",
			    w->id, (long long)w->people, (long long)w->members);
		if (w->owners != 1)
			fsck_problem(k, "workspace %s: doesn't have exactly one owner", w->id);
	}
	return E_OK;
}

static enum err
check_clients(struct check *k)
{
	struct sharee_odd_list rows;

	TRY(sharee_members_check(k->call->c, &rows));
	for (size_t i = 0; i < rows.n; i++)
		fsck_problem(k, "client %s: has %s as if it were another workspace's",
		    rows.v[i].sharee_id, rows.v[i].user_id);
	return E_OK;
}

static enum err
check_sessions(struct check *k)
{
	struct session_odd_list rows;

	TRY(session_policy_check(k->call->c, &rows));
	for (size_t i = 0; i < rows.n; i++)
		fsck_problem(k,
		    "user %s: is under a different session policy than their workspaces set; "
		    "run vitrinectl user recount",
		    rows.v[i].id);
	return E_OK;
}

#define EACH_VERSION(F, T) \
	F(T, ID,  id, .arg = "art_") \
	F(T, INT, version_no)
SHAPE_DECLARE(each_version, EACH_VERSION);
SHAPE_DEFINE(each_version, EACH_VERSION);

static void
tree_problem(void *arg, const struct finding *f)
{
	fsck_problem(arg, "%s %s; run vitrinectl reproject", f->path, f->why);
}

/* One artifact, or one of its versions, on memory of its own. */
static enum err
piece_inspect(struct check *k, const struct each_version *row, struct inspection *in)
{
	struct ctx *c = k->call->c, *one = ctx_begin(c->conf, c->db);
	enum err e = row->version_no ? inspect_version(one, row->id, row->version_no, in)
				     : inspect_artifact(one, row->id, in);

	if (e)
		fail_here(c, "%s: %s", row->id, cmd_why(one));
	ctx_end(one);
	return e;
}

static enum err
check_trees(struct check *k)
{
	struct inspection in = {
		.quick = k->quick, .calm = true, .found = tree_problem, .arg = k
	};
	struct each_version_list rows;

	TRY(db_all(k->call->c,
	    ROWS(each_version,
		"SELECT a.id, 0 AS version_no FROM artifact a WHERE a.owner_id IS NOT NULL"
		" UNION ALL SELECT v.artifact_id, v.version_no"
		" FROM artifact a JOIN version v ON v.artifact_id = a.id"
		" WHERE a.owner_id IS NOT NULL ORDER BY 1, 2"),
	    NOARGS, &rows));
	for (size_t i = 0; i < rows.n; i++)
		TRY(piece_inspect(k, &rows.v[i], &in));
	TRY(inspect_names(k->call->c, &in));
	if (in.passed)
		fprintf(stderr, "%lld are being changed and were skipped; run fsck again\n",
		    (long long)in.passed);
	return E_OK;
}

static enum err
check_grants(struct check *k)
{
	struct share_grant_odd_list rows;

	TRY(share_grants_check(k->call->c, &rows));
	for (size_t i = 0; i < rows.n; i++)
		fsck_problem(k, "grant %s: %s; it gives nothing, and an admin can end it",
		    rows.v[i].id, rows.v[i].why);
	return E_OK;
}

/* Tables of users: their counters, and the index of each column. */
static enum err
check_tables(struct check *k)
{
	struct table_odd_list rows;

	TRY(table_check(k->call->c, false, &rows));
	for (size_t i = 0; i < rows.n; i++)
		fsck_problem(k, "artifact %s: table %lld %s: %s; run vitrinectl reproject",
		    rows.v[i].artifact_id ? rows.v[i].artifact_id : "-", (long long)rows.v[i].no,
		    rows.v[i].name ? rows.v[i].name : "-", rows.v[i].why);
	return E_OK;
}

/* A second factor that can't be checked keeps its person out but for the recovery codes; what a job
 * needs to call another server is lost without its key. */
static enum err
check_sealed(struct check *k)
{
	struct ctx *c = k->call->c;
	struct factor_odd_list rows;
	struct credential_odd_list credentials;
	struct job_odd_list jobs;
	const char *why;

	if (access(c->conf->key_file, F_OK) == 0 && !seal_prepare(c->conf->key_file, &why)) {
		fsck_problem(k, "key_file %s: %s", c->conf->key_file, why);
		return E_OK;
	}
	TRY(factor_check(c, &rows));
	for (size_t i = 0; i < rows.n; i++)
		fsck_problem(k, "user %s: %s", rows.v[i].user_id, rows.v[i].why);
	TRY(job_check(c, &jobs));
	for (size_t i = 0; i < jobs.n; i++)
		fsck_problem(k, "job %s: %s", jobs.v[i].id, jobs.v[i].why);
	TRY(credentials_check(c, &credentials));
	for (size_t i = 0; i < credentials.n; i++)
		fsck_problem(k,
		    "connection %s: key_file can't decrypt its credentials; %s has to enter them "
		    "again",
		    credentials.v[i].connection_id,
		    *credentials.v[i].holder ? credentials.v[i].holder : "an admin");
	return E_OK;
}

static enum err
check_documents(struct check *k)
{
	struct document_odd_list rows;

	TRY(document_check(k->call->c, &rows));
	for (size_t i = 0; i < rows.n; i++)
		fsck_problem(k, "artifact %s: %s", rows.v[i].id, rows.v[i].why);
	return E_OK;
}

/* A note's links are those of its text. */
static enum err
check_billing(struct check *k)
{
	struct billing_odd_list rows;

	TRY(billing_check(k->call->c, &rows));
	for (size_t i = 0; i < rows.n; i++)
		fsck_problem(k, "workspace %s: %s", rows.v[i].id, rows.v[i].why);
	return E_OK;
}

static enum err
check_notes(struct check *k)
{
	struct note_odd_list rows;

	TRY(note_check(k->call->c, &rows));
	for (size_t i = 0; i < rows.n; i++)
		fsck_problem(k, "note %s: %s; save it once more", rows.v[i].id, rows.v[i].why);
	return E_OK;
}

/* What is found by words is what there is. */
static enum err
check_index(struct check *k)
{
	struct index_state is;

	TRY(index_check(k->call->c, &is));
	if (is.wrong)
		fsck_problem(k, "%s found as they should be, such as %s; run vitrinectl reindex",
		    is.wrong == 1 ? "1 thing isn't" :
		    mem_printf(k->call->c->mem, "%lld things aren't", (long long)is.wrong),
		    is.one);
	if (is.stray)
		fsck_problem(k, "%s of nothing can be searched for; run vitrinectl reindex",
		    str_count(k->call->c->mem, is.stray, "word"));
	return E_OK;
}

static enum err
cmd_fsck(struct cmd_call *call)
{
	struct check k = { .call = call, .quick = usage_option(&call->with, "--quick") };

	TRY(check_rows(&k));
	TRY(check_storage(&k));
	TRY(check_sealed(&k));
	TRY(check_libraries(&k));
	TRY(check_deliveries(&k));
	TRY(check_members(&k));
	TRY(check_billing(&k));
	TRY(check_grants(&k));
	TRY(check_clients(&k));
	TRY(check_sessions(&k));
	TRY(check_documents(&k));
	TRY(check_notes(&k));
	TRY(check_tables(&k));
	TRY(check_index(&k));
	TRY(check_bytes(&k));
	TRY(check_trees(&k));
	printf(k.problems ? "problems: %lld\n" : "clean\n", (long long)k.problems);
	call->exit = k.problems > 0;
	return E_OK;
}

const struct cmd fsck_cmds[] = {
	{ "fsck", "[--quick]",
	    "check that rows, bytes, trees and links agree, as nginx serves them", cmd_fsck },
	{ 0 },
};
