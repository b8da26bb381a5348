/* SPDX-License-Identifier: Apache-2.0 */
#include "site/approval.h"

#include "base/id.h"
#include "base/str.h"
#include "core/audit.h"
#include "core/branding.h"
#include "core/event.h"
#include "core/follow.h"
#include "core/member.h"
#include "core/tell.h"
#include "db/db.h"
#include "db/ids.h"
#include "inbox/item.h"
#include "inbox/stop.h"
#include "site/comparepic.h"
#include "site/standing.h"
#include "site/version.h"
#include "store/rounds.h"

SHAPE_DEFINE(publish_policy, PUBLISH_POLICY);
SHAPE_DEFINE(publish_policy_edit, PUBLISH_POLICY_EDIT);
SHAPE_DEFINE(approval_vote, APPROVAL_VOTE);
SHAPE_DEFINE(review_answered, REVIEW_ANSWERED);
SHAPE_DEFINE(approval_review, APPROVAL_REVIEW);
SHAPE_DEFINE(approval, APPROVAL);
SHAPE_DEFINE(approval_new, APPROVAL_NEW);
SHAPE_DEFINE(approval_decision, APPROVAL_DECISION);
SHAPE_DEFINE(approval_query, APPROVAL_QUERY);

/* ---- the policy ---- */

enum err
publish_policy_get(struct ctx *c, const char *workspace_id, struct publish_policy **out)
{
	return db_one(c,
	    ROWS(publish_policy,
		"SELECT publish_policy AS policy, approvals_required FROM workspace WHERE id = ?"),
	    ARGS(workspace_id), out);
}

enum err
publish_policy_change(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct publish_policy_edit *in)
{
	struct publish_policy *before, *after;

	TRY(publish_policy_get(c, w->id, &before));
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE workspace SET publish_policy = COALESCE(?, publish_policy),"
		" approvals_required = COALESCE(?, approvals_required), updated_at = ?"
		" WHERE id = ?"),
	    ARGS(in->policy, arg_opt(in->has.approvals_required, in->approvals_required), c->now,
		w->id)));
	TRY(publish_policy_get(c, w->id, &after));
	if (!str_eq(before->policy, after->policy) && str_eq(after->policy, "require_approval"))
		TRY(db_exec(c,
		    EXEC(
			"UPDATE artifact a JOIN version v ON v.artifact_id = a.id AND v.is_open"
			" SET v.approved = TRUE"
			" WHERE a.workspace_id = ? AND a.visibility <> 'private'"),
		    ARGS(w->id), NULL));
	return audit_workspace(c, w, who, "publish_policy.changed",
	    shape_text(c->mem, &publish_policy_shape, before),
	    shape_text(c->mem, &publish_policy_shape, after));
}

enum err
approval_need(struct ctx *c, const struct artifact *a, const char *visibility)
{
	return a->needs_approval && visibility_opens(a->visibility, visibility)
	    ? fail(c, E_APPROVAL_REQUIRED,
		  "visibility: the workspace must approve making this %s; "
		  "POST /v1/artifacts/%s/publish-approval to request it",
		  visibility, a->id)
	    : E_OK;
}

/* ---- reading ---- */

#define APPROVAL_SELECT \
	"SELECT p.id, p.artifact_id, a.name AS artifact_name, p.version_no, p.visibility," \
	" p.required AS approvals_required," \
	" IF(p.status = 'pending' AND p.expires_at <= ?, 'expired', p.status) AS status," \
	" p.created_at, p.expires_at, p.decided_at," \
	" u.id AS `requested_by.user_id`, u.name AS `requested_by.name`," \
	" u.email AS `requested_by.email`, u.kind AS `requested_by.kind`," \
	" v.created_by AS author_id, " VERSION_AGENT ", " VERSION_NEXT " FROM approval p" \
	" JOIN artifact a ON a.id = p.artifact_id JOIN user u ON u.id = p.requested_by" \
	" LEFT JOIN version v ON v.artifact_id = p.artifact_id AND v.version_no = p.version_no"

#define ASKED(F, T) \
	F(T, ID,   approval_id, .arg = "apr_") \
	F(T, ID,   user_id,     .arg = "usr_") \
	F(T, BOOL, named) \
	F(T, STR,  name) \
	F(T, STR,  email) \
	F(T, STR,  kind) \
	F(T, STR,  decision) \
	F(T, STR,  comment) \
	F(T, INT,  at)
