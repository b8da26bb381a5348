/* SPDX-License-Identifier: Apache-2.0 */
#include "http/await.h"

#include "base/clock.h"
#include "base/conf.h"
#include "base/str.h"
#include "base/told.h"
#include "http/limit.h"
#include "http/share.h"

/* nginx follows ten redirects of a request, and each round takes two. After LOOK_MS the worker
 * looks, since a runner on another machine tells nothing here. */
enum { ROUNDS = 2, LOOK_MS = 3000, KEY_BYTES = 256 };

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

	if (left <= 0 || a->round == ROUNDS || !r->c->conf->line_s)
		return E_OK;
	if (a->round + 1 < ROUNDS && left > LOOK_MS)
		left = LOOK_MS;
	share_tell(outer,
	    mem_printf(outer->c->mem, CALLER_TOLD "%u %u %d %u %d %lld %s", a->place, a->count,
		(int)left, (unsigned)limit_hash(r->who ? r->who->user_id : ""), a->round + 1,
		(long long)until, key ? key : "-"));
	r->turned_away = true;
	return fail(r->c, E_UNAVAILABLE, "%s", err_table[E_UNAVAILABLE].text);
}
