/* SPDX-License-Identifier: Apache-2.0
 * When a person gets the daily mail: what is new of the kinds that they hear of once a day. A
 * round of the runner finds by next_at who is due (dailymail.c). It queues the mail in the
 * transaction that moves next_at and marks the items, so none is sent twice or lost. Source:
 * inbox/README.md. */
#ifndef VITRINE_INBOX_DAILY_H
#define VITRINE_INBOX_DAILY_H
#include "db/db.h"

enum { DAILY_MINUTE = 8 * 60 };
#define DAILY_ZONE "UTC"

/* A person's time of the daily mail. Without a row, the defaults above count. */
#define DAILY(F, T) \
	F(T, INT,  at_minute, .doc = "Of the day") \
	F(T, STR,  zone) \
	F(T, TIME, told_at)
SHAPE_DECLARE(daily, DAILY);
enum err daily_get(struct ctx *c, const char *user_id, struct daily *out);
/* Stores the time ("08:00"; NULL: as it is) and the zone, and locks the row until the transaction
 * ends. E_INVALID: there is no such time or zone. */
enum err daily_put(struct ctx *c, const char *user_id, const char *at, const char *zone);
/* Sets when the next mail is due, after ways or times have changed. */
enum err daily_plan(struct ctx *c, const char *user_id);
/* Returns the next time after `now`, on another day of the zone than told_at. */
int64_t daily_next(const struct daily *, int64_t now);
#endif
