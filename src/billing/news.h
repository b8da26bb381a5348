/* SPDX-License-Identifier: Apache-2.0
 * E-mail to a workspace's owner about payments and failed payments, queued in their transaction. */
#ifndef VITRINE_BILLING_NEWS_H
#define VITRINE_BILLING_NEWS_H
#include "billing/subscription.h"

enum billing_news_kind {
	NEWS_TRIAL_ENDS, /* at: when; with a card it will be charged amount_cents then */
	NEWS_RECEIPT,    /* invoice_id, amount_cents were paid */
	NEWS_DECLINED,   /* a renewal's try failed: try_no (1, 2, …), the reason, and at: when the
			  * plan ends */
	NEWS_ENDED,      /* the workspace has its plan no more */
	NEWS_PAID_BACK,  /* amount_cents went back, why */
	NEWS_OWNER,      /* another owner: both are told that the card stays until replaced */
};
struct billing_news {
	enum billing_news_kind kind;
	const struct subscription *sub;
	const char *invoice_id, *why;
	const char *was_owner_id; /* for NEWS_OWNER */
	int64_t amount_cents, at, try_no;
};
enum err billing_tell(struct ctx *c, const struct billing_news *);
#endif
