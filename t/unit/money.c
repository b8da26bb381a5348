/* SPDX-License-Identifier: Apache-2.0
 * Amounts: parts of prices against exact arithmetic, over random prices, seats and times; periods
 * against a calendar; and what state a subscription's times are, second by second around each. */
#include "billing/money.h"
#include "billing/subscription.h"
#include "base/str.h"

#include "tap.h"

#include <stdlib.h>
#include <time.h>

static uint64_t seed = 88172645463325252u;

static uint64_t
draw(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

/* ---- parts ---- */

/* Half up, without a product that could be too large: by long division, bit after bit. */
static unsigned __int128
part_exactly(uint64_t price, uint64_t seats, uint64_t left, uint64_t period)
{
	unsigned __int128 whole = (unsigned __int128)price * seats, quotient = 0, rest = 0;

	/* whole × left / period, as the sum over left's bits from above: q, r of period. */
	for (int bit = 63; bit >= 0; bit--) {
		quotient *= 2;
		rest *= 2;
		if (left >> bit & 1)
			rest += whole;
		quotient += rest / period;
		rest %= period;
	}
	return quotient + (rest * 2 >= period);
}

static void
parts(void)
{
	bool exact = true, falls = true, whole = true;

	for (int i = 0; i < 200000; i++) {
		int64_t price = (int64_t)draw(1 + (1ull << draw(31)));
		int64_t seats = (int64_t)draw(1 + (1ull << draw(21)));
		int64_t period = 1 + (int64_t)draw(1ull << (1 + draw(26)));
		int64_t left = (int64_t)draw((uint64_t)period + 1);
		int64_t got = money_part(price, seats, left, period);

		exact &= got == (int64_t)part_exactly((uint64_t)price, (uint64_t)seats,
				    (uint64_t)left, (uint64_t)period);
		falls &= money_part(price, seats, left ? left - 1 : 0, period) <= got;
		whole &= money_part(price, seats, period, period) == price * seats &&
		    money_part(price, seats, period + 5, period) == price * seats &&
		    money_part(price, seats, -left, period) == 0;
	}
	ok(exact, "a part is what it is, half up");
	ok(falls, "... and never more when less is left");
	ok(whole, "... and all of it, or nothing, at the ends");
	is_int(money_part(1, 1, 1, 2), 1, "half of one is one");
	is_int(money_part(1, 1, 49, 100), 0, "less is nothing");
	is_int(money_part(700, 5, 15 * 86400, 30 * 86400), 1750, "half of a month for five");
	is_int(money_part(INT64_MAX, 1, INT64_MAX, INT64_MAX), INT64_MAX, "the most there is");
	is_int(money_part(INT64_MAX, 2, 1, 2), -1, "what is more isn't an amount");
	is_int(money_part(1, -1, 1, 2), -1, "nor is what is less than nothing");
	is_int(money_part(1, 1, 1, 0), -1, "nor a part of no time");
	is_int(money_whole(1500, 250), 375000, "a whole one");
}

static void
texts(void)
{
	void *mem = mem_root("money");

	is_str(str_money(mem, 123456, "USD"), "1,234.56 USD", "hundredths");
	is_str(str_money(mem, 5, "EUR"), "0.05 EUR", "few of them");
	is_str(str_money(mem, -1250, "EUR"), "−12.50 EUR", "less than nothing");
	is_str(str_money(mem, 1250, "JPY"), "1,250 JPY", "a currency without parts");
	is_str(str_money(mem, 1250, "KWD"), "1.250 KWD", "one with thousandths");
	mem_free(mem);
}

/* ---- periods ---- */

static int64_t
at(const char *day)
{
	int64_t s = 0;
	char text[32];

	snprintf(text, sizeof text, "%sT10:30:00Z", day);
	str_from_rfc3339(text, &s);
	return s;
}

static void
periods(void)
{
	bool later = true, least = true, chain = true;

	is_int(period_after(at("2026-01-31"), at("2026-01-31")), at("2026-02-28"),
	    "a month without that day ends on its last");
	is_int(period_after(at("2026-01-31"), at("2026-02-28")), at("2026-03-31"),
	    "... and the next on that day again");
	is_int(period_after(at("2027-12-31"), at("2028-01-31")), at("2028-02-29"), "a leap year");
	is_int(period_after(at("2026-12-15"), at("2026-12-15")), at("2027-01-15"), "a year's end");
	is_int(period_after(at("2026-05-05"), at("2026-01-01")), at("2026-06-05"),
	    "before the first, it is the first");
	is_int(period_after(at("2026-05-05"), at("2026-06-05") - 1), at("2026-06-05"),
	    "a second before an end");
	for (int i = 0; i < 20000; i++) {
		int64_t anchor = (int64_t)draw(4102444800u);
		int64_t when = anchor + (int64_t)draw(400000000u);
		int64_t end = period_after(anchor, when);

		later &= end > when;
		least &= end - when <= 31 * 86400 + 86400;
		chain &= period_after(anchor, end) - end >= 27 * 86400 &&
		    period_after(anchor, end) - end <= 32 * 86400 &&
		    period_after(anchor, end - 1) == end;
	}
	ok(later, "a period's end is later");
	ok(least, "... by a month at most");
	ok(chain, "... and they follow one another");
}

/* ---- states ---- */

enum { NOW = 1800000000, DAY = 86400 };

static const char *
state(struct subscription s, int64_t now)
{
	return subscription_word(subscription_state(&s, now));
}

/* Entitled is who is in no other state than these two, just until paid_until. */
static bool
agrees(struct subscription s, int64_t now)
{
	return (now < subscription_paid_until(&s)) == (subscription_state(&s, now) != SUB_EXPIRED);
}

static void
states(void)
{
	struct stored_card some = { 0 };
	struct subscription trial = { .trial_ends_at = NOW,
		.current_period_start = NOW - 15 * DAY,
		.current_period_end = NOW };
	struct subscription s = trial;

	is_str(state(s, NOW - 1), "trialing", "a trial, until its last second");
	is_str(state(s, NOW), "expired", "... without a card it ends");
	is_int(subscription_due_at(&s), NOW - 3 * DAY, "its end is told three days before");
	s.told_at = 1;
	is_int(subscription_due_at(&s), NOW, "... once");
	s.card = &some;
	is_str(state(s, NOW - 1), "trialing", "with a card it is one, too");
	is_str(state(s, NOW), "active", "and goes on");
	is_str(state(s, NOW + DAY - 1), "active", "for the day that a runner may take");
	is_str(state(s, NOW + DAY), "past_due", "then it is past due");
	is_str(state(s, NOW + 14 * DAY - 1), "past_due", "... for 14 days");
	is_str(state(s, NOW + 14 * DAY), "expired", "... and no longer");
	s.tries = 1;
	is_str(state(s, NOW), "past_due", "after a failed try at once");
	is_int(subscription_due_at(&s), NOW + 3 * DAY, "which is repeated after three days");
	s.told_at = 0;
	is_int(subscription_due_at(&s), NOW + 3 * DAY, "... whatever wasn't told before");
	s.tries = 2;
	is_int(subscription_due_at(&s), NOW + 7 * DAY, "... seven");
	s.tries = 3;
	is_int(subscription_due_at(&s), NOW + 12 * DAY, "... twelve");
	s.tries = 4;
	is_int(subscription_due_at(&s), NOW + 14 * DAY, "... and ends after 14");
	s.tries = 0;
	s.current_period_start = NOW;
	s.current_period_end = NOW + 30 * DAY;
	is_str(state(s, NOW - DAY), "active", "paid within a trial");
	s.cancelled_at = NOW + DAY;
	s.ends_at = NOW + 30 * DAY;
	is_str(state(s, NOW + 30 * DAY - 1), "cancelled", "cancelled, until the last second");
	is_str(state(s, NOW + 30 * DAY), "expired", "... and then over");
	is_int(subscription_due_at(&s), NOW + 30 * DAY, "when the runner ends it");
	s.ended_at = NOW + 30 * DAY;
	is_str(state(s, NOW), "expired", "what has ended has, whatever the clock says");
	is_int(subscription_due_at(&s), 0, "and nobody looks at it again");
}

static void
entitled(void)
{
	struct stored_card some = { 0 };
	bool agree = true, grows = true;

	for (int i = 0; i < 100000; i++) {
		int64_t end = NOW + (int64_t)draw(40 * DAY);
		struct subscription s = { .current_period_end = end,
			.current_period_start = end - 30 * DAY,
			.trial_ends_at = draw(2) ? end : 0,
			.card = draw(2) ? &some : NULL,
			.tries = (int64_t)draw(5) };
		int64_t now = NOW + (int64_t)draw(80 * DAY);
		struct subscription with = s;

		if (!draw(3)) {
			s.cancelled_at = NOW;
			s.ends_at = end;
		}
		agree &= agrees(s, now) && agrees(s, subscription_paid_until(&s)) &&
		    agrees(s, subscription_paid_until(&s) - 1);
		with.card = &some;
		grows &= subscription_paid_until(&with) >= subscription_paid_until(&s);
	}
	ok(agree, "a workspace has its plan until paid_until, in no state but expired");
	ok(grows, "a card takes nothing away");
}

int
main(void)
{
	parts();
	texts();
	periods();
	states();
	entitled();
	return done();
}
