/* SPDX-License-Identifier: Apache-2.0 */
#include "sharing/share_grant.h"

#include "base/id.h"
#include "base/str.h"
#include "core/artifact.h"
#include "core/audit.h"
#include "core/branding.h"
#include "core/follow.h"
#include "core/guest.h"
#include "core/member.h"
#include "core/tell.h"
#include "core/token.h"
#include "db/ids.h"
#include "people/password.h"

SHAPE_DEFINE(outside_person, OUTSIDE_PERSON);
SHAPE_DEFINE(share_grant, SHARE_GRANT);
SHAPE_DEFINE(share_grant_new, SHARE_GRANT_NEW);
SHAPE_DEFINE(share_grant_query, SHARE_GRANT_QUERY);
SHAPE_DEFINE(share_person_new, SHARE_PERSON_NEW);
SHAPE_DEFINE(shared_person, SHARED_PERSON);

enum { GRANT_YEARS = 5 };

/* ---- reading ---- */

#define GRANT_SELECT(how) \
	"SELECT g.id, g.subject_type, g.subject_id, COALESCE(s.name, NULLIF(u.name, '')," \
	" u.email, u.invited_email) AS subject_name, g.resource_type, g.resource_id," \
	" COALESCE(f.name, a.name, d.name) AS resource_name, g.capability, g.expires_at," \
	" g.created_by, g.created_at FROM share_grant g " how \
	" LEFT JOIN sharee s ON s.id = g.subject_id LEFT JOIN user u ON u.id = g.subject_id" \
	" LEFT JOIN folder f ON f.id = g.resource_id LEFT JOIN artifact a ON a.id = g.resource_id" \
	" LEFT JOIN deliverable d ON d.id = g.resource_id AND d.visibility = 'workspace'" \
	" WHERE g.workspace_id = ?"
#define GRANT_LIST(index) \
	GRANT_SELECT("FORCE INDEX (" index ")") \
	" AND g.id < ? AND (? IS NULL OR g.subject_id = ?)" \
	" AND (? IS NULL OR g.resource_id = ?) AND g.resource_type = COALESCE(?, g.resource_type)" \
	" AND (? IS NULL OR COALESCE(u.email, u.invited_email) = ?)" \
	" ORDER BY g.id DESC LIMIT ?"

enum err
share_grant_list(struct ctx *c, const struct workspace *w, const struct share_grant_query *q,
    struct share_grant_list *out, const char **next)
{
	struct share_grant_rows rows = q->resource_id
	    ? ROWS(share_grant, GRANT_LIST("share_grant_resource"))
	    : q->subject_id ? ROWS(share_grant, GRANT_LIST("share_grant_pair"))
			    : ROWS(share_grant, GRANT_LIST("share_grant_workspace"));

	return db_part(c, rows,
	    ARGS(w->id, arg_before(q->cursor, "grt_"), q->subject_id, q->subject_id,
		q->resource_id, q->resource_id, q->resource_type, q->email, q->email),
	    q->limit, out, next, last->id);
}

enum err
share_grants_of_client(struct ctx *c, const struct workspace *w, const char *sharee_id,
    const struct page_query *q, struct share_grant_list *out, const char **next)
{
	return db_part(c,
	    ROWS(share_grant,
		GRANT_SELECT(
		    "FORCE INDEX (share_grant_pair) JOIN (SELECT id FROM sharee WHERE id = ?"
		    " UNION ALL SELECT user_id FROM sharee_member WHERE sharee_id = ?) t"
		    " ON t.id = g.subject_id")
		" AND g.id < ? ORDER BY g.id DESC LIMIT ?"),
	    ARGS(sharee_id, sharee_id, w->id, arg_before(q->cursor, "grt_")), q->limit, out,
	    next, last->id);
}

static enum err
grant_get(struct ctx *c, const struct workspace *w, const char *id, struct share_grant **out)
{
	return db_one(
	    c, ROWS(share_grant, GRANT_SELECT("") " AND g.id = ?"), ARGS(w->id, id), out);
}

/* ---- checking a new grant ---- */

/* The thing and the recipient of a grant. */
#define GRANTED(F, T) \
	F(T, STR,  name) \
	F(T, STR,  slug,    .doc = "Of an artifact") \
	F(T, BOOL, hidden,  .doc = "A file that its owner keeps to themselves") \
	F(T, BOOL, own)
SHAPE(granted, GRANTED);

static enum err
capability_check(struct ctx *c, const char *type, const char **capability)
{
	if (str_eq(*capability, "create") && !str_eq(type, "folder"))
		return fail(c, E_INVALID,
		    "capability: create is for a folder; edit lets people change the %s", type);
	if (!str_eq(*capability, "comment") || !str_eq(type, "file"))
		return E_OK;
	warn(c, "capability: a file has no comments, so comment was taken as view");
	*capability = "view";
	return E_OK;
}

