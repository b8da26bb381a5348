/* SPDX-License-Identifier: Apache-2.0
 * Support tickets: a question to the operators, and the messages about it. Its requester and staff
 * read and write it. Admins of the workspace that it is about only see it in their list. Source:
 * interface, "Support tickets"; tickets/README.md. */
#ifndef VITRINE_TICKET_H
#define VITRINE_TICKET_H
#include "core/bounds.h"
#include "core/user.h"

enum {
	TICKET_SUBJECT_CHARS = 200,
	TICKET_BODY_CHARS = 20000,
	TICKETS_MAILED_HOURLY = 10, /* of an address that has no account */
	TICKET_CLOSES_DAYS = 7      /* after it was resolved */
};
#define TICKET_STATUSES "open|pending|resolved|closed"
#define TICKET_ORIGINS "web|api|email|chat_a|chat_b"
#define TICKET_PRIORITIES "low|normal|high|urgent"
#define TICKET_CATEGORIES \
	"account|billing|publishing|visibility|domains|data|jobs|library|workspace|api|abuse|other"

/* The caller’s relation to a ticket, as rungs of ticket_api.c: higher ones include lower ones. */
enum ticket_role { TICKET_NONE, TICKET_ADMIN, TICKET_REQUESTER, TICKET_STAFF };

/* The author. Requesters don’t see the addresses of staff. */
#define TICKET_PERSON(F, T) \
	F(T, ID,    user_id, .flags = F_NUL, .arg = "usr_", \
		.doc = "null for whoever wrote by e-mail, and for an account that is gone") \
	F(T, STR,   name,    .doc = "Can be empty") \
	F(T, EMAIL, email,   .flags = F_NUL, .doc = "null for staff, unless you are staff") \
	F(T, WORD,  kind,    .flags = F_NUL, .arg = SUBJECT_KINDS)
SHAPE_DECLARE(ticket_person, TICKET_PERSON);

/* A draft of a ticket's category, priority, summary, and answer. While the runner makes it, state
 * is waiting, and the other fields are from the last one. */
#define TICKET_TRIAGE(F, T) \
	F(T, WORD, state,           .arg = "waiting|made") \
	F(T, WORD, category,        .flags = F_NUL, .arg = TICKET_CATEGORIES) \
	F(T, WORD, priority,        .flags = F_NUL, .arg = TICKET_PRIORITIES) \
	F(T, STR,  summary,         .flags = F_NUL) \
	F(T, STR,  suggested_reply, .flags = F_NUL, .doc = "Never sent by itself") \
	F(T, WORD, source,          .flags = F_NUL, .arg = "llm|rules") \
	F(T, STR,  model,           .flags = F_NUL) \
	F(T, STR,  error,           .flags = F_NUL, \
		.doc = "Why there is nothing of the language model's") \
	F(T, TIME, made_at,         .flags = F_NUL)
SHAPE_DECLARE(ticket_triage, TICKET_TRIAGE);

#define TICKET_MESSAGE(F, T) \
	F(T, ID,   id,         .arg = "msg_") \
	F(T, OBJ,  author,     .sub = &ticket_person_shape) \
	F(T, BOOL, staff,      .doc = "Written as staff, not as the requester") \
	F(T, BOOL, note,       .doc = "For staff alone") \
	F(T, STR,  body) \
	F(T, WORD, channel,    .arg = TICKET_ORIGINS) \
	F(T, BOOL, delivered,  .flags = F_NUL, \
		.doc = "Of a reply: whether it is on its way; null for other messages") \
	F(T, STRS, attachments_dropped, \
		.doc = "Names of files that came with an e-mail and weren't kept") \
	F(T, STR,  dropped,    .flags = F_HID, .doc = "The same, as JSON") \
	F(T, TIME, created_at) \
	F(T, BOOL, undelivered, .flags = F_HID, .doc = "For pages of staff (ticket_talk())")
SHAPE_DECLARE(ticket_message, TICKET_MESSAGE);

