/* SPDX-License-Identifier: Apache-2.0 */
#include "review/review.h"

#include "base/str.h"
#include "core/audit.h"
#include "core/follow.h"
#include "db/db.h"
#include "db/ids.h"
#include "review/entry.h"
#include "site/approval.h"
#include "site/reviewing.h"
#include "site/version.h"

SHAPE_DEFINE(review_person, REVIEW_PERSON);
SHAPE_DEFINE(review_client, REVIEW_CLIENT);
SHAPE_DEFINE(review_entry, REVIEW_ENTRY);
SHAPE_DEFINE(review, REVIEW);
SHAPE_DEFINE(review_ask, REVIEW_ASK);
SHAPE_DEFINE(review_new, REVIEW_NEW);
SHAPE_DEFINE(review_answer, REVIEW_ANSWER);

/* ---- reading ---- */

/* The address by which the user `u` has a role on the artifact `a`, with their rows of collaborator
 * and member. */
#define KNOWN_BY(u, co, wm) \
	"CASE WHEN a.owner_id = " u ".id THEN COALESCE(a.owner_given, " u ".email)" \
	" WHEN " co ".role IS NOT NULL THEN COALESCE(" co ".given_email, " u ".email)" \
	" WHEN " wm ".role IS NOT NULL THEN " u ".email END"
#define KNOWN_TABLES(u, co, wm) \
	" LEFT JOIN collaborator " co " ON " co ".artifact_id = a.id AND " co ".user_id = " u \
	".id LEFT JOIN member " wm " ON " wm ".workspace_id = a.workspace_id AND " wm \
	".user_id = " u ".id"

#define REVIEW_SELECT \
	"SELECT r.id, r.artifact_id, r.version_no, r.digest, r.message," \
	" IF(r.status = 'open' AND r.due_at <= ?, 'expired', r.status) AS status," \
	" u.id AS `created_by.id`, u.name AS `created_by.name`," \
	" IF(?, " KNOWN_BY("u", "co", "wm") ", NULL) AS `created_by.email`," \
	" r.created_at, r.due_at, r.decided_at," \
	" r.status = 'approved' AND COALESCE(lv.digest = r.digest, FALSE) AS applies" \
	" FROM review r JOIN artifact a ON a.id = r.artifact_id" \
	" LEFT JOIN version lv ON lv.artifact_id = a.id AND lv.version_no = a.live_no" \
	" LEFT JOIN user u ON u.id = r.created_by" KNOWN_TABLES("u", "co", "wm") \
	" WHERE r.artifact_id = ?"
/* SQL condition. Arguments: has the caller a role, and their id twice. */
#define REVIEW_SEEN \
	" AND (? OR EXISTS (SELECT 1 FROM review_asked o WHERE o.review_id = r.id" \
	" AND " REVIEW_ASKS "))"

static enum err
entries_read(struct ctx *c, const struct artifact *a, const char *me, const char *ids,
    struct review_entry_list *out)
{
	return db_all(c,
	    ROWS(review_entry,
		"SELECT o.review_id, o.n, o.kind, o.subject_id, o.user_id, p.id AS `person.id`,"
		" p.name AS `person.name`, IF(?, COALESCE(o.given_email, "
		KNOWN_BY("p", "co", "wm") "), NULL) AS `person.email`,"
		" IF(o.kind = 'client', o.subject_id, NULL) AS `client.id`,"
		" s.name AS `client.name`, o.answer, o.note, o.at, o.gone,"
		" " REVIEW_ASKS " AS mine FROM " ID_TABLE
		" STRAIGHT_JOIN review_asked o ON o.review_id = t.id"
		" STRAIGHT_JOIN review r ON r.id = o.review_id"
		" STRAIGHT_JOIN artifact a ON a.id = r.artifact_id"
		" LEFT JOIN user p ON p.id = IF(o.kind = 'person', o.subject_id, o.user_id)"
		KNOWN_TABLES("p", "co", "wm") " LEFT JOIN sharee s ON s.id = o.subject_id"
		" ORDER BY o.review_id, o.n"),
	    ARGS(a->role != NULL, me, me, ids), out);
}

