/* SPDX-License-Identifier: Apache-2.0
 * Runs of jobs. A run is a row from the moment that it is due: queued, then running while a runner
 * has it, retrying between attempts, at last success, failed or skipped. Whoever takes a run holds
 * it by a lease and a fence: when the lease has ended others take it, and what the former holder
 * brings is dropped. A run is carried out at least once, its id the same in each attempt, and never
 * beside another of its job. Source: jobs/README.md. */
#ifndef VITRINE_RUN_H
#define VITRINE_RUN_H
#include "jobs/job.h"

enum {
	RUN_LEASE_S = 120,     /* outlasts the wait for a host and the longest request */
	RUN_NOW_LEASE_S = 30,  /* at least: the same of a run that somebody waits for */
	RUN_OUTPUT_BYTES = 4096,
	RUN_ERROR_CHARS = 1000,
	RUN_ATTEMPTS_MAX = 200, /* of a run, however often somebody asks for it again */
	RUN_WAITING_MAX = 100,  /* of a job; what comes on top is skipped */
	RUN_FAILURES_TOLD = 10  /* runs in a row, then its job's maker is told */
};

#define RUN_STATUSES "queued|running|retrying|success|failed|skipped"
#define RUN_CAUSES "cron|catch_up|event|manual|alert"

#define RUN_ATTEMPT(F, T) \
	F(T, INT,  no) \
	F(T, TIME, started_at) \
	F(T, INT,  duration_ms, .flags = F_NUL, \
		.doc = "null: the runner was stopped during the attempt") \
	F(T, INT,  http_status, .flags = F_NUL) \
	F(T, STR,  error,       .flags = F_NUL) \
	F(T, STR,  output,      .flags = F_NUL)
SHAPE_DECLARE(run_attempt, RUN_ATTEMPT);

#define RUN(F, T) \
	F(T, ID,   id,            .arg = "run_") \
	F(T, ID,   job_id,        .arg = "job_") \
	F(T, ID,   artifact_id,   .arg = "art_") \
	F(T, WORD, action,        .arg = JOB_ACTIONS) \
	F(T, WORD, trigger,       .arg = RUN_CAUSES) \
	F(T, WORD, status,        .arg = RUN_STATUSES) \
	F(T, INT,  attempt) \
	F(T, TIME, scheduled_for) \
	F(T, TIME, next_attempt_at, .flags = F_NUL, .doc = "Only if the status is retrying") \
	F(T, TIME, started_at,    .flags = F_NUL, .doc = "Of the last attempt") \
	F(T, TIME, finished_at,   .flags = F_NUL) \
	F(T, INT,  duration_ms,   .flags = F_NUL, .doc = "Of the last attempt") \
	F(T, INT,  http_status,   .flags = F_NUL) \
	F(T, STR,  error,         .flags = F_NUL) \
	F(T, STR,  output,        .flags = F_OPT, \
		.doc = "Only for a single run: the start of the response, at most 4 KiB") \
	F(T, LIST, attempts,      .flags = F_OPT, .sub = &run_attempt_shape)
SHAPE_DECLARE(run, RUN);

#define RUN_QUERY(F, T) \
	F(T, WORD, status, .arg = RUN_STATUSES) \
	PAGE_FIELDS(F, T, 200)
SHAPE_DECLARE(run_query, RUN_QUERY);

/* The newest first. */
enum err run_list(struct ctx *c, const struct job *j, const struct run_query *,
    struct run_list *out, const char **next);
/* Of all jobs of an artifact but those of alerts. */
enum err run_list_all(struct ctx *c, const struct artifact *a, const struct run_query *,
    struct run_list *out, const char **next);
/* With its attempts and its output. E_NOT_FOUND. */
enum err run_get(struct ctx *c, const struct job *j, const char *id, struct run **out);
/* Its attempts, the first first, the last with what its run has of it. */
enum err run_attempts(struct ctx *c, const char *run_id, struct list *out);
/* A run that is over is to be made once more at once, under the same id and with as many attempts
 * as at first, though its job be paused: E_CONFLICT otherwise, and after RUN_ATTEMPTS_MAX. */
enum err run_again(struct ctx *c, const struct job *j, const char *id);

/* ---- making runs, in the caller's transaction ---- */

struct run_new {
	const char *job_id, *cause;
	const char *occasion; /* what it is for: in a job one run has it, and no second is made */
	int64_t scheduled_for;
	const char *payload; /* JSON, or NULL */
};
/* One statement for all. Where RUN_WAITING_MAX of a job wait already, since its receiver is too
 * slow or fails for hours, the run is written as skipped, and says so. Nobody else writes new rows
 * of job_run. */
enum err run_queue_many(struct ctx *c, const struct run_new *v, size_t n);
enum err run_queue(struct ctx *c, const char *job_id, const char *cause, const char *occasion,
    int64_t scheduled_for, const char *payload);
