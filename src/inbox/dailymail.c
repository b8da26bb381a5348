/* SPDX-License-Identifier: Apache-2.0
 * The runner writes the daily mails that are due. */
#include "base/log.h"
#include "base/str.h"
#include "core/tell.h"
#include "inbox/daily.h"
#include "inbox/inbox.h"
#include "inbox/stop.h"
#include "store/rounds.h"

/* STATEMENTS: one person counts as so many rows of a round. */
enum { LINES = 50, LINE_CHARS = 240, STATEMENTS = 10 };

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

/* Sends nothing if another runner, or the person, has moved the daily mail meanwhile. If the mail
 * can't be sent today, its items are in tomorrow's. */
static enum err
daily_send(struct ctx *c, const struct due *d)
{
	const struct daily next = { .at_minute = d->at_minute, .zone = d->zone, .told_at = c->now };
	const struct principal one = {
		.kind = "person", .user_id = d->user_id, .email = d->email
	};
	struct list items;
	bool sent = false;
	int64_t moved, n;

	TRY(db_exec(c,
	    EXEC("UPDATE inbox_digest SET next_at = ? WHERE user_id = ? AND next_at = ?"),
	    ARGS(daily_next(&next, c->now), d->user_id, d->next_at), &moved));
	if (!moved || !d->email || !mail_enabled(c))
		return E_OK;
	TRY(inbox_listed(c, mem_dup(c->mem, &one, sizeof one), LINES, &items, &n));
	if (items.n)
		TRY(daily_mail(c, d, &items, n, &sent));
	return sent ? db_exec1(c,
			  EXEC("UPDATE inbox_digest SET told_at = ? WHERE user_id = ?"),
			  ARGS(c->now, d->user_id))
		    : inbox_unlist(c, d->user_id);
}

/* Sends each mail in a transaction of its own. */
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
		TRY(db_begin(c));
		TRY(db_end(c, daily_send(c, &rows.v[i])));
	}
	return E_OK;
}

ROUNDS(daily, { "inbox_digests", .rows = dailies_send });
