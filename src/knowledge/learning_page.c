/* SPDX-License-Identifier: Apache-2.0
 * The page of learned notes: the switch, five figures, the last day. */
#include "team/workspace_page.h"

#define AT "/w/{ws}/notes/learning"
#define API "/v1/workspaces/{ws}/knowledge"
static const struct route learning_page_routes[] = {
  { SHOWN_PAGE(AT, WS_MEMBER, "learning"),
    .shows = SHOWS({ "knowledge", "GET " API }, { "status", "GET " API "/status" },
	SHOW_PLAN),
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
