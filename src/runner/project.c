/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/project.h"

#include "assets/linkshow.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "care/inspect.h"
#include "core/round.h"
#include "core/spread.h"
#include "db/ids.h"
#include "runner/lane.h"
#include "site/project.h"

enum {
	TURN_MS = 10000,
	LOOK_MS = 100,
	ROWS_AT_ONCE = 200,
	AGAIN_S = 15,  /* after a failure */
	PIECE = 20,    /* artifacts of a projection of all */
	JOINED_S = 60, /* longer than a transaction that began before the node joined */
	PACK_MS = 3000
};

#define TO_SHOW(F, T) \
	F(T, STR, id) \
	F(T, STR, kind) \
	F(T, STR, subject)
SHAPE(to_show, TO_SHOW);

/* Lists the ids of the rows from `row` on that have its kind and subject, as JSON. */
static const char *
ids_of_same(struct ctx *c, const struct to_show *row, const struct to_show *end)
{
	const char **ids = mem_array(c->mem, const char *, (size_t)(end - row));
	size_t n = 0;

	for (const struct to_show *r = row; r < end; r++)
		if (str_eq(r->kind, row->kind) && str_eq(r->subject, row->subject))
			ids[n++] = r->id;
	return ids_json(c, ids, n);
}

/* ---- closing ---- */

/* The row stays for nodes_build(), which also makes this durable. */
static enum err
row_close(struct ctx *c, const struct to_show *row, const char *ids)
{
	TRY(str_eq(row->kind, "deliver") ? link_show(c, row->subject)
					 : project_withdraw(c, row->subject));
	return db_exec(c,
	    EXEC("UPDATE " ID_TABLE " STRAIGHT_JOIN node_outbox o ON o.id = t.id"
		 " SET o.closes = FALSE WHERE o.node = ?"),
	    ARGS(ids, node_name(c)), NULL);
}

/* ---- building ---- */

static enum err
artifact_pack(struct ctx *c, const char *id)
{
	struct packs *packs;
	bool finished;

	TRY(packs_new(c, c->mem, &packs));
	TRY(project_pack(c, packs, id, PACK_MS, &finished));
	return packs_place(c, packs);
}

/* Compresses before the row goes, so a kill loses nothing. */
static enum err
row_build(struct ctx *c, const struct to_show *row, const char *ids)
{
	if (str_eq(row->kind, "deliver")) {
		TRY(link_fetch(c, row->subject));
		TRY(link_show(c, row->subject));
	} else {
		TRY(project_fetch(c, row->subject));
		TRY(project_artifact(c, row->subject));
		TRY(artifact_pack(c, row->subject));
	}
	return db_exec(c,
	    EXEC("DELETE o FROM " ID_TABLE " STRAIGHT_JOIN node_outbox o ON o.id = t.id"
		 " WHERE o.node = ?"),
	    ARGS(ids, node_name(c)), NULL);
}

/* ---- all anew ---- */

#define NODE_OWN(F, T) \
	F(T, INT,  joined_at) \
	F(T, BOOL, others) \
	F(T, BOOL, all)
SHAPE(node_own, NODE_OWN);

/* True while all is being projected, by the last look at its round. */
static bool anew;

/* The first machine of a cluster was alone until now, so its disk is right. */
static enum err
whole_begin(struct ctx *c, const struct node_own *own)
{
	struct round at = { .name = ROUND_PROJECT, .inner_at = own->joined_at, .id_at = "",
		.started_at = c->now, .under_way = own->others || own->all };

	TRY(db_begin(c));
	TRY(db_exec(c, EXEC("DELETE FROM node_outbox WHERE node = ? AND kind = 'all'"),
	    ARGS(node_name(c)), NULL));
	TRY(round_save(c, &at));
	TRY(db_commit(c));
	anew = at.under_way;
	return E_OK;
}

/* A transaction that began before this node joined has no row for it, so a node that has just
 * joined waits. */
static enum err
whole_look(struct ctx *c)
{
	static int64_t joined_at, seen_ms;
	struct node_own *own;
	struct round at;

	TRY(db_find(c,
	    ROWS(node_own,
		"SELECT joined_at, EXISTS (SELECT 1 FROM node m"
		" WHERE m.name <> n.name AND m.left_at IS NULL) AS others,"
		" EXISTS (SELECT 1 FROM node_outbox o"
		" WHERE o.node = n.name AND NOT o.closes AND o.kind = 'all') AS `all`"
		" FROM node n WHERE n.name = ?"),
	    ARGS(node_name(c)), &own));
	TRY(round_find(c, ROUND_PROJECT, &at));
	anew = at.under_way;
	if (!own || anew ||
	    (!own->all && at.started_at && at.inner_at == own->joined_at))
		return E_OK;
	if (joined_at != own->joined_at)
		seen_ms = clock_ms();
	joined_at = own->joined_at;
	if (own->others && !own->all && joined_at + JOINED_S > c->now &&
	    clock_ms() - seen_ms < JOINED_S * 1000)
		return E_OK;
	return whole_begin(c, own);
}

static void
stray_found(void *arg, const struct finding *f)
{
	(void)arg;
	log_line(LOG_LEVEL_WARN, "found", "path", f->path, "why", f->why, "mended",
	    f->mended ? "yes" : "no", NULL);
}

#define OF_ALL(F, T) \
	F(T, ID,  id, .arg = "art_") \
	F(T, INT, last_no)
