/* SPDX-License-Identifier: Apache-2.0 */
#include "talk/comment.h"

#include "base/id.h"
#include "base/str.h"
#include "base/told.h"
#include "core/event.h"
#include "core/follow.h"
#include "core/mail.h"
#include "db/db.h"
#include "db/ids.h"
#include "inbox/item.h"
#include "inbox/stop.h"
#include "talk/remark.h"

SHAPE_DEFINE(comment_author, COMMENT_AUTHOR);
SHAPE_DEFINE(comment_person, COMMENT_PERSON);
SHAPE_DEFINE(anchor_quote, ANCHOR_QUOTE);
SHAPE_DEFINE(anchor, ANCHOR);
SHAPE_DEFINE(comment_place, COMMENT_PLACE);
SHAPE_DEFINE(comment, COMMENT);
SHAPE_DEFINE(comments, COMMENTS);
SHAPE_DEFINE(comment_new, COMMENT_NEW);
SHAPE_DEFINE(comment_edit, COMMENT_EDIT);
SHAPE_DEFINE(comment_query, COMMENT_QUERY);

enum { EVERY_S = 3600, COUNTED = 100, QUOTED_CHARS = 500, REPLIES_SHOWN = 1000 };

/* ---- reading ---- */

const struct comment_reader comment_reads_all = { .people = true };

struct comment_reader
comment_reader_of(const struct artifact *a, const struct principal *who, bool page)
{
	return (struct comment_reader){ .user_id = who ? who->user_id : NULL,
		.addresses = a->role && !page,
		.people = a->role || a->can_comment,
		.page = page };
}

#define COMMENT_SELECT \
	"SELECT m.id, m.artifact_id, m.body AS `text`, m.path, m.reply_to, m.created_at," \
	" m.edited_at, u.id AS `author.id`, u.name AS `author.name`," \
	" IF(?, " COMMENT_EMAIL ", NULL) AS `author.email`, m.via, h.id AS thread_id," \
	" m.version_no, m.anchor, m.audience, m.state, rb.id AS `resolved_by.id`," \
	" rb.name AS `resolved_by.name`, h.resolved_at, h.resolved_version_no," \
	" h.pending_version_no, COALESCE((SELECT CONCAT('[', GROUP_CONCAT(" \
	"JSON_OBJECT('id', mu.id, 'name', mu.name) ORDER BY mu.id), ']') FROM comment_mention mm" \
	" JOIN user mu ON mu.id = mm.user_id WHERE mm.comment_id = m.id), '[]') AS mentions"
/* m is the comment, h the first of its thread. */
#define COMMENT_JOINED \
	" JOIN comment h ON h.id = COALESCE(m.thread_id, m.id)" \
	" JOIN artifact a ON a.id = m.artifact_id JOIN user u ON u.id = m.author_id" \
	" LEFT JOIN collaborator co ON co.artifact_id = m.artifact_id" \
	" AND co.user_id = m.author_id LEFT JOIN user rb ON rb.id = h.resolved_by"
#define COMMENT_FROM " FROM comment m" COMMENT_JOINED
#define COMMENT_LIST(where) \
	COMMENT_SELECT COMMENT_FROM " WHERE m.artifact_id = ?" where COMMENT_SEEN \
	" AND (? IS NULL OR (h.anchor IS NOT NULL) = ?) AND m.id > ? ORDER BY m.id LIMIT ?"

#define OPEN_COUNT(F, T) F(T, INT, n)
SHAPE(open_count, OPEN_COUNT);

enum err
comment_open_count(
    struct ctx *c, const struct artifact *a, const struct comment_reader *r, int64_t *out)
{
	struct open_count *row;

	TRY(db_one(c,
	    ROWS(open_count,
		"SELECT COUNT(*) AS n FROM comment m WHERE m.artifact_id = ? AND m.state = 'open'"
		" AND m.thread_id IS NULL AND (? OR m.audience = 'all' OR m.author_id = ?)"
		" AND (NOT ? OR (m.audience = 'all' AND m.anchor IS NULL))"),
	    ARGS(a->id, r->people, r->user_id, r->page), &row));
	*out = row->n;
	return E_OK;
}

