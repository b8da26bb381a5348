/* SPDX-License-Identifier: Apache-2.0
 * Rounds: puts what is due in the store, and deletes from it what no row has named for long. */
#include "base/conf.h"
#include "base/log.h"
#include "base/str.h"
#include "bucket/bucket.h"
#include "care/reference.h"
#include "db/ids.h"
#include "store/rounds.h"

enum { KEPT_S = 86400, COUNTED = 500 };

#define HASH(F, T) F(T, STR, sha256)
SHAPE(hash, HASH);

static bool
unset(const struct ctx *c)
{
	return !conf_has(c->conf->store_url);
}

/* Makes items, for reference_judge_objects(), which also keep the digests. */
static struct sweep_item *
items_of(struct ctx *c, const struct hash_list *rows)
{
	struct sweep_item *items = mem_array(c->mem, struct sweep_item, rows->n);

	for (size_t i = 0; i < rows->n; i++)
		crypto_unhex(rows->v[i].sha256, items[i].sha256, SHA256_BYTES);
	return items;
}

static const char *
items_json(struct ctx *c, const struct sweep_item *items, size_t n)
{
	return hashes_json(c, items->sha256, sizeof *items, n);
}

static enum err
calls_end(struct ctx *c, const struct s3_call *calls, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (calls[i].why && !calls[i].absent)
			return bucket_down(c, calls[i].why);
	return E_OK;
}

/* Keeps those that no row names. */
static enum err
unnamed_keep(struct ctx *c, struct sweep_item *items, size_t *n)
{
	size_t kept = 0;

	TRY(reference_judge_objects(c, items, *n));
	for (size_t i = 0; i < *n; i++)
		if (!items[i].known)
			items[kept++] = items[i];
	*n = kept;
	return E_OK;
}

/* ---- what is due ---- */

/* An object that isn't here was swept if no row names it; otherwise fsck reports it. */
static enum err
due_rows(struct ctx *c, int64_t limit, int64_t *done)
{
	struct sweep_item *items;
	struct s3_call *calls;
	struct hash_list rows;
	uint8_t *digests, *end;
	size_t ended = 0;

	if (unset(c))
		return E_OK;
	TRY(db_all(c,
	    ROWS(hash, "SELECT sha256 FROM object_due WHERE due_at <= ? ORDER BY due_at LIMIT ?"),
	    ARGS(c->now, limit), &rows));
	items = items_of(c, &rows);
	calls = mem_array(c->mem, struct s3_call, rows.n);
	digests = end = mem_zalloc(c->mem, rows.n * SHA256_BYTES);
	for (size_t i = 0; i < rows.n; i++)
		end = mempcpy(end, items[i].sha256, SHA256_BYTES);
	TRY(bucket_calls(c, digests, rows.n, calls));
	for (size_t i = 0; i < rows.n; i++)
		if (!calls[i].why || calls[i].absent)
			items[ended++] = items[i];
	if (ended)
		TRY(db_exec(c,
		    EXEC("DELETE d FROM object_due d JOIN " HASH_TABLE " ON d.sha256 = UNHEX(j.h)"
			 " WHERE d.due_at <= ?"),
		    ARGS(items_json(c, items, ended), c->now), NULL));
	*done = (int64_t)ended;
	return calls_end(c, calls, rows.n);
}

/* ---- what goes ---- */

/* Marks objects that no row names. They are deleted after grace_s if no row names them then,
 * either. */
static enum err
stored_piece(struct ctx *c, struct sweep_at *at)
{
	struct sweep_item *items;
	struct hash_list rows;
	size_t n;

	at->end = unset(c);
	if (at->end)
		return E_OK;
	/* at->id has the first digits of the last digest, which are enough. */
	TRY(db_all(c,
	    ROWS(hash,
		"SELECT sha256 FROM object_stored"
		" WHERE sha256 > UNHEX(RPAD(?, 64, ?)) AND at < ? ORDER BY sha256 LIMIT ?"),
	    ARGS(*at->id ? at->id : "0", *at->id ? "f" : "0", c->now - c->conf->grace_s,
		SWEEP_ITEMS),
	    &rows));
	at->looked += (int64_t)rows.n;
	at->end = rows.n < SWEEP_ITEMS;
	if (!rows.n)
		return E_OK;
	snprintf(at->id, sizeof at->id, "%s", rows.v[rows.n - 1].sha256);
	items = items_of(c, &rows);
	n = rows.n;
	TRY(unnamed_keep(c, items, &n));
	return n ? db_exec(c,
		       EXEC("INSERT IGNORE INTO object_doomed (sha256, state, at)"
			    " SELECT UNHEX(j.h), 0, ? FROM " HASH_TABLE),
		       ARGS(c->now, items_json(c, items, n)), NULL)
		 : E_OK;
}

