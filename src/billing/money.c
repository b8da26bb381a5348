/* SPDX-License-Identifier: Apache-2.0 */
#include "billing/money.h"

#include "base/str.h"

#include <stdbool.h>
#include <time.h>

int64_t
money_part(int64_t price, int64_t seats, int64_t left_s, int64_t period_s)
{
	__int128 whole = (__int128)price * seats, part;

	if (price < 0 || seats < 0 || period_s <= 0)
		return -1;
	left_s = left_s < 0 ? 0 : left_s > period_s ? period_s : left_s;
	/* Refuses values above an amount first, so that the product can’t overflow. */
	if (whole > INT64_MAX)
		return -1;
	part = (whole * left_s * 2 + period_s) / ((__int128)period_s * 2);
	return (int64_t)part;
}

int64_t
money_whole(int64_t price, int64_t seats)
{
	return money_part(price, seats, 1, 1);
}

/* ---- periods ---- */

static int64_t
months_after(const struct tm *anchor, int64_t months)
{
	static const int month_days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	struct tm t = *anchor;
	int64_t all = (int64_t)t.tm_year * 12 + t.tm_mon + months;
	int year, days;
	bool leap;

	t.tm_year = (int)(all / 12);
	t.tm_mon = (int)(all % 12);
	year = t.tm_year + 1900;
	leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	days = month_days[t.tm_mon] + (t.tm_mon == 1 && leap);
	if (t.tm_mday > days)
		t.tm_mday = days;
	return timegm(&t);
}

int64_t
period_after(int64_t anchor, int64_t at)
{
	time_t from = anchor, to = at;
	struct tm a, b;
	int64_t months, end;

	gmtime_r(&from, &a);
	gmtime_r(&to, &b);
	months = ((int64_t)b.tm_year - a.tm_year) * 12 + b.tm_mon - a.tm_mon;
	if (at < anchor || months < 1)
		months = 1;
	while (months > 1 && months_after(&a, months - 1) > at)
		months--;
	while ((end = months_after(&a, months)) <= at)
		months++;
	return end;
}
