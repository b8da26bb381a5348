/* SPDX-License-Identifier: Apache-2.0 */
#include "core/member.h"

#include "base/buf.h"
#include "base/str.h"
#include "core/audit.h"
#include "core/branding.h"
#include "core/find.h"
#include "core/storage.h"
#include "core/tell.h"
#include "core/tier.h"
#include "core/token.h"
#include "core/user.h"
#include "core/workspace.h"
#include "db/db.h"

SHAPE_DEFINE(member, MEMBER);
SHAPE_DEFINE(member_query, MEMBER_QUERY);
SHAPE_DEFINE(member_edit, MEMBER_EDIT);
SHAPE_DEFINE(member_end, MEMBER_END);
SHAPE_DEFINE(member_ended, MEMBER_ENDED);
SHAPE_DEFINE(ws_heir, WS_HEIR);
SHAPE_DEFINE(member_token_new, MEMBER_TOKEN_NEW);
SHAPE_DEFINE(member_token, MEMBER_TOKEN);
SHAPE_DEFINE(member_tokens_ended, MEMBER_TOKENS_ENDED);

enum { TOKEN_YEARS_MOST = 5, TOKEN_NAME_MAILED = 60 };

/* ---- reading ---- */

#define MEMBER_COLUMNS "m.user_id, u.email, u.name, m.role, m.joined_at, u.disabled_at"

enum err
member_list(struct ctx *c, const struct workspace *w, const struct member_query *q,
    struct member_list *out, const char **next)
{
	return db_part(c,
	    ROWS(member,
		"SELECT " MEMBER_COLUMNS ", IF(?, " MEMBER_ACTIVE ", NULL) AS last_active_at,"
		" IF(?, " MEMBER_ARTIFACTS ", 0) AS artifacts"
		" FROM member m JOIN user u ON u.id = m.user_id"
		" WHERE m.workspace_id = ? AND m.user_id > ? AND m.role <> 'agent'"
		" AND (? IS NULL OR m.role = ?)"
		" AND (? IS NULL OR LOCATE(LOWER(?), LOWER(CONCAT(u.name, ' ', u.email))))"
		" ORDER BY m.user_id LIMIT ?"),
	    ARGS(q->counted, q->counted, w->id, arg_after(q->cursor, "usr_"), q->role, q->role,
		q->q, q->q),
	    q->limit, out, next, last->user_id);
}

enum err
member_get(struct ctx *c, const char *workspace_id, const char *user_id, bool lock,
    struct member **out)
{
	TRY(db_find(c,
	    lock
		? ROWS(member,
		      "SELECT " MEMBER_COLUMNS
		      " FROM member m JOIN user u ON u.id = m.user_id WHERE m.workspace_id = ?"
		      " AND m.user_id = ? AND m.role <> 'agent' FOR UPDATE")
		: ROWS(member,
		      "SELECT " MEMBER_COLUMNS
		      " FROM member m JOIN user u ON u.id = m.user_id"
		      " WHERE m.workspace_id = ? AND m.user_id = ? AND m.role <> 'agent'"),
	    ARGS(workspace_id, user_id), out));
	return *out ? E_OK : fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
}

#define MEMBER_IS_IN(F, T) F(T, WORD, role, .arg = MEMBER_ROLES)
SHAPE(member_is_in_row, MEMBER_IS_IN);

enum err
member_is_in(struct ctx *c, const char *workspace_id, const char *user_id, bool *yes)
{
	struct member_is_in_row *row;

	TRY(db_find(c,
	    ROWS(member_is_in_row,
		"SELECT role FROM member WHERE workspace_id = ? AND user_id = ?"),
	    ARGS(workspace_id, user_id), &row));
	*yes = row != NULL;
	return E_OK;
}

/* ---- e-mail ---- */

const char *
principal_word(const struct principal *who)
{
	return *who->name ? who->name : who->email ? who->email : "An agent";
}

