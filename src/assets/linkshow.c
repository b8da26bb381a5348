/* SPDX-License-Identifier: Apache-2.0 */
#include "assets/linkshow.h"

#include "base/id.h"
#include "base/str.h"
#include "core/artifact.h"
#include "core/spread.h"
#include "db/ids.h"
#include "db/sealed.h"
#include "store/delivery.h"
#include "store/object.h"

SHAPE_DEFINE(link_id, LINK_ID);

SEALS(link, "delivery_link", "sealed", "id", SEALED_TEXT, "''", "revoked_at IS NOT NULL",
    .purpose = { "delivery link ", "" }, .noun = "delivery link", .what = "its address",
    .who = "its maker", .mend = "has to make another");

const char *
link_secret(struct ctx *c, const char *id, const char *sealed)
{
	return sealed_open(c->mem, &link_sealed, id, NULL, sealed);
}

const char *
link_seal(struct ctx *c, const char *id, const char *secret)
{
	return sealed_close(c->mem, &link_sealed, id, NULL, secret);
}

static const char *
link_ids(struct ctx *c, const struct link_id_list *links)
{
	const char **ids = mem_array(c->mem, const char *, links->n + 1);

	for (size_t i = 0; i < links->n; i++)
		ids[i] = links->v[i].id;
	return ids_json(c, ids, links->n);
}

/* ---- reporting changes ---- */

enum err
links_follow(struct ctx *c, const struct link_id_list *links)
{
	struct arg *v = mem_array(c->mem, struct arg, 3 * links->n + 1);
	const char **ids = mem_array(c->mem, const char *, links->n + 1);

	for (size_t i = 0; i < links->n; i++) {
		ids[i] = id_new(c->mem, "out_");
		v[3 * i] = arg_str(ids[i]);
		v[3 * i + 1] = arg_str(links->v[i].id);
		/* A program that isn't a worker leaves it to the runner. */
		v[3 * i + 2] = arg_int(c->actor ? c->now + PROJECT_S : c->now);
	}
	TRY(db_exec_many(c,
	    EXEC("INSERT INTO outbox (id, kind, subject, due_at) VALUES (?, 'deliver', ?, ?)"), v,
	    3, links->n));
	if (!links->n)
		return E_OK;
	effect_add(c, &(struct effect){ .links = link_ids(c, links) });
	return spread(c, ids_json(c, ids, links->n), true);
}

enum err
links_revoke(struct ctx *c, const struct link_id_list *links)
{
	if (!links->n)
		return E_OK;
	TRY(db_exec(c,
	    EXEC("UPDATE " ID_TABLE " STRAIGHT_JOIN delivery_link l ON l.id = t.id"
		 " SET l.revoked_at = ? WHERE l.revoked_at IS NULL"),
	    ARGS(link_ids(c, links), c->now), NULL));
	return links_follow(c, links);
}

enum err
links_of_file_follow(struct ctx *c, const char *deliverable_id)
{
	struct link_id_list links;

	TRY(db_all(c,
	    ROWS(link_id,
		"SELECT l.id FROM asset_collection_file f"
		" STRAIGHT_JOIN delivery_link l ON l.collection_id = f.collection_id"
		" WHERE f.deliverable_id = ? AND " LINK_IS_OPEN),
	    ARGS(deliverable_id), &links));
	return links_follow(c, &links);
}

enum err
links_of_collection_revoke(struct ctx *c, const char *collection_id)
{
	struct link_id_list links;

	TRY(db_all(c,
	    ROWS(link_id,
		"SELECT id FROM delivery_link WHERE collection_id = ? AND revoked_at IS NULL"),
	    ARGS(collection_id), &links));
	return links_revoke(c, &links);
}

/* ---- the web server's part ---- */

#define LINK_FILE(F, T) \
	F(T, ID,  id, .arg = "lnk_") \
	F(T, STR, sealed) \
	F(T, ID,  blob_id, .arg = "blb_") \
	F(T, STR, name) \
	F(T, STR, sha256)
SHAPE(link_file, LINK_FILE);

/* Returns a row for each file that nginx may send; a link without such files has one row with
 * blob_id NULL. */
static enum err
files_of(struct ctx *c, const char *ids, struct link_file_list *out)
{
	return db_all(c,
	    ROWS(link_file,
		"SELECT l.id, l.sealed, s.blob_id, s.name, s.sha256 FROM " ID_TABLE
		" STRAIGHT_JOIN delivery_link l ON l.id = t.id"
		" LEFT JOIN (SELECT l.id, b.id AS blob_id, d.name, b.sha256"
		" FROM " ID_TABLE " STRAIGHT_JOIN delivery_link l ON l.id = t.id"
		LINK_STANDS_TABLES LINK_FILES " WHERE" LINK_STANDS
		" AND l.gate = 'none' AND l.expires_at IS NULL) s ON s.id = l.id ORDER BY l.id"),
	    ARGS(ids, ids, c->now), out);
}

