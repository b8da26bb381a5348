/* SPDX-License-Identifier: Apache-2.0
 * Support in the browser, for who asks: their tickets, a new one, one as a conversation; and the
 * list for admins of a workspace. */
#include "base/conf.h"
#include "base/id.h"
#include "base/str.h"
#include "core/artifact_top_page.h"
#include "core/notice.h"
#include "tickets/ticket_talk_page.h"

enum { TICKET_ROWS = 50, WORKSPACES_ASKED = 200 };

/* ---- a conversation ---- */

SHAPE_DEFINE(ticket_said, TICKET_SAID);

const char *
ticket_person_told(const struct ticket_person *p)
{
	return *p->name ? p->name : p->email ? p->email : "Somebody whose account is gone";
}

static const char *
author_told(const struct req *r, const struct ticket_message *m)
{
	const struct ticket_person *p = m->author;

	if (str_eq(p->user_id, r->who->user_id))
		return "You";
	return m->staff && !*p->name && !p->email ? "Support" : ticket_person_told(p);
}

static const char *
letters_of(struct req *r, const struct ticket_message *m)
{
	const struct ticket_person *p = m->author;

	return page_initials(r->c->mem,
	    *p->name ? p->name : str_eq(p->user_id, r->who->user_id) ? r->who->email
								     : author_told(r, m));
}

static const char *
names_told(void *mem, const struct strs *names)
{
	struct buf b = BUF(mem);

	for (size_t i = 0; i < names->n; i++)
		buf_fmt(&b, "%s%s", i ? ", " : "", names->v[i]);
	return names->n ? buf_done(&b) : NULL;
}

struct list
ticket_talk(struct req *r, const struct ticket_whole *t)
{
	const struct ticket_message_list all = { t->messages.v, t->messages.n };

	return list_made(r->c->mem, &all, m,
	    (struct ticket_said){ .said_id = m->id,
		.author = author_told(r, m),
		.letters = letters_of(r, m),
		.by_staff = m->staff,
		.note = m->note,
		.mailed = !m->staff && str_eq(m->channel, "email"),
		.undelivered = r->who->staff && m->has.delivered == GIVEN && !m->delivered,
		.text = m->body,
		.dropped = names_told(r->c->mem, &m->attachments_dropped),
		.said_at = m->created_at });
}

/* ---- one's own ---- */

#define TICKET_LINE(F, T) \
	F(T, ID,   id,      .arg = "tkt_") \
	F(T, STR,  subject) \
	F(T, WORD, status,  .arg = TICKET_STATUSES) \
	F(T, STR,  about,   .doc = "Name of its workspace, or NULL") \
	F(T, TIME, updated_at)
SHAPE_DECLARE(ticket_line, TICKET_LINE);
SHAPE_DEFINE(ticket_line, TICKET_LINE);

/* A workspace that a ticket can be about. */
#define TICKET_ABOUT(F, T) \
	F(T, ID,   about_id, .arg = "wsp_") \
	F(T, STR,  about_name) \
	F(T, BOOL, chosen)
SHAPE_DECLARE(ticket_about, TICKET_ABOUT);
SHAPE_DEFINE(ticket_about, TICKET_ABOUT);

#define SUPPORT_PAGE(F, T) \
	F(T, STR,  done) \
	F(T, STR,  status,   .doc = "What the list is narrowed to, or NULL") \
	F(T, LIST, tickets,  .sub = &ticket_line_shape) \
	F(T, STR,  next) \
	F(T, LIST, abouts,   .sub = &ticket_about_shape) \
	F(T, STR,  subject,  .doc = "Of the new one, as the page that led here has it") \
	F(T, STR,  body) \
	F(T, STR,  request) \
	F(T, STR,  run)
SHAPE_DECLARE(support_page, SUPPORT_PAGE);
SHAPE_DEFINE(support_page, SUPPORT_PAGE);

