/* SPDX-License-Identifier: Apache-2.0
 * Passwords that we store. Callers that set a password also end the account's other sessions. The
 * links by which people set one work once and for a limited time; a guest who uses one becomes a
 * person. */
#ifndef VITRINE_PASSWORD_H
#define VITRINE_PASSWORD_H
#include "core/user.h"

enum { PASSWORD_MIN = 10 };

/* Proof that somebody knows the password of an account. It is made before the transaction, because
 * hashing is slow, and is valid while the account has that password. */
struct password_proof {
	const char *user_id, *hash; /* NULL: address or password is wrong */
};
/* Takes the same time whether the address exists or not. */
enum err password_prove(
    struct ctx *c, const char *email, const char *password, struct password_proof *out);
/* In the transaction: *out is the account, or NULL. Locks the password's row. */
enum err password_proven(struct ctx *c, const struct password_proof *, struct user **out);
/* E_INVALID if it is too short, too long, the address itself, or easy to guess
 * (base/strength.h). */
enum err password_judge(struct ctx *c, const struct user *, const char *password);
/* hash: of passhash_new(), made before the transaction. */
enum err password_set(struct ctx *c, const struct user *, const char *hash);
enum err password_exists(struct ctx *c, const char *user_id, bool *yes);
/* The kinds of mailed links: one that sets a password, valid for an hour; one that signs in without
 * a password, for four hours; an operator’s invitation, which also sets a password, for a week. */
enum password_letter { LETTER_RESET, LETTER_SIGNIN, LETTER_INVITATION };
/* Asks the runner to send a link, so that the reply takes the same time for an address without an
 * account. Not for invitations. E_INVALID if it is no address. */
enum err password_ask_link(struct ctx *c, const char *email, enum password_letter);
/* Mails a link. An invitation names its inviter, who is NULL for the others. E_OK without an e-mail
 * if the address has no account or its budget is used up, so that the caller can't learn which;
 * also if the account has a link to sign in that is valid for two more hours. */
enum err password_send_link(
    struct ctx *c, const char *email, enum password_letter, const char *inviter);
/* Returns the path on which a guest can choose a password until that time, for another e-mail. */
enum err password_guest_link(
    struct ctx *c, const char *user_id, const char **path, const char **until);
/* *out is the account of the link, or NULL if the link was used or has expired. use deletes the
 * link. */
enum err password_link_owner(struct ctx *c, const char *secret, bool use, struct user **out);
#endif