/* Sets the review's own entries from the list for all reviews. */
static void
review_fill(struct ctx *c, const struct artifact *a, const char *me, struct review *r,
    const struct review_entry_list *all)
{
	struct review_entry *v = mem_array(c->mem, struct review_entry, all->n + 1);
	const struct review_person *by = r->created_by;
	bool open = str_eq(r->status, "open");

	r->asked.v = v;
	for (size_t i = 0; i < all->n; i++) {
		const struct review_entry *o = &all->v[i];

		if (!str_eq(o->review_id, r->id))
			continue;
		v[r->asked.n++] = *o;
		r->answered += o->answer != NULL;
		r->needed += !o->gone || o->answer;
		if (o->mine && o->answer && str_eq(o->user_id, me))
			r->my_answer = o->answer;
		if (open && o->mine && !o->gone && (!o->answer || str_eq(o->user_id, me)))
			r->may_answer = true;
	}
	r->url = version_address(c, a->slug, r->version_no);
	r->may_close = open && (str_eq(a->role, "owner") || (by && str_eq(by->id, me)));
}

static enum err
reviews_fill(struct ctx *c, const struct artifact *a, const char *me, struct review *v, size_t n)
{
	const char **ids = mem_array(c->mem, const char *, n + 1);
	struct review_entry_list all;

	if (!n)
		return E_OK;
	for (size_t i = 0; i < n; i++)
		ids[i] = v[i].id;
	TRY(entries_read(c, a, me, ids_json(c, ids, n), &all));
	for (size_t i = 0; i < n; i++)
		review_fill(c, a, me, &v[i], &all);
	return E_OK;
}

enum err
review_list(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct page_query *q, struct review_list *out, const char **next)
{
	bool role = a->role != NULL;
	const char *me = who->user_id;

	TRY(db_part(c,
	    ROWS(review, REVIEW_SELECT REVIEW_SEEN " AND r.id < ? ORDER BY r.id DESC LIMIT ?"),
	    ARGS(c->now, role, a->id, role, me, me, arg_before(q->cursor, "rvw_")), q->limit, out,
	    next, last->id));
	return reviews_fill(c, a, me, out->v, out->n);
}

enum err
review_get(struct ctx *c, const struct artifact *a, const struct principal *who, const char *id,
    struct review **out)
{
	bool role = a->role != NULL;
	const char *me = who->user_id;

	TRY(db_find(c, ROWS(review, REVIEW_SELECT " AND r.id = ?" REVIEW_SEEN),
	    ARGS(c->now, role, a->id, id, role, me, me), out));
	if (!*out)
		return fail(c, E_NOT_FOUND,
		    "There is no such review of this artifact, or it doesn't ask you");
	return reviews_fill(c, a, me, *out, 1);
}

/* ---- answering ---- */

enum err
review_hold(struct ctx *c, const char *artifact_id, const char *id, struct review **out)
{
	return db_find(c,
	    ROWS(review,
		"SELECT id, artifact_id, version_no, digest, message, status,"
		" created_by AS `created_by.id`, created_at, due_at, decided_at FROM review"
		" WHERE id = ? AND artifact_id = ?"),
	    ARGS(id, artifact_id), out);
}

bool
review_is_over(const struct ctx *c, const struct review *r)
{
	return !str_eq(r->status, "open") || r->due_at <= c->now;
}

#define OPEN_THREADS(F, T) F(T, INT, n)
SHAPE(open_threads, OPEN_THREADS);

/* Refuses to send back without a reason: a note, or an open thread of theirs on the version. */
static enum err
reason_check(struct ctx *c, const struct review *r, const struct principal *who,
    const struct review_answer *in)
{
	struct open_threads *row;

	if (str_eq(in->answer, "approve") || (in->note && in->note[strspn(in->note, " \t\r\n")]))
		return E_OK;
	TRY(db_one(c,
	    ROWS(open_threads,
		"SELECT COUNT(*) AS n FROM comment WHERE artifact_id = ? AND state = 'open'"
		" AND thread_id IS NULL AND author_id = ? AND version_no = ?"),
	    ARGS(r->artifact_id, who->user_id, r->version_no), &row));
	return row->n ? E_OK
		      : fail(c, E_INVALID,
			    "note: say why you send it back, here or in a comment on version %lld",
			    (long long)r->version_no);
}

