/* SPDX-License-Identifier: Apache-2.0 */
#include "sharing/sharee_member.h"

#include "base/str.h"
#include "core/audit.h"
#include "core/follow.h"
#include "core/guest.h"
#include "core/member.h"
#include "db/db.h"
#include "people/identity.h"
#include "people/password.h"
#include "store/rounds.h"

SHAPE_DEFINE(sharee_member, SHAREE_MEMBER);
SHAPE_DEFINE(sharee_member_new, SHAREE_MEMBER_NEW);

enum { GUEST_DAYS = 90, GUESTS_AT_ONCE = 100 };

/* ---- reading ---- */

#define SHAREE_MEMBER_COLUMNS \
	"m.user_id AS id, COALESCE(m.given_email, u.email, u.invited_email) AS email," \
	" NULLIF(u.name, '') AS name, IF(u.kind = 'guest', 'invited', 'active') AS status," \
	" m.created_at, u.disabled_at"

enum err
sharee_member_list(struct ctx *c, const struct sharee *s, const struct page_query *q,
    struct sharee_member_list *out, const char **next)
{
	return db_part(c,
	    ROWS(sharee_member,
		"SELECT " SHAREE_MEMBER_COLUMNS
		" FROM sharee_member m JOIN user u ON u.id = m.user_id WHERE m.sharee_id = ?"
		" AND m.user_id > ? ORDER BY m.user_id LIMIT ?"),
	    ARGS(s->id, arg_after(q->cursor, "usr_")), q->limit, out, next, last->id);
}

static enum err
sharee_member_find(struct ctx *c, const struct sharee *s, const char *user_id,
    struct sharee_member **out)
{
	return db_find(c,
	    ROWS(sharee_member,
		"SELECT " SHAREE_MEMBER_COLUMNS
		" FROM sharee_member m JOIN user u ON u.id = m.user_id WHERE m.sharee_id = ?"
		" AND m.user_id = ?"),
	    ARGS(s->id, user_id), out);
}

enum err
sharee_member_get(struct ctx *c, const struct sharee *s, const char *user_id,
    struct sharee_member **out)
{
	TRY(sharee_member_find(c, s, user_id, out));
	return *out ? E_OK : fail(c, E_NOT_FOUND, "%s", err_table[E_NOT_FOUND].text);
}

/* ---- inviting ---- */

static enum err
sharee_member_insert(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct sharee *s, const char *user_id, const char *email)
{
	if (s->member_count >= SHAREE_MEMBERS) {
		c->details = mem_printf(c->mem, "{\"limit\":%d}", SHAREE_MEMBERS);
		return fail(c, E_LIMIT_REACHED,
		    "The client has %s people, which is the maximum; remove some first",
		    str_number(c->mem, SHAREE_MEMBERS));
	}
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO sharee_member"
		" (sharee_id, user_id, workspace_id, given_email, created_by, created_at)"
		" SELECT ?, u.id, ?, NULLIF(?, COALESCE(u.email, u.invited_email)), ?, ?"
		" FROM user u WHERE u.id = ?"),
	    ARGS(s->id, w->id, email, who->user_id, c->now, user_id), NULL));
	TRY(follow(c, CLIENT_JOINED, &(struct happened){ .user_id = user_id }));
	return audit_sharee(c, w, who, "sharee.member_added", s, NULL,
	    audit_facts(c, "email", email));
}

enum err
sharee_member_add(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct sharee *s, const char *email, struct sharee_member **out, bool *made)
{
	struct mail_values values = { .what = s->name, .link = "/shared" };
	bool guest, inside;
	const char *user_id;

	TRY(guest_find_or_add(c, email, &user_id, &guest));
	TRY(member_is_in(c, w->id, user_id, &inside));
	if (inside)
		return fail(c, E_INTERNAL_MEMBER,
		    "email: %s is a member of the workspace, and sees what members see", email);
	TRY(sharee_member_find(c, s, user_id, out));
	*made = !*out;
	if (*made)
		TRY(sharee_member_insert(c, w, who, s, user_id, email_fold(c, email)));
	TRY(sharee_member_get(c, s, user_id, out));
	if ((!*made && !guest) || (*out)->disabled_at || !mail_enabled(c))
		return E_OK;
	/* A guest chooses a password through the link; a person with an account signs in. */
	if (str_eq((*out)->status, "invited"))
		TRY(password_guest_link(c, (*out)->id, &values.link, &values.until));
	return member_tell(c, MAIL_SHAREE_INVITED, w, who, (*out)->email, &values);
}

