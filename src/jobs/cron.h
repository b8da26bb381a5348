/* SPDX-License-Identifier: Apache-2.0
 * When a job runs: five fields (minute, hour, day of the month, month, day of the week) of *,
 * numbers, names (jan, mon), ranges, steps and lists; 7 is Sunday, too; or @hourly, @daily,
 * @midnight, @weekly, @monthly, @yearly, @annually. When both days are given, either will do, as
 * in Debian's cron. Seconds are 0.
 *
 * A day on which the clocks change is as with Debian's cron: a job of fixed times (neither minute
 * nor hour begins with *) that falls into the hour that is left out runs at the first instant after
 * it, and one in the hour that comes twice runs the first time only. Other jobs run by the clock on
 * the wall: as often as it shows a time that fits. Source: jobs/README.md. */
#ifndef VITRINE_CRON_H
#define VITRINE_CRON_H
#include "base/ctx.h"

struct cron;
/* NULL when text is a schedule, which is left in *out, else what is wrong with it, to stand behind
 * "schedule: ". */
const char *cron_parse(void *owner, const char *text, const struct cron **out);
/* Whether there is such a zone of IANA's, such as "Europe/Dublin". No path and no rule of POSIX. */
bool cron_zone_valid(const char *zone);
/* The first time after `after`, in a zone that is valid; 0: none within five years. */
int64_t cron_next(const struct cron *, const char *zone, int64_t after);
#endif