SHAPE(asked, ASKED);

/* Sets the approval’s own people from the list for all approvals. */
static void
approval_fill(struct ctx *c, struct approval *p, const struct asked_list *all)
{
	struct approval_vote *votes = mem_array(c->mem, struct approval_vote, all->n + 1);

	p->approver_ids = (struct strs){ mem_array(c->mem, const char *, all->n + 1), 0 };
	p->approvals = (struct list){ votes, 0 };
	p->changes = version_changes(c, &p->next);
	for (size_t i = 0; i < all->n; i++) {
		const struct asked *o = &all->v[i];
		struct ws_user *user;

		if (!str_eq(o->approval_id, p->id))
			continue;
		if (o->named)
			p->approver_ids.v[p->approver_ids.n++] = o->user_id;
		if (!o->decision)
			continue;
		user = mem_new(c->mem, struct ws_user);
		*user = (struct ws_user){
			.user_id = o->user_id, .name = o->name, .email = o->email, .kind = o->kind
		};
		votes[p->approvals.n++] = (struct approval_vote){
			.user = user, .decision = o->decision, .comment = o->comment, .at = o->at
		};
	}
}

#define REVIEWED_BY(F, T) \
	F(T, ID,   approval_id, .arg = "apr_") \
	F(T, ID,   review_id,   .arg = "rvw_") \
	F(T, OBJ,  by,          .flags = F_NUL, .sub = &review_answered_shape)
SHAPE(reviewed_by, REVIEWED_BY);

/* Sets the review of an approval from the list for all approvals. */
static void
review_fill(struct ctx *c, struct approval *p, const struct reviewed_by_list *all)
{
	struct approval_review *out = NULL;
	struct review_answered *v = mem_array(c->mem, struct review_answered, all->n + 1);

	for (size_t i = 0; i < all->n; i++) {
		if (!str_eq(all->v[i].approval_id, p->id))
			continue;
		if (!out)
			p->review = out = mem_new(c->mem, struct approval_review);
		out->id = all->v[i].review_id;
		out->answers.v = v;
		if (all->v[i].by)
			v[out->answers.n++] = *(const struct review_answered *)all->v[i].by;
	}
}

static enum err
approvals_fill(struct ctx *c, struct approval *v, size_t n)
{
	const char **ids = mem_array(c->mem, const char *, n + 1), *list;
	struct reviewed_by_list reviews;
	struct asked_list all;

	if (!n)
		return E_OK;
	for (size_t i = 0; i < n; i++)
		ids[i] = v[i].id;
	list = ids_json(c, ids, n);
	TRY(db_all(c,
	    ROWS(reviewed_by,
		"SELECT p.id AS approval_id, r.id AS review_id, u.id AS `by.user_id`,"
		" u.name AS `by.name`, s.name AS `by.client`, o.answer AS `by.answer`,"
		" o.note AS `by.note`, o.at AS `by.at` FROM " ID_TABLE
		" STRAIGHT_JOIN approval p ON p.id = t.id STRAIGHT_JOIN review r ON r.id ="
		" (SELECT x.id FROM review x WHERE x.artifact_id = p.artifact_id"
		" AND x.version_no = p.version_no ORDER BY x.id DESC LIMIT 1)"
		" LEFT JOIN review_asked o ON o.review_id = r.id AND o.answer IS NOT NULL"
		" LEFT JOIN user u ON u.id = o.user_id LEFT JOIN sharee s ON s.id = o.subject_id"
		" ORDER BY o.at, o.n"),
	    ARGS(list), &reviews));
	TRY(db_all(c,
	    ROWS(asked,
		"SELECT o.approval_id, u.id AS user_id, o.named, u.name, u.email, u.kind,"
		" o.decision, o.comment, o.at"
		" FROM " ID_TABLE " STRAIGHT_JOIN approver o ON o.approval_id = t.id"
		" STRAIGHT_JOIN user u ON u.id = o.user_id ORDER BY o.at, u.id"),
	    ARGS(list), &all));
	for (size_t i = 0; i < n; i++) {
		approval_fill(c, &v[i], &all);
		review_fill(c, &v[i], &reviews);
	}
	return E_OK;
}

enum err
approval_get(struct ctx *c, const char *id, struct approval **out)
{
	TRY(db_one(c, ROWS(approval, APPROVAL_SELECT " WHERE p.id = ?"), ARGS(c->now, id), out));
	return approvals_fill(c, *out, 1);
}