SHAPE(of_all, OF_ALL);

/* Trees may be incomplete after a power failure whose rows were dropped. */
static enum err
artifact_whole(struct ctx *c, const struct of_all *a)
{
	struct inspection in = { .quick = true, .mend = true, .found = stray_found };

	TRY(project_fetch(c, a->id));
	TRY(project_artifact(c, a->id));
	for (int64_t no = 1; no <= a->last_no; no++)
		TRY(inspect_version(c, a->id, no, &in));
	return artifact_pack(c, a->id);
}

/* An artifact that fails is tried again by itself. */
static enum err
artifact_again(struct ctx *c, const struct of_all *a)
{
	struct ctx *one = ctx_begin(c->conf, c->db);
	enum err e = artifact_whole(one, a);

	if (e)
		log_line(LOG_LEVEL_WARN, "not projected", "subject", a->id, "why", ctx_why(one),
		    NULL);
	db_rollback(one);
	e = e ? spread_again(one, a->id) : E_OK;
	ctx_end(one);
	return e;
}

/* Projects the next artifacts. Sets *any if there are more. */
static enum err
whole_piece(struct ctx *c, bool *any)
{
	struct inspection in = { .mend = true, .found = stray_found };
	struct of_all_list rows;
	struct round at;
	int64_t wrong;

	TRY(round_find(c, ROUND_PROJECT, &at));
	/* First come names that no row has, and all delivery links. */
	if (!*at.id_at) {
		TRY(inspect_names(c, &in));
		TRY(links_check(c, true, &wrong));
	}
	TRY(db_all(c,
	    ROWS(of_all,
		"SELECT id, IF(owner_id IS NULL, 0, last_no) AS last_no FROM artifact"
		" WHERE id > ? ORDER BY id LIMIT ?"),
	    ARGS(at.id_at, PIECE), &rows));
	for (size_t i = 0; i < rows.n; i++)
		TRY(artifact_again(c, &rows.v[i]));
	if (rows.n)
		at.id_at = rows.v[rows.n - 1].id;
	at.looked += (int64_t)rows.n;
	anew = at.under_way = rows.n == PIECE;
	*any |= anew;
	at.finished_at = c->now;
	if (!at.under_way)
		log_members(LOG_LEVEL_INFO, "all projected",
		    mem_printf(c->mem, "\"artifacts\":%lld", (long long)at.looked));
	return round_save(c, &at);
}

/* ---- a turn ---- */

/* Carries out a row, with all later rows that say the same. */
static enum err
row_carry_out(struct ctx *c, bool closes, const struct to_show *row, const struct to_show *end)
{
	const char *ids = ids_of_same(c, row, end);
	struct ctx *one = ctx_begin(c->conf, c->db);
	enum err e = closes ? row_close(one, row, ids) : row_build(one, row, ids);

	db_rollback(one);
	/* A row that fails waits, so that it doesn't delay others. */
	if (e) {
		log_line(LOG_LEVEL_WARN, "node row failed", "kind", row->kind, "subject",
		    row->subject, "why", ctx_why(one), NULL);
		e = db_exec(c,
		    EXEC("UPDATE " ID_TABLE " STRAIGHT_JOIN node_outbox o ON o.id = t.id"
			 " SET o.due_at = ? WHERE o.node = ?"),
		    ARGS(ids, c->now + (closes ? 1 : AGAIN_S), node_name(c)), NULL);
	}
	ctx_end(one);
	return e;
}

/* Sets *any if there was something to do. */
static enum err
rows_run(struct ctx *c, bool closes, bool *any)
{
	struct to_show_list rows;
	const struct to_show *end;

	TRY(db_all(c,
	    ROWS(to_show,
		"SELECT id, kind, subject FROM node_outbox"
		" WHERE node = ? AND closes = ? AND due_at <= ? AND kind <> 'all'"
		" ORDER BY id LIMIT ?"),
	    ARGS(node_name(c), closes, c->now, ROWS_AT_ONCE), &rows));
	end = rows.v + rows.n;
	for (const struct to_show *row = rows.v; row < end && !lane_over(); row++) {
		const struct to_show *first = rows.v;

		while (!str_eq(first->kind, row->kind) || !str_eq(first->subject, row->subject))
			first++;
		if (first == row)
			TRY(row_carry_out(c, closes, row, end));
	}
	*any = rows.n > 0;
	return anew && !closes ? whole_piece(c, any) : E_OK;
}

static enum err
turn(const struct conf *conf, struct db *db, bool closes)
{
	int64_t until = clock_ms() + TURN_MS;

	while (!lane_over() && clock_ms() < until) {
		struct ctx *c = ctx_begin(conf, db);
		int64_t from = clock_ms();
		bool any = false;
		enum err e = rows_run(c, closes, &any);

		if (e)
			log_line(LOG_LEVEL_ERROR, "node rows failed", "why", ctx_why(c), NULL);
		db_rollback(c);
		ctx_end(c);
		TRY(e);
		if (!any)
			lane_sleep(from + LOOK_MS - clock_ms());
	}
	return E_OK;
}

enum err
nodes_close(const struct conf *conf, struct db *db)
{
	return turn(conf, db, true);
}

enum err
nodes_build(const struct conf *conf, struct db *db)
{
	struct ctx *c = ctx_begin(conf, db);
	enum err e = whole_look(c);

	db_rollback(c);
	ctx_end(c);
	return e ? e : turn(conf, db, false);
}