/* Returns true if an entry waits for the user's answer, or has one that they may change. *asked: an
 * entry asks them, perhaps for a client for which somebody else has answered. */
static bool
is_answerable(const struct review_entry_list *all, const char *me, bool *asked)
{
	bool any = false;

	*asked = false;
	for (size_t i = 0; i < all->n; i++) {
		const struct review_entry *o = &all->v[i];

		*asked = *asked || (o->mine && !o->gone);
		any = any || (o->mine && !o->gone && (!o->answer || str_eq(o->user_id, me)));
	}
	return any;
}

/* Stores an answer. For a client the first person who answered counts, and may change it. */
static enum err
answer_record(struct ctx *c, const struct review *r, const struct principal *who,
    const char *answer, const char *note)
{
	return db_exec(c,
	    EXEC("UPDATE review_asked o SET o.answer = ?, o.note = ?, o.at = ?, o.user_id = ?"
		 " WHERE o.review_id = ? AND NOT o.gone AND " REVIEW_ASKS
		 " AND (o.answer IS NULL OR o.user_id = ?)"),
	    ARGS(answer, note && *note ? note : NULL, c->now, who->user_id, r->id, who->user_id,
		who->user_id, who->user_id),
	    NULL);
}

enum err
review_answer_it(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, const struct review_answer *in)
{
	bool approves = str_eq(in->answer, "approve"), asked, may;
	struct review_entry_list all;
	struct review *seen, *r;

	TRY(review_get(c, a, who, id, &seen));
	TRY(review_hold(c, a->id, id, &r));
	all = (struct review_entry_list){ seen->asked.v, seen->asked.n };
	may = is_answerable(&all, who->user_id, &asked);
	if (!asked || who->grants_only)
		return fail(c, E_DENIED, "Only the people whom a review asks can answer it");
	if (review_is_over(c, r))
		return fail(c, E_CONFLICT, "This review is over: %s",
		    str_eq(r->status, "open") ? "it has expired" : r->status);
	if (!may)
		return fail(c, E_CONFLICT, "Somebody else has already answered for your client");
	if (!str_eq(in->digest, r->digest))
		return fail(c, E_VERSION_CONFLICT,
		    "digest: the review is about version %lld, whose digest is %s; look at it "
		    "before you answer",
		    (long long)r->version_no, r->digest);
	TRY(reason_check(c, r, who, in));
	TRY(answer_record(c, r, who, in->answer, in->note));
	TRY(audit_artifact(c, a, approves ? "review.approved" : "review.sent_back", NULL,
	    audit_facts(c, "review|version_no", r->id, r->version_no)));
	TRY(review_settle(c, a, r, who, in->note));
	return approval_answer(c, a, who, r->version_no,
	    &(struct approval_decision){ .decision = approves ? "approve" : "reject",
		.comment = in->note ? str_cut(c->mem, in->note, 1000) : NULL });
}

enum err
review_close(struct ctx *c, const struct artifact *a, const struct principal *who, const char *id)
{
	const struct review_person *by;
	struct review *seen, *r;

	TRY(review_get(c, a, who, id, &seen));
	TRY(review_hold(c, a->id, id, &r));
	by = r->created_by;
	if (!str_eq(a->role, "owner") && !(by && str_eq(by->id, who->user_id)))
		return fail(
		    c, E_DENIED, "Only the person who asked for a review, and the owner, close it");
	if (review_is_over(c, r))
		return fail(c, E_CONFLICT, "This review is over: %s", seen->status);
	TRY(audit_artifact(c, a, "review.closed", NULL,
	    audit_facts(c, "review|version_no", r->id, r->version_no)));
	return review_end(c, a->id, r, "closed", who, NULL);
}

/* ---- when other things change ---- */

/* Ends an open review when a version with other bytes is made. */
static enum err
version_made(struct ctx *c, const struct happened *h)
{
	struct review *r = NULL;

	if (h->art->review_id)
		TRY(review_hold(c, h->art->id, h->art->review_id, &r));
	if (!r || str_eq(r->digest, h->digest))
		return E_OK;
	return review_end(c, h->art->id, r, "superseded", c->actor, NULL);
}

