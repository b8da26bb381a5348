/* SPDX-License-Identifier: Apache-2.0
 * E-mail to people about acts of others, queued in the transaction of the act. The act succeeds
 * without the e-mail: if there is no mail server, a budget is used up, or the address can't get
 * mail. The caller leaves out the actor, agents (they have no address), disabled accounts, and
 * people who may not see what the e-mail names. */
#ifndef VITRINE_TELL_H
#define VITRINE_TELL_H
#include "core/mail.h"

enum err tell(struct ctx *c, const struct mail *);
/* *sent is true if the e-mail is queued. */
enum err tell_noting(struct ctx *c, const struct mail *, bool *sent);
/* Queues many e-mails of one template and sender, each to another address, in a few statements. */
enum err tell_many(struct ctx *c, const struct mail *, size_t n);
#endif
