/* SPDX-License-Identifier: Apache-2.0 */
#include "core/user.h"

#include "base/email.h"
#include "base/id.h"
#include "base/str.h"
#include "core/find.h"

SHAPE_DEFINE(user, USER);
SHAPE_DEFINE(listed_user, LISTED_USER);
SHAPE_DEFINE(ws_user, WS_USER);

const char *
email_fold(struct ctx *c, const char *email)
{
	const char *read = email_read(c->mem, email);
	char *out = mem_strdup(c->mem, read ? read : email);

	for (char *p = out; *p; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p + 32);
	return out;
}

#define PRIMARY(F, T) F(T, EMAIL, email)
SHAPE(primary, PRIMARY);

enum err
user_primary_email(struct ctx *c, const char *email, const char **out)
{
	struct primary *row;

	*out = email_fold(c, email);
	TRY(db_find(c,
	    ROWS(primary,
		"SELECT u.email FROM email_alias a JOIN user u ON u.id = a.user_id"
		" WHERE a.email = ?"),
	    ARGS(*out), &row));
	if (row)
		*out = row->email;
	return E_OK;
}

#define OWNING(F, T) F(T, ID, id, .arg = "usr_")
SHAPE(owning, OWNING);

enum err
user_id_of_email(struct ctx *c, const char *email, const char **out)
{
	const char *folded = email_fold(c, email);
	struct owning *row;

	TRY(db_one(c, ROWS(owning, "SELECT " USER_OF_EMAIL " AS id"), ARGS(USER_OF(folded)), &row));
	*out = row->id;
	return E_OK;
}

enum err
user_invite(struct ctx *c, const char *email, const char **out)
{
	struct owning *row;

	TRY(db_exec(c,
	    EXEC(
		"INSERT INTO user (id, kind, invited_email, name, created_at)"
		" VALUES (?, 'guest', ?, '', ?) ON DUPLICATE KEY UPDATE kind = kind"),
	    ARGS(id_new(c->mem, "usr_"), email, c->now), NULL));
	TRY(db_one(c, ROWS(owning, "SELECT id FROM user WHERE invited_email = ?"), ARGS(email),
	    &row));
	*out = row->id;
	return E_OK;
}

enum err
user_claim(struct ctx *c, const struct user *u)
{
	int64_t claimed, adopted;

	TRY(db_exec(c,
	    EXEC(
		"UPDATE user SET kind = 'person', email = invited_email, invited_email = NULL,"
		" name = ?, created_at = ? WHERE id = ? AND kind = 'guest'"),
	    ARGS(u->name, c->now, u->id), &claimed));
	if (!claimed)
		return E_OK;
	/* The new account gets the roles that its address was given while it had no account. */
	TRY(db_exec(c,
	    EXEC(
		"INSERT IGNORE INTO collaborator (artifact_id, user_id, role, created_at)"
		" SELECT p.artifact_id, ?, p.role, p.created_at FROM collaborator_pending p"
		" WHERE p.email = ?"),
	    ARGS(u->id, u->email), &adopted));
	TRY(db_exec(
	    c, EXEC("DELETE FROM collaborator_pending WHERE email = ?"), ARGS(u->email), NULL));
	if (adopted)
		TRY(follow(c, FINDERS_CHANGE, &(struct happened){ .user_id = u->id }));
	return follow(c, USER_CAME, &(struct happened){ .user_id = u->id });
}

enum err
user_add(struct ctx *c, const char *email, const char *name, struct user **out)
{
	struct user *u = *out = mem_new(c->mem, struct user);
	const char *primary;

	if (!email_read(c->mem, email))
		return fail(c, E_INVALID, "email: %s", email_wrong(c->mem, email));
	if (!str_plain(name) || str_chars(name) > 200)
		return fail(c, E_INVALID,
		    "name: must be at most 200 characters, without control characters");
	*u = (struct user){ .email = email_fold(c, email), .name = name, .created_at = c->now };
	TRY(user_primary_email(c, u->email, &primary));
	if (!str_eq(primary, u->email))
		return fail(
		    c, E_CONFLICT, "email: %s belongs to the account of %s", u->email, primary);
	TRY(user_invite(c, u->email, &u->id));
	if (user_claim(c, u) == E_OK)
		return E_OK;
	return c->err == E_CONFLICT
	    ? fail(c, E_CONFLICT, "email: %s already has an account", u->email)
	    : c->err;
}

