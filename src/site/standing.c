/* SPDX-License-Identifier: Apache-2.0 */
#include "site/standing.h"

#include "base/id.h"
#include "base/str.h"
#include "core/audit.h"
#include "core/branding.h"
#include "core/follow.h"
#include "core/member.h"
#include "core/tell.h"
#include "db/db.h"
#include "store/rounds.h"

SHAPE_DEFINE(standing_approval, STANDING_APPROVAL);
SHAPE_DEFINE(standing_new, STANDING_NEW);

enum { DAY_S = 86400 };

/* ---- reading ---- */

/* SQL condition: the member m who granted the row s may still do so. */
#define ENTITLED "(s.granted_by = a.owner_id OR m.role IN ('admin', 'owner'))"
/* SQL condition: the artifact isn't more open than it was. */
#define NOT_OPENED "(s.visibility = 'public' OR a.visibility <> 'public')"
#define STANDING_MEMBER \
	" LEFT JOIN member m ON m.workspace_id = a.workspace_id AND m.user_id = s.granted_by"
#define STANDING_SELECT \
	"SELECT s.id, s.artifact_id, s.grant_id, s.agent_id AS principal_id," \
	" COALESCE(g.name, p.name) AS agent_name, s.visibility," \
	" u.id AS `granted_by.user_id`, u.name AS `granted_by.name`," \
	" u.email AS `granted_by.email`, u.kind AS `granted_by.kind`," \
	" s.created_at, s.expires_at, COALESCE(" ENTITLED ", FALSE) AND u.disabled_at IS NULL" \
	" AND " NOT_OPENED " AND a.visibility <> 'private' AS applies" \
	" FROM standing_approval s JOIN artifact a ON a.id = s.artifact_id" \
	" JOIN user u ON u.id = s.granted_by LEFT JOIN agent_grant g ON g.id = s.grant_id" \
	" LEFT JOIN user p ON p.id = s.agent_id" STANDING_MEMBER \
	" WHERE s.artifact_id = ? AND s.expires_at > ?" \
	" AND (s.grant_id IS NULL OR (g.ended_at IS NULL AND g.expires_at > ?))"

bool
standing_may(const struct artifact *a)
{
	return role_rank(a->role) == ROLE_OWNER ||
	    member_rank(a->workspace_role) >= MEMBER_ADMIN;
}

enum err
standing_list(struct ctx *c, const struct artifact *a, const struct page_query *q,
    struct standing_approval_list *out, const char **next)
{
	return db_part(c,
	    ROWS(standing_approval, STANDING_SELECT " AND s.id < ? ORDER BY s.id DESC LIMIT ?"),
	    ARGS(a->id, c->now, c->now, arg_before(q->cursor, "sta_")), q->limit, out, next,
	    last->id);
}

enum err
standing_get(
    struct ctx *c, const struct artifact *a, const char *id, struct standing_approval **out)
{
	TRY(db_find(c, ROWS(standing_approval, STANDING_SELECT " AND s.id = ?"),
	    ARGS(a->id, c->now, c->now, id), out));
	return *out ? E_OK
		    : fail(c, E_NOT_FOUND, "This artifact has no standing approval %s", id);
}

#define STANDING_FOUND(F, T) \
	F(T, BOOL, allowed) \
	F(T, INT,  approvals) \
	F(T, INT,  required)
SHAPE(standing_found, STANDING_FOUND);

enum err
standing_covers(struct ctx *c, const struct artifact *a, const struct principal *who, bool *yes)
{
	const char *agent = who->grant_id || !str_eq(who->kind, "agent") ? NULL : who->user_id;
	struct standing_found *row;

	*yes = false;
	if (!who->grant_id && !agent)
		return E_OK;
	TRY(db_one(c,
	    ROWS(standing_found,
		"SELECT COALESCE(MAX(" ENTITLED "), FALSE) AS allowed,"
		" CAST(COALESCE(SUM(m.role IN ('admin', 'owner') AND s.granted_by <> ?), 0)"
		" AS SIGNED) AS approvals, COALESCE(MAX(w.approvals_required), 1) AS required"
		" FROM standing_approval s JOIN artifact a ON a.id = s.artifact_id"
		" JOIN user u ON u.id = s.granted_by AND u.disabled_at IS NULL"
		" LEFT JOIN workspace w ON w.id = a.workspace_id" STANDING_MEMBER
		" WHERE s.artifact_id = ? AND (s.grant_id = ? OR s.agent_id = ?)"
		" AND s.expires_at > ? AND " NOT_OPENED " LOCK IN SHARE MODE"),
	    ARGS(who->user_id, a->id, who->grant_id, agent, c->now), &row));
	*yes = row->allowed && (!a->needs_approval || row->approvals >= row->required);
	return E_OK;
}