/* Reads the rows of one link from *at on, and advances *at past them. */
static enum err
files_next(struct ctx *c, const struct link_file_list *rows, size_t *at, const char **secret,
    struct delivery_file **files, size_t *n)
{
	const struct link_file *first = &rows->v[*at];

	*secret = link_secret(c, first->id, first->sealed);
	*files = mem_array(c->mem, struct delivery_file, rows->n - *at);
	*n = 0;
	for (; *at < rows->n && str_eq(rows->v[*at].id, first->id); ++*at) {
		const struct link_file *row = &rows->v[*at];
		struct delivery_file *f = &(*files)[*n];

		if (!row->blob_id)
			continue;
		*f = (struct delivery_file){ .blob_id = row->blob_id, .name = row->name };
		if (!crypto_unhex(row->sha256, f->sha256, sizeof f->sha256))
			return fail_here(c, "digest of %s", row->blob_id);
		++*n;
	}
	return E_OK;
}

static enum err
links_show_locked(struct ctx *c, const char *ids)
{
	struct link_file_list rows;
	struct delivery_file *files;
	const char *secret;
	size_t n;

	TRY(files_of(c, ids, &rows));
	for (size_t at = 0; at < rows.n;) {
		TRY(files_next(c, &rows, &at, &secret, &files, &n));
		if (secret)
			TRY(delivery_show(c, secret, files, n));
	}
	return delivery_sync(c);
}

enum err
links_show(struct ctx *c, const char *ids)
{
	enum err e;
	int lock;

	TRY(delivery_lock(c, &lock));
	e = links_show_locked(c, ids);
	delivery_unlock(lock);
	return e;
}

enum err
link_fetch(struct ctx *c, const char *id)
{
	struct link_file_list rows;
	uint8_t sha256[SHA256_BYTES];

	TRY(files_of(c, ids_json(c, &id, 1), &rows));
	for (size_t i = 0; i < rows.n; i++)
		if (rows.v[i].sha256 &&
		    crypto_unhex(rows.v[i].sha256, sha256, sizeof sha256))
			TRY(object_bring(c, sha256));
	return E_OK;
}

enum err
link_show(struct ctx *c, const char *id)
{
	return links_show(c, ids_json(c, &id, 1));
}

/* ---- checks ---- */

/* Compares the files that nginx sends for a secret with those of its link. With mend, rewrites
 * them. */
static enum err
shown_check(struct ctx *c, const char *secret, bool mend, int64_t *wrong)
{
	struct link_file_list rows = { 0 };
	struct delivery_file *files = NULL;
	const char *same;
	struct link_id *link;
	size_t at = 0, n = 0;
	uint8_t hash[SHA256_BYTES];
	bool sound;

	token_hash(secret, hash);
	TRY(db_find(c, ROWS(link_id, "SELECT id FROM delivery_link WHERE hash = ?"),
	    ARGS(((struct bytes){ hash, sizeof hash })), &link));
	if (link)
		TRY(files_of(c, ids_json(c, &link->id, 1), &rows));
	if (rows.n)
		TRY(files_next(c, &rows, &at, &same, &files, &n));
	TRY(delivery_check(c, secret, files, n, &sound));
	*wrong += !sound || !n;
	return mend ? delivery_show(c, secret, files, n) : E_OK;
}

static enum err
links_check_locked(struct ctx *c, bool mend, int64_t *wrong)
{
	struct link_id_list open;
	struct names shown;

	TRY(delivery_list(c, c->mem, &shown));
	for (size_t i = 0; i < shown.n; i++)
		TRY(shown_check(c, shown.v[i], mend, wrong));
	if (!mend)
		return E_OK;
	TRY(db_all(c, ROWS(link_id, "SELECT id FROM delivery_link WHERE " LINK_IS_OPEN), NOARGS,
	    &open));
	for (size_t i = 0; i < open.n; i++)
		TRY(links_show_locked(c, ids_json(c, &open.v[i].id, 1)));
	return E_OK;
}

enum err
links_check(struct ctx *c, bool mend, int64_t *wrong)
{
	enum err e;
	int lock;

	*wrong = 0;
	TRY(delivery_lock(c, &lock));
	e = links_check_locked(c, mend, wrong);
	delivery_unlock(lock);
	return e;
}
