/* SPDX-License-Identifier: Apache-2.0
 * E-mail that Vitrine sends. mail_send() queues and counts an e-mail in the transaction of the
 * change that it reports; the runner sends it.
 *
 * TRY(mail_send(c, &(struct mail){ .template = MAIL_COLLABORATOR_ADDED, .to = email,
 *     .sender_id = user, .artifact_id = art->id,
 *     .values = { .artifact = art->name, .role = "editor", .by = name, .link = "/a/art_1" } }));
 *
 * Each recipient counts as one e-mail. Within a UTC day a user may cause 50 and an artifact 10, and
 * one address is sent at most 10 about artifacts, whoever causes them; of jobs, watches, alerts and
 * deliveries each sender's count apart, and of jobs none for an artifact's own people. Mail about
 * somebody's own account costs no user's budget; one address gets at most 10 that anybody can ask
 * for (invitation, reset_password), 12 signin_link, which are not used up by those, 50 notices of
 * sign-ins, of connected agents and of the second factor, 10 of tokens that others made for
 * somebody, 20 about what a workspace of theirs pays, 5 with news of comments, 10 of jobs and
 * connections that fail, 5 of watches and alerts,
 * 10 of approvals, 10 of what those who govern a workspace did to one's artifacts, 20 deliveries,
 * 20 codes to open one, 20 of deliveries that were opened, and 50 of tickets. Source: interface,
 * "Limits". */
#ifndef VITRINE_MAIL_H
#define VITRINE_MAIL_H
#include "db/db.h"
#include "ext/smtp.h"

enum mail_template {
	MAIL_INVITATION,         /* by, link, until */
	MAIL_RESET_PASSWORD,     /* link, until */
	MAIL_ACCESS_REQUEST,     /* artifact, who, message or none, link */
	MAIL_ACCESS_GRANTED,     /* artifact, link */
	MAIL_COLLABORATOR_ADDED, /* artifact, role, by, link */
	MAIL_SIGNIN_NEW_DEVICE,  /* when, where, link */
	MAIL_SIGNIN_LINK,        /* until, link */
	MAIL_FACTOR_ON,          /* when, link */
	MAIL_FACTOR_OFF,         /* when, link */
	MAIL_FACTOR_RECOVERY,    /* left, when, link */
	MAIL_FACTOR_GUESSED,     /* when, link */
	MAIL_AGENT_CONNECTED,    /* what, where, when, link */
	MAIL_AGENT_ENDED,        /* the same */
	MAIL_COMMENTS,           /* what, artifact, who, message, link */
	MAIL_JOB_FAILS,          /* what, artifact, message or none, link */
	MAIL_JOB_WORKS,          /* what, artifact, link */
	MAIL_JOB_GONE,           /* what, artifact, link */
	MAIL_JOB_TAKEN,          /* by, what, artifact, link */
	MAIL_RUN_FAILS,          /* workspace, what, artifact, message or none, link */
	MAIL_RUN_WORKS,          /* workspace, what, artifact, link */
	MAIL_JOB,                /* subject, message or none, artifact, by */
	MAIL_JOB_LINK,           /* the same and link */
	MAIL_WATCH,              /* what, artifact, now, before, link */
	MAIL_ALERT_FIRING,       /* alert, what, artifact, now, limit, link, stop */
	MAIL_ALERT_OK,           /* the same */
	MAIL_ALERT_NO_DATA,      /* alert, what, artifact, link, stop */
	MAIL_WORKSPACE_INVITED,  /* workspace, by, who, role, link, until */
	MAIL_SHAREE_INVITED,     /* workspace, by, what: the client, link, until or none */
	MAIL_WORKSPACE_ADDED,    /* workspace, by, role, link */
	MAIL_WORKSPACE_REMOVED,  /* workspace, by, link */
	MAIL_WORKSPACE_ROLE,     /* workspace, by, role, link */
	MAIL_WORKSPACE_OWNER,    /* workspace, by, link */
	MAIL_WORKSPACE_TOKEN,    /* workspace, by, what, when, link */
	MAIL_APPROVAL_ASKED,     /* workspace, by, artifact, what, link */
	MAIL_APPROVAL_APPROVED,  /* the same, message or none */
	MAIL_APPROVAL_REJECTED,  /* the same */
	MAIL_APPROVAL_REPLACED,  /* the same, without message */
	MAIL_APPROVAL_EXPIRED,   /* the same, without by */
	MAIL_STANDING_GRANTED,   /* by, artifact, what: the agent, when, link */
	MAIL_STANDING_ENDED,     /* the same */
	MAIL_GOVERN_PAUSED,      /* workspace, by, artifact, message or none, link */
	MAIL_GOVERN_RESUMED,     /* workspace, by, artifact, link */
	MAIL_GOVERN_VISIBILITY,  /* the same and what */
	MAIL_GOVERN_GIVEN,       /* workspace, by, artifact, link */
	MAIL_GOVERN_TAKEN,       /* the same and who */
	MAIL_GOVERN_DELETED,     /* workspace, by, artifact, link */
	MAIL_GOVERN_PURGED,      /* the same */
	MAIL_DELIVERY,           /* by, what, limit, message or none, link */
	MAIL_DELIVERY_CODE,      /* code */
	MAIL_DELIVERY_OPENED,    /* what, who, link */
	MAIL_SHARED,             /* workspace, by, what, message or none, link, until or none */
	MAIL_CONNECTION_ENDED,   /* workspace, what: the connection, link */
	MAIL_TRIAL_ENDS,         /* workspace, what: the plan, when, link */
	MAIL_TRIAL_CHARGED,      /* the same, now: the amount, who: the card */
	MAIL_RECEIPT,            /* workspace, now, what, left: the invoice's number, link */
	MAIL_DECLINED,           /* workspace, now, what, message, when: next try, limit, link */
	MAIL_DECLINED_LAST,      /* the same, without when */
	MAIL_PLAN_ENDED,         /* workspace, what, when, link */
	MAIL_PAID_BACK,          /* workspace, now, what, link */
	MAIL_CARD_STAYS,         /* workspace, what, who: the card, link */
	MAIL_TICKET_REPLY,       /* subject, by, message, where: how to answer, link, reply_to */
	MAIL_TICKET_ANSWER,      /* the same, without link */
	MAIL_TICKET_STATUS,      /* subject, what: a sentence, link, reply_to */
	MAIL_TICKET_STATE,       /* the same, without link */
	MAIL_TICKET_NEW,         /* subject, who, message, link */
	MAIL_TICKET_MORE,        /* the same */
	MAIL_TICKET_ASSIGNED,    /* subject, by, link */
	MAIL_TEST,               /* vitrinectl mail test */
	MAIL_TEMPLATES
};

