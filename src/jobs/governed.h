/* SPDX-License-Identifier: Apache-2.0
 * A workspace's schedules (cron jobs) and automations (event jobs) of all its artifacts outside
 * of the trash, and their runs, for the people who govern it. Alerts' runs are not among them.
 * Source: interface, "Schedules, automations, runs"; jobs/README.md. */
#ifndef VITRINE_GOVERNED_H
#define VITRINE_GOVERNED_H
#include "core/user.h"
#include "core/workspace.h"
#include "jobs/run.h"

enum { GOVERNED_DAYS = 30, GOVERNED_AT_ONCE = 200, GOVERNED_TOLD_MAX = 20 };

#define SURFACES "schedule|automation"
#define SURFACES_ASKED SURFACES "|schedules|automations"
/* Kinds of jobs in a workspace's lists, by trigger_type. */
enum surface { SURFACE_ANY, SCHEDULES, AUTOMATIONS };
enum surface surface_of(const char *word); /* of "schedule" or "automations"; NULL: SURFACE_ANY */
const char *surface_word(enum surface);    /* "schedule", "automation"; NULL for SURFACE_ANY */

/* ---- jobs ---- */

#define GOVERNED_ARTIFACT(F, T) \
	F(T, ID,   id,   .arg = "art_") \
	F(T, STR,  name) \
	F(T, SLUG, slug)
SHAPE_DECLARE(governed_artifact, GOVERNED_ARTIFACT);

#define GOVERNED_COUNTS(F, T) \
	F(T, INT, success) \
	F(T, INT, failed)
SHAPE_DECLARE(governed_counts, GOVERNED_COUNTS);

#define GOVERNED_JOB(F, T) \
	JOB(F, T) \
	F(T, OBJ,  artifact, .sub = &governed_artifact_shape) \
	F(T, OBJ,  owner,    .flags = F_NUL, .sub = &ws_user_shape, \
		.doc = "Who answers for it; null if their account is gone") \
	F(T, OBJ,  runs_24h, .sub = &governed_counts_shape)
SHAPE_DECLARE(governed_job, GOVERNED_JOB);

#define GOVERNED_STATES "all|failing|paused"
#define GOVERNED_JOB_QUERY(F, T) \
	F(T, STR,  q,           .hi = 200, .doc = "Part of its name or of the artifact's") \
	F(T, WORD, state,       .arg = GOVERNED_STATES, .def = "all", \
		.doc = "failing: it is on, and its last run failed for good") \
	F(T, ID,   artifact_id, .arg = "art_") \
	PAGE_FIELDS(F, T, 200)
SHAPE_DECLARE(governed_job_query, GOVERNED_JOB_QUERY);

#define GOVERNED_EDIT(F, T) \
	F(T, BOOL, enabled,  .eg = "false", .doc = "false pauses it") \
	F(T, STR,  schedule, .hi = 255, .doc = JOB_SCHEDULE_DOC) \
	F(T, STR,  timezone, .hi = 64, .doc = JOB_TIMEZONE_DOC) \
	F(T, JSON, config,   .arg = "object", \
		.doc = "Replaces the config, and makes you answer for the job; " \
		       "secrets that are left out are kept, for the same address")
SHAPE_DECLARE(governed_edit, GOVERNED_EDIT);

/* A page of a workspace's jobs, oldest first. */
enum err governed_jobs(struct ctx *c, const struct workspace *w, enum surface,
    const struct governed_job_query *, struct governed_job_list *out, const char **next);
/* E_NOT_FOUND also for a job on another surface or in another workspace; SURFACE_ANY finds both
 * surfaces. */
enum err governed_job_get(struct ctx *c, const struct workspace *w, enum surface, const char *id,
    struct governed_job **out);
/* Changes a job as `who`, who governs the workspace, and notes it in the audit. The maker stays
 * responsible, unless `who` changes the config, or enables the job when its maker is gone or
 * can't edit the artifact any more. E_INVALID for a schedule on an automation. */
enum err governed_change(struct ctx *c, const struct workspace *w, const struct principal *who,
    enum surface, const char *id, const struct governed_edit *in);
/* Deletes a job as job_delete() does, and notes it in the audit. */
enum err governed_delete(struct ctx *c, const struct workspace *w, const struct principal *who,
    enum surface, const char *id);
/* Pauses the enabled ones of the jobs, on both surfaces, and notes each in the audit. *n counts
 * them. E_INVALID for more than GOVERNED_AT_ONCE ids. */
enum err governed_pause(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct strs *ids, int64_t *n);

/* ---- runs ---- */