enum err
approval_pending(struct ctx *c, const char *artifact_id, struct approval **out)
{
	TRY(db_find(c,
	    ROWS(approval, APPROVAL_SELECT " WHERE p.pending_of = ? AND p.expires_at > ?"),
	    ARGS(c->now, artifact_id, c->now), out));
	return *out ? approvals_fill(c, *out, 1) : E_OK;
}

#define APPROVAL_COUNT(F, T) F(T, INT, n)
SHAPE(approval_count, APPROVAL_COUNT);

enum err
approval_list(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct approval_query *q, struct approval_list *out, const char **next)
{
	const struct arg before = arg_before(q->cursor, "apr_");

	if (member_rank(w->role) < MEMBER_ADMIN)
		TRY(db_part(c,
		    ROWS(approval,
			APPROVAL_SELECT
			" WHERE p.requested_by = ? AND p.workspace_id = ? AND p.id < ?"
			" HAVING ? IS NULL OR status = ? ORDER BY p.id DESC LIMIT ?"),
		    ARGS(c->now, who->user_id, w->id, before, q->status, q->status), q->limit, out,
		    next, last->id));
	else if (!q->status)
		TRY(db_part(c,
		    ROWS(approval,
			APPROVAL_SELECT
			" WHERE p.workspace_id = ? AND p.id < ? ORDER BY p.id DESC LIMIT ?"),
		    ARGS(c->now, w->id, before), q->limit, out, next, last->id));
	else /* The status's index leads. Expired ones are still stored as pending. */
		TRY(db_part(c,
		    ROWS(approval,
			APPROVAL_SELECT " WHERE p.workspace_id = ?"
			" AND p.status IN (?, IF(? = 'expired', 'pending', ?))"
			" AND p.id < ? HAVING status = ? ORDER BY p.id DESC LIMIT ?"),
		    ARGS(c->now, w->id, q->status, q->status, q->status, before, q->status),
		    q->limit, out, next, last->id));
	return approvals_fill(c, out->v, out->n);
}

/* ---- telling ---- */

/* Waits for those whom decider_check() lets decide, unless they have. */
INBOX_WAITS(approval, ITEM_APPROVAL_ASKED,
    INBOX_ROW("m.user_id", "p.id", "p.requested_by", "r.email", "p.artifact_id", "p.workspace_id",
	"NULL", "p.visibility", "NULL", "p.expires_at"),
    " STRAIGHT_JOIN approval p ON p.id = f.id STRAIGHT_JOIN user r ON r.id = p.requested_by"
    INBOX_ADMINS("p.workspace_id") " LEFT JOIN version v ON v.artifact_id = p.artifact_id"
    " AND v.version_no = p.version_no"
    " LEFT JOIN approver o ON o.approval_id = p.id AND o.user_id = m.user_id"
    " WHERE p.status = 'pending' AND m.user_id <> p.requested_by"
    " AND NOT (v.created_by <=> m.user_id) AND o.decision IS NULL AND (COALESCE(o.named, FALSE)"
    " OR NOT EXISTS (SELECT 1 FROM approver n WHERE n.approval_id = p.id AND n.named))",
    "SELECT id FROM approval WHERE id = ?",
    "SELECT p.id FROM member m STRAIGHT_JOIN approval p ON p.workspace_id = m.workspace_id"
    " AND p.status = 'pending' WHERE m.user_id = ?",
    "SELECT id FROM approval WHERE pending_of = ?",
    "SELECT id FROM approval WHERE requested_by = ? AND status = 'pending'",
    "SELECT id FROM approval WHERE status = 'pending'");

#define DECIDER(F, T) \
	F(T, ID,    id, .arg = "usr_") \
	F(T, EMAIL, email)
SHAPE(decider, DECIDER);

