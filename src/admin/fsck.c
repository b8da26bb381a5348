/* SPDX-License-Identifier: Apache-2.0
 * vitrinectl fsck: checks what must hold between rows and bytes. Prints a line for each problem
 * with the command that repairs it. Repairs nothing. */
#include "admin/archive.h"
#include "admin/cmd.h"
#include "admin/rows.h"
#include "assets/library.h"
#include "assets/linkshow.h"
#include "base/conf.h"
#include "base/str.h"
#include "billing/check.h"
#include "bucket/compare.h"
#include "care/inspect.h"
#include "care/reference.h"
#include "core/member.h"
#include "core/storage.h"
#include "data/table.h"
#include "db/sealed.h"
#include "inbox/item.h"
#include "knowledge/notecheck.h"
#include "search/reindex.h"
#include "store/beneath.h"
#include "store/object.h"
#include "team/sessionpolicy.h"

#include <errno.h>
#include <fcntl.h>
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

static enum err
check_folder(struct check *k, int root, const char *path)
{
	struct stat st;

	if (fstatat(root, path, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? E_OK : fail_here(k->call->c, "%s can't be examined", path);
	if (!S_ISDIR(st.st_mode))
		fsck_problem(k,
		    "%s isn't a folder, and nginx would follow a link; "
		    "move the folder itself to that place",
		    path);
	return E_OK;
}

/* Checks that no folder above trees and objects is a link, because nginx follows links. */
static enum err
check_folders(struct check *k)
{
	static const char *const tops[] = { "objects", "trees", "sites", "deliveries" };
	struct ctx *c = k->call->c;
	int root;

	TRY(store_root_kept(c, &root));
	for (size_t i = 0; i < sizeof tops / sizeof *tops; i++)
		TRY(check_folder(k, root, tops[i]));
	for (unsigned i = 0; i < 256; i++)
		TRY(check_folder(k, root, mem_printf(c->mem, "objects/%02x", i)));
	return E_OK;
}

/* Checks that the bytes of each row exist and have its digest, also of purged artifacts. */
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
		bool kept = false;

		if (!crypto_unhex(row->sha256, sha256, sizeof sha256)) {
			why = "is not a digest";
		} else {
			TRY(object_kept(c, sha256, row->size_bytes, &kept));
			if (k->quick)
				why = kept ? NULL : "is missing or has the wrong size";
			else if (!kept || object_exists(c, sha256, row->size_bytes))
				TRY(object_verify(c, sha256, row->size_bytes, NULL, &why));
		}
		if (why)
			fsck_problem(k, "object %s %s; run vitrinectl reproject --from BACKUP",
			    row->sha256, why);
	}
	return E_OK;
}

static void
row_problem(void *arg, const char *noun, const char *id, const char *why)
{
	fsck_problem(arg, "%s %s: %s; run vitrinectl reproject", noun, id, why);
}

#define ODD(F, T) \
	F(T, ID,  id, .arg = "art_") \
	F(T, STR, why)
SHAPE(odd, ODD);

