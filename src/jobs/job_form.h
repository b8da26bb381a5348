/* SPDX-License-Identifier: Apache-2.0
 * The form of a job. Its fields are flat and a job's config is JSON; a table in job_form.c maps
 * each action's fields to their places in the config. */
#ifndef VITRINE_JOB_FORM_H
#define VITRINE_JOB_FORM_H
#include "jobs/job.h"
#include "jobs/schedule.h"

#define JOB_WHENS SCHEDULE_KINDS "|cron|" JOB_EVENTS

/* The fields of all actions; each action uses its own. A time field that doesn't belong to the
 * kind in `when` is ignored. A job's form leaves headers and webhook_url empty; empty means
 * unchanged. */
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

/* The defaults for a new job. */
void job_form_begin(struct job_form *, const char *action, const char *my_email);
/* The fields of a job, for its form. */
enum err job_form_show(struct ctx *c, const struct job *, struct job_form *out);
/* The id of the chosen connection; "": none. */
const char *job_form_connection(const struct job_form *);
/* Turn a form into the input of job_add() and job_change(). E_INVALID names the field of the
 * form. */
enum err job_form_new(
    struct ctx *c, const struct artifact *, const struct job_form *, struct job_new *out);
enum err job_form_edit(
    struct ctx *c, const struct job *, const struct job_form *, struct job_edit *out);
/* Returns e, and renames "config.url" and other paths in the message to the form's fields. */
enum err job_form_refused(struct ctx *c, enum err e, const char *action);

/* A phrase: "Loads example.org/ledger.csv into the table figures". */
const char *job_about(struct ctx *c, const struct job *);
/* Names of the headers that the job sends, such as "Authorization, X-Key"; "": none. */
const char *job_header_names(struct ctx *c, const struct job *);
#endif
