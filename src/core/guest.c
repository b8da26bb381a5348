/* SPDX-License-Identifier: Apache-2.0 */
#include "core/guest.h"

#include "base/email.h"
#include "base/str.h"
#include "core/user.h"

#define OUTSIDER(F, T) \
	F(T, ID,   id,   .arg = "usr_") \
	F(T, WORD, kind, .arg = SUBJECT_KINDS)
SHAPE(outsider, OUTSIDER);

static enum err
outsider_find(struct ctx *c, const char *email, struct outsider **out)
{
	return db_find(c,
	    ROWS(outsider,
		"SELECT u.id, u.kind FROM user u WHERE u.id = COALESCE(" USER_OF_EMAIL
		", (SELECT g.id FROM user g WHERE g.invited_email = ?)) FOR UPDATE"),
	    ARGS(USER_OF(email), email), out);
}

enum err
guest_find_or_add(struct ctx *c, const char *email, const char **user_id, bool *is_guest)
{
	const char *folded = email_fold(c, email);
	struct outsider *found;

	if (!str_email(folded))
		return fail(c, E_INVALID, "email: %s", email_wrong(c->mem, email));
	TRY(outsider_find(c, folded, &found));
	if (!found) {
		TRY(user_invite(c, folded, user_id));
		/* An account that was made while we waited takes precedence over a guest. */
		TRY(outsider_find(c, folded, &found));
	}
	*user_id = found->id;
	*is_guest = str_eq(found->kind, "guest");
	return db_exec1(
	    c, EXEC("UPDATE user SET outside = TRUE WHERE id = ?"), ARGS(found->id));
}
