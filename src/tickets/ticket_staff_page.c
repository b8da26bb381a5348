/* SPDX-License-Identifier: Apache-2.0
 * Tickets for staff: the list, and one ticket with its triage and its workspace beside it. The
 * proposed answer goes into the form only if staff ask for it. */
#include "base/str.h"
#include "core/workspace.h"
#include "http/share.h"
#include "tickets/ticket_api.h"
#include "tickets/ticket_talk_page.h"

/* ---- the list ---- */

enum { PICKS = 50, PICKS_BESIDE = 20 };

#define WHOSE "assigned|all|unassigned"
/* The list and a ticket's page share this shape: a ticket has the list beside it. */
#define STAFF_TICKETS_PAGE(F, T) \
	F(T, ID,   here_id,       .arg = "tkt_", .doc = "The ticket that the page is of") \
	F(T, BOOL, sees_all,      .doc = "They are super staff") \
	F(T, WORD, whose,         .arg = WHOSE) \
	F(T, WORD, with_status,   .arg = "any|" TICKET_STATUSES) \
	F(T, WORD, with_priority, .arg = TICKET_PRIORITIES) \
	F(T, LIST, picks,         .sub = &ticket_shape) \
	F(T, STR,  next) \
	/* one ticket */ \
	F(T, OBJ,  ticket,        .sub = &ticket_whole_shape) \
	F(T, LIST, choices,       .sub = &ws_user_shape) \
	F(T, OBJ,  about,         .sub = &workspace_shape) \
	F(T, STR,  about_plan) \
	F(T, STR,  about_owner)
SHAPE(staff_tickets_page, STAFF_TICKETS_PAGE);

/* use: "reply" puts the draft's answer into the form. */
#define STAFF_TICKETS_QUERY(F, T) \
	F(T, STR, done,     .hi = 40) \
	F(T, STR, cursor,   .hi = 200) \
	F(T, STR, whose,    .hi = 20) \
	F(T, STR, status,   .hi = 20) \
	F(T, STR, priority, .hi = 20) \
	F(T, STR, use,      .hi = 20)
SHAPE(staff_tickets_query, STAFF_TICKETS_QUERY);

/* The default filter: open work, among all that they may list. */
static struct ticket_query
query_of(const struct req *r, int64_t limit)
{
	const struct staff_tickets_query *q = r->query;
	const char *whose = str_one_of(q->whose, WHOSE),
		   *status = str_one_of(q->status, "any|" TICKET_STATUSES);

	if (!whose)
		whose = r->who->staff == STAFF_SUPER ? "all" : "assigned";
	return (struct ticket_query){ .scope = str_eq(whose, "unassigned") ? "all" : whose,
		.unassigned = str_eq(whose, "unassigned"),
		.status = str_eq(status, "any") ? NULL : status ? status : "open",
		.priority = str_one_of(q->priority, TICKET_PRIORITIES),
		.cursor = q->cursor,
		.limit = limit };
}

static enum err
picks_read(struct req *r, int64_t limit, struct list *picks, const char **next)
{
	const struct ticket_query asked = query_of(r, limit);
	struct ticket_list all;

	TRY(ticket_list(r->c, r->who, &asked, &all, next));
	*picks = (struct list){ all.v, all.n };
	return E_OK;
}

/* The chosen filters. */
#define PICKED_OF(r, asked) \
	.here_id = (r)->thing ? ticket_of(r)->id : NULL, \
	.sees_all = (r)->who->staff == STAFF_SUPER, \
	.whose = (asked).unassigned ? "unassigned" : (asked).scope, \
	.with_status = (asked).status ? (asked).status : "any", .with_priority = (asked).priority

static enum err
h_staff_tickets(struct req *r)
{
	const struct ticket_query asked = query_of(r, PICKS);
	struct staff_tickets_page page = { PICKED_OF(r, asked) };
	const char *cursor;

	TRY(picks_read(r, PICKS, &page.picks, &cursor));
	page.next = req_next(r, cursor, NEXT_WITHOUT "|use");
	return reply_page(r, 0, &page);
}

/* ---- one ticket ---- */

static enum err
workspace_read(struct req *r, struct staff_tickets_page *page)
{
	struct workspace *w;

	if (!ticket_of(r)->workspace_id)
		return E_OK;
	TRY(workspace_named(r->c, ticket_of(r)->workspace_id, &w));
	TRY(workspace_owner_email(r->c, w->id, &page->about_owner));
	page->about = w;
	page->about_plan = workspace_tier(r->c, w).plan->name;
	return E_OK;
}

