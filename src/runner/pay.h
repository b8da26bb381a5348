/* SPDX-License-Identifier: Apache-2.0
 * Billing's work: trials and periods that end, charges whose outcome is unknown, events of the
 * provider's webhooks, and refunds. Runners claim work by rows; billing/charge.h prevents two
 * charges for the same thing. */
#ifndef VITRINE_RUNNER_PAY_H
#define VITRINE_RUNNER_PAY_H
#include "base/ctx.h"

/* The state of one process: until when it leaves a provider alone that didn't answer. */
struct pay {
	int64_t again_ms, wait_ms;
	int64_t done;
};
/* Works until nothing is due, or lane_over(). A failure is logged, is due again later, and delays
 * no other work. */
enum err pay_run(const struct conf *, struct db *, struct pay *);
#endif
