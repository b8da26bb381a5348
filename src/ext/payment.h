/* SPDX-License-Identifier: Apache-2.0
 * The payment provider that the operator has configured (payment_url): links to its own page, on
 * which a person pays or leaves a card, charges of a card that it keeps, and what became of them.
 * docs/operations.md, "Payments", has its protocol. Amounts are integers in the currency's smallest
 * unit. The key is sent there and is in no message, log or answer; no card number ever passes us.
 *
 * Each function is E_OK when the provider has said what is (struct payment's outcome), and else
 *   E_UPSTREAM     no whole answer that makes sense: whether it did what it was asked is unknown,
 *                  and payment_by_key() finds it out. c->retry_after_s, if it said so
 *   E_UNAVAILABLE  payment_url isn't set, the key can't be read, or the provider refuses the key:
 *                  nothing was done
 * None may be called within a transaction: they take up to PAYMENT_S seconds. */
#ifndef VITRINE_EXT_PAYMENT_H
#define VITRINE_EXT_PAYMENT_H
#include "base/ctx.h"

enum { PAYMENT_S = 20, PAYMENT_ID_BYTES = 100, PAYMENT_WHY_CHARS = 200, PAYMENT_KEY_BYTES = 64 };

enum payment_outcome {
	PAYMENT_ABSENT = 1, /* there is none; nothing else is filled */
	PAYMENT_PENDING,    /* undecided yet: ask again later */
	PAYMENT_APPROVED,
	PAYMENT_DECLINED,   /* why says why; a charge that the provider refused to try has no id */
	PAYMENT_REFUNDED,   /* or charged back: the money isn't ours (any more) */
};

/* All texts of the provider: of printable characters, ids of PAYMENT_ID_BYTES at most; NULL where
 * it said none. */
struct payment_card {
	const char *id;             /* NULL: no card was kept */
	const char *brand, *last4;  /* "visa", "4242" */
	int64_t exp_month, exp_year;
	const char *fingerprint;    /* the same for the same card number, whoever gives it */
};
struct payment {
	enum payment_outcome outcome;
	const char *id, *currency; /* currency in capitals */
	int64_t amount_cents;
	const char *why;     /* of PAYMENT_DECLINED, in its words for people; never NULL then */
	const char *customer;
	struct payment_card card;
	/* What we gave it to keep beside it: of a charge invoice and workspace, of a link the
	 * others and workspace. */
	const char *workspace, *invoice, *plan, *purpose, *nonce;
	int64_t seats;
};

/* False when the operator has configured none. */
bool payment_enabled(const struct ctx *c);
/* E_UNAVAILABLE in those words, and with {"payment":"not_set_up"}, for routes that need one. */
enum err payment_need(struct ctx *c);

struct payment_link {
	const char *title, *currency;
	/* Where the person comes back to: with payment_id in its query once it is paid (or the card
	 * is there), without when they turned back. */
	const char *redirect_url;
	int64_t amount_cents;                        /* 0: it only keeps a card */
	const char *workspace, *plan, *purpose, *nonce; /* plan NULL: none is paid for */
	int64_t seats;
};
/* A link that is good for one payment. *url is https. */
enum err payment_link(
    struct ctx *c, const struct payment_link *, const char **id, const char **url);

/* One payment, PAYMENT_ABSENT when there is none of that id, or it is no id at all. */
enum err payment_find(struct ctx *c, const char *id, struct payment *out);
/* What became of a charge with that key, PAYMENT_ABSENT when it was never made. Whether amount,
 * currency and invoice are those asked for is for the caller to compare. */
enum err payment_by_key(struct ctx *c, const char *key, struct payment *out);
/* What was paid on the page of a link, PAYMENT_ABSENT while nothing was. */
enum err payment_by_link(struct ctx *c, const char *link_id, struct payment *out);

struct payment_charge {
	const char *key; /* the same key is charged once, however often it is asked for */
	const char *customer, *card, *currency, *description, *invoice, *workspace;
	int64_t amount_cents;
};
/* PAYMENT_APPROVED, _PENDING or _DECLINED; _REFUNDED when that key was charged and paid back. An
 * approved payment of another amount or currency than asked is E_UPSTREAM. */
enum err payment_charge(struct ctx *c, const struct payment_charge *, struct payment *out);
/* PAYMENT_REFUNDED, also when it was already; _ABSENT; _DECLINED when it can't be. */
enum err payment_refund(struct ctx *c, const char *id, struct payment *out);

enum payment_standing {
	PAYMENT_SUB_ABSENT = 1,
	PAYMENT_SUB_ACTIVE,
	PAYMENT_SUB_DEFAULTED, /* it tries again */
	PAYMENT_SUB_PAUSED,    /* it is over, as with the next */
	PAYMENT_SUB_FINISHED,
};
struct payment_subscription {
	enum payment_standing standing;
	const char *id, *last_payment;
};
enum err payment_subscription(struct ctx *c, const char *id, struct payment_subscription *out);

/* What a webhook says. It only names things, which are then looked up: it is believed nothing. */
struct payment_event {
	const char *id;                      /* of the event */
	const char *kind;                    /* such as "payment.updated" */
	const char *payment, *subscription;  /* NULL: not about one; not both are NULL */
};
/* E_INVALID, naming the field. */
enum err payment_event_read(struct ctx *c, const char *body, size_t n, struct payment_event *out);
/* Whether a webhook's X-Rebill-Signature (may be NULL) is that of its body by
 * payment_sign_key_file; true when that isn't set. E_UNAVAILABLE when the file can't be read. */
enum err payment_event_signed(
    struct ctx *c, const char *signature, const char *body, size_t n, bool *out);
#endif
