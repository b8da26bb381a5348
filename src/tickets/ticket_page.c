/* SPDX-License-Identifier: Apache-2.0
 * Support in the browser, for requesters: their tickets, a new one, one as a conversation; and the
 * list for admins of a workspace. */
#include "base/id.h"
#include "base/str.h"
#include "core/artifact_top_page.h"
#include "tickets/ticket_api.h"
#include "tickets/ticket_talk_page.h"

enum { TICKET_ROWS = 50, WORKSPACES_ASKED = 200 };

/* ---- a conversation ---- */

enum err
ticket_talk(struct req *r, struct ticket_whole **out)
{
	struct ticket_message *m;

	TRY(ticket_read(r->c, ticket_of(r), r->who, out));
	m = (*out)->messages.v;
	for (size_t i = 0; i < (*out)->messages.n; i++)
		m[i].undelivered =
		    r->who->staff && m[i].has.delivered == GIVEN && !m[i].delivered;
	return E_OK;
}

/* ---- own tickets ---- */

#define SUPPORT_PAGE(F, T) \
	F(T, STR,  status,   .doc = "What the list is narrowed to, or NULL") \
	F(T, LIST, tickets,  .sub = &ticket_shape) \
	F(T, STR,  next) \
	F(T, LIST, abouts,   .sub = &workspace_shape) \
	F(T, STR,  subject,  .doc = "Of the new one, as the page that led here has it") \
	F(T, STR,  body)
SHAPE(support_page, SUPPORT_PAGE);

/* request, page: the request that failed; run: a job's; workspace: the one that it is about. */
#define SUPPORT_QUERY(F, T) \
	F(T, STR, done,      .hi = 40) \
	F(T, STR, cursor,    .hi = 200) \
	F(T, STR, status,    .hi = 20) \
	F(T, STR, request,   .hi = 64) \
	F(T, STR, page,      .hi = 400) \
	F(T, STR, run,       .hi = 40) \
	F(T, STR, workspace, .hi = 40)
SHAPE(support_query, SUPPORT_QUERY);

static enum err
h_support(struct req *r)
{
	const struct support_query *q = r->query;
	struct support_page page = { .status = str_one_of(q->status, TICKET_STATUSES),
		.body = ticket_begun(r->c, q->page, q->request, q->run) };
	struct ticket_list mine;
	struct workspace_list all;
	const char *cursor, *more;

	if (str_given(q->page))
		page.subject = str_cut(r->c->mem,
		    mem_printf(r->c->mem, "Error at %s", q->page), TICKET_SUBJECT_CHARS);
	TRY(ticket_list(r->c, r->who,
	    &(struct ticket_query){ .scope = "mine",
		.status = page.status,
		.cursor = q->cursor,
		.limit = TICKET_ROWS },
	    &mine, &cursor));
	TRY(workspace_list(r->c, r->who, &(struct workspace_query){ .limit = WORKSPACES_ASKED },
	    &all, &more));
	page.tickets = (struct list){ mine.v, mine.n };
	page.abouts = (struct list){ all.v, all.n };
	page.next = req_next(r, cursor, NEXT_WITHOUT "|request|page|run|workspace");
	return reply_page(r, 0, &page);
}

/* ---- one ticket ---- */

#define SUPPORT_TICKET_PAGE(F, T) \
	F(T, OBJ,  ticket,  .sub = &ticket_whole_shape) \
	F(T, STR,  about) \
	F(T, BOOL, by_mail, .doc = "Answers to its mails come back")
SHAPE(support_ticket_page, SUPPORT_TICKET_PAGE);

/* Reads the workspace’s name, for its members. */
static enum err
about_read(struct req *r, const char *id, const char **out)
{
	struct workspace *w;
	enum err e = id ? workspace_get(r->c, id, r->who, false, &w) : E_NOT_FOUND;

	*out = NULL;
	if (e == E_NOT_FOUND)
		return id ? ctx_forgive(r->c) : E_OK;
	TRY(e);
	*out = w->name;
	return E_OK;
}

/* Staff read others' tickets on their own page. */
static enum err
h_support_ticket(struct req *r)
{
	struct ticket_whole *t;
	struct support_ticket_page page;

	if (!str_eq(ticket_of(r)->requester_id, r->who->user_id))
		return reply_redirect(r, ticket_staff_link(r->c, ticket_of(r)->id));
	TRY(ticket_talk(r, &t));
	page = (struct support_ticket_page){ .ticket = t,
		.by_mail = ticket_address(r->c, ticket_of(r)->mail_key) != NULL };
	TRY(about_read(r, t->workspace_id, &page.about));
	return reply_page(r, 0, &page);
}

/* ---- a workspace's, for its admins ---- */

#define WS_TICKETS_QUERY(F, T) \
	F(T, STR, cursor, .hi = 200) \
	F(T, STR, status, .hi = 20)
SHAPE(ws_tickets_query, WS_TICKETS_QUERY);

#define API "/v1/support/tickets"
static const struct route ticket_page_routes[] = {
  { PAGE("/support", SIGNED_IN, support, h_support), .query = &support_query_shape, .whole = true,
    .doc = "Your tickets, and a new one" },
  { POST, "/support",             DOES("POST " API),
    .then = "/support/{id}?done=ticket_sent", .again = "/support", .doc = "Send a ticket" },
  { PAGE("/support/{tkt}", TICKET_READ, support_ticket, h_support_ticket),
    .query = &tab_query_shape, .whole = true, .doc = "A ticket of yours" },
  { POST, "/support/{tkt}/message", DOES("POST " API "/{tkt}/message"),
    .then = "/support/{tkt}#{id}", .again = "/support/{tkt}", .doc = "Write in a ticket" },
  { SHOWN_PAGE("/w/{ws}/tickets", WS_ADMIN, "ws_tickets"),
    .shows = SHOWS({ "tickets", "GET " API "?scope=workspace&workspace={ws}&limit=50" }),
    .title = "Support", .query = &ws_tickets_query_shape, .doc = "Tickets about a workspace" },
};
ROUTES(ticket_page, "Pages: support",
    "What people see of their support tickets in the browser, and admins of their workspace's.");
