/* SPDX-License-Identifier: Apache-2.0
 * Changes of tickets. Each locks the ticket's row, so its messages are numbered without gaps, and
 * of a message and a change of status one waits for the other. */
#include "base/conf.h"
#include "base/id.h"
#include "base/json.h"
#include "base/log.h"
#include "base/str.h"
#include "connections/chat.h"
#include "core/audit.h"
#include "core/follow.h"
#include "core/tell.h"
#include "core/workspace.h"
#include "store/rounds.h"
#include "inbox/item.h"
#include "inbox/stop.h"
#include "tickets/thread.h"
#include "tickets/triage.h"

enum { HOUR_S = 3600, DAY_S = 86400, TOLD_MOST = 20, WHO_CHARS = 254 };

static enum err
ticket_audit(struct ctx *c, const struct ticket_seen *t, const struct principal *who,
    const char *action, const char *after)
{
	if (!t->workspace_id)
		return E_OK;
	return audit_add(c, t->workspace_id, who,
	    &(struct audit){ .action = action, .type = "ticket", .id = t->id, .name = t->subject,
		.after = after });
}

/* Logs an act of staff with its actor. */
static void
staff_log(const struct ticket_seen *t, const struct principal *who, const char *what)
{
	log_line(LOG_LEVEL_INFO, "ticket", "what", what, "ticket", t->id, "by", who->user_id, NULL);
}

/* ---- mail to staff ---- */

/* Mails the assignee, else super staff, but not the actor. */
static enum err
staff_mail(struct ctx *c, const struct ticket_seen *t, const char *by, enum mail_template template,
    const char *who, const char *message)
{
	struct ws_user_list staff;

	TRY(db_all(c,
	    t->assignee_id
		? ROWS(ws_user,
		      "SELECT id AS user_id, name, email, kind FROM user WHERE id = ?"
		      " AND is_staff > 0 AND disabled_at IS NULL AND NOT (id <=> ?) LIMIT ?")
		: ROWS(ws_user,
		      "SELECT id AS user_id, name, email, kind FROM user WHERE is_staff = ?"
		      " AND disabled_at IS NULL AND NOT (id <=> ?) ORDER BY id LIMIT ?"),
	    ARGS(t->assignee_id ? arg_str(t->assignee_id) : arg_int(STAFF_SUPER), by, TOLD_MOST),
	    &staff));
	for (size_t i = 0; i < staff.n; i++)
		TRY(tell(c,
		    &(struct mail){ .template = template,
			.to = staff.v[i].email,
			.values = { .subject = t->subject,
			    .who = str_cut(c->mem, who, WHO_CHARS),
			    .message = message,
			    .link = ticket_staff_link(c, t->id) } }));
	return E_OK;
}

static const char *
person_name(const char *name, const char *email)
{
	return name && *name ? name : email ? email : "Somebody";
}

/* ---- mail to requesters ---- */

/* A requester by e-mail has no page. */
static struct mail
requester_mail(struct ctx *c, const struct ticket_seen *t, enum mail_template with_page,
    enum mail_template without)
{
	return (struct mail){ .template = t->requester_id ? with_page : without,
		.to = t->requester_email,
		.values = { .subject = t->subject,
		    .reply_to = ticket_address(c, t->mail_key),
		    .thread = t->id,
		    .answers = t->mail_id,
		    .link = t->requester_id ? ticket_link(c, t->id) : NULL,
		    .stop = inbox_stop_path(c, "ticket", t->requester_id) } };
}

static enum err
answer_mail(struct ctx *c, const struct ticket_seen *t, const struct principal *who,
    const char *body, const char *then, bool *sent)
{
	struct mail m = requester_mail(c, t, MAIL_TICKET_REPLY, MAIL_TICKET_ANSWER);
	bool page = t->requester_id != NULL, mails;

	*sent = false;
	if (!m.to)
		return E_OK;
	TRY(inbox_mails(c, "ticket", t->requester_id, &mails));
	*sent = !mails;
	if (!mails)
		return E_OK;
	m.values.by = who->name && *who->name ? who->name : "Support";
	m.values.message = body;
	m.values.where = !m.values.reply_to
	    ? page ? "You can answer on the ticket’s page." : "This address takes no answers."
	    : page ? "You can answer on the ticket’s page, or by replying to this e-mail."
		   : "You can answer by replying to this e-mail.";
	if (str_eq(then, "resolved"))
		m.values.where = mem_printf(c->mem,
		    "Your ticket is marked as resolved with this. %s%s",
		    page || m.values.reply_to ? "If it isn’t, answer, and it opens again. " : "",
		    m.values.where);
	return tell_noting(c, &m, sent);
}

