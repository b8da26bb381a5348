/* SPDX-License-Identifier: Apache-2.0
 * Where the runner's rounds through everything stand, and when it last ran; kept in rows, so that a
 * restart goes on and doctor can look. */
#ifndef VITRINE_ROUND_H
#define VITRINE_ROUND_H
#include "db/db.h"

#define ROUND(F, T) \
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
SHAPE_DECLARE(round, ROUND);

#define ROUND_SCRUB "scrub" /* counts bytes, and takes scrub_days */

enum err round_list(struct ctx *c, struct list *out);
/* finished_at counts when it is not 0. */
enum err round_save(struct ctx *c, const struct round *r);

enum err heartbeat(struct ctx *c, const char *name);
/* Whether a heartbeat was later than now: what the runner waits for may then be days away. Searches
 * for that read all rows, so only then they are made. */
enum { CLOCK_SLACK_S = 60 };
enum err clock_was_ahead(struct ctx *c, bool *yes);
/* Forgets it. */
enum err clock_is_right(struct ctx *c);
enum err heartbeat_seen(struct ctx *c, const char *name, int64_t *at); /* 0: never */
/* How many whose name begins so were there in the last week, but not in the last ten minutes. */
enum err heartbeats_late(struct ctx *c, const char *prefix, int64_t *n);
/* Of statements that were ended since the last time (db_too_long()): counts them, as a lane's or a
 * round's. What fails is logged. */
void too_long_note(const struct conf *, struct db *, const char *of, const char *name);
/* Lines "of.name n", for the metrics. */
enum err too_long_read(struct ctx *c, const char **out);
#endif