/* request, page: of what failed; run: of a job; workspace: what it was about. */
#define SUPPORT_QUERY(F, T) \
	F(T, STR, done,      .hi = 40) \
	F(T, STR, cursor,    .hi = 200) \
	F(T, STR, status,    .hi = 20) \
	F(T, STR, request,   .hi = 64) \
	F(T, STR, page,      .hi = 400) \
	F(T, STR, run,       .hi = 40) \
	F(T, STR, workspace, .hi = 40)
SHAPE_DECLARE(support_query, SUPPORT_QUERY);
SHAPE_DEFINE(support_query, SUPPORT_QUERY);

static const char *
status_chosen(const char *typed)
{
	return str_given(typed) && str_in(typed, TICKET_STATUSES) ? typed : NULL;
}

static const char *
name_of(const struct workspace_list *all, const char *id)
{
	for (size_t i = 0; id && i < all->n; i++)
		if (str_eq(all->v[i].id, id))
			return all->v[i].name;
	return NULL;
}

/* What the page that led here knows stands in the text, where people see that it is sent. */
static const char *
body_begun(struct ctx *c, const struct support_query *q)
{
	struct buf b = BUF(c->mem);

	if (str_given(q->page))
		buf_fmt(&b, "Something went wrong at %s\n", q->page);
	if (str_given(q->request))
		buf_fmt(&b, "\nRequest: %s", q->request);
	if (str_given(q->run) && id_valid(q->run, "run_"))
		buf_fmt(&b, "\n\nRun: %s", q->run);
	return b.n ? buf_done(&b) : NULL;
}

static enum err
h_support(struct req *r)
{
	const struct support_query *q = r->query;
	struct support_page page = { .done = notice_text(r->c, q->done),
		.status = status_chosen(q->status),
		.request = str_given(q->request),
		.run = str_given(q->run),
		.body = body_begun(r->c, q) };
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
	page.tickets = list_made(r->c->mem, &mine, t,
	    (struct ticket_line){ .id = t->id,
		.subject = t->subject,
		.status = t->status,
		.about = name_of(&all, t->workspace_id),
		.updated_at = t->updated_at });
	page.abouts = list_made(r->c->mem, &all, w,
	    (struct ticket_about){ .about_id = w->id,
		.about_name = w->name,
		.chosen = str_eq(w->id, q->workspace) });
	page.next = req_next(r, cursor, NEXT_WITHOUT "|request|page|run|workspace");
	return reply_page(r, 0, &page);
}

/* ---- one of them ---- */

#define SUPPORT_TICKET_PAGE(F, T) \
	F(T, ID,   id,         .arg = "tkt_") \
	F(T, STR,  done) \
	F(T, STR,  subject) \
	F(T, WORD, status,     .arg = TICKET_STATUSES) \
	F(T, BOOL, over,       .doc = "It is resolved or closed") \
	F(T, STR,  about) \
	F(T, TIME, created_at) \
	F(T, BOOL, by_mail,    .doc = "Answers to its mails come back") \
	F(T, LIST, talk,       .sub = &ticket_said_shape)
SHAPE_DECLARE(support_ticket_page, SUPPORT_TICKET_PAGE);
SHAPE_DEFINE(support_ticket_page, SUPPORT_TICKET_PAGE);

#define DONE_QUERY(F, T) F(T, STR, done, .hi = 40)
SHAPE_DECLARE(support_done_query, DONE_QUERY);
SHAPE_DEFINE(support_done_query, DONE_QUERY);

/* Its name for who is in it. */
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
	const struct support_done_query *q = r->query;
	struct ticket_whole *t;
	struct support_ticket_page page;

	if (!str_eq(r->ticket->requester_id, r->who->user_id))
		return reply_redirect(r, ticket_staff_link(r->c, r->ticket->id));
	TRY(ticket_read(r->c, r->ticket, r->who, &t));
	page = (struct support_ticket_page){ .id = t->id,
		.done = notice_text(r->c, q->done),
		.subject = t->subject,
		.status = t->status,
		.over = str_in(t->status, "resolved|closed"),
		.created_at = t->created_at,
		.by_mail = ticket_address(r->c, r->ticket->mail_key) != NULL,
		.talk = ticket_talk(r, t) };
	TRY(about_read(r, t->workspace_id, &page.about));
	return reply_page(r, 0, &page);
}