static enum err
status_mail(struct ctx *c, const struct ticket_seen *t, const char *status)
{
	static const struct {
		const char *status, *what;
	} words[] = {
		{ "open", "Your ticket is open again." },
		{ "pending", "Your ticket waits for an answer of yours." },
		{ "resolved", "Your ticket was marked as resolved. "
			      "If it isn’t, write again, and it opens again." },
		{ "closed", "Your ticket was closed. If you write again, it opens again." },
	};
	struct mail m = requester_mail(c, t, MAIL_TICKET_STATUS, MAIL_TICKET_STATE);
	bool mails;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_eq(words[i].status, status))
			m.values.what = words[i].what;
	TRY(inbox_mails(c, "ticket", t->requester_id, &mails));
	return m.to && mails ? tell(c, &m) : E_OK;
}

/* ---- messages ---- */

enum err
ticket_text(struct ctx *c, const char *field, const char *text, const char **out)
{
	struct buf b = BUF(c->mem);

	for (; *text; text++)
		if (*text != '\r')
			buf_chr(&b, *text);
	*out = buf_done(&b);
	return (*out)[strspn(*out, " \t\n")]
	    ? E_OK
	    : fail(c, E_INVALID, "%s: must not be blank", field);
}

static enum err
room_check(struct ctx *c, const struct ticket_seen *t, size_t n)
{
	if (t->messages >= TICKET_MESSAGES)
		return fail(c, E_LIMIT_REACHED,
		    "The ticket has %d messages, the most that there can be; open another one",
		    TICKET_MESSAGES);
	return t->size_bytes + (int64_t)n <= TICKET_BYTES
	    ? E_OK
	    : fail(c, E_LIMIT_REACHED,
		  "The ticket's messages would have more than %d MiB; open another one",
		  TICKET_BYTES >> 20);
}

enum err
ticket_put(struct ctx *c, const struct ticket_seen *t, const struct ticket_put *m)
{
	size_t n = strlen(m->body);

	TRY(room_check(c, t, n));
	TRY(db_exec(c,
	    EXEC("INSERT INTO ticket_message (ticket_id, no, id, author_id, author_email, staff,"
		 " note, body, channel, delivered, attachments_dropped, mail_digest, created_at)"
		 " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(t->id, t->messages + 1, m->id ? m->id : id_new(c->mem, "msg_"), m->author_id,
		m->author_email, m->staff, m->note, m->body, m->channel,
		arg_opt(m->answer ? GIVEN : ABSENT, m->delivered), m->dropped,
		m->digest.p ? arg_bytes(m->digest) : arg_null(), c->now),
	    NULL));
	return db_exec1(c,
	    EXEC("UPDATE ticket SET messages = messages + 1, notes = notes + ?,"
		 " size_bytes = size_bytes + ?, updated_at = IF(?, updated_at, ?) WHERE id = ?"),
	    ARGS(m->note, (int64_t)n, m->note, c->now, t->id));
}

enum err
ticket_move(struct ctx *c, const struct ticket_seen *t, const char *status)
{
	TRY(inbox_end(c, t->id, NULL));
	return db_exec1(c,
	    EXEC("UPDATE ticket SET status = ?, resolved_at = IF(? = 'resolved', ?, NULL),"
		 " updated_at = ? WHERE id = ?"),
	    ARGS(status, status, c->now, c->now, t->id));
}

/* Staff have no names in the inbox: whoever answers does it for the service. */
static enum err
requester_put(
    struct ctx *c, const struct ticket_seen *t, enum inbox_sort sort, const char *text)
{
	return inbox_put(c,
	    INBOX_PUT("SELECT " INBOX_ROW("t.requester_id", "t.id", "NULL", "'Support'",
		"NULL", "NULL", "t.subject", "NULL", "?", "NULL") " FROM ticket t WHERE t.id = ?"),
	    sort, ARGS(text, t->id));
}

/* ---- opening ---- */

#define TICKETS_NOW(F, T) F(T, INT, n)
SHAPE(tickets_now, TICKETS_NOW);

/* Locks the person's row, so that two concurrent requests count one after the other. */
static enum err
going_on_check(struct ctx *c, const char *user_id)
{
	struct tickets_now *row;

	TRY(db_one(c, ROWS(tickets_now, "SELECT 1 AS n FROM user WHERE id = ? FOR UPDATE"),
	    ARGS(user_id), &row));
	TRY(db_one(c,
	    ROWS(tickets_now,
		"SELECT COUNT(*) AS n FROM ticket WHERE requester_id = ?"
		" AND status IN ('open', 'pending', 'resolved')"),
	    ARGS(user_id), &row));
	return row->n < TICKETS_GOING_ON
	    ? E_OK
	    : fail(c, E_LIMIT_REACHED,
		  "You have %d tickets that aren't closed; write in one of them instead",
		  TICKETS_GOING_ON);
}