enum err
user_is_invited(struct ctx *c, const char *email, bool *yes)
{
	struct owning *row;

	TRY(db_find(c, ROWS(owning, "SELECT id FROM user WHERE invited_email = ?"), ARGS(email),
	    &row));
	*yes = row != NULL;
	return E_OK;
}

enum err
user_get_by_email(struct ctx *c, const char *email, struct user **out)
{
	const char *primary;

	TRY(user_primary_email(c, email, &primary));
	TRY(db_find(c,
	    ROWS(user, "SELECT id, email, name, created_at, disabled_at FROM user WHERE email = ?"),
	    ARGS(primary), out));
	return *out ? E_OK : fail(c, E_NOT_FOUND, "email: %s has no account", email);
}

enum err
user_name_set(struct ctx *c, const struct user *u, const char *name)
{
	TRY(db_exec(c, EXEC("UPDATE user SET name = ? WHERE id = ?"), ARGS(name, u->id), NULL));
	return find_changed(c, FIND_PERSON, u->id);
}

#define USER_PLACE(F, T) F(T, BOOL, outside)
SHAPE(user_place, USER_PLACE);

enum err
user_is_only_outside(struct ctx *c, const char *user_id, bool *yes)
{
	struct user_place *place;

	TRY(db_find(c,
	    ROWS(user_place,
		"SELECT u.outside AND NOT EXISTS (SELECT 1 FROM member m WHERE m.user_id = u.id)"
		" AND NOT EXISTS (SELECT 1 FROM artifact a WHERE a.owner_id = u.id) AS outside"
		" FROM user u WHERE u.id = ?"),
	    ARGS(user_id), &place));
	*yes = place && place->outside;
	return E_OK;
}

enum err
user_list(struct ctx *c, struct listed_user_list *out)
{
	return db_all(c,
	    ROWS(listed_user,
		"SELECT id, kind, COALESCE(email, invited_email) AS email, name, created_at,"
		" disabled_at FROM user ORDER BY id"),
	    NOARGS, out);
}

SHAPE_DEFINE(staff_person, STAFF_PERSON);

enum err
user_staff_set(struct ctx *c, const char *id, enum staff level)
{
	TRY(db_exec1(
	    c, EXEC("UPDATE user SET is_staff = ? WHERE id = ?"), ARGS((int)level, id)));
	return level ? E_OK : follow(c, STAFF_ENDED, &(struct happened){ .user_id = id });
}

enum err
user_staff_list(struct ctx *c, struct staff_person_list *out)
{
	return db_all(c,
	    ROWS(staff_person,
		"SELECT id, email, name, created_at, disabled_at, is_staff AS level FROM user"
		" WHERE is_staff > 0 ORDER BY id"),
	    NOARGS, out);
}

enum err
user_may_receive(struct ctx *c, const char *field, const char *who, int64_t disabled_at)
{
	return !disabled_at
	    ? E_OK
	    : fail(c, E_CONFLICT,
		  "%s: the account of %s is disabled; "
		  "choose someone else, or ask the operator of the service to enable it",
		  field, who);
}

enum err
user_set_disabled(struct ctx *c, const char *id, bool disabled)
{
	if (disabled)
		TRY(follow(c, USER_DISABLED, &(struct happened){ .user_id = id }));
	return db_exec1(c, EXEC("UPDATE user SET disabled_at = ? WHERE id = ?"),
	    ARGS(disabled ? arg_int(c->now) : arg_null(), id));
}
