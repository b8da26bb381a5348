/* SPDX-License-Identifier: Apache-2.0
 * Dates, and the beginnings of hours, days, weeks, months, quarters and years in zones whose clocks change. */
#include "base/civil.h"

#include "tap.h"

#include <stdlib.h>
#include <time.h>

static int64_t
at(const char *text)
{
	struct tm tm = { 0 };

	sscanf(text, "%d-%d-%dT%d:%d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour, &tm.tm_min);
	tm.tm_year -= 1900;
	tm.tm_mon--;
	return timegm(&tm);
}

static void
is_at(int64_t got, const char *want, const char *name)
{
	char text[40];
	time_t t = (time_t)got;
	struct tm tm;

	gmtime_r(&t, &tm);
	strftime(text, sizeof text, "%Y-%m-%dT%H:%M", &tm);
	is_str(text, want, name);
}

static void
dates(void)
{
	bool same = true;

	for (int64_t d = -800000; d < 800000 && same; d += 97) {
		int64_t year;
		int month, day;
		time_t t = (time_t)(d * 86400);
		struct tm tm;

		gmtime_r(&t, &tm);
		civil_date(d, &year, &month, &day);
		same = year == tm.tm_year + 1900 && month == tm.tm_mon + 1 && day == tm.tm_mday && civil_days(year, month, day) == d;
	}
	ok(same, "dates are those of the C library, from the year -221 to 4160");
}

int
main(void)
{
	const struct zone *berlin = zone_find("Europe/Berlin"), *azores = zone_find("Atlantic/Azores");
	static const char *const begins[] = { "2026-11-21T13:00", "2026-11-20T23:00", "2026-11-15T23:00", "2026-10-31T23:00", "2026-09-30T22:00", "2025-12-31T23:00" };
	static const char *const ends[] = { "2026-11-21T14:00", "2026-11-21T23:00", "2026-11-22T23:00", "2026-11-30T23:00", "2026-12-31T23:00", "2026-12-31T23:00" };
	int64_t hour;
	int hours = 0;

	dates();
	for (enum period p = PERIOD_HOUR; p <= PERIOD_YEAR; p++) {
		is_at(period_begin(p, berlin, at("2026-11-21T13:45")), begins[p], "the beginning of a period in Berlin");
		is_at(period_end(p, berlin, at("2026-11-21T13:45")), ends[p], "... and its end");
		is_at(period_begin(p, berlin, at(begins[p])), begins[p], "... which begins with itself");
	}
	is_at(period_begin(PERIOD_WEEK, NULL, at("2026-11-22T23:59")), "2026-11-16T00:00", "weeks begin on Monday");
	is_at(period_begin(PERIOD_WEEK, NULL, at("1969-12-31T00:00")), "1969-12-29T00:00", "... before 1970, too");
	is_at(period_begin(PERIOD_QUARTER, NULL, at("1969-02-28T00:00")), "1969-01-01T00:00", "a quarter");
	is_at(civil_begin(NULL, period_day(PERIOD_MONTH, civil_days(2026, 1, 31), -1)), "2025-12-01T00:00", "the month before January");
	is_at(civil_begin(azores, civil_days(2026, 3, 29)), "2026-03-29T01:00", "a day whose midnight clocks skip begins after the gap");
	for (hour = civil_begin(berlin, civil_days(2026, 10, 25)); hour < civil_begin(berlin, civil_days(2026, 10, 26)); hour = period_end(PERIOD_HOUR, berlin, hour))
		hours++;
	is_int(hours, 25, "the day on which clocks go back has 25 hours");
	return done();
}