/* ---- a workspace's, for its admins ---- */

#define WS_TICKET(F, T) \
	F(T, ID,   id,      .arg = "tkt_") \
	F(T, STR,  subject) \
	F(T, STR,  body) \
	F(T, WORD, status,  .arg = TICKET_STATUSES) \
	F(T, STR,  asker) \
	F(T, BOOL, mine) \
	F(T, TIME, updated_at)
SHAPE_DECLARE(ws_ticket, WS_TICKET);
SHAPE_DEFINE(ws_ticket, WS_TICKET);

#define WS_TICKETS_PAGE(F, T) \
	F(T, STR,  title) \
	F(T, STR,  done) \
	F(T, STR,  status) \
	F(T, LIST, tickets, .sub = &ws_ticket_shape) \
	F(T, STR,  next)
SHAPE_DECLARE(ws_tickets_page, WS_TICKETS_PAGE);
SHAPE_DEFINE(ws_tickets_page, WS_TICKETS_PAGE);

#define WS_TICKETS_QUERY(F, T) \
	F(T, STR, cursor, .hi = 200) \
	F(T, STR, status, .hi = 20)
SHAPE_DECLARE(ws_tickets_query, WS_TICKETS_QUERY);
SHAPE_DEFINE(ws_tickets_query, WS_TICKETS_QUERY);

static struct ws_ticket
ws_ticket_of(const struct req *r, const struct ticket *t)
{
	const struct ticket_person *p = t->requester;
	bool mine = str_eq(p->user_id, r->who->user_id);

	return (struct ws_ticket){ .id = t->id,
		.subject = t->subject,
		.body = t->body,
		.status = t->status,
		.asker = mine ? "You" : ticket_person_told(p),
		.mine = mine,
		.updated_at = t->updated_at };
}

static enum err
h_ws_tickets(struct req *r)
{
	const struct ws_tickets_query *q = r->query;
	struct ws_tickets_page page = { .title = "Support", .status = status_chosen(q->status) };
	struct ticket_list all;
	const char *cursor;

	TRY(ticket_list(r->c, r->who,
	    &(struct ticket_query){ .scope = "workspace",
		.workspace = r->ws->id,
		.status = page.status,
		.cursor = q->cursor,
		.limit = TICKET_ROWS },
	    &all, &cursor));
	page.tickets = list_made(r->c->mem, &all, t, ws_ticket_of(r, t));
	page.next = req_next(r, cursor, NEXT_WITHOUT);
	return reply_page(r, 0, &page);
}

#define API "/v1/support/tickets"
static const struct route ticket_page_routes[] = {
/*  method path                   who
    body                          reply                      handler */
  { GET,  "/support",             SIGNED_IN,
    TAKES_NOTHING,                GIVES_PAGE(support),       h_support,
    .query = &support_query_shape, .whole = true, .doc = "Your tickets, and a new one" },
  { POST, "/support",             DOES("POST " API),
    .then = "/support/{id}?done=ticket_sent", .again = "/support", .doc = "Send a ticket" },
  { GET,  "/support/{tkt}",       TICKET_READ,
    TAKES_NOTHING,                GIVES_PAGE(support_ticket), h_support_ticket,
    .query = &support_done_query_shape, .whole = true, .doc = "A ticket of yours" },
  { POST, "/support/{tkt}/message", DOES("POST " API "/{tkt}/message"),
    .then = "/support/{tkt}#{id}", .again = "/support/{tkt}", .doc = "Write in a ticket" },
  { GET,  "/w/{ws}/tickets",      WS_ADMIN,
    TAKES_NOTHING,                GIVES_PAGE(ws_tickets),    h_ws_tickets,
    .query = &ws_tickets_query_shape, .doc = "Tickets about a workspace" },
};
ROUTES(ticket_page, "Pages: support",
    "What people see of their support tickets in the browser, and admins of their workspace's.");
