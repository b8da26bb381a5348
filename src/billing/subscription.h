/* SPDX-License-Identifier: Apache-2.0
 * A workspace's subscription: its row, its state, and what it pays for. We compute the state from
 * its times on each read, so a stopped runner changes nothing. Every change locks the workspace's
 * row first and writes through subscription_write(), which also writes the workspace's plan
 * (core/tier.h) and a row of the history. Source: interface, "Account and billing"; README.md. */
#ifndef VITRINE_SUBSCRIPTION_H
#define VITRINE_SUBSCRIPTION_H
#include "core/workspace.h"

enum {
	GRACE_S = 14 * 86400,    /* past_due: a workspace has its plan this long unpaid */
	UNTRIED_S = 86400,       /* if nobody has tried to renew by then, the renewal has failed */
	TRIAL_NOTICE_S = 3 * 86400,
	SEATS_MOST = 1000000
};

/* Days after a period's end on which a renewal is tried, of GRACE_S. */
#define RETRY_DAYS { 0, 3, 7, 12 }

#define SUBSCRIPTION_STATES "trialing|active|past_due|cancelled|expired"

#define STORED_CARD(F, T) \
	F(T, STR, brand) \
	F(T, STR, last4) \
	F(T, INT, exp_month) \
	F(T, INT, exp_year)
SHAPE_DECLARE(stored_card, STORED_CARD);

#define SUBSCRIPTION(F, T) \
	F(T, ID,   id,                   .arg = "sub_") \
	F(T, ID,   workspace_id,         .arg = "wsp_") \
	F(T, STR,  plan_id) \
	F(T, WORD, tier,                 .arg = PLAN_TIERS) \
	F(T, WORD, status,               .arg = SUBSCRIPTION_STATES, \
		.doc = "cancelled: until ends_at the workspace has its plan; expired: it has it " \
		       "no more") \
	F(T, INT,  seats) \
	F(T, INT,  pending_seats,        .flags = F_NUL, .doc = "From the next period on") \
	F(T, STR,  pending_plan_id,      .flags = F_NUL, .doc = "From the next period on") \
	F(T, TIME, trial_ends_at,        .flags = F_NUL) \
	F(T, TIME, current_period_start, .doc = "Of what is paid; in a trial, of the trial") \
	F(T, TIME, current_period_end) \
	F(T, TIME, ends_at,              .flags = F_NUL, .doc = "Only of a cancelled one") \
	F(T, INT,  amount_cents,         .doc = "Price of the plan's seats per period") \
	F(T, STR,  currency) \
	F(T, OBJ,  card,                 .flags = F_NUL, .sub = &stored_card_shape, \
		.doc = "The stored card; null for members below admin") \
	F(T, TIME, created_at) \
	F(T, INT,  price_cents,  .flags = F_HID) \
	F(T, TIME, anchor_at,    .flags = F_HID) \
	F(T, TIME, cancelled_at, .flags = F_HID) \
	F(T, TIME, ended_at,     .flags = F_HID) \
	F(T, INT,  tries,        .flags = F_HID) \
	F(T, TIME, told_at,      .flags = F_HID) \
	F(T, TIME, due_at,       .flags = F_HID)
SHAPE_DECLARE(subscription, SUBSCRIPTION);

/* ---- states from times; pure ---- */

enum sub_state { SUB_TRIALING, SUB_ACTIVE, SUB_PAST_DUE, SUB_CANCELLED, SUB_EXPIRED };
/* Computes the state from the times, the card, and the failed tries. NULL: SUB_EXPIRED. */
enum sub_state subscription_state(const struct subscription *, int64_t now);
const char *subscription_word(enum sub_state);
/* True if no period has been paid yet. */
bool subscription_in_trial(const struct subscription *);
/* When the plan ends if nothing else happens; a time in the past: it has ended. */
int64_t subscription_paid_until(const struct subscription *);
/* When the runner must handle it next; 0: never. */
int64_t subscription_due_at(const struct subscription *);

/* ---- rows ---- */

/* Reads the current subscription of a workspace, or the last one; NULL: it never had one. lock:
 * locks the row; the caller has locked the workspace's. Fills tier, status, amount_cents and card
 * for any viewer. */
enum err subscription_of(
    struct ctx *c, const char *workspace_id, bool lock, struct subscription **out);
/* Hides the card from callers below admin. */
enum err subscription_show(
    struct ctx *c, const struct workspace *, struct subscription **out);
/* Returns the workspace of a subscription; NULL if there is none with that id. */
enum err subscription_workspace(struct ctx *c, const char *id, const char **workspace_id);
/* *yes: the outcome of a charge of the workspace is unknown. */
enum err subscription_busy(struct ctx *c, const char *workspace_id, bool *yes);

/* The cause of a change, for the history. */
struct move {
	const char *what;       /* "subscribed", "renewed": a word of docs/operations.md's list */
	const char *user_id;    /* NULL: the runner */
	const char *event_id;   /* the provider's; or NULL */
	const char *invoice_id; /* or NULL */
	int64_t amount_cents;   /* the amount that the move paid or paid back */
};
/* Inserts or updates the row, the workspace's plan, the time of the runner's next visit, and a row
 * of the history with the state before and after. */
enum err subscription_write(struct ctx *c, const struct subscription *, const struct move *);
/* Ends the subscription if it has expired, before anything else is written. *s stays the last one.
 */
enum err subscription_expire(struct ctx *c, struct subscription *s);
/* Applies a new card: the workspace may keep its plan longer, and a payment that is past due is
 * tried at once. */
enum err subscription_card_came(struct ctx *c, const char *workspace_id);

/* ---- its history ---- */

#define SUBSCRIPTION_MOVE(F, T) \
	F(T, INT,  no) \
	F(T, ID,   subscription_id, .arg = "sub_") \
	F(T, STR,  what) \
	F(T, ID,   user_id,         .flags = F_NUL, .arg = "usr_") \
	F(T, STR,  user_name,       .flags = F_NUL) \
	F(T, STR,  event_id,        .flags = F_NUL) \
	F(T, ID,   invoice_id,      .flags = F_NUL, .arg = "ivc_") \
	F(T, INT,  amount_cents,    .flags = F_NUL) \
	F(T, JSON, was,             .flags = F_NUL) \
	F(T, JSON, became,          .flags = F_NUL) \
	F(T, TIME, at)
SHAPE_DECLARE(subscription_moved, SUBSCRIPTION_MOVE);
/* The newest first; at most 200. For vitrinectl and the page. */
enum err subscription_moves(
    struct ctx *c, const char *workspace_id, struct subscription_moved_list *out);
#endif
