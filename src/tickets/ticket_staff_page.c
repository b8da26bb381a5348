/* SPDX-License-Identifier: Apache-2.0
 * Tickets for who answers them: the list, and one with the draft of how to sort it and its
 * workspace beside it. What the draft proposes stands in the answer only when it is asked for. */
#include "base/conf.h"
#include "base/str.h"
#include "core/notice.h"
#include "core/workspace.h"
#include "http/share.h"
#include "tickets/ticket_talk_page.h"

/* ---- the list ---- */

enum { PICKS = 50, PICKS_BESIDE = 20 };

#define TICKET_PICK(F, T) \
	F(T, STR,  pick_url) \
	F(T, STR,  pick_subject) \
	F(T, STR,  pick_who) \
	F(T, WORD, pick_status,   .arg = TICKET_STATUSES) \
	F(T, WORD, pick_priority, .arg = TICKET_PRIORITIES) \
	F(T, BOOL, pick_mine,     .doc = "It is assigned to who looks") \
	F(T, BOOL, pick_mailed) \
	F(T, BOOL, pick_here) \
	F(T, TIME, pick_at)
SHAPE_DECLARE(ticket_pick, TICKET_PICK);
SHAPE_DEFINE(ticket_pick, TICKET_PICK);

#define WHOSE "assigned|all|unassigned"
#define TICKETS_PICKED(F, T) \
	F(T, STR,  done) \
	F(T, BOOL, sees_all,      .doc = "They are super staff") \
	F(T, WORD, whose,         .arg = WHOSE) \
	F(T, WORD, with_status,   .arg = "any|" TICKET_STATUSES) \
	F(T, WORD, with_priority, .arg = TICKET_PRIORITIES) \
	F(T, LIST, picks,         .sub = &ticket_pick_shape)

#define STAFF_TICKETS_PAGE(F, T) \
	TICKETS_PICKED(F, T) \
	F(T, STR,  next)
SHAPE_DECLARE(staff_tickets_page, STAFF_TICKETS_PAGE);
SHAPE_DEFINE(staff_tickets_page, STAFF_TICKETS_PAGE);

/* use: "reply" puts the draft's answer into the form. */
#define STAFF_TICKETS_QUERY(F, T) \
	F(T, STR, done,     .hi = 40) \
	F(T, STR, cursor,   .hi = 200) \
	F(T, STR, whose,    .hi = 20) \
	F(T, STR, status,   .hi = 20) \
	F(T, STR, priority, .hi = 20) \
	F(T, STR, use,      .hi = 20)
SHAPE_DECLARE(staff_tickets_query, STAFF_TICKETS_QUERY);
SHAPE_DEFINE(staff_tickets_query, STAFF_TICKETS_QUERY);

/* Of no choice: what has to be done, of all that they may list. */
static const char *
chosen(const char *typed, const char *words, const char *otherwise)
{
	return typed && *typed && str_in(typed, words) ? typed : otherwise;
}

static struct ticket_query
query_of(const struct req *r, int64_t limit)
{
	const struct staff_tickets_query *q = r->query;
	const char *whose =
	    chosen(q->whose, WHOSE, r->who->staff == STAFF_SUPER ? "all" : "assigned");
	const char *status = chosen(q->status, "any|" TICKET_STATUSES, "open");

	return (struct ticket_query){ .scope = str_eq(whose, "unassigned") ? "all" : whose,
		.unassigned = str_eq(whose, "unassigned"),
		.status = str_eq(status, "any") ? NULL : status,
		.priority = chosen(q->priority, TICKET_PRIORITIES, NULL),
		.cursor = q->cursor,
		.limit = limit };
}

/* A ticket's page keeps the choice for the list beside it. */
static const char *
pick_url(const struct req *r, const char *id)
{
	const struct staff_tickets_query *q = r->query;
	const struct ticket_query asked = query_of(r, 1);

	return mem_printf(r->c->mem, "%s?whose=%s&status=%s&priority=%s",
	    ticket_staff_link(r->c, id), asked.unassigned ? "unassigned" : asked.scope,
	    chosen(q->status, "any|" TICKET_STATUSES, "open"),
	    asked.priority ? asked.priority : "");
}