static enum err
h_staff_ticket(struct req *r)
{
	const struct ticket_query asked = query_of(r, PICKS_BESIDE);
	struct staff_tickets_page page = { PICKED_OF(r, asked) };
	struct ws_user_list staff;
	struct ticket_whole *t;
	const char *more;

	TRY(ticket_talk(r, &t));
	page.ticket = t;
	TRY(ticket_staff(r->c, &staff));
	page.choices = (struct list){ staff.v, staff.n };
	TRY(workspace_read(r, &page));
	TRY(picks_read(r, PICKS_BESIDE, &page.picks, &more));
	return reply_page(r, 0, &page);
}

/* ---- an answer, and what becomes of the ticket with it ---- */

#define STAFF_ANSWER(F, T) \
	F(T, STR,  body, .flags = F_REQ | F_LONG, .lo = 1, .hi = TICKET_BODY_CHARS, \
		.eg = "\"It works again.\"") \
	F(T, WORD, then, .flags = F_REQ, .arg = "pending|resolved|note", .eg = "\"pending\"")
SHAPE(staff_answer, STAFF_ANSWER);

/* Prepares as the API’s row does: the chat gets the answer before the thread has it. */
static enum err
answer_prepare(struct req *r)
{
	const struct staff_answer *in = r->in;
	bool *posted = mem_new(r->c->mem, bool);

	r->prepared = posted;
	if (!ticket_of(r)->connection_id || str_eq(in->then, "note"))
		return E_OK;
	TRY(share_outside(r));
	return ticket_post(
	    r->c, ticket_of(r), r->who, &(struct ticket_answer){ .body = in->body }, posted);
}

static enum err
h_staff_answer(struct req *r)
{
	const struct staff_answer *in = r->in;
	const bool *posted = r->prepared;
	struct ticket_answered *said;
	struct ticket_message *note;
	const struct ticket_message *m;

	if (str_eq(in->then, "note")) {
		TRY(ticket_message_add(r->c, ticket_of(r), r->who,
		    &(struct ticket_write){ .body = in->body, .note = true }, "web", &note));
		return reply_go(r, "%s?done=ticket_note#%s",
		    ticket_staff_link(r->c, ticket_of(r)->id), note->id);
	}
	TRY(ticket_reply(r->c, ticket_of(r), r->who, &(struct ticket_answer){ .body = in->body },
	    *posted, in->then, &said));
	m = said->message;
	return reply_go(r, "%s?done=%s#%s", ticket_staff_link(r->c, ticket_of(r)->id),
	    said->delivered ? "ticket_answered" : "ticket_unsent", m->id);
}

#define AT "/staff/tickets"
#define API "/v1/support/tickets/{tkt}"
static const struct route ticket_staff_page_routes[] = {
  { PAGE(AT, OVERSIGHT, staff_tickets, h_staff_tickets), .query = &staff_tickets_query_shape,
    .doc = "Tickets to answer" },
  { PAGE_OF(AT "/{tkt}", TICKET_WORK, "staff_ticket", &staff_tickets_page_shape, h_staff_ticket),
    .query = &staff_tickets_query_shape, .whole = true,
    .doc = "A ticket, with what helps to answer it" },
  { FORM(AT "/{tkt}/answer", TICKET_WORK, staff_answer, h_staff_answer), .whole = true,
    .slow = true, .prepare = answer_prepare, .again = AT "/{tkt}",
    .doc = "Answer it, and wait for them or take it as resolved; or note something for staff" },
  { POST, AT "/{tkt}/status",  DOES("POST " API "/status"),
    .then = AT "/{tkt}?done=saved", .again = AT "/{tkt}", .doc = "Set its status" },
  { POST, AT "/{tkt}/assign",  DOES("POST " API "/assign"),
    .then = AT "/{tkt}?done=saved", .again = AT "/{tkt}", .doc = "Assign it" },
  { POST, AT "/{tkt}/triage",  DOES("POST " API "/triage"),
    .then = AT "/{tkt}?done=ticket_sorted", .again = AT "/{tkt}",
    .doc = "Have the draft of how to sort it made anew" },
};
ROUTES(ticket_staff_page, "Pages: tickets for staff",
    "What those who answer tickets see of them in the browser.");
