/* SPDX-License-Identifier: Apache-2.0 */
#include "core/round.h"

#include "base/buf.h"
#include "base/log.h"
#include "core/spread.h"

SHAPE_DEFINE(round, ROUND_ROW);

#define ROUND_COLUMNS \
	"name, outer_at, inner_at, id_at, started_at, finished_at, under_way, looked, removed," \
	" looked_last"

enum err
round_list(struct ctx *c, struct list *out)
{
	return db_all(c, ROWS(round, "SELECT " ROUND_COLUMNS " FROM sweep WHERE node = ?"),
	    ARGS(node_name(c)), out);
}

enum err
round_find(struct ctx *c, const char *name, struct round *out)
{
	struct round *row;

	TRY(db_find(c,
	    ROWS(round, "SELECT " ROUND_COLUMNS " FROM sweep WHERE node = ? AND name = ?"),
	    ARGS(node_name(c), name), &row));
	*out = row ? *row : (struct round){ .name = name, .id_at = "" };
	return E_OK;
}

enum err
round_save(struct ctx *c, const struct round *r)
{
	return db_exec(c,
	    EXEC("INSERT INTO sweep (" ROUND_COLUMNS
		 ", node) VALUES (?, ?, ?, ?, ?, NULLIF(?, 0), ?, ?, ?, ?, ?)"
		 " ON DUPLICATE KEY UPDATE"
		 " outer_at = VALUES(outer_at), inner_at = VALUES(inner_at), id_at = VALUES(id_at),"
		 " started_at = VALUES(started_at),"
		 " finished_at = VALUES(finished_at), under_way = VALUES(under_way),"
		 " looked = VALUES(looked), removed = VALUES(removed),"
		 " looked_last = VALUES(looked_last)"),
	    ARGS(r->name, r->outer_at, r->inner_at, r->id_at, r->started_at, r->finished_at,
		r->under_way, r->looked, r->removed, r->looked_last, node_name(c)),
	    NULL);
}

enum err
heartbeat(struct ctx *c, const char *name)
{
	return db_exec(c,
	    EXEC(
		"INSERT INTO heartbeat (node, name, beat_at) VALUES (?, ?, ?), (?, 'latest', ?)"
		" ON DUPLICATE KEY UPDATE beat_at ="
		" IF(name = 'latest', GREATEST(beat_at, VALUES(beat_at)), VALUES(beat_at))"),
	    ARGS(node_name(c), name, c->now, node_name(c), c->now), NULL);
}

enum err
clock_was_ahead(struct ctx *c, bool *yes)
{
	int64_t latest;

	TRY(heartbeat_seen(c, "latest", &latest));
	*yes = latest > c->now + CLOCK_SLACK_S;
	return E_OK;
}

enum err
clock_is_right(struct ctx *c)
{
	return db_exec(c,
	    EXEC("UPDATE heartbeat SET beat_at = ? WHERE node = ? AND name = 'latest'"),
	    ARGS(c->now, node_name(c)), NULL);
}

void
too_long_note(const struct conf *conf, struct db *db, const char *of, const char *name)
{
	const int64_t n = db_too_long(db);
	struct ctx *c;
	enum err e;

	if (!n)
		return;
	c = ctx_begin(conf, db);
	log_line(LOG_LEVEL_WARN, "statement took too long", "of", of, "name", name, NULL);
	e = db_exec(c,
	    EXEC("INSERT INTO too_long (name, n) VALUES (CONCAT(?, '.', ?), ?)"
		 " ON DUPLICATE KEY UPDATE n = n + VALUES(n)"),
	    ARGS(of, name, n), NULL);
	if (e)
		log_line(LOG_LEVEL_WARN, "not counted", "why", ctx_why(c), NULL);
	ctx_end(c);
}

#define TOO_LONG(F, T) \
	F(T, STR, name) \
	F(T, INT, n)
SHAPE(too_long, TOO_LONG);

enum err
too_long_read(struct ctx *c, const char **out)
{
	struct too_long_list all;
	struct buf b = BUF(c->mem);

	TRY(db_all(c, ROWS(too_long, "SELECT name, n FROM too_long ORDER BY name LIMIT 100"),
	    NOARGS, &all));
	for (size_t i = 0; i < all.n; i++)
		buf_fmt(&b, "%s %lld\n", all.v[i].name, (long long)all.v[i].n);
	*out = buf_done(&b);
	return E_OK;
}

#define BEAT(F, T) F(T, INT, beat_at)
SHAPE(beat, BEAT);

enum err
heartbeat_seen(struct ctx *c, const char *name, int64_t *at)
{
	struct beat *b;

	TRY(db_find(
	    c, ROWS(beat, "SELECT beat_at FROM heartbeat WHERE node = ? AND name = ?"),
	    ARGS(node_name(c), name), &b));
	*at = b ? b->beat_at : 0;
	return E_OK;
}

#define LATE_BEATS(F, T) F(T, INT, n)
SHAPE(late_beats, LATE_BEATS);

enum err
heartbeats_late(struct ctx *c, const char *prefix, int64_t *n)
{
	enum { LATE_S = 600, KNOWN_S = 7 * 86400 };
	struct late_beats *b;

	TRY(db_one(c,
	    ROWS(late_beats,
		"SELECT COUNT(*) AS n FROM heartbeat"
		" WHERE node = ? AND name LIKE CONCAT(?, '%') AND beat_at >= ? AND beat_at < ?"),
	    ARGS(node_name(c), prefix, c->now - KNOWN_S, c->now - LATE_S), &b));
	*n = b->n;
	return E_OK;
}

enum err
rounds_keep(struct ctx *c, const char *names)
{
	TRY(db_exec(c,
	    EXEC("DELETE FROM heartbeat WHERE node = ? AND name LIKE 'runner%'"
		 " AND NOT FIND_IN_SET(name, ?)"),
	    ARGS(node_name(c), names), NULL));
	return db_exec(c, EXEC("DELETE FROM sweep WHERE node = ? AND NOT FIND_IN_SET(name, ?)"),
	    ARGS(node_name(c), names), NULL);
}