#define GOVERNED_RUN(F, T) \
	F(T, WORD, surface,       .arg = SURFACES) \
	RUN(F, T) \
	F(T, STR,  artifact_name) \
	F(T, STR,  job_name,      .flags = F_NUL)
SHAPE_DECLARE(governed_run, GOVERNED_RUN);

#define GOVERNED_RUN_QUERY(F, T) \
	F(T, WORD, surface,     .arg = SURFACES_ASKED) \
	F(T, WORD, status,      .arg = RUN_STATUSES) \
	F(T, WORD, action,      .arg = JOB_ACTIONS) \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, ID,   job_id,      .arg = "job_") \
	F(T, TIME, since,       .doc = "Made at or after this time") \
	F(T, TIME, until,       .doc = "Made before this time") \
	PAGE_FIELDS(F, T, 200)
SHAPE_DECLARE(governed_run_query, GOVERNED_RUN_QUERY);

/* A page of a workspace's runs, newest first. With a filter by action, a page may have fewer
 * rows than asked for, or none, and still a cursor, since each call reads a bounded number of
 * runs. */
enum err governed_runs(struct ctx *c, const struct workspace *w, const struct governed_run_query *,
    struct governed_run_list *out, const char **next);
/* A run with its attempts and output. E_NOT_FOUND also on another surface; SURFACE_ANY finds
 * both. */
enum err governed_run_get(struct ctx *c, const struct workspace *w, enum surface, const char *id,
    struct governed_run **out);
/* A job like governed_job_get(), with its artifact as `who` has it. lock: the artifact's row
 * stays locked. */
enum err governed_job_of(struct ctx *c, const struct workspace *w, const struct principal *who,
    enum surface, const char *id, bool lock, struct artifact **a, struct job **j);
/* Makes a run of the job, paused or not, and carries it out like run_now(). Call outside of a
 * transaction. E_PAUSED if the artifact is paused; E_CONFLICT while another run of the job is in
 * progress. */
enum err governed_start(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct artifact *a, const struct job *j, struct governed_run **out);
/* Queues those of the runs that are over once more, like run_again(), and notes each in the
 * audit. *n counts them. E_INVALID for more than GOVERNED_AT_ONCE ids. */
enum err governed_again(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct strs *ids, int64_t *n);

/* Ends a run that waits for its next attempt: its status is failed. E_CONFLICT for any other
 * run. */
enum err governed_stop(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *id);

/* ---- figures ---- */

/* Runs that ended on a UTC day; a minute or two behind. */
#define GOVERNED_DAY(F, T) \
	F(T, TIME, day,        .doc = "When it begins") \
	F(T, INT,  success) \
	F(T, INT,  failed) \
	F(T, INT,  skipped) \
	F(T, INT,  mean_ms,    .flags = F_NUL, .doc = "Of those that weren't skipped") \
	F(T, INT,  longest_ms, .flags = F_NUL)
SHAPE_DECLARE(governed_day, GOVERNED_DAY);
/* The last GOVERNED_DAYS days, today last, including days without runs. SURFACE_ANY adds both
 * surfaces. */
enum err governed_days(struct ctx *c, const struct workspace *w, enum surface,
    struct governed_day_list *out);

/* A host that several failing jobs call, with the sum of their failures in a row. */
#define GOVERNED_HOST(F, T) \
	F(T, STR,  host) \
	F(T, STRS, job_ids) \
	F(T, INT,  failures)
SHAPE_DECLARE(governed_host, GOVERNED_HOST);
/* Hosts that at least two jobs fail for, most jobs first, among the first GOVERNED_AT_ONCE
 * failing jobs. Jobs that post to chats have no host here, since their addresses are secret. */
enum err governed_hosts(struct ctx *c, const struct workspace *w, struct governed_host_list *out);

/* ---- recipients of e-mails ---- */

/* The members who get an e-mail, besides a job's maker, when a run fails for good after one that
 * didn't, and when the job works again. The e-mail goes only to those who then govern the
 * workspace or can edit the artifact. */
enum err governed_told(struct ctx *c, const struct workspace *w, struct ws_user_list *out);
/* Replaces the list. E_INVALID for a person who isn't a member, for an agent, and for more than
 * GOVERNED_TOLD_MAX. */
enum err governed_told_set(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct strs *user_ids);
/* Replaces the list by one without a person, or with another; either may be NULL. */
enum err governed_told_change(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *without, const char *with);
/* Gives the job of each run. */
enum err governed_jobs_of(
    struct ctx *c, const struct workspace *w, const struct strs *runs, struct strs *out);
/* Lists jobs of both surfaces with q in their name or their artifact's. */
enum err governed_jobs_named(
    struct ctx *c, const struct workspace *w, const char *q, struct governed_job_list *out);
#endif
