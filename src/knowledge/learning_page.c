/* SPDX-License-Identifier: Apache-2.0
 * The page of what is learned: the switch, five figures, the last day. */
#include "base/str.h"
#include "http/req.h"
#include "knowledge/knowledge.h"
#include "knowledge/learning.h"
#include "knowledge/note.h"
#include "knowledge/notetext.h"
#include "team/workspace_page.h"

#define LEARNING_ROW(F, T) \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, STR,  name) \
	F(T, WORD, outcome, .arg = LEARNING_OUTCOMES) \
	F(T, INT,  version_no) \
	F(T, STR,  says) \
	F(T, TIME, at) \
	F(T, BOOL, gone,    .doc = "It was forgotten") \
	F(T, BOOL, again,   .doc = "It can be asked to be learned") \
	F(T, STR,  note_url, .doc = "NULL: there is no note") \
	F(T, STR,  compare_url) \
	F(T, STR,  forget_url)
SHAPE(learning_row, LEARNING_ROW);

#define LEARNING_PAGE(F, T) \
	WS_PAGE(F, T) \
	F(T, BOOL, enabled) \
	F(T, BOOL, planned,    .doc = "Its plan includes it") \
	F(T, STR,  plan_words) \
	F(T, BOOL, summaries) \
	F(T, STR,  model) \
	F(T, INT,  learned) \
	F(T, INT,  human) \
	F(T, INT,  queued) \
	F(T, INT,  failed) \
	F(T, INT,  forgotten) \
	F(T, TIME, last) \
	F(T, BOOL, recents) \
	F(T, LIST, recent,     .sub = &learning_row_shape)
SHAPE(learning_page, LEARNING_PAGE);

static struct list
rows_of(struct req *r, const struct learning_status *status)
{
	const struct learning_list all = { status->recent.v, status->recent.n };
	struct ctx *c = r->c;

	return list_made(c->mem, &all, l,
	    (struct learning_row){ .gone = l->forgotten,
		.again = l->forgotten || str_eq(l->outcome, "failed") ||
		    (!l->noted && str_in(l->outcome, "learned|kept")),
		.artifact_id = l->artifact_id,
		.name = l->name,
		.outcome = l->outcome,
		.version_no = l->version_no,
		.says = l->says,
		.at = l->at,
		.note_url = l->noted
		    ? note_page_path(c, r->ws->id, "read", note_learned_path(c, l->slug))
		    : NULL,
		.compare_url =
		    note_page_path(c, r->ws->id, "compare", note_learned_path(c, l->slug)),
		.forget_url =
		    note_page_path(c, r->ws->id, "forget", note_learned_path(c, l->slug)) });
}

static const char *
plan_words(struct req *r, const struct tier *t)
{
	const char *plans = tier_plans_with(r->c, FEATURE_KNOWLEDGE);

	return mem_printf(r->c->mem, "Learning isn’t in this workspace’s plan, %s; you need %s.",
	    t->plan->name, plans ? plans : "a plan that isn’t offered here");
}

static enum err
h_learning(struct req *r)
{
	struct learning_page page = { WS_PAGE_OF(r, "Learning") };
	struct tier tier = workspace_tier(r->c, r->ws);
	const struct knowledge_settings *settings;
	const struct knowledge_counts *counts;
	struct learning_status *status;
	struct knowledge *all;

	TRY(knowledge_get(r->c, r->ws, r->who, &all));
	TRY(learning_recent(r->c, r->ws, r->who, &status));
	settings = all->settings;
	counts = all->counts;
	page.enabled = settings->enabled;
	page.summaries = settings->summaries;
	page.model = settings->model;
	page.planned = tier.features & 1u << FEATURE_KNOWLEDGE;
	page.plan_words = page.planned ? NULL : plan_words(r, &tier);
	page.learned = counts->learned;
	page.human = counts->human;
	page.queued = counts->queued;
	page.failed = counts->failed;
	page.forgotten = counts->forgotten;
	page.last = status->last_learned_at;
	page.recent = rows_of(r, status);
	page.recents = page.recent.n > 0;
	return reply_page(r, 0, &page);
}

#define AT "/w/{ws}/notes/learning"
#define API "/v1/workspaces/{ws}/knowledge"
static const struct route learning_page_routes[] = {
/*  method path                who
    body                       reply                     handler */
  { GET,  AT,                  WS_MEMBER,
    TAKES_NOTHING,             GIVES_PAGE(learning),     h_learning,
    .query = &tab_query_shape, .doc = "What was learned of a workspace's pages" },
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