#define TICKET_CHAT(F, T) F(T, STR, provider)
SHAPE(ticket_chat, TICKET_CHAT);

/* *origin becomes the chat's if the question came from one. */
static enum err
chat_check(struct ctx *c, const struct ticket_new *in, const char **origin)
{
	struct ticket_chat *chat;

	if (!in->connection_id && !in->channel)
		return E_OK;
	if (!in->connection_id || !in->channel || !in->workspace_id)
		return fail(c, E_INVALID,
		    "connectionId: goes with channel and workspaceId; give all of them, or none");
	if (!channel_id_valid(in->channel))
		return fail(c, E_INVALID, "channel: must be the id of a channel");
	TRY(db_find(c,
	    ROWS(ticket_chat,
		"SELECT provider FROM connection WHERE id = ? AND workspace_id = ?"
		" AND kind = 'chat'"),
	    ARGS(in->connection_id, in->workspace_id), &chat));
	if (!chat)
		return fail(c, E_INVALID,
		    "connectionId: the workspace has no connection to a chat with this ID");
	*origin = chat->provider;
	return E_OK;
}

const char *
ticket_key_new(struct ctx *c)
{
	uint8_t bytes[ID_BYTES];

	crypto_random(bytes, sizeof bytes);
	return id_text(c->mem, "", bytes);
}

enum err
ticket_insert(struct ctx *c, const struct ticket_seen *t, const char *requester_name)
{
	TRY(db_exec(c,
	    EXEC("INSERT INTO ticket (id, requester_id, requester_email, requester_name,"
		 " workspace_id, subject, origin, connection_id, channel, mail_key, mail_id,"
		 " created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(t->id, t->requester_id, t->requester_id ? NULL : t->requester_email,
		requester_name, t->workspace_id, t->subject, t->origin, t->connection_id,
		t->channel, t->mail_key, t->mail_id, c->now, c->now),
	    NULL));
	return triage_want(c, t->id);
}

/* Mails the people who answer tickets about a new one. */
enum err
ticket_tell_new(struct ctx *c, const struct ticket_seen *t, const char *who, const char *body)
{
	return staff_mail(c, t, t->requester_id, MAIL_TICKET_NEW, who, body);
}

enum err
ticket_tell_more(struct ctx *c, const struct ticket_seen *t, const char *who, const char *body)
{
	return staff_mail(c, t, t->requester_id, MAIL_TICKET_MORE, who, body);
}

enum err
ticket_open(struct ctx *c, const struct principal *who, const struct ticket_new *in,
    const char *origin, const char **id)
{
	const char *subject, *body;
	struct ticket_seen t = { .id = *id = id_new(c->mem, "tkt_"),
		.requester_id = who->user_id,
		.workspace_id = in->workspace_id,
		.connection_id = in->connection_id,
		.channel = in->channel,
		.mail_key = ticket_key_new(c) };
	struct ticket_put first = { .author_id = who->user_id };
	struct workspace *w = NULL;

	TRY(ticket_text(c, "subject", in->subject, &subject));
	TRY(ticket_text(c, "body", in->body, &body));
	if (in->workspace_id)
		TRY(workspace_get(c, in->workspace_id, who, false, &w));
	if (w && (w->deleted_at || member_rank(w->role) < MEMBER_MEMBER))
		return fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	TRY(chat_check(c, in, &origin));
	TRY(going_on_check(c, who->user_id));
	t.subject = subject;
	t.origin = first.channel = origin;
	first.body = body;
	TRY(ticket_insert(c, &t, NULL));
	TRY(ticket_put(c, &t, &first));
	TRY(ticket_audit(c, &t, who, "ticket.opened", NULL));
	return ticket_tell_new(c, &t, person_name(who->name, who->email), body);
}

/* ---- messages of people ---- */