#define TICKET_FIELDS(F, T) \
	F(T, ID,   id,           .arg = "tkt_") \
	F(T, STR,  subject) \
	F(T, STR,  body,         .doc = "What it was opened with") \
	F(T, ID,   workspace_id, .flags = F_NUL, .arg = "wsp_", .wire = "workspaceId") \
	F(T, WORD, status,       .arg = TICKET_STATUSES) \
	F(T, WORD, origin,       .arg = TICKET_ORIGINS) \
	F(T, OBJ,  requester,    .sub = &ticket_person_shape) \
	F(T, BOOL, unverified, \
		.doc = "It came by e-mail, and nothing proves that the address is the sender's") \
	F(T, ID,   assignee_id,  .flags = F_NUL, .arg = "usr_", .wire = "assigneeUserId") \
	F(T, INT,  message_count, .doc = "Those that you can read, the first one included") \
	F(T, TIME, created_at) \
	F(T, TIME, updated_at)
/* priority: of the triage, for staff; NULL for others, and before there is one. */
#define TICKET(F, T) \
	TICKET_FIELDS(F, T) \
	F(T, WORD, priority,     .flags = F_OPT, .arg = TICKET_PRIORITIES, \
		.doc = "As triage has it; for staff alone")
SHAPE_DECLARE(ticket, TICKET);
/* A ticket with everything that the reader may see. */
#define TICKET_WHOLE(F, T) \
	TICKET_FIELDS(F, T) \
	F(T, LIST, messages,     .sub = &ticket_message_shape, .doc = "Oldest first") \
	F(T, OBJ,  triage,       .flags = F_OPT, .sub = &ticket_triage_shape, \
		.doc = "For staff alone")
SHAPE_DECLARE(ticket_whole, TICKET_WHOLE);

/* The ticket that a route’s path names, with the caller’s role. */
#define TICKET_SEEN(F, T) \
	F(T, ID,   id,              .arg = "tkt_") \
	F(T, ID,   requester_id,    .flags = F_NUL) \
	F(T, STR,  requester_email, .flags = F_NUL, .doc = "Of their account, or of the mail") \
	F(T, ID,   workspace_id,    .flags = F_NUL) \
	F(T, STR,  subject) \
	F(T, WORD, status,          .arg = TICKET_STATUSES) \
	F(T, WORD, origin,          .arg = TICKET_ORIGINS) \
	F(T, ID,   connection_id,   .flags = F_NUL) \
	F(T, STR,  channel,         .flags = F_NUL) \
	F(T, ID,   assignee_id,     .flags = F_NUL) \
	F(T, STR,  mail_key) \
	F(T, STR,  mail_id,         .flags = F_NUL) \
	F(T, INT,  messages) \
	F(T, INT,  size_bytes) \
	F(T, INT,  role,            .doc = "enum ticket_role")
SHAPE_DECLARE(ticket_seen, TICKET_SEEN);

#define TICKET_NEW(F, T) \
	F(T, STR, subject,       .flags = F_REQ, .lo = 1, .hi = TICKET_SUBJECT_CHARS, \
		.eg = "\"The nightly job can’t read orders\"") \
	F(T, STR, body,          .flags = F_REQ | F_LONG, .lo = 1, .hi = TICKET_BODY_CHARS, \
		.eg = "\"It has failed since Friday. Request: req_01m8k2v9c4w7\"") \
	F(T, ID,  workspace_id,  .flags = F_NUL, .arg = "wsp_", .wire = "workspaceId", \
		.doc = "Whose admins see it in their list; you have to be a member") \
	F(T, ID,  connection_id, .flags = F_NUL, .arg = "con_", .wire = "connectionId", \
		.doc = "A chat of that workspace that the question came from; " \
		       "replies are posted there") \
	F(T, STR, channel,       .flags = F_NUL, .lo = 1, .hi = 40, \
		.doc = "Id of the channel there")
SHAPE_DECLARE(ticket_new, TICKET_NEW);