enum err
member_tell(struct ctx *c, enum mail_template template, const struct workspace *w,
    const struct principal *by, const char *email, const struct mail_values *values)
{
	struct mail m = { .template = template, .to = email, .values = *values };

	if (!mail_enabled(c))
		return E_OK;
	TRY(branding_on_mail(c, w->id, &m.values));
	m.values.by = principal_word(by);
	m.sender_id = by->user_id;
	m.typed = email;
	return tell(c, &m);
}

enum err
audit_member(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *action, const struct member *m, const char *before, const char *after)
{
	return audit_add(c, w->id, who,
	    &(struct audit){ .action = action,
		.type = "member",
		.id = m->user_id,
		.name = *m->name ? m->name : m->email,
		.before = before,
		.after = after });
}

/* ---- joining ---- */

#define PEOPLE_IN(F, T) F(T, INT, people)
SHAPE(people_in, PEOPLE_IN);

enum err
member_seats_full(struct ctx *c, const char *workspace_id, bool *full)
{
	struct people_in *row;
	struct tier tier;

	TRY(tier_of(c, workspace_id, &tier));
	TRY(db_one(c, ROWS(people_in, "SELECT people FROM workspace WHERE id = ?"),
	    ARGS(workspace_id), &row));
	*full = tier.seats >= 0 && row->people >= tier.seats;
	return E_OK;
}

enum err
member_join(struct ctx *c, const char *workspace_id, const char *user_id, const char *role)
{
	struct tier tier;
	int64_t taken;

	TRY(tier_of(c, workspace_id, &tier));
	TRY(db_exec(c,
	    EXEC(
		"UPDATE workspace SET people = people + 1"
		" WHERE id = ? AND deleted_at IS NULL AND (? < 0 OR people < ?)"),
	    ARGS(workspace_id, tier.seats, tier.seats), &taken));
	if (!taken) {
		c->details = mem_printf(c->mem, "{\"limit\":%lld}", (long long)tier.seats);
		return fail(c, E_SEATS_FULL,
		    "All %s seats in the workspace are taken; "
		    "its owner can choose a plan with more seats or remove a member",
		    str_number(c->mem, tier.seats));
	}
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO member (workspace_id, user_id, role, joined_at) VALUES (?, ?, ?, ?)"),
	    ARGS(workspace_id, user_id, role, c->now), NULL));
	TRY(follow(c, MEMBER_CAME,
	    &(struct happened){ .workspace_id = workspace_id, .user_id = user_id }));
	TRY(follow(c, MEMBERSHIPS_CHANGED, &(struct happened){ .user_id = user_id }));
	/* Open invites to any address of the account count as accepted. */
	return db_exec(c,
	    EXEC(
		"UPDATE invite SET status = 'accepted'"
		" WHERE workspace_id = ? AND status = 'pending' AND email IN"
		" (SELECT u.email FROM user u WHERE u.id = ? UNION ALL SELECT al.email"
		" FROM email_alias al WHERE al.user_id = ?)"),
	    ARGS(workspace_id, user_id, user_id), NULL);
}

enum err
member_self_join(struct ctx *c, const struct workspace *w, const struct principal *who,
    struct member **out)
{
	TRY(member_join(c, w->id, who->user_id, "member"));
	TRY(member_get(c, w->id, who->user_id, false, out));
	return audit_member(
	    c, w, who, "member.joined", *out, NULL, audit_facts(c, "role", "member"));
}

/* ---- roles ---- */

/* Revokes invites that the member sent and couldn’t send in their new role. */
static enum err
invites_revoke(struct ctx *c, const char *workspace_id, const char *user_id, enum member_role now)
{
	return db_exec(c,
	    EXEC(
		"UPDATE invite SET status = 'revoked' WHERE workspace_id = ? AND invited_by = ?"
		" AND status = 'pending' AND (? OR role = 'admin')"),
	    ARGS(workspace_id, user_id, now < MEMBER_ADMIN), NULL);
}

