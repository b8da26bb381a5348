/* SPDX-License-Identifier: Apache-2.0
 * The pages of a workspace's clients: the list, one client with its grants and people, and what
 * people outside did. */
#include "sharing/client_page.h"

#include "base/str.h"
#include "core/find.h"
#include "http/req.h"
#include "sharing/client_look.h"
#include "sharing/share_grant.h"
#include "sharing/sharee_act.h"
#include "sharing/sharee_member.h"
#include "team/folder.h"

enum { LATEST = 5 };

SHAPE_DEFINE(client_top, CLIENT_TOP);

static bool
sharing_included(const struct req *r)
{
	return workspace_tier(r->c, r->ws).features & 1u << FEATURE_EXTERNAL_SHARING;
}

static enum err
clients_redirect(struct req *r)
{
	return reply_go(r, "/w/%s/clients", r->ws->id);
}

enum err
client_here(struct req *r, struct sharee **out)
{
	*out = NULL;
	return sharing_included(r) ? sharee_get(r->c, r->ws, req_param(r, "shr"), out)
				   : clients_redirect(r);
}

const char *
client_tab(const struct req *r)
{
	const char *part = strstr(r->route->path, "{shr}") + strlen("{shr}"), *word;

	part += *part == '/';
	word = mem_strndup(r->c->mem, part, strcspn(part, "/"));
	return str_in(word, CLIENT_TABS) ? word : "access";
}

enum err
client_shows(struct req *r)
{
	struct sharee *s;

	TRY(client_here(r, &s));
	return s ? reply_page(r, 0, &(struct client_top){ CLIENT_TOP_OF(r, s) }) : E_OK;
}

/* ---- all clients ---- */

#define CLIENTS_PAGE(F, T) \
	F(T, BOOL, included,  .doc = "The plan includes sharing; else there is only that to say") \
	F(T, STR,  asleep,    .doc = "How many clients can't open anything for that") \
	F(T, STR,  plan_name) \
	F(T, STR,  plans,     .doc = "Plans that include it; NULL: none") \
	F(T, BOOL, making,    .doc = "The form for a new client is open") \
	F(T, BOOL, listed,    .doc = "There is something to search") \
	F(T, LIST, clients,   .sub = &client_look_shape) \
	F(T, STR,  next) \
	F(T, LIST, acts,      .sub = &sharee_act_shape)
SHAPE(clients_page, CLIENTS_PAGE);

static enum err
clients_asleep(struct req *r, struct clients_page *page)
{
	int64_t n;

	TRY(client_count(r->c, r->ws, &n));
	page->asleep = n ? str_count(r->c->mem, n, "client") : NULL;
	page->plan_name = workspace_tier(r->c, r->ws).plan->name;
	page->plans = tier_plans_with(r->c, FEATURE_EXTERNAL_SHARING);
	return reply_page(r, 0, page);
}

static enum err
h_clients(struct req *r)
{
	const struct list_query *q = r->query;
	struct clients_page page = { .included = sharing_included(r),
		.making = r->refused.row != NULL };
	struct sharee_act_list acts = { 0 };
	struct client_look_list rows;
	const char *next, *older;

	if (!page.included)
		return clients_asleep(r, &page);
	TRY(client_looks(r->c, r->ws, str_given(q->q), q->cursor, &rows, &next));
	for (size_t i = 0; i < rows.n; i++)
		rows.v[i].logo = workspace_logo_url(r->c, rows.v[i].logo);
	page.clients = (struct list){ rows.v, rows.n };
	page.listed = rows.n || str_given(q->q);
	page.next = req_next(r, next, NEXT_WITHOUT);
	if (!str_given(q->q) && !q->cursor)
		TRY(client_acts(
		    r->c, r->ws, &(struct page_query){ .limit = LATEST }, &acts, &older));
	page.acts = (struct list){ acts.v, acts.n };
	return reply_page(r, 0, &page);
}

static enum err
h_clients_activity(struct req *r)
{
	const struct tab_query *q = r->query;
	struct sharee_act_list acts;
	struct clients_page page = { 0 };
	const char *next;

	if (!sharing_included(r))
		return clients_redirect(r);
	TRY(client_acts(r->c, r->ws,
	    &(struct page_query){ .limit = WS_ROWS, .cursor = q->cursor }, &acts, &next));
	page.acts = (struct list){ acts.v, acts.n };
	page.next = req_next(r, next, NEXT_WITHOUT);
	return reply_page(r, 0, &page);
}

/* ---- one client ---- */

#define CLIENT_PAGE(F, T) \
	CLIENT_TOP(F, T) \
	F(T, LIST, grants,   .sub = &share_grant_shape, \
		.doc = "To it and to its people; a folder's resource_name is its path") \
	F(T, STR,  more_grants) \
	F(T, LIST, people,   .sub = &sharee_member_shape) \
	F(T, STR,  more_people) \
	F(T, OBJ,  views,    .sub = &client_views_shape)
