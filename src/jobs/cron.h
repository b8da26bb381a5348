/* SPDX-License-Identifier: Apache-2.0
 * Schedules: five fields (minute, hour, day of the month, month, day of the week) of *, numbers,
 * names (jan, mon), ranges, steps and lists; 7 is Sunday, too; or @hourly, @daily, @midnight,
 * @weekly, @monthly, @yearly, @annually. When both day fields are restricted, a day that matches
 * one is enough, as in Debian's cron. Seconds are 0.
 *
 * When clocks change, Debian's cron is the model. A job of fixed times (neither minute nor hour
 * begins with *) in the hour that is left out runs at the first instant after it; in the hour that
 * comes twice, it runs the first time only. Other jobs run whenever the wall clock shows a
 * matching time. Source: jobs/README.md. */
#ifndef VITRINE_CRON_H
#define VITRINE_CRON_H
#include "base/ctx.h"

struct cron;
/* Parses an expression into *out, in owner's memory. Returns NULL, or the error, to follow
 * "schedule: ". */
const char *cron_parse(void *owner, const char *text, const struct cron **out);
/* The expression that a word such as @daily stands for, in any case of letters; NULL: none. */
const char *cron_shortcut(const char *word);

/* True if zone is a name in IANA's database, such as "Europe/Dublin". */
bool cron_zone_valid(const char *zone);
/* The first time after `after`, in seconds since 1970, in a valid zone. 0: none within five
 * years. */
int64_t cron_next(const struct cron *, const char *zone, int64_t after);
#endif
