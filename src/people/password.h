/* SPDX-License-Identifier: Apache-2.0
 * Passwords of our own. Callers that set a password also end the account's other sessions. The
 * links by which people set one work once and for a limited time; a guest who uses one is a person
 * from then on. */
#ifndef VITRINE_PASSWORD_H
#define VITRINE_PASSWORD_H
#include "core/user.h"

enum { PASSWORD_MIN = 10 };

/* Proof that somebody knows the password of an account. It is made before a transaction, because
 * hashing is slow, and holds as long as the account keeps that password. */
struct password_proof {
	const char *user_id, *hash; /* NULL: address or password is wrong */
};
/* Does the same work whether the address exists or not. */
enum err password_prove(
    struct ctx *c, const char *email, const char *password, struct password_proof *out);
/* In the transaction: who it is, or *out NULL. The password stays until the commit. */
enum err password_proven(struct ctx *c, const struct password_proof *, struct user **out);
/* E_INVALID when it is too short, too long, the address itself, or easy to guess
 * (base/strength.h). */
enum err password_judge(struct ctx *c, const struct user *, const char *password);
/* hash: of passhash_new(), made before the transaction. */
enum err password_set(struct ctx *c, const struct user *, const char *hash);
enum err password_exists(struct ctx *c, const char *user_id, bool *yes);
/* The kinds of link that are mailed: one that sets a password, valid for an hour; one that signs in
 * without a password, for four; an operator’s invitation, which also sets a password, for a week.
 */
enum password_letter { LETTER_RESET, LETTER_SIGNIN, LETTER_INVITATION };
/* Asks the runner to send a link, so that this takes as much work for an address without an account
 * as for any other. Not for invitations. E_INVALID for what is not an address. */
enum err password_ask_link(struct ctx *c, const char *email, enum password_letter);
/* Mails a link; an invitation names its inviter, who is NULL for the others. E_OK without sending
 * anything when the address has no account or its mail budget is used up, so that nobody learns
 * which; a link to sign in is not sent either while the account has one that is good for two more
 * hours. */
enum err password_send_link(
    struct ctx *c, const char *email, enum password_letter, const char *inviter);
/* For mail of others to a guest: the path to choose a password, good until then. */
enum err password_guest_link(
    struct ctx *c, const char *user_id, const char **path, const char **until);
/* *out is the account that the link is for, or NULL when the link was used or has expired. use
 * deletes the link. */
enum err password_link_owner(struct ctx *c, const char *secret, bool use, struct user **out);
#endif