/* For every job of the artifact that is enabled and waits for the event; none of what is paused or
 * in the trash. */
enum err run_queue_event(struct ctx *c, const char *artifact_id, const char *event_type,
    const char *occasion, const char *payload);

/* ---- carrying them out ---- */

/* A runner that dies takes what it had under way with it. What it had comes back in queues of
 * their own, in small company and then alone, so that a run which kills whoever carries it out
 * takes the attempts of few others, and at last of none. */
enum run_queue {
	RUN_LIGHT = 1, /* email, webhook, chats: nothing is saved */
	RUN_SAVING,    /* http_get, materialize */
	RUN_SUSPECT,
	RUN_ALONE,     /* one at a time */
	RUN_DATABASE,  /* what asks a database: it may take long, and others must not wait */
	RUN_QUEUES
};

/* A run that somebody holds, with all that its action needs to know. taken_ms is clock_ms() when it
 * was taken: whoever has not begun within RUN_BEGIN_MS gives it back. tenant is the artifact's
 * workspace, or its owner. */
enum { RUN_BEGIN_MS = 60000 };
#define RUN_HELD(F, T) \
	F(T, ID,   id,            .arg = "run_") \
	F(T, INT,  taken_ms) \
	F(T, INT,  fence) \
	F(T, INT,  attempt) \
	F(T, INT,  attempt_base) \
	F(T, STR,  cause) \
	F(T, TIME, scheduled_for) \
	F(T, STR,  payload) \
	F(T, ID,   job_id,        .arg = "job_") \
	F(T, STR,  job_name) \
	F(T, STR,  action) \
	F(T, STR,  event_type) \
	F(T, STR,  config) \
	F(T, STR,  secrets) \
	F(T, ID,   connection_id, .arg = "con_") \
	F(T, ID,   created_by,    .arg = "usr_") \
	F(T, INT,  max_attempts) \
	F(T, STR,  backoff) \
	F(T, INT,  initial_delay) \
	F(T, ID,   artifact_id,   .arg = "art_") \
	F(T, STR,  artifact_name) \
	F(T, SLUG, artifact_slug) \
	F(T, STR,  tenant)
SHAPE_DECLARE(run_held, RUN_HELD);

enum run_verdict { RUN_DONE, RUN_TRY_AGAIN, RUN_FAILED, RUN_SKIPPED };
struct run_outcome {
	enum run_verdict verdict; /* RUN_TRY_AGAIN becomes failed after the last attempt */
	int64_t http_status;      /* 0: none; 410 of what did not succeed disables the job */
	const char *error;        /* for its owner: what happened, and what to do */
	const char *output;       /* valid UTF-8, at most RUN_OUTPUT_BYTES; may be NULL */
	int64_t retry_after_s;    /* the other server asks for it; 0: as the job has it */
	int64_t duration_ms;      /* 0: since it was taken */
};

/* Brings back what is due, at most `limit`: retries, and what those had who are gone. */
enum err run_wake(struct ctx *c, int64_t limit, int64_t *n);
/* Takes runs out of a queue in their turn, at most `limit`. What must not run is put aside or ended
 * on the way, so there may be less in *out than there is to do; *looked counts all. A transaction
 * of its own. */
enum err run_claim(struct ctx *c, enum run_queue, int64_t limit, struct run_held_list *out,
    int64_t *looked);
/* Makes a run of cause manual and holds it, in a transaction of its own. E_CONFLICT while another
 * of its job is being carried out. */
enum err run_claim_now(struct ctx *c, const struct job *j, struct run_held **out);
/* First statement of a transaction that ends a run: whether it is still held with this fence, and
 * its job is there. Its row stays locked. */
enum err run_hold(struct ctx *c, const struct run_held *, bool *mine);
/* The same of many; mine[i] is of v[i]. */
enum err run_hold_many(struct ctx *c, const struct run_held *const *v, size_t n, bool *mine);
/* Writes down the end of an attempt, in the transaction that run_hold() began: the run is over or
 * retrying, its job knows, and its maker is told by e-mail after RUN_FAILURES_TOLD failures in a
 * row, once, when it works again, and when an answer of 410 has disabled it. */
enum err run_end(struct ctx *c, const struct run_held *, const struct run_outcome *);
struct run_ended {
	const struct run_held *held;
	struct run_outcome outcome;
};
enum err run_end_many(struct ctx *c, const struct run_ended *v, size_t n);
/* A new lease for those that are still held. A transaction of its own. */
enum err run_renew(struct ctx *c, const struct run_held *const *v, size_t n);
/* Gives it back as if it had not been taken: for the runner to do at once. */
enum err run_release(struct ctx *c, const struct run_held *);
/* The same of many, v[i] to come back after wait_s[i] seconds. A transaction of its own. */
enum err run_put_off(
    struct ctx *c, const struct run_held *const *v, const int64_t *wait_s, size_t n);
#endif
