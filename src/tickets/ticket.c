/* SPDX-License-Identifier: Apache-2.0
 * Tickets as somebody reads them: one, its thread, and lists. */
#include "tickets/ticket.h"

#include "base/id.h"
#include "base/json.h"
#include "base/str.h"
#include "core/workspace.h"
#include "tickets/triage.h"

SHAPE_DEFINE(ticket_person, TICKET_PERSON);
SHAPE_DEFINE(ticket_message, TICKET_MESSAGE);
SHAPE_DEFINE(ticket, TICKET);
SHAPE_DEFINE(ticket_whole, TICKET_WHOLE);
SHAPE_DEFINE(ticket_seen, TICKET_SEEN);
SHAPE_DEFINE(ticket_new, TICKET_NEW);
SHAPE_DEFINE(ticket_write, TICKET_WRITE);
SHAPE_DEFINE(ticket_answer, TICKET_ANSWER);
SHAPE_DEFINE(ticket_answered, TICKET_ANSWERED);
SHAPE_DEFINE(ticket_status, TICKET_STATUS);
SHAPE_DEFINE(ticket_assign, TICKET_ASSIGN);
SHAPE_DEFINE(ticket_query, TICKET_QUERY);

const char *
ticket_link(struct ctx *c, const char *id)
{
	return mem_printf(c->mem, "/support/%s", id);
}

const char *
ticket_staff_link(struct ctx *c, const char *id)
{
	return mem_printf(c->mem, "/staff/tickets/%s", id);
}

/* ---- one ticket, for a reader ---- */

#define TICKET_HELD(F, T) F(T, ID, id, .arg = "tkt_")
SHAPE(ticket_held, TICKET_HELD);

/* A caller that waited for the lock must read what was committed meanwhile. */
enum err
ticket_find(struct ctx *c, const char *id, const struct principal *who, bool lock,
    struct ticket_seen **out)
{
	const char *user = who ? who->user_id : NULL;
	struct ticket_held *locked;

	if (lock)
		TRY(db_find(c,
		    ROWS(ticket_held, "SELECT id FROM ticket WHERE id = ? FOR UPDATE"),
		    ARGS(id), &locked));
	TRY(db_find(c,
	    ROWS(ticket_seen,
		"SELECT t.id, t.requester_id, IF(r.disabled_at IS NULL,"
		" COALESCE(r.email, t.requester_email), NULL) AS requester_email, t.workspace_id,"
		" t.subject, t.status, t.origin, t.connection_id, t.channel, t.assignee_id,"
		" t.mail_key, t.mail_id, t.messages, t.size_bytes, CASE WHEN ? THEN ?"
		" WHEN t.requester_id = ? THEN ? WHEN w.id IS NOT NULL THEN ? ELSE 0 END AS role"
		" FROM ticket t LEFT JOIN user r ON r.id = t.requester_id"
		" LEFT JOIN member m ON m.workspace_id = t.workspace_id AND m.user_id = ?"
		" AND m.role IN ('admin', 'owner')"
		" LEFT JOIN workspace w ON w.id = m.workspace_id AND w.deleted_at IS NULL"
		" WHERE t.id = ?"),
	    ARGS(who && who->staff, TICKET_STAFF, user, TICKET_REQUESTER, TICKET_ADMIN, user, id),
	    out));
	return E_OK;
}

/* Staff who ask something themselves see what requesters see. */
static bool
is_staff_of(const struct ticket_seen *t, const struct principal *who)
{
	return who->staff && !str_eq(t->requester_id, who->user_id);
}

/* Two arguments: whether the reader is staff, and who they are. */
#define MESSAGE_COUNT "t.messages - IF(? AND NOT (t.requester_id <=> ?), 0, t.notes)"
#define TICKET_COLUMNS \
	"t.id, t.subject, f.body, t.workspace_id, t.status, t.origin," \
	" t.requester_id AS `requester.user_id`," \
	" COALESCE(r.name, t.requester_name, '') AS `requester.name`," \
	" COALESCE(r.email, t.requester_email) AS `requester.email`, r.kind AS `requester.kind`," \
	" t.requester_id IS NULL AS unverified, t.assignee_id," \
	" " MESSAGE_COUNT " AS message_count, t.created_at, t.updated_at"
