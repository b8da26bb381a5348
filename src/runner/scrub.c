/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/scrub.h"

#include "assets/preview.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/lease.h"
#include "base/log.h"
#include "base/str.h"
#include "bucket/bucket.h"
#include "care/damage.h"
#include "care/inspect.h"
#include "care/reference.h"
#include "core/round.h"
#include "runner/lane.h"
#include "site/picture.h"
#include "store/beneath.h"
#include "store/object.h"
#include "store/shown.h"
#include "store/sweep.h"
#include "store/tree.h"

#include <linux/ioprio.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	DAY_S = 86400,
	PASSES = 720, /* in a day, at least; cron makes twice as many */
	PASS_MS = 40000,
	AGAIN = 50, /* known damage to check in a pass */
	PIECE = 64, /* objects or names */
	BYTES_LEAST = 16 << 20
};

/* The row of sweep has the position: outer_at is a prefix of objects/, then one of these. */
enum { BLOBS = 256, VERSIONS, SITES, TREES, CYCLE_END };

struct scrubbing {
	struct ctx *c; /* the piece's */
	struct round at;
	struct inspection in;
	struct scrubbed *all;
	int64_t budget, until_ms;
	const char *subject; /* what the piece is about */
	bool damaged;
};

/* ---- damage ---- */

static void
damage_report(struct scrubbing *s, const char *path, const char *why, bool mended)
{
	s->all->found++;
	s->all->mended += mended;
	log_line(LOG_LEVEL_ERROR, "damaged", "path", path, "why", why, "mended",
	    mended ? "yes" : "no", NULL);
	if (mended)
		return;
	s->damaged = true;
	if (damage_keep(s->c, s->subject, mem_printf(s->c->mem, "%s %s", path, why)))
		log_line(LOG_LEVEL_ERROR, "damage not kept", "why", ctx_why(s->c), NULL);
}

static void
found_add(void *arg, const struct finding *f)
{
	damage_report(arg, f->path, f->why, f->mended);
}

/* ---- objects ---- */

/* Restores an object that is damaged or missing from the bucket, if the bucket has it. */
static enum err
object_mend(struct scrubbing *s, const char *path, const uint8_t sha256[SHA256_BYTES],
    const char *why)
{
	const char *not;

	TRY(bucket_mend(s->c, sha256, &not));
	damage_report(s, path, why, !not);
	return E_OK;
}

static enum err
damaged_handle(struct scrubbing *s, struct sweep_item *items, const char *const *why, size_t n)
{
	struct ctx *c = s->c;
	int64_t removed = 0;

	if (!n)
		return E_OK;
	/* Pictures can be made again, so their rows give damaged ones up; the active machine's
	 * disk decides. */
	for (size_t i = 0; i < n && lease_active(); i++) {
		TRY(picture_lost(c, items[i].sha256));
		TRY(preview_lost(c, items[i].sha256));
	}
	TRY(reference_judge_objects(c, items, n));
	for (size_t i = 0; i < n; i++) {
		s->subject = items[i].path;
		if (items[i].known)
			TRY(object_mend(s, items[i].path, items[i].sha256, why[i]));
	}
	TRY(object_discard(c, reference_judge_objects, items, n, &removed));
	s->at.removed += removed;
	return E_OK;
}

static enum err
object_look(struct scrubbing *s, const uint8_t sha256[SHA256_BYTES], const char **why)
{
	int64_t size = 0;

	TRY(object_verify(s->c, sha256, -1, &size, why));
	s->in.bytes += size + CHECK_ENTRY;
	return E_OK;
}

static enum err
objects_piece(struct scrubbing *s)
{
	struct ctx *c = s->c;
	const char *dir = mem_printf(c->mem, "objects/%02x", (unsigned)s->at.outer_at), *name;
	struct sweep_item items[PIECE];
	const char *why[PIECE] = { NULL };
	size_t n = 0, looked = 0;
	struct walk *w;
	int root;

	TRY(store_root(c, c->mem, &root));
	TRY(walk_begin(c, c->mem, root, dir, s->at.inner_at, &w));
	for (name = ""; w && looked < PIECE && s->in.bytes < s->budget; looked++) {
		TRY(walk_next(c, w, &name, &s->at.inner_at));
		if (!name)
			break;
		items[n] = (struct sweep_item){ .path = mem_printf(c->mem, "%s/%s", dir, name) };
		if (!crypto_unhex(name, items[n].sha256, SHA256_BYTES))
			continue;
		TRY(object_look(s, items[n].sha256, &why[n]));
		n += why[n] != NULL;
	}
	if (!w || !name) {
		s->at.inner_at = 0;
		s->at.outer_at++;
	}
	return damaged_handle(s, items, why, n);
}

/* ---- trees ---- */

#define NEXT(F, T) \
	F(T, ID,  id, .arg = "art_") \
	F(T, INT, version_no)
SHAPE(scrub_next, NEXT);