/* Lists who may decide. The version’s author may not. */
static enum err
deciders_find(struct ctx *c, const struct artifact *a, const struct principal *who, const char *id,
    struct decider_list *out)
{
	return db_all(c,
	    ROWS(decider,
		"SELECT u.id, u.email FROM member m JOIN user u ON u.id = m.user_id"
		" LEFT JOIN approver o ON o.approval_id = ? AND o.user_id = m.user_id AND o.named"
		" WHERE m.workspace_id = ? AND m.role IN ('admin', 'owner') AND u.email IS NOT NULL"
		" AND u.disabled_at IS NULL AND m.user_id <> ? AND "
		INBOX_MAILED("approval", "u.id")
		" AND m.user_id <> COALESCE((SELECT v.created_by FROM version v"
		" WHERE v.artifact_id = ? AND v.version_no = ?), '')"
		" AND (o.user_id IS NOT NULL"
		" OR NOT EXISTS (SELECT 1 FROM approver n WHERE n.approval_id = ? AND n.named))"
		" ORDER BY m.role DESC, m.joined_at, m.user_id LIMIT ?"),
	    ARGS(id, a->workspace_id, who->user_id, a->id, a->last_no, id, APPROVERS_MAILED), out);
}

static enum err
deciders_mail(struct ctx *c, const struct artifact *a, const struct principal *who, const char *id,
    const char *visibility)
{
	struct mail m = { .template = MAIL_APPROVAL_ASKED,
		.sender_id = who->user_id,
		.values = { .by = principal_word(who),
		    .artifact = a->name,
		    .what = visibility,
		    .link = mem_printf(c->mem, "/a/%s/approval/%s", a->id, id) } };
	struct decider_list all;
	struct mail *mails;

	if (!mail_enabled(c))
		return E_OK;
	TRY(deciders_find(c, a, who, id, &all));
	TRY(branding_on_mail(c, a->workspace_id, &m.values));
	mails = mem_array(c->mem, struct mail, all.n + 1);
	for (size_t i = 0; i < all.n; i++) {
		mails[i] = m;
		mails[i].to = all.v[i].email;
		mails[i].values.stop = inbox_stop_path(c, "approval", all.v[i].id);
	}
	return tell_many(c, mails, all.n);
}

#define APPROVAL_ASKER(F, T) \
	F(T, ID,    id,           .arg = "usr_") \
	F(T, EMAIL, email) \
	F(T, ID,    artifact_id,  .arg = "art_") \
	F(T, STR,   artifact) \
	F(T, ID,    workspace_id, .arg = "wsp_") \
	F(T, WORD,  visibility,   .arg = VISIBILITIES)
SHAPE(approval_asker, APPROVAL_ASKER);

/* Puts the end into the asker's inbox, and mails it. by NULL: time alone has ended it, and the mail
 * counts as the artifact's. */
static enum err
asker_notify(struct ctx *c, const char *id, enum mail_template template, const struct principal *by,
    const char *comment)
{
	enum inbox_sort sort = template == MAIL_APPROVAL_APPROVED ? ITEM_APPROVAL_APPROVED
	    : template == MAIL_APPROVAL_REJECTED                  ? ITEM_APPROVAL_REJECTED
	    : template == MAIL_APPROVAL_REPLACED                  ? ITEM_APPROVAL_REPLACED
								  : ITEM_APPROVAL_EXPIRED;
	struct approval_asker *to;
	struct mail m = { .template = template, .sender_id = by ? by->user_id : NULL };

	TRY(inbox_put(c,
	    INBOX_PUT(
		"SELECT " INBOX_ROW("p.requested_by", "p.id", "?", "?", "p.artifact_id",
		    "p.workspace_id", "NULL", "p.visibility", "?", "NULL")
		" FROM approval p WHERE p.id = ?"),
	    sort,
	    ARGS(by ? by->user_id : NULL, by ? principal_word(by) : NULL, comment, id)));
	if (!mail_enabled(c))
		return E_OK;
	/* No row if they may not know of the artifact anymore, or have no address. */
	TRY(db_find(c,
	    ROWS(approval_asker,
		"SELECT u.id, u.email, a.id AS artifact_id, a.name AS artifact, a.workspace_id,"
		" p.visibility FROM approval p JOIN user u ON u.id = p.requested_by"
		" JOIN artifact a ON a.id = p.artifact_id" ROLE_TABLES("u.id")
		" WHERE p.id = ? AND u.id <> ? AND u.email IS NOT NULL"
		" AND u.disabled_at IS NULL AND a.deleted_at IS NULL AND wk.id IS NOT NULL"
		" AND " ROLE_OF("u.id") " IS NOT NULL AND " INBOX_MAILED("approval", "u.id")),
	    ARGS(id, by ? by->user_id : ""), &to));
	if (!to)
		return E_OK;
	m.to = to->email;
	m.artifact_id = by ? NULL : to->artifact_id;
	m.values = (struct mail_values){ .by = by ? principal_word(by) : NULL,
		.artifact = to->artifact,
		.what = to->visibility,
		.message = comment,
		.link = mem_printf(c->mem, "/a/%s/sharing", to->artifact_id),
		.stop = inbox_stop_path(c, "approval", to->id) };
	TRY(branding_on_mail(c, to->workspace_id, &m.values));
	return tell(c, &m);
}

