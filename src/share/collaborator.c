/* SPDX-License-Identifier: Apache-2.0 */
#include "share/collaborator.h"

#include "base/str.h"
#include "core/accesspolicy.h"
#include "core/audit.h"
#include "core/follow.h"
#include "core/member.h"
#include "core/storage.h"
#include "core/tell.h"
#include "core/user.h"
#include "db/db.h"
#include "people/password.h"

SHAPE_DEFINE(collaborator, COLLABORATOR);
SHAPE_DEFINE(collaborator_new, COLLABORATOR_NEW);
SHAPE_DEFINE(new_owner, NEW_OWNER);

enum err
collaborator_list(struct ctx *c, const struct artifact *a, struct list *out)
{
	struct collaborator *rows;

	TRY(db_all(c,
	    ROWS(collaborator,
		"SELECT email, role, user_id"
		" FROM (SELECT COALESCE(a.owner_given, u.email) AS email, 'owner' AS role,"
		" u.id AS user_id, 0 AS rank FROM artifact a"
		" JOIN user u ON u.id = a.owner_id WHERE a.id = ?"
		" UNION ALL SELECT COALESCE(co.given_email, u.email), co.role, u.id, 1"
		" FROM collaborator co JOIN user u ON u.id = co.user_id WHERE co.artifact_id = ?"
		" UNION ALL SELECT p.email, p.role, NULL, 1 FROM collaborator_pending p"
		" WHERE p.artifact_id = ?) all_of_them ORDER BY rank, email"),
	    ARGS(a->id, a->id, a->id), out));
	rows = out->v;
	for (size_t i = 0; i < out->n; i++)
		if (!rows[i].user_id) {
			rows[i].pending = true;
			rows[i].has.pending = GIVEN;
		}
	return E_OK;
}

/* An address in lower case, as the caller gave it, and its account (NULL: none). The account's own
 * address may differ; we don't reveal it to a caller who gave another. */
struct invited {
	const char *email, *user_id;
};

static enum err
invited_find(struct ctx *c, const char *email, struct invited *out)
{
	out->email = email_fold(c, email);
	return user_id_of_email(c, email, &out->user_id);
}

/* Their role in the list, or NULL. */
static const char *
role_of(const struct list *all, const struct invited *who)
{
	const struct collaborator *co = all->v;

	for (size_t i = 0; i < all->n; i++)
		if (who->user_id ? str_eq(co[i].user_id, who->user_id)
				 : str_eq(co[i].email, who->email))
			return co[i].role;
	return NULL;
}

static const char *
role_fact(struct ctx *c, const char *email, const char *role)
{
	return role ? audit_facts(c, "email|role", email, role) : NULL;
}

/* Records a role before and after (NULL: none). */
static enum err
collaborator_audit(struct ctx *c, const struct artifact *a, const char *email, const char *was,
    const char *is)
{
	return audit_artifact(c, a, is ? "collaborator.added" : "collaborator.removed",
	    role_fact(c, email, was), role_fact(c, email, is));
}

/* Checks every address before the first is written, so that all are added or none. */
static enum err
add_check(struct ctx *c, const struct artifact *a, const struct collaborator_new *in,
    const struct list *present)
{
	if (str_eq(in->role, "owner"))
		return fail(c, E_INVALID,
		    "role: an artifact has only one owner; "
		    "to change it, use POST …/transfer-ownership");
	if (role_rank(in->role) >= role_rank(a->role))
		return fail(c, E_DENIED,
		    "role: you can assign only roles below your own, which is %s", a->role);
	for (size_t i = 0; i < in->emails.n; i++) {
		const char *email = in->emails.v[i], *has;
		struct invited who;
		bool allowed = true;

		TRY(invited_find(c, email, &who));
		if (a->workspace_id)
			TRY(access_policy_allows(c, a->workspace_id, email, &allowed));
		if (!allowed)
			return fail(c, E_DENIED,
			    "emails[%zu]: the workspace's access policy doesn't allow %s", i,
			    email);
		has = role_of(present, &who);
		if (str_eq(has, "owner"))
			return fail(c, E_INVALID, "emails[%zu]: %s is the owner", i, email);
		if (role_rank(has) >= role_rank(a->role))
			return fail(c, E_DENIED,
			    "emails[%zu]: %s has the role %s; "
			    "you can change only roles below your own",
			    i, email, has);
	}
	return E_OK;
}

/* Stops jobs and cancels approvals of a person who can no longer edit. */
static enum err
editor_end(struct ctx *c, const struct artifact *a, const struct invited *who, const char *role)
{
	const struct principal person = { .user_id = who->user_id };
	struct artifact *theirs;
	enum err e;

	if (!who->user_id || role_rank(role) >= ROLE_EDITOR)
		return E_OK;
	/* They may still edit by a role in the workspace. */
	e = artifact_get(c, a->id, &person, false, &theirs);
	if (!e && role_rank(theirs->role) >= ROLE_EDITOR)
		return E_OK;
	if (e == E_NOT_FOUND)
		ctx_again(c);
	else
		TRY(e);
	return follow(c, EDITOR_LOST, &(struct happened){ .art = a, .user_id = who->user_id });
}

