/* SPDX-License-Identifier: Apache-2.0
 * E-mails a text. core/mail.h has the queue and the budgets. */
#include "base/str.h"
#include "core/mail.h"
#include "jobs/action_kind.h"
#include "jobs/run.h"

enum { BODY_CHARS = 5000, ARTIFACT_MAILS = 10 };

#define EMAIL_CONFIG(F, T) \
	F(T, STRS, recipients, .flags = F_REQ, .item = K_EMAIL, .lo = 1, .hi = 20) \
	F(T, STR,  subject,    .flags = F_REQ, .lo = 1, .hi = MAIL_SUBJECT_CHARS) \
	F(T, BOOL, includeArtifactLink) \
	F(T, STR,  body,       .flags = F_OPT | F_LONG, .hi = BODY_CHARS)
SHAPE(email_config, EMAIL_CONFIG);

static enum err
email_config_check(struct ctx *c, const struct action_input *in, struct action_config *out)
{
	struct email_config *cfg;
	const struct strs *to;

	TRY(shape_read(c, &email_config_shape, in->sent, (void **)&cfg));
	to = &cfg->recipients;
	for (size_t i = 0; i < to->n; i++)
		for (size_t j = 0; j < i; j++)
			if (strcasecmp(to->v[i], to->v[j]) == 0)
				return fail(c, E_INVALID,
				    "recipients[%zu]: is the same address as recipients[%zu]", i,
				    j);
	if (to->n > ARTIFACT_MAILS)
		warn(c,
		    "config.recipients: has %zu addresses, more than the %d e-mails an artifact "
		    "can send in a day, so every run will be skipped",
		    to->n, ARTIFACT_MAILS);
	TRY(action_text_check(c, "subject", cfg->subject));
	TRY(action_text_check(c, "body", cfg->body ? cfg->body : ""));
	out->shown = shape_text(c->mem, &email_config_shape, cfg);
	return E_OK;
}

/* A placeholder's value may contain line breaks, which a subject line must not. */
static void
email_escape_line(struct buf *b, const char *value)
{
	while (*value) {
		size_t n = str_plain_run(value);
		uint32_t code;
		size_t step;

		buf_add(b, value, n);
		value += n;
		step = str_utf8(value, strlen(value), &code);
		if (*value)
			buf_chr(b, ' ');
		value += step;
	}
}

/* Leaves out control characters other than line ends. */
static void
email_escape_lines(struct buf *b, const char *value)
{
	for (const char *end; *value; value = end + (*end == '\n')) {
		end = value + strcspn(value, "\n");
		email_escape_line(b, mem_strndup(b->owner, value, (size_t)(end - value)));
		if (*end)
			buf_chr(b, '\n');
	}
}

#define JOB_MAKER(F, T) F(T, STR, name)
SHAPE(job_maker, JOB_MAKER);

static enum err
email_values(struct ctx *c, const struct action_run *r, const struct email_config *cfg,
    struct mail_values *out)
{
	const struct run_held *h = r->held;
	struct job_maker *maker;

	TRY(db_one(c,
	    ROWS(job_maker,
		"SELECT COALESCE(NULLIF(name, ''), email, 'Somebody') AS name FROM user"
		" WHERE id = ?"),
	    ARGS(h->created_by), &maker));
	*out = (struct mail_values){
		.subject = str_cut(c->mem, action_text(c, r, cfg->subject, email_escape_line),
		    MAIL_SUBJECT_CHARS),
		.message = str_cut(c->mem,
		    action_text(c, r, cfg->body ? cfg->body : "", email_escape_lines),
		    MAIL_MESSAGE_CHARS),
		.artifact = h->artifact_name,
		.by = maker->name,
	};
	if (cfg->includeArtifactLink)
		out->link = mem_printf(c->mem, "/v1/open/%s", h->artifact_slug);
	return E_OK;
}

/* Queues e-mails for all recipients or for none: an error rolls back the savepoint. */
static enum err
email_end(struct ctx *c, const struct action_run *r, const struct egress_res *res,
    const void *found, struct run_outcome *out)
{
	struct email_config *cfg;
	struct mail mail = { .template = MAIL_JOB,
		.sender_id = r->held->created_by,
		.artifact_id = r->held->artifact_id };

	(void)res;
	(void)found;
	if (!mail_enabled(c)) {
		out->verdict = RUN_SKIPPED;
		out->error = "this installation can't send e-mail; contact its operator";
		return E_OK;
	}
	TRY(shape_read(c, &email_config_shape, r->config, (void **)&cfg));
	TRY(email_values(c, r, cfg, &mail.values));
	if (mail.values.link)
		mail.template = MAIL_JOB_LINK;
	for (size_t i = 0; i < cfg->recipients.n; i++) {
		mail.to = mail.typed = cfg->recipients.v[i];
		TRY(mail_send(c, &mail));
	}
	out->output = mem_printf(c->mem, "%zu e-mail%s queued", cfg->recipients.n,
	    cfg->recipients.n == 1 ? "" : "s");
	return E_OK;
}

const struct action_kind action_email = { .name = "email", .config = email_config_check,
	.end = email_end };
