/* SPDX-License-Identifier: Apache-2.0
 * Guests: people who got access by their e-mail address and have no account. A guest is a row of
 * `user` of kind guest, whose address is in invited_email only, so searches for an account's
 * address don't find them. The first who proves to have the address becomes a person with the same
 * id (user_add). Source: sharing/README.md. */
#ifndef VITRINE_GUEST_H
#define VITRINE_GUEST_H
#include "db/db.h"

/* Finds the account of an address: the account that has it, the one that it was merged into,
 * disabled or not, or a guest, created if needed. From then on the account may have grants
 * (user.outside). Its row is locked until the commit. E_INVALID, for email, if it is no address. In
 * a transaction. */
enum err guest_find_or_add(
    struct ctx *c, const char *email, const char **user_id, bool *is_guest);
#endif