/* We compute it, because a stored number would need a row that all who comment wait for, and one
 * for each audience. */
enum err
comment_change_no(
    struct ctx *c, const struct artifact *a, const struct comment_reader *r, int64_t *out)
{
	struct open_count *row;

	TRY(db_one(c,
	    ROWS(open_count,
		"SELECT BIT_XOR(CRC32(CONCAT_WS('.', m.id, m.state, m.audience, m.resolved_at,"
		" m.pending_version_no, m.edited_at, m.body))) AS n FROM comment m"
		" JOIN comment h ON h.id = COALESCE(m.thread_id, m.id)"
		" WHERE m.artifact_id = ?" COMMENT_SEEN),
	    ARGS(a->id, READER(r)), &row));
	*out = row->n;
	return E_OK;
}

const char *
comment_subject(void *owner, const char *artifact_id)
{
	return mem_printf(owner, "comments %s", artifact_id);
}

enum err
comment_list(struct ctx *c, const struct artifact *a, const struct comment_query *q,
    const struct comment_reader *r, struct comments *out)
{
	const struct arg after = arg_after(q->cursor, "cmt_");
	const struct arg anchored = arg_opt(q->has.anchored, q->anchored);
	const char *state = str_eq(q->state, "all") ? NULL : q->state;
	const char **next = &out->next_cursor;

	TRY(comment_open_count(c, a, r, &out->open_count));
	if (q->thread)
		return db_part(c,
		    ROWS(comment,
			COMMENT_LIST(" AND h.id = (SELECT COALESCE(t.thread_id, t.id)"
				     " FROM comment t WHERE t.id = ?)"
				     " AND COALESCE(m.path = ?, TRUE)"
				     " AND COALESCE(m.state = ?, TRUE)")),
		    ARGS(r->addresses, a->id, q->thread, q->path, state, READER(r), anchored,
			anchored, after),
		    q->limit, &out->comments, next, last->id);
	if (q->path)
		return db_part(c,
		    ROWS(comment,
			COMMENT_LIST(" AND m.path = ? AND COALESCE(m.state = ?, TRUE)")),
		    ARGS(r->addresses, a->id, q->path, state, READER(r), anchored, anchored,
			after),
		    q->limit, &out->comments, next, last->id);
	if (state)
		return db_part(c, ROWS(comment, COMMENT_LIST(" AND m.state = ?")),
		    ARGS(r->addresses, a->id, state, READER(r), anchored, anchored, after),
		    q->limit, &out->comments, next, last->id);
	return db_part(c, ROWS(comment, COMMENT_LIST("")),
	    ARGS(r->addresses, a->id, READER(r), anchored, anchored, after), q->limit,
	    &out->comments, next, last->id);
}

enum err
comment_threads(struct ctx *c, const struct artifact *a, const char *state, const char *before,
    int64_t most, const struct comment_reader *r, struct comment_list *out, const char **earlier)
{
	struct comment_list heads, replies;
	const char **ids;

	TRY(db_part(c,
	    ROWS(comment,
		COMMENT_SELECT COMMENT_FROM
		" WHERE m.artifact_id = ? AND m.state = ? AND m.thread_id IS NULL" COMMENT_SEEN
		" AND m.id < ? ORDER BY m.id DESC LIMIT ?"),
	    ARGS(r->addresses, a->id, state, READER(r), arg_before(before, "cmt_")), most, &heads,
	    earlier, last->id));
	ids = mem_array(c->mem, const char *, heads.n + 1);
	for (size_t i = 0; i < heads.n; i++)
		ids[i] = heads.v[i].id;
	TRY(db_all(c,
	    ROWS(comment,
		COMMENT_SELECT " FROM " ID_TABLE " STRAIGHT_JOIN comment m ON m.thread_id = t.id"
		COMMENT_JOINED " WHERE m.artifact_id = ? ORDER BY m.id LIMIT ?"),
	    ARGS(r->addresses, ids_json(c, ids, heads.n), a->id, REPLIES_SHOWN), &replies));
	/* Threads begin with the newest, replies with the oldest. */
	out->v = mem_array(c->mem, struct comment, heads.n + replies.n + 1);
	out->n = 0;
	for (size_t i = heads.n; i-- > 0;) {
		out->v[out->n++] = heads.v[i];
		for (size_t k = 0; k < replies.n; k++)
			if (str_eq(replies.v[k].thread_id, heads.v[i].id))
				out->v[out->n++] = replies.v[k];
	}
	return E_OK;
}