/* ---- telling ---- */

#define STANDING_HEARER(F, T) F(T, EMAIL, email)
SHAPE(standing_hearer, STANDING_HEARER);

static enum err
hearer_mail(struct ctx *c, const struct artifact *a, const struct principal *by,
    enum mail_template template, const char *to, const char *agent, int64_t until)
{
	struct mail m = { .template = template, .sender_id = by->user_id };
	struct standing_hearer *row;

	if (str_eq(to, by->user_id) || !mail_enabled(c))
		return E_OK;
	TRY(db_find(c,
	    ROWS(standing_hearer,
		"SELECT email FROM user"
		" WHERE id = ? AND email IS NOT NULL AND disabled_at IS NULL"),
	    ARGS(to), &row));
	if (!row)
		return E_OK;
	m.to = row->email;
	m.values = (struct mail_values){ .by = principal_word(by),
		.artifact = a->name,
		.what = agent,
		.when = str_date(c->mem, until),
		.link = mem_printf(c->mem, "/a/%s/sharing", a->id) };
	if (a->workspace_id)
		TRY(branding_on_mail(c, a->workspace_id, &m.values));
	return tell(c, &m);
}

/* ---- granting ---- */

#define STANDING_AGENT(F, T) \
	F(T, ID,  grant_id, .arg = "ogr_") \
	F(T, ID,  agent_id, .arg = "usr_") \
	F(T, STR, name)
SHAPE(standing_for, STANDING_AGENT);

/* Finds an agent of the caller's own, or one whose work they see. A refusal reads alike for others,
 * so nobody can try out which agents exist. */
static enum err
agent_find(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct standing_new *in, struct standing_for **out)
{
	if (!in->grant_id == !in->principal_id)
		return fail(c, E_INVALID,
		    "grant_id: name one agent, by grant_id or by principal_id");
	if (in->grant_id)
		TRY(db_find(c,
		    ROWS(standing_for,
			"SELECT g.id AS grant_id, g.name FROM agent_grant g"
			" WHERE g.id = ? AND g.ended_at IS NULL AND g.expires_at > ?"
			" AND (g.user_id = ? OR EXISTS (SELECT 1 FROM agent_act x"
			" WHERE x.artifact_id = ? AND x.grant_id = g.id))"),
		    ARGS(in->grant_id, c->now, who->user_id, a->id), out));
	else
		TRY(db_find(c,
		    ROWS(standing_for,
			"SELECT u.id AS agent_id, u.name FROM user u JOIN member m"
			" ON m.user_id = u.id AND m.workspace_id = ? AND m.role = 'agent'"
			" WHERE u.id = ?"),
		    ARGS(a->workspace_id, in->principal_id), out));
	return *out ? E_OK
		    : fail(c, E_NOT_FOUND,
			  "%s: there is no such agent, or it has nothing to do with this artifact",
			  in->grant_id ? "grant_id" : "principal_id");
}

#define STANDING_MADE(F, T) F(T, ID, id, .arg = "sta_")
SHAPE(standing_made, STANDING_MADE);

static enum err
standing_record(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct standing_for *agent, const char *visibility, int64_t until, const char **id)
{
	struct standing_made *row;

	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO standing_approval (id, artifact_id, grant_id, agent_id, visibility,"
		" granted_by, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
		" ON DUPLICATE KEY UPDATE visibility = VALUES(visibility),"
		" created_at = VALUES(created_at), expires_at = VALUES(expires_at)"),
	    ARGS(id_new(c->mem, "sta_"), a->id, agent->grant_id, agent->agent_id, visibility,
		who->user_id, c->now, until),
	    NULL));
	TRY(db_one(c,
	    ROWS(standing_made,
		"SELECT id FROM standing_approval WHERE artifact_id = ? AND granted_by = ?"
		" AND (grant_id = ? OR agent_id = ?)"),
	    ARGS(a->id, who->user_id, agent->grant_id, agent->agent_id), &row));
	*id = row->id;
	TRY(audit_artifact(c, a, "standing.granted", NULL,
	    audit_facts(c, "standing_approval|agent|visibility|expires_at", *id, agent->name,
		visibility, until)));
	return hearer_mail(c, a, who, MAIL_STANDING_GRANTED, a->owner_id, agent->name, until);
}

