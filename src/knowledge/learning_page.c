/* SPDX-License-Identifier: Apache-2.0
 * The page of learned notes: the switch, five figures, the last day. */
#include "core/artifact_top_page.h"
#include "core/workspace.h"
#include "http/req.h"

#define LEARNING_PAGE(F, T) \
	F(T, STR, plan,  .doc = "Of the workspace, which lacks learning; NULL: it includes it") \
	F(T, STR, plans, .doc = "The plans that include it; NULL: none is offered")
SHAPE(learning_page, LEARNING_PAGE);

static enum err
h_learning(struct req *r)
{
	struct tier tier = workspace_tier(r->c, r->ws);
	struct learning_page page = { 0 };

	if (!(tier.features & 1u << FEATURE_KNOWLEDGE))
		page = (struct learning_page){ .plan = tier.plan->name,
			.plans = tier_plans_with(r->c, FEATURE_KNOWLEDGE) };
	return reply_page(r, 0, &page);
}

#define AT "/w/{ws}/notes/learning"
#define API "/v1/workspaces/{ws}/knowledge"
static const struct route learning_page_routes[] = {
  { PAGE(AT, WS_MEMBER, learning, h_learning),
    .shows = SHOWS({ "knowledge", "GET " API }, { "status", "GET " API "/status" }),
    .title = "Learning", .query = &tab_query_shape,
    .doc = "What was learned of a workspace's pages" },
  { POST, AT "/on",            DOES("POST " API "/enable"), .with = "enabled=true",
    .then = AT "?done=learning_on", .again = AT, .doc = "Turn learning on" },
  { POST, AT "/off",           DOES("POST " API "/enable"), .with = "enabled=false",
    .then = AT "?done=learning_off", .again = AT, .doc = "Turn it off" },
  { POST, AT "/summaries",     DOES("POST " API "/enable"), .with = "enabled=true",
    .then = AT "?done=saved", .again = AT, .doc = "Choose whether a model writes summaries" },
  { POST, AT "/backfill",      DOES("POST " API "/backfill"),
    .then = AT "?done=learning_queued", .again = AT, .doc = "Learn what isn't learned yet" },
};
ROUTES(learning_page, "Pages: learning",
    "What people see in the browser of what is learned of a workspace's pages.");