enum err
comment_get(struct ctx *c, const struct artifact *a, const char *id,
    const struct comment_reader *r, struct comment **out)
{
	return db_one(c,
	    ROWS(comment,
		COMMENT_SELECT COMMENT_FROM " WHERE m.id = ? AND m.artifact_id = ?" COMMENT_SEEN),
	    ARGS(r->addresses, id, a->id, READER(r)), out);
}

/* ---- writing ---- */

enum err
comment_text(struct ctx *c, const char *field, const char *text, const char **out)
{
	struct buf b = BUF(c->mem);

	for (; *text; text++)
		if (*text != '\r')
			buf_chr(&b, *text);
	*out = buf_done(&b);
	if (!(*out)[strspn(*out, " \t\n")])
		return fail(c, E_INVALID, "%s: must not be blank", field);
	return str_chars(*out) <= COMMENT_CHARS
	    ? E_OK
	    : fail(c, E_INVALID, "%s: must have at most %d characters", field, COMMENT_CHARS);
}

enum err
comments_check_open(struct ctx *c, const struct artifact *a)
{
	return a->comments_open
	    ? E_OK
	    : fail(c, E_DENIED, "Comments on %s are closed; its owner can open them", a->slug);
}

/* The thread that a reply joins. */
#define JOINED(F, T) \
	F(T, ID,  head_id, .arg = "cmt_") \
	F(T, STR, state) \
	F(T, STR, audience) \
	F(T, INT, replies)
SHAPE(joined, JOINED);

/* Finds and locks the thread that a reply joins; *out is NULL if it is no reply. */
static enum err
thread_join(struct ctx *c, const struct artifact *a, const struct comment_reader *r,
    const struct comment_new *in, struct joined **out)
{
	*out = NULL;
	if (!in->reply_to)
		return E_OK;
	if (in->anchor || in->audience)
		return fail(c, E_INVALID, "%s: a reply has that of its thread",
		    in->anchor ? "anchor" : "audience");
	TRY(db_find(c,
	    ROWS(joined,
		"SELECT h.id AS head_id, h.state, h.audience, (SELECT COUNT(*) FROM comment n"
		" WHERE n.thread_id = h.id) AS replies FROM comment m"
		" JOIN comment h ON h.id = COALESCE(m.thread_id, m.id)"
		" WHERE m.id = ? AND m.artifact_id = ?" COMMENT_SEEN " FOR UPDATE"),
	    ARGS(in->reply_to, a->id, READER(r)), out));
	if (!*out)
		return fail(
		    c, E_INVALID, "reply_to: this artifact has no comment %s", in->reply_to);
	return (*out)->replies < THREAD_REPLIES
	    ? E_OK
	    : fail(c, E_LIMIT_REACHED,
		  "reply_to: the thread has %d replies, the most that one may have; begin another",
		  THREAD_REPLIES);
}

const char *
comment_via(const struct principal *who, bool page)
{
	return page ? "page" : principal_is_agent(who) ? "agent" : "person";
}

/* The audience of a new thread. A stranger's remark is for all. */
static const char *
audience_of(const struct comment_new *in, const struct spot *spot, bool people, bool page)
{
	if (page || !people)
		return "all";
	if (in->anchor && spot->closed)
		return "people";
	return in->audience ? in->audience : in->anchor ? "people" : "all";
}

