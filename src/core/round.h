/* SPDX-License-Identifier: Apache-2.0
 * The progress of the runner's rounds, which go through all rows or files, and when each last
 * ended. It is stored in rows, so that a restart continues a round and doctor can report it. */
#ifndef VITRINE_ROUND_H
#define VITRINE_ROUND_H
#include "db/db.h"

#define ROUND_ROW(F, T) \
	F(T, STR,  name) \
	F(T, INT,  outer_at) \
	F(T, INT,  inner_at) \
	F(T, STR,  id_at) \
	F(T, TIME, started_at) \
	F(T, TIME, finished_at, .flags = F_NUL) \
	F(T, BOOL, under_way) \
	F(T, INT,  looked) \
	F(T, INT,  removed) \
	F(T, INT,  looked_last)
SHAPE_DECLARE(round, ROUND_ROW);

#define ROUND_PROJECT "project" /* of a node that projects all anew; inner_at is its joined_at */
#define ROUND_SCRUB "scrub" /* counts bytes; one round takes scrub_days */

/* All rows are of this machine (node_name() in core/spread.h). */
enum err round_list(struct ctx *c, struct list *out);
/* *out starts as zeroes with the name if there is no such row. */
enum err round_find(struct ctx *c, const char *name, struct round *out);
/* finished_at is valid if it isn't 0 */
enum err round_save(struct ctx *c, const struct round *r);

enum err heartbeat(struct ctx *c, const char *name);
/* True if a heartbeat is later than now: the clock went back, and due times may be days away. Only
 * then the runner makes the searches for them, which read all rows. */
enum { CLOCK_SLACK_S = 60 };
enum err clock_was_ahead(struct ctx *c, bool *yes);
/* Deletes the record of such a heartbeat. */
enum err clock_is_right(struct ctx *c);
enum err heartbeat_seen(struct ctx *c, const char *name, int64_t *at); /* 0: never */
/* Counts the runners or lanes with this prefix that had a heartbeat in the last week, but none in
 * the last ten minutes. */
enum err heartbeats_late(struct ctx *c, const char *prefix, int64_t *n);
/* Deletes the heartbeats and rounds of this machine but those with these names, with commas between
 * them: it isn't active any more, and another one has the other lanes and rounds. */
enum err rounds_keep(struct ctx *c, const char *names);
/* Adds the number of statements that were ended since the last call (db_too_long()) to a lane's or
 * a round's count. Logs its errors. */
void too_long_note(const struct conf *, struct db *, const char *of, const char *name);
/* Returns lines "of.name n", for the metrics. */
enum err too_long_read(struct ctx *c, const char **out);
#endif