#define TICKET_WRITE(F, T) \
	F(T, STR,  body,   .flags = F_REQ | F_LONG, .lo = 1, .hi = TICKET_BODY_CHARS, \
		.eg = "\"It works again, thank you.\"") \
	F(T, BOOL, note,   .doc = "Of staff: a note that staff alone can read") \
	F(T, BOOL, solved, .doc = "Of the requester: it is solved, so the ticket is resolved")
SHAPE_DECLARE(ticket_write, TICKET_WRITE);

#define TICKET_ANSWER(F, T) \
	F(T, STR,  body,   .flags = F_REQ | F_LONG, .lo = 1, .hi = TICKET_BODY_CHARS, \
		.eg = "\"Give it SELECT on the table orders, then run it again.\"")
SHAPE_DECLARE(ticket_answer, TICKET_ANSWER);
/* The outcome of an answer. */
#define TICKET_ANSWERED(F, T) \
	F(T, OBJ,  message,   .sub = &ticket_message_shape) \
	F(T, BOOL, delivered, .doc = "false: they can't be reached, and read it in the ticket") \
	F(T, WORD, status,    .arg = TICKET_STATUSES)
SHAPE_DECLARE(ticket_answered, TICKET_ANSWERED);

#define TICKET_STATUS(F, T) \
	F(T, WORD, status, .flags = F_REQ, .arg = TICKET_STATUSES, .eg = "\"resolved\"")
SHAPE_DECLARE(ticket_status, TICKET_STATUS);

#define TICKET_ASSIGN(F, T) \
	F(T, ID, assignee_id, .flags = F_REQ | F_NUL, .arg = "usr_", .wire = "assigneeUserId", \
		.doc = "Somebody of the staff; null for nobody", .eg = "null")
SHAPE_DECLARE(ticket_assign, TICKET_ASSIGN);

#define TICKET_SCOPES "mine|workspace|all|assigned"
#define TICKET_QUERY(F, T) \
	F(T, WORD, scope,      .arg = TICKET_SCOPES, .def = "mine") \
	F(T, ID,   workspace,  .arg = "wsp_", .doc = "For scope=workspace: admins and the owner") \
	F(T, WORD, status,     .arg = TICKET_STATUSES) \
	F(T, WORD, priority,   .arg = TICKET_PRIORITIES, .doc = "For staff: as triage has it") \
	F(T, BOOL, unassigned, .doc = "For scope=all") \
	PAGE_FIELDS(F, T, 200)
SHAPE_DECLARE(ticket_query, TICKET_QUERY);

/* Finds the ticket as `who` sees it; *out is NULL if there is none, or they may not see it. lock:
 * locks its row. */
enum err ticket_find(struct ctx *c, const char *id, const struct principal *who, bool lock,
    struct ticket_seen **out);
/* Includes its thread; staff's notes and the triage only if the reader is staff and not its
 * requester. */
enum err ticket_read(struct ctx *c, const struct ticket_seen *, const struct principal *who,
    struct ticket_whole **out);
/* Reads a ticket in the form that lists have. */
enum err ticket_row(struct ctx *c, const struct ticket_seen *, const struct principal *who,
    struct ticket **out);
/* Reads message `no`, from 1 on; E_NOT_FOUND. */
enum err ticket_message_get(struct ctx *c, const struct ticket_seen *, const struct principal *who,
    int64_t no, struct ticket_message **out);
/* Newest first; *next is NULL on the last page. scope: mine; assigned (to `who`; E_DENIED unless
 * staff); all (E_DENIED unless super staff); workspace (E_INVALID without one; E_NOT_FOUND if `who`
 * is no member of it, E_DENIED if they are no admin). E_INVALID for a filter that the scope doesn't
 * have. */
enum err ticket_list(struct ctx *c, const struct principal *who, const struct ticket_query *,
    struct ticket_list *out, const char **next);

/* origin: "web" or "api"; a connectionId makes it that chat's. E_NOT_FOUND, of workspaceId, when
 * they are no member of it; E_INVALID for a chat that isn't the workspace's; E_LIMIT_REACHED for
 * more than TICKETS_GOING_ON. */
