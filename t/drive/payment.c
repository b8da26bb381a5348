/* SPDX-License-Identifier: Apache-2.0
 * What the payment provider is asked and says, as JSON on a line: payment CONF need | link TITLE CENTS CURRENCY BACK WORKSPACE PLAN SEATS PURPOSE NONCE |
 * find ID | key KEY | bylink ID | charge KEY CUSTOMER CARD CENTS CURRENCY TEXT INVOICE WORKSPACE | refund ID | subscription ID | event BODY | signed SIGNATURE BODY.
 * What fails is {"error","message","internal","retry_after_s"}. */
#include "base/buf.h"
#include "base/conf.h"
#include "base/str.h"
#include "ext/payment.h"

static void
text(struct buf *b, const char *name, const char *value)
{
	buf_fmt(b, ",\"%s\":", name);
	buf_json(b, value);
}

static enum err
payment(struct buf *b, enum err e, const struct payment *p)
{
	static const char *const words[] = { "none", "absent", "pending", "approved", "declined", "refunded" };

	TRY(e);
	buf_fmt(b, "{\"outcome\":\"%s\",\"amount_cents\":%lld,\"seats\":%lld,\"exp_month\":%lld,\"exp_year\":%lld", words[p->outcome],
	    (long long)p->amount_cents, (long long)p->seats, (long long)p->card.exp_month, (long long)p->card.exp_year);
	text(b, "id", p->id);
	text(b, "currency", p->currency);
	text(b, "why", p->why);
	text(b, "customer", p->customer);
	text(b, "card", p->card.id);
	text(b, "brand", p->card.brand);
	text(b, "last4", p->card.last4);
	text(b, "fingerprint", p->card.fingerprint);
	text(b, "workspace", p->workspace);
	text(b, "invoice", p->invoice);
	text(b, "plan", p->plan);
	text(b, "purpose", p->purpose);
	text(b, "nonce", p->nonce);
	buf_chr(b, '}');
	return E_OK;
}

static enum err
link_make(struct ctx *c, struct buf *b, char **a)
{
	const char *id, *url;

	TRY(payment_link(c,
	    &(struct payment_link){ .title = a[0], .amount_cents = strtoll(a[1], NULL, 10), .currency = a[2], .redirect_url = a[3], .workspace = a[4],
		.plan = *a[5] ? a[5] : NULL, .seats = strtoll(a[6], NULL, 10), .purpose = a[7], .nonce = a[8] },
	    &id, &url));
	buf_str(b, "{\"kind\":\"link\"");
	text(b, "id", id);
	text(b, "url", url);
	buf_chr(b, '}');
	return E_OK;
}

static enum err
subscription(struct ctx *c, struct buf *b, const char *id)
{
	static const char *const words[] = { "none", "absent", "active", "defaulted", "paused", "finished" };
	struct payment_subscription s;

	TRY(payment_subscription(c, id, &s));
	buf_fmt(b, "{\"standing\":\"%s\"", words[s.standing]);
	text(b, "id", s.id);
	text(b, "last_payment", s.last_payment);
	buf_chr(b, '}');
	return E_OK;
}

static enum err
event(struct ctx *c, struct buf *b, const char *body)
{
	struct payment_event ev;

	TRY(payment_event_read(c, body, strlen(body), &ev));
	buf_str(b, "{\"is\":\"event\"");
	text(b, "id", ev.id);
	text(b, "kind", ev.kind);
	text(b, "payment", ev.payment);
	text(b, "subscription", ev.subscription);
	buf_chr(b, '}');
	return E_OK;
}

static enum err
signed_by(struct ctx *c, struct buf *b, const char *signature, const char *body)
{
	bool good;

	TRY(payment_event_signed(c, signature, body, strlen(body), &good));
	buf_fmt(b, "{\"signed\":%s}", good ? "true" : "false");
	return E_OK;
}

static enum err
ask(struct ctx *c, struct buf *b, const char *what, char **a)
{
	struct payment p = { 0 };

	if (str_eq(what, "link"))
		return link_make(c, b, a);
	if (str_eq(what, "find"))
		return payment(b, payment_find(c, a[0], &p), &p);
	if (str_eq(what, "key"))
		return payment(b, payment_by_key(c, a[0], &p), &p);
	if (str_eq(what, "bylink"))
		return payment(b, payment_by_link(c, a[0], &p), &p);
	if (str_eq(what, "refund"))
		return payment(b, payment_refund(c, a[0], &p), &p);
	if (str_eq(what, "charge"))
		return payment(b,
		    payment_charge(c,
			&(struct payment_charge){ .key = a[0], .customer = a[1], .card = a[2], .amount_cents = strtoll(a[3], NULL, 10), .currency = a[4],
			    .description = a[5], .invoice = a[6], .workspace = a[7] },
			&p),
		    &p);
	if (str_eq(what, "subscription"))
		return subscription(c, b, a[0]);
	if (str_eq(what, "event"))
		return event(c, b, a[0]);
	if (str_eq(what, "signed"))
		return signed_by(c, b, *a[0] ? a[0] : NULL, a[1]);
	buf_str(b, "{\"need\":true}");
	return payment_need(c);
}

int
main(int argc, char **argv)
{
	void *mem = mem_root("payment");
	const char *why = "usage: payment CONF WHAT ...";
	const struct conf *conf = argc >= 3 ? conf_load(mem, argv[1], &why) : NULL;
	struct ctx *c;
	struct buf b = BUF(mem);
	enum err e;

	if (!conf) {
		fprintf(stderr, "%s\n", why);
		return 64;
	}
	c = ctx_begin(conf, NULL);
	e = ask(c, &b, argv[2], argv + 3);
	if (e) {
		b.n = 0;
		buf_fmt(&b, "{\"retry_after_s\":%lld", (long long)c->retry_after_s);
		text(&b, "error", err_table[e].code);
		text(&b, "message", c->message);
		text(&b, "internal", c->internal);
		buf_chr(&b, '}');
	}
	puts(buf_done(&b));
	ctx_end(c);
	mem_free(mem);
	return 0;
}
