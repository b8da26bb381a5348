/* SPDX-License-Identifier: Apache-2.0 */
#include "runner/pay.h"

#include "base/clock.h"
#include "base/log.h"
#include "billing/due.h"
#include "billing/event.h"
#include "billing/reconcile.h"
#include "billing/refund.h"
#include "db/db.h"
#include "runner/lane.h"

enum {
	AT_ONCE = 4, /* so that these are done while they are ours, however slow the provider */
	WAIT_LEAST_MS = 5000,
	WAIT_MOST_MS = 300000,
};

/* ---- one of each ---- */

static enum err
due_one(struct ctx *c, const void *item)
{
	struct charge *charge;

	TRY(subscription_step(c, *(const char *const *)item, &charge));
	return charge ? charge_end(c, charge) : E_OK;
}

static enum err
lost_one(struct ctx *c, const void *item)
{
	struct charge *charge;

	TRY(charge_recall(c, *(const char *const *)item, &charge));
	return charge ? charge_end(c, charge) : E_OK;
}

static enum err
event_one(struct ctx *c, const void *item)
{
	return event_settle(c, item);
}

static enum err
refund_one(struct ctx *c, const void *item)
{
	return refund_send(c, *(const char *const *)item);
}

static enum err
reconcile_one(struct ctx *c, const void *item)
{
	const struct reconciled *r = item;
	const char *says;

	TRY(reconcile(c, r, &says));
	if (says)
		log_line(LOG_LEVEL_WARN, "payment found", "kind", r->kind, "id", r->id, "says",
		    says, NULL);
	return E_OK;
}

/* ---- all that is due ---- */

struct pile {
	const void *v;
	size_t n, size;
};
#define PILE_STRS(s) ((struct pile){ (s).v, (s).n, sizeof *(s).v })
#define PILE(l) ((struct pile){ (l).v, (l).n, sizeof *(l).v })

static enum err
due_find(struct ctx *c, struct pile *out)
{
	struct strs ids = { 0 };

	TRY(subscriptions_due(c, AT_ONCE, &ids));
	*out = PILE_STRS(ids);
	return E_OK;
}

static enum err
lost_find(struct ctx *c, struct pile *out)
{
	struct strs ids = { 0 };

	TRY(charges_lost(c, AT_ONCE, &ids));
	*out = PILE_STRS(ids);
	return E_OK;
}

static enum err
event_find(struct ctx *c, struct pile *out)
{
	struct billing_event_list all = { 0 };

	TRY(events_due(c, AT_ONCE, &all));
	*out = PILE(all);
	return E_OK;
}

static enum err
refund_find(struct ctx *c, struct pile *out)
{
	struct strs ids = { 0 };

	TRY(refunds_due(c, AT_ONCE, &ids));
	*out = PILE_STRS(ids);
	return E_OK;
}

static enum err
reconcile_find(struct ctx *c, const char *kind, struct pile *out)
{
	struct reconciled_list all = { 0 };

	TRY(reconcile_due(c, kind, AT_ONCE, &all));
	*out = PILE(all);
	return E_OK;
}

static enum err
link_find(struct ctx *c, struct pile *out)
{
	return reconcile_find(c, "link", out);
}

static enum err
try_find(struct ctx *c, struct pile *out)
{
	return reconcile_find(c, "try", out);
}

static enum err
invoice_find(struct ctx *c, struct pile *out)
{
	return reconcile_find(c, "invoice", out);
}

/* In the order in which they are done: what is known of the past counts before what is new. */
static const struct work {
	const char *name;
	enum err (*find)(struct ctx *c, struct pile *out);
	enum err (*one)(struct ctx *c, const void *item);
	bool due_without; /* also where no provider is configured: things end, too */
} works[] = {
	{ "charge", lost_find, lost_one, false },
	{ "event", event_find, event_one, false },
	{ "subscription", due_find, due_one, true },
	{ "refund", refund_find, refund_one, false },
	{ "link", link_find, reconcile_one, false },
	{ "try", try_find, reconcile_one, false },
	{ "invoice", invoice_find, reconcile_one, false },
};

/* A provider that doesn't answer is left alone, longer each time. */
static void
provider_rest(struct pay *p, const struct ctx *c)
{
	int64_t asked_ms = c->retry_after_s * 1000;

	p->wait_ms = p->wait_ms ? p->wait_ms * 2 : WAIT_LEAST_MS;
	if (p->wait_ms < asked_ms)
		p->wait_ms = asked_ms;
	if (p->wait_ms > WAIT_MOST_MS)
		p->wait_ms = WAIT_MOST_MS;
	p->again_ms = clock_ms() + p->wait_ms;
}

/* Each has memory and a clock of its own, and what fails is no failure of the others'. */
static bool
one_do(const struct conf *conf, struct db *db, struct pay *p, const struct work *work,
    const void *item)
{
	struct ctx *c = ctx_begin(conf, db);
	enum err e = work->one(c, item);
	bool down = e == E_UPSTREAM || e == E_UNAVAILABLE;

	if (e) {
		db_rollback(c);
		log_line(down ? LOG_LEVEL_WARN : LOG_LEVEL_ERROR, "billing put off", "kind",
		    work->name, "why", ctx_why(c), NULL);
	}
	if (down)
		provider_rest(p, c);
	else
		p->wait_ms = 0;
	p->done += !e;
	ctx_end(c);
	return !down;
}

static enum err
work_do(const struct conf *conf, struct db *db, struct pay *p, const struct work *work)
{
	size_t n = AT_ONCE;
	enum err e = E_OK;

	while (!e && n == AT_ONCE && !lane_over()) {
		struct ctx *c = ctx_begin(conf, db);
		struct pile pile = { 0 };

		e = work->find(c, &pile);
		if (e)
			log_line(LOG_LEVEL_ERROR, "billing failed", "kind", work->name, "why",
			    ctx_why(c), NULL);
		n = pile.n;
		for (size_t i = 0; i < pile.n; i++)
			if (!one_do(conf, db, p, work, (const char *)pile.v + i * pile.size))
				n = 0;
		ctx_end(c);
	}
	return e;
}

enum err
pay_run(const struct conf *conf, struct db *db, struct pay *p)
{
	struct ctx *c = ctx_begin(conf, db);
	bool with = payment_enabled(c);
	enum err e = E_OK;

	ctx_end(c);
	for (size_t i = 0; i < sizeof works / sizeof *works; i++)
		if (clock_ms() >= p->again_ms && (with || works[i].due_without)) {
			enum err failed = work_do(conf, db, p, &works[i]);

			e = e ? e : failed;
		}
	return e;
}
