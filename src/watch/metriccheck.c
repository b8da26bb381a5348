/* SPDX-License-Identifier: Apache-2.0
 * The runner's check of a table: all alerts and watches on it, as far as the time allows. */
#include "base/clock.h"
#include "base/log.h"
#include "watch/alert.h"
#include "watch/watch.h"

enum { PIECE_MS = 1000 };

#define METRIC_ROW(F, T) \
	F(T, STR, table, .flags = F_REQ) \
	F(T, STR, after, .flags = F_OPT)
SHAPE(metric_row, METRIC_ROW);

#define METRIC_ITEM(F, T) F(T, STR, id)
SHAPE(metric_item, METRIC_ITEM);

struct checks {
	struct ctx *c;
	const char *artifact_id, *table;
	struct metric_seen *seen;
	size_t n; /* number of watches and alerts found */
	enum err failed;
};

/* Each check has its own context, because a measure may use much memory. If two runners check
 * one thing, one of them writes and the other repeats the check. */
static void
item_check(struct checks *k, const char *id,
    enum err (*check)(struct ctx *, const char *, struct metric_seen *, bool *))
{
	enum { TRIES = 5 };
	struct ctx *one = ctx_begin(k->c->conf, k->c->db);
	bool lost = true;
	enum err e = E_OK;

	for (int i = 0; i < TRIES && lost && !e; i++) {
		e = check(one, id, k->seen, &lost);
		db_rollback(one);
		if (e && one->replay && i + 1 < TRIES) {
			ctx_again(one);
			lost = true;
			e = E_OK;
		}
	}
	if (e)
		log_line(LOG_LEVEL_WARN, "measure failed", "of", id, "why", ctx_why(one), NULL);
	k->failed = e ? e : k->failed;
	ctx_end(one);
}

static enum err
alerts_check(struct checks *k)
{
	struct metric_item_list ids;

	TRY(db_all(k->c,
	    ROWS(metric_item,
		"SELECT id FROM metric_alert WHERE artifact_id = ? AND table_name = ? AND enabled"
		" ORDER BY id"),
	    ARGS(k->artifact_id, k->table), &ids));
	k->n += ids.n;
	for (size_t i = 0; i < ids.n; i++)
		item_check(k, ids.v[i].id, alert_check);
	return E_OK;
}

/* *last is the last watch checked when the time ran out, or NULL if all were checked. */
static enum err
watches_check(struct checks *k, const char *after, const char **last)
{
	int64_t until = clock_ms() + PIECE_MS;
	struct metric_item_list ids;

	*last = NULL;
	TRY(db_all(k->c,
	    ROWS(metric_item,
		"SELECT id FROM metric_watch WHERE artifact_id = ? AND table_name = ? AND id > ?"
		" ORDER BY id"),
	    ARGS(k->artifact_id, k->table, after), &ids));
	k->n += ids.n;
	for (size_t i = 0; i < ids.n && !*last; i++) {
		item_check(k, ids.v[i].id, watch_check);
		if (clock_ms() >= until && i + 1 < ids.n)
			*last = ids.v[i].id;
	}
	return E_OK;
}

#define METRIC_PLACE(F, T) F(T, BOOL, rests)
SHAPE(metric_place, METRIC_PLACE);

enum err
metric_run(struct ctx *c, const char *artifact_id, const char *payload, const char **rest)
{
	struct checks k = { .c = c,
		.artifact_id = artifact_id,
		.seen = mem_new(c->mem, struct metric_seen) };
	struct metric_place *place;
	struct metric_row *row;
	struct json *json;
	const char *last;

	*rest = NULL;
	k.seen->mem = c->mem;
	TRY(json_parse(c, payload, strlen(payload), &json));
	TRY(shape_read(c, &metric_row_shape, json, (void **)&row));
	k.table = row->table;
	TRY(db_find(c,
	    ROWS(metric_place,
		"SELECT NOT " ARTIFACT_IS_AWAKE " AS rests FROM artifact a WHERE a.id = ?"),
	    ARGS(artifact_id), &place));
	/* A restored artifact queues a check by itself. */
	if (!place || place->rests)
		return E_OK;
	if (!row->after)
		TRY(alerts_check(&k));
	TRY(watches_check(&k, row->after ? row->after : "", &last));
	/* Failures of earlier pieces are retried only after the next write. */
	if (last)
		*rest = mem_printf(
		    c->mem, "{\"table\":\"%s\",\"after\":\"%s\"}", row->table, last);
	if (!row->after && !k.n)
		return metric_end(c, artifact_id, row->table);
	return k.failed && !last ? fail_here(c, "a measure of %s failed", row->table) : E_OK;
}
