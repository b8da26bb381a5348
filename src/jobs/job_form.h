/* SPDX-License-Identifier: Apache-2.0
 * The form of a job: its fields are flat, a job's config is JSON, and a table of job_form.c says
 * which field of which action stands where in it. */
#ifndef VITRINE_JOB_FORM_H
#define VITRINE_JOB_FORM_H
#include "jobs/job.h"
#include "jobs/schedule.h"

#define JOB_WHENS SCHEDULE_KINDS "|cron|" JOB_EVENTS

/* Of all actions; each takes its own. A field that is about another schedule than `when` says means
 * nothing. headers and webhook_url are empty in a job's form, and stay as they are where they are
 * left so. */
#define JOB_FORM(F, T) \
	F(T, WORD, action,        .flags = F_REQ, .arg = JOB_ACTIONS) \
	F(T, STR,  name,          .hi = 120) \
	F(T, WORD, when,          .arg = JOB_WHENS) \
	F(T, INT,  minute,        .hi = 59) \
	F(T, STR,  at,            .hi = 5, .doc = "07:00") \
	F(T, INT,  weekday,       .hi = 6) \
	F(T, INT,  day,           .lo = 1, .hi = 31) \
	F(T, STR,  schedule,      .hi = 255) \
	F(T, STR,  timezone,      .hi = 64) \
	F(T, STR,  recipients,    .flags = F_LONG, .hi = 5000) \
	F(T, STR,  subject,       .hi = 300) \
	F(T, STR,  body,          .flags = F_LONG, .hi = 20000) \
	F(T, BOOL, include_link) \
	F(T, STR,  source,        .hi = 60, \
		.doc = "A connection, behind its kind (postgres:con_…); empty: an address") \
	F(T, STR,  url,           .hi = 2048) \
	F(T, STR,  path,          .hi = 2048) \
	F(T, STR,  query,         .flags = F_LONG, .hi = 20000) \
	F(T, STR,  headers,       .flags = F_LONG | F_SECRET, .hi = 8000) \
	F(T, BOOL, headers_gone) \
	F(T, STR,  payload,       .flags = F_LONG, .hi = 200000) \
	F(T, STR,  webhook_url,   .flags = F_SECRET, .hi = 2048) \
	F(T, STR,  channel,       .hi = 100) \
	F(T, WORD, list,          .arg = "channels", \
		.doc = "The connection's channels are to be shown; nothing is saved") \
	F(T, STR,  text,          .flags = F_LONG, .hi = 5000) \
	F(T, WORD, save_to,       .arg = "none|json|table|blob") \
	F(T, STR,  save_name,     .hi = 255) \
	F(T, WORD, format,        .arg = "auto|json|csv|ndjson") \
	F(T, WORD, mode,          .arg = "replace|append") \
	F(T, INT,  max_attempts,  .lo = 1, .hi = 10) \
	F(T, INT,  initial_delay, .lo = 1, .hi = 3600) \
	F(T, WORD, backoff,       .arg = JOB_BACKOFFS)
SHAPE_DECLARE(job_form, JOB_FORM);

/* What stands in the form of a new job, before anything is typed. */
void job_form_begin(struct job_form *, const char *action, const char *my_email);
/* What stands in that of a job. */
enum err job_form_show(struct ctx *c, const struct job *, struct job_form *out);
/* The connection that was chosen; "": none was. */
const char *job_form_connection(const struct job_form *);
/* E_INVALID names the field of the form. */
enum err job_form_new(
    struct ctx *c, const struct artifact *, const struct job_form *, struct job_new *out);
enum err job_form_edit(
    struct ctx *c, const struct job *, const struct job_form *, struct job_edit *out);
/* Passes e on. What the domain said of "config.url" is said of the form's field. */
enum err job_form_refused(struct ctx *c, enum err e, const char *action);

/* A sentence without its stop: "Loads example.org/ledger.csv into the table figures". */
const char *job_about(struct ctx *c, const struct job *);
/* The names of headers that it sends, "Authorization, X-Key"; "" without any. */
const char *job_header_names(struct ctx *c, const struct job *);
#endif