static enum err
grant_check(struct ctx *c, const struct artifact *a, const char *visibility, int64_t until)
{
	if (!standing_may(a))
		return fail(c, E_DENIED,
		    "Only the artifact's owner and the admins of its workspace can let an agent "
		    "refresh it");
	if (until <= c->now || until > c->now + STANDING_DAYS_MOST * DAY_S)
		return fail(c, E_INVALID,
		    "expires_at: %lld must be in the future, at most %d days from now",
		    (long long)until, STANDING_DAYS_MOST);
	return str_eq(visibility, "private")
	    ? fail(c, E_CONFLICT,
		  "The artifact is private, so versions of it wait for nobody; open it first")
	    : E_OK;
}

enum err
standing_add(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct standing_new *in, const char **id)
{
	int64_t until = in->has.expires_at ? in->expires_at : c->now + STANDING_S;
	struct standing_for *agent;

	TRY(grant_check(c, a, a->visibility, until));
	TRY(agent_find(c, a, who, in, &agent));
	return standing_record(c, a, who, agent, a->visibility, until, id);
}

enum err
standing_add_for(struct ctx *c, const struct artifact *a, const struct principal *who,
    int64_t version_no, const char *visibility, int64_t until)
{
	struct standing_for *agent;
	const char *id;

	TRY(grant_check(c, a, visibility, until));
	TRY(db_find(c,
	    ROWS(standing_for,
		"SELECT g.id AS grant_id, u.id AS agent_id, COALESCE(g.name, u.name) AS name"
		" FROM version v LEFT JOIN agent_grant g ON g.id = v.grant_id"
		" AND g.ended_at IS NULL LEFT JOIN user u ON u.id = v.created_by"
		" AND u.kind = 'agent' WHERE v.artifact_id = ? AND v.version_no = ?"
		" AND COALESCE(g.id, u.id) IS NOT NULL"),
	    ARGS(a->id, version_no), &agent));
	if (!agent)
		return fail(c, E_INVALID,
		    "refresh_until: no agent published version %lld, or it has ended",
		    (long long)version_no);
	return standing_record(c, a, who, agent, visibility, until, &id);
}

/* ---- ending ---- */

enum err
standing_end(
    struct ctx *c, const struct artifact *a, const struct principal *who, const char *id)
{
	struct standing_approval *s;

	TRY(standing_get(c, a, id, &s));
	TRY(db_exec1(c, EXEC("DELETE FROM standing_approval WHERE id = ?"), ARGS(id)));
	TRY(audit_artifact(c, a, "standing.ended",
	    audit_facts(c, "standing_approval|agent", id, s->agent_name), NULL));
	return hearer_mail(
	    c, a, who, MAIL_STANDING_ENDED, ((struct ws_user *)s->granted_by)->user_id,
	    s->agent_name, s->expires_at);
}

static enum err
standing_reap(struct ctx *c, int64_t limit, int64_t *done)
{
	return db_exec(c,
	    EXEC("DELETE FROM standing_approval WHERE expires_at <= ? LIMIT ?"),
	    ARGS(c->now, limit), done);
}

/* ---- when other things change ---- */

static enum err
moved_out(struct ctx *c, const struct happened *h)
{
	return db_exec(c, EXEC("DELETE FROM standing_approval WHERE artifact_id = ?"),
	    ARGS(h->art->id), NULL);
}

static enum err
member_left(struct ctx *c, const struct happened *h)
{
	return db_exec(c,
	    EXEC(
		"DELETE s FROM standing_approval s JOIN artifact a ON a.id = s.artifact_id"
		" WHERE s.granted_by = ? AND a.workspace_id = ?"),
	    ARGS(h->user_id, h->workspace_id), NULL);
}

static enum err
user_merged(struct ctx *c, const struct happened *h)
{
	TRY(db_exec(c,
	    EXEC("UPDATE IGNORE standing_approval SET granted_by = ? WHERE granted_by = ?"),
	    ARGS(h->user_id, h->from_id), NULL));
	TRY(db_exec(c,
	    EXEC("UPDATE IGNORE standing_approval SET agent_id = ? WHERE agent_id = ?"),
	    ARGS(h->user_id, h->from_id), NULL));
	return db_exec(c,
	    EXEC("DELETE FROM standing_approval WHERE granted_by = ? OR agent_id = ?"),
	    ARGS(h->from_id, h->from_id), NULL);
}

static enum err
user_deleted(struct ctx *c, const struct happened *h)
{
	return db_exec(c,
	    EXEC("DELETE FROM standing_approval WHERE granted_by = ? OR agent_id = ?"),
	    ARGS(h->user_id, h->user_id), NULL);
}

FOLLOWS(standing, { ARTIFACT_LEAVES, moved_out }, { MEMBER_LEFT, member_left },
    { USER_MERGED, user_merged }, { USER_DELETED, user_deleted });
ROUNDS(standing, { "standing approvals", .rows = standing_reap });
PURGES(standing, ROWS_OF(standing_approval));
