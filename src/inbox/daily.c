/* SPDX-License-Identifier: Apache-2.0 */
#include "inbox/daily.h"

#include "base/civil.h"
#include "base/log.h"
#include "base/str.h"
#include "core/tell.h"
#include "inbox/inbox.h"
#include "inbox/stop.h"
#include "store/rounds.h"

SHAPE_DEFINE(daily, DAILY);

/* STATEMENTS: one person counts as so many rows of a round. */
enum { DAY_S = 86400, DAY_MINUTES = 1440, LINE_CHARS = 240, STATEMENTS = 10 };

/* ---- when ---- */

/* Where clocks skip the time, it is within the hour after it. */
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

/* *out: minutes since midnight; NULL if at is. */
static enum err
minute_read(struct ctx *c, const char *at, struct arg *out)
{
	static const char digits[] = "0123456789";
	int hour, minute;

	*out = arg_null();
	if (!at)
		return E_OK;
	if (strspn(at, digits) != 2 || at[2] != ':' || strspn(at + 3, digits) != 2 || at[5] ||
	    sscanf(at, "%d:%d", &hour, &minute) != 2 || hour > 23 || minute > 59)
		return fail(c, E_INVALID, "digest_at: must be a time of the day such as 08:00");
	*out = arg_int(hour * 60 + minute);
	return E_OK;
}

enum err
daily_put(struct ctx *c, const char *user_id, const char *at, const char *zone)
{
	struct arg minute;

	TRY(minute_read(c, at, &minute));
	if (zone && !zone_find(zone))
		return fail(c, E_INVALID,
		    "zone: must be the name of a time zone such as Europe/Dublin");
	return db_exec(c,
	    EXEC("INSERT INTO inbox_digest (user_id, at_minute, zone)"
		 " VALUES (?, COALESCE(?, ?), COALESCE(?, ?)) ON DUPLICATE KEY UPDATE"
		 " at_minute = COALESCE(?, at_minute), zone = COALESCE(?, zone)"),
	    ARGS(user_id, minute, (int64_t)DAILY_MINUTE, zone, DAILY_ZONE, minute, zone), NULL);
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

/* ---- the mail ---- */

#define DUE(F, T) \
	F(T, ID,    user_id, .arg = "usr_") \
	F(T, EMAIL, email,   .doc = "NULL: a disabled account") \
	F(T, TIME,  next_at) \
	DAILY(F, T)
SHAPE(due, DUE);

static const char *
daily_text(struct ctx *c, const struct list *items, int64_t n)
{
	const struct inbox_item *v = items->v;
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < items->n; i++) {
		const char *times =
		    v[i].n > 1 ? mem_printf(c->mem, " (%lld times)", (long long)v[i].n) : "";

		buf_fmt(&b, "%s%s: %s%s", i ? "\n" : "", v[i].badge,
		    str_cut(c->mem, v[i].title, LINE_CHARS), times);
	}
	if (n > (int64_t)items->n)
		buf_fmt(&b, "\nand %lld more", (long long)(n - (int64_t)items->n));
	return buf_done(&b);
}

static enum err
daily_mail(struct ctx *c, const struct due *d, const struct list *items, int64_t n, bool *sent)
{
	enum err e = tell_noting(c,
	    &(struct mail){ .template = MAIL_INBOX_DIGEST,
		.to = d->email,
		.values = { .what = n == 1
			? "One new thing in your inbox"
			: mem_printf(c->mem, "%lld new things in your inbox", (long long)n),
		    .message = daily_text(c, items, n),
		    .link = "/inbox",
		    .stop = inbox_stop_path(c, STOP_DIGEST, d->user_id) } },
	    sent);

	if (e != E_INVALID)
		return e;
	log_line(LOG_LEVEL_ERROR, "daily mail not sent", "user", d->user_id, "why", ctx_why(c),
	    NULL);
	return ctx_forgive(c);
}

/* If the mail can't be sent today, its items are in tomorrow's. */
static enum err
daily_items(struct ctx *c, const struct due *d)
{
	const struct principal one = {
		.kind = "person", .user_id = d->user_id, .email = d->email
	};
	const struct principal *who = mem_dup(c->mem, &one, sizeof one);
	struct list items;
	bool sent = false;
	int64_t n;

	TRY(inbox_listed(c, who, DAILY_LINES, &items, &n));
	if (items.n)
		TRY(daily_mail(c, d, &items, n, &sent));
	return sent ? db_exec1(c,
			  EXEC("UPDATE inbox_digest SET told_at = ? WHERE user_id = ?"),
			  ARGS(c->now, d->user_id))
		    : inbox_unlist(c, d->user_id);
}

/* Another runner, or the person, may have moved it meanwhile. */
static enum err
daily_send(struct ctx *c, const struct due *d)
{
	const struct daily next = { .at_minute = d->at_minute, .zone = d->zone, .told_at = c->now };
	int64_t moved;

	TRY(db_exec(c,
	    EXEC("UPDATE inbox_digest SET next_at = ? WHERE user_id = ? AND next_at = ?"),
	    ARGS(daily_next(&next, c->now), d->user_id, d->next_at), &moved));
	return moved && d->email && mail_enabled(c) ? daily_items(c, d) : E_OK;
}

/* Each in a transaction of its own. */
static enum err
dailies_send(struct ctx *c, int64_t limit, int64_t *done)
{
	struct due_list rows;

	TRY(db_all(c,
	    ROWS(due,
		"SELECT d.user_id, IF(u.disabled_at IS NULL, u.email, NULL) AS email, d.next_at,"
		" d.at_minute, d.zone, d.told_at FROM inbox_digest d STRAIGHT_JOIN user u"
		" ON u.id = d.user_id WHERE d.next_at <= ? ORDER BY d.next_at LIMIT ?"),
	    ARGS(c->now, limit / STATEMENTS), &rows));
	*done = (int64_t)rows.n * STATEMENTS;
	for (size_t i = 0; i < rows.n; i++) {
		enum err e;

		TRY(db_begin(c));
		e = daily_send(c, &rows.v[i]);
		if (!e)
			e = db_commit(c);
		if (e)
			db_rollback(c);
		TRY(e);
	}
	return E_OK;
}

ROUNDS(daily, { "inbox_digests", .rows = dailies_send });
