/* SPDX-License-Identifier: Apache-2.0
 * What runs by itself in a workspace, whoever made it, for those who govern it: the schedules (cron
 * jobs) and automations (event jobs) of all its artifacts outside the trash, and their runs. An
 * alert's runs are none of these. Source: interface, "Schedules, automations, runs";
 * jobs/README.md. */
#ifndef VITRINE_GOVERNED_H
#define VITRINE_GOVERNED_H
#include "core/user.h"
#include "core/workspace.h"
#include "jobs/run.h"

enum { GOVERNED_DAYS = 30, GOVERNED_AT_ONCE = 200, GOVERNED_TOLD_MAX = 20 };

#define SURFACES "schedule|automation"
#define SURFACES_ASKED SURFACES "|schedules|automations"
/* A job's trigger_type, as the surface that it is seen on; the plural is the same. */
enum surface { SURFACE_ANY, SCHEDULES, AUTOMATIONS };
enum surface surface_of(const char *word); /* SURFACE_ANY for NULL */
const char *surface_word(enum surface);    /* NULL for SURFACE_ANY */

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

/* The oldest first. */
enum err governed_jobs(struct ctx *c, const struct workspace *w, enum surface,
    const struct governed_job_query *, struct governed_job_list *out, const char **next);
/* E_NOT_FOUND also for one on another surface than that, or elsewhere; SURFACE_ANY: on either. */
enum err governed_job_get(struct ctx *c, const struct workspace *w, enum surface, const char *id,
    struct governed_job **out);
/* In these the audit notes what `who` has done. The maker of a job answers for it still, unless
 * `who` changes its config, or switches it on when its maker is gone or may not edit the artifact
 * any more. E_INVALID for a schedule of an automation. */
enum err governed_change(struct ctx *c, const struct workspace *w, const struct principal *who,
    enum surface, const char *id, const struct governed_edit *in);
/* As job_delete() has it. */
enum err governed_delete(struct ctx *c, const struct workspace *w, const struct principal *who,
    enum surface, const char *id);
/* Those of the ids that are on, on either surface: *n. At most GOVERNED_AT_ONCE, E_INVALID past
 * it. */
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

/* The newest first. A page may have fewer rows than asked for, and still a cursor, where an action
 * is rare: it looks at so many runs at once. */
enum err governed_runs(struct ctx *c, const struct workspace *w, const struct governed_run_query *,
    struct governed_run_list *out, const char **next);
/* With its attempts and its output. E_NOT_FOUND also for one on another surface; SURFACE_ANY: on
 * either. */
enum err governed_run_get(struct ctx *c, const struct workspace *w, enum surface, const char *id,
    struct governed_run **out);
/* A job as governed_job_get() finds it, with its artifact as `who` has it; lock: that is held. */
enum err governed_job_of(struct ctx *c, const struct workspace *w, const struct principal *who,
    enum surface, const char *id, bool lock, struct artifact **a, struct job **j);
/* Makes a run of it, though it be paused, and carries it out as run_now() does. Outside of any
 * transaction. E_PAUSED for a paused artifact, E_CONFLICT while another run of it is under way. */
enum err governed_start(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct artifact *a, const struct job *j, struct governed_run **out);
/* Those of the runs that are over are made once more by the runner, as run_again() has it: *n. At
 * most GOVERNED_AT_ONCE, E_INVALID past it. */
enum err governed_again(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct strs *ids, int64_t *n);

/* One that waits for its next attempt has failed instead: E_CONFLICT for any other. */
enum err governed_stop(struct ctx *c, const struct workspace *w, const struct principal *who,
    const char *id);

/* ---- how it goes ---- */

/* Runs that ended within a UTC day, up to a minute or two behind. */
#define GOVERNED_DAY(F, T) \
	F(T, TIME, day,        .doc = "When it begins") \
	F(T, INT,  success) \
	F(T, INT,  failed) \
	F(T, INT,  skipped) \
	F(T, INT,  mean_ms,    .flags = F_NUL, .doc = "Of those that weren't skipped") \
	F(T, INT,  longest_ms, .flags = F_NUL)
SHAPE_DECLARE(governed_day, GOVERNED_DAY);
/* The last GOVERNED_DAYS, today last, also those without a run. SURFACE_ANY: both. */
enum err governed_days(struct ctx *c, const struct workspace *w, enum surface,
    struct governed_day_list *out);

/* Jobs that are failing now and all call one host: which, and how many runs in a row. */
#define GOVERNED_HOST(F, T) \
	F(T, STR,  host) \
	F(T, STRS, job_ids) \
	F(T, INT,  failures)
SHAPE_DECLARE(governed_host, GOVERNED_HOST);
/* Hosts that at least two jobs fail for, the most jobs first; of the first GOVERNED_AT_ONCE failing
 * jobs. Addresses of chats are secret, so these have none. */
enum err governed_hosts(struct ctx *c, const struct workspace *w, struct governed_host_list *out);

/* ---- who is told ---- */

/* Members whom an e-mail tells, beside its maker, of a job of the workspace whose run failed for
 * good after one that didn't, and when it works again: while they govern the workspace or can edit
 * the artifact. */
enum err governed_told(struct ctx *c, const struct workspace *w, struct ws_user_list *out);
/* These alone from now on. E_INVALID for somebody who is no member, or an agent, and past
 * GOVERNED_TOLD_MAX. */
enum err governed_told_set(struct ctx *c, const struct workspace *w, const struct principal *who,
    const struct strs *user_ids);
#endif