enum err
ticket_message_add(struct ctx *c, const struct ticket_seen *t, const struct principal *who,
    const struct ticket_write *in, const char *channel, struct ticket_message **out)
{
	bool requester = str_eq(t->requester_id, who->user_id);
	struct ticket_put m = { .author_id = who->user_id,
		.staff = !requester,
		.note = in->note,
		.channel = channel };

	if (in->note && requester)
		return fail(c, E_DENIED,
		    "note: only staff can write notes, and not in their own tickets");
	if (in->solved && !requester)
		return fail(c, E_DENIED,
		    "solved: only the requester can say so; staff set the status");
	TRY(ticket_text(c, "body", in->body, &m.body));
	TRY(ticket_put(c, t, &m));
	if (requester) {
		TRY(ticket_move(c, t, in->solved ? "resolved" : "open"));
		TRY(ticket_tell_more(c, t, person_name(who->name, who->email), m.body));
	} else {
		staff_log(t, who, in->note ? "note" : "message");
	}
	return ticket_message_get(c, t, who, t->messages + 1, out);
}

/* ---- acts of staff ---- */

/* Answers go by e-mail, unless the ticket came from a chat. If neither works, the answer is only in
 * the thread. */
static bool
is_of_chat(const struct ticket_seen *t)
{
	return str_in(t->origin, CONNECTOR_CHATS);
}

enum err
ticket_reply(struct ctx *c, const struct ticket_seen *t, const struct principal *who,
    const struct ticket_answer *in, bool posted, const char *then,
    struct ticket_answered **out)
{
	struct ticket_put m = { .author_id = who->user_id,
		.staff = true,
		.answer = true,
		.channel = t->origin,
		.delivered = posted };
	struct ticket_message *message;

	TRY(ticket_text(c, "body", in->body, &m.body));
	if (!is_of_chat(t))
		TRY(answer_mail(c, t, who, m.body, then, &m.delivered));
	TRY(ticket_put(c, t, &m));
	TRY(ticket_move(c, t, then));
	TRY(requester_put(
	    c, t, str_eq(then, "resolved") ? ITEM_TICKET_RESOLVED : ITEM_TICKET_ANSWERED, m.body));
	staff_log(t, who, "reply");
	if (!str_eq(then, "pending") && !str_eq(then, t->status))
		TRY(ticket_audit(c, t, NULL, "ticket.status", audit_facts(c, "status", then)));
	TRY(ticket_message_get(c, t, who, t->messages + 1, &message));
	*out = mem_new(c->mem, struct ticket_answered);
	**out = (struct ticket_answered){
		.message = message, .delivered = m.delivered, .status = then
	};
	return E_OK;
}

static const char *
post_text(struct ctx *c, const struct ticket_seen *t, const char *body)
{
	bool a = str_eq(t->origin, "chat_a");
	const size_t most = a ? CHAT_A_CHARS : CHAT_B_CHARS;
	struct buf b = BUF(c->mem);
	const char *text, *tail;

	(a ? chat_a_escape : chat_b_escape)(&b, t->subject);
	buf_str(&b, "\n\n");
	(a ? chat_a_escape : chat_b_escape)(&b, body);
	text = buf_done(&b);
	if (str_chars(text) <= most)
		return text;
	tail = mem_printf(c->mem, "…\n%s%s", c->conf->base_url, ticket_link(c, t->id));
	return mem_printf(
	    c->mem, "%s%s", str_cut(c->mem, text, most - str_chars(tail)), tail);
}

static enum err
post_send(struct ctx *c, const struct ticket_seen *t, const char *text)
{
	struct connection_used *used;
	struct egress_req *req;
	struct egress_res *res;

	TRY(connection_use(c, t->connection_id, t->workspace_id, t->requester_id, &used));
	if (!str_eq(used->connection->provider, t->origin))
		return fail(c, E_INVALID, "the connection is to another chat now");
	TRY(chat_message_req(c, used, t->channel, text, &req));
	TRY(egress_send(c, req, &res));
	if (res->status / 100 != 2)
		return fail(c, E_UPSTREAM, "the chat returned status %ld", res->status);
	return chat_message_posted(c, used, res);
}

enum err
ticket_post(struct ctx *c, const struct ticket_seen *t, const struct principal *who,
    const struct ticket_answer *in, bool *posted)
{
	const char *body;

	(void)who;
	*posted = false;
	if (!is_of_chat(t) || !t->connection_id || !t->requester_id)
		return E_OK;
	TRY(ticket_text(c, "body", in->body, &body));
	TRY(room_check(c, t, strlen(body)));
	if (!post_send(c, t, post_text(c, t, body))) {
		*posted = true;
		return E_OK;
	}
	log_line(LOG_LEVEL_INFO, "ticket's answer not posted", "ticket", t->id, "why", ctx_why(c),
	    NULL);
	return ctx_forgive(c);
}

