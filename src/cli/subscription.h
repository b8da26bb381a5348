/* SPDX-License-Identifier: Apache-2.0
 * What a workspace pays, as its commands print it. */
#ifndef VITRINE_CLI_SUBSCRIPTION_H
#define VITRINE_CLI_SUBSCRIPTION_H
#include "cli/cli.h"

/* A reply's subscription: its plan, state, seats, amount and times, and what waits for the next
 * period. */
int subscription_say(struct cli *, const struct json *reply);
void invoice_say(struct cli *, const struct json *invoice);
/* What a plan costs, in a sentence; and what of it is agreed to, as JSON. */
const char *quote_text(struct cli *, const struct json *quote);
const char *quote_agreed(struct cli *, const struct json *quote);
/* A refusal whose advice is the API's, in terms of the commands. */
const char *billing_told(struct cli *, const char *error, const void *);
#endif