static enum err
comment_insert(struct ctx *c, const struct artifact *a, const struct principal *who, bool page,
    const struct comment_new *in, const struct spot *spot, const struct joined *joined,
    const char *id, const char *text)
{
	bool people = a->role || a->can_comment;
	int64_t added;

	TRY(db_exec(c,
	    EXEC("INSERT INTO comment (id, artifact_id, author_id, reply_to, thread_id, path, body,"
		 " version_no, anchor, state, audience, via, created_at)"
		 " SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM DUAL WHERE ? OR"
		 " (SELECT COUNT(*) FROM (SELECT 1 FROM comment WHERE artifact_id = ?"
		 " AND state = 'open' AND thread_id IS NULL LIMIT ?) o) < ?"),
	    ARGS(id, a->id, who->user_id, in->reply_to, joined ? joined->head_id : NULL, spot->path,
		text, arg_opt(spot->version_no ? GIVEN : ABSENT, spot->version_no), spot->anchor,
		joined ? joined->state : "open",
		joined ? joined->audience : audience_of(in, spot, people, page),
		comment_via(who, page), c->now, joined != NULL, a->id, OPEN_THREADS, OPEN_THREADS),
	    &added));
	return added ? E_OK
		     : fail(c, E_LIMIT_REACHED,
			   "The artifact has %d open threads, the most that it may have; resolve "
			   "some first",
			   OPEN_THREADS);
}

/* Ends the inbox items that its author answers by it, and inserts items for others. */
static enum err
comment_put(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct joined *joined, const char *id)
{
	const char *subjects[] = { a->id, joined ? joined->head_id : NULL };

	TRY(inbox_end_many(c, ids_json(c, subjects, 2), who->user_id));
	TRY(inbox_put(c,
	    INBOX_PUT("SELECT " INBOX_ROW("a.owner_id", "a.id", "m.author_id", "NULL", "a.id",
		"a.workspace_id", "NULL", "NULL", "m.body", "NULL")
		" FROM comment m JOIN artifact a ON a.id = m.artifact_id WHERE m.id = ?"),
	    ITEM_REMARKED, ARGS(id)));
	return !joined ? E_OK : inbox_put(c,
	    INBOX_PUT("SELECT " INBOX_ROW("r.author_id", "m.thread_id", "m.author_id", "NULL",
		"a.id", "a.workspace_id", "NULL", "NULL", "m.body", "NULL")
		" FROM comment m JOIN comment r ON r.id = m.reply_to"
		" JOIN artifact a ON a.id = m.artifact_id AND a.owner_id <> r.author_id"
		" WHERE m.id = ?"),
	    ITEM_ANSWERED, ARGS(id));
}

enum err
comment_add(struct ctx *c, const struct artifact *a, const struct principal *who, bool page,
    const struct comment_new *in, const char **id)
{
	const struct comment_reader reader = comment_reader_of(a, who, page);
	struct joined *joined;
	struct naming naming = { a, who, .field = &in->mentions };
	struct spot spot;

	TRY(comments_check_open(c, a));
	if (!a->role && !a->can_comment && str_eq(a->comments_from, "people"))
		return fail(c, E_DENIED,
		    "Only people with a role on %s, or with a grant, can comment on it", a->slug);
	TRY(comment_text(c, "text", in->text, &naming.text));
	TRY(thread_join(c, a, &reader, in, &joined));
	TRY(spot_read(c, a, who, in, &spot));
	*id = naming.comment_id = id_new(c->mem, "cmt_");
	TRY(comment_insert(c, a, who, page, in, &spot, joined, *id, naming.text));
	TRY(spot_put(c, a, &spot));
	TRY(comment_put(c, a, who, joined, *id));
	if (!page)
		TRY(named_write(c, &naming));
	told_later(c, comment_subject(c->mem, a->id));
	return event_add(c, EVENT_COMMENT_ADDED, a->id, *id);
}

static bool
comment_is_by(const struct comment *m, const struct principal *who)
{
	const struct comment_author *author = m->author;

	return str_eq(author->id, who->user_id);
}

bool
comment_may_settle(
    const struct artifact *a, const struct principal *who, const char *head_author)
{
	return role_rank(a->role) >= ROLE_EDITOR || a->can_edit ||
	    str_eq(head_author, who->user_id);
}

#define HEAD(F, T) F(T, ID, author_id, .arg = "usr_")
SHAPE(head, HEAD);