static enum err
end_check(struct ctx *c, uint8_t has, int64_t expires_at)
{
	return has != GIVEN ||
		(expires_at > c->now && expires_at <= c->now + GRANT_YEARS * TOKEN_YEAR_S)
	    ? E_OK
	    : fail(c, E_INVALID, "expires_at: must be in the future, at most %d years away",
		  GRANT_YEARS);
}

static enum err
sharee_check(struct ctx *c, const struct workspace *w, const char *id)
{
	struct granted *client;

	TRY(db_find(c,
	    ROWS(granted, "SELECT s.name FROM sharee s WHERE s.id = ? AND s.workspace_id = ?"),
	    ARGS(id, w->id), &client));
	return client ? E_OK
		      : fail(c, E_NOT_FOUND, "subject_id: the workspace has no such client");
}

static enum err
outside_check(struct ctx *c, const struct workspace *w, const char *user_id)
{
	bool in;

	TRY(member_is_in(c, w->id, user_id, &in));
	return in ? fail(c, E_INTERNAL_MEMBER,
			"That person is a member of the workspace; give them a role on the "
			"artifact instead")
		  : E_OK;
}

/* People without a grant here are found by address only, so that ids reveal nothing about
 * strangers. */
static enum err
person_check(struct ctx *c, const struct workspace *w, const char *id)
{
	struct granted *person;

	TRY(outside_check(c, w, id));
	TRY(db_find(c,
	    ROWS(granted,
		"SELECT u.name FROM user u WHERE u.id = ? AND (EXISTS (SELECT 1"
		" FROM sharee_member m WHERE m.user_id = u.id AND m.workspace_id = ?)"
		" OR EXISTS (SELECT 1 FROM share_grant g WHERE g.subject_id = u.id"
		" AND g.workspace_id = ?))"),
	    ARGS(id, w->id, w->id), &person));
	return person ? E_OK
		      : fail(c, E_NOT_FOUND,
			    "subject_id: nobody of that id is in a client of this workspace or "
			    "has a grant here; POST share-person takes an address");
}

static struct granted_rows
thing_rows(const char *type)
{
	if (str_eq(type, "folder"))
		return ROWS(granted,
		    "SELECT f.name FROM folder f WHERE f.workspace_id = ? AND f.id = ?"
		    " AND ? IS NOT NULL");
	if (str_eq(type, "artifact"))
		return ROWS(granted,
		    "SELECT a.name, a.slug FROM artifact a WHERE a.workspace_id = ? AND a.id = ?"
		    " AND ? IS NOT NULL AND a.deleted_at IS NULL LOCK IN SHARE MODE");
	return ROWS(granted,
	    "SELECT d.name, d.visibility = 'private' AS hidden, d.owner_id = ? AS own"
	    " FROM deliverable d WHERE d.workspace_id = ? AND d.id = ? LOCK IN SHARE MODE");
}

/* Locks a file or an artifact until the commit. Changes of a folder lock the workspace's row, which
 * the route has locked. */
static enum err
thing_check(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *type, const char *id, struct granted **out)
{
	bool file = str_eq(type, "file");
	struct args of = file ? ARGS(who->user_id, w->id, id) : ARGS(w->id, id, who->user_id);

	TRY(db_find(c, thing_rows(type), of, out));
	if (!*out || ((*out)->hidden && !(*out)->own))
		return fail(c, E_NOT_FOUND, "resource_id: the workspace has no such %s", type);
	return (*out)->hidden
	    ? fail(c, E_CONFLICT,
		  "resource_id: the file is private; let the workspace see it first")
	    : E_OK;
}

/* ---- giving ---- */

static enum err
grant_audit(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *action, const struct share_grant *before, const struct share_grant *after)
{
	const struct share_grant *g = after ? after : before, *both[] = { before, after };
	const char *facts[2] = { NULL, NULL };

	for (size_t i = 0; i < 2; i++)
		if (both[i])
			facts[i] = audit_facts(c, "subject|subject_id|capability|expires_at",
			    g->subject_name, g->subject_id, both[i]->capability,
			    arg_opt(both[i]->has.expires_at, both[i]->expires_at));
	return audit_add(c, w->id, who,
	    &(struct audit){ action, g->resource_type, g->resource_id,
		g->resource_name ? g->resource_name : "", facts[0], facts[1] });
}

#define GRANT_COUNT(F, T) F(T, INT, n)
SHAPE(grant_count, GRANT_COUNT);