static enum err
role_write(struct ctx *c, const char *workspace_id, const char *user_id, const char *role)
{
	TRY(db_exec1(c,
	    EXEC("UPDATE member SET role = ? WHERE workspace_id = ? AND user_id = ?"),
	    ARGS(role, workspace_id, user_id)));
	return invites_revoke(c, workspace_id, user_id, member_rank(role));
}

static enum err
owner_stays(struct ctx *c)
{
	return fail(c, E_CONFLICT,
	    "This member owns the workspace; transfer the ownership first");
}

enum err
member_set_role(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *user_id, const char *role, struct member **out)
{
	struct member *was;

	TRY(member_get(c, w->id, user_id, true, &was));
	*out = was;
	if (str_eq(was->role, "owner"))
		return owner_stays(c);
	if (str_eq(was->role, role))
		return E_OK;
	TRY(role_write(c, w->id, user_id, role));
	TRY(follow(c, MEMBER_RANKED,
	    &(struct happened){ .workspace_id = w->id, .user_id = user_id }));
	TRY(member_get(c, w->id, user_id, false, out));
	TRY(audit_member(c, w, who, "member.role_changed", was, audit_facts(c, "role", was->role),
	    audit_facts(c, "role", role)));
	return member_tell(c, MAIL_WORKSPACE_ROLE, w, who, was->email,
	    &(struct mail_values){ .role = role, .link = mem_printf(c->mem, "/w/%s", w->id) });
}

/* ---- leaving ---- */

/* Ends everything that lets the member act in the workspace, or acts there for them. Each statement
 * concerns one workspace and one user. Open pages need none, because each of their requests checks
 * the role again. */
static enum err
member_ends(struct ctx *c, const char *workspace_id, const char *user_id, const char *heir,
    int64_t *links)
{
	TRY(db_exec(c,
	    EXEC(
		"DELETE co FROM collaborator co JOIN artifact a ON a.id = co.artifact_id"
		" WHERE a.workspace_id = ? AND co.user_id = ?"),
	    ARGS(workspace_id, user_id), NULL));
	TRY(db_exec(c,
	    EXEC(
		"UPDATE token SET revoked_at = ?"
		" WHERE workspace_id = ? AND user_id = ? AND revoked_at IS NULL"),
	    ARGS(c->now, workspace_id, user_id), NULL));
	TRY(invites_revoke(c, workspace_id, user_id, MEMBER_NONE));
	return follow(c, MEMBER_LEFT,
	    &(struct happened){ .workspace_id = workspace_id,
		.user_id = user_id,
		.heir_id = heir,
		.links = links });
}

#define WS_INHERITOR(F, T) F(T, ID, user_id, .arg = "usr_")
SHAPE(ws_inheritor, WS_INHERITOR);

/* Finds who gets the member’s things: the owner, even a disabled one, unless another is named. */
static enum err
heir_choose(struct ctx *c, const char *workspace_id, const char *leaver, const char *wanted,
    const char **heir)
{
	struct ws_inheritor *row;
	struct member *m;
	enum err e;

	*heir = wanted;
	if (!wanted) {
		TRY(db_one(c,
		    ROWS(ws_inheritor,
			"SELECT user_id FROM member"
			" WHERE workspace_id = ? AND role = 'owner' FOR UPDATE"),
		    ARGS(workspace_id), &row));
		*heir = row->user_id;
		return E_OK;
	}
	e = member_get(c, workspace_id, wanted, true, &m);
	if (e == E_NOT_FOUND || str_eq(wanted, leaver))
		return fail(c, E_INVALID,
		    "transfer_to: must be another member of the workspace; "
		    "omit it to transfer their artifacts to the workspace owner");
	TRY(e);
	return str_eq(m->role, "owner")
	    ? E_OK
	    : user_may_receive(c, "transfer_to", wanted, m->disabled_at);
}

/* The heir gets all artifacts that the member owns here, beyond their storage limit if need be: a
 * full disk must not keep anybody in a workspace. They get the reserved slugs, too. They don't get
 * the right to name the stored files by digest, so their next version may send some bytes again. */