static struct ticket_pick
pick_of(const struct req *r, const struct ticket *t)
{
	return (struct ticket_pick){ .pick_url = pick_url(r, t->id),
		.pick_subject = t->subject,
		.pick_who = ticket_person_told(t->requester),
		.pick_status = t->status,
		.pick_priority = t->priority,
		.pick_mine = str_eq(t->assignee_id, r->who->user_id),
		.pick_mailed = str_eq(t->origin, "email"),
		.pick_here = r->ticket && str_eq(t->id, r->ticket->id),
		.pick_at = t->updated_at };
}

static enum err
picks_read(struct req *r, int64_t limit, struct list *picks, const char **next)
{
	const struct ticket_query asked = query_of(r, limit);
	struct ticket_list all;

	TRY(ticket_list(r->c, r->who, &asked, &all, next));
	*picks = list_made(r->c->mem, &all, t, pick_of(r, t));
	return E_OK;
}

/* What the filter shows as chosen, in any page that begins with TICKETS_PICKED. */
#define PICKED_OF(r, q, asked) \
	.done = notice_text((r)->c, (q)->done), .sees_all = (r)->who->staff == STAFF_SUPER, \
	.whose = (asked).unassigned ? "unassigned" : (asked).scope, \
	.with_status = (asked).status ? (asked).status : "any", .with_priority = (asked).priority

static enum err
h_staff_tickets(struct req *r)
{
	const struct staff_tickets_query *q = r->query;
	const struct ticket_query asked = query_of(r, PICKS);
	struct staff_tickets_page page = { PICKED_OF(r, q, asked) };
	const char *cursor;

	TRY(picks_read(r, PICKS, &page.picks, &cursor));
	page.next = req_next(r, cursor, NEXT_WITHOUT "|use");
	return reply_page(r, 0, &page);
}

/* ---- one ---- */

#define TICKET_STAFF_CHOICE(F, T) \
	F(T, ID,   staff_id, .arg = "usr_") \
	F(T, STR,  staff_name) \
	F(T, BOOL, chosen)
SHAPE_DECLARE(ticket_staff_choice, TICKET_STAFF_CHOICE);
SHAPE_DEFINE(ticket_staff_choice, TICKET_STAFF_CHOICE);

/* The draft, as it is told. */
#define TICKET_DRAFT(F, T) \
	F(T, BOOL, under_way) \
	F(T, STR,  category) \
	F(T, STR,  priority) \
	F(T, STR,  summary) \
	F(T, STR,  reply_url, .doc = "Puts its answer into the form; NULL: it has none") \
	F(T, STR,  model,     .doc = "NULL: rules by words made it") \
	F(T, STR,  failed,    .doc = "Why no model did") \
	F(T, TIME, made_at)
SHAPE_DECLARE(ticket_draft, TICKET_DRAFT);
SHAPE_DEFINE(ticket_draft, TICKET_DRAFT);

#define TICKET_WORKSPACE(F, T) \
	F(T, STR,  about_name) \
	F(T, STR,  about_plan) \
	F(T, INT,  about_people) \
	F(T, STR,  about_owner) \
	F(T, STR,  about_url,  .doc = "Its owner's artifacts, for staff") \
	F(T, BOOL, about_gone, .doc = "It is in the trash") \
	F(T, TIME, about_since)
SHAPE_DECLARE(ticket_workspace, TICKET_WORKSPACE);
SHAPE_DEFINE(ticket_workspace, TICKET_WORKSPACE);

