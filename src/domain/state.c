/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/state.h"

#include "base/id.h"
#include "domain/round.h"

enum { DAY_S = 86400, COUNTED = 500 };

#define STATE(F, T) \
	F(T, STR, oldest, .flags = F_NUL) \
	F(T, INT, due_at) \
	F(T, INT, scrubbed_at) \
	F(T, INT, mails_failed) \
	F(T, INT, damaged)
SHAPE_DECLARE(state, STATE);
SHAPE_DEFINE(state, STATE);

static int64_t
since(const struct ctx *c, int64_t at)
{
	return at && at < c->now ? c->now - at : 0;
}

enum err
state_read(struct ctx *c, int64_t g[GAUGES])
{
	struct state *s;

	TRY(db_one(c,
	    ROWS(state,
		"SELECT (SELECT MIN(id) FROM outbox) AS oldest, COALESCE((SELECT MIN(due_at) FROM outbox), 0) AS due_at,"
		" COALESCE((SELECT finished_at FROM sweep WHERE name = '" ROUND_SCRUB "'), 0) AS scrubbed_at,"
		" (SELECT COUNT(*) FROM (SELECT 1 FROM mail_failed WHERE failed_at >= ? LIMIT ?) m) AS mails_failed,"
		" (SELECT COUNT(*) FROM (SELECT 1 FROM damage LIMIT ?) d) AS damaged"),
	    ARGS(c->now - DAY_S, COUNTED, COUNTED), &s));
	g[G_mails_failed] = s->mails_failed;
	g[G_damaged] = s->damaged;
	g[G_outbox_oldest_seconds] = s->oldest ? since(c, id_time(s->oldest)) : 0;
	g[G_outbox_late_seconds] = since(c, s->due_at);
	g[G_scrub_last_cycle_timestamp_seconds] = s->scrubbed_at;
	g[G_runner_last_pass_timestamp_seconds] = c->now;
	return E_OK;
}