/* Records a decision on an approval as the answer of its person, if the review asks them. */
static enum err
approval_decided(struct ctx *c, const struct happened *h)
{
	const struct principal who = { .kind = "person", .user_id = h->user_id };
	bool rejects = str_eq(h->decision->decision, "reject"), asked;
	struct review_entry_list all;
	struct review *r;

	TRY(review_hold(c, h->art->id, h->art->review_id, &r));
	if (!r || review_is_over(c, r) || r->version_no != h->version_no)
		return E_OK;
	TRY(entries_read(c, h->art, h->user_id, ids_json(c, &r->id, 1), &all));
	if (!is_answerable(&all, h->user_id, &asked))
		return E_OK;
	TRY(answer_record(c, r, &who, rejects ? "send_back" : "approve", h->decision->comment));
	return review_settle(c, h->art, r, c->actor, h->decision->comment);
}

static enum err
deleted(struct ctx *c, const struct happened *h)
{
	struct review *r = NULL;

	if (h->art->review_id)
		TRY(review_hold(c, h->art->id, h->art->review_id, &r));
	return r ? review_end(c, h->art->id, r, "closed", c->actor, NULL) : E_OK;
}

static enum err
purged(struct ctx *c, const struct happened *h)
{
	return db_exec(c,
	    EXEC("UPDATE review SET status = 'closed', decided_at = ? WHERE open_of = ?"),
	    ARGS(c->now, h->art->id), NULL);
}

/* The runner looks at these reviews now (look.c). */
static enum err
wake(struct ctx *c, const char *artifact_id)
{
	return db_exec(
	    c, EXEC("UPDATE review SET look_at = 0 WHERE open_of = ?"), ARGS(artifact_id), NULL);
}

static enum err
wake_asked(struct ctx *c, const char *subject_id)
{
	return db_exec(c,
	    EXEC("UPDATE review_asked o JOIN review r ON r.id = o.review_id AND r.status = 'open'"
		 " SET r.look_at = 0 WHERE o.subject_id = ?"),
	    ARGS(subject_id), NULL);
}

static enum err
moved_out(struct ctx *c, const struct happened *h)
{
	return h->art->review_id ? wake(c, h->art->id) : E_OK;
}

static enum err
finders_change(struct ctx *c, const struct happened *h)
{
	return h->artifact_id ? wake(c, h->artifact_id) : wake_asked(c, h->user_id);
}

static enum err
user_disabled(struct ctx *c, const struct happened *h)
{
	return wake_asked(c, h->user_id);
}

/* A subject can't be asked any more. If it is a deleted client, the runner ends the inbox items of
 * its people (look.c). */
static enum err
reach_ended(struct ctx *c, const struct happened *h)
{
	TRY(wake_asked(c, h->find_id));
	return inbox_sync(c, &review_waits, BY_USER, h->find_id);
}

static enum err
client_joined(struct ctx *c, const struct happened *h)
{
	return inbox_sync(c, &review_waits, BY_USER, h->user_id);
}

/* Gives a person's entries to another account, or deletes them with the account (to NULL). Answers
 * that the person gave for a client stay. */
static enum err
subject_change(struct ctx *c, const char *from, const char *to)
{
	if (to)
		return USER_GIVE("UPDATE", review_asked, subject_id);
	TRY(wake_asked(c, from));
	return USER_DELETE(review_asked, subject_id);
}

USERS(TRY(subject_change(c, from, to));
      USER_UNSET(review, created_by) USER_UNSET(review_asked, user_id))
FOLLOWS(review, { VERSION_MADE, version_made }, { APPROVAL_DECIDED, approval_decided },
    { ARTIFACT_DELETED, deleted }, { ARTIFACT_PURGED, purged }, { ARTIFACT_LEAVES, moved_out },
    { FINDERS_CHANGE, finders_change }, { USER_DISABLED, user_disabled },
    { REACH_ENDED, reach_ended }, { CLIENT_JOINED, client_joined }, USERS_FOLLOW);
PURGES(review, ROWS_OF(review));
