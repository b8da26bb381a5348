/* SPDX-License-Identifier: Apache-2.0
 * vitrinectl reproject: builds what nginx serves from rows and objects. */
#include "admin/cmd.h"
#include "admin/rows.h"
#include "assets/linkshow.h"
#include "assets/preview.h"
#include "base/conf.h"
#include "base/seal.h"
#include "base/str.h"
#include "care/inspect.h"
#include "data/blob.h"
#include "data/table.h"
#include "knowledge/notecheck.h"
#include "site/picture.h"
#include "site/project.h"
#include "store/object.h"

#include <unistd.h>

#define EVERY(F, T) \
	F(T, ID,  id, .arg = "art_") \
	F(T, INT, last_no)
SHAPE(every, EVERY);

struct projecting {
	struct ctx *c;
	struct inspection in;
	int64_t unmended;
};

static void
mended_print(void *arg, const struct finding *f)
{
	struct projecting *p = arg;

	printf("%s %s: %s\n", f->path, f->why, f->mended ? "repaired" : "NOT repaired");
	p->unmended += !f->mended;
}

/* Ends the memory and locks of a piece, and counts its failure. */
static enum err
piece_end(struct projecting *p, struct ctx *one, const char *id, enum err e)
{
	if (e) {
		fprintf(stderr, "vitrinectl: %s: %s\n", id, cmd_why(one));
		p->unmended++;
	}
	db_rollback(one);
	ctx_end(one);
	return e;
}

static enum err
blobs_recount(struct ctx *one, const char *id)
{
	bool wrong;

	TRY(blob_usage_mend(one, id, &wrong));
	if (wrong)
		printf("artifact %s: count and size of its blobs: recounted\n", id);
	return E_OK;
}

static void
artifact_reproject(struct projecting *p, const struct every *a)
{
	struct ctx *one = ctx_begin(p->c->conf, p->c->db);

	if (piece_end(p, one, a->id, project_artifact(one, a->id)))
		return;
	for (int64_t no = 1; no <= a->last_no; no++) {
		one = ctx_begin(p->c->conf, p->c->db);
		piece_end(p, one, a->id, inspect_version(one, a->id, no, &p->in));
	}
	one = ctx_begin(p->c->conf, p->c->db);
	piece_end(p, one, a->id, inspect_artifact(one, a->id, &p->in));
	one = ctx_begin(p->c->conf, p->c->db);
	piece_end(p, one, a->id, blobs_recount(one, a->id));
}

static enum err
nouns_mend(struct ctx *c)
{
	struct note_odd_list rows;
	int64_t wrong;
	const char *why;

	TRY(note_check(c, true, &rows));
	for (size_t i = 0; i < rows.n; i++)
		printf("note %s: %s: repaired\n", rows.v[i].id, rows.v[i].why);
	/* A restored database may lack its key. Then workers send the files that nginx would. */
	if (!seal_read(c->mem, c->conf, &why))
		return E_OK;
	TRY(links_check(c, true, &wrong));
	if (wrong)
		printf("%s: repaired\n", str_count(c->mem, wrong, "delivery link"));
	return E_OK;
}

enum err
reproject(struct ctx *c, const char *only)
{
	struct projecting p = { .c = c };
	struct table_odd_list odd;
	struct every_list rows;

	p.in = (struct inspection){ .mend = true, .found = mended_print, .arg = &p };
	TRY(store_prepare(c));
	/* Repairs what could be in the way of an address first. */
	if (!only) {
		TRY(rows_mend(c));
		TRY(nouns_mend(c));
		TRY(inspect_names(c, &p.in));
		TRY(table_check(c, true, &odd));
		for (size_t i = 0; i < odd.n; i++)
			printf("table %lld %s: %s: repaired\n", (long long)odd.v[i].no,
			    odd.v[i].name ? odd.v[i].name : "-", odd.v[i].why);
	}
	TRY(db_all(c,
	    ROWS(every,
		"SELECT id, IF(owner_id IS NULL, 0, last_no) AS last_no FROM artifact"
		" WHERE ? IS NULL OR id = ? ORDER BY id"),
	    ARGS(only, only), &rows));
	for (size_t i = 0; i < rows.n; i++)
		artifact_reproject(&p, &rows.v[i]);
	printf("%zu projected\n", rows.n);
	return p.unmended ? fail(c, E_CONFLICT,
				"%lld problems remain; run vitrinectl fsck to list them",
				(long long)p.unmended)
			  : E_OK;
}

static enum err
cmd_reproject(struct cmd_call *call)
{
	const char *from = usage_option(&call->with, "--from");
	int64_t lost, previews;

	/* A backup may be older than the pictures, so they are repaired before it is searched. */
	TRY(picture_mend(call->c, NULL, true, &lost));
	TRY(preview_mend(call->c, &previews));
	lost += previews;
	if (lost)
		printf("%lld pictures are missing or damaged and will be made again\n",
		    (long long)lost);
	if (from)
		TRY(backup_objects_mend(call->c, from));
	return reproject(call->c, usage_option(&call->with, "--artifact"));
}

const struct cmd reproject_cmds[] = {
	{ "reproject", "[--artifact ID] [--from BACKUP]",
	    "rebuild trees and links from the rows; "
	    "restore missing and damaged objects from a backup, or from the store (--from store)",
	    cmd_reproject, .draws_views = true },
	{ 0 },
};