#define STAFF_TICKET_PAGE(F, T) \
	TICKETS_PICKED(F, T) \
	F(T, ID,   id,         .arg = "tkt_") \
	F(T, STR,  subject) \
	F(T, WORD, status,     .arg = TICKET_STATUSES) \
	F(T, WORD, origin,     .arg = TICKET_ORIGINS) \
	F(T, STR,  asker) \
	F(T, EMAIL, asker_email) \
	F(T, STR,  asker_url,  .doc = "Their artifacts, for staff; NULL: no account") \
	F(T, BOOL, unverified) \
	F(T, BOOL, own,        .doc = "Who looks asked it themselves") \
	F(T, STR,  my_id) \
	F(T, BOOL, mine,       .doc = "It is assigned to who looks") \
	F(T, LIST, choices,    .sub = &ticket_staff_choice_shape) \
	F(T, LIST, talk,       .sub = &ticket_said_shape) \
	F(T, STR,  answer,     .doc = "What the form begins with") \
	F(T, OBJ,  draft,      .sub = &ticket_draft_shape) \
	F(T, OBJ,  about,      .sub = &ticket_workspace_shape) \
	F(T, TIME, created_at)
SHAPE_DECLARE(staff_ticket_page, STAFF_TICKET_PAGE);
SHAPE_DEFINE(staff_ticket_page, STAFF_TICKET_PAGE);

static const char *
capital(void *mem, const char *word)
{
	char *out = word ? mem_strdup(mem, word) : NULL;

	if (out && *out >= 'a' && *out <= 'z')
		*out = (char)(*out - 'a' + 'A');
	return out;
}

static const char *
artifacts_url(struct ctx *c, const char *email)
{
	struct buf b = BUF(c->mem);

	if (!email)
		return NULL;
	buf_str(&b, "/staff?q=");
	buf_form(&b, email);
	return buf_done(&b);
}

static struct ticket_draft *
draft_of(const struct req *r, const struct ticket_triage *t)
{
	struct ticket_draft *d = t ? mem_new(r->c->mem, struct ticket_draft) : NULL;

	if (!t)
		return NULL;
	*d = (struct ticket_draft){ .under_way = str_eq(t->state, "waiting"),
		.category = capital(r->c->mem, t->category),
		.priority = capital(r->c->mem, t->priority),
		.summary = t->summary,
		.reply_url = t->suggested_reply
		    ? mem_printf(r->c->mem, "%s&use=reply#answer", pick_url(r, r->ticket->id))
		    : NULL,
		.model = t->model,
		.failed = t->error,
		.made_at = t->made_at };
	return d;
}

static enum err
choices_read(struct req *r, struct list *out)
{
	struct ws_user_list staff;

	TRY(ticket_staff(r->c, &staff));
	*out = list_made(r->c->mem, &staff, s,
	    (struct ticket_staff_choice){ .staff_id = s->user_id,
		.staff_name = s->name && *s->name ? s->name : s->email,
		.chosen = str_eq(s->user_id, r->ticket->assignee_id) });
	return E_OK;
}

static enum err
workspace_read(struct req *r, void **out)
{
	struct ctx *c = r->c;
	struct ticket_workspace *about = mem_new(c->mem, struct ticket_workspace);
	const struct seats *seats;
	struct workspace *w;
	const char *owner;

	if (!r->ticket->workspace_id)
		return E_OK;
	TRY(workspace_named(c, r->ticket->workspace_id, &w));
	TRY(workspace_owner_email(c, w->id, &owner));
	seats = w->seats;
	*about = (struct ticket_workspace){ .about_name = w->name,
		.about_plan = workspace_tier(c, w).plan->name,
		.about_people = seats->used,
		.about_owner = owner,
		.about_url = artifacts_url(c, owner),
		.about_gone = w->deleted_at != 0,
		.about_since = w->created_at };
	*out = about;
	return E_OK;
}

