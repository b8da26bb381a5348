/* SPDX-License-Identifier: Apache-2.0 */
#include "domain/collaborator.h"

#include "base/str.h"
#include "domain/mail.h"
#include "domain/user.h"

SHAPE_DEFINE(collaborator, COLLABORATOR);
SHAPE_DEFINE(collaborator_new, COLLABORATOR_NEW);
SHAPE_DEFINE(new_owner, NEW_OWNER);

enum err
collaborator_list(struct ctx *c, const struct artifact *a, struct list *out)
{
	return db_all(c,
	    ROWS(collaborator,
		"SELECT email, role FROM (SELECT u.email, 'owner' AS role, 0 AS rank FROM artifact a"
		" JOIN user u ON u.id = a.owner_id WHERE a.id = ? UNION ALL SELECT u.email, co.role, 1 FROM collaborator co"
		" JOIN user u ON u.id = co.user_id WHERE co.artifact_id = ?"
		" UNION ALL SELECT p.email, p.role, 1 FROM collaborator_pending p WHERE p.artifact_id = ?) all_of_them ORDER BY rank, email"),
	    ARGS(a->id, a->id, a->id), out);
}

/* The role of the address in the list, or NULL. */
static const char *
role_of(const struct list *all, const char *email)
{
	const struct collaborator *co = all->v;

	for (size_t i = 0; i < all->n; i++)
		if (str_eq(co[i].email, email))
			return co[i].role;
	return NULL;
}

/* Checks every address before the first is written, so that all are added or none. */
static enum err
add_check(struct ctx *c, const struct artifact *a, const struct collaborator_new *in,
    const struct list *present)
{
	if (str_eq(in->role, "owner"))
		return fail(c, E_INVALID,
		    "role: there is one owner; POST …/transfer-ownership makes another person the owner");
	if (role_rank(in->role) >= role_rank(a->role))
		return fail(
		    c, E_DENIED, "role: you may give roles below your own, which is %s", a->role);
	for (size_t i = 0; i < in->emails.n; i++) {
		const char *email = in->emails.v[i], *has;

		TRY(user_primary_email(c, email, &email));
		has = role_of(present, email);
		if (str_eq(has, "owner"))
			return fail(c, E_INVALID, "emails[%zu]: %s is the owner", i, email);
		if (role_rank(has) >= role_rank(a->role))
			return fail(c, E_DENIED,
			    "emails[%zu]: %s is %s; you may change roles below your own", i, email,
			    has);
	}
	return E_OK;
}

static enum err
add_one(struct ctx *c, const struct artifact *a, const char *email, const char *role)
{
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO collaborator (artifact_id, user_id, role, created_at) SELECT ?, id, ?, ? FROM user WHERE email = ?"
		" ON DUPLICATE KEY UPDATE role = VALUES(role)"),
	    ARGS(a->id, role, c->now, email), NULL));
	return db_exec(c,
	    EXEC(
		"INSERT INTO collaborator_pending (artifact_id, email, role, created_at) SELECT ?, ?, ?, ? FROM DUAL"
		" WHERE NOT EXISTS (SELECT 1 FROM user WHERE email = ?) ON DUPLICATE KEY UPDATE role = VALUES(role)"),
	    ARGS(a->id, email, role, c->now, email), NULL);
}

enum err
collaborator_give(struct ctx *c, const char *artifact_id, const char *email, const char *role)
{
	struct artifact a = { .id = artifact_id };
	struct list present;

	/* The account of the address may have been merged into another one since the request. */
	TRY(user_primary_email(c, email, &email));
	TRY(collaborator_list(c, &a, &present));
	return role_rank(role_of(&present, email)) >= role_rank(role) ? E_OK
								      : add_one(c, &a, email, role);
}

/* Mails the new collaborator. This is a courtesy: when there is no mail server, or a mail budget is
 * used up, the role is given all the same. */
