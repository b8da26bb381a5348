/* SPDX-License-Identifier: Apache-2.0
 * People and their accounts. E-mail addresses are stored in lower case. */
#ifndef VITRINE_USER_H
#define VITRINE_USER_H
#include "base/principal.h"
#include "db/db.h"

#define USER(F, T) \
	F(T, ID,    id, .arg = "usr_") \
	F(T, EMAIL, email) \
	F(T, STR,   name) \
	F(T, TIME,  created_at) \
	F(T, TIME,  disabled_at, .flags = F_NUL)
SHAPE_DECLARE(user, USER);
/* An account, in the list for operators. */
#define LISTED_USER(F, T) \
	USER(F, T) \
	F(T, WORD, kind, .arg = SUBJECT_KINDS)
SHAPE_DECLARE(listed_user, LISTED_USER);
/* A user, as other members of a workspace see them. */
#define WS_USER(F, T) \
	F(T, ID,    user_id, .arg = "usr_") \
	F(T, STR,   name) \
	F(T, EMAIL, email,   .flags = F_NUL, .doc = "null for an agent") \
	F(T, WORD,  kind,    .arg = SUBJECT_KINDS)
SHAPE_DECLARE(ws_user, WS_USER);

/* Returns the address in its stored form: as email_read() makes it, in lower case. */
const char *email_fold(struct ctx *c, const char *email);
/* *out is the guest with this address, in lower case; created if needed. Two transactions that add
 * the same address wait for each other here. */
enum err user_invite(struct ctx *c, const char *email, const char **out);
enum err user_is_invited(struct ctx *c, const char *email, bool *yes); /* True if there is such a
									* guest. */
/* Turns a guest who has proved to have their address into a person of that name, with the roles
 * that were given to the address. Does nothing to a person. E_CONFLICT if another account has the
 * address. */
enum err user_claim(struct ctx *c, const struct user *);
/* Adds an account. A guest with its address becomes the account, with their id and roles; roles
 * given to the address before become the account's. E_INVALID for a bad address or name; E_CONFLICT
 * if another account has the address. In a transaction. */
enum err user_add(struct ctx *c, const char *email, const char *name,
    struct user **out);
/* Makes the account staff, or ends that. */
#define STAFF_PERSON(F, T) \
	USER(F, T) \
	F(T, INT, level, .doc = "enum staff")
SHAPE_DECLARE(staff_person, STAFF_PERSON);
enum err user_staff_set(struct ctx *c, const char *id, enum staff);
/* Finds disabled staff, too. */
enum err user_staff_list(struct ctx *c, struct staff_person_list *out);
enum err user_get_by_email(struct ctx *c, const char *email, struct user **out); /* E_NOT_FOUND */
/* USER_OF(email): an SQL expression for the id of the account that has an address, or was merged
 * with one that had it. It takes the address, in lower case, twice. */
#define USER_OF_EMAIL \
	"COALESCE((SELECT al.user_id FROM email_alias al WHERE al.email = ?)," \
	" (SELECT ow.id FROM user ow WHERE ow.email = ?))"
#define USER_OF(email) (email), (email)
/* *out is the id, or NULL. */
enum err user_id_of_email(struct ctx *c, const char *email, const char **out);
/* *out, in lower case, is the address of the account that email's account was merged into, or email
 * itself. */
enum err user_primary_email(struct ctx *c, const char *email, const char **out);
/* Sets the name, in the form that user_add() accepts. */
enum err user_name_set(struct ctx *c, const struct user *, const char *name);
/* True if the user is in no workspace and owns nothing, so that they have only what was given to
 * them. */
enum err user_is_only_outside(struct ctx *c, const char *user_id, bool *yes);
/* Counts people, guests, and agents. */
enum err user_list(struct ctx *c, struct listed_user_list *out);
/* E_CONFLICT, whose message says what to do, if a user who should get something is disabled. who:
 * their name as the caller gave it in that field. */
enum err user_may_receive(
    struct ctx *c, const char *field, const char *who, int64_t disabled_at);
/* Disables an account or enables it. Its tokens stop working at once, and work again when it is
 * enabled. */
enum err user_set_disabled(
    struct ctx *c, const char *id, bool disabled);
#endif
