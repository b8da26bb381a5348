/* SPDX-License-Identifier: Apache-2.0 */
#include "http/req.h"
#include "site/stats.h"


static enum err
h_stats(struct req *r)
{
	const struct stats_query *q = r->query;
	struct stats out;

	TRY(stats_get(r->c, r->art, q->days, &out));
	return reply_noun(r, &out);
}

static const struct route stats_routes[] = {
/*  method path                        who       body           reply                  handler */
  { GET, "/v1/artifacts/{art}/stats", ART_VIEW, TAKES_NOTHING, GIVES("stats", stats), h_stats,
    .scope = ARTIFACTS_READ, .query = &stats_query_shape,
    .doc = "Get how often the artifact's pages were viewed, by day" },
};
ROUTES(stats, "Stats",
    "How often pages are viewed.");