/* ---- ending ---- */

/* SQL condition: the membership m is the person's last one in that workspace. */
#define LAST_ONE \
	"NOT EXISTS (SELECT 1 FROM sharee_member o WHERE o.user_id = m.user_id" \
	" AND o.workspace_id = m.workspace_id AND o.sharee_id <> m.sharee_id)"
#define ENDING " WHERE m.sharee_id = ? AND COALESCE(m.user_id = ?, TRUE)"

enum err
sharee_members_end(struct ctx *c, const char *sharee_id, const char *user_id)
{
	TRY(db_exec(c,
	    EXEC(
		"DELETE g FROM sharee_member m JOIN share_grant g ON g.subject_id = m.user_id"
		" AND g.workspace_id = m.workspace_id" ENDING " AND " LAST_ONE),
	    ARGS(sharee_id, user_id), NULL));
	TRY(db_exec(c,
	    EXEC(
		"DELETE a FROM sharee_member m JOIN sharee_act a ON a.user_id = m.user_id"
		" AND a.workspace_id = m.workspace_id" ENDING " AND " LAST_ONE),
	    ARGS(sharee_id, user_id), NULL));
	TRY(db_exec(c,
	    EXEC(
		"UPDATE sharee_member m JOIN token t ON t.sharee_id = m.sharee_id"
		" AND t.user_id = m.user_id AND t.revoked_at IS NULL SET t.revoked_at = ?" ENDING),
	    ARGS(c->now, sharee_id, user_id), NULL));
	return db_exec(c, EXEC("DELETE m FROM sharee_member m" ENDING), ARGS(sharee_id, user_id),
	    NULL);
}

enum err
sharee_member_remove(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct sharee *s, const char *user_id)
{
	struct sharee_member *m;

	TRY(sharee_member_get(c, s, user_id, &m));
	TRY(sharee_members_end(c, s->id, m->id));
	TRY(follow(c, REACH_ENDED, &(struct happened){ .find_id = s->id }));
	TRY(follow(c, REACH_ENDED, &(struct happened){ .find_id = m->id }));
	return audit_sharee(c, w, who, "sharee.member_removed", s,
	    audit_facts(c, "email", m->email), NULL);
}

/* ---- when other things change ---- */

/* SQL: rows that a person had as an outsider of workspaces that they are now in. */
#define INSIDE(table, user) \
	" FROM " table " x JOIN member o ON o.workspace_id = x.workspace_id" \
	" AND o.user_id = x." user " WHERE x." user " = ?"

static enum err
outsider_ends(struct ctx *c, const char *user_id)
{
	int64_t left;

	TRY(db_exec(
	    c, EXEC("DELETE x" INSIDE("sharee_member", "user_id")), ARGS(user_id), &left));
	if (left)
		TRY(follow(c, CLIENT_JOINED, &(struct happened){ .user_id = user_id }));
	TRY(db_exec(
	    c, EXEC("DELETE x" INSIDE("share_grant", "subject_id")), ARGS(user_id), NULL));
	/* Ends tokens of memberships that the person no longer has. */
	return db_exec(c,
	    EXEC(
		"UPDATE token t SET t.revoked_at = ?"
		" WHERE t.user_id = ? AND t.sharee_id IS NOT NULL AND t.revoked_at IS NULL"
		" AND NOT EXISTS (SELECT 1 FROM sharee_member m"
		" WHERE m.sharee_id = t.sharee_id AND m.user_id = t.user_id)"),
	    ARGS(c->now, user_id), NULL);
}

static enum err
member_came(struct ctx *c, const struct happened *h)
{
	return outsider_ends(c, h->user_id);
}

