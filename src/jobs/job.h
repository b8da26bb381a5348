/* SPDX-License-Identifier: Apache-2.0
 * Jobs of an artifact: an action with its config, and a trigger (a schedule or an event).
 * jobs/run.h has their runs, jobs/action.h the carrying out. Only editors see jobs. Source:
 * interface, "Job"; jobs/README.md. */
#ifndef VITRINE_JOB_H
#define VITRINE_JOB_H
#include "core/artifact.h"

enum { JOBS_MAX = 100 /* per artifact */ };

#define JOB_ACTIONS "email|webhook|chat_a|chat_b|http_get|materialize"
#define JOB_TRIGGERS "cron|event"
#define JOB_EVENTS "artifact.updated|artifact.viewed|comment.added"
#define JOB_BACKOFFS "fixed|exponential"
#define JOB_STATUSES "running|success|failed|retrying|skipped"

#define JOB_SCHEDULE_DOC \
	"Cron expression (minute, hour, day of the month, month, day of the week), or @hourly, " \
	"@daily, @weekly, @monthly, @yearly"
#define JOB_TIMEZONE_DOC "IANA time zone of the schedule"

#define JOB_RETRY(F, T) \
	F(T, INT,  maxAttempts,  .lo = 1, .hi = 10) \
	F(T, WORD, backoffType,  .arg = JOB_BACKOFFS) \
	F(T, INT,  initialDelay, .lo = 1, .hi = 3600, .doc = "Seconds")
SHAPE_DECLARE(job_retry, JOB_RETRY);

/* For pages, which job_say() fills. */
#define JOB_SAID(F, T) \
	F(T, STR,  title,        .flags = F_HID) \
	F(T, STR,  about,        .flags = F_HID, .doc = "What it does") \
	F(T, STR,  when,         .flags = F_HID, .doc = "What makes it run") \
	F(T, STR,  dot,          .flags = F_HID, .doc = "Class of its dot: ok, bad or none") \
	F(T, STR,  state,        .flags = F_HID, .doc = "A word such as Failing")

/* config holds the fields of the action (jobs/action_config.h), without secrets. */
#define JOB(F, T) \
	F(T, ID,   id,           .arg = "job_") \
	F(T, ID,   artifact_id,  .arg = "art_") \
	F(T, STR,  name,         .flags = F_NUL) \
	F(T, WORD, action,       .arg = JOB_ACTIONS) \
	F(T, WORD, trigger_type, .arg = JOB_TRIGGERS) \
	F(T, STR,  schedule,     .flags = F_NUL) \
	F(T, STR,  timezone,     .doc = "Time zone of the schedule") \
	F(T, WORD, event_type,   .flags = F_NUL, .arg = JOB_EVENTS) \
	F(T, JSON, config,       .arg = "object") \
	F(T, OBJ,  retry_config, .sub = &job_retry_shape) \
	F(T, BOOL, enabled) \
	F(T, TIME, next_run_at,  .flags = F_NUL) \
	F(T, TIME, last_run_at,  .flags = F_NUL) \
	F(T, WORD, last_status,  .flags = F_NUL, .arg = JOB_STATUSES) \
	F(T, INT,  failures,     .doc = "Consecutive runs that failed after their last attempt") \
	F(T, TIME, created_at) \
	F(T, TIME, updated_at) \
	F(T, STR,  secrets,      .flags = F_HID) \
	F(T, ID,   connection_id, .flags = F_HID, .arg = "con_") \
	F(T, ID,   created_by,   .flags = F_HID, .arg = "usr_") \
	JOB_SAID(F, T)
SHAPE_DECLARE(job, JOB);

#define JOB_NEW(F, T) \
	F(T, ID,   artifact_id,  .flags = F_REQ, .arg = "art_") \
	F(T, STR,  name,         .lo = 1, .hi = 120, .eg = "\"The week\"") \
	F(T, WORD, action,       .flags = F_REQ, .arg = JOB_ACTIONS) \
	F(T, WORD, trigger_type, .arg = JOB_TRIGGERS, \
		.doc = "Defaults to event if there is an event_type, otherwise cron") \
	F(T, STR,  schedule,     .hi = 255, \
		.doc = JOB_SCHEDULE_DOC ". Required for a cron job", .eg = "\"30 9 * * mon\"") \
	F(T, STR,  timezone,     .hi = 64, \
		.doc = JOB_TIMEZONE_DOC "; defaults to UTC", .eg = "\"Europe/Dublin\"") \
	F(T, WORD, event_type,   .arg = JOB_EVENTS, .doc = "Required for an event job") \
	F(T, JSON, config,       .flags = F_REQ, .arg = "object", \
		.doc = "Settings of the action, such as url for a webhook", \
		.eg = "{\"recipients\":[\"ann@example.org\"]," \
		      "\"subject\":\"The week at {{artifact.name}}\"}") \
	F(T, OBJ,  retry_config, .sub = &job_retry_shape, \
		.doc = "Defaults to 3 attempts; the first wait is 60 s and each one after " \
		       "it twice as long, up to an hour") \
	F(T, BOOL, enabled,      .doc = "false creates it paused")
