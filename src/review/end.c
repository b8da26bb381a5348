/* SPDX-License-Identifier: Apache-2.0
 * The end of a review, and what the artifact and who asked hear of it. */
#include "base/str.h"
#include "core/branding.h"
#include "core/member.h"
#include "core/role.h"
#include "core/tell.h"
#include "db/db.h"
#include "inbox/stop.h"
#include "review/entry.h"
#include "site/digest.h"

/* ---- telling ---- */

#define REVIEW_ASKER(F, T) \
	F(T, ID, id, .arg = "usr_") \
	F(T, EMAIL, email) \
	F(T, STR, artifact) \
	F(T, ID, workspace_id, .arg = "wsp_")
SHAPE(review_asker, REVIEW_ASKER);

static const struct ending {
	const char *status;
	enum mail_template mail;
	enum inbox_sort item;
} endings[] = { { "approved", MAIL_REVIEW_APPROVED, ITEM_REVIEW_APPROVED },
	{ "sent_back", MAIL_REVIEW_SENT_BACK, ITEM_REVIEW_SENT_BACK },
	{ "superseded", MAIL_REVIEW_REPLACED, ITEM_REVIEW_REPLACED },
	{ "expired", MAIL_REVIEW_EXPIRED, ITEM_REVIEW_EXPIRED },
	{ "closed", MAIL_REVIEW_CLOSED, ITEM_REVIEW_CLOSED } };

/* Mails who asked. If nobody ended the review, the mail counts as the artifact's. */
static enum err
asker_mail(struct ctx *c, const struct review *r, enum mail_template template,
    const struct principal *by, const char *note)
{
	struct mail m = { .template = template,
		.sender_id = by ? by->user_id : NULL,
		.artifact_id = by ? NULL : r->artifact_id };
	struct review_asker *to;

	if (!mail_enabled(c))
		return E_OK;
	/* No row if they may not know of the artifact any more, or have no address. */
	TRY(db_find(c,
	    ROWS(review_asker,
		"SELECT u.id, u.email, a.name AS artifact, a.workspace_id FROM review r"
		" JOIN user u ON u.id = r.created_by"
		" JOIN artifact a ON a.id = r.artifact_id" ROLE_TABLES("u.id")
		" WHERE r.id = ? AND u.id <> ? AND u.email IS NOT NULL"
		" AND u.disabled_at IS NULL AND a.deleted_at IS NULL"
		" AND " ROLE_OF("u.id") " IS NOT NULL AND " INBOX_MAILED("review", "u.id")),
	    ARGS(r->id, by ? by->user_id : ""), &to));
	if (!to)
		return E_OK;
	m.to = to->email;
	m.values = (struct mail_values){ .by = by ? principal_word(by) : NULL,
		.artifact = to->artifact,
		.message = note && *note ? note : NULL,
		.what = mem_printf(c->mem, "version %lld", (long long)r->version_no),
		.link = mem_printf(c->mem, "/a/%s/reviews/%s", r->artifact_id, r->id),
		.stop = inbox_stop_path(c, "review", to->id) };
	if (to->workspace_id)
		TRY(branding_on_mail(c, to->workspace_id, &m.values));
	return tell(c, &m);
}

/* ---- for whom it waits ---- */

/* The entries that nobody has answered and somebody can: a person, or all people of a client. */
INBOX_WAITS(review, ITEM_REVIEW_ASKED,
    INBOX_ROW("IF(o.kind = 'client', m.user_id, o.subject_id)", "r.id", "r.created_by", "b.email",
	"r.artifact_id", "a.workspace_id", "NULL", "NULL", "r.message", "r.due_at"),
    " STRAIGHT_JOIN review r ON r.id = f.id AND r.status = 'open'"
    " STRAIGHT_JOIN artifact a ON a.id = r.artifact_id"
    " LEFT JOIN user b ON b.id = r.created_by STRAIGHT_JOIN review_asked o"
    " ON o.review_id = r.id AND o.answer IS NULL AND NOT o.gone"
    " LEFT JOIN sharee_member m ON o.kind = 'client' AND m.sharee_id = o.subject_id"
    " AND m.workspace_id = a.workspace_id"
    " WHERE IF(o.kind = 'client', m.user_id, o.subject_id) IS NOT NULL",
    "SELECT id FROM review WHERE id = ?",
    "WITH z AS (SELECT id FROM user WHERE id = ?)"
    " SELECT o.review_id AS id FROM z STRAIGHT_JOIN review_asked o ON o.subject_id = z.id"
    " WHERE o.answer IS NULL UNION SELECT o.review_id FROM z STRAIGHT_JOIN sharee_member x"
    " ON x.user_id = z.id STRAIGHT_JOIN review_asked o ON o.subject_id = x.sharee_id"
    " WHERE o.answer IS NULL",
    "SELECT id FROM review WHERE open_of = ?", INBOX_NONE,
    "SELECT id FROM review WHERE wake_at IS NOT NULL");

