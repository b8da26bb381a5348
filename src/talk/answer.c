/* SPDX-License-Identifier: Apache-2.0
 * Threads that a version resolves: when it is published, or when the draft goes live. */
#include "base/id.h"
#include "base/str.h"
#include "base/told.h"
#include "core/event.h"
#include "core/follow.h"
#include "db/db.h"
#include "db/ids.h"
#include "inbox/item.h"
#include "site/publishing.h"
#include "talk/place.h"
#include "talk/remark.h"

#define ANSWERED(F, T) \
	F(T, ID,  id,        .arg = "cmt_", .doc = "As it was named") \
	F(T, ID,  head_id,   .arg = "cmt_") \
	F(T, ID,  author_id, .arg = "usr_") \
	F(T, STR, state) \
	F(T, STR, audience) \
	F(T, INT, replies)
SHAPE(answered, ANSWERED);

static const struct answered *
answered_find(const struct answered_list *all, const char *id)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(all->v[i].id, id))
			return &all->v[i];
	return NULL;
}

/* Finds the threads that are open, each once, and locks them. */
static enum err
answers_find(struct ctx *c, const struct happened *h, struct answered_list *open)
{
	const struct publish_answers *p = h->answers;
	const struct comment_reader r = comment_reader_of(h->art, p->who, false);
	struct answered_list all;

	TRY(db_all(c,
	    ROWS(answered,
		"SELECT m.id, h.id AS head_id, h.author_id, h.state, h.audience,"
		" (SELECT COUNT(*) FROM comment n WHERE n.thread_id = h.id) AS replies"
		" FROM " ID_TABLE
		" STRAIGHT_JOIN comment m ON m.id = t.id"
		" STRAIGHT_JOIN comment h ON h.id = COALESCE(m.thread_id, m.id)"
		" WHERE m.artifact_id = ?" COMMENT_SEEN " FOR UPDATE"),
	    ARGS(ids_json(c, ids_in_order(c, p->resolves->v, p->resolves->n), p->resolves->n),
		h->art->id, READER(&r)),
	    &all));
	open->v = mem_array(c->mem, struct answered, p->resolves->n);
	for (size_t i = open->n = 0; i < p->resolves->n; i++) {
		const struct answered *a = answered_find(&all, p->resolves->v[i]);

		if (!a)
			return fail(c, E_INVALID, "resolves[%zu]: this artifact has no comment %s",
			    i, p->resolves->v[i]);
		if (!comment_may_settle(h->art, p->who, a->author_id))
			return fail(c, E_DENIED,
			    "resolves[%zu]: only who began the thread, the owner, and editors can "
			    "resolve %s",
			    i, a->id);
		if (p->reply && a->replies >= THREAD_REPLIES)
			return fail(c, E_LIMIT_REACHED,
			    "resolves[%zu]: the thread of %s has %d replies, the most that one may "
			    "have",
			    i, a->id, THREAD_REPLIES);
		if (str_eq(a->state, "resolved") || strs_have(&h->answers->threads, a->head_id))
			continue;
		strs_add(c->mem, &h->answers->threads, a->head_id);
		open->v[open->n++] = *a;
	}
	return E_OK;
}