static enum err
finders_change(struct ctx *c, const struct artifact *a)
{
	return follow(c, FINDERS_CHANGE, &(struct happened){ .artifact_id = a->id });
}

/* was: their former role, or NULL. */
static enum err
add_one(struct ctx *c, const struct artifact *a, const char *email, const char *was,
    const char *role)
{
	if (!str_eq(was, role))
		TRY(collaborator_audit(c, a, email, was, role));
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO collaborator (artifact_id, user_id, role, given_email, created_at)"
		" SELECT ?, u.id, ?, NULLIF(?, u.email), ? FROM user u WHERE u.id = " USER_OF_EMAIL
		" ON DUPLICATE KEY UPDATE role = VALUES(role)"),
	    ARGS(a->id, role, email, c->now, USER_OF(email)), NULL));
	return db_exec(c,
	    EXEC(
		"INSERT INTO collaborator_pending (artifact_id, email, role, created_at)"
		" SELECT ?, ?, ?, ? FROM DUAL WHERE " USER_OF_EMAIL " IS NULL"
		" ON DUPLICATE KEY UPDATE role = VALUES(role)"),
	    ARGS(a->id, email, role, c->now, USER_OF(email)), NULL);
}

enum err
collaborator_give(struct ctx *c, const struct artifact *a, const char *email, const char *role)
{
	struct invited who;
	struct list present;
	const char *was;

	TRY(invited_find(c, email, &who));
	TRY(collaborator_list(c, a, &present));
	was = role_of(&present, &who);
	if (role_rank(was) >= role_rank(role))
		return E_OK;
	TRY(add_one(c, a, who.email, was, role));
	return finders_change(c, a);
}

static enum err
collaborator_mail(struct ctx *c, const struct artifact *a, const struct principal *by,
    const struct collaborator *who, bool *mailed)
{
	const char *link = mem_printf(c->mem, "/v1/open/%s", a->slug);
	const char *to, *guest, *path, *until;

	/* People without an account make one first. */
	if (!who->user_id && mail_enabled(c)) {
		TRY(user_invite(c, who->email, &guest));
		TRY(password_guest_link(c, guest, &path, &until));
		link = mem_printf(c->mem, "%s&next=%s", path, link);
	}
	TRY(user_primary_email(c, who->email, &to));
	return tell_noting(c,
	    &(struct mail){ .template = MAIL_COLLABORATOR_ADDED,
		.to = to,
		.typed = who->email,
		.sender_id = by->user_id,
		.artifact_id = a->id,
		.values = { .artifact = a->name,
		    .role = who->role,
		    .by = principal_word(by),
		    .link = link } },
	    mailed);
}

enum err
collaborator_add(struct ctx *c, const struct artifact *a, const struct principal *by,
    const struct collaborator_new *in, struct list *out)
{
	struct collaborator *added = mem_array(c->mem, struct collaborator, in->emails.n);
	struct list present;

	TRY(collaborator_list(c, a, &present));
	TRY(add_check(c, a, in, &present));
	*out = (struct list){ added, 0 };
	for (size_t i = 0; i < in->emails.n; i++) {
		struct collaborator *co = &added[out->n];
		struct invited who;
		const char *was;

		TRY(invited_find(c, in->emails.v[i], &who));
		if (role_of(out, &who))
			continue;
		*co = (struct collaborator){
			.email = who.email, .role = in->role, .user_id = who.user_id
		};
		out->n++;
		was = role_of(&present, &who);
		TRY(add_one(c, a, who.email, was, co->role));
		TRY(editor_end(c, a, &who, co->role));
		if (str_eq(was, co->role))
			continue;
		co->has.mailed = GIVEN;
		TRY(collaborator_mail(c, a, by, co, &co->mailed));
	}
	return finders_change(c, a);
}

enum err
collaborator_remove(
    struct ctx *c, const struct artifact *a, const struct principal *by, const char *email)
{
	struct invited who;
	struct list present;
	const char *role;
	bool self;

	TRY(invited_find(c, email, &who));
	TRY(collaborator_list(c, a, &present));
	role = role_of(&present, &who);
	self = str_eq(who.user_id, by->user_id);
	if (str_eq(role, "owner") && (role_rank(a->role) >= ROLE_EDITOR || self))
		return fail(c, E_CONFLICT,
		    "%s is the owner and can't be removed; transfer ownership first", email);
	if (!self &&
	    (role_rank(a->role) < ROLE_EDITOR || role_rank(role) >= role_rank(a->role)))
		return fail(c, E_DENIED, "You can remove only yourself%s",
		    role_rank(a->role) < ROLE_EDITOR ? ""
						     : " and people whose role is below your own");
	if (!role)
		return fail(c, E_NOT_FOUND, "%s is not a collaborator", email);
	TRY(db_exec(c,
	    EXEC("DELETE FROM collaborator WHERE artifact_id = ? AND user_id = ?"),
	    ARGS(a->id, who.user_id ? who.user_id : ""), NULL));
	TRY(editor_end(c, a, &who, NULL));
	TRY(db_exec(c,
	    EXEC("DELETE FROM collaborator_pending WHERE artifact_id = ? AND email = ?"),
	    ARGS(a->id, who.email), NULL));
	TRY(finders_change(c, a));
	return collaborator_audit(c, a, who.email, role, NULL);
}

