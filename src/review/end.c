/* SPDX-License-Identifier: Apache-2.0
 * The end of a review, and what the artifact and who asked hear of it. */
#include "base/str.h"
#include "core/branding.h"
#include "core/member.h"
#include "core/role.h"
#include "core/tell.h"
#include "db/db.h"
#include "review/entry.h"
#include "site/digest.h"

/* ---- telling ---- */

#define REVIEW_ASKER(F, T) \
	F(T, EMAIL, email) \
	F(T, STR, artifact) \
	F(T, ID, workspace_id, .arg = "wsp_")
SHAPE(review_asker, REVIEW_ASKER);

/* NULL when they may not know of the artifact any more, or have no address. */
static enum err
asker_find(struct ctx *c, const char *id, const char *except, struct review_asker **out)
{
	return db_find(c,
	    ROWS(review_asker,
		"SELECT u.email, a.name AS artifact, a.workspace_id FROM review r"
		" JOIN user u ON u.id = r.created_by"
		" JOIN artifact a ON a.id = r.artifact_id" ROLE_TABLES("u.id")
		" WHERE r.id = ? AND u.id <> ? AND u.email IS NOT NULL"
		" AND u.disabled_at IS NULL AND a.deleted_at IS NULL"
		" AND " ROLE_OF("u.id") " IS NOT NULL"),
	    ARGS(id, except), out);
}

static enum mail_template
end_mail(const char *status)
{
	return str_eq(status, "approved")  ? MAIL_REVIEW_APPROVED
	    : str_eq(status, "sent_back")  ? MAIL_REVIEW_SENT_BACK
	    : str_eq(status, "superseded") ? MAIL_REVIEW_REPLACED
	    : str_eq(status, "expired")    ? MAIL_REVIEW_EXPIRED
					   : MAIL_REVIEW_CLOSED;
}

/* The artifact's budget pays for what nobody did. */
static enum err
asker_tell(struct ctx *c, const struct review *r, const char *status, const struct principal *by,
    const char *note)
{
	struct mail m = { .template = end_mail(status),
		.sender_id = by ? by->user_id : NULL,
		.artifact_id = by ? NULL : r->artifact_id };
	struct review_asker *to;

	if (!mail_enabled(c))
		return E_OK;
	TRY(asker_find(c, r->id, by ? by->user_id : "", &to));
	if (!to)
		return E_OK;
	m.to = to->email;
	m.values = (struct mail_values){ .by = by ? principal_word(by) : NULL,
		.artifact = to->artifact,
		.message = note && *note ? note : NULL,
		.what = mem_printf(c->mem, "version %lld", (long long)r->version_no),
		.link = mem_printf(c->mem, "/a/%s/reviews/%s", r->artifact_id, r->id) };
	if (to->workspace_id)
		TRY(branding_on_mail(c, to->workspace_id, &m.values));
	return tell(c, &m);
}

/* ---- ending ---- */

#define LIVE(F, T) F(T, INT, live_no)
SHAPE(live, LIVE);

/* The live version may be from before versions had digests. */
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
	TRY(db_exec1(c, EXEC("UPDATE review SET status = ?, decided_at = ? WHERE id = ?"),
	    ARGS(status, c->now, r->id)));
	TRY(str_eq(status, "approved")
		? reviewed_set(c, r)
		: db_exec1(c, EXEC("UPDATE artifact SET review_id = NULL WHERE id = ?"),
		      ARGS(artifact_id)));
	return asker_tell(c, r, status, by, note);
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
	if (t->missing)
		return by
		    ? db_exec1(c, EXEC("UPDATE review SET look_at = 0 WHERE id = ?"), ARGS(r->id))
		    : E_OK;
	return review_end(c, a->id, r,
	    t->back           ? "sent_back"
		: t->answered ? "approved"
			      : "closed",
	    by, note);
}