enum { MAIL_SUBJECT_CHARS = 200, MAIL_MESSAGE_CHARS = 8000, /* of a job's */
	MAIL_QUOTED_CHARS = 20000 };

/* How a workspace shows itself in its e-mail, as the rows had it when that was queued. logo_url is
 * the only thing that is fetched, from us, and the same for whoever is mailed. The colour has no
 * text on it or of it. Filled by branding_on_mail() (core/branding.h). */
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
	const char *artifact_id; /* artifact whose budget pays too, or NULL */
};

/* False when the installation has no mail server, so that mail_send() would fail. Callers that can
 * do without the e-mail ask this first. */
bool mail_enabled(const struct ctx *c);
/* Queues an e-mail, inside the caller's transaction. E_RATE_LIMITED over a budget; E_INVALID for a
 * bad address or value; E_UNAVAILABLE without a mail server. When it fails, nothing is queued or
 * counted, so the caller may go on without the e-mail. */
enum err mail_send(struct ctx *c, const struct mail *);
/* Queues many mails of one template and sender, each to another address, in a few statements:
 * sent[i] is false if a budget is used up. */
enum err mail_send_many(struct ctx *c, const struct mail *, size_t n, bool *sent);

/* "mailto:…" for an address as str_email() has it: nothing in it can add a recipient or a
 * subject. */
const char *mail_link(void *owner, const char *address);

/* ---- for the runner and vitrinectl ---- */

struct mail_text {
	const char *event; /* the template's name */
	const char *subject, *text, *html, *stop; /* stop: address of a page, or NULL */
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
enum err mail_list_failed(struct ctx *c, struct list *out); /* the newest 100 */
enum err mail_count_failed(struct ctx *c, int64_t since, int64_t *n);
#endif