enum err
ticket_status_set(struct ctx *c, const struct ticket_seen *t, const struct principal *who,
    const char *status)
{
	if (str_eq(t->status, status))
		return E_OK;
	TRY(ticket_move(c, t, status));
	staff_log(t, who, status);
	TRY(ticket_audit(c, t, NULL, "ticket.status", audit_facts(c, "status", status)));
	if (str_eq(status, "resolved"))
		TRY(requester_put(c, t, ITEM_TICKET_RESOLVED, NULL));
	return status_mail(c, t, status);
}

enum err
ticket_assign_to(struct ctx *c, const struct ticket_seen *t, const struct principal *who,
    const char *user_id)
{
	struct ws_user *to = NULL;
	bool other = user_id && !str_eq(user_id, who->user_id);

	if (user_id)
		TRY(db_find(c,
		    ROWS(ws_user,
			"SELECT id AS user_id, name, email, kind FROM user"
			" WHERE id = ? AND is_staff > 0 AND disabled_at IS NULL"),
		    ARGS(user_id), &to));
	if (user_id && !to)
		return fail(c, E_INVALID,
		    "assigneeUserId: nobody of the staff has this ID; null assigns it to nobody");
	if (str_eq(t->assignee_id, user_id) || (!t->assignee_id && !user_id))
		return E_OK;
	TRY(db_exec1(c, EXEC("UPDATE ticket SET assignee_id = ? WHERE id = ?"),
	    ARGS(user_id, t->id)));
	staff_log(t, who, user_id ? "assigned" : "unassigned");
	if (!other)
		return E_OK;
	return tell(c,
	    &(struct mail){ .template = MAIL_TICKET_ASSIGNED,
		.to = to->email,
		.values = { .subject = t->subject,
		    .by = person_name(who->name, who->email),
		    .link = ticket_staff_link(c, t->id) } });
}

/* ---- expiry, and when other things change ---- */

static enum err
tickets_close(struct ctx *c, int64_t limit, int64_t *done)
{
	return db_exec(c,
	    EXEC("UPDATE ticket SET status = 'closed', updated_at = ? WHERE status = 'resolved'"
		 " AND resolved_at <= ? ORDER BY resolved_at LIMIT ?"),
	    ARGS(c->now, c->now - TICKET_CLOSES_DAYS * DAY_S, limit), done);
}

ROUNDS(ticket, { "tickets", .rows = tickets_close });

/* The merged account is staff if either was. */
static enum err
user_merged(struct ctx *c, const struct happened *h)
{
	TRY(db_exec(c, EXEC("UPDATE ticket SET requester_id = ? WHERE requester_id = ?"),
	    ARGS(h->user_id, h->from_id), NULL));
	TRY(db_exec(c, EXEC("UPDATE ticket_message SET author_id = ? WHERE author_id = ?"),
	    ARGS(h->user_id, h->from_id), NULL));
	TRY(db_exec(c, EXEC("UPDATE ticket SET assignee_id = ? WHERE assignee_id = ?"),
	    ARGS(h->user_id, h->from_id), NULL));
	return db_exec(c,
	    EXEC("UPDATE user SET is_staff = GREATEST(is_staff, COALESCE("
		 "(SELECT f.is_staff FROM user f WHERE f.id = ?), 0)) WHERE id = ?"),
	    ARGS(h->from_id, h->user_id), NULL);
}

static enum err
answerer_gone(struct ctx *c, const struct happened *h)
{
	return db_exec(c, EXEC("UPDATE ticket SET assignee_id = NULL WHERE assignee_id = ?"),
	    ARGS(h->user_id), NULL);
}

/* Deletes the tickets of a deleted account; its messages as staff stay, without a name. */
static enum err
user_deleted(struct ctx *c, const struct happened *h)
{
	TRY(db_exec(c, EXEC("DELETE FROM ticket WHERE requester_id = ?"), ARGS(h->user_id), NULL));
	TRY(db_exec(c, EXEC("UPDATE ticket_message SET author_id = NULL WHERE author_id = ?"),
	    ARGS(h->user_id), NULL));
	return answerer_gone(c, h);
}

/* The ticket is its requester's. */
static enum err
workspace_purged(struct ctx *c, const struct happened *h)
{
	return db_exec(c,
	    EXEC("UPDATE ticket SET workspace_id = NULL, connection_id = NULL, channel = NULL"
		 " WHERE workspace_id = ?"),
	    ARGS(h->workspace_id), NULL);
}

FOLLOWS(ticket, { USER_MERGED, user_merged }, { USER_DELETED, user_deleted },
    { USER_DISABLED, answerer_gone }, { STAFF_ENDED, answerer_gone },
    { WORKSPACE_PURGED, workspace_purged });