/* Nobody is between "the store has it" and the commit of a row that names it. */
static enum err
going_mark(struct ctx *c, void *limit)
{
	struct sweep_item *items;
	struct hash_list rows;
	const char *all, *unnamed;
	size_t n;

	TRY(db_all(c,
	    ROWS(hash,
		"SELECT sha256 FROM object_doomed"
		" WHERE state = 0 AND at < ? ORDER BY at LIMIT ?"),
	    ARGS(c->now - c->conf->grace_s, *(int64_t *)limit), &rows));
	n = rows.n;
	if (!n)
		return E_OK;
	items = items_of(c, &rows);
	all = items_json(c, items, n);
	TRY(unnamed_keep(c, items, &n));
	unnamed = items_json(c, items, n);
	TRY(db_begin(c));
	TRY(db_exec(c,
	    EXEC("UPDATE object_doomed d JOIN " HASH_TABLE " ON d.sha256 = UNHEX(j.h)"
		 " SET d.state = 1, d.at = ?"),
	    ARGS(unnamed, c->now), NULL));
	TRY(db_exec(c,
	    EXEC("DELETE s FROM object_stored s JOIN " HASH_TABLE " ON s.sha256 = UNHEX(j.h)"),
	    ARGS(unnamed), NULL));
	TRY(db_exec(c,
	    EXEC("DELETE d FROM object_doomed d JOIN " HASH_TABLE " ON d.sha256 = UNHEX(j.h)"
		 " WHERE d.state = 0"),
	    ARGS(all), NULL));
	return db_commit(c);
}

static enum err
doomed_rows(struct ctx *c, int64_t limit, int64_t *done)
{
	struct sweep_item *items;
	struct s3_call *calls;
	struct hash_list rows;
	size_t gone = 0;

	if (unset(c))
		return E_OK;
	TRY(sweep_alone(c, going_mark, &limit));
	TRY(db_all(c,
	    ROWS(hash, "SELECT sha256 FROM object_doomed WHERE state = 1 ORDER BY at LIMIT ?"),
	    ARGS(limit), &rows));
	items = items_of(c, &rows);
	calls = mem_array(c->mem, struct s3_call, rows.n);
	for (size_t i = 0; i < rows.n; i++)
		calls[i] = bucket_call(c, S3_DELETE, items[i].sha256);
	TRY(s3_calls(c, s3_store(c->conf), calls, rows.n));
	for (size_t i = 0; i < rows.n; i++)
		if (!calls[i].why || calls[i].absent)
			items[gone++] = items[i];
	*done = (int64_t)gone;
	if (gone)
		TRY(db_exec(c,
		    EXEC("UPDATE object_doomed d JOIN " HASH_TABLE
			 " ON d.sha256 = UNHEX(j.h) SET d.state = 2, d.at = ?"),
		    ARGS(items_json(c, items, gone), c->now), NULL));
	TRY(calls_end(c, calls, rows.n));
	return db_exec(c, EXEC("DELETE FROM object_doomed WHERE state = 2 AND at < ? LIMIT ?"),
	    ARGS(c->now - KEPT_S, limit), NULL);
}

#define GOING(F, T) \
	F(T, INT, due) \
	F(T, INT, doomed)
SHAPE(going, GOING);

enum err
bucket_gauges(struct ctx *c, int64_t gauges[GAUGES])
{
	struct going *row;

	if (unset(c))
		return E_OK;
	TRY(db_one(c,
	    ROWS(going,
		"SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM object_due WHERE due_at <= ?"
		" LIMIT ?) d) AS due,"
		" (SELECT COUNT(*) FROM (SELECT 1 FROM object_doomed LIMIT ?) g) AS doomed"),
	    ARGS(c->now, COUNTED, COUNTED), &row));
	gauges[G_store_due] = row->due;
	gauges[G_store_doomed] = row->doomed;
	return E_OK;
}

ROUNDS(bucket, { "store_due", .rows = due_rows },
    { "store_list", .piece = stored_piece, .how = DAILY },
    { "store_doomed", .rows = doomed_rows });
