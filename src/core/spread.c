/* SPDX-License-Identifier: Apache-2.0 */
#include "core/spread.h"

#include "base/clock.h"
#include "base/conf.h"
#include "base/id.h"
#include "base/lease.h"
#include "base/str.h"
#include "core/round.h"
#include "db/ids.h"
#include "store/rounds.h"

#include <time.h>

enum {
	SILENT_MS = 9500, /* a node hides what it shows 8 s after its last beat began */
	POLL_MS = 10,
	SLOW_POLL_MS = 200, /* after SPREAD_QUICK_MS, when a machine may be lost */
	KEPT_S = 3600
};

/* Closings of a transaction; in c->mem. */
struct closing {
	const char *ids; /* of rows of node_outbox, as ids_json() writes them */
	struct closing *next;
};

const char *
node_name(const struct ctx *c)
{
	return conf_has(c->conf->cluster_node) ? c->conf->cluster_node : "";
}

static bool
is_alone(const struct ctx *c)
{
	return !*node_name(c);
}

/* ---- rows ---- */

static void
closing_add(struct ctx *c, const char *ids)
{
	struct closing *closing = mem_new(c->mem, struct closing);

	*closing = (struct closing){ ids, c->closings };
	c->closings = closing;
}

enum err
spread(struct ctx *c, const char *ids, bool closes)
{
	if (is_alone(c))
		return E_OK;
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO node_outbox (node, id, kind, subject, closes, at)"
		" SELECT n.name, o.id, o.kind, o.subject, ?, ? FROM " ID_TABLE
		" STRAIGHT_JOIN outbox o ON o.id = t.id"
		" STRAIGHT_JOIN node n ON n.name <> ? AND n.left_at IS NULL"
		" ON DUPLICATE KEY UPDATE closes = node_outbox.closes OR VALUES(closes)"),
	    ARGS(closes, c->now, ids, node_name(c)), NULL));
	if (closes)
		closing_add(c, ids);
	return E_OK;
}

enum err
spread_one(struct ctx *c, const char *outbox_id, bool closes)
{
	return is_alone(c) ? E_OK : spread(c, ids_json(c, &outbox_id, 1), closes);
}

enum err
spread_more(struct ctx *c, const char *prefix)
{
	if (is_alone(c))
		return E_OK;
	return db_exec(c,
	    EXEC(
		"INSERT IGNORE INTO node_outbox (node, id, kind, subject, closes, at)"
		" SELECT n.name, o.id, o.kind, o.subject, FALSE, ? FROM outbox o"
		" STRAIGHT_JOIN node n ON n.name <> ? AND n.left_at IS NULL"
		" WHERE o.id LIKE CONCAT(?, '%')"),
	    ARGS(c->now, node_name(c), prefix), NULL);
}

enum err
spread_rest(struct ctx *c)
{
	return db_exec(c,
	    EXEC(
		"INSERT IGNORE INTO node_outbox (node, id, kind, subject, closes, at)"
		" SELECT n.name, o.id, o.kind, o.subject, FALSE, ? FROM outbox o"
		" STRAIGHT_JOIN node n ON n.name <> ? AND n.left_at IS NULL"
		" WHERE o.kind IN ('project', 'deliver')"),
	    ARGS(c->now, node_name(c)), NULL);
}

enum err
spread_again(struct ctx *c, const char *artifact_id)
{
	return db_exec(c,
	    EXEC(
		"INSERT INTO node_outbox (node, id, kind, subject, closes, at)"
		" VALUES (?, ?, 'project', ?, FALSE, ?)"),
	    ARGS(node_name(c), id_new(c->mem, "out_"), artifact_id, c->now), NULL);
}

#define OPEN_ROWS(F, T) \
	F(T, STR,  last) \
	F(T, BOOL, open) \
	F(T, BOOL, whole)
SHAPE(open_rows, OPEN_ROWS);

enum err
spread_closed(struct ctx *c, bool first, bool *closed)
{
	static char last[64];
	const char *node = node_name(c);
	struct open_rows *row;

	if (first)
		*last = '\0';
	TRY(db_one(c,
	    ROWS(open_rows,
		"SELECT COALESCE((SELECT MAX(id) FROM node_outbox WHERE node = ?), '') AS last,"
		" EXISTS (SELECT 1 FROM node_outbox"
		" WHERE node = ? AND (closes OR kind = 'all' OR id <= ?)) AS open,"
		" EXISTS (SELECT 1 FROM sweep s JOIN node n ON n.name = s.node"
		" WHERE s.node = ? AND s.name = '" ROUND_PROJECT "' AND NOT s.under_way"
		" AND s.inner_at = n.joined_at) AS whole"),
	    ARGS(node, node, last, node), &row));
	if (first)
		snprintf(last, sizeof last, "%s", row->last);
	*closed = row->whole && !row->open && !(first && *last);
	return E_OK;
}

#define OUTBOX_ID(F, T) F(T, STR, id)
SHAPE(outbox_id, OUTBOX_ID);

