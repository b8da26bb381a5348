/* SPDX-License-Identifier: Apache-2.0
 * Defines each kind of limit: how many, for whom, in which window, and what counts. */
#include "http/quota.h"

#include "base/conf.h"
#include "base/str.h"
#include "http/above.h"
#include "http/await.h"
#include "http/share.h"

#include <arpa/inet.h>

enum { MINUTE_S = 60, QUARTER_S = 900, HOUR_S = 3600 };

/* Limits that several folders count in. */
LIMIT(LIM_EXPORT, "export", OF_CALLER, SUCCESSES, exports_per_hour, "exports");
LIMIT(LIM_DATA, "data", OF_ARTIFACT, ALL, data_per_minute, "requests for an artifact's data",
    MINUTE_S);
LIMIT(LIM_ACCESS, "access", OF_ADDRESS, ALL, access_requests_per_hour, "requests for access");

const char *
req_address(const struct req *r)
{
	const char *address = req_env(r->outer ? r->outer : r, "VITRINE_REMOTE_ADDR");

	return address ? address : "";
}

/* The network of an IPv6 address (/64) belongs to one subscriber. */
const char *
network_of(const struct req *r)
{
	struct in6_addr a;
	const char *text = req_address(r);

	if (inet_pton(AF_INET6, text, &a) != 1 || IN6_IS_ADDR_V4MAPPED(&a))
		return text;
	memset(a.s6_addr + 8, 0, 8);
	text = mem_zalloc(r->c->mem, INET6_ADDRSTRLEN);
	return inet_ntop(AF_INET6, &a, (char *)(uintptr_t)text, INET6_ADDRSTRLEN);
}

static int64_t
rule_window(const struct limit *rule)
{
	return rule->window_s ? rule->window_s : HOUR_S;
}

static void
rule_give_back(const struct req *r, const struct limit *rule, const char *key)
{
	limit_give_back(server_limits, key, r->c->now, rule_window(rule));
}

static const char *
quota_key(const struct req *r, const struct limit *rule, const char *key)
{
	const char *user = r->who ? r->who->user_id : NULL;
	const char *agent = r->who && r->who->grant_id ? r->who->grant_id : user;
	const char *whose = rule->whose == OF_USER      ? user
	    : rule->whose == OF_ADDRESS                 ? network_of(r)
	    : rule->whose == OF_CALLER                  ? user ? user : network_of(r)
	    : rule->whose == OF_ARTIFACT                ? req_art_id(r)
	    : rule->whose == OF_AGENT                   ? agent
							: key;

	return whose ? mem_printf(r->c->mem, "%s:%s", rule->name, whose) : NULL;
}

static enum err
quota_take_key(struct req *r, const struct limit *rule, const char *key, struct quota *q)
{
	*q = (struct quota){ .limit = *(const int64_t *)((const char *)r->c->conf + rule->most),
		.window_s = rule_window(rule) };
	if (limit_take(server_limits, key, r->c->now, q->window_s, q->limit, &q->left, &q->reset_s))
		return E_OK;
	r->quota = *q;
	return fail(r->c, E_RATE_LIMITED,
	    "The limit is %lld %s per %s; try again in %lld seconds",
	    (long long)q->limit, rule->what,
	    q->window_s == MINUTE_S        ? "minute"
		: q->window_s == QUARTER_S ? "quarter of an hour"
		: q->window_s == HOUR_S    ? "hour"
					   : "day",
	    (long long)q->reset_s);
}

static enum err
quota_take_row(struct req *r, const struct limit *limit, struct quota *q)
{
	const char *key = limit ? quota_key(r, limit, NULL) : NULL;

	return key ? quota_take_key(r, limit, key, q) : E_OK;
}

static void
quota_return_row(struct req *r, const struct limit *limit)
{
	rule_give_back(r, limit, quota_key(r, limit, NULL));
}

enum err
quota_take(struct req *r)
{
	const struct limit *limit = r->route->limit;
	/* Limits of an artifact count only requests of callers who may make them: strangers must
	 * not use them up or learn of them. */
	bool waits = limit && limit->whose == OF_ARTIFACT && !(r->judged && r->art);
	struct quota q;
	enum err e;

	if (r->quota_taken || waits || (await_key(r) && !r->route->no_transaction))
		return E_OK;
	TRY(quota_take_row(r, limit, &r->quota));
	e = quota_take_row(r, r->route->failures, &q);
	if (e && limit)
		quota_return_row(r, limit);
	r->quota_taken = !e;
	return e;
}

enum err
quota_take_for(struct req *r, const struct limit *limit, const char *key)
{
	const char *full = quota_key(r, limit, key);
	struct quota q;

	TRY(quota_take_key(r, limit, full, &q));
	if (r->taken_n < sizeof r->taken / sizeof *r->taken) {
		r->taken[r->taken_n].limit = limit;
		r->taken[r->taken_n++].key = full;
	}
	return E_OK;
}

static bool
note_take(struct req *r, const struct limit *rule, const char *key)
{
	int64_t most = *(const int64_t *)((const char *)r->c->conf + rule->most), left, reset_s;

	return limit_take(server_limits, quota_key(r, rule, key), r->c->now, rule_window(rule),
	    most, &left, &reset_s);
}

void
quota_note(struct req *r, const struct limit *limit, const char *key)
{
	note_take(r, limit, key);
}

bool
quota_spent(struct req *r, const struct limit *limit, const char *key)
{
	if (!note_take(r, limit, key))
		return true;
	rule_give_back(r, limit, quota_key(r, limit, key));
	return false;
}

void
quota_return_taken(struct req *r, size_t kept)
{
	for (; r->taken_n > kept; r->taken_n--)
		rule_give_back(r, r->taken[r->taken_n - 1].limit,
		    r->taken[r->taken_n - 1].key);
}

static bool
quota_counts(const struct req *r, const struct limit *limit)
{
	enum counted counted = limit->counted;

	/* A change that is done may wait before it is answered; that request counts, and not its
	 * second turn. */
	if (r->turned_away && !r->saved)
		return false;
	return counted == ALL ||
	    (r->status < 400 || r->turned_away ? counted == SUCCESSES && !r->replayed
					       : counted == FAILURES);
}

void
quota_return(struct req *r)
{
	for (size_t i = 0; i < r->taken_n; i++)
		if (!quota_counts(r, r->taken[i].limit))
			rule_give_back(r, r->taken[i].limit, r->taken[i].key);
	if (!r->quota_taken)
		return;
	if (r->route->limit && r->quota.limit && !quota_counts(r, r->route->limit)) {
		quota_return_row(r, r->route->limit);
		r->quota.left++;
	}
	if (r->route->failures && !quota_counts(r, r->route->failures))
		quota_return_row(r, r->route->failures);
}

enum err
quota_cpu(struct req *r, bool known, enum err (*work)(struct req *))
{
	enum { WAIT_S = 5 };
	int place;
	enum err e;

	TRY(share_hash(r, known));
	place = limit_enter(server_limits, WAIT_S);
	r->turned_away = place < 0;
	if (place < 0)
		return fail(r->c, E_UNAVAILABLE, "%s", err_table[E_UNAVAILABLE].text);
	e = work(r);
	limit_leave(server_limits, place);
	return e;
}
