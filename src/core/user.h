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
/* An account, as operators list it. */
#define LISTED_USER(F, T) \
	USER(F, T) \
	F(T, WORD, kind, .arg = SUBJECT_KINDS)
SHAPE_DECLARE(listed_user, LISTED_USER);
/* Somebody, as those who are in a workspace with them are told of them. */
#define WS_USER(F, T) \
	F(T, ID,    user_id, .arg = "usr_") \
	F(T, STR,   name) \
	F(T, EMAIL, email,   .flags = F_NUL, .doc = "null for an agent") \
	F(T, WORD,  kind,    .arg = SUBJECT_KINDS)
SHAPE_DECLARE(ws_user, WS_USER);

/* Returns the address as it is stored and compared: as email_read() has it, in lower case. */
const char *email_fold(struct ctx *c, const char *email);
/* *out is the guest who was invited by an address in lower case, made if need be. Two who add the
 * same address wait for each other here, whatever they add. */
enum err user_invite(struct ctx *c, const char *email, const char **out);
enum err user_is_invited(struct ctx *c, const char *email, bool *yes); /* there is such a guest */
/* They have proved to have their address: a guest becomes a person of that name, who gets the roles
 * that were given to the address. Nothing happens to a person. E_CONFLICT when somebody else's
 * account has the address. */
enum err user_claim(struct ctx *c, const struct user *);
/* Adds an account, which gets the roles that were given to its address before; the guest who was
 * invited by it becomes it, with their id. E_INVALID for a bad address or name; E_CONFLICT when the
 * address has an account. In a transaction. */
enum err user_add(struct ctx *c, const char *email, const char *name,
    struct user **out);
/* A member of staff. */
#define STAFF_PERSON(F, T) \
	USER(F, T) \
	F(T, INT, level, .doc = "enum staff")
SHAPE_DECLARE(staff_person, STAFF_PERSON);
enum err user_staff_set(struct ctx *c, const char *id, enum staff);
enum err user_staff_list(struct ctx *c, struct staff_person_list *out); /* disabled ones, too */
enum err user_get_by_email(struct ctx *c, const char *email, struct user **out); /* E_NOT_FOUND */
/* The id of the account that has an address, as its own or from an account that was merged into it:
 * an expression of two arguments, USER_OF(email), with the address in lower case. */
#define USER_OF_EMAIL \
	"COALESCE((SELECT al.user_id FROM email_alias al WHERE al.email = ?)," \
	" (SELECT ow.id FROM user ow WHERE ow.email = ?))"
#define USER_OF(email) (email), (email)
/* *out is the id, or NULL. */
enum err user_id_of_email(struct ctx *c, const char *email, const char **out);
/* *out, in lower case, is the address of the account that email's account was merged into, or else
 * email itself. */
enum err user_primary_email(struct ctx *c, const char *email, const char **out);
/* Sets the name, in the form that user_add() takes. */
enum err user_name_set(struct ctx *c, const struct user *, const char *name);
/* Whether they are in no workspace and own nothing, so that all they can have was given to them. */
enum err user_is_only_outside(struct ctx *c, const char *user_id, bool *yes);
enum err user_list(struct ctx *c, struct listed_user_list *out); /* people, guests, and agents */
/* E_CONFLICT, with the way out, when somebody who is to be given something is disabled. who: as the
 * caller named them in that field. */
enum err user_may_receive(
    struct ctx *c, const char *field, const char *who, int64_t disabled_at);
/* A disabled person's tokens stop working at once, and work again when the account is enabled. */
enum err user_set_disabled(
    struct ctx *c, const char *id, bool disabled);
#endif
