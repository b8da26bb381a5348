/* SPDX-License-Identifier: Apache-2.0
 * Jobs of an artifact: what is to be done (an action with its config), and when (a schedule, or an
 * event). Its runs are in jobs/run.h, what an action does in jobs/action.h. Editors make them;
 * nobody else learns of them. Source: interface, "Job"; jobs/README.md. */
#ifndef VITRINE_JOB_H
#define VITRINE_JOB_H
#include "core/artifact.h"

enum { JOBS_MAX = 100 /* an artifact */ };

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

/* config is as the action has it (jobs/action_config.h), without what is secret. */
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
	F(T, ID,   created_by,   .flags = F_HID, .arg = "usr_")
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

/* Those of the artifact that the query names, which the caller has judged, or of all that `who`
 * owns or edits, the oldest first. */
enum err job_list(struct ctx *c, const struct principal *who, const struct job_query *,
    struct job_list *out, const char **next);
/* Whose job it is: "" when there is no such job, or it is deleted. */
enum err job_artifact(struct ctx *c, const char *id, const char **artifact_id);
/* E_NOT_FOUND also for one that is deleted or another artifact's. */
enum err job_get(struct ctx *c, const struct artifact *a, const char *id, struct job **out);
/* Its name, else what its action is called. */
const char *job_title(const struct job *);
/* "Every day at 07:00, Dublin", "When a version goes live" */
const char *job_when(struct ctx *c, const struct job *);
/* The artifact's row is the caller's (artifact_get() for an update), so that no two count its jobs
 * at once. *shown is a secret that was made for it and is told once, or NULL. E_INVALID names the
 * field; E_CONFLICT past JOBS_MAX. */
enum err job_add(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct job_new *in, const char **id, const char **shown);
/* `who` answers for it from then on if they change its config or switch it on. If they only govern
 * the workspace, switching it on leaves it to its maker while that one may. The former maker is
 * mailed, and the audit notes it. The artifact's row is the caller's. */
enum err job_change(struct ctx *c, const struct artifact *a, const struct principal *who,
    bool governs, const struct job *j, const struct job_edit *in);
/* A run that is under way ends, and what it brings is dropped. */
enum err job_delete(struct ctx *c, const struct job *j);
/* Of a webhook: a new secret to sign with. The old one signs, too, for a day. */
enum err job_rotate(struct ctx *c, const struct job *j, const char **shown);
/* Whether somebody may answer for jobs of an artifact: they can edit it, or govern its
 * workspace. */
enum job_maker_may { JOB_MAKER_MAY, JOB_MAKER_DISABLED, JOB_MAKER_MAY_NOT };
enum err job_maker_may(
    struct ctx *c, const char *user_id, const char *artifact_id, enum job_maker_may *out);
/* What somebody made on an artifact, or (NULL) on all of them, is paused: they may not edit it any
 * more. */
enum err job_disable_of(struct ctx *c, const char *user_id, const char *artifact_id);

/* ---- destinations of metric alerts: hidden jobs that the alert makes runs of ---- */

/* Nobody's (the alert answers for them) and not counted in JOBS_MAX. */
enum err job_add_alert(struct ctx *c, const struct artifact *a, const char *action,
    const char *config_json, const char **id, const char **shown);
/* A secret that is left out stays. E_NOT_FOUND. */
enum err job_change_alert(struct ctx *c, const struct artifact *a, const char *id,
    const char *config_json, const char **shown);
enum err job_delete_alert(struct ctx *c, const struct artifact *a, const char *id);

/* ---- for the runner ---- */

/* Makes runs of jobs whose time has come, at most `limit`, and sets their next times: one run a
 * job, however many of its times have passed (cause catch_up when there was more than one, or the
 * one is more than a minute ago), for the first of them. Jobs of what is paused or in the trash
 * only get their next time. Others that arm at the same moment take other jobs. *n counts jobs. It
 * is a transaction of its own, which may be lost (c->replay). */
enum err job_arm(struct ctx *c, int64_t limit, int64_t *n);
/* Takes away runs that ended 30 days ago, deleted jobs and their runs: at most `limit` rows, each
 * statement a transaction. */
enum err job_reap(struct ctx *c, int64_t limit, int64_t *removed);
#endif