/* Checks the next version, or moves on to names. */
static enum err
version_piece(struct scrubbing *s)
{
	struct scrub_next *next;

	/* Version 0 is the artifact itself: its links, and strays beside them. */
	TRY(db_find(s->c,
	    ROWS(scrub_next,
		"SELECT v.artifact_id AS id, v.version_no"
		" FROM version v JOIN artifact a ON a.id = v.artifact_id"
		" WHERE v.artifact_id = ? AND v.version_no > ? AND a.owner_id IS NOT NULL"
		" ORDER BY v.version_no LIMIT 1"),
	    ARGS(s->at.id_at, s->at.inner_at), &next));
	if (!next)
		TRY(db_find(s->c,
		    ROWS(scrub_next,
			"SELECT id, 0 AS version_no FROM artifact"
			" WHERE id > ? AND owner_id IS NOT NULL ORDER BY id LIMIT 1"),
		    ARGS(s->at.id_at), &next));
	if (!next) {
		s->at.outer_at++;
		s->at.inner_at = 0;
		s->at.id_at = "";
		return E_OK;
	}
	s->in.bytes += CHECK_ENTRY;
	s->at.id_at = next->id;
	s->at.inner_at = next->version_no;
	s->subject = mem_printf(
	    s->c->mem, "trees/%s/%lld", next->id, (long long)next->version_no);
	if (!next->version_no && lease_active())
		TRY(picture_mend(s->c, next->id, false, NULL));
	return next->version_no ? inspect_version(s->c, next->id, next->version_no, &s->in)
				: inspect_artifact(s->c, next->id, &s->in);
}

/* ---- names ---- */

static enum err
names_piece(struct scrubbing *s)
{
	bool sites = s->at.outer_at == SITES;
	const char *dir = sites ? "sites" : "trees", *name = "";
	struct ctx *c = s->c;
	struct walk *w;
	int root;

	TRY(store_root(c, c->mem, &root));
	TRY(walk_begin(c, c->mem, root, shown_name(root, dir), s->at.inner_at, &w));
	for (int i = 0; w && i < PIECE; i++) {
		TRY(walk_next(c, w, &name, &s->at.inner_at));
		if (!name)
			break;
		s->subject = mem_printf(c->mem, "%s/%s", dir, name);
		TRY(sites ? inspect_address(c, mem_strdup(c->mem, name), &s->in)
			  : inspect_tree(c, mem_strdup(c->mem, name), &s->in));
	}
	if (!w || !name) {
		s->at.outer_at++;
		s->at.inner_at = 0;
	}
	return E_OK;
}

/* ---- blobs ---- */

#define BLOB_NEXT(F, T) \
	F(T, ID,  id, .arg = "blb_") \
	F(T, STR, sha256) \
	F(T, INT, size)
SHAPE(scrub_blob, BLOB_NEXT);

/* Checks that a blob's object exists. No tree has a link to it, so nothing else would notice. The
 * objects that exist were read before. */
static enum err
blob_look(struct scrubbing *s, const struct scrub_blob *b)
{
	uint8_t sha256[SHA256_BYTES];
	char path[OBJECT_PATH];
	bool kept;

	s->in.bytes += CHECK_ENTRY;
	if (!crypto_unhex(b->sha256, sha256, sizeof sha256))
		return E_OK;
	TRY(object_kept(s->c, sha256, b->size, &kept));
	if (kept)
		return E_OK;
	object_path(path, sha256);
	s->subject = mem_strdup(s->c->mem, path);
	return object_mend(s, s->subject, sha256,
	    mem_printf(s->c->mem, "is missing, or its size isn't the %lld bytes of %s",
		(long long)b->size, b->id));
}

static enum err
blobs_piece(struct scrubbing *s)
{
	struct scrub_blob_list rows;

	TRY(db_all(s->c,
	    ROWS(scrub_blob,
		"(SELECT id, sha256, size_bytes AS size FROM artifact_blob WHERE id > ?"
		" ORDER BY id LIMIT ?) UNION ALL"
		" (SELECT id, sha256, size_bytes FROM asset_blob WHERE id > ?"
		" ORDER BY id LIMIT ?) ORDER BY id LIMIT ?"),
	    ARGS(s->at.id_at, PIECE, s->at.id_at, PIECE, PIECE), &rows));
	for (size_t i = 0; i < rows.n; i++)
		TRY(blob_look(s, &rows.v[i]));
	s->at.id_at = rows.n ? rows.v[rows.n - 1].id : "";
	s->at.outer_at += rows.n < PIECE;
	return E_OK;
}

/* ---- known damage ---- */

