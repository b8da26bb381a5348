/* SPDX-License-Identifier: Apache-2.0
 * Guests: people who were given something by their address and have no account. A guest is a row of
 * `user` of kind guest, whose address stands in invited_email alone, so nothing that looks for an
 * address finds them. Whoever first proves to have the address becomes a person with the same id
 * (user_add). Source: sharing/README.md. */
#ifndef VITRINE_GUEST_H
#define VITRINE_GUEST_H
#include "db/db.h"

/* Finds the account that an address means: its own, that of an account merged into it, disabled or
 * not, or a guest, who is made if needed. From then on they may have grants (user.outside), and
 * their row is held until the commit. E_INVALID, for
 * email, if it is no address. In a transaction. */
enum err guest_find_or_add(
    struct ctx *c, const char *email, const char **user_id, bool *is_guest);
#endif
