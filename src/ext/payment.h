/* SPDX-License-Identifier: Apache-2.0
 * The payment provider that the operator has configured (payment_url): links to the provider's
 * page, on which a person pays or stores a card, charges to a stored card, and the states of these.
 * src/billing/README.md describes its protocol. Amounts are integers in the currency's smallest
 * unit. The key is sent only there and appears in no message, log or answer. We never see a card
 * number.
 *
 * Each function returns E_OK if the provider has answered (struct payment's outcome), else
 *  E_UPSTREAM     no complete, valid answer: we don't know whether the provider acted, and
 *                 payment_by_key() finds out. c->retry_after_s is set if the provider said so
 *  E_UNAVAILABLE  payment_url isn't set, the key can't be read, or the provider refuses it:
 *                 nothing was done
 * Must not be called within a transaction, because a call takes up to PAYMENT_S seconds. */
#ifndef VITRINE_EXT_PAYMENT_H
#define VITRINE_EXT_PAYMENT_H
#include "base/ctx.h"

enum { PAYMENT_S = 20, PAYMENT_ID_BYTES = 100, PAYMENT_WHY_CHARS = 200, PAYMENT_KEY_BYTES = 64 };

enum payment_outcome {
	PAYMENT_ABSENT = 1, /* doesn't exist; no other member is set */
	PAYMENT_PENDING,    /* undecided: ask again later */
	PAYMENT_APPROVED,
	/* struct payment's why has the reason. A charge that the provider didn't try has no id. */
	PAYMENT_DECLINED,
	PAYMENT_REFUNDED,   /* or charged back: the money isn't ours */
};

/* Texts from the provider are printable, ids have at most PAYMENT_ID_BYTES; NULL if missing. */
struct payment_card {
	const char *id;             /* NULL: no card is stored */
	const char *brand, *last4;  /* such as "visa", "4242" */
	int64_t exp_month, exp_year;
	const char *fingerprint;    /* equal for equal card numbers */
};
struct payment {
	enum payment_outcome outcome;
	const char *id, *currency; /* currency in capitals */
	int64_t amount_cents;
	/* Of PAYMENT_DECLINED: the provider's words for people; never NULL then. */
	const char *why;
	const char *customer;
	struct payment_card card;
	/* The metadata that we sent: workspace and, for a charge, invoice; for a link, the others.
	 */
	const char *workspace, *invoice, *plan, *purpose, *nonce;
	int64_t seats;
};

/* True if the operator has configured a provider. */
bool payment_enabled(const struct ctx *c);
/* For routes that need a provider: fails with E_UNAVAILABLE, a message for people and details
 * {"payment":"not_set_up"} if there is none. */
enum err payment_need(struct ctx *c);

struct payment_link {
	const char *title, *currency;
	/* Where the person comes back to: with payment_id in its query once the payment is made or
	 * the card is stored, without it if they gave up. */
	const char *redirect_url;
	int64_t amount_cents;                        /* 0: only store a card */
	const char *workspace, *plan, *purpose, *nonce; /* plan NULL: no plan is paid for */
	int64_t seats;
};
/* Makes a link for one payment. *url is https. */
enum err payment_link(
    struct ctx *c, const struct payment_link *, const char **id, const char **url);

/* Finds a payment; PAYMENT_ABSENT if none has that id or id is malformed. */
enum err payment_find(struct ctx *c, const char *id, struct payment *out);
/* Finds the charge with that key; PAYMENT_ABSENT if it was never made. The caller compares amount,
 * currency and invoice. */
enum err payment_by_key(struct ctx *c, const char *key, struct payment *out);
/* Finds the payment made through a link; PAYMENT_ABSENT if there is none yet. */
enum err payment_by_link(struct ctx *c, const char *link_id, struct payment *out);

struct payment_charge {
	const char *key; /* a key is charged once, however often this is called */
	const char *customer, *card, *currency, *description, *invoice, *workspace;
	int64_t amount_cents;
};
/* PAYMENT_APPROVED, _PENDING or _DECLINED; _REFUNDED if that key was charged and refunded.
 * E_UPSTREAM if another amount or currency was charged. */
enum err payment_charge(struct ctx *c, const struct payment_charge *, struct payment *out);
/* PAYMENT_REFUNDED, also if it was refunded before; _ABSENT; _DECLINED if it can't be refunded. */
enum err payment_refund(struct ctx *c, const char *id, struct payment *out);

enum payment_standing {
	PAYMENT_SUB_ABSENT = 1,
	PAYMENT_SUB_ACTIVE,
	PAYMENT_SUB_DEFAULTED, /* the provider tries again */
	PAYMENT_SUB_PAUSED,    /* over, like PAYMENT_SUB_FINISHED */
	PAYMENT_SUB_FINISHED,
};
struct payment_subscription {
	enum payment_standing standing;
	const char *id, *last_payment;
};
enum err payment_subscription(struct ctx *c, const char *id, struct payment_subscription *out);

/* A webhook's content. It only names things, which we then look up, so we trust nothing in it. */
struct payment_event {
	const char *id;                      /* of the event */
	const char *kind;                    /* such as "payment.updated" */
	const char *payment, *subscription;  /* NULL: not about one; at least one is set */
};
/* Fails with E_INVALID, naming the field. */
enum err payment_event_read(struct ctx *c, const char *body, size_t n, struct payment_event *out);
/* *out: a webhook's X-Rebill-Signature (may be NULL) matches its body under payment_sign_key_file;
 * true if that isn't set. E_UNAVAILABLE if the file can't be read. */
enum err payment_event_signed(
    struct ctx *c, const char *signature, const char *body, size_t n, bool *out);
#endif
