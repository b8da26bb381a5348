/* SPDX-License-Identifier: Apache-2.0
 * Accounts with a password of our own. Setting one ends every other session; links by which one is
 * set work once and for a limited time. */
#ifndef VITRINE_PASSWORD_H
#define VITRINE_PASSWORD_H
#include "domain/user.h"

enum { PASSWORD_MIN = 10 };

/* Who it is when address and password are right; else *out is NULL, after as much work whether the
 * address exists or not. */
enum err password_check(struct ctx *c, const char *email, const char *password, struct user **out);
/* E_INVALID when it is too short, too long, or the address itself. */
enum err password_judge(struct ctx *c, const struct user *, const char *password);
enum err password_set(struct ctx *c, const struct user *, const char *password);
enum err password_exists(struct ctx *c, const char *user_id, bool *yes);
/* Asks the runner to send a link: as much work for an address that nobody has. E_INVALID for what
 * is no address. */
enum err password_ask_link(struct ctx *c, const char *email);
/* Mails a link to set a password, good for an hour, or for a week when the operator invites.
 * Nothing happens, and nothing tells, when the address has no account or its budget is used up. */
enum err password_send_link(struct ctx *c, const char *email, bool invitation);
/* Whose link it is: *out NULL when it has been used or is over. use: it is used up. */
enum err password_link_owner(struct ctx *c, const char *secret, bool use, struct user **out);
enum err password_reap(struct ctx *c, int64_t limit, int64_t *removed);
#endif