static enum err
artifacts_inherit(struct ctx *c, const char *workspace_id, const char *from, const char *to,
    int64_t *n)
{
	TRY(storage_inherit(c, workspace_id, from, to));
	TRY(db_exec(c,
	    EXEC(
		"UPDATE slug s"
		" JOIN artifact a FORCE INDEX (artifact_member) ON a.id = s.artifact_id"
		" SET s.owner_id = ? WHERE a.owner_id = ? AND a.workspace_id = ?"),
	    ARGS(to, from, workspace_id), NULL));
	TRY(db_exec(c,
	    EXEC(
		"DELETE co FROM artifact a FORCE INDEX (artifact_member)"
		" JOIN collaborator co ON co.artifact_id = a.id AND co.user_id = ?"
		" WHERE a.owner_id = ? AND a.workspace_id = ?"),
	    ARGS(to, from, workspace_id), NULL));
	return db_exec(c,
	    EXEC(
		"UPDATE artifact FORCE INDEX (artifact_member)"
		" SET owner_id = ?, owner_given = NULL, updated_at = ?"
		" WHERE owner_id = ? AND workspace_id = ?"),
	    ARGS(to, c->now, from, workspace_id), n);
}

/* Checks that `who` may end the membership: their own, or one with a role below theirs. */
static enum err
end_check(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *user_id, struct member **m)
{
	bool self = str_eq(user_id, who->user_id);

	if (!self && member_rank(w->role) < MEMBER_ADMIN)
		return fail(c, E_DENIED,
		    "Only admins and the owner can remove other members; you can remove yourself");
	TRY(member_get(c, w->id, user_id, true, m));
	if (str_eq((*m)->role, "owner"))
		return owner_stays(c);
	return self || member_rank((*m)->role) < member_rank(w->role)
	    ? E_OK
	    : fail(c, E_DENIED, "You can only remove members whose role is below yours");
}

enum err
member_remove(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *user_id, const struct member_end *how, struct member_ended *out)
{
	const char *heir = NULL;
	struct member *m;
	int64_t artifacts;
	bool self;

	TRY(end_check(c, w, who, user_id, &m));
	TRY(heir_choose(c, w->id, user_id, how->transfer_to, &heir));
	TRY(follow(c, FINDERS_CHANGE,
	    &(struct happened){ .user_id = user_id, .workspace_id = w->id }));
	TRY(artifacts_inherit(c, w->id, user_id, heir, &artifacts));
	TRY(member_ends(c, w->id, user_id, heir, &out->revoked_links));
	TRY(token_agents_made_by(c, w->id, user_id, &out->agent_tokens_made));
	if (how->revoke_agents)
		TRY(token_agents_revoke(c, w->id, user_id));
	TRY(db_exec1(c, EXEC("DELETE FROM member WHERE workspace_id = ? AND user_id = ?"),
	    ARGS(w->id, user_id)));
	TRY(follow(c, MEMBERSHIPS_CHANGED, &(struct happened){ .user_id = user_id }));
	TRY(db_exec1(c, EXEC("UPDATE workspace SET people = people - 1 WHERE id = ?"),
	    ARGS(w->id)));
	self = str_eq(m->user_id, who->user_id);
	TRY(audit_member(c, w, who, self ? "member.left" : "member.removed", m,
	    audit_facts(c, "role", m->role),
	    audit_facts(c, "artifacts|transfer_to", artifacts, heir)));
	return self ? E_OK
		    : member_tell(c, MAIL_WORKSPACE_REMOVED, w, who, m->email,
			  &(struct mail_values){ .link = "/" });
}

/* ---- the owner ---- */

static enum err
ws_heir_find(
    struct ctx *c, const struct workspace *w, const struct ws_heir *in, struct member **out)
{
	const char *id = in->new_owner_id ? in->new_owner_id : in->user_id;
	const char *field = in->email ? "email" : in->user_id ? "user_id" : "new_owner_id";
	enum err e;

