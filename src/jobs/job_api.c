/* SPDX-License-Identifier: Apache-2.0
 * /v1/jobs and their runs. Source: interface, "Jobs"; jobs/README.md. */
#include "jobs/job.h"

#include "core/artifact.h"
#include "core/who_api.h"
#include "http/quota.h"
#include "http/req.h"
#include "http/share.h"
#include "jobs/governed_page.h"
#include "jobs/runnow.h"

#define JOB_MADE(F, T) \
	F(T, OBJ,  job,        .sub = &job_shape) \
	F(T, STR,  secret,     .flags = F_OPT, \
		.doc = "To verify what the webhook sends; absent if you sent one") \
	F(T, BOOL, shown_once, .flags = F_OPT, \
		.doc = "true if there is a secret: it isn't shown again")
SHAPE(job_made, JOB_MADE);

#define JOB_CHANGED(F, T) \
	F(T, OBJ,  job,     .sub = &job_shape) \
	F(T, BOOL, updated, .doc = "true")
SHAPE(job_changed, JOB_CHANGED);

#define JOB_SECRET(F, T) \
	F(T, STR,  secret) \
	F(T, BOOL, shown_once, .doc = "true: the secret isn't shown again")
SHAPE(job_secret, JOB_SECRET);

#define JOB_RAN(F, T) \
	F(T, STR, message) \
	F(T, OBJ, execution, .sub = &run_shape)
SHAPE(job_ran, JOB_RAN);

static enum err
job_of_path(struct req *r, struct job **out)
{
	return job_get(r->c, r->art, req_param(r, "job"), out);
}

static enum err
h_job_list(struct req *r)
{
	const struct job_query *q = r->query;
	struct artifact *a;

	if (q->artifact_id)
		TRY(artifact_get_to_edit(r->c, q->artifact_id, r->who, false, &a));
	return reply_list_of(r, struct job_list, job_list, r->who, q);
}

static enum err
h_job_add(struct req *r)
{
	const struct job_new *in = r->in;
	struct job_made made = { 0 };
	struct artifact *a;
	struct job *j;
	const char *id;

	TRY(artifact_get_to_edit(r->c, in->artifact_id, r->who, true, &a));
	TRY(job_add(r->c, a, r->who, in, &id, &made.secret));
	TRY(job_get(r->c, a, id, &j));
	made.job = j;
	made.shown_once = true;
	made.has.shown_once = made.secret ? GIVEN : ABSENT;
	reply_header(r, "Location", "/v1/jobs/%s", id);
	return reply_flat(r, &made);
}

static enum err
h_job_get(struct req *r)
{
	struct job *j;

	TRY(job_of_path(r, &j));
	return reply_noun(r, j);
}

static enum err
h_job_change(struct req *r)
{
	struct job *j;

	TRY(job_of_path(r, &j));
	TRY(job_change(r->c, r->art, r->who, false, j, r->in));
	TRY(job_of_path(r, &j));
	return reply_flat(r, &(struct job_changed){ .job = j, .updated = true });
}

static enum err
h_job_delete(struct req *r)
{
	struct job *j;

	TRY(job_of_path(r, &j));
	TRY(job_delete(r->c, j));
	return reply_none(r);
}

static enum err
h_job_rotate(struct req *r)
{
	struct job_secret out = { .shown_once = true };
	struct job *j;

	TRY(job_of_path(r, &j));
	TRY(job_rotate(r->c, j, &out.secret));
	return reply_flat(r, &out);
}

/* ---- runs ---- */

static enum err
h_job_run(struct req *r)
{
	struct job *j;
	struct run *run;

	TRY(job_of_path(r, &j));
	TRY(share_outside(r));
	TRY(run_now(r->c, j, &run));
	reply_header(r, "Location", "/v1/jobs/%s/runs/%s", j->id, run->id);
	TRY(reply_flat(
	    r, &(struct job_ran){ .message = run_words(run->status), .execution = run }));
	reply_status(r, run->finished_at ? 200 : 202);
	return E_OK;
}

static enum err
h_run_list(struct req *r)
{
	struct job *j;

	TRY(job_of_path(r, &j));
	return reply_list_of(r, struct run_list, run_list, j, r->query);
}

static enum err
run_reply(struct req *r, const struct job *j)
{
	struct run *run;

	TRY(run_get(r->c, j, req_param(r, "run"), &run));
	return reply_noun(r, run);
}