/* The version that resolves a thread must exist. */
static enum err
state_change(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct comment *m, const struct comment_edit *in)
{
	bool resolves = str_eq(in->state, "resolved");
	int64_t no = in->has.version_no ? in->version_no : a->version_no;
	struct head *head;

	TRY(db_one(c, ROWS(head, "SELECT author_id FROM comment WHERE id = ? AND artifact_id = ?"),
	    ARGS(m->thread_id, a->id), &head));
	if (!comment_may_settle(a, who, head->author_id))
		return fail(c, E_DENIED,
		    "state: only who began the thread, the owner, and editors can change it");
	if (in->has.version_no)
		TRY(spot_version(c, a, who, no));
	if (str_eq(m->state, in->state))
		return E_OK;
	return settle(c, a->id, m->thread_id, resolves ? who->user_id : NULL, resolves ? no : 0);
}

enum err
settle(struct ctx *c, const char *artifact_id, const char *head_id, const char *by, int64_t no)
{
	TRY(db_exec(c,
	    EXEC("BEGIN NOT ATOMIC DECLARE head " SQL_ID " DEFAULT ?;"
		 " UPDATE comment SET state = ?, resolved_by = ?, resolved_at = ?,"
		 " resolved_version_no = ?, pending_version_no = NULL"
		 " WHERE id = head AND artifact_id = ?;"
		 " UPDATE comment SET state = ? WHERE thread_id = head; END"),
	    ARGS(head_id, by ? "resolved" : "open", by, by ? arg_int(c->now) : arg_null(),
		by && no ? arg_int(no) : arg_null(), artifact_id, by ? "resolved" : "open"),
	    NULL));
	if (!by)
		return E_OK;
	TRY(inbox_end(c, artifact_id, by));
	return threads_settled(c, ids_json(c, &head_id, 1), by);
}

static enum err
text_change(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct comment *m, const char *text)
{
	struct naming naming = { a, who, .comment_id = m->id };

	if (!comment_is_by(m, who))
		return fail(c, E_DENIED, "Only its author can edit a comment");
	TRY(comments_check_open(c, a));
	TRY(comment_text(c, "text", text, &naming.text));
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE comment SET body = ?, edited_at = ? WHERE id = ? AND artifact_id = ?"),
	    ARGS(naming.text, c->now, m->id, a->id)));
	return str_eq(m->via, "page") ? E_OK : named_write(c, &naming);
}

static enum err
audience_change(
    struct ctx *c, const struct artifact *a, const struct comment *m, const char *audience)
{
	if (role_rank(a->role) < ROLE_EDITOR && !a->can_edit)
		return fail(c, E_DENIED, "audience: only the owner and editors can change it");
	return db_exec(c,
	    EXEC("UPDATE comment SET audience = ? WHERE artifact_id = ? AND (id = ?"
		 " OR thread_id = ?)"),
	    ARGS(audience, a->id, m->thread_id, m->thread_id), NULL);
}

enum err
comment_change(struct ctx *c, const struct artifact *a, const struct principal *who, const char *id,
    const struct comment_edit *in)
{
	const struct comment_reader reader = comment_reader_of(a, who, false);
	struct comment *m;

	TRY(comment_get(c, a, id, &reader, &m));
	if (!in->text && !in->state && !in->audience)
		return fail(c, E_INVALID, "text: give a text, a state, or an audience");
	if (in->has.version_no && !str_eq(in->state, "resolved"))
		return fail(c, E_INVALID, "version_no: only with the state resolved");
	told_later(c, comment_subject(c->mem, a->id));
	if (in->text)
		TRY(text_change(c, a, who, m, in->text));
	if (in->audience)
		TRY(audience_change(c, a, m, in->audience));
	return in->state ? state_change(c, a, who, m, in) : E_OK;
}