	if ((in->new_owner_id != NULL) + (in->user_id != NULL) + (in->email != NULL) != 1)
		return fail(c, E_INVALID,
		    "new_owner_id: specify the member with exactly one of new_owner_id, user_id "
		    "and email");
	if (in->email)
		TRY(user_id_of_email(c, in->email, &id));
	e = id ? member_get(c, w->id, id, true, out) : E_NOT_FOUND;
	if (e == E_NOT_FOUND)
		return fail(c, E_INVALID,
		    "%s: isn't a member of the workspace; invite them first", field);
	TRY(e);
	return user_may_receive(c, field, in->email ? in->email : id, (*out)->disabled_at);
}

enum err
member_transfer(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct ws_heir *in)
{
	struct member *heir;

	TRY(ws_heir_find(c, w, in, &heir));
	if (str_eq(heir->user_id, who->user_id))
		return E_OK;
	TRY(workspace_may_own(c, heir->user_id));
	TRY(role_write(c, w->id, who->user_id, "admin"));
	TRY(role_write(c, w->id, heir->user_id, "owner"));
	TRY(follow(c, OWNER_CHANGED,
	    &(struct happened){ .workspace_id = w->id,
		.user_id = heir->user_id,
		.from_id = who->user_id }));
	TRY(audit_member(c, w, who, "workspace.transferred", heir,
	    audit_facts(c, "owner", who->user_id), audit_facts(c, "owner", heir->user_id)));
	return member_tell(c, MAIL_WORKSPACE_OWNER, w, who, heir->email,
	    &(struct mail_values){ .link = mem_printf(c->mem, "/w/%s", w->id) });
}

/* ---- tokens ---- */

static enum err
token_person_check(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *user_id, struct member **m)
{
	TRY(member_get(c, w->id, user_id, true, m));
	return str_eq(user_id, who->user_id) || member_rank((*m)->role) < member_rank(w->role)
	    ? E_OK
	    : fail(c, E_DENIED,
		  "You can only create tokens for yourself and for members whose role "
		  "is below yours");
}

enum err
member_token_make(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *user_id, const struct member_token_new *in, struct member_token *out)
{
	bool given = in->has.expires_at == GIVEN;
	int64_t until = given ? in->expires_at : c->now + TOKEN_YEAR_S;
	struct member *m;

	TRY(token_person_check(c, w, who, user_id, &m));
	TRY(user_may_receive(c, "user_id", m->email, m->disabled_at));
	if (until <= c->now || until > c->now + TOKEN_YEARS_MOST * INT64_C(31622400))
		return fail(c, E_INVALID,
		    "expires_at: must be in the future, at most %d years away",
		    TOKEN_YEARS_MOST);
	TRY(token_mint_confined(c, user_id, w->id,
	    &(struct token_confined){ .name = in->name, .opens_to = in->opens_to, .until = until },
	    &out->token, &out->token_id));
	out->shown_once = true;
	TRY(audit_member(c, w, who, "member.token_made", m, NULL,
	    audit_facts(c, "token_id|expires_at", out->token_id, until)));
	if (str_eq(m->user_id, who->user_id))
		return E_OK;
	return member_tell(c, MAIL_WORKSPACE_TOKEN, w, who, m->email,
	    &(struct mail_values){ .what = str_cut(c->mem, in->name, TOKEN_NAME_MAILED),
		.when = str_date(c->mem, c->now),
		.link = "/auth/account" });
}

enum err
member_tokens_end(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *user_id, int64_t *ended)
{
	struct member *m;

	TRY(token_person_check(c, w, who, user_id, &m));
	TRY(db_exec(c,
	    EXEC(
		"UPDATE token SET revoked_at = ? WHERE workspace_id = ? AND user_id = ?"
		" AND revoked_at IS NULL AND expires_at > ?"),
	    ARGS(c->now, w->id, user_id, c->now), ended));
	return audit_member(c, w, who, "member.tokens_revoked", m, NULL,
	    audit_facts(c, "revoked", *ended));
}

/* ---- recounting seats ---- */

SHAPE_DEFINE(member_odd, MEMBER_ODD);

