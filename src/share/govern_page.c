/* SPDX-License-Identifier: Apache-2.0
 * Pages of governance: the table of all artifacts of a workspace, and a page for each, on which
 * admins pause, open or close it, or change its owner. */
#include "share/govern.h"

#include "base/str.h"
#include "http/form.h"
#include "people/person_pick.h"
#include "team/workspace_page.h"

/* Unknown choices are ignored. */
#define GOVERNANCE_QUERY(F, T) \
	F(T, STR, q,          .hi = 200) \
	F(T, STR, owner,      .hi = 40) \
	F(T, STR, who,        .hi = 200, .doc = "Looks for an owner") \
	F(T, STR, visibility, .hi = 20) \
	F(T, STR, paused,     .hi = 1) \
	F(T, STR, sort,       .hi = 20) \
	F(T, STR, cursor,     .hi = 200) \
	F(T, STR, done,       .hi = 40)
SHAPE(governance_query, GOVERNANCE_QUERY);

/* A heading that sorts by its column. */
#define WS_GOVERNANCE_PAGE(F, T) \
	F(T, WORD, sort, .arg = "updated_at|views_30d|size_bytes") \
	F(T, BOOL, narrowed, .doc = "By what was asked for") \
	F(T, OBJ,  pick, .sub = &person_pick_shape) \
	F(T, STR,  by_time) \
	F(T, STR,  by_views) \
	F(T, STR,  by_size) \
	F(T, LIST, rows, .sub = &governed_shape) \
	F(T, OBJ,  row,  .sub = &governed_shape, .doc = "Of a page about one") \
	F(T, STR,  next)
SHAPE(ws_governance_page, WS_GOVERNANCE_PAGE);

static const char *
sort_href(const struct req *r, const char *sort)
{
	return req_with(r, "sort", sort, "sort|cursor|done");
}

static struct govern_query
governance_asked(const struct governance_query *q)
{
	const char *paused = str_one_of(q->paused, "0|1"),
		   *sort = str_one_of(q->sort, "views_30d|size_bytes");

	return (struct govern_query){ .limit = WS_ROWS,
		.cursor = q->cursor,
		.q = str_given(q->q),
		.visibility = str_one_of(q->visibility, VISIBILITIES),
		.paused = str_eq(paused, "1"),
		.sort = sort ? sort : "updated_at",
		.has.paused = paused ? GIVEN : ABSENT };
}

static enum err
h_governance(struct req *r)
{
	struct ws_governance_page page = { .by_time = sort_href(r, "updated_at"),
		.by_views = sort_href(r, "views_30d"),
		.by_size = sort_href(r, "size_bytes") };
	const struct governance_query *q = r->query;
	struct govern_query ask = governance_asked(q);
	const struct ws_user *owner;
	struct governed_list rows;
	struct person_pick pick;
	const char *next;

	page.sort = ask.sort;
	TRY(person_pick_find(r->c, r->ws, str_given(q->who), q->owner, &pick, &ask.owner_id));
	TRY(govern_list(r->c, r->ws, &ask, &rows, &next));
	owner = rows.n ? rows.v[0].owner : NULL;
	person_pick_keep(r->c, &pick, ask.owner_id,
	    !owner ? NULL : *owner->name || !owner->email ? owner->name : owner->email);
	page.pick = &pick;
	page.narrowed = ask.q || ask.owner_id || ask.visibility || ask.has.paused;
	page.rows = (struct list){ rows.v, rows.n };
	page.next = req_next(r, next, NEXT_WITHOUT);
	return reply_page(r, 0, &page);
}

/* ---- one artifact ---- */

static enum err
governed_find(struct req *r, struct shown *out)
{
	struct governed *g;

	TRY(govern_row(r->c, r->ws, req_param(r, "art"), &g));
	*out = SHOWN(governed, g);
	return E_OK;
}