static enum err
h_run_get(struct req *r)
{
	struct job *j;

	TRY(job_of_path(r, &j));
	return run_reply(r, j);
}

static enum err
h_run_again(struct req *r)
{
	struct job *j;

	TRY(job_of_path(r, &j));
	TRY(run_again(r->c, j, req_param(r, "run")));
	return run_reply(r, j);
}

static const struct noun job_noun =
    NOUN_OF_ARTIFACT("job", "artifact that the job is on", job_artifact);
/* Owners and editors of the artifact; a change locks the artifact's row. */
static WHO(JOB_SEE, "job_see", KNOWN, &job_noun, ROLE_EDITOR);
static WHO(JOB_EDIT, "job_edit", KNOWN, &job_noun, ROLE_EDITOR, .lock = true);

LIMIT(LIM_JOB_RUN, "job_run", OF_ARTIFACT, ALL, job_runs_asked_per_minute,
    "manual runs of an artifact's jobs", 60);

static const struct route job_routes[] = {
/*  method  path                                   who
    body             reply                    handler */
  { GET,    "/v1/jobs",                            SIGNED_IN,
    TAKES_NOTHING,   GIVES_LIST("jobs", job), h_job_list,
    .scope = ARTIFACTS_READ, .query = &job_query_shape,
    .doc = "List the jobs of an artifact, or of all artifacts you own or can edit, oldest first" },
  { POST,   "/v1/jobs",                            SIGNED_IN,
    TAKES(job_new),  GIVES_FLAT(job_made),    h_job_add,
    .scope = ARTIFACTS_PUBLISH, .success = 201,
    .doc = "Create a job for an artifact you own or edit" },
  { GET,    "/v1/jobs/{job}",                      JOB_SEE,
    TAKES_NOTHING,   GIVES("job", job),       h_job_get,
    .scope = ARTIFACTS_READ, .doc = "Get one job" },
  { PATCH,  "/v1/jobs/{job}",                      JOB_EDIT,
    TAKES(job_edit), GIVES_FLAT(job_changed), h_job_change,
    .scope = ARTIFACTS_PUBLISH,
    .doc = "Change a job: pause or resume it, when it runs, what it does" },
  { DELETE, "/v1/jobs/{job}",                      JOB_EDIT,
    TAKES_NOTHING,   GIVES_NOTHING,           h_job_delete,
    .scope = ARTIFACTS_PUBLISH, .doc = "Delete a job and its runs" },
  { POST,   "/v1/jobs/{job}/run",                  JOB_SEE,
    TAKES_NOTHING,   GIVES_FLAT(job_ran),     h_job_run,
    .scope = ARTIFACTS_PUBLISH, .limit = LIM_JOB_RUN, .slow = true, .no_transaction = true,
    .goes_on = true, .doc = "Run a job now; its schedule doesn't change" },
  { POST,   "/v1/jobs/{job}/rotate-secret",        JOB_EDIT,
    TAKES_NOTHING,   GIVES_FLAT(job_secret),  h_job_rotate,
    .scope = ARTIFACTS_PUBLISH, .no_agents = true,
    .doc = "Give a webhook a new signing secret; for a day the old one signs too" },
  { GET,    "/v1/jobs/{job}/runs",                 JOB_SEE,
    TAKES_NOTHING,   GIVES_LIST("runs", run), h_run_list,
    .scope = ARTIFACTS_READ, .query = &run_query_shape,
    .doc = "List a job's runs, newest first; they are kept for 30 days" },
  { GET,    "/v1/jobs/{job}/runs/{run}",           JOB_SEE,
    TAKES_NOTHING,   GIVES("run", run),       h_run_get,
    .scope = ARTIFACTS_READ,
    .doc = "Get one run with its attempts and the other server's replies" },
  { POST,   "/v1/jobs/{job}/runs/{run}/redeliver", JOB_EDIT,
    TAKES_NOTHING,   GIVES("run", run),       h_run_again,
    .scope = ARTIFACTS_PUBLISH, .limit = LIM_JOB_RUN, .success = 202,
    .doc = "Repeat a finished run under the same ID" },
};
ROUTES(job, "Jobs",
    "What runs for an artifact on a schedule or when something happens: "
    "an e-mail, a webhook, a chat message, a data fetch. For its owner and editors.");
