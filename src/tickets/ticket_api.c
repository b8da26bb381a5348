/* SPDX-License-Identifier: Apache-2.0
 * /v1/support/tickets. Source: interface, "Support tickets". */
#include "tickets/ticket_api.h"

#include "base/str.h"
#include "http/quota.h"
#include "http/share.h"
#include "tickets/triage.h"

/* Returns how the caller writes: in a browser, or by a program. */
static const char *
channel_of(const struct req *r)
{
	return r->who->session_id ? "web" : "api";
}

static enum err
h_tickets(struct req *r)
{
	return reply_list_of(r, struct ticket_list, ticket_list, r->who, r->query);
}

static enum err
ticket_reply_row(struct req *r, const char *id)
{
	struct ticket_seen *seen;
	struct ticket *t;

	TRY(ticket_find(r->c, id, r->who, false, &seen));
	TRY(ticket_row(r->c, seen, r->who, &t));
	return reply_noun(r, t);
}

static enum err
h_ticket_open(struct req *r)
{
	const char *id;

	TRY(ticket_open(r->c, r->who, r->in, channel_of(r), &id));
	reply_header(r, "Location", "/v1/support/tickets/%s", id);
	return ticket_reply_row(r, id);
}

static enum err
h_ticket_get(struct req *r)
{
	struct ticket_whole *t;

	TRY(ticket_read(r->c, ticket_of(r), r->who, &t));
	return reply_noun(r, t);
}

static enum err
h_ticket_message(struct req *r)
{
	struct ticket_message *m;

	TRY(ticket_message_add(r->c, ticket_of(r), r->who, r->in, channel_of(r), &m));
	return reply_noun(r, m);
}

/* Posts to the chat before the answer is stored in the thread, because a post can't be rolled
 * back. */
static enum err
reply_prepare(struct req *r)
{
	bool *posted = mem_new(r->c->mem, bool);

	r->prepared = posted;
	if (!ticket_of(r)->connection_id)
		return E_OK;
	TRY(share_outside(r));
	return ticket_post(r->c, ticket_of(r), r->who, r->in, posted);
}

static enum err
h_ticket_reply(struct req *r)
{
	const bool *posted = r->prepared;
	struct ticket_answered *out;

	TRY(ticket_reply(r->c, ticket_of(r), r->who, r->in, *posted, "pending", &out));
	return reply_flat(r, out);
}

static enum err
h_ticket_status(struct req *r)
{
	const struct ticket_status *in = r->in;

	TRY(ticket_status_set(r->c, ticket_of(r), r->who, in->status));
	return ticket_reply_row(r, ticket_of(r)->id);
}

static enum err
h_ticket_assign(struct req *r)
{
	const struct ticket_assign *in = r->in;

	TRY(ticket_assign_to(r->c, ticket_of(r), r->who, in->assignee_id));
	return ticket_reply_row(r, ticket_of(r)->id);
}

static enum err
h_ticket_triage(struct req *r)
{
	struct ticket_triage *out;

	TRY(triage_want(r->c, ticket_of(r)->id));
	TRY(triage_get(r->c, ticket_of(r)->id, &out));
	return reply_noun(r, out);
}

#define TICKETS "/v1/support/tickets"
static enum err
ticket_load(struct req *r, const char *id, bool lock)
{
	struct ticket_seen *t;

	TRY(ticket_find(r->c, id, r->who, lock, &t));
	r->thing = t;
	return E_OK;
}

static bool
ticket_standing(const struct req *r, struct standing *out)
{
	const struct ticket_seen *t = r->thing;

	if (t)
		*out = (struct standing){ .role = (int)t->role };
	return t != NULL;
}

static const struct rung ticket_rungs[] = {
	[TICKET_NONE] = { NULL, "", "" },
	[TICKET_ADMIN] = { "admin", "Admins of the workspace of the", "admin" },
	[TICKET_REQUESTER] = { "requester", "The requester, and staff, of the",
	    "requester or staff" },
	[TICKET_STAFF] = { "staff", "Staff, of the", "staff" },
};
static const struct noun ticket = { .param = "tkt", .rungs = ticket_rungs, .load = ticket_load,
	.standing = ticket_standing };
WHO(TICKET_READ, "ticket_read", KNOWN, &ticket, TICKET_REQUESTER, .lock = true);
WHO(TICKET_WORK, "ticket_work", KNOWN, &ticket, TICKET_STAFF, .lock = true);

static LIMIT(LIM_TICKET, "ticket", OF_USER, SUCCESSES, tickets_per_hour, "support tickets");
static LIMIT(LIM_TICKET_MESSAGE, "ticket_message", OF_USER, SUCCESSES, ticket_messages_per_hour,
    "messages in support tickets");

static const struct route ticket_routes[] = {
/*  method path                     who
    body                  reply                             handler */
  { POST,  TICKETS,                 SIGNED_IN,
    TAKES(ticket_new),    GIVES("ticket", ticket),          h_ticket_open,
    .limit = LIM_TICKET, .success = 201, .no_agents = true,
    .doc = "Ask whoever runs this service" },
  { GET,   TICKETS,                 SIGNED_IN,
    TAKES_NOTHING,        GIVES_LIST("tickets", ticket),    h_tickets,
    .query = &ticket_query_shape,
    .doc = "List tickets, newest first: your own; of a workspace, as its admin; "
	   "for staff those assigned to them; for super staff all" },
  { GET,   TICKETS "/{tkt}",        TICKET_READ,
    TAKES_NOTHING,        GIVES("ticket", ticket_whole),    h_ticket_get,
    .whole = true, .doc = "Get a ticket with its messages" },
  { POST,  TICKETS "/{tkt}/message", TICKET_READ,
    TAKES(ticket_write),  GIVES("message", ticket_message), h_ticket_message,
    .whole = true, .limit = LIM_TICKET_MESSAGE, .success = 201, .no_agents = true,
    .doc = "Write in a ticket; one of the requester opens it again" },
  { POST,  TICKETS "/{tkt}/reply",  TICKET_WORK,
    TAKES(ticket_answer), GIVES_FLAT(ticket_answered),      h_ticket_reply,
    .whole = true, .success = 201, .slow = true, .prepare = reply_prepare, .no_agents = true,
    .doc = "Answer the requester, by e-mail or in the chat that the ticket came from; "
	   "it is then pending" },
  { POST,  TICKETS "/{tkt}/status", TICKET_WORK,
    TAKES(ticket_status), GIVES("ticket", ticket),          h_ticket_status,
    .whole = true, .no_agents = true, .doc = "Set its status; the requester is e-mailed" },
  { POST,  TICKETS "/{tkt}/assign", TICKET_WORK,
    TAKES(ticket_assign), GIVES("ticket", ticket),          h_ticket_assign,
    .whole = true, .no_agents = true, .doc = "Assign it to somebody of the staff, or nobody" },
  { POST,  TICKETS "/{tkt}/triage", TICKET_WORK,
    TAKES_NOTHING,        GIVES("triage", ticket_triage),   h_ticket_triage,
    .whole = true, .success = 202, .no_agents = true,
    .doc = "Have the draft of how to sort it made anew" },
};
ROUTES(ticket, "Support tickets",
    "Questions to whoever runs this service, and their answers. The requester and staff read a "
    "ticket; a staff person's personal token counts here alone. Search doesn't find tickets.");