/* If both are in a client, one membership stays. */
static enum err
user_merged(struct ctx *c, const struct happened *h)
{
	const char *from = h->from_id, *into = h->user_id;

	TRY(db_exec(c,
	    EXEC(
		"DELETE f FROM sharee_member f"
		" JOIN sharee_member i ON i.sharee_id = f.sharee_id AND i.user_id = ?"
		" WHERE f.user_id = ?"),
	    ARGS(into, from), NULL));
	TRY(db_exec(c,
	    EXEC(
		"UPDATE sharee_member SET user_id = ?,"
		" given_email = COALESCE(given_email, (SELECT u.email FROM user u WHERE u.id = ?))"
		" WHERE user_id = ?"),
	    ARGS(into, from, from), NULL));
	TRY(db_exec(c, EXEC("UPDATE sharee_member SET created_by = ? WHERE created_by = ?"),
	    ARGS(into, from), NULL));
	TRY(db_exec(c,
	    EXEC(
		"UPDATE user i JOIN user f ON f.id = ? SET i.outside = i.outside OR f.outside"
		" WHERE i.id = ?"),
	    ARGS(from, into), NULL));
	return outsider_ends(c, into);
}

static enum err
user_deleted(struct ctx *c, const struct happened *h)
{
	TRY(db_exec(
	    c, EXEC("DELETE FROM sharee_member WHERE user_id = ?"), ARGS(h->user_id), NULL));
	return db_exec(c,
	    EXEC("UPDATE sharee_member SET created_by = NULL WHERE created_by = ?"),
	    ARGS(h->user_id), NULL);
}

/* ---- the rounds ---- */

#define GUEST(F, T) \
	F(T, ID,   id,   .arg = "usr_") \
	F(T, BOOL, idle)
SHAPE(guest, GUEST);

#define GUEST_SELECT \
	"SELECT u.id, u.created_at <= ?" \
	" AND NOT EXISTS (SELECT 1 FROM sharee_member m WHERE m.user_id = u.id)" \
	" AND NOT EXISTS (SELECT 1 FROM share_grant g WHERE g.subject_id = u.id)" \
	" AND NOT EXISTS (SELECT 1 FROM sharee_act a WHERE a.user_id = u.id)" \
	" AND NOT EXISTS (SELECT 1 FROM collaborator_pending p WHERE p.email = u.invited_email)" \
	" AS idle" \
	" FROM user u WHERE u.kind = 'guest'"
#define GUEST_HELD(F, T) F(T, ID, id, .arg = "usr_")
SHAPE(guest_held, GUEST_HELD);

/* Deletes the guest if they are still idle under the lock of their row, which a new grant takes,
 * too. */
static enum err
guest_end(struct ctx *c, const char *id)
{
	struct guest_held *locked;
	struct guest *row;

	TRY(db_begin(c));
	TRY(db_find(c, ROWS(guest_held, "SELECT id FROM user WHERE id = ? FOR UPDATE"), ARGS(id),
	    &locked));
	TRY(db_find(c, ROWS(guest, GUEST_SELECT " AND u.id = ?"),
	    ARGS(c->now - GUEST_DAYS * 86400, id), &row));
	if (row && row->idle)
		TRY(user_delete(c, id));
	return db_commit(c);
}

static enum err
guests_piece(struct ctx *c, struct sweep_at *at)
{
	struct guest_list rows;
	enum err e;

	TRY(db_all(c,
	    ROWS(guest, GUEST_SELECT " AND u.id > ? ORDER BY u.id LIMIT ?"),
	    ARGS(c->now - GUEST_DAYS * 86400, at->id, GUESTS_AT_ONCE), &rows));
	for (size_t i = 0; i < rows.n; i++) {
		at->looked++;
		at->removed += rows.v[i].idle;
		snprintf(at->id, sizeof at->id, "%s", rows.v[i].id);
		if (!rows.v[i].idle)
			continue;
		e = guest_end(c, rows.v[i].id);
		db_rollback(c);
		TRY(e);
	}
	at->end = rows.n < GUESTS_AT_ONCE;
	return E_OK;
}

FOLLOWS(sharee_member, { MEMBER_CAME, member_came }, { USER_MERGED, user_merged },
    { USER_DELETED, user_deleted });
ROUNDS(sharee_member, { "guests", .piece = guests_piece, .how = DAILY });
