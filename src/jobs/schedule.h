/* SPDX-License-Identifier: Apache-2.0
 * Schedules for people: common ones as choices of a form, and all in words. jobs/cron.h
 * calculates when they are due. Source: jobs/README.md. */
#ifndef VITRINE_SCHEDULE_H
#define VITRINE_SCHEDULE_H
#include <stdbool.h>
#include <stdint.h>

/* hour: at `minute` of each hour. day; weekdays (Monday to Friday); week (on weekday, 0 is
 * Sunday); month (on day): at hour and minute. */
#define SCHEDULE_KINDS "hour|day|weekdays|week|month"
struct schedule_choice {
	const char *kind;
	int64_t minute, hour, weekday, day;
};
/* False if the expression is none of these kinds. */
bool schedule_read(void *owner, const char *schedule, struct schedule_choice *out);
const char *schedule_write(void *owner, const struct schedule_choice *);
/* "Every day at 07:00, Dublin"; an expression without short words is given as it is. In owner's
 * memory. */
const char *schedule_words(void *owner, const char *schedule, const char *zone);
#endif