static enum err
room_check(struct ctx *c, const struct workspace *w)
{
	struct grant_count *count;

	TRY(db_one(c,
	    ROWS(grant_count, "SELECT COUNT(*) AS n FROM share_grant WHERE workspace_id = ?"),
	    ARGS(w->id), &count));
	if (count->n < SHARE_GRANTS_MOST)
		return E_OK;
	c->details = mem_printf(c->mem, "{\"limit\":%d}", SHARE_GRANTS_MOST);
	return fail(c, E_LIMIT_REACHED,
	    "The workspace has %d grants, the maximum; share a folder instead of what is in it, "
	    "or end some",
	    SHARE_GRANTS_MOST);
}

static enum err
grant_add(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct share_grant_new *in, struct share_grant **out)
{
	const char *id = id_new(c->mem, "grt_");

	TRY(room_check(c, w));
	TRY(db_exec(c,
	    EXEC("INSERT INTO share_grant (id, workspace_id, subject_type, subject_id,"
		 " resource_type, resource_id, capability, expires_at, created_by, created_at)"
		 " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(id, w->id, in->subject_type, in->subject_id, in->resource_type, in->resource_id,
		in->capability, arg_opt(in->has.expires_at, in->expires_at), who->user_id, c->now),
	    NULL));
	if (str_eq(in->subject_type, "external_user"))
		TRY(db_exec1(c, EXEC("UPDATE user SET outside = TRUE WHERE id = ?"),
		    ARGS(in->subject_id)));
	TRY(grant_get(c, w, id, out));
	return grant_audit(c, w, who, "grant.added", NULL, *out);
}

static bool
grant_is_same(const struct share_grant *g, const struct share_grant_new *in)
{
	return str_eq(g->capability, in->capability) &&
	    (g->has.expires_at == GIVEN) == (in->has.expires_at == GIVEN) &&
	    (in->has.expires_at != GIVEN || g->expires_at == in->expires_at);
}

/* *changed is true if the grant's capability or end changes. */
static enum err
grant_put(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct share_grant_new *in, bool *made, bool *changed, struct share_grant **out)
{
	const struct share_grant *old;

	TRY(db_find(c,
	    ROWS(share_grant, GRANT_SELECT("") " AND g.subject_id = ? AND g.resource_id = ?"),
	    ARGS(w->id, in->subject_id, in->resource_id), out));
	*made = !*out;
	*changed = *made || !grant_is_same(*out, in);
	if (*made)
		return grant_add(c, w, who, in, out);
	if (!*changed)
		return E_OK;
	old = *out;
	TRY(db_exec1(c,
	    EXEC("UPDATE share_grant SET capability = ?, expires_at = ? WHERE id = ?"),
	    ARGS(in->capability, arg_opt(in->has.expires_at, in->expires_at), old->id)));
	TRY(follow(c, REACH_ENDED, &(struct happened){ .find_id = old->subject_id }));
	TRY(grant_get(c, w, old->id, out));
	return grant_audit(c, w, who, "grant.changed", old, *out);
}

enum err
share_grant_give(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct share_grant_new *in, bool *made, struct share_grant **out)
{
	struct share_grant_new wish = *in;
	struct granted *thing;
	bool changed;

	TRY(capability_check(c, wish.resource_type, &wish.capability));
	TRY(end_check(c, wish.has.expires_at, wish.expires_at));
	TRY(str_eq(wish.subject_type, "sharee") ? sharee_check(c, w, wish.subject_id)
						: person_check(c, w, wish.subject_id));
	TRY(thing_check(c, w, who, wish.resource_type, wish.resource_id, &thing));
	return grant_put(c, w, who, &wish, made, &changed, out);
}

enum err
share_grant_end(
    struct ctx *c, const struct workspace *w, const struct principal *who, const char *id)
{
	struct share_grant *g;

	TRY(grant_get(c, w, id, &g));
	TRY(db_exec1(c, EXEC("DELETE FROM share_grant WHERE id = ?"), ARGS(id)));
	TRY(follow(c, REACH_ENDED, &(struct happened){ .find_id = g->subject_id }));
	return grant_audit(c, w, who, "grant.ended", g, NULL);
}

/* ---- to an address ---- */

/* A guest first chooses a password through the link. */
static enum err
person_mail(struct ctx *c, const struct workspace *w, const struct principal *by,
    const struct share_person_new *in, const struct granted *thing, struct shared_person *out)
{
	const struct outside_person *to = out->person;
	struct mail m = { .template = MAIL_SHARED,
		.to = to->email,
		.typed = in->email,
		.sender_id = by->user_id,
		.values = { .by = principal_word(by),
		    .what = thing->name,
		    .message = in->message && *in->message ? in->message : NULL,
		    .link = thing->slug ? mem_printf(c->mem, "/v1/open/%s", thing->slug)
					: "/shared" } };

	if (to->disabled_at)
		return E_OK;
	if (str_eq(to->status, "invited") && mail_enabled(c))
		TRY(password_guest_link(c, to->id, &m.values.link, &m.values.until));
	TRY(branding_on_mail(c, w->id, &m.values));
	return tell_noting(c, &m, &out->mailed);
}