/* The shell shows who can see it. */
static enum err
governed_art_find(struct req *r, struct shown *out)
{
	struct artifact *a;

	TRY(governed_find(r, out));
	TRY(artifact_get(r->c, req_param(r, "art"), r->who, false, &a));
	r->art = a;
	return E_OK;
}

/* ---- another owner ---- */

#define GIVE_QUERY(F, T) F(T, STR, who, .hi = 200, .doc = "Looks for somebody")
SHAPE(give_query, GIVE_QUERY);

/* The present owner isn't offered. */
static void
heirs_without(struct ws_person_list *found, const char *owner_id)
{
	size_t n = 0;

	for (size_t i = 0; i < found->n; i++)
		if (!str_eq(found->v[i].user_id, owner_id))
			found->v[n++] = found->v[i];
	found->n = n;
}

static enum err
h_governed_give_ask(struct req *r)
{
	const struct give_query *q = r->query;
	const char *who = str_given(q->who);
	struct ws_person_list found;
	struct person_pick pick;
	struct governed *g;

	TRY(govern_row(r->c, r->ws, req_param(r, "art"), &g));
	TRY(govern_heirs(r->c, r->ws, who, PICK_MOST + 2, &found));
	heirs_without(&found, ((const struct ws_user *)g->owner)->user_id);
	(void)person_pick_of(r->c, &found, who, NULL, &pick);
	return reply_page(r, 0, &(struct ws_governance_page){ .row = g, .pick = &pick });
}

#define GOVERNANCE "/w/{ws}/governance"
static const struct route govern_page_routes[] = {
  { PAGE(GOVERNANCE, WS_ADMIN, ws_governance, h_governance), .query = &governance_query_shape,
    .title = "Governance", .doc = "All artifacts of a workspace, with owner, size and views" },
  { SHOWN_PAGE(GOVERNANCE "/{art}", WS_ADMIN, "ws_governed"), .title = "Governance",
    .shows = SHOWS({ "row", .find = governed_art_find, .of = &governed_shape }),
    .query = &tab_query_shape, .doc = "What admins can do with one of them" },
  { POST, GOVERNANCE "/{art}/visibility",
    DOES("POST /v1/workspaces/{ws}/admin/artifacts/{art}/visibility"),
    .instead = INSTEAD(E_APPROVAL_REQUIRED, "visibility: admins must approve this first; "
	"see below for where to ask for approval"),
    .then = GOVERNANCE "/{art}?done={visibility}", .again = GOVERNANCE "/{art}",
    .doc = "Change who can see it" },
  { SHOWN_PAGE(GOVERNANCE "/{art}/pause", WS_ADMIN, "ws_pause"),
    .shows = SHOWS({ "row", .find = governed_find, .of = &governed_shape }),
    .doc = "Asks whether to pause it, and why" },
  { POST, GOVERNANCE "/{art}/pause", DOES("POST /v1/workspaces/{ws}/admin/artifacts/{art}/pause"),
    .then = GOVERNANCE "/{art}?done=paused", .with = "paused=1", .again = GOVERNANCE "/{art}/pause",
    .doc = "Close its pages to all visitors" },
  { POST, GOVERNANCE "/{art}/resume", DOES("POST /v1/workspaces/{ws}/admin/artifacts/{art}/pause"),
    .then = GOVERNANCE "/{art}?done=resumed", .with = "paused=0", .again = GOVERNANCE "/{art}",
    .doc = "Open them again" },
  { PAGE_OF(GOVERNANCE "/{art}/transfer", WS_ADMIN, "ws_give",
	&ws_governance_page_shape, h_governed_give_ask),
    .query = &give_query_shape, .doc = "Asks who should own it" },
  { POST, GOVERNANCE "/{art}/transfer",
    DOES("POST /v1/workspaces/{ws}/admin/artifacts/{art}/transfer"),
    .then = GOVERNANCE "/{art}?done=given", .again = GOVERNANCE "/{art}/transfer",
    .doc = "Make another member, or an agent, the owner" },
};
ROUTES(govern_page, "Pages: governance",
    "What admins see of all artifacts of a workspace in the browser.");
