/* SPDX-License-Identifier: Apache-2.0
 * Runs of jobs. A run is a row from the moment that it is due: queued, then running while a
 * runner has it, retrying between attempts, finally success, failed or skipped. A runner holds a
 * run by a lease and a fence: after the lease, other runners take the run, and the result of the
 * former holder is dropped. A run is carried out at least once, under the same id in each
 * attempt, and never at the same time as another run of its job. Source: jobs/README.md. */
#ifndef VITRINE_RUN_H
#define VITRINE_RUN_H
#include "jobs/job.h"

enum {
	/* longer than the wait for a host and the longest request together */
	RUN_LEASE_S = 120,
	RUN_NOW_LEASE_S = 30,  /* at least; the lease of a run that a person waits for */
	RUN_OUTPUT_BYTES = 4096,
	RUN_ERROR_CHARS = 1000,
	RUN_ATTEMPTS_MAX = 200, /* per run, including runs asked for again */
	RUN_WAITING_MAX = 100,  /* per job; further runs are skipped */
	RUN_FAILURES_TOLD = 10  /* after this many failures in a row, the maker gets an e-mail */
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
	F(T, LIST, attempts,      .flags = F_OPT, .sub = &run_attempt_shape) \
	F(T, STR,  lead,          .flags = F_HID, .doc = "For pages: its job's title, or NULL")
SHAPE_DECLARE(run, RUN);

#define RUN_QUERY(F, T) \
	F(T, WORD, status, .arg = RUN_STATUSES) \
	PAGE_FIELDS(F, T, 200)
SHAPE_DECLARE(run_query, RUN_QUERY);

/* A page of a job's runs, newest first. */
enum err run_list(struct ctx *c, const struct job *j, const struct run_query *,
    struct run_list *out, const char **next);
/* A page of the runs of all jobs of an artifact, except destinations of alerts. */
enum err run_list_all(struct ctx *c, const struct artifact *a, const struct run_query *,
    struct run_list *out, const char **next);
/* A run with its attempts and output. E_NOT_FOUND. */
enum err run_get(struct ctx *c, const struct job *j, const char *id, struct run **out);
/* The attempts of a run, first first, as struct run_attempt. */
enum err run_attempts(struct ctx *c, const char *run_id, struct list *out);
/* Queues a run that is over once more, under the same id and with as many attempts as at first;
 * the job may be paused. E_CONFLICT if it isn't over, or after RUN_ATTEMPTS_MAX attempts. */
enum err run_again(struct ctx *c, const struct job *j, const char *id);

/* ---- making runs, inside the caller's transaction ---- */

struct run_new {
	const char *job_id, *cause;
	const char *occasion; /* the key of the event; a job gets only one run for each */
	int64_t scheduled_for;
	const char *payload; /* JSON, or NULL */
};
/* Writes runs in one statement. When RUN_WAITING_MAX runs of a job wait already, the run is
 * written as skipped, with the reason. All new rows of job_run come from here. */
enum err run_queue_many(struct ctx *c, const struct run_new *v, size_t n);
enum err run_queue(struct ctx *c, const char *job_id, const char *cause, const char *occasion,
    int64_t scheduled_for, const char *payload);
/* Queues a run of each enabled job of the artifact that waits for the event; none if the
 * artifact is paused or deleted. */
enum err run_queue_event(struct ctx *c, const char *artifact_id, const char *event_type,
    const char *occasion, const char *payload);

/* ---- carrying them out ---- */

/* Queues. When a runner dies, its runs come back in RUN_SUSPECT and then in RUN_ALONE, which few
 * runs share, so that a run which kills runners uses up the attempts of few others. */
enum run_queue {
	RUN_LIGHT = 1, /* email, webhook, chats: they save nothing */
	RUN_SAVING,    /* http_get, materialize */
	RUN_SUSPECT,
	RUN_ALONE,     /* carried out alone */
	RUN_DATABASE,  /* queries of databases, which may be slow and must not delay others */
	RUN_QUEUES
};

/* A run that a runner holds, with the columns that actions need. taken_ms: clock_ms() when it
 * was taken; a holder that hasn't begun within RUN_BEGIN_MS gives it back. tenant: the
 * artifact's workspace, or its owner. */
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
	/* 0: none; 410 with another verdict than RUN_DONE disables the job */
	int64_t http_status;
	const char *error;        /* for the job's owner: what happened and what to do */
	const char *output;       /* valid UTF-8, at most RUN_OUTPUT_BYTES; or NULL */
	int64_t retry_after_s;    /* the other server's Retry-After; 0: use the job's backoff */
	int64_t duration_ms;      /* 0: the time since the run was taken */
};

/* Moves at most `limit` due runs back into their queues: retries, and runs whose lease has run
 * out. *n counts them. */
enum err run_wake(struct ctx *c, int64_t limit, int64_t *n);
/* Takes at most `limit` runs out of a queue, in turn, in a transaction of its own. Runs that
 * must not run now are parked or ended, so *out may be shorter than *looked, the number of runs
 * it met. */
enum err run_claim(struct ctx *c, enum run_queue, int64_t limit, struct run_held_list *out,
    int64_t *looked);
/* Makes a run of cause manual and holds it, in a transaction of its own. E_CONFLICT while
 * another run of the job is in progress. */
enum err run_claim_now(struct ctx *c, const struct job *j, struct run_held **out);
/* Locks the run's row, as the first statement of a transaction that ends it. *mine: the run
 * still has this fence, and its job exists. */
enum err run_hold(struct ctx *c, const struct run_held *, bool *mine);
/* Does the same for many runs; mine[i] is for v[i]. */
enum err run_hold_many(struct ctx *c, const struct run_held *const *v, size_t n, bool *mine);
/* Writes the end of an attempt, in the transaction that run_hold() began: the run is over or
 * retrying. Updates the job, and mails its maker once after RUN_FAILURES_TOLD failures in a row,
 * when the job works again, and when a 410 has disabled it. */
enum err run_end(struct ctx *c, const struct run_held *, const struct run_outcome *);
struct run_ended {
	const struct run_held *held;
	struct run_outcome outcome;
};
enum err run_end_many(struct ctx *c, const struct run_ended *v, size_t n);
/* Extends the leases of those that are still held, in a transaction of its own. */
enum err run_renew(struct ctx *c, const struct run_held *const *v, size_t n);
/* Gives a run back as if it had not been taken; the runner takes it at once. */
enum err run_release(struct ctx *c, const struct run_held *);
/* Does the same for many runs; v[i] comes back after wait_s[i] seconds. A transaction of its
 * own. */
enum err run_put_off(
    struct ctx *c, const struct run_held *const *v, const int64_t *wait_s, size_t n);
#endif
