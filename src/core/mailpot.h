/* SPDX-License-Identifier: Apache-2.0
 * Limits of e-mail in a UTC day: one count for each user and artifact that causes it, and for each
 * address that gets it. An e-mail increases all of its counts, or none. A rollback undoes that.
 * Source: interface, "Limits". */
#ifndef VITRINE_MAILPOT_H
#define VITRINE_MAILPOT_H
#include "db/db.h"

enum { USER_DAILY = 50, ARTIFACT_DAILY = 10, STRANGER_DAILY = 10 };

/* Daily limits of mail to one address: in total, or by sender, so that no sender uses up another’s.
 * BY_STRANGER: by sender too, but an artifact’s owner and the members of its workspace get as much
 * as the sender and the artifact may send. */
struct pot {
	const char *kind; /* in mail_budget */
	int daily;
	bool about_artifacts; /* user and artifact are counted, too */
	enum pot_by { BY_ADDRESS, BY_SENDER, BY_STRANGER } by;
};

/* The budgets that mail to a lower-case address counts against, beside the pot; each may be NULL.
 */
struct mail_cause {
	const char *sender_id, *artifact_id;
};
/* E_RATE_LIMITED if one is used up. */
enum err mailpot_pay(
    struct ctx *c, const struct pot *, const struct mail_cause *, const char *to);
/* For many different addresses, in a few statements: paid[i] is true if to[i] may get an e-mail.
 * The first ones have precedence. */
enum err mailpot_pay_many(struct ctx *c, const struct pot *, const char *sender_id,
    const char *const *to, size_t n, bool *paid);
#endif