enum err
share_grant_to_person(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct share_person_new *in, struct shared_person *out)
{
	struct share_grant_new wish = { .subject_type = "external_user",
		.resource_type = in->resource_type,
		.resource_id = in->resource_id,
		.capability = in->capability,
		.expires_at = in->expires_at,
		.has.expires_at = in->has.expires_at };
	struct outside_person *person;
	struct share_grant *grant;
	struct granted *thing;
	bool guest, made, changed;

	TRY(capability_check(c, in->resource_type, &wish.capability));
	TRY(end_check(c, in->has.expires_at, in->expires_at));
	TRY(thing_check(c, w, who, in->resource_type, in->resource_id, &thing));
	TRY(guest_find_or_add(c, in->email, &wish.subject_id, &guest));
	TRY(outside_check(c, w, wish.subject_id));
	TRY(grant_put(c, w, who, &wish, &made, &changed, &grant));
	TRY(db_one(c,
	    ROWS(outside_person,
		"SELECT " OUTSIDE_PERSON_COLUMNS("u", "") " FROM user u WHERE u.id = ?"),
	    ARGS(wish.subject_id), &person));
	/* The sharer must not learn the account’s other address. */
	person->email = email_fold(c, in->email);
	*out = (struct shared_person){ .grant = grant, .person = person };
	return changed ? person_mail(c, w, who, in, thing, out) : E_OK;
}

/* ---- when other things change ---- */

static enum err
grants_delete(struct ctx *c, const char *id)
{
	return db_exec(c, EXEC("DELETE FROM share_grant WHERE resource_id = ?"), ARGS(id), NULL);
}

static enum err
artifact_gone(struct ctx *c, const struct happened *h)
{
	return grants_delete(c, h->art->id);
}

static enum err
file_deleted(struct ctx *c, const struct happened *h)
{
	return grants_delete(c, h->file_id);
}

/* A large folder is deleted in pieces. Only the last one deletes the folder itself. */
static enum err
folder_deleted(struct ctx *c, const struct happened *h)
{
	if (*h->more)
		return E_OK;
	return db_exec(c,
	    EXEC("DELETE g FROM " ID_TABLE " STRAIGHT_JOIN share_grant g ON g.resource_id = t.id"),
	    ARGS(h->folder_ids), NULL);
}

/* Grants in a workspace that the other account is a member of end afterwards (sharee_member.c). */
static enum err
user_merged(struct ctx *c, const struct happened *h)
{
	/* If both have a grant on one thing, the one with the higher capability stays, or the one
	 * that lasts longer; the column's values are in that order. */
	TRY(db_exec(c,
	    EXEC("DELETE b FROM share_grant a JOIN share_grant b ON b.resource_id = a.resource_id"
		 " AND b.subject_id = IF(a.subject_id = ?, ?, ?)"
		 " WHERE a.subject_id IN (?, ?) AND (b.capability + 0, COALESCE(b.expires_at,"
		 " 9223372036854775807), b.id) < (a.capability + 0, COALESCE(a.expires_at,"
		 " 9223372036854775807), a.id)"),
	    ARGS(h->user_id, h->from_id, h->user_id, h->user_id, h->from_id), NULL));
	TRY(db_exec(c, EXEC("UPDATE share_grant SET subject_id = ? WHERE subject_id = ?"),
	    ARGS(h->user_id, h->from_id), NULL));
	return db_exec(c, EXEC("UPDATE share_grant SET created_by = ? WHERE created_by = ?"),
	    ARGS(h->user_id, h->from_id), NULL);
}

static enum err
user_deleted(struct ctx *c, const struct happened *h)
{
	TRY(db_exec(
	    c, EXEC("DELETE FROM share_grant WHERE subject_id = ?"), ARGS(h->user_id), NULL));
	return db_exec(c, EXEC("UPDATE share_grant SET created_by = NULL WHERE created_by = ?"),
	    ARGS(h->user_id), NULL);
}

WORKSPACE_ROWS(share_grant, "")
FOLLOWS(share_grant, { ARTIFACT_LEAVES, artifact_gone }, { ARTIFACT_PURGED, artifact_gone },
    { FILE_DELETED, file_deleted }, { FOLDER_DELETED, folder_deleted },
    { USER_MERGED, user_merged }, { USER_DELETED, user_deleted },
    { WORKSPACE_PURGED, workspace_purged });