/* ---- asking ---- */

static enum err
approvers_name(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, const struct strs *ids, int64_t required)
{
	struct approval_count *row;

	for (size_t i = 0; i < ids->n; i++) {
		int64_t added;

		if (str_eq(ids->v[i], who->user_id))
			return fail(c, E_INVALID,
			    "approver_ids[%zu]: you can't approve your own request", i);
		TRY(db_exec(c,
		    EXEC(
			"INSERT IGNORE INTO approver (approval_id, user_id, named)"
			" SELECT ?, m.user_id, TRUE"
			" FROM member m JOIN user u ON u.id = m.user_id AND u.disabled_at IS NULL"
			" WHERE m.workspace_id = ? AND m.user_id = ?"
			" AND m.role IN ('admin', 'owner')"),
		    ARGS(id, a->workspace_id, ids->v[i]), &added));
		if (!added)
			return fail(c, E_INVALID,
			    "approver_ids[%zu]: %s isn't an admin or the owner of the workspace, "
			    "has a disabled account, or is listed twice",
			    i, ids->v[i]);
	}
	TRY(db_one(c,
	    ROWS(approval_count, "SELECT COUNT(*) AS n FROM approver WHERE approval_id = ?"),
	    ARGS(id), &row));
	return row->n >= required
	    ? E_OK
	    : fail(c, E_INVALID,
		  "approver_ids: must list at least %lld %s, as many as must approve; "
		  "leave it out to let any admin decide",
		  (long long)required, required == 1 ? "person" : "people");
}

enum err
approval_ask(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct approval_new *in, const char **id)
{
	struct publish_policy *policy;
	int64_t over;
	enum err e;

	if (!a->workspace_id)
		return fail(
		    c, E_CONFLICT, "This artifact isn't in a workspace, so it needs no approval");
	TRY(publish_policy_get(c, a->workspace_id, &policy));
	TRY(db_exec(c,
	    EXEC("UPDATE approval SET status = 'expired' WHERE pending_of = ? AND expires_at <= ?"),
	    ARGS(a->id, c->now), &over));
	if (over)
		TRY(inbox_sync(c, &approval_waits, BY_ARTIFACT, a->id));
	*id = id_new(c->mem, "apr_");
	e = db_exec(c,
	    EXEC(
		"INSERT INTO approval (id, workspace_id, artifact_id,"
		" version_no, visibility, requested_by, required, created_at, expires_at)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(*id, a->workspace_id, a->id, a->last_no, in->visibility, who->user_id,
		policy->approvals_required, c->now, c->now + APPROVAL_S),
	    NULL);
	if (e == E_CONFLICT)
		return fail(c, e,
		    "An approval request for this artifact is already pending; withdraw it first");
	TRY(e);
	if (in->has.approver_ids == GIVEN)
		TRY(approvers_name(
		    c, a, who, *id, &in->approver_ids, policy->approvals_required));
	TRY(audit_artifact(
	    c, a, "approval.requested", NULL, audit_facts(c, "approval", *id)));
	TRY(inbox_sync(c, &approval_waits, BY_SUBJECT, *id));
	TRY(pictured_prepare(c, a, a->last_no));
	return deciders_mail(c, a, who, *id, in->visibility);
}

/* ---- ending otherwise ---- */

static enum err
approval_end(struct ctx *c, const char *artifact_id, const char *status, bool *ended)
{
	int64_t changed;

	TRY(db_exec(c,
	    EXEC("UPDATE approval SET status = ?, decided_at = ? WHERE pending_of = ?"),
	    ARGS(status, c->now, artifact_id), &changed));
	if (ended)
		*ended = changed;
	return changed ? inbox_sync(c, &approval_waits, BY_ARTIFACT, artifact_id) : E_OK;
}

enum err
approval_cancel(struct ctx *c, const char *artifact_id)
{
	return approval_end(c, artifact_id, "cancelled", NULL);
}