enum err ticket_open(struct ctx *c, const struct principal *who, const struct ticket_new *,
    const char *origin, const char **id);
/* Adds a message. The requester's, even if they are staff, opens the ticket again from any status
 * (unless solved is set) and mails the assignee. Another staff member's is only shown.
 * E_LIMIT_REACHED if the thread is too long; E_DENIED for a note by the requester, or solved by
 * another. */
enum err ticket_message_add(struct ctx *c, const struct ticket_seen *, const struct principal *who,
    const struct ticket_write *, const char *channel, struct ticket_message **out);
/* Adds an answer of staff, sends it the way the question came, and sets the status `then`, pending
 * or resolved, which the e-mail says. posted: for a ticket from a chat, whether the answer is there
 * (ticket_post()). */
enum err ticket_reply(struct ctx *c, const struct ticket_seen *, const struct principal *who,
    const struct ticket_answer *, bool posted, const char *then,
    struct ticket_answered **out);
/* Posts an answer to the chat that a ticket came from. Outside of a transaction. *posted is false
 * if that fails, which is logged, and for other tickets. */
enum err ticket_post(struct ctx *c, const struct ticket_seen *, const struct principal *who,
    const struct ticket_answer *, bool *posted);
/* Sets any status. If it changes, the requester gets an e-mail. */
enum err ticket_status_set(struct ctx *c, const struct ticket_seen *, const struct principal *who,
    const char *status);
/* Assigns it; user_id NULL: to nobody. E_INVALID for a person who isn't staff. The assignee gets an
 * e-mail, unless they did it themselves. */
enum err ticket_assign_to(struct ctx *c, const struct ticket_seen *, const struct principal *who,
    const char *user_id);
/* Lists possible assignees: staff who can sign in. */
enum err ticket_staff(struct ctx *c, struct ws_user_list *out);
/* The ticket's page for its requester, and for staff. */
const char *ticket_link(struct ctx *c, const char *id);
const char *ticket_staff_link(struct ctx *c, const char *id);

/* ---- by mail ---- */

/* Returns the address for answers to a ticket's e-mails, support+<key>@…. Anybody who has it may
 * write in the ticket: there is no other proof. NULL if support_address isn't set. */
const char *ticket_address(struct ctx *c, const char *mail_key);
/* *id is the ticket of such an address, or NULL if there is none. */
enum err ticket_of_address(struct ctx *c, const char *address, const char **id);

/* An e-mail, parsed. */
struct ticket_mail {
	const char *from, *name; /* the sender's address and name (or NULL); no proof of either */
	const char *subject, *body; /* subject: one line; text: plain, without quoted text */
	struct strs dropped;        /* names of its attachments */
	struct bytes digest;        /* SHA-256 that is the same when it is delivered again */
	const char *id;             /* its Message-ID without <>, or NULL */
};
/* Opens an unverified ticket for that mailbox, even if it has an account. Cuts texts that are too
 * long. *id is NULL if this e-mail was received before. E_RATE_LIMITED past TICKETS_MAILED_HOURLY;
 * E_INVALID for an address that can't be answered. In a transaction. */
enum err ticket_mail_open(struct ctx *c, const struct ticket_mail *, const char **id);
/* Adds an e-mail to the ticket, which opens again. The author is the requester if it is from their
 * account's address, else the account with that address. *id is the message's; NULL as above.
 * E_NOT_FOUND if the ticket was deleted; E_LIMIT_REACHED as above; E_RATE_LIMITED past 60 e-mails
 * to a ticket in an hour. In a transaction. */
enum err ticket_mail_add(
    struct ctx *c, const char *ticket_id, const struct ticket_mail *, const char **id);
/* Begins the text of a ticket with the facts from the page before, so that people see what they
 * send; NULL: there are none. Each may be NULL or empty. */
const char *ticket_begun(
    struct ctx *c, const char *page, const char *request, const char *run);
#endif