/* Makes the oldest reply the first of a thread whose first comment `h` is about to be deleted. */
#define HEAD_PASSES(which) \
	"UPDATE (SELECT r.thread_id, MIN(r.id) AS id FROM comment h" \
	" STRAIGHT_JOIN comment r ON r.thread_id = h.id WHERE " which " GROUP BY r.thread_id) f" \
	" STRAIGHT_JOIN comment n ON n.thread_id = f.thread_id" \
	" JOIN comment g ON g.id = f.thread_id" \
	" SET n.anchor = IF(n.id = f.id, g.anchor, NULL)," \
	" n.version_no = IF(n.id = f.id, g.version_no, n.version_no)," \
	" n.path = IF(n.id = f.id, g.path, n.path)," \
	" n.resolved_by = IF(n.id = f.id, g.resolved_by, NULL)," \
	" n.resolved_at = IF(n.id = f.id, g.resolved_at, NULL)," \
	" n.resolved_version_no = IF(n.id = f.id, g.resolved_version_no, NULL)," \
	" n.pending_version_no = IF(n.id = f.id, g.pending_version_no, NULL)," \
	" n.thread_id = IF(n.id = f.id, NULL, f.id)"

enum err
comment_remove(
    struct ctx *c, const struct artifact *a, const struct principal *who, const char *id)
{
	const struct comment_reader reader = comment_reader_of(a, who, false);
	struct comment *m;

	TRY(comment_get(c, a, id, &reader, &m));
	if (!comment_is_by(m, who) && role_rank(a->role) < ROLE_EDITOR)
		return fail(c, E_DENIED,
		    "Only its author, the owner, and editors can delete a comment");
	told_later(c, comment_subject(c->mem, a->id));
	if (str_eq(m->id, m->thread_id))
		TRY(db_exec(c, EXEC(HEAD_PASSES("h.id = ?")), ARGS(id), NULL));
	if (m->anchor)
		TRY(spot_again(c, a));
	return db_exec1(c, EXEC("DELETE FROM comment WHERE id = ? AND artifact_id = ?"),
	    ARGS(id, a->id));
}

/* ---- news for the owner ---- */

/* An artifact has at most one e-mail waiting. Later comments go into it, too. */
enum err
comment_heard(struct ctx *c, const char *artifact_id)
{
	return db_exec(c,
	    EXEC(
		"INSERT INTO outbox (id, kind, subject, due_at)"
		" SELECT ?, 'comments', a.id, GREATEST(?, LEAST(a.comments_told_at, ?) + ?)"
		" FROM artifact a"
		" WHERE a.id = ? AND a.owner_id IS NOT NULL AND NOT EXISTS"
		" (SELECT 1 FROM outbox o WHERE o.subject = a.id AND o.kind = 'comments')"),
	    ARGS(id_new(c->mem, "out_"), c->now, c->now, EVERY_S, artifact_id), NULL);
}

/* The newest comment by somebody else since the last e-mail, without those that had an e-mail of
 * their own. news_id NULL: no such comment. */
#define COMMENT_NEWS(F, T) \
	F(T, STR,   artifact) \
	F(T, EMAIL, owner_email, .doc = "NULL for an agent") \
	F(T, ID,    owner_id, .arg = "usr_") \
	F(T, BOOL,  wanted) \
	F(T, TIME,  told_at) \
	F(T, STR,   news_id) \
	F(T, INT,   news_n) \
	F(T, STR,   author) \
	F(T, STR,   body)
SHAPE(comment_news, COMMENT_NEWS);

/* True unless the owner got an e-mail about this very comment, because it mentions them. */
#define NOT_MAILED(m, owner) \
	" AND NOT EXISTS (SELECT 1 FROM comment_mention x WHERE x.comment_id = " m ".id" \
	" AND x.user_id = " owner " AND " INBOX_MAILED("mention", "x.user_id") ")"

