/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"

#include <stddef.h>

enum { DAY_S = 86400, HOUR_S = 3600, ERA_DAYS = 146097, MARCH_0000 = 719468 };

static int64_t
divided(int64_t n, int64_t by)
{
	return n / by - (n % by < 0);
}

/* Counts years from March, so that a leap day is the last day of its year. */
int64_t
civil_days(int64_t year, int month, int day)
{
	int64_t y = month < 3 ? year - 1 : year, era = divided(y, 400), of_era = y - era * 400;

	return era * ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100 +
	    (153 * ((month + 9) % 12) + 2) / 5 + day - 1 - MARCH_0000;
}

void
civil_date(int64_t days, int64_t *year, int *month, int *day)
{
	int64_t z = days + MARCH_0000, era = divided(z, ERA_DAYS);
	int64_t of_era = z - era * ERA_DAYS;
	int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int of_year = (int)(of_era - (365 * y + y / 4 - y / 100));
	int from_march = (5 * of_year + 2) / 153;

	*day = of_year - (153 * from_march + 2) / 5 + 1;
	*month = from_march < 10 ? from_march + 3 : from_march - 9;
	*year = era * 400 + y + (*month < 3);
}

bool
civil_valid(int64_t year, int month, int day)
{
	static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return month >= 1 && month <= 12 && day >= 1 &&
	    day <= days[month - 1] + (month == 2 && leap);
}

static struct zone_span
span_at(const struct zone *zone, int64_t at)
{
	return zone ? zone_at(zone, at) : (struct zone_span){ INT64_MIN, INT64_MAX, 0, 0 };
}

int64_t
civil_day_at(const struct zone *zone, int64_t unix_s)
{
	return divided(unix_s + span_at(zone, unix_s).offset, DAY_S);
}

int64_t
civil_begin(const struct zone *zone, int64_t days)
{
	struct zone_span s = span_at(zone, (days - 1) * DAY_S);

	while (days * DAY_S - s.offset >= s.end)
		s = span_at(zone, s.end);
	return days * DAY_S - s.offset < s.begin ? s.begin : days * DAY_S - s.offset;
}

int64_t
period_day(enum period period, int64_t days, int64_t more)
{
	int64_t year, month, months = period == PERIOD_QUARTER ? 3 : 1;
	int of_year, day;

	if (period == PERIOD_DAY)
		return days + more;
	/* 1970-01-01 was a Thursday. */
	if (period == PERIOD_WEEK)
		return divided(days + 3, 7) * 7 - 3 + 7 * more;
	civil_date(days, &year, &of_year, &day);
	if (period == PERIOD_YEAR)
		return civil_days(year + more, 1, 1);
	month = divided(year * 12 + of_year - 1, months) * months + more * months;
	year = divided(month, 12);
	return civil_days(year, (int)(month - year * 12) + 1, 1);
}

int64_t
period_begin(enum period period, const struct zone *zone, int64_t unix_s)
{
	struct zone_span s = span_at(zone, unix_s);
	int64_t begin = divided(unix_s + s.offset, HOUR_S) * HOUR_S - s.offset;

	if (period == PERIOD_HOUR)
		return begin < s.begin ? s.begin : begin;
	return civil_begin(zone, period_day(period, civil_day_at(zone, unix_s), 0));
}

int64_t
period_end(enum period period, const struct zone *zone, int64_t unix_s)
{
	int64_t begin = period_begin(period, zone, unix_s);

	if (period == PERIOD_HOUR)
		return period_begin(period, zone, begin + HOUR_S);
	return civil_begin(zone, period_day(period, civil_day_at(zone, begin), 1));
}
