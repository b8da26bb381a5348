/* SPDX-License-Identifier: Apache-2.0
 * What money asks of the runner: trials and periods that end, charges whose outcome nobody knows,
 * what the provider's webhooks named, and what goes back. What is due is taken from other runners
 * by rows; that two of them make one charge is kept by billing/charge.h. */
#ifndef VITRINE_RUNNER_PAY_H
#define VITRINE_RUNNER_PAY_H
#include "base/ctx.h"

/* Whether, and until when, the provider is left alone because it didn't answer. */
struct pay {
	int64_t again_ms, wait_ms;
	int64_t done;
};
/* Until nothing is due, or lane_over(). One that fails is in the log and comes again; it keeps
 * nobody else waiting. */
enum err pay_run(const struct conf *, struct db *, struct pay *);
#endif