static enum err
news_find(struct ctx *c, const char *artifact_id, struct comment_news **out)
{
	return db_find(c,
	    ROWS(comment_news,
		"SELECT a.name AS artifact, o.email AS owner_email,"
		" a.owner_id, a.comment_mails AND " INBOX_MAILED("remark", "a.owner_id")
		" AS wanted, a.comments_told_at AS told_at, m.id AS news_id,"
		" COALESCE(NULLIF(u.name, ''), " COMMENT_EMAIL ", 'Somebody') AS author, m.body,"
		" (SELECT COUNT(*) FROM (SELECT 1 FROM comment n WHERE n.artifact_id = ?"
		" AND n.id > (SELECT t.comments_told_id FROM artifact t WHERE t.id = ?)"
		" AND n.author_id <> (SELECT t.owner_id FROM artifact t WHERE t.id = ?)"
		NOT_MAILED("n", "(SELECT t.owner_id FROM artifact t WHERE t.id = ?)")
		" LIMIT ?) some) AS news_n"
		" FROM artifact a JOIN user o ON o.id = a.owner_id LEFT JOIN comment m"
		" ON m.id = (SELECT l.id FROM comment l WHERE l.artifact_id = a.id"
		" AND l.id > a.comments_told_id AND l.author_id <> a.owner_id"
		NOT_MAILED("l", "a.owner_id")
		" ORDER BY l.id DESC LIMIT 1) LEFT JOIN user u ON u.id = m.author_id"
		" LEFT JOIN collaborator co ON co.artifact_id = a.id AND co.user_id = m.author_id"
		" WHERE a.id = ? AND a.deleted_at IS NULL ORDER BY m.id DESC LIMIT 1"),
	    ARGS(artifact_id, artifact_id, artifact_id, artifact_id, COUNTED, artifact_id), out);
}

static enum err
news_mail(struct ctx *c, const char *artifact_id, const struct comment_news *news)
{
	const char *cut = str_cut(c->mem, news->body, QUOTED_CHARS);
	const char *what = news->news_n == 1 ? "A new comment"
	    : news->news_n == COUNTED
	    ? mem_printf(c->mem, "%d or more new comments", COUNTED)
	    : mem_printf(c->mem, "%lld new comments", (long long)news->news_n);

	return mail_send(c,
	    &(struct mail){ .template = MAIL_COMMENTS,
		.to = news->owner_email,
		.artifact_id = artifact_id,
		.values = { .artifact = news->artifact,
		    .what = what,
		    .who = news->author,
		    .message = str_eq(cut, news->body) ? cut : mem_printf(c->mem, "%s…", cut),
		    .link = mem_printf(c->mem, "/a/%s/comments", artifact_id),
		    .stop = inbox_stop_path(c, "remark", news->owner_id) } });
}

enum err
comment_tell(struct ctx *c, const char *artifact_id, int64_t *again_at)
{
	struct comment_news *news;
	enum err e;

	*again_at = 0;
	TRY(news_find(c, artifact_id, &news));
	if (!news || !news->news_id)
		return E_OK;
	if (news->told_at + EVERY_S > c->now && news->told_at <= c->now) {
		*again_at = news->told_at + EVERY_S;
		return E_OK;
	}
	if (news->wanted && news->owner_email && mail_enabled(c)) {
		e = news_mail(c, artifact_id, news);
		*again_at = e == E_RATE_LIMITED ? c->now + EVERY_S : 0;
		if (e)
			return *again_at ? E_OK : e;
	}
	/* If e-mails are off, mark the comments as reported: turning them on must not report old
	 * ones. */
	return db_exec1(c,
	    EXEC("UPDATE artifact SET comments_told_id = ?, comments_told_at = ? WHERE id = ?"),
	    ARGS(news->news_id, c->now, artifact_id));
}

/* Deletes an account's comments. Replies of others keep a thread that it began. */
static enum err
author_remove(struct ctx *c, const char *from)
{
	TRY(db_exec(c,
	    EXEC("DELETE FROM comment WHERE author_id = ? AND thread_id IS NOT NULL"), ARGS(from),
	    NULL));
	return db_exec(c, EXEC(HEAD_PASSES("h.author_id = ?")), ARGS(from), NULL);
}

USERS(if (!to) TRY(author_remove(c, from)); USER_ENDS(comment, author_id)
	USER_UNSET(comment, resolved_by) USER_EITHER(comment_mention, user_id))
FOLLOWS(comment, USERS_FOLLOW);
PURGES(comment, ROWS_OF(comment));
