/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/subscription.h"

#include "base/str.h"
#include "billing/money.h"

static const char *
day_of(struct cli *cli, const struct json *object, const char *name)
{
	return str_day(cli->c->mem, json_number(object, name));
}

static const char *
amount_of(struct cli *cli, const struct json *object, const char *name)
{
	return str_money(cli->c->mem, json_number(object, name), json_member(object, "currency"));
}

/* Returns the subscription's day with its meaning: "paid until 2026-12-01". */
static const char *
until_of(struct cli *cli, const struct json *s)
{
	const char *status = json_member(s, "status");

	if (str_eq(status, "cancelled") || json_number(s, "ends_at"))
		return mem_printf(cli->c->mem, "until %s", day_of(cli, s, "ends_at"));
	return mem_printf(cli->c->mem, "%s %s",
	    str_eq(status, "trialing")       ? "free until"
		: str_eq(status, "active")   ? "paid until"
		: str_eq(status, "past_due") ? "unpaid since"
					     : "until",
	    day_of(cli, s, "current_period_end"));
}

int
subscription_say(struct cli *cli, const struct json *reply)
{
	const struct json *s = json_get(reply, "subscription");
	const char *plan;
	int64_t seats;

	if (cli->json) {
		cli_print(cli, reply);
		return EXIT_FINE;
	}
	if (!s || json_kind(s) != J_OBJ) {
		cli_note("the workspace has no subscription");
		return EXIT_FINE;
	}
	plan = json_member(s, "pending_plan_id");
	seats = json_number(s, "pending_seats");
	cli_line("%s  %s  %s  %s a month  %s", json_member(s, "plan_id"), json_member(s, "status"),
	    str_count(cli->c->mem, json_number(s, "seats"), "seat"),
	    amount_of(cli, s, "amount_cents"), until_of(cli, s));
	if (*plan)
		cli_line("  %s from then on", plan);
	if (seats)
		cli_line("  %s from then on", str_count(cli->c->mem, seats, "seat"));
	return EXIT_FINE;
}

const char *
quote_text(struct cli *cli, const struct json *q)
{
	const char *seats = str_count(cli->c->mem, json_number(q, "seats"), "seat");
	const char *now = "Nothing is charged";

	if (json_number(q, "due_cents"))
		now = mem_printf(cli->c->mem, "The stored card is charged %s",
		    amount_of(cli, q, "due_cents"));
	return mem_printf(cli->c->mem, "%s now, and %s a month for %s from %s on", now,
	    amount_of(cli, q, "later_cents"), seats, day_of(cli, q, "later_at"));
}

const char *
quote_agreed(struct cli *cli, const struct json *q)
{
	return mem_printf(cli->c->mem, "{\"due_cents\":%lld,\"quoted_at\":%lld}",
	    (long long)json_number(q, "due_cents"), (long long)json_number(q, "quoted_at"));
}

void
invoice_say(struct cli *cli, const struct json *i)
{
	cli_line("%s  %s  %-8s  %12s  %s", json_member(i, "number"),
	    day_of(cli, i, "created_at"), json_member(i, "status"),
	    amount_of(cli, i, "amount_cents"), json_member(i, "description"));
}

/* The commands that do what a route does. */
static const struct {
	const char *route, *command;
} commands[] = {
	{ "POST /v1/billing/subscribe", "vitrine workspace plan PLAN --seats N" },
	{ "PATCH /v1/billing/subscription/plan", "vitrine workspace plan PLAN" },
	{ "PATCH /v1/billing/subscription/seats", "vitrine workspace seats N" },
};

const char *
billing_reword(struct cli *cli, const char *error, const void *arg)
{
	const char *alone = str_unadvised(cli->c->mem, error), *at;

	(void)arg;
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if ((at = strstr(error, commands[i].route)))
			return mem_printf(cli->c->mem, "%.*s%s%s", (int)(at - error), error,
			    commands[i].command, at + strlen(commands[i].route));
	return alone ? mem_printf(cli->c->mem,
			   "%s; Settings, Plan and billing in the browser is the place for that",
			   alone)
		     : NULL;
}