SHAPE(client_page, CLIENT_PAGE);

#define CLIENT_QUERY(F, T) \
	F(T, STR, grants, .hi = 40, .doc = "Cursor of this list, as people is of the other") \
	F(T, STR, people, .hi = 40) \
	F(T, STR, done,   .hi = 40)
SHAPE(client_query, CLIENT_QUERY);

static enum err
h_client(struct req *r)
{
	const struct client_query *q = r->query;
	const struct client_views *views;
	struct sharee_member_list people;
	struct share_grant_list grants;
	struct client_page page;
	const char *next;
	struct sharee *s;

	TRY(client_here(r, &s));
	if (!s)
		return E_OK;
	page = (struct client_page){ CLIENT_TOP_OF(r, s) };
	TRY(client_grants(r->c, r->ws, s->id,
	    &(struct page_query){ .limit = WS_ROWS, .cursor = q->grants }, &grants, &next));
	page.grants = (struct list){ grants.v, grants.n };
	page.more_grants = next ? req_with(r, "grants", next, "grants|done") : NULL;
	TRY(client_people(r->c, r->ws, s,
	    &(struct page_query){ .limit = WS_ROWS, .cursor = q->people }, &people, &next));
	page.people = (struct list){ people.v, people.n };
	page.more_people = next ? req_with(r, "people", next, "people|done") : NULL;
	TRY(client_views(r->c, s->id, &views));
	page.views = (void *)(uintptr_t)views;
	return reply_page(r, 0, &page);
}

static enum err
person_find(struct req *r, struct shown *out)
{
	struct sharee_member *m;
	struct sharee *s;

	TRY(sharee_get(r->c, r->ws, req_param(r, "shr"), &s));
	TRY(sharee_member_get(r->c, s, req_param(r, "ext"), &m));
	*out = SHOWN(sharee_member, m);
	return E_OK;
}

#define CLIENTS "/w/{ws}/clients"
#define CLIENT CLIENTS "/{shr}"
#define API "/v1/workspaces/{ws}"
static const struct route client_page_routes[] = {
  { PAGE(CLIENTS, WS_ADMIN, clients, h_clients), .query = &list_query_shape,
    .doc = "Its clients" },
  { POST, CLIENTS, DOES("POST " API "/sharees"),
    .then = CLIENTS "/{id}?done=client_made", .again = CLIENTS, .doc = "Create a client" },
  { PAGE_OF(CLIENTS "/activity", WS_ADMIN, "clients_activity",
	&clients_page_shape, h_clients_activity),
    .query = &tab_query_shape, .doc = "What people outside did" },
  { PAGE(CLIENT, WS_ADMIN, client, h_client),
    .shows = SHOWS({ "acts", "GET " API "/sharees/{shr}/activity?limit=5" },
	{ "notes", "GET " API "/sharees/{shr}/context?limit=8" }), .title = "Access",
    .query = &client_query_shape, .opened = FIND_CLIENT,
    .doc = "A client: what it can open, and its people" },
  { POST, CLIENT "/grants/{grt}", DOES("POST " API "/grants"),
    .then = CLIENT "?done=share_changed", .again = CLIENT,
    .doc = "Change what it can do with something" },
  { POST, CLIENT "/grants/{grt}/stop", DOES("DELETE " API "/grants/{grt}"),
    .then = CLIENT "?done=share_stopped", .again = CLIENT, .doc = "Stop sharing something" },
  { POST, CLIENT "/people", DOES("POST " API "/sharees/{shr}/members"),
    .then = CLIENT "?done=outsider_{status}", .again = CLIENT, .doc = "Invite somebody into it" },
  { POST, CLIENT "/people/{ext}/remove", DOES("DELETE " API "/sharees/{shr}/members/{ext}"),
    .ask = ASK("Remove {name|email}?",
	"They can no longer open what was shared with this client, and their tokens for it stop "
	"working at once. What they published stays.",
	"Remove person", CLIENT, .find = person_find),
    .then = CLIENT "?done=member_removed", .doc = "Remove them" },
  { PAGE_OF(CLIENT "/activity", WS_ADMIN, "client_activity", &client_top_shape, client_shows),
    .shows = SHOWS({ "acts", "GET " API "/sharees/{shr}/activity?limit=50" }), .title = "Activity",
    .query = &tab_query_shape, .doc = "What its people did" },
  { POST, CLIENT "/delete", DOES("DELETE " API "/sharees/{shr}"),
    .ask = ASK("Delete {name}?",
	"Its people can no longer open what was shared with it, and their tokens stop working "
	"at once. Notes and activity go with it. What its people published stays. "
	"This can’t be undone.",
	"Delete client", CLIENT "/settings", .of = "GET " API "/sharees/{shr}"),
    .then = CLIENTS "?done=client_deleted", .doc = "Delete it" },
};
ROUTES(client_page, "Pages: clients",
    "What admins see of a workspace's clients in the browser.");