static enum err
collaborator_tell(struct ctx *c, const struct artifact *a, const struct principal *by,
    const char *email, const char *role)
{
	enum err e;

	if (!mail_enabled(c))
		return E_OK;
	e = mail_send(c,
	    &(struct mail){ .template = MAIL_COLLABORATOR_ADDED,
		.to = email,
		.sender_id = by->user_id,
		.artifact_id = a->id,
		.values = { .artifact = a->name,
		    .role = role,
		    .by = *by->name ? by->name : by->email,
		    .link = mem_printf(c->mem, "/v1/open/%s", a->slug) } });
	return e == E_RATE_LIMITED ? E_OK : e;
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
		const char *email;

		TRY(user_primary_email(c, in->emails.v[i], &email));
		if (role_of(out, email))
			continue;
		TRY(add_one(c, a, email, in->role));
		if (!str_eq(role_of(&present, email), in->role))
			TRY(collaborator_tell(c, a, by, email, in->role));
		added[out->n++] = (struct collaborator){ .email = email, .role = in->role };
	}
	return E_OK;
}

enum err
collaborator_remove(
    struct ctx *c, const struct artifact *a, const struct principal *by, const char *email)
{
	const char *folded, *role;
	struct list present;

	TRY(user_primary_email(c, email, &folded));
	TRY(collaborator_list(c, a, &present));
	role = role_of(&present, folded);
	if (str_eq(role, "owner") &&
	    (role_rank(a->role) >= ROLE_EDITOR || str_eq(folded, by->email)))
		return fail(c, E_CONFLICT,
		    "%s is the owner and can't be removed; transfer the ownership first", email);
	if (!str_eq(folded, by->email) &&
	    (role_rank(a->role) < ROLE_EDITOR || role_rank(role) >= role_rank(a->role)))
		return fail(c, E_DENIED, "you may remove yourself%s",
		    role_rank(a->role) < ROLE_EDITOR ? ""
						     : ", and those whose role is below your own");
	if (!role)
		return fail(c, E_NOT_FOUND, "%s is not a collaborator", email);
	TRY(db_exec(c,
	    EXEC(
		"DELETE FROM collaborator WHERE artifact_id = ? AND user_id = (SELECT id FROM user WHERE email = ?)"),
	    ARGS(a->id, folded), NULL));
	return db_exec(c,
	    EXEC("DELETE FROM collaborator_pending WHERE artifact_id = ? AND email = ?"),
	    ARGS(a->id, folded), NULL);
}

enum err
artifact_transfer(struct ctx *c, const struct artifact *a, const char *email)
{
	struct user *to;

	TRY(user_get_by_email(c, email, &to));
	if (to->disabled_at)
		return fail(c, E_NOT_FOUND, "email: %s has no account", email);
	if (str_eq(to->id, a->owner_id))
		return E_OK;
	TRY(db_exec(c, EXEC("DELETE FROM collaborator WHERE artifact_id = ? AND user_id = ?"),
	    ARGS(a->id, to->id), NULL));
	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO collaborator (artifact_id, user_id, role, created_at) VALUES (?, ?, 'editor', ?)"),
	    ARGS(a->id, a->owner_id, c->now), NULL));
	TRY(db_exec1(c,
	    EXEC("UPDATE artifact SET owner_id = ?, updated_at = ? WHERE id = ? AND owner_id = ?"),
	    ARGS(to->id, c->now, a->id, a->owner_id)));
	TRY(db_exec(c, EXEC("UPDATE slug SET owner_id = ? WHERE artifact_id = ? AND owner_id = ?"),
	    ARGS(to->id, a->id, a->owner_id), NULL));
	/* The new owner's publishes may now name these objects by digest, without sending the
	 * bytes. */
	return db_exec(c,
	    EXEC("INSERT IGNORE INTO owned_object (owner_id, sha256, size_bytes)"
		 " SELECT DISTINCT ?, sha256, size_bytes FROM version_file WHERE artifact_id = ?"),
	    ARGS(to->id, a->id), NULL);
}