enum err
approval_cancel_of(struct ctx *c, const char *artifact_id, const char *user_id)
{
	int64_t changed;

	TRY(db_exec(c,
	    EXEC(
		"UPDATE approval SET status = 'cancelled', decided_at = ?"
		" WHERE pending_of = ? AND requested_by = ?"),
	    ARGS(c->now, artifact_id, user_id), &changed));
	return changed ? inbox_sync(c, &approval_waits, BY_ARTIFACT, artifact_id) : E_OK;
}

#define APPROVAL_OVER(F, T) F(T, ID, id, .arg = "apr_")
SHAPE(approval_over, APPROVAL_OVER);

enum err
approval_supersede(struct ctx *c, const char *artifact_id, const struct principal *who)
{
	struct approval_over *over;
	bool ended;

	TRY(approval_end(c, artifact_id, "superseded", &ended));
	if (!ended)
		return E_OK;
	TRY(follow(c, VERSION_PASSED, &(struct happened){ .artifact_id = artifact_id }));
	TRY(db_one(c,
	    ROWS(approval_over,
		"SELECT id FROM approval WHERE artifact_id = ? AND status = 'superseded'"
		" ORDER BY id DESC LIMIT 1"),
	    ARGS(artifact_id), &over));
	return asker_notify(c, over->id, MAIL_APPROVAL_REPLACED, who, NULL);
}

/* Ends an approval, unless somebody has decided or withdrawn it since it was found. */
static enum err
approval_expire_one(struct ctx *c, const char *id)
{
	int64_t changed;

	TRY(db_exec(c,
	    EXEC(
		"UPDATE approval SET status = 'expired'"
		" WHERE id = ? AND status = 'pending' AND expires_at <= ?"),
	    ARGS(id, c->now), &changed));
	if (!changed)
		return E_OK;
	TRY(inbox_sync(c, &approval_waits, BY_SUBJECT, id));
	return asker_notify(c, id, MAIL_APPROVAL_EXPIRED, NULL, NULL);
}

/* Ends approvals that nobody decided in time, each in a transaction of its own. */
static enum err
approval_expire(struct ctx *c, int64_t limit, int64_t *ended)
{
	struct approval_over_list rows;

	TRY(db_all(c,
	    ROWS(approval_over,
		"SELECT id FROM approval WHERE due <= ? ORDER BY due LIMIT ?"),
	    ARGS(c->now, limit), &rows));
	*ended = (int64_t)rows.n;
	for (size_t i = 0; i < rows.n; i++) {
		TRY(db_begin(c));
		TRY(db_end(c, approval_expire_one(c, rows.v[i].id)));
	}
	return E_OK;
}

enum err
approval_end_of(struct ctx *c, const char *workspace_id, const char *user_id)
{
	int64_t changed;

	TRY(db_exec(c,
	    EXEC(
		"UPDATE approval SET status = 'cancelled', decided_at = ?"
		" WHERE requested_by = ? AND workspace_id = ? AND status = 'pending'"),
	    ARGS(c->now, user_id, workspace_id), &changed));
	return changed ? inbox_sync(c, &approval_waits, BY_ACTOR, user_id) : E_OK;
}

/* ---- deciding ---- */

#define PENDING(F, T) \
	F(T, STR,  status) \
	F(T, ID,   requested_by, .arg = "usr_") \
	F(T, ID,   author_id,    .arg = "usr_") \
	F(T, INT,  version_no) \
	F(T, STR,  visibility) \
	F(T, INT,  required) \
	F(T, INT,  expires_at) \
	F(T, BOOL, any_admin) \
	F(T, BOOL, named) \
	F(T, STR,  decision)
SHAPE(pending, PENDING);

/* Reads the pending approval as `who` sees it. The artifact’s lock excludes other deciders. */
static enum err
pending_find(struct ctx *c, const struct artifact *a, const struct principal *who, const char *id,
    struct pending **out)
{
	TRY(db_find(c,
	    ROWS(pending,
		"SELECT p.status, p.requested_by, v.created_by AS author_id, p.version_no,"
		" p.visibility, p.required, p.expires_at,"
		" NOT EXISTS (SELECT 1 FROM approver n WHERE n.approval_id = p.id"
		" AND n.named) AS any_admin, COALESCE(o.named, FALSE) AS named, o.decision"
		" FROM approval p LEFT JOIN version v ON v.artifact_id = p.artifact_id"
		" AND v.version_no = p.version_no"
		" LEFT JOIN approver o ON o.approval_id = p.id AND o.user_id = ?"
		" WHERE p.id = ? AND p.artifact_id = ? FOR UPDATE"),
	    ARGS(who->user_id, id, a->id), out));
	return *out ? E_OK
		    : fail(c, E_NOT_FOUND, "This artifact has no approval request %s", id);
}

