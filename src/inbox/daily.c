/* SPDX-License-Identifier: Apache-2.0 */
#include "inbox/daily.h"

#include "base/civil.h"
#include "base/str.h"

SHAPE_DEFINE(daily, DAILY);

enum { DAY_S = 86400 };

/* If clocks skip the time that day, returns a time within the hour after it. */
static int64_t
daily_at(const struct zone *z, int64_t day, int64_t minute)
{
	int64_t clock = day * DAY_S + minute * 60, at;

	if (!z)
		return clock;
	at = clock - zone_at(z, clock).offset;
	return clock - zone_at(z, at).offset;
}

int64_t
daily_next(const struct daily *d, int64_t now)
{
	const struct zone *z = zone_find(d->zone);
	int64_t day = civil_day_at(z, now);

	if (d->told_at && d->told_at <= now && civil_day_at(z, d->told_at) == day)
		day++;
	while (daily_at(z, day, d->at_minute) <= now)
		day++;
	return daily_at(z, day, d->at_minute);
}

enum err
daily_put(struct ctx *c, const char *user_id, const char *at, const char *zone)
{
	static const char digits[] = "0123456789";
	struct arg at_minute = arg_null();
	int hour, minute;

	if (at) {
		if (strspn(at, digits) != 2 || at[2] != ':' || strspn(at + 3, digits) != 2 ||
		    at[5] || sscanf(at, "%d:%d", &hour, &minute) != 2 || hour > 23 || minute > 59)
			return fail(
			    c, E_INVALID, "digest_at: must be a time of the day such as 08:00");
		at_minute = arg_int(hour * 60 + minute);
	}
	if (zone && !zone_find(zone))
		return fail(c, E_INVALID,
		    "zone: must be the name of a time zone such as Europe/Dublin");
	return db_exec(c,
	    EXEC("INSERT INTO inbox_digest (user_id, at_minute, zone)"
		 " VALUES (?, COALESCE(?, ?), COALESCE(?, ?)) ON DUPLICATE KEY UPDATE"
		 " at_minute = COALESCE(?, at_minute), zone = COALESCE(?, zone)"),
	    ARGS(user_id, at_minute, (int64_t)DAILY_MINUTE, zone, DAILY_ZONE, at_minute, zone),
	    NULL);
}

enum err
daily_get(struct ctx *c, const char *user_id, struct daily *out)
{
	struct daily *row;

	TRY(db_find(c,
	    ROWS(daily, "SELECT at_minute, zone, told_at FROM inbox_digest WHERE user_id = ?"),
	    ARGS(user_id), &row));
	*out = row ? *row
		   : (struct daily){ .at_minute = DAILY_MINUTE, .zone = DAILY_ZONE };
	return E_OK;
}

enum err
daily_plan(struct ctx *c, const char *user_id)
{
	struct daily *d;

	TRY(db_find(c,
	    ROWS(daily,
		"SELECT at_minute, zone, told_at FROM inbox_digest WHERE user_id = ? FOR UPDATE"),
	    ARGS(user_id), &d));
	if (!d)
		return E_OK;
	return db_exec(c,
	    EXEC("UPDATE inbox_digest SET next_at = IF(EXISTS (SELECT 1 FROM inbox_way y"
		 " WHERE y.user_id = ? AND y.way = 'digest'), ?, NULL) WHERE user_id = ?"),
	    ARGS(user_id, daily_next(d, c->now), user_id), NULL);
}
