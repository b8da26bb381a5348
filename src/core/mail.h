/* SPDX-License-Identifier: Apache-2.0
 * E-mail that Vitrine sends. mail_send() queues and counts an e-mail in the transaction of the
 * change that it reports; the runner sends it.
 *
 * TRY(mail_send(c, &(struct mail){ .template = MAIL_WORKSPACE_ROLE, .to = email,
 *     .sender_id = user,
 *     .values = { .workspace = w->name, .role = "admin", .by = name, .link = "/w/wsp_1" } }));
 *
 * Each recipient counts as one e-mail. Within a UTC day a user may cause 50 and an artifact 10, and
 * one address is sent at most so many of each kind as POT() in noun.def of the folders says. Mail
 * that others cause has limits of its own, so that it doesn't use up mail that somebody needs to
 * sign in, or mail about what people did. Half of an artifact's budget is kept for invitations.
 * Source: interface, "Limits". */
#ifndef VITRINE_MAIL_H
#define VITRINE_MAIL_H
#include "db/db.h"
#include "ext/smtp.h"

/* MAIL_ and a word of MAIL(): the templates in noun.def of each folder (core/nouns.def). */
enum mail_template {
#define MAIL(template, ...) MAIL_##template,
#include "core/nouns.def"
	MAIL_TEMPLATES
};

enum { MAIL_SUBJECT_CHARS = 200, MAIL_MESSAGE_CHARS = 8000, /* the sender of a job's e-mail */
	MAIL_QUOTED_CHARS = 20000 };

/* A workspace's branding in its e-mail, from when the e-mail was queued. Only logo_url is fetched,
 * from us, and it is the same for all recipients. The color has no text on it. branding_on_mail()
 * (core/branding.h) fills it. */
#define MAIL_BRAND(F, T) \
	F(T, STR,  name,          .flags = F_REQ, .lo = 1, .hi = 120) \
	F(T, STR,  color,         .flags = F_NUL, .hi = 7) \
	F(T, STR,  logo_url,      .flags = F_NUL, .hi = 2048) \
	F(T, STR,  support_email, .flags = F_NUL, .hi = 254) \
	F(T, STR,  footer,        .flags = F_NUL, .hi = 200) \
	F(T, BOOL, hide_vitrine)
SHAPE_DECLARE(mail_brand, MAIL_BRAND);

/* link is a path with its query ("/verify?token=…"); base_url is always put before it. */
#define MAIL_VALUES(F, T) \
	F(T, STR, link,     .flags = F_OPT, .lo = 1, .hi = 1500) \
	F(T, STR, artifact, .flags = F_OPT, .lo = 1, .hi = 200) \
	F(T, STR, who,      .flags = F_OPT, .lo = 1, .hi = 254) \
	F(T, STR, message,  .flags = F_OPT | F_LONG, .hi = MAIL_QUOTED_CHARS) \
	F(T, STR, role,     .flags = F_OPT, .lo = 1, .hi = 40) \
	F(T, STR, by,       .flags = F_OPT, .lo = 1, .hi = 254) \
	F(T, STR, when,     .flags = F_OPT, .lo = 1, .hi = 100) \
	F(T, STR, where,    .flags = F_OPT, .lo = 1, .hi = 200) \
	F(T, STR, until,    .flags = F_OPT, .lo = 1, .hi = 100, \
		.doc = "A link works once, and until then; may be missing") \
	F(T, STR, left,     .flags = F_OPT, .lo = 1, .hi = 20) \
	F(T, STR, what,     .flags = F_OPT, .lo = 1, .hi = 200) \
	F(T, STR, subject,  .flags = F_OPT, .lo = 1, .hi = MAIL_SUBJECT_CHARS) \
	F(T, STR, alert,    .flags = F_OPT, .lo = 1, .hi = 120) \
	F(T, STR, now,      .flags = F_OPT, .lo = 1, .hi = 40) \
	F(T, STR, before,   .flags = F_OPT, .lo = 1, .hi = 40) \
	F(T, STR, limit,    .flags = F_OPT, .lo = 1, .hi = 100) \
	F(T, STR, code,     .flags = F_OPT, .lo = 1, .hi = 10) \
	F(T, STR, workspace, .flags = F_OPT, .lo = 1, .hi = 120) \
	F(T, STR, reply_to, .flags = F_OPT, .lo = 1, .hi = 254, \
		.doc = "Address that answers go to") \
	F(T, STR, thread,   .flags = F_OPT, .lo = 1, .hi = 100, \
		.doc = "Id of what the e-mail is about, for mail programs to keep such together") \
	F(T, STR, answers,  .flags = F_OPT, .lo = 1, .hi = 250, \
		.doc = "Message-ID of the e-mail that it answers; with thread") \
	F(T, STR, stop,     .flags = F_OPT, .lo = 1, .hi = 1500, \
		.doc = "A path that ends such mail when it is POSTed to") \
	F(T, OBJ, brand,    .flags = F_OPT, .sub = &mail_brand_shape, \
		.doc = "NULL: the letterhead is ours")