static enum err
decider_check(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct pending *p)
{
	if (member_rank(a->workspace_role) < MEMBER_ADMIN || !(p->any_admin || p->named))
		return fail(
		    c, E_DENIED, "Only the admins who were asked can decide on this request");
	if (str_eq(p->requested_by, who->user_id) || str_eq(p->author_id, who->user_id))
		return fail(c, E_DENIED,
		    "You can't decide on your own request or on a version you published");
	if (!str_eq(p->status, "pending") || p->expires_at <= c->now)
		return fail(c, E_CONFLICT, "This approval request is closed: %s",
		    str_eq(p->status, "pending") ? "it has expired" : p->status);
	return E_OK;
}

static enum err
approval_carry_out(struct ctx *c, const struct artifact *a, const struct pending *p)
{
	TRY(db_exec(c,
	    EXEC("UPDATE version SET approved = TRUE WHERE artifact_id = ? AND version_no = ?"),
	    ARGS(a->id, p->version_no), NULL));
	/* The artifact may have been open before it came into the workspace. */
	if (a->needs_approval)
		TRY(db_exec(c,
		    EXEC(
			"UPDATE version SET is_open = FALSE"
			" WHERE artifact_id = ? AND NOT approved AND is_open"),
		    ARGS(a->id), NULL));
	TRY(db_exec1(c, EXEC("UPDATE artifact SET visibility = ? WHERE id = ?"),
	    ARGS(p->visibility, a->id)));
	TRY(version_show(c, a, p->version_no));
	TRY(audit_visibility(c, a, p->visibility));
	return artifact_touch_whole(c, a->id, EVENT_PAYLOAD_UPDATED("version"));
}

static enum err
decision_record(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, const struct pending *p, const struct approval_decision *in)
{
	bool rejects = str_eq(in->decision, "reject");
	struct publish_policy *policy;
	struct approval_count *given;

	if (a->paused)
		return fail(c, E_PAUSED, "The artifact is paused; decide once it has been resumed");
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO approver (approval_id, user_id, named, decision, comment, at)"
		" VALUES (?, ?, FALSE, ?, ?, ?)"
		" ON DUPLICATE KEY UPDATE decision = VALUES(decision), comment = VALUES(comment),"
		" at = VALUES(at)"),
	    ARGS(id, who->user_id, in->decision, in->comment, c->now), NULL));
	TRY(publish_policy_get(c, a->workspace_id, &policy));
	TRY(db_one(c,
	    ROWS(approval_count, /* by people who are still admins */
		"SELECT COUNT(*) AS n FROM approver o JOIN member m ON m.workspace_id = ?"
		" AND m.user_id = o.user_id AND m.role IN ('admin', 'owner')"
		" WHERE o.approval_id = ? AND o.decision = 'approve'"),
	    ARGS(a->workspace_id, id), &given));
	TRY(audit_artifact(c, a, rejects ? "approval.rejected" : "approval.approved", NULL,
	    audit_facts(c, "approval", id)));
	if (in->has.refresh_until && rejects)
		return fail(c, E_INVALID, "refresh_until: is for decision approve");
	if (in->has.refresh_until)
		TRY(standing_add_for(
		    c, a, who, p->version_no, p->visibility, in->refresh_until));
	if (!rejects && (given->n < p->required || given->n < policy->approvals_required))
		return inbox_sync(c, &approval_waits, BY_SUBJECT, id);
	TRY(approval_end(c, a->id, rejects ? "rejected" : "approved", NULL));
	if (rejects)
		TRY(follow(c, VERSION_PASSED, &(struct happened){ .artifact_id = a->id }));
	if (!rejects)
		TRY(approval_carry_out(c, a, p));
	return asker_notify(c, id, rejects ? MAIL_APPROVAL_REJECTED : MAIL_APPROVAL_APPROVED, who,
	    in->comment);
}

enum err
approval_decide(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *id, const struct approval_decision *in)
{
	struct pending *p;

	TRY(pending_find(c, a, who, id, &p));
	TRY(decider_check(c, a, who, p));
	TRY(decision_record(c, a, who, id, p, in));
	return a->review_id ? follow(c, APPROVAL_DECIDED,
		   &(struct happened){ .art = a,
		       .version_no = p->version_no,
		       .user_id = who->user_id,
		       .decision = in })
			    : E_OK;
}

