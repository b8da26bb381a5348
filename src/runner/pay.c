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
	AT_ONCE =
	    4, /* few, so that we finish them while they are ours, even if the provider is slow */
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

/* ---- the work that is due ---- */

struct pile {
	const void *v;
	size_t n, size;
};
#define PILE(l) ((struct pile){ (l).v, (l).n, sizeof *(l).v })

/* Kinds of work in their order: facts about the past count before anything new. */
static const struct work {
	const char *name;
	enum err (*ids)(struct ctx *c, int64_t most, struct strs *out); /* lists ids; or NULL */
	enum err (*one)(struct ctx *c, const void *item);
	bool due_without; /* also done without a configured provider, since periods end anyway */
} works[] = {
	{ "charge", charges_lost, lost_one, false },
	{ "event", NULL, event_one, false },
	{ "subscription", subscriptions_due, due_one, true },
	{ "refund", refunds_due, refund_one, false },
	{ "link", NULL, reconcile_one, false },
	{ "try", NULL, reconcile_one, false },
	{ "invoice", NULL, reconcile_one, false },
};

static enum err
pile_find(struct ctx *c, const struct work *work, struct pile *out)
{
	struct strs ids = { 0 };
	struct billing_event_list events = { 0 };
	struct reconciled_list open = { 0 };

	if (work->ids) {
		TRY(work->ids(c, AT_ONCE, &ids));
		*out = PILE(ids);
	} else if (work->one == event_one) {
		TRY(events_due(c, AT_ONCE, &events));
		*out = PILE(events);
	} else {
		TRY(reconcile_due(c, work->name, AT_ONCE, &open));
		*out = PILE(open);
	}
	return E_OK;
}

/* Does one piece in its own context, so its failure isn't a failure of the others. */
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
	/* Leaves a provider alone that didn't answer, longer each time. */
	if (down) {
		p->wait_ms = p->wait_ms ? p->wait_ms * 2 : WAIT_LEAST_MS;
		if (p->wait_ms < c->retry_after_s * 1000)
			p->wait_ms = c->retry_after_s * 1000;
		if (p->wait_ms > WAIT_MOST_MS)
			p->wait_ms = WAIT_MOST_MS;
		p->again_ms = clock_ms() + p->wait_ms;
	} else {
		p->wait_ms = 0;
	}
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

		e = pile_find(c, work, &pile);
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
