/* SPDX-License-Identifier: Apache-2.0
 * Defines each kind of limit: how many, for whom, in which window, and what counts. */
#include "http/quota.h"

#include "base/conf.h"
#include "base/str.h"
#include "http/above.h"
#include "http/share.h"

#include <arpa/inet.h>

enum { MINUTE_S = 60, QUARTER_S = 900, HOUR_S = 3600, DAY_S = 86400 };
enum whose { OF_USER, OF_ADDRESS, OF_CALLER /* the user, else the address */, OF_ARTIFACT,
	OF_AGENT /* the program that a person has connected, else the user */, OF_ALL };
enum counted { SUCCESSES, FAILURES, ALL };

static const struct rule {
	const char *name;
	enum whose whose;
	enum counted counted;
	size_t most; /* offset in struct conf */
	const char *what;
	int64_t window_s; /* 0: an hour */
} rules[] = {
	[LIM_PUBLISH] = { "publish", OF_USER, SUCCESSES, offsetof(struct conf, publish_per_hour),
	    "publishes" },
	[LIM_SIGNIN] = { "signin", OF_ADDRESS, FAILURES,
	    offsetof(struct conf, signin_failures_per_hour), "failed attempts to sign in" },
	[LIM_PROVIDER] = { "provider", OF_ADDRESS, ALL,
	    offsetof(struct conf, provider_starts_per_hour), "sign-ins with a provider" },
	[LIM_MAIL_LINK] = { "mail_link", OF_ADDRESS, ALL,
	    offsetof(struct conf, mail_links_per_hour), "requests for a link by e-mail" },
	[LIM_DEVICE_START] = { "device_start", OF_ADDRESS, ALL,
	    offsetof(struct conf, device_starts_per_hour), "device logins" },
	[LIM_DEVICE_CODE] = { "device_code", OF_ADDRESS, FAILURES,
	    offsetof(struct conf, device_guesses_per_hour), "wrong codes" },
	[LIM_ACCESS] = { "access", OF_ADDRESS, ALL, offsetof(struct conf, access_requests_per_hour),
	    "requests for access" },
	[LIM_EXPORT] = { "export", OF_CALLER, SUCCESSES, offsetof(struct conf, exports_per_hour),
	    "exports" },
	[LIM_PUBLISH_FAILED] = { "publish_failed", OF_USER, FAILURES,
	    offsetof(struct conf, publish_failures_per_hour), "failed publishes" },
	[LIM_TRANSFER] = { "transfer", OF_USER, FAILURES,
	    offsetof(struct conf, transfer_failures_per_hour), "failed transfers" },
	[LIM_DATA] = { "data", OF_ARTIFACT, ALL, offsetof(struct conf, data_per_minute),
	    "requests for an artifact's data", MINUTE_S },
	[LIM_PROXY] = { "proxy", OF_ARTIFACT, ALL, offsetof(struct conf, proxied_per_minute),
	    "requests through an artifact's proxy", MINUTE_S },
	[LIM_CHAT] = { "chat", OF_ARTIFACT, ALL, offsetof(struct conf, chats_per_minute),
	    "messages to an artifact's agent", MINUTE_S },
	[LIM_COMMENT] = { "comment", OF_CALLER, SUCCESSES, offsetof(struct conf, comments_per_hour),
	    "comments" },
	[LIM_JOB_RUN] = { "job_run", OF_ARTIFACT, ALL,
	    offsetof(struct conf, job_runs_asked_per_minute),
	    "manual runs of an artifact's jobs", MINUTE_S },
	[LIM_CONNECT] = { "connect", OF_USER, ALL, offsetof(struct conf, agents_connected_per_hour),
	    "answers to programs that want to be connected" },
	[LIM_PAYMENT] = { "payment", OF_USER, ALL, offsetof(struct conf, payments_per_hour),
	    "payments" },
	[LIM_CONNECTION_TEST] = { "connection_test", OF_USER, ALL,
	    offsetof(struct conf, connection_tests_per_minute), "tests of connections", MINUTE_S },
	[LIM_AGENT] = { "agent", OF_AGENT, ALL, offsetof(struct conf, agent_calls_per_minute),
	    "messages of an agent", MINUTE_S },
	[LIM_TICKET] = { "ticket", OF_USER, SUCCESSES, offsetof(struct conf, tickets_per_hour),
	    "support tickets" },
	[LIM_TICKET_MESSAGE] = { "ticket_message", OF_USER, SUCCESSES,
	    offsetof(struct conf, ticket_messages_per_hour), "messages in support tickets" },
	[LIM_SIGNIN_ACCOUNT] = { "signin_account", OF_ALL, FAILURES,
	    offsetof(struct conf, signin_failures_per_account), "failed attempts to sign in" },
	[LIM_FACTOR] = { "factor", OF_ALL, FAILURES,
	    offsetof(struct conf, factor_failures_per_account), "wrong codes" },
	[LIM_DELIVERY] = { "delivery", OF_ALL, FAILURES,
	    offsetof(struct conf, delivery_guesses_per_address), "wrong guesses", QUARTER_S },
	[LIM_DELIVERY_ALL] = { "delivery_all", OF_ALL, FAILURES,
	    offsetof(struct conf, delivery_guesses_per_hour), "wrong guesses" },
	[LIM_DELIVERY_CODE_NETWORK] = { "delivery_code_network", OF_ALL, ALL,
	    offsetof(struct conf, delivery_codes_per_network),
	    "codes asked for from your network" },
	[LIM_DELIVERY_CODE] = { "delivery_code", OF_ALL, ALL,
	    offsetof(struct conf, delivery_codes_per_hour), "codes for an e-mail address" },
	[LIM_DELIVERY_CODE_ALL] = { "delivery_code_all", OF_ALL, ALL,
	    offsetof(struct conf, delivery_codes_in_all), "codes for a delivery", DAY_S },
	[LIM_DEVICE_CODE_ALL] = { "device_code_all", OF_ALL, FAILURES,
	    offsetof(struct conf, device_guesses_in_all), "wrong codes" },
};

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
rule_window(const struct rule *rule)
{
	return rule->window_s ? rule->window_s : HOUR_S;
}

