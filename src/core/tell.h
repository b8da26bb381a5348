/* SPDX-License-Identifier: Apache-2.0
 * E-mail to people about what others did, inside the transaction of that. The act stands without
 * it: that there is no mail server, that a budget is used up, or that no mail can go to an address
 * is no failure. The caller leaves out who acts, who has no address (agents), whose account is
 * disabled, and who may not see what the e-mail names. */
#ifndef VITRINE_TELL_H
#define VITRINE_TELL_H
#include "core/mail.h"

enum err tell(struct ctx *c, const struct mail *);
/* *sent: it is on its way. */
enum err tell_noting(struct ctx *c, const struct mail *, bool *sent);
/* Many of one template and sender, each to another address, in a handful of statements. */
enum err tell_many(struct ctx *c, const struct mail *, size_t n);
#endif