/* An address without an account, a disabled account, and an outsider get the same error. The
 * route's limit bounds how many addresses a caller can try. */
static enum err
heir_find(struct ctx *c, const struct artifact *a, const char *email, struct user **out)
{
	enum err e = user_get_by_email(c, email, out);
	bool in = true;

	/* An artifact of a workspace must be owned by one of its members. */
	if (!e && !(*out)->disabled_at && a->workspace_id)
		TRY(member_is_in(c, a->workspace_id, (*out)->id, &in));
	if (e == E_NOT_FOUND || (!e && ((*out)->disabled_at || !in)))
		return fail(c, E_NOT_FOUND,
		    "email: %s can't become the owner; the new owner needs an active account "
		    "and must be in the artifact's workspace, if it has one",
		    email);
	return e;
}

enum err
artifact_give(struct ctx *c, const struct artifact *a, const struct heir *to)
{
	TRY(db_exec(c, EXEC("DELETE FROM collaborator WHERE artifact_id = ? AND user_id = ?"),
	    ARGS(a->id, to->id), NULL));
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO collaborator (artifact_id, user_id, role, given_email, created_at)"
		" SELECT a.id, a.owner_id, 'editor', a.owner_given, ? FROM artifact a"
		" WHERE a.id = ? AND (a.workspace_id IS NULL"
		" OR EXISTS (SELECT 1 FROM member m WHERE m.workspace_id = a.workspace_id"
		" AND m.user_id = a.owner_id AND m.role <> 'agent'))"),
	    ARGS(c->now, a->id), NULL));
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE artifact SET owner_id = ?, owner_given = ?, by_agent = ?, updated_at = ?"
		" WHERE id = ? AND owner_id = ?"),
	    ARGS(to->id, to->given, to->agent, c->now, a->id, a->owner_id)));
	TRY(db_exec(c, EXEC("UPDATE slug SET owner_id = ? WHERE artifact_id = ? AND owner_id = ?"),
	    ARGS(to->id, a->id, a->owner_id), NULL));
	/* The new owner's publishes may now name these objects by digest, without sending the
	 * bytes. */
	TRY(db_exec(c,
	    EXEC("INSERT IGNORE INTO owned_object (owner_id, sha256, size_bytes)"
		 " SELECT DISTINCT ?, sha256, size_bytes FROM version_file WHERE artifact_id = ?"),
	    ARGS(to->id, a->id), NULL));
	TRY(audit_artifact(c, a, "artifact.transferred",
	    audit_facts(c, "owner_id", a->owner_id), audit_facts(c, "owner_id", to->id)));
	TRY(finders_change(c, a));
	return storage_move(c, a->id, a->owner_id, to->id, to->named);
}

enum err
artifact_transfer(struct ctx *c, const struct artifact *a, const char *email)
{
	const char *given;
	struct user *to;

	TRY(heir_find(c, a, email, &to));
	if (str_eq(to->id, a->owner_id))
		return E_OK;
	given = email_fold(c, email);
	return artifact_give(c, a,
	    &(struct heir){ .id = to->id,
		.given = str_eq(given, to->email) ? NULL : given,
		.named = mem_printf(c->mem, "email: %s", email) });
}

/* ---- when other things change ---- */

static enum err
user_merged(struct ctx *c, const struct happened *h)
{
	/* When both accounts have a role on an artifact, the greater one stays. GREATEST compares
	 * the numbers of the ENUM, in which editor comes after viewer. */
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO collaborator (artifact_id, user_id, role, given_email, created_at)"
		" SELECT f.artifact_id, ?, f.role, COALESCE(f.given_email, u.email), f.created_at"
		" FROM collaborator f JOIN user u ON u.id = f.user_id"
		" WHERE f.user_id = ? ON DUPLICATE KEY UPDATE"
		" role = GREATEST(collaborator.role + 0, VALUES(role) + 0)"),
	    ARGS(h->user_id, h->from_id), NULL));
	TRY(db_exec(c, EXEC("DELETE FROM collaborator WHERE user_id = ?"),
	    ARGS(h->from_id), NULL));
	return db_exec(c,
	    EXEC(
		"DELETE co FROM collaborator co"
		" JOIN artifact a ON a.id = co.artifact_id AND a.owner_id = co.user_id"
		" WHERE co.user_id = ?"),
	    ARGS(h->user_id), NULL);
}

static enum err
user_deleted(struct ctx *c, const struct happened *h)
{
	TRY(follow(c, FINDERS_CHANGE, &(struct happened){ .user_id = h->user_id }));
	return db_exec(c, EXEC("DELETE FROM collaborator WHERE user_id = ?"),
	    ARGS(h->user_id), NULL);
}

FOLLOWS(collaborator, { USER_MERGED, user_merged }, { USER_DELETED, user_deleted });
PURGES(collaborator, ROWS_OF(collaborator), ROWS_OF(collaborator_pending));