SHAPE_DECLARE(mail_values, MAIL_VALUES);

struct mail {
	enum mail_template template;
	const char *to;
	struct mail_values values;
	/* The user whose budget pays for the e-mail, or NULL when a stranger caused it. Ignored for
	 * mail about the recipient's own account. */
	const char *sender_id;
	const char *artifact_id; /* the artifact whose budget pays too, or NULL */
	/* The address as the sender typed it, or NULL: they hear if it can't be sent there. */
	const char *typed;
};

/* False if the installation has no mail server, so that mail_send() would fail. Callers that can do
 * without the e-mail check this first. */
bool mail_enabled(const struct ctx *c);
/* Queues an e-mail, inside the caller's transaction. E_RATE_LIMITED over a budget; E_INVALID for a
 * bad address or value; E_UNAVAILABLE without a mail server. When it fails, nothing is queued or
 * counted, so the caller may go on without the e-mail. */
enum err mail_send(struct ctx *c, const struct mail *);
/* Queues many e-mails of one template and sender, each to another address, in a few statements.
 * sent[i] is false if a budget is used up. */
enum err mail_send_many(struct ctx *c, const struct mail *, size_t n, bool *sent);

/* Returns "mailto:…" for an address in the form of str_email(). Nothing in it can add a recipient
 * or a subject. */
const char *mail_link(void *owner, const char *address);

/* ---- for the runner and vitrinectl ---- */

struct mail_text {
	const char *event; /* the template's name */
	const char *subject, *text, *html, *stop; /* stop: the address of a page to unsubscribe, or
						   * NULL */
	const char *reply_to, *thread, *answers; /* or NULL */
};
enum err
mail_render(struct ctx *c, enum mail_template, const struct mail_values *, struct mail_text *out);
/* Makes one attempt to send a queued e-mail; *queued_at is when it was queued. E_INVALID when the
 * payload can't be read or rendered. */
enum err mail_deliver(struct ctx *c, const char *id, const char *to, const char *payload,
    int64_t *queued_at, struct smtp_reply *out);
/* Deletes the outbox row, in a transaction of its own, and keeps recipient, template, attempts and
 * the reason in mail_failed. */
enum err mail_give_up(struct ctx *c, const char *id, const char *why);
/* Sends a test message at once, without the queue and the budgets. */
enum err mail_test(struct ctx *c, const char *to, struct smtp_reply *out);

#define MAIL_FAILED(F, T) \
	F(T, STR,  id) \
	F(T, STR,  recipient) \
	F(T, STR,  template) \
	F(T, INT,  attempts) \
	F(T, TIME, failed_at) \
	F(T, STR,  reason)
SHAPE_DECLARE(mail_failed, MAIL_FAILED);
enum err mail_list_failed(struct ctx *c, struct list *out); /* at most 100, the newest */
enum err mail_count_failed(struct ctx *c, int64_t since, int64_t *n);
#endif
