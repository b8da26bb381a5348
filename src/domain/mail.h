/* SPDX-License-Identifier: Apache-2.0
 * E-mail that leaves Vitrine: queued in the transaction of what it tells of, counted there, sent by
 * the runner.
 *
 *	TRY(mail_send(c, &(struct mail){ .template = MAIL_COLLABORATOR_ADDED, .to = email,
 *	    .sender_id = user, .artifact_id = art->id,
 *	    .values = { .artifact = art->name, .role = "editor", .by = name, .link = "/a/art_1" } }));
 *
 * Counted by recipient, a UTC day: 50 for the user who causes it, 10 for an artifact. Mail about
 * somebody's own account (verify_email, reset_password, signin_new_device) costs no user's budget,
 * but one address gets at most 10 of it. Source: interface, "Limits". */
#ifndef VITRINE_MAIL_H
#define VITRINE_MAIL_H
#include "db/db.h"
#include "ext/smtp.h"

enum mail_template {
	MAIL_VERIFY_EMAIL,       /* link */
	MAIL_RESET_PASSWORD,     /* link */
	MAIL_ACCESS_REQUEST,     /* artifact, who, message or none, link */
	MAIL_ACCESS_GRANTED,     /* artifact, link */
	MAIL_COLLABORATOR_ADDED, /* artifact, role, by, link */
	MAIL_SIGNIN_NEW_DEVICE,  /* when, where */
	MAIL_TEST,               /* vitrinectl mail test */
	MAIL_TEMPLATES
};

/* link is a path with its query ("/verify?token=…"): the address before it is always base_url. */
#define MAIL_VALUES(F, T) \
	F(T, STR, link,     .flags = F_OPT, .lo = 1, .hi = 1500) \
	F(T, STR, artifact, .flags = F_OPT, .lo = 1, .hi = 200) \
	F(T, STR, who,      .flags = F_OPT, .lo = 1, .hi = 254) \
	F(T, STR, message,  .flags = F_OPT | F_LONG, .hi = 2000) \
	F(T, STR, role,     .flags = F_OPT, .lo = 1, .hi = 40) \
	F(T, STR, by,       .flags = F_OPT, .lo = 1, .hi = 254) \
	F(T, STR, when,     .flags = F_OPT, .lo = 1, .hi = 100) \
	F(T, STR, where,    .flags = F_OPT, .lo = 1, .hi = 200)
SHAPE_DECLARE(mail_values, MAIL_VALUES);

struct mail {
	enum mail_template template;
	const char *to;
	struct mail_values values;
	const char *sender_id;   /* whose budget it costs; not looked at for mail about the
	                            recipient's own account; NULL: a stranger caused it */
	const char *artifact_id; /* whose budget it costs too, or NULL */
};

/* False where the installation has no mail server. mail_send() then fails, so what can do without
 * mail asks first. */
bool mail_enabled(const struct ctx *c);
/* Inside the caller's transaction. E_RATE_LIMITED over a budget; E_INVALID for an address or a
 * value; E_UNAVAILABLE without a mail server. Nothing is queued or counted when it fails, so the
 * caller may also go on without the mail. */
enum err mail_send(struct ctx *c, const struct mail *);

/* ---- for the runner and vitrinectl ---- */

struct mail_text {
	const char *subject, *text, *html;
};
enum err
mail_render(struct ctx *c, enum mail_template, const struct mail_values *, struct mail_text *out);
/* One attempt at a queued mail; *queued_at is when it was queued. E_INVALID when the payload can't
 * be read or rendered. */
enum err mail_deliver(struct ctx *c, const char *id, const char *to, const char *payload,
    int64_t *queued_at, struct smtp_reply *out);
/* The outbox row goes; what remains is to whom, which template and why. */
enum err mail_give_up(struct ctx *c, const char *id, const char *why);
/* Sends now, without the queue and the budgets. */
enum err mail_test(struct ctx *c, const char *to, struct smtp_reply *out);

#define MAIL_FAILED(F, T) \
	F(T, STR,  id) \
	F(T, STR,  recipient) \
	F(T, STR,  template) \
	F(T, INT,  attempts) \
	F(T, TIME, failed_at) \
	F(T, STR,  reason)
SHAPE_DECLARE(mail_failed, MAIL_FAILED);
enum err mail_list_failed(struct ctx *c, struct list *out); /* the newest 100 */
enum err mail_count_failed(struct ctx *c, int64_t since, int64_t *n);
/* Counts of past days, and failures after 30 days; at most limit rows. */
enum err mail_budget_reap(struct ctx *c, int64_t limit, int64_t *removed);
enum err mail_failed_reap(struct ctx *c, int64_t limit, int64_t *removed);
#endif