static enum err
subject_check(struct scrubbing *s, const char *subject)
{
	char *rest = mem_strdup(s->c->mem, subject);
	const char *dir = str_split(&rest, '/'), *name = str_split(&rest, '/'),
		   *below = rest ? rest : "", *why = NULL;
	struct sweep_item it = { .path = subject };
	int64_t no;

	s->subject = subject;
	s->damaged = false;
	if (str_eq(dir, "objects")) {
		if (crypto_unhex(below, it.sha256, SHA256_BYTES))
			TRY(object_look(s, it.sha256, &why));
		TRY(damaged_handle(s, &it, &why, why != NULL));
	} else if (str_eq(dir, "sites")) {
		TRY(inspect_address(s->c, name, &s->in));
	} else if (str_int(below, &no)) {
		TRY(no > 0 ? inspect_version(s->c, name, no, &s->in)
			   : inspect_artifact(s->c, name, &s->in));
	} else {
		TRY(inspect_tree(s->c, name, &s->in));
	}
	return s->damaged ? E_OK : damage_forget(s->c, subject);
}

/* ---- a pass ---- */

/* Ends a piece. A failed piece is skipped in this cycle. */
static enum err
piece_end(struct scrubbing *s, enum err e)
{
	if (e)
		log_line(LOG_LEVEL_ERROR, "scrub failed", "subject", s->subject, "why",
		    ctx_why(s->c), NULL);
	db_rollback(s->c);
	return e;
}

static enum err
damage_check(struct ctx *c, struct scrubbing *s)
{
	const struct damage *d;
	enum err failed = E_OK;
	struct list rows;

	TRY(damage_list(c, AGAIN, &rows));
	d = rows.v;
	for (size_t i = 0; i < rows.n && s->in.bytes < s->budget; i++, d++) {
		enum err e;

		s->c = ctx_begin(c->conf, c->db);
		e = piece_end(s, subject_check(s, mem_strdup(s->c->mem, d->subject)));
		failed = failed ? failed : e;
		ctx_end(s->c);
	}
	return failed;
}

/* Does the next piece and stores the position. id_at must outlive the piece's context. */
static enum err
piece_run(struct ctx *c, struct scrubbing *s)
{
	int64_t before = s->in.bytes;
	enum err e, kept;

	s->c = ctx_begin(c->conf, c->db);
	s->subject = "";
	e = s->at.outer_at < BLOBS       ? objects_piece(s)
	    : s->at.outer_at == BLOBS    ? blobs_piece(s)
	    : s->at.outer_at == VERSIONS ? version_piece(s)
					 : names_piece(s);
	e = piece_end(s, e);
	if (e && s->at.outer_at != VERSIONS) {
		s->at.outer_at++;
		s->at.inner_at = 0;
	}
	s->at.looked += s->in.bytes - before;
	s->at.id_at = mem_strdup(c->mem, s->at.id_at);
	s->at.under_way = s->at.outer_at < CYCLE_END;
	if (!s->at.under_way) {
		s->at.finished_at = s->c->now;
		log_members(LOG_LEVEL_INFO, "scrub ended",
		    mem_printf(s->c->mem, "\"bytes\":%lld,\"seconds\":%lld",
			(long long)s->at.looked, (long long)(s->c->now - s->at.started_at)));
	}
	kept = piece_end(s, round_save(s->c, &s->at));
	ctx_end(s->c);
	return e ? e : kept;
}

static enum err
cycle_find(struct ctx *c, struct round *at)
{
	TRY(round_find(c, ROUND_SCRUB, at));
	if (at->under_way ||
	    (at->started_at + c->conf->scrub_days * DAY_S > c->now && at->started_at <= c->now))
		return E_OK;
	at->looked_last = at->looked;
	at->looked = at->removed = at->outer_at = at->inner_at = 0;
	at->id_at = "";
	at->started_at = c->now;
	at->under_way = true;
	return E_OK;
}

enum err
scrub(struct ctx *c, struct scrubbed *out)
{
	struct scrubbing s = { .all = out, .until_ms = clock_ms() + PASS_MS };
	struct statvfs vfs;
	int64_t all = 0;
	enum err e;

	/* This process comes last for the CPU, and for the disk if its scheduler supports that. */
	setpriority(PRIO_PROCESS, 0, 19);
	syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
	s.in = (struct inspection){ .mend = true, .calm = true, .found = found_add, .arg = &s };
	TRY(cycle_find(c, &s.at));
	/* The first cycle assumes all bytes that the disk holds. */
	if (s.at.looked_last)
		all = s.at.looked_last > s.at.looked ? s.at.looked_last : s.at.looked;
	else if (statvfs(c->conf->data_dir, &vfs) == 0)
		all = (int64_t)((vfs.f_blocks - vfs.f_bfree) * vfs.f_frsize);
	s.budget = all / (c->conf->scrub_days * PASSES);
	s.budget = s.budget > BYTES_LEAST ? s.budget : BYTES_LEAST;
	e = damage_check(c, &s);
	while (s.at.under_way && s.in.bytes < s.budget && clock_ms() < s.until_ms && !lane_over()) {
		enum err one = piece_run(c, &s);

		e = e ? e : one;
	}
	out->bytes = s.in.bytes;
	return e;
}
