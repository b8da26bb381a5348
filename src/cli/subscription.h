/* SPDX-License-Identifier: Apache-2.0
 * Prints subscriptions, invoices and prices for the commands about a workspace. */
#ifndef VITRINE_CLI_SUBSCRIPTION_H
#define VITRINE_CLI_SUBSCRIPTION_H
#include "cli/cli.h"

/* Prints a reply's subscription: its plan, state, seats, amount and times, and pending changes. */
int subscription_say(struct cli *, const struct json *reply);
void invoice_say(struct cli *, const struct json *invoice);
/* Return what a plan costs, as a sentence; and the members to agree to, as JSON. */
const char *quote_text(struct cli *, const struct json *quote);
const char *quote_agreed(struct cli *, const struct json *quote);
/* Rewords the advice of a refusal (http_req.reword): names a command instead of an API route. */
const char *billing_reword(struct cli *, const char *error, const void *);
#endif
