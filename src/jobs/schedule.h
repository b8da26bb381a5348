/* SPDX-License-Identifier: Apache-2.0
 * Schedules for people: the common ones as choices of a form, and all in words. When they fall due
 * is jobs/cron.h's. Source: jobs/README.md. */
#ifndef VITRINE_SCHEDULE_H
#define VITRINE_SCHEDULE_H
#include <stdbool.h>
#include <stdint.h>

/* hour: at minute of each; day, weekdays (Monday to Friday), week (on weekday, 0 is Sunday) and
 * month (on day): at hour and minute. */
#define SCHEDULE_KINDS "hour|day|weekdays|week|month"
struct schedule_choice {
	const char *kind;
	int64_t minute, hour, weekday, day;
};
/* False for an expression that is none of them. */
bool schedule_read(void *owner, const char *schedule, struct schedule_choice *out);
const char *schedule_write(void *owner, const struct schedule_choice *);
/* "Every day at 07:00, Dublin"; an expression that has no short words is told as it stands. */
const char *schedule_words(void *owner, const char *schedule, const char *zone);
#endif