enum err
approval_answer(struct ctx *c, const struct artifact *a, const struct principal *who,
    int64_t version_no, const struct approval_decision *in)
{
	struct approval_over *row;
	struct pending *p;
	enum err e;

	TRY(db_find(c,
	    ROWS(approval_over,
		"SELECT id FROM approval WHERE pending_of = ? AND version_no = ?"
		" AND expires_at > ?"),
	    ARGS(a->id, version_no, c->now), &row));
	if (!row)
		return E_OK;
	TRY(pending_find(c, a, who, row->id, &p));
	e = decider_check(c, a, who, p);
	if (e)
		return e == E_DENIED ? ctx_forgive(c) : e;
	return decision_record(c, a, who, row->id, p, in);
}

enum err
approval_withdraw(
    struct ctx *c, const struct artifact *a, const struct principal *who, const char *id)
{
	struct pending *p;

	TRY(pending_find(c, a, who, id, &p));
	if (!str_eq(p->requested_by, who->user_id))
		return fail(
		    c, E_DENIED, "Only the person who requested an approval can withdraw it");
	if (!str_eq(p->status, "pending"))
		return fail(c, E_CONFLICT, "This approval request is closed: %s", p->status);
	TRY(approval_cancel(c, a->id));
	return audit_artifact(
	    c, a, "approval.withdrawn", NULL, audit_facts(c, "approval", id));
}

/* ---- when other things change ---- */

static enum err
opening(struct ctx *c, const struct happened *h)
{
	return approval_need(c, h->art, h->visibility);
}

static enum err
deleted(struct ctx *c, const struct happened *h)
{
	return h->art->workspace_id ? approval_cancel(c, h->art->id) : E_OK;
}

static enum err
purged(struct ctx *c, const struct happened *h)
{
	return approval_cancel(c, h->art->id);
}

/* Cancels the pending approval; no version counts as approved any more. */
static enum err
moved_out(struct ctx *c, const struct happened *h)
{
	if (!h->art->workspace_id)
		return E_OK;
	TRY(approval_cancel(c, h->art->id));
	return db_exec(c,
	    EXEC("UPDATE version SET approved = FALSE WHERE artifact_id = ? AND approved"),
	    ARGS(h->art->id), NULL);
}

/* Cancels approvals that the user asked for, because they can no longer edit. */
static enum err
editor_lost(struct ctx *c, const struct happened *h)
{
	return h->art->workspace_id ? approval_cancel_of(c, h->art->id, h->user_id) : E_OK;
}

static enum err
asker_left(struct ctx *c, const struct happened *h)
{
	return approval_end_of(c, h->workspace_id, h->user_id);
}

/* ---- for pages ---- */

void
approvals_say(
    const struct workspace *w, const struct principal *who, const struct approval_list *rows)
{
	const char *me = who->user_id;

	for (size_t i = 0; i < rows->n; i++) {
		struct approval *p = &rows->v[i];
		const struct approval_vote *votes = p->approvals.v;

		p->given = 0;
		for (size_t k = 0; k < p->approvals.n; k++)
			p->given += str_eq(votes[k].decision, "approve");
		p->may_decide = member_rank(w->role) >= MEMBER_ADMIN &&
		    str_eq(p->status, "pending") &&
		    !str_eq(((struct ws_user *)p->requested_by)->user_id, me) &&
		    !str_eq(p->author_id, me) &&
		    (!p->approver_ids.n || strs_have(&p->approver_ids, me));
	}
}

/* The audit keeps what a deleted account asked for. */
USERS(USER_EITHER(approver, user_id)
      USER_ENDS(approval, requested_by))
WORKSPACE_ROWS(approval, "")
FOLLOWS(approval, { ARTIFACT_OPENS, opening }, { ARTIFACT_DELETED, deleted },
    { ARTIFACT_PURGED, purged }, { ARTIFACT_LEAVES, moved_out }, { EDITOR_LOST, editor_lost },
    { MEMBER_LEFT, asker_left }, USERS_FOLLOW, { WORKSPACE_PURGED, workspace_purged });
ROUNDS(approval, { "approvals", .rows = approval_expire });
PURGES(approval, ROWS_OF(approval));