#define TICKET_TABLES \
	" FROM ticket t STRAIGHT_JOIN ticket_message f ON f.ticket_id = t.id AND f.no = 1" \
	" LEFT JOIN user r ON r.id = t.requester_id"

static enum err
dropped_read(struct ctx *c, struct ticket_message *m)
{
	struct json *names;

	if (!m->dropped)
		return E_OK;
	TRY(json_parse(c, m->dropped, strlen(m->dropped), &names));
	m->attachments_dropped.v = mem_array(c->mem, const char *, json_len(names) + 1);
	for (size_t i = 0; i < json_len(names); i++)
		m->attachments_dropped.v[m->attachments_dropped.n++] =
		    json_str(json_at(names, i));
	return E_OK;
}

#define MESSAGE_COLUMNS \
	"m.id, m.author_id AS `author.user_id`," \
	" COALESCE(u.name, IF(m.author_email = t.requester_email, t.requester_name, NULL), '')" \
	" AS `author.name`, IF(? OR NOT m.staff, COALESCE(u.email, m.author_email), NULL)" \
	" AS `author.email`, u.kind AS `author.kind`, m.staff, m.note, m.body, m.channel," \
	" m.delivered, m.attachments_dropped AS dropped, m.created_at"

enum err
ticket_message_get(struct ctx *c, const struct ticket_seen *t, const struct principal *who,
    int64_t no, struct ticket_message **out)
{
	TRY(db_one(c,
	    ROWS(ticket_message,
		"SELECT " MESSAGE_COLUMNS
		" FROM ticket t JOIN ticket_message m ON m.ticket_id = t.id"
		" LEFT JOIN user u ON u.id = m.author_id WHERE t.id = ? AND m.no = ?"),
	    ARGS(is_staff_of(t, who), t->id, no), out));
	return dropped_read(c, *out);
}

enum err
ticket_read(struct ctx *c, const struct ticket_seen *t, const struct principal *who,
    struct ticket_whole **out)
{
	bool staff = is_staff_of(t, who);
	struct ticket_triage *triage = NULL;
	struct ticket_message_list rows;

	TRY(db_one(c,
	    ROWS(ticket_whole, "SELECT " TICKET_COLUMNS TICKET_TABLES " WHERE t.id = ?"),
	    ARGS(who->staff != STAFF_NONE, who->user_id, t->id), out));
	TRY(db_all(c,
	    ROWS(ticket_message,
		"SELECT " MESSAGE_COLUMNS
		" FROM ticket t JOIN ticket_message m ON m.ticket_id = t.id"
		" LEFT JOIN user u ON u.id = m.author_id WHERE t.id = ?"
		" AND (? OR NOT m.note) ORDER BY m.no"),
	    ARGS(staff, t->id, staff), &rows));
	for (size_t i = 0; i < rows.n; i++)
		TRY(dropped_read(c, &rows.v[i]));
	(*out)->messages = (struct list){ rows.v, rows.n };
	if (staff)
		TRY(triage_get(c, t->id, &triage));
	(*out)->triage = triage;
	return E_OK;
}

/* ---- lists ---- */

/* The triage's priority is for staff: for others this is FALSE. */
#define TICKET_LIST(of) \
	"SELECT " TICKET_COLUMNS ", IF(? AND NOT (t.requester_id <=> ?), g.priority, NULL)" \
	" AS priority" TICKET_TABLES " LEFT JOIN ticket_triage g ON g.ticket_id = t.id WHERE " of \
	" AND (? IS NULL OR g.priority = ?) AND t.id < ? ORDER BY t.id DESC LIMIT ?"

enum err
ticket_row(struct ctx *c, const struct ticket_seen *t, const struct principal *who,
    struct ticket **out)
{
	return db_one(c,
	    ROWS(ticket,
		"SELECT " TICKET_COLUMNS ", IF(? AND NOT (t.requester_id <=> ?), g.priority, NULL)"
		" AS priority" TICKET_TABLES
		" LEFT JOIN ticket_triage g ON g.ticket_id = t.id WHERE t.id = ?"),
	    ARGS(who->staff != STAFF_NONE, who->user_id, who->staff != STAFF_NONE, who->user_id,
		t->id),
	    out);
}