/* Inserts the reply into each thread, with its event. */
static enum err
answers_reply(struct ctx *c, const struct happened *h, const struct answered_list *open)
{
	enum { EACH = 10 };
	const struct publish_answers *p = h->answers;
	struct arg *rows = mem_array(c->mem, struct arg, open->n * EACH), *v = rows;
	const char **ids = mem_array(c->mem, const char *, open->n), *text;

	TRY(comments_check_open(c, h->art));
	TRY(comment_text(c, "reply", p->reply, &text));
	for (size_t i = 0; i < open->n; i++) {
		*v++ = arg_str(ids[i] = id_new(c->mem, "cmt_"));
		*v++ = arg_str(h->art->id);
		*v++ = arg_str(p->who->user_id);
		*v++ = arg_str(open->v[i].head_id);
		*v++ = arg_str(open->v[i].head_id);
		*v++ = arg_str(text);
		*v++ = arg_int(h->version_no);
		*v++ = arg_str(open->v[i].audience);
		*v++ = arg_str(comment_via(p->who, false));
		*v++ = arg_int(c->now);
	}
	TRY(db_exec_many(c,
	    EXEC("INSERT INTO comment (id, artifact_id, author_id, reply_to, thread_id, body,"
		 " version_no, audience, via, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    rows, EACH, open->n));
	return event_add_many(c, EVENT_COMMENT_ADDED, h->art->id, ids, open->n);
}

enum err
threads_settled(struct ctx *c, const char *ids, const char *by)
{
	TRY(inbox_end_many(c, ids, NULL));
	return inbox_put(c,
	    INBOX_PUT("WITH z AS (SELECT id FROM " ID_TABLE "), p AS (SELECT h.id, h.author_id"
		" FROM z STRAIGHT_JOIN comment h ON h.id = z.id UNION SELECT m.thread_id,"
		" m.author_id FROM z STRAIGHT_JOIN comment m ON m.thread_id = z.id) SELECT "
		INBOX_ROW("p.author_id", "h.id", "?", "NULL", "a.id", "a.workspace_id", "NULL",
		    "NULL", "h.body", "NULL")
		" FROM p STRAIGHT_JOIN comment h ON h.id = p.id"
		" STRAIGHT_JOIN artifact a ON a.id = h.artifact_id"),
	    ITEM_RESOLVED, ARGS(ids, by));
}

static enum err
answers_settle(struct ctx *c, const struct happened *h, const char *ids)
{
	const char *by = h->answers->who->user_id;

	told_later(c, comment_subject(c->mem, h->art->id));
	if (h->answers->draft)
		return db_exec(c,
		    EXEC("UPDATE " ID_TABLE " STRAIGHT_JOIN comment m ON m.id = t.id"
			 " SET m.pending_version_no = ?"),
		    ARGS(ids, h->version_no), NULL);
	TRY(db_exec(c,
	    EXEC("UPDATE " ID_TABLE " STRAIGHT_JOIN comment m ON m.id = t.id"
		 " SET m.state = 'resolved', m.resolved_by = ?, m.resolved_at = ?,"
		 " m.resolved_version_no = ?, m.pending_version_no = NULL"),
	    ARGS(ids, by, c->now, h->version_no), NULL));
	TRY(db_exec(c,
	    EXEC("UPDATE " ID_TABLE " STRAIGHT_JOIN comment m ON m.thread_id = t.id"
		 " SET m.state = 'resolved'"),
	    ARGS(ids), NULL));
	return threads_settled(c, ids, by);
}

static enum err
version_answers(struct ctx *c, const struct happened *h)
{
	struct answered_list open;

	TRY(answers_find(c, h, &open));
	if (!open.n)
		return E_OK;
	if (h->answers->reply)
		TRY(answers_reply(c, h, &open));
	return answers_settle(
	    c, h, ids_json(c, h->answers->threads.v, h->answers->threads.n));
}

#define NOW_SETTLED(F, T) \
	F(T, ID, id, .arg = "cmt_") \
	F(T, ID, by, .arg = "usr_")
SHAPE(now_settled, NOW_SETTLED);

static enum err
live_settled(struct ctx *c, const struct happened *h)
{
	struct now_settled_list rows;
	const char **ids;

	TRY(db_all(c,
	    ROWS(now_settled,
		"SELECT id, resolved_by AS `by` FROM comment WHERE artifact_id = ?"
		" AND state = 'resolved' AND resolved_version_no = ? AND resolved_at = ?"),
	    ARGS(h->art->id, h->version_no, c->now), &rows));
	ids = mem_array(c->mem, const char *, rows.n + 1);
	for (size_t i = 0; i < rows.n; i++)
		ids[i] = rows.v[i].id;
	return rows.n ? threads_settled(c, ids_json(c, ids, rows.n), rows.v[0].by) : E_OK;
}

static enum err
version_made(struct ctx *c, const struct happened *h)
{
	return h->art->anchored ? places_want(c, h->art->id, h->version_no) : E_OK;
}

/* The threads count as resolved by the publisher of the draft. Threads that another draft would
 * have resolved are passed over. */
static enum err
version_live(struct ctx *c, const struct happened *h)
{
	TRY(db_exec(c,
	    EXEC("BEGIN NOT ATOMIC DECLARE art " SQL_ID " DEFAULT ?;"
		 " DECLARE no INT UNSIGNED DEFAULT ?; DECLARE at BIGINT DEFAULT ?;"
		 " IF EXISTS (SELECT 1 FROM comment WHERE artifact_id = art"
		 " AND pending_version_no IS NOT NULL) THEN"
		 " UPDATE comment h JOIN comment r ON r.thread_id = h.id SET r.state = 'resolved'"
		 " WHERE h.artifact_id = art AND h.pending_version_no = no;"
		 " UPDATE comment h JOIN version v ON v.artifact_id = art AND v.version_no = no"
		 " SET h.state = 'resolved', h.resolved_by = v.created_by, h.resolved_at = at,"
		 " h.resolved_version_no = no, h.pending_version_no = NULL"
		 " WHERE h.artifact_id = art AND h.pending_version_no = no;"
		 " UPDATE comment SET pending_version_no = NULL WHERE artifact_id = art"
		 " AND pending_version_no IS NOT NULL; END IF; END"),
	    ARGS(h->art->id, h->version_no, c->now), NULL));
	TRY(version_made(c, h));
	return live_settled(c, h);
}

static enum err
version_passed(struct ctx *c, const struct happened *h)
{
	return db_exec(c,
	    EXEC("UPDATE comment SET pending_version_no = NULL WHERE artifact_id = ?"
		 " AND pending_version_no BETWEEN ? AND ?"),
	    ARGS(h->artifact_id, h->version_no, h->version_no ? h->version_no : UINT32_MAX), NULL);
}

FOLLOWS(answer, { VERSION_MADE, version_made }, { VERSION_ANSWERS, version_answers },
    { VERSION_LIVE, version_live }, { VERSION_PASSED, version_passed });