enum err
spread_closing(struct ctx *c, const char **id)
{
	struct outbox_id *first;

	TRY(db_find(c,
	    ROWS(outbox_id,
		"SELECT id FROM node_outbox WHERE node = ? AND closes ORDER BY id LIMIT 1"),
	    ARGS(node_name(c)), &first));
	*id = first ? first->id : "";
	return E_OK;
}

/* ---- waiting ---- */

enum err
spread_all(struct ctx *c)
{
	struct outbox_id_list rows;
	const char **ids;

	if (is_alone(c))
		return E_OK;
	TRY(db_all(c,
	    ROWS(outbox_id, "SELECT DISTINCT id FROM node_outbox WHERE node <> ? AND closes"),
	    ARGS(node_name(c)), &rows));
	ids = mem_array(c->mem, const char *, rows.n + 1);
	for (size_t i = 0; i < rows.n; i++)
		ids[i] = rows.v[i].id;
	if (rows.n)
		closing_add(c, ids_json(c, ids, rows.n));
	return E_OK;
}

#define NODE_WAITED(F, T) \
	F(T, STR, name) \
	F(T, INT, beat)
SHAPE(node_waited, NODE_WAITED);

/* Reads the beats after the commit. A node that beats after it sees what was committed. */
static enum err
closing_read(struct ctx *c, const char *ids, bool *open)
{
	struct node_waited_list rows;

	TRY(db_all(c,
	    ROWS(node_waited,
		"SELECT n.name, CAST(n.beat AS SIGNED) AS beat FROM node n"
		" WHERE n.left_at IS NULL AND n.shows AND n.name <> ?"
		" AND EXISTS (SELECT 1 FROM " ID_TABLE
		" STRAIGHT_JOIN node_outbox o ON o.node = n.name AND o.id = t.id"
		" WHERE o.closes)"),
	    ARGS(node_name(c), ids), &rows));
	*open = false;
	for (size_t i = 0; i < rows.n; i++) {
		struct lease_seen seen;
		/* We have seen no newer beat for so long that the node shows nothing. */
		bool silent = lease_seen(rows.v[i].name, &seen) &&
		    seen.beat == (uint64_t)rows.v[i].beat && seen.unseen_ms >= SILENT_MS;

		*open |= !silent;
	}
	return E_OK;
}

static enum err
closing_wait(struct ctx *c, const char *ids, int64_t until, bool *closed)
{
	int64_t quick_until = clock_ms() + SPREAD_QUICK_MS;
	bool open;

	for (;;) {
		int64_t now = clock_ms(),
			pause_ms = now < quick_until ? POLL_MS : SLOW_POLL_MS;

		TRY(closing_read(c, ids, &open));
		*closed = !open;
		if (!open || now > until)
			return E_OK;
		nanosleep(&(struct timespec){ .tv_nsec = pause_ms * 1000000 }, NULL);
	}
}

enum err
spread_wait(struct ctx *c, int64_t ms, bool *closed)
{
	int64_t until = clock_ms() + ms;

	*closed = true;
	while (c->closings) {
		TRY(closing_wait(c, c->closings->ids, until, closed));
		if (!*closed)
			return E_OK;
		c->closings = c->closings->next;
	}
	return E_OK;
}

/* ---- nodes that are away ---- */

#define NODE_LATE(F, T) F(T, STR, node)
SHAPE(node_late, NODE_LATE);

/* A node that has carried out no row for an hour (KEPT_S) is away. We replace its rows by one that
 * makes it project everything when it is back. Rows that it tried stay: their node isn't away. */
static enum err
late_drop(struct ctx *c, const char *node, int64_t limit, int64_t *dropped)
{
	TRY(db_begin(c));
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO node_outbox (node, id, kind, subject, closes, at)"
		" VALUES (?, ?, 'all', '', FALSE, ?)"),
	    ARGS(node, id_new(c->mem, "out_"), c->now), NULL));
	TRY(db_exec(c,
	    EXEC("DELETE FROM node_outbox"
		 " WHERE node = ? AND at < ? AND kind <> 'all' AND due_at = 0 LIMIT ?"),
	    ARGS(node, c->now - KEPT_S, limit), dropped));
	return db_commit(c);
}

static enum err
late_rows(struct ctx *c, int64_t limit, int64_t *dropped)
{
	struct node_late *late;
	enum err e;

	*dropped = 0;
	if (is_alone(c))
		return E_OK;
	/* Rows of machines that have left. */
	TRY(db_exec(c,
	    EXEC("DELETE FROM node_outbox"
		 " WHERE node NOT IN (SELECT name FROM node WHERE left_at IS NULL) LIMIT ?"),
	    ARGS(limit), dropped));
	if (*dropped)
		return E_OK;
	TRY(db_find(c,
	    ROWS(node_late,
		"SELECT node FROM node_outbox WHERE at < ? AND kind <> 'all' AND due_at = 0"
		" AND node <> ? ORDER BY at LIMIT 1"),
	    ARGS(c->now - KEPT_S, node_name(c)), &late));
	if (!late)
		return E_OK;
	e = late_drop(c, late->node, limit, dropped);
	db_rollback(c);
	return e;
}

ROUNDS(spread, { "node_rows", .rows = late_rows });
