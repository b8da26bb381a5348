/* SPDX-License-Identifier: Apache-2.0
 * fsck: what must hold between rows and bytes. Each problem is a line; none is repaired here
 * (reproject repairs trees and links). */
#include "admin/cmd.h"
#include "base/conf.h"
#include "base/str.h"
#include "db/db.h"
#include "domain/project.h"
#include "domain/reference.h"
#include "domain/role.h"

#include <errno.h>
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
			TRY(object_verify(c, sha256, row->size_bytes, &why));
		if (why)
			fsck_problem(k, "object %s %s", row->sha256, why);
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
		"SELECT a.id, 'live version is missing' AS why FROM artifact a LEFT JOIN version v ON v.artifact_id = a.id"
		" AND v.version_no = a.live_no WHERE a.owner_id IS NOT NULL AND a.live_no IS NOT NULL AND v.id IS NULL"
		" UNION ALL SELECT a.id, 'live_mobile is not as the live version has it' FROM artifact a JOIN version v ON v.artifact_id = a.id"
		" AND v.version_no = a.live_no WHERE a.owner_id IS NOT NULL AND a.live_mobile <> (v.mobile_sha256 IS NOT NULL)"
		" UNION ALL SELECT a.id, 'the live version counts as never live' FROM artifact a JOIN version v ON v.artifact_id = a.id"
		" AND v.version_no = a.live_no WHERE a.owner_id IS NOT NULL AND v.first_live_at IS NULL"
		" UNION ALL SELECT a.id, 'versions are not 1 to last' FROM artifact a LEFT JOIN version v ON v.artifact_id = a.id WHERE a.owner_id IS NOT NULL GROUP BY a.id, a.last_no"
		" HAVING COUNT(v.id) <> a.last_no OR COALESCE(MAX(v.version_no), 0) <> a.last_no"
		" UNION ALL SELECT v.artifact_id, 'a version does not have the files it counts' FROM version v JOIN artifact a ON a.id = v.artifact_id AND a.owner_id IS NOT NULL"
		" LEFT JOIN version_file f ON f.artifact_id = v.artifact_id AND f.version_no = v.version_no GROUP BY v.artifact_id, v.version_no, v.file_count, v.size_bytes"
		" HAVING COUNT(f.path) <> v.file_count OR COALESCE(SUM(f.size_bytes), 0) <> v.size_bytes"
		" UNION ALL SELECT a.id, 'its slug is not held for it' FROM artifact a LEFT JOIN slug s ON s.slug = a.slug AND s.artifact_id = a.id"
		" AND s.released_at IS NULL WHERE a.deleted_at IS NULL AND s.slug IS NULL"),
	    NOARGS, &rows));
	for (size_t i = 0; i < rows.n; i++)
		fsck_problem(k, "artifact %s: %s", rows.v[i].id, rows.v[i].why);
	return E_OK;
}

#define SHOWN(F, T) \
	F(T, ID,   id, .arg = "art_") \
	F(T, SLUG, slug) \
	F(T, INT,  version_no) \
	F(T, BOOL, draft) \
	F(T, BOOL, open) \
	F(T, BOOL, is_live)
SHAPE_DECLARE(shown, SHOWN);
SHAPE_DEFINE(shown, SHOWN);

static bool
link_leads_to(struct ctx *c, const char *link, const char *target)
{
	char text[512];
	ssize_t n = readlink(
	    mem_printf(c->mem, "%s/%s", c->conf->data_dir, link), text, sizeof text - 1);

	if (n < 0)
		return target == NULL;
	text[n] = '\0';
	return str_eq(text, target);
}

struct packed {
	struct check *check;
	const struct shown *of;
};

static void
packed_problem(void *arg, const char *path, const char *why)
{
	const struct packed *p = arg;

	fsck_problem(p->check, "trees/%s/%lld/pub/%s %s: remove it", p->of->id,
	    (long long)p->of->version_no, path, why);
}

/* A compressed form is served in place of its file, and no row tells of it. */
static enum err
check_packed(struct check *k, const struct shown *row)
{
	struct packed p = { k, row };

	return k->quick ? E_OK
			: tree_pack_check(
			      k->call->c, row->id, row->version_no, packed_problem, &p);
}

static enum err
check_trees(struct check *k)
{
	struct ctx *c = k->call->c;
	struct shown_list rows;

	TRY(db_all(c,
	    ROWS(shown,
		"SELECT a.id, a.slug, v.version_no, COALESCE(v.version_no = a.live_no, 0) AS is_live, v.first_live_at IS NULL AS draft, " ARTIFACT_IS_SHOWN
		" AS open FROM artifact a JOIN version v ON v.artifact_id = a.id"
		" WHERE a.owner_id IS NOT NULL"),
	    NOARGS, &rows));
	for (size_t i = 0; i < rows.n; i++) {
		const struct shown *row = &rows.v[i];

		if (!tree_exists(c, row->id, row->version_no, row->draft))
			fsck_problem(k, "tree of %s version %lld is missing: reproject", row->id,
			    (long long)row->version_no);
		if (row->draft && tree_exists(c, row->id, row->version_no, false))
			fsck_problem(k, "version %lld of %s is OPEN but was never live: reproject",
			    (long long)row->version_no, row->id);
		if (!row->draft)
			TRY(check_packed(k, row));
		if (!row->is_live)
			continue;
		if (!link_leads_to(c, mem_printf(c->mem, "trees/%s/live", row->id),
			mem_printf(c->mem, "%lld", (long long)row->version_no)))
			fsck_problem(k, "trees/%s/live does not lead to version %lld: reproject",
			    row->id, (long long)row->version_no);
		if (!link_leads_to(c, mem_printf(c->mem, "sites/%s", row->slug),
			row->open ? mem_printf(c->mem, "../trees/%s", row->id) : NULL))
			fsck_problem(k, "sites/%s is %s: reproject", row->slug,
			    row->open ? "not open but should be" : "OPEN but should not be");
	}
	return E_OK;
}

static enum err
cmd_fsck(struct cmd_call *call)
{
	struct check k = { .call = call, .quick = usage_option(&call->with, "--quick") };

	TRY(check_rows(&k));
	TRY(check_bytes(&k));
	TRY(check_trees(&k));
	printf(k.problems ? "%lld problems\n" : "clean\n", (long long)k.problems);
	call->exit = k.problems > 0;
	return E_OK;
}

const struct cmd fsck_cmds[] = {
	{ "fsck", "[--quick]", "hold rows, bytes, trees and links against each other", cmd_fsck },
	{ 0 },
};