/* Arguments before and after those of a list’s own condition. */
#define READER(who) \
	(who)->staff != STAFF_NONE, (who)->user_id, (who)->staff != STAFF_NONE, (who)->user_id
#define CHOSEN(q) (q)->priority, (q)->priority, arg_before((q)->cursor, "tkt_")
#define LISTED(of, ...) \
	db_part(c, ROWS(ticket, TICKET_LIST(of)), ARGS(READER(who), __VA_ARGS__, CHOSEN(q)), \
	    q->limit, out, next, last->id)

/* Rights on a workspace named here are checked as for one in a path. */
static enum err
list_workspace(struct ctx *c, const struct principal *who, const struct ticket_query *q,
    struct ticket_list *out, const char **next)
{
	struct workspace *w;

	if (!q->workspace)
		return fail(c, E_INVALID,
		    "workspace: is required with scope=workspace: the ID of one that you are an "
		    "admin of");
	TRY(workspace_get(c, q->workspace, who, false, &w));
	if (w->deleted_at || !w->role)
		return fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
	if (member_rank(w->role) < MEMBER_ADMIN)
		return fail(c, E_DENIED,
		    "This requires the role of admin or owner, which you don't have here");
	return q->status
	    ? LISTED("t.workspace_id = ? AND t.status = ?", w->id, q->status)
	    : LISTED("t.workspace_id = ?", w->id);
}

/* user_id NULL: unassigned ones. */
static enum err
list_assigned(struct ctx *c, const struct principal *who, const struct ticket_query *q,
    const char *user_id, struct ticket_list *out, const char **next)
{
	return q->status
	    ? LISTED("t.assignee_id <=> ? AND t.status = ?", user_id, q->status)
	    : LISTED("t.assignee_id <=> ?", user_id);
}

static enum err
query_check(struct ctx *c, const struct principal *who, const struct ticket_query *q)
{
	bool all = str_eq(q->scope, "all"), assigned = str_eq(q->scope, "assigned");

	if (all && who->staff < STAFF_SUPER)
		return fail(c, E_DENIED,
		    "scope: all tickets are for super staff alone; mine and workspace are for you");
	if (assigned && !who->staff)
		return fail(c, E_DENIED, "scope: tickets are assigned to staff alone");
	if (q->workspace && !str_eq(q->scope, "workspace"))
		return fail(c, E_INVALID, "workspace: applies only with scope=workspace");
	if (q->unassigned && !all)
		return fail(c, E_INVALID, "unassigned: applies only with scope=all");
	if (q->priority && !all && !assigned)
		return fail(c, E_INVALID,
		    "priority: applies only with scope=all and scope=assigned");
	return E_OK;
}

enum err
ticket_list(struct ctx *c, const struct principal *who, const struct ticket_query *q,
    struct ticket_list *out, const char **next)
{
	TRY(query_check(c, who, q));
	if (str_eq(q->scope, "workspace"))
		return list_workspace(c, who, q, out, next);
	if (str_eq(q->scope, "assigned"))
		return list_assigned(c, who, q, who->user_id, out, next);
	if (q->unassigned)
		return list_assigned(c, who, q, NULL, out, next);
	if (str_eq(q->scope, "all"))
		return q->status ? LISTED("t.status = ?", q->status) : LISTED("TRUE = ?", true);
	return q->status
	    ? LISTED("t.requester_id = ? AND t.status = ?", who->user_id, q->status)
	    : LISTED("t.requester_id = ?", who->user_id);
}

enum err
ticket_staff(struct ctx *c, struct ws_user_list *out)
{
	return db_all(c,
	    ROWS(ws_user,
		"SELECT id AS user_id, name, email, kind FROM user"
		" WHERE is_staff > 0 AND disabled_at IS NULL ORDER BY name, id"),
	    NOARGS, out);
}

const char *
ticket_begun(struct ctx *c, const char *page, const char *request, const char *run)
{
	struct buf b = BUF(c->mem);

	if (str_given(page))
		buf_fmt(&b, "Something went wrong at %s\n", page);
	if (str_given(request))
		buf_fmt(&b, "\nRequest: %s", request);
	if (str_given(run) && id_valid(run, "run_"))
		buf_fmt(&b, "\n\nRun: %s", run);
	return b.n ? buf_done(&b) : NULL;
}
