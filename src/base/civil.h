/* SPDX-License-Identifier: Apache-2.0
 * Dates of the Gregorian calendar, as days since 1970-01-01, and the days of a time zone. */
#ifndef VITRINE_CIVIL_H
#define VITRINE_CIVIL_H
#include "base/zone.h"

/* month: 1 to 12. */
int64_t civil_days(int64_t year, int month, int day);
bool civil_valid(int64_t year, int month, int day);
void civil_date(int64_t days, int64_t *year, int *month, int *day);

/* zone NULL: UTC. */
int64_t civil_day_at(const struct zone *, int64_t unix_s);
/* Returns the first instant of a day. If clocks skip midnight, that is after the gap. */
int64_t civil_begin(const struct zone *, int64_t days);

/* A period of time: "hour", "day", "week" (from Monday), "month", "quarter", "year". */
#define CIVIL_PERIODS "hour|day|week|month|quarter|year"
enum period { PERIOD_HOUR, PERIOD_DAY, PERIOD_WEEK, PERIOD_MONTH, PERIOD_QUARTER, PERIOD_YEAR };
/* Returns the first day of the period that is `more` periods after that of a day. Not for hours. */
int64_t period_day(enum period, int64_t days, int64_t more);
/* Returns the beginning of the period that contains the instant, or of the next one. An hour that
 * clocks repeat counts twice. */
int64_t period_begin(enum period, const struct zone *, int64_t unix_s);
int64_t period_end(enum period, const struct zone *, int64_t unix_s);
#endif