static void
rule_give_back(const struct req *r, const struct rule *rule, const char *key)
{
	limit_give_back(server_limits, key, r->c->now, rule_window(rule));
}

static const char *
agent_of(const struct req *r)
{
	return !r->who ? NULL : r->who->grant_id ? r->who->grant_id : r->who->user_id;
}

static const char *
quota_key(const struct req *r, const struct rule *rule, const char *key)
{
	const char *user = r->who ? r->who->user_id : NULL;
	const char *whose = rule->whose == OF_USER      ? user
	    : rule->whose == OF_ADDRESS                 ? network_of(r)
	    : rule->whose == OF_CALLER                  ? user ? user : network_of(r)
	    : rule->whose == OF_ARTIFACT                ? req_art_id(r)
	    : rule->whose == OF_AGENT                   ? agent_of(r)
							: key;

	return whose ? mem_printf(r->c->mem, "%s:%s", rule->name, whose) : NULL;
}

static enum err
quota_take_key(struct req *r, const struct rule *rule, const char *key, struct quota *q)
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
quota_take_row(struct req *r, enum limit_kind limit, struct quota *q)
{
	const char *key = limit ? quota_key(r, &rules[limit], NULL) : NULL;

	return key ? quota_take_key(r, &rules[limit], key, q) : E_OK;
}

static void
quota_return_row(struct req *r, enum limit_kind limit)
{
	rule_give_back(r, &rules[limit], quota_key(r, &rules[limit], NULL));
}

/* Limits of an artifact count only requests of callers who may make them: strangers must not use
 * them up or learn of them. */
static bool
quota_waits(const struct req *r)
{
	return r->route->limit && rules[r->route->limit].whose == OF_ARTIFACT &&
	    !(r->judged && r->art);
}

enum err
quota_take(struct req *r)
{
	struct quota q;
	enum err e;

	if (r->quota_taken || quota_waits(r))
		return E_OK;
	TRY(quota_take_row(r, r->route->limit, &r->quota));
	e = quota_take_row(r, r->route->failures, &q);
	if (e && r->route->limit)
		quota_return_row(r, r->route->limit);
	r->quota_taken = !e;
	return e;
}

enum err
quota_take_for(struct req *r, enum limit_kind limit, const char *key)
{
	const char *full = quota_key(r, &rules[limit], key);
	struct quota q;

	TRY(quota_take_key(r, &rules[limit], full, &q));
	if (r->taken_n < sizeof r->taken / sizeof *r->taken) {
		r->taken[r->taken_n].limit = limit;
		r->taken[r->taken_n++].key = full;
	}
	return E_OK;
}

static bool
note_take(struct req *r, const struct rule *rule, const char *key)
{
	int64_t most = *(const int64_t *)((const char *)r->c->conf + rule->most), left, reset_s;

	return limit_take(server_limits, quota_key(r, rule, key), r->c->now, rule_window(rule),
	    most, &left, &reset_s);
}

void
quota_note(struct req *r, enum limit_kind limit, const char *key)
{
	note_take(r, &rules[limit], key);
}

bool
quota_spent(struct req *r, enum limit_kind limit, const char *key)
{
	if (!note_take(r, &rules[limit], key))
		return true;
	rule_give_back(r, &rules[limit], quota_key(r, &rules[limit], key));
	return false;
}

void
quota_return_taken(struct req *r, size_t kept)
{
	for (; r->taken_n > kept; r->taken_n--)
		rule_give_back(r, &rules[r->taken[r->taken_n - 1].limit],
		    r->taken[r->taken_n - 1].key);
}

static bool
quota_counts(const struct req *r, enum limit_kind limit)
{
	enum counted counted = rules[limit].counted;

	if (r->turned_away)
		return false;
	return counted == ALL ||
	    (r->status < 400 ? counted == SUCCESSES && !r->replayed : counted == FAILURES);
}

void
quota_return(struct req *r)
{
	for (size_t i = 0; i < r->taken_n; i++)
		if (!quota_counts(r, r->taken[i].limit))
			rule_give_back(r, &rules[r->taken[i].limit], r->taken[i].key);
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