SHAPE_DECLARE(job_new, JOB_NEW);

#define JOB_EDIT(F, T) \
	F(T, STR,  name,         .flags = F_NUL, .lo = 1, .hi = 120) \
	F(T, STR,  schedule,     .hi = 255, .doc = JOB_SCHEDULE_DOC) \
	F(T, STR,  timezone,     .hi = 64, .doc = JOB_TIMEZONE_DOC) \
	F(T, BOOL, enabled,      .eg = "false", .doc = "false pauses it") \
	F(T, JSON, config,       .arg = "object", \
		.doc = "Replaces the config, and makes you answer for the job; " \
		       "secrets that are left out are kept, for the same address") \
	F(T, OBJ,  retry_config, .sub = &job_retry_shape)
SHAPE_DECLARE(job_edit, JOB_EDIT);

#define JOB_QUERY(F, T) \
	F(T, ID,   artifact_id, .arg = "art_") \
	PAGE_FIELDS(F, T, 200)
SHAPE_DECLARE(job_query, JOB_QUERY);

/* A page of jobs, oldest first: of the artifact in the query, for which the caller has checked
 * the rights, or else of all artifacts that `who` owns or edits. */
enum err job_list(struct ctx *c, const struct principal *who, const struct job_query *,
    struct job_list *out, const char **next);
/* The id of the job's artifact; "": no such job, or it is deleted. */
enum err job_artifact(struct ctx *c, const char *id, const char **artifact_id);
/* E_NOT_FOUND also for a deleted job or one of another artifact. */
enum err job_get(struct ctx *c, const struct artifact *a, const char *id, struct job **out);
/* The job's name, or the title of its action. Borrowed or static. */
const char *job_title(const struct job *);
/* The trigger in words: "Every day at 07:00, Dublin", "When a version goes live". */
const char *job_when(struct ctx *c, const struct job *);
/* Adds a job. The caller holds the lock on the artifact's row, so that the count is exact.
 * *shown: a secret that was made, to show once; or NULL. E_INVALID names the field; E_CONFLICT
 * past JOBS_MAX. */
enum err job_add(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct job_new *in, const char **id, const char **shown);
/* Changes a job. `who` becomes responsible for it by changing its config or enabling it; with
 * governs (rights only through the workspace), enabling leaves it to its maker while that person
 * may answer for it. When the responsible person changes, the former one gets an e-mail and the
 * audit an entry. The caller holds the lock on the artifact's row. */
enum err job_change(struct ctx *c, const struct artifact *a, const struct principal *who,
    bool governs, const struct job *j, const struct job_edit *in);
/* Deletes a job. A run in progress ends, and its result is dropped. */
enum err job_delete(struct ctx *c, const struct job *j);
/* Makes a new signing secret for a webhook, given in *shown; the old one stays valid for a day. */
enum err job_rotate(struct ctx *c, const struct job *j, const char **shown);
/* Whether a user may answer for jobs of an artifact: they can edit it or govern its workspace,
 * and their account is not disabled. */
enum job_maker_may { JOB_MAKER_MAY, JOB_MAKER_DISABLED, JOB_MAKER_MAY_NOT };
enum err job_maker_may(
    struct ctx *c, const char *user_id, const char *artifact_id, enum job_maker_may *out);
/* Disables the jobs of a maker who can no longer edit, on one artifact or (NULL) on all. */
enum err job_disable_of(struct ctx *c, const char *user_id, const char *artifact_id);

/* ---- destinations of metric alerts: hidden jobs, whose runs the alert makes ---- */

/* Adds a destination. It has no maker, since the alert answers for it, and doesn't count in
 * JOBS_MAX. */
enum err job_add_alert(struct ctx *c, const struct artifact *a, const char *action,
    const char *config_json, const char **id, const char **shown);
/* Secrets that the config leaves out stay. E_NOT_FOUND. */
enum err job_change_alert(struct ctx *c, const struct artifact *a, const char *id,
    const char *config_json, const char **shown);
enum err job_delete_alert(struct ctx *c, const struct artifact *a, const char *id);

/* ---- for the runner ---- */

/* Makes runs of at most `limit` due jobs and sets their next times, in a transaction of its own,
 * which may be lost (c->replay). A job gets one run however many of its times have passed, for
 * the first of them; the cause is catch_up if there was more than one or the time is over a
 * minute ago. Jobs of paused or deleted artifacts only get their next time. Runners that call
 * this at the same moment get different jobs. *n counts jobs. */
enum err job_arm(struct ctx *c, int64_t limit, int64_t *n);
/* Deletes runs that ended 30 days ago, and deleted jobs with their runs: at most `limit` rows,
 * each statement a transaction. *removed counts rows. */
enum err job_reap(struct ctx *c, int64_t limit, int64_t *removed);
#endif
