/* SPDX-License-Identifier: Apache-2.0
 * How much e-mail there may be in a UTC day: a count for each user and artifact that causes it, and
 * for each address that gets it. All counts of an e-mail are taken, or none; with the transaction
 * they are given back. Source: interface, "Limits". */
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
	bool about_artifacts; /* user and artifact pay, too */
	enum pot_by { BY_ADDRESS, BY_SENDER, BY_STRANGER } by;
};

/* The budgets that mail to a lower-case address counts against, beside the pot; each may be NULL.
 */
struct mail_cause {
	const char *sender_id, *artifact_id;
};
/* E_RATE_LIMITED. */
enum err mailpot_pay(
    struct ctx *c, const struct pot *, const struct mail_cause *, const char *to);
/* For many addresses at once, each another, in a handful of statements: paid[i] is whether there
 * may be one to to[i]. The first have precedence. */
enum err mailpot_pay_many(struct ctx *c, const struct pot *, const char *sender_id,
    const char *const *to, size_t n, bool *paid);
#endif