#define PEOPLE_OF(w) \
	"(SELECT COUNT(*) FROM member m WHERE m.workspace_id = " w ".id AND m.role <> 'agent')"

enum err
members_check(struct ctx *c, struct member_odd_list *out)
{
	return db_all(c,
	    ROWS(member_odd,
		"SELECT w.id, w.people, " PEOPLE_OF("w") " AS members,"
		" (SELECT COUNT(*) FROM member o WHERE o.owner_of = w.id) AS owners"
		" FROM workspace w HAVING people <> members OR owners <> 1"),
	    NOARGS, out);
}

/* A join locks the workspace’s row, so the count is exact. */
enum err
member_recount(struct ctx *c, int64_t *mended)
{
	return db_exec(c,
	    EXEC(
		"UPDATE workspace w SET w.people = " PEOPLE_OF("w")
		" WHERE w.people <> " PEOPLE_OF("w")),
	    NOARGS, mended);
}

/* ---- merged and deleted accounts ---- */

/* SQL: the order of roles; the rows of two accounts in each workspace that both are in. */
#define RANK(role) "FIELD(" role ", 'agent', 'member', 'admin', 'owner')"
#define BOTH \
	"member f JOIN member i ON i.workspace_id = f.workspace_id AND i.user_id = ?" \
	" WHERE f.user_id = ?"

/* The higher role stays, and one seat. */
static enum err
user_merged(struct ctx *c, const struct happened *h)
{
	const char *from = h->from_id, *into = h->user_id;

	TRY(db_exec(c,
	    EXEC(
		"UPDATE workspace w JOIN member f ON f.workspace_id = w.id"
		" JOIN member i ON i.workspace_id = w.id AND i.user_id = ?"
		" SET w.people = w.people - 1 WHERE f.user_id = ?"),
	    ARGS(into, from), NULL));
	TRY(db_exec(c, EXEC("DELETE i FROM " BOTH " AND " RANK("f.role") " > " RANK("i.role")),
	    ARGS(into, from), NULL));
	TRY(db_exec(c, EXEC("DELETE f FROM " BOTH), ARGS(into, from), NULL));
	TRY(db_exec(c, EXEC("UPDATE member SET user_id = ? WHERE user_id = ?"), ARGS(into, from),
	    NULL));
	TRY(find_changed(c, FIND_PERSON, from));
	return follow(c, MEMBERSHIPS_CHANGED, &(struct happened){ .user_id = into });
}

#define OWNED_WS(F, T) F(T, INT, n)
SHAPE(owned_ws, OWNED_WS);

enum err
member_may_go(struct ctx *c, const char *user_id)
{
	struct owned_ws *row;

	TRY(db_one(c,
	    ROWS(owned_ws,
		"SELECT COUNT(*) AS n FROM member WHERE user_id = ? AND role = 'owner'"),
	    ARGS(user_id), &row));
	return row->n ? fail(c, E_CONFLICT,
			    "the account owns %s, including any in the trash; "
			    "transfer or purge them first",
			    str_count(c->mem, row->n, "workspace"))
		      : E_OK;
}