static enum err
h_staff_ticket(struct req *r)
{
	const struct staff_tickets_query *q = r->query;
	const struct ticket_query asked = query_of(r, PICKS_BESIDE);
	const struct ticket_triage *triage;
	const struct ticket_person *asker;
	struct staff_ticket_page page;
	struct ticket_whole *t;
	const char *more;

	TRY(ticket_read(r->c, r->ticket, r->who, &t));
	asker = t->requester;
	triage = t->triage;
	page = (struct staff_ticket_page){ PICKED_OF(r, q, asked),
		.id = t->id,
		.subject = t->subject,
		.status = t->status,
		.origin = t->origin,
		.asker = ticket_person_told(asker),
		.asker_email = asker->email,
		.asker_url = t->unverified ? NULL : artifacts_url(r->c, asker->email),
		.unverified = t->unverified,
		.own = str_eq(asker->user_id, r->who->user_id),
		.my_id = r->who->user_id,
		.mine = str_eq(t->assignee_id, r->who->user_id),
		.talk = ticket_talk(r, t),
		.answer = triage && str_eq(q->use, "reply") ? triage->suggested_reply : NULL,
		.draft = draft_of(r, triage),
		.created_at = t->created_at };
	TRY(choices_read(r, &page.choices));
	TRY(workspace_read(r, &page.about));
	TRY(picks_read(r, PICKS_BESIDE, &page.picks, &more));
	return reply_page(r, 0, &page);
}

/* ---- an answer, and what becomes of the ticket with it ---- */

#define STAFF_ANSWER(F, T) \
	F(T, STR,  body, .flags = F_REQ | F_LONG, .lo = 1, .hi = TICKET_BODY_CHARS, \
		.eg = "\"It works again.\"") \
	F(T, WORD, then, .flags = F_REQ, .arg = "pending|resolved|note", .eg = "\"pending\"")
SHAPE_DECLARE(staff_answer, STAFF_ANSWER);
SHAPE_DEFINE(staff_answer, STAFF_ANSWER);

/* As the API's row does: a chat is written to before the answer stands in the thread. */
static enum err
answer_prepare(struct req *r)
{
	const struct staff_answer *in = r->in;
	bool *posted = mem_new(r->c->mem, bool);

	r->prepared = posted;
	if (!r->ticket->connection_id || str_eq(in->then, "note"))
		return E_OK;
	TRY(share_outside(r));
	return ticket_post(
	    r->c, r->ticket, r->who, &(struct ticket_answer){ .body = in->body }, posted);
}

static enum err
note_add(struct req *r, const char *body)
{
	struct ticket_message *m;

	TRY(ticket_message_add(r->c, r->ticket, r->who,
	    &(struct ticket_write){ .body = body, .note = true }, "web", &m));
	return reply_redirect(r,
	    mem_printf(r->c->mem, "%s?done=ticket_note#%s",
		ticket_staff_link(r->c, r->ticket->id), m->id));
}

static enum err
h_staff_answer(struct req *r)
{
	const struct staff_answer *in = r->in;
	const bool *posted = r->prepared;
	struct ticket_answered *said;
	const struct ticket_message *m;

	if (str_eq(in->then, "note"))
		return note_add(r, in->body);
	TRY(ticket_reply(r->c, r->ticket, r->who, &(struct ticket_answer){ .body = in->body },
	    *posted, in->then, &said));
	m = said->message;
	return reply_redirect(r,
	    mem_printf(r->c->mem, "%s?done=%s#%s", ticket_staff_link(r->c, r->ticket->id),
		said->delivered ? "ticket_answered" : "ticket_unsent", m->id));
}

#define AT "/staff/tickets"
#define API "/v1/support/tickets/{tkt}"
static const struct route ticket_staff_page_routes[] = {
/*  method path                who
    body                       reply                      handler */
  { GET,  AT,                  OVERSIGHT,
    TAKES_NOTHING,             GIVES_PAGE(staff_tickets), h_staff_tickets,
    .query = &staff_tickets_query_shape, .doc = "Tickets to answer" },
  { GET,  AT "/{tkt}",         TICKET_WORK,
    TAKES_NOTHING,             GIVES_PAGE(staff_ticket),  h_staff_ticket,
    .query = &staff_tickets_query_shape, .whole = true,
    .doc = "A ticket, with what helps to answer it" },
  { POST, AT "/{tkt}/answer",  TICKET_WORK,
    TAKES_FORM(staff_answer),  GIVES_REDIRECT,            h_staff_answer,
    .whole = true, .slow = true, .prepare = answer_prepare, .again = AT "/{tkt}",
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
