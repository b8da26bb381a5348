/* SPDX-License-Identifier: Apache-2.0 */
#include "billing/news.h"

#include "base/str.h"
#include "billing/invoice.h"
#include "core/branding.h"
#include "core/tell.h"
#include "inbox/item.h"

/* The recipient: the owner, unless the workspace is in the trash. */
#define PAYER(F, T) F(T, STR, email)
SHAPE(payer, PAYER);

#define PAID_FOR(F, T) \
	F(T, INT,  no) \
	F(T, STR,  description) \
	F(T, STR,  currency) \
	F(T, TIME, created_at)
SHAPE(paid_for, PAID_FOR);

static const char *
card_word(struct ctx *c, const struct subscription *s)
{
	const struct stored_card *card = s->card;
	char *brand;

	if (!card)
		return "none";
	/* Providers write the brand in lower case: "visa". */
	brand = mem_strdup(c->mem, card->brand);
	if (*brand >= 'a' && *brand <= 'z')
		*brand = (char)(*brand - 'a' + 'A');
	return *card->last4 ? mem_printf(c->mem, "%s ending in %s", brand, card->last4) : brand;
}

/* Adds the purpose and the number of the invoice. */
static enum err
invoice_words(struct ctx *c, const struct billing_news *n, struct mail_values *v)
{
	struct paid_for *i;

	if (!n->invoice_id)
		return E_OK;
	TRY(db_one(c,
	    ROWS(paid_for,
		"SELECT no, description, currency, created_at FROM invoice WHERE id = ?"),
	    ARGS(n->invoice_id), &i));
	v->what = str_cut(c->mem, i->description, 200);
	v->left = invoice_number(c, i->created_at, i->no);
	v->now = str_money(c->mem, n->amount_cents, i->currency);
	return E_OK;
}

static enum mail_template
template_of(struct ctx *c, const struct billing_news *n, struct mail_values *v)
{
	static const int64_t retries[] = RETRY_DAYS;

	switch (n->kind) {
	case NEWS_TRIAL_ENDS:
		v->when = str_date(c->mem, n->at);
		v->now = str_money(c->mem, n->amount_cents, n->sub->currency);
		v->who = card_word(c, n->sub);
		return n->sub->card ? MAIL_TRIAL_CHARGED : MAIL_TRIAL_ENDS;
	case NEWS_RECEIPT: return MAIL_RECEIPT;
	case NEWS_DECLINED:
		v->message = n->why;
		v->limit = str_date(c->mem, n->at);
		if (n->try_no >= (int64_t)(sizeof retries / sizeof *retries))
			return MAIL_DECLINED_LAST;
		v->when = str_date(c->mem, subscription_due_at(n->sub));
		return MAIL_DECLINED;
	case NEWS_PAID_BACK: return MAIL_PAID_BACK;
	case NEWS_OWNER: v->who = card_word(c, n->sub); return MAIL_CARD_STAYS;
	case NEWS_ENDED: break;
	}
	v->when = str_date(c->mem, n->at ? n->at : c->now);
	return MAIL_PLAN_ENDED;
}

static enum err
owner_inbox_put(struct ctx *c, const struct billing_news *n)
{
	if (n->kind == NEWS_RECEIPT || n->kind == NEWS_ENDED)
		TRY(inbox_end(c, n->sub->workspace_id, NULL));
	if (n->kind != NEWS_DECLINED && n->kind != NEWS_ENDED)
		return E_OK;
	return inbox_put(c,
	    INBOX_PUT("SELECT " INBOX_ROW("m.user_id", "m.workspace_id", "NULL", "NULL",
		"NULL", "m.workspace_id", "NULL", "NULL", "?", "NULL")
		" FROM member m WHERE m.owner_of = ?"),
	    n->kind == NEWS_ENDED ? ITEM_PLAN_ENDED : ITEM_CARD_DECLINED,
	    ARGS(n->why, n->sub->workspace_id));
}

enum err
billing_tell(struct ctx *c, const struct billing_news *n)
{
	const char *ws = n->sub->workspace_id;
	const char *at = n->kind == NEWS_RECEIPT
	    ? mem_printf(c->mem, "/invoices/%s", n->invoice_id)
	    : "";
	struct mail m = { .values = { .what = tier_plan_name(c, n->sub->plan_id),
			      .link = mem_printf(c->mem, "/w/%s/plan%s", ws, at) } };
	struct payer *owner, *former = NULL;

	TRY(owner_inbox_put(c, n));
	if (!mail_enabled(c))
		return E_OK;
	TRY(db_find(c,
	    ROWS(payer,
		"SELECT u.email FROM member m STRAIGHT_JOIN user u ON u.id = m.user_id"
		" WHERE m.owner_of = ? AND u.email IS NOT NULL AND u.disabled_at IS NULL"),
	    ARGS(ws), &owner));
	if (n->was_owner_id)
		TRY(db_find(c,
		    ROWS(payer,
			"SELECT email FROM user WHERE id = ? AND email IS NOT NULL"
			" AND disabled_at IS NULL"),
		    ARGS(n->was_owner_id), &former));
	TRY(branding_on_mail(c, ws, &m.values));
	TRY(invoice_words(c, n, &m.values));
	m.template = template_of(c, n, &m.values);
	if (owner) {
		m.to = owner->email;
		TRY(tell(c, &m));
	}
	if (former) {
		m.to = former->email;
		TRY(tell(c, &m));
	}
	return E_OK;
}