static enum err
user_deleted(struct ctx *c, const struct happened *h)
{
	TRY(member_may_go(c, h->user_id));
	TRY(db_exec(c,
	    EXEC(
		"UPDATE workspace w JOIN member m ON m.workspace_id = w.id"
		" SET w.people = w.people - 1 WHERE m.user_id = ? AND m.role <> 'agent'"),
	    ARGS(h->user_id), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM member WHERE user_id = ?"), ARGS(h->user_id), NULL));
	return follow(c, MEMBERSHIPS_CHANGED, &(struct happened){ .user_id = h->user_id });
}

/* Agents end with their accounts (team/agenttoken.c). */
static enum err
workspace_purged(struct ctx *c, const struct happened *h)
{
	TRY(db_exec(c,
	    EXEC(FIND_LATER "SELECT ?, user_id FROM member WHERE workspace_id = ?"),
	    ARGS(FIND_PERSON, h->workspace_id), NULL));
	return db_exec(c, EXEC("DELETE FROM member WHERE workspace_id = ? AND role <> 'agent'"),
	    ARGS(h->workspace_id), NULL);
}

static enum err
memberships_changed(struct ctx *c, const struct happened *h)
{
	return find_changed(c, FIND_PERSON, h->user_id);
}

enum err
member_heirs(struct ctx *c, const struct workspace *w, const char *leaver, struct list *out)
{
	struct member_list owner, rows;
	struct member *to;
	const char *next;
	size_t n = 0;

	TRY(member_list(
	    c, w, &(struct member_query){ .limit = 1, .role = "owner" }, &owner, &next));
	TRY(member_list(c, w, &(struct member_query){ .limit = PAGE_MAX }, &rows, &next));
	to = mem_array(c->mem, struct member, rows.n + 2);
	if (owner.n && !str_eq(owner.v->user_id, leaver))
		to[n++] = *owner.v;
	for (size_t i = 0; i < rows.n; i++)
		if (!str_eq(rows.v[i].role, "owner") && !str_eq(rows.v[i].user_id, leaver) &&
		    !rows.v[i].disabled_at)
			to[n++] = rows.v[i];
	*out = (struct list){ to, n };
	return E_OK;
}

FOLLOWS(member, { USER_MERGED, user_merged }, { USER_DELETED, user_deleted },
    { WORKSPACE_PURGED, workspace_purged }, { MEMBERSHIPS_CHANGED, memberships_changed });

/* ---- search ---- */

#define PERSON_FOUND(F, T) \
	FOUND(F, T) \
	F(T, STR, email)
SHAPE(found_person, PERSON_FOUND);

/* Members find the people of their workspaces: each once, however many workspaces they share. */
static enum err
person_found(struct ctx *c, const struct find_asked *asked, struct found_list *out)
{
	struct found_person_list rows;

	TRY(db_all(c,
	    ROWS(found_person,
		"SELECT u.id AS `key`, u.id, COALESCE(NULLIF(u.name, ''), u.email) AS title,"
		" CONCAT_WS(' · ', IF(u.name = '', NULL, u.email),"
		" GROUP_CONCAT(wk.name ORDER BY wk.name SEPARATOR ', ')) AS subtitle,"
		" MIN(wk.id) AS workspace_id, MAX(a.joined_at) AS updated_at, u.email"
		" FROM " FIND_ASKED " STRAIGHT_JOIN user u ON u.id = t.id"
		" STRAIGHT_JOIN member a ON a.user_id = u.id AND a.role <> 'agent'"
		MEMBER_TABLES("s.user_id") " WHERE " FIND_WITHIN("a.workspace_id")
		" AND " WORKSPACE_ROLE_COLUMN " IN ('member', 'admin', 'owner') GROUP BY u.id"),
	    FIND_ARGS(asked), &rows));
	*out = (struct found_list){ mem_array(c->mem, struct found, rows.n + 1), rows.n };
	for (size_t i = 0; i < rows.n; i++) {
		struct found_person *p = &rows.v[i];
		struct buf url = BUF(c->mem);

		buf_fmt(&url, "/w/%s/members?q=", p->workspace_id);
		buf_url(&url, p->email);
		p->url = buf_done(&url);
		out->v[i] = FOUND_OF(c, p);
	}
	return E_OK;
}

FINDS(member, FIND_PERSON, "people", NO_SCOPE, person_found,
    .text = ROWS(find_text,
	"SELECT u.id, GROUP_CONCAT(m.workspace_id) AS audiences,"
	" COALESCE(NULLIF(u.name, ''), u.email) AS name, u.email AS also FROM " ID_TABLE
	" STRAIGHT_JOIN user u ON u.id = t.id"
	" STRAIGHT_JOIN member m ON m.user_id = u.id AND m.role <> 'agent' GROUP BY u.id"),
    .all = ROWS(find_text,
	"SELECT id FROM user WHERE id > ? AND kind <> 'agent' ORDER BY id LIMIT ?"));
