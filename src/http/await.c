/* SPDX-License-Identifier: Apache-2.0 */
#include "http/await.h"

#include "base/clock.h"
#include "base/conf.h"
#include "base/str.h"
#include "base/told.h"
#include "http/limit.h"
#include "http/share.h"

/* nginx follows ten redirects of a request, and each round takes two; a change, which may be large
 * and slow, has others. After look_ms[round] the worker looks, since a runner on another machine
 * tells nothing here. */
enum { ROUNDS = 3, CHANGE_ROUNDS = 2, KEY_BYTES = 256, CROWD_S = 10 };
static const int64_t look_ms[ROUNDS - 1] = { 3000, 15000 };

static struct req *
outermost(const struct req *r)
{
	while (r->outer)
		r = r->outer;
	return (struct req *)(uintptr_t)r;
}

/* Reads what await() wrote. Returns false if the request hasn't waited. */
static bool
back_read(const struct req *r, struct awaited *out, char key[KEY_BYTES])
{
	const char *caller = req_env(outermost(r), "VITRINE_CALLER");
	long long until;

	if (!req_env(outermost(r), "VITRINE_LINED") || !caller ||
	    sscanf(caller, CALLER_TOLD "%*u %*u %*d %*u %d %lld %255s", &out->round, &until,
		key) != 3)
		return false;
	out->back = true;
	out->crowd = str_eq(req_env(outermost(r), "VITRINE_TICKET"), TICKET_CROWD);
	out->until_ms = until;
	return true;
}

void
await_begin(const struct req *r, const char *subject, struct awaited *out)
{
	char key[KEY_BYTES];

	*out = (struct awaited){ .place = told_place(subject) };
	out->count = told_count(r->c->conf, out->place);
	back_read(r, out, key);
}

void
await_list_begin(
    const struct req *r, const char *subject, int64_t seconds, struct awaited *out)
{
	if (seconds)
		told_expect(r->c->conf, r->c->now + seconds + 1);
	await_begin(r, subject, out);
}

const char *
await_key(const struct req *r)
{
	struct awaited back;
	char key[KEY_BYTES];

	return back_read(r, &back, key) && !str_eq(key, "-") ? mem_strdup(r->c->mem, key) : NULL;
}

enum err
await(struct req *r, const struct awaited *a, int64_t seconds, const char *key)
{
	struct req *outer = outermost(r);
	int64_t now = clock_ms(), until = a->back ? a->until_ms : now + 1000 * seconds;
	int64_t left = until - now;
	int rounds = r->method == GET ? ROUNDS : CHANGE_ROUNDS;

	if (a->crowd) {
		/* A change has happened by now, and a GET that comes back has waited, so both are
		 * answered. */
		if (r->method != GET || a->round > 1)
			return E_OK;
		outer->retry_after_s = CROWD_S;
		return fail(r->c, E_RATE_LIMITED,
		    "wait: 5 requests of yours, or 200 for the same thing, wait already; "
		    "end one of them, or ask without wait");
	}
	if (left <= 0 || a->round >= rounds || !r->c->conf->line_s)
		return E_OK;
	if (a->round + 1 < rounds && left > look_ms[a->round])
		left = look_ms[a->round];
	share_tell(outer,
	    mem_printf(outer->c->mem, CALLER_TOLD "%u %u %d %u %d %lld %s", a->place, a->count,
		(int)left, (unsigned)limit_hash(r->who ? r->who->user_id : ""), a->round + 1,
		(long long)until, key ? key : "-"));
	r->turned_away = true;
	return fail(r->c, E_UNAVAILABLE, "%s", err_table[E_UNAVAILABLE].text);
}

enum err
await_change(struct req *r, const struct awaited *a, int64_t seconds, int64_t since,
    int64_t change_no)
{
	static const char of[] = "since-";
	const char *key = await_key(r);

	if (!seconds || !r->who)
		return E_OK;
	if (since == AWAIT_PRESENT)
		since = change_no;
	if (key && str_starts(key, of))
		str_int(key + sizeof of - 1, &since);
	return since != change_no
	    ? E_OK
	    : await(r, a, seconds, mem_printf(r->c->mem, "%s%lld", of, (long long)since));
}