/* ---- ending ---- */

#define LIVE(F, T) F(T, INT, live_no)
SHAPE(live, LIVE);

/* Notes the approval on the artifact. A live version from before versions had digests gets one. */
static enum err
reviewed_set(struct ctx *c, const struct review *r)
{
	const char *digest;
	struct live *live;

	TRY(db_one(c, ROWS(live, "SELECT live_no FROM artifact WHERE id = ?"), ARGS(r->artifact_id),
	    &live));
	if (live->live_no)
		TRY(digest_get(c, r->artifact_id, live->live_no, &digest));
	return db_exec1(c,
	    EXEC("UPDATE artifact a JOIN review r ON r.id = ? LEFT JOIN version lv"
		 " ON lv.artifact_id = a.id AND lv.version_no = a.live_no"
		 " SET a.review_id = NULL, a.reviewed_id = r.id, a.reviewed_no = r.version_no,"
		 " a.reviewed_at = ?, a.reviewed_digest = r.digest,"
		 " a.reviewed_live = IF(lv.digest = r.digest, lv.version_no, NULL)"
		 " WHERE a.id = ?"),
	    ARGS(r->id, c->now, r->artifact_id));
}

enum err
review_end(struct ctx *c, const char *artifact_id, const struct review *r, const char *status,
    const struct principal *by, const char *note)
{
	const struct ending *ending = endings;

	while (!str_eq(ending->status, status))
		ending++;
	TRY(db_exec1(c, EXEC("UPDATE review SET status = ?, decided_at = ? WHERE id = ?"),
	    ARGS(status, c->now, r->id)));
	TRY(str_eq(status, "approved")
		? reviewed_set(c, r)
		: db_exec1(c, EXEC("UPDATE artifact SET review_id = NULL WHERE id = ?"),
		      ARGS(artifact_id)));
	TRY(inbox_sync(c, &review_waits, BY_SUBJECT, r->id));
	TRY(inbox_put(c,
	    INBOX_PUT(
		"SELECT " INBOX_ROW("r.created_by", "r.id", "?", "?", "r.artifact_id",
		    "a.workspace_id", "NULL", "NULL", "?", "NULL")
		" FROM review r JOIN artifact a ON a.id = r.artifact_id"
		" WHERE r.id = ? AND r.created_by IS NOT NULL"),
	    ending->item,
	    ARGS(by ? by->user_id : NULL, by ? principal_word(by) : NULL, note, r->id)));
	return asker_mail(c, r, ending->mail, by, note);
}

#define TALLY(F, T) \
	F(T, INT, missing) \
	F(T, INT, answered) \
	F(T, INT, back)
SHAPE(tally, TALLY);

/* Somebody for whom it waits may have lost their rights since, so the runner looks soon. */
enum err
review_settle(struct ctx *c, const struct artifact *a, const struct review *r,
    const struct principal *by, const char *note)
{
	struct tally *t;

	TRY(db_one(c,
	    ROWS(tally,
		"SELECT COALESCE(SUM(answer IS NULL AND NOT gone), 0) AS missing,"
		" COUNT(answer) AS answered, COALESCE(SUM(answer = 'send_back'), 0) AS back"
		" FROM review_asked WHERE review_id = ?"),
	    ARGS(r->id), &t));
	if (t->missing) {
		if (by)
			TRY(db_exec1(c, EXEC("UPDATE review SET look_at = 0 WHERE id = ?"),
			    ARGS(r->id)));
		return inbox_sync(c, &review_waits, BY_SUBJECT, r->id);
	}
	return review_end(c, a->id, r,
	    t->back           ? "sent_back"
		: t->answered ? "approved"
			      : "closed",
	    by, note);
}