/* Checks rules that admin/rows.h doesn't have, because no statement can repair them. */
static enum err
check_rows(struct check *k)
{
	struct odd_list rows;

	TRY(rows_check(k->call->c, row_problem, k));
	TRY(db_all(k->call->c,
	    ROWS(odd,
		"SELECT a.id, 'versions up to last_no are missing that nobody removed; restore a"
		" backup that has them, or run vitrinectl artifact purge' AS why"
		" FROM artifact a LEFT JOIN version v ON v.artifact_id = a.id"
		" WHERE a.owner_id IS NOT NULL GROUP BY a.id, a.last_no, a.removed_n"
		" HAVING COUNT(v.id) + a.removed_n < a.last_no"
		" UNION ALL SELECT a.id,"
		" 'the count or size of its blobs is wrong; run vitrinectl reproject'"
		" FROM artifact a"
		" LEFT JOIN blob_usage u ON u.artifact_id = a.id"
		" LEFT JOIN (SELECT artifact_id, COUNT(*) AS n, SUM(size_bytes) AS bytes"
		" FROM artifact_blob GROUP BY artifact_id) b"
		" ON b.artifact_id = a.id"
		" WHERE a.owner_id IS NOT NULL AND (COALESCE(u.blobs, 0) <> COALESCE(b.n, 0)"
		" OR COALESCE(u.bytes, 0) <> COALESCE(b.bytes, 0))"),
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

/* Checks what is counted of libraries and workspaces, and what delivery links show. */
static enum err
check_counts(struct check *k)
{
	struct miscount_list libraries;
	struct member_odd_list members;
	int64_t links, missing, over;

	TRY(library_check(k->call->c, &libraries));
	for (size_t i = 0; i < libraries.n; i++)
		fsck_problem(k,
		    "asset library %s: %lld bytes are counted, but its files have %lld, "
		    "or their number is wrong; run vitrinectl user recount",
		    libraries.v[i].id, (long long)libraries.v[i].counted,
		    (long long)libraries.v[i].used);
	TRY(links_check(k->call->c, false, &links));
	if (links)
		fsck_problem(k, "%s show what they shouldn't; run vitrinectl reproject",
		    str_count(k->call->c->mem, links, "delivery link"));
	TRY(inbox_check(k->call->c, &missing, &over));
	if (missing || over)
		fsck_problem(k,
		    "inbox: %lld items are missing, %lld wait for nothing; "
		    "run vitrinectl user recount",
		    (long long)missing, (long long)over);
	TRY(members_check(k->call->c, &members));
	for (size_t i = 0; i < members.n; i++) {
		const struct member_odd *w = &members.v[i];

		if (w->people != w->members)
			fsck_problem(k,
			    "workspace %s: %lld seats are counted, but it has %lld members; "
			    "run vitrinectl user recount",
			    w->id, (long long)w->people, (long long)w->members);
		if (w->owners != 1 && !w->members)
			fsck_problem(
			    k, "workspace %s: has nobody; run vitrinectl workspace delete", w->id);
	}
	return E_OK;
}

/* Checks billing, session policies, links in notes, and users' tables (counters and indexes). */
static enum err
check_nouns(struct check *k)
{
	struct billing_odd_list billing;
	struct session_odd_list sessions;
	struct note_odd_list notes;
	struct table_odd_list tables;

	TRY(billing_check(k->call->c, &billing));
	for (size_t i = 0; i < billing.n; i++)
		fsck_problem(k,
		    "workspace %s: %s; only a backup that has them mends it (vitrinectl restore)",
		    billing.v[i].id, billing.v[i].why);
	TRY(session_policy_check(k->call->c, &sessions));
	for (size_t i = 0; i < sessions.n; i++)
		fsck_problem(k,
		    "user %s: is under a different session policy than their workspaces set; "
		    "run vitrinectl user recount",
		    sessions.v[i].id);
	TRY(note_check(k->call->c, false, &notes));
	for (size_t i = 0; i < notes.n; i++)
		fsck_problem(
		    k, "note %s: %s; run vitrinectl reproject", notes.v[i].id, notes.v[i].why);
	TRY(table_check(k->call->c, false, &tables));
	for (size_t i = 0; i < tables.n; i++)
		fsck_problem(k, "artifact %s: table %lld %s: %s; run vitrinectl reproject",
		    tables.v[i].artifact_id ? tables.v[i].artifact_id : "-",
		    (long long)tables.v[i].no, tables.v[i].name ? tables.v[i].name : "-",
		    tables.v[i].why);
	return E_OK;
}

#define EACH_VERSION(F, T) \
	F(T, ID,  id, .arg = "art_") \
	F(T, INT, version_no)
SHAPE(each_version, EACH_VERSION);

static void
tree_problem(void *arg, const struct finding *f)
{
	fsck_problem(arg, "%s %s; %s", f->path, f->why,
	    f->rows ? "only a backup that has them mends it (vitrinectl restore)"
		    : "run vitrinectl reproject");
}

static enum err
check_trees(struct check *k)
{
	struct inspection in = {
		.quick = k->quick, .calm = true, .found = tree_problem, .arg = k
	};
	struct each_version_list rows;
	struct ctx *c = k->call->c;

	TRY(db_all(c,
	    ROWS(each_version,
		"SELECT a.id, 0 AS version_no FROM artifact a WHERE a.owner_id IS NOT NULL"
		" UNION ALL SELECT v.artifact_id, v.version_no"
		" FROM artifact a JOIN version v ON v.artifact_id = a.id"
		" WHERE a.owner_id IS NOT NULL ORDER BY 1, 2"),
	    NOARGS, &rows));
	for (size_t i = 0; i < rows.n; i++) {
		const struct each_version *row = &rows.v[i];
		struct ctx *one = ctx_begin(c->conf, c->db);
		enum err e = row->version_no ? inspect_version(one, row->id, row->version_no, &in)
					     : inspect_artifact(one, row->id, &in);

		if (e)
			fail_here(c, "%s: %s", row->id, cmd_why(one));
		ctx_end(one);
		TRY(e);
	}
	TRY(inspect_names(c, &in));
	if (in.passed)
		fprintf(stderr, "%lld are being changed and were skipped; run fsck again\n",
		    (long long)in.passed);
	return E_OK;
}

/* The most secrets of a column that are named. */
enum { SEALED_NAMED = 1000 };
struct check_seals {
	struct check *k;
	const struct sealed *column;
	int64_t lost, other;
};

static void
seal_check(void *arg, struct ctx *one, const struct sealed_row *row, enum seal_key by)
{
	struct check_seals *of = arg;

	of->other += by == SEAL_OTHER_KEY;
	if (by != SEAL_NO_KEY || row->ended)
		return;
	if (!of->column->passing && of->lost < SEALED_NAMED)
		fsck_problem(of->k, "%s", sealed_lost(one->mem, of->column, row));
	of->lost++;
}

/* Checks that key_file opens every secret. Without its second factor, a person can sign in only
 * with recovery codes; a job without its secret can't call another server. */
static enum err
check_sealed(struct check *k)
{
	struct ctx *c = k->call->c;
	struct check_seals of = { .k = k };
	const char *why;

	if (!seal_read(c->mem, c->conf, &why) && access(c->conf->key_file, F_OK) == 0) {
		fsck_problem(k, "%s", why);
		return E_OK;
	}
	for (const struct sealed *const *s = sealed_columns; *s; s++) {
		of.column = *s;
		of.lost = 0;
		TRY(sealed_each(
		    c, *s, SEALED_ALL, &(struct sealed_calls){ .one = seal_check, .arg = &of }));
		if (of.lost && (*s)->passing)
			fsck_problem(k, "%s: key_file can't decrypt %lld; they go by themselves",
			    (*s)->passing, (long long)of.lost);
		else if (of.lost > SEALED_NAMED)
			fsck_problem(k, "%s: %lld more", (*s)->column,
			    (long long)of.lost - SEALED_NAMED);
	}
	if (of.other)
		fprintf(stderr, "%s under other_key_file; run vitrinectl rekey\n",
		    str_count(c->mem, of.other, "secret"));
	return E_OK;
}

/* Checks that search finds what exists, and nothing else. */
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

static void
store_problem(void *arg, const char *key, const char *why)
{
	fsck_problem(arg, "%s %s", key, why);
}

/* In the order of their lines. rows: also of a database that is restored without bytes. */
static const struct {
	enum err (*run)(struct check *);
	bool rows;
} checks[] = {
	{ check_folders, false },
	{ check_rows, true },
	{ check_storage, true },
	{ check_sealed, false },
	{ check_counts, false },
	{ check_nouns, true },
	{ check_index, false },
	{ check_bytes, false },
	{ check_trees, false },
};

static enum err
checks_run(struct check *k, bool rows)
{
	for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
		if (!rows || checks[i].rows)
			TRY(checks[i].run(k));
	return E_OK;
}

enum err
fsck_rows(struct cmd_call *call, int64_t *problems)
{
	struct check k = { .call = call };

	TRY(checks_run(&k, true));
	*problems += k.problems;
	return E_OK;
}

static enum err
cmd_fsck(struct cmd_call *call)
{
	struct check k = { .call = call, .quick = usage_option(&call->with, "--quick") };
	struct ctx *c = call->c;
	struct store_found found;

	TRY(checks_run(&k, false));
	/* Objects that are in the store without a record are no damage: the next heal records
	 * them. */
	if (usage_option(&call->with, "--store")) {
		if (!conf_has(c->conf->store_url))
			return fail(c, E_INVALID, "--store: store_url isn't set");
		TRY(store_compare(c, false, &found, store_problem, &k));
		printf("store: %s, %lld missing, %lld unrecorded\n",
		    str_count(c->mem, found.named, "object"), (long long)found.missing,
		    (long long)found.unknown);
	}
	printf(k.problems ? "problems: %lld\n" : "clean\n", (long long)k.problems);
	call->exit = k.problems > 0;
	return E_OK;
}

const struct cmd fsck_cmds[] = {
	{ "fsck", "[--quick] [--store]",
	    "check that rows, bytes, trees and links agree, as nginx serves them", cmd_fsck,
	    .draws_views = true },
	{ 0 },
};
