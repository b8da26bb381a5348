/* SPDX-License-Identifier: Apache-2.0
 * Schedules, automations and runs of a workspace, for its admins. Source: interface, "Schedules,
 * automations, runs". */
#include "jobs/governed.h"

#include "base/id.h"
#include "base/str.h"
#include "http/quota.h"
#include "http/req.h"
#include "http/share.h"
#include "jobs/governed_page.h"
#include "jobs/runnow.h"

#define GOVERNED_RAN(F, T) \
	F(T, STR, message) \
	F(T, OBJ, execution, .sub = &governed_run_shape)
SHAPE(governed_ran, GOVERNED_RAN);

#define RUNS_TOLD(F, T) \
	F(T, STRS, user_ids, .flags = F_REQ, .hi = GOVERNED_TOLD_MAX, .item = K_ID, .arg = "usr_", \
		.doc = "Members; none: only who made a job is told", .eg = "[]")
SHAPE(runs_told, RUNS_TOLD);

#define RUNS_TOLD_QUERY(F, T) PAGE_FIELDS(F, T, 200)
SHAPE(runs_told_query, RUNS_TOLD_QUERY);

#define LOGS_QUERY(F, T) \
	F(T, WORD, status, .arg = RUN_STATUSES) \
	PAGE_FIELDS(F, T, 200)
SHAPE(logs_query, LOGS_QUERY);

/* The job in the path after {ws}: {sch} is a schedule, {trg} an automation. */
static enum surface
job_asked(const struct req *r, const char **id)
{
	*id = r->p[1].value;
	return str_eq(r->p[1].name, "sch") ? SCHEDULES : AUTOMATIONS;
}

/* ---- jobs ---- */

static enum err
h_schedules(struct req *r)
{
	return reply_list_of(
	    r, struct governed_job_list, governed_jobs, r->ws, SCHEDULES, r->query);
}

static enum err
h_automations(struct req *r)
{
	return reply_list_of(
	    r, struct governed_job_list, governed_jobs, r->ws, AUTOMATIONS, r->query);
}

static enum err
h_governed_change(struct req *r)
{
	const char *id;
	enum surface surface = job_asked(r, &id);
	struct governed_job *j;

	TRY(governed_change(r->c, r->ws, r->who, surface, id, r->in));
	TRY(governed_job_get(r->c, r->ws, surface, id, &j));
	return reply_noun(r, j);
}

static enum err
h_governed_delete(struct req *r)
{
	const char *id;
	enum surface surface = job_asked(r, &id);

	TRY(governed_delete(r->c, r->ws, r->who, surface, id));
	return reply_none(r);
}

/* ---- runs ---- */

/* quota_take() counts manual runs of the artifact, by all people together. */
static enum err
h_governed_run(struct req *r)
{
	const char *id;
	enum surface surface = job_asked(r, &id);
	struct governed_run *run;
	struct artifact *a;
	struct job *j;

	TRY(governed_job_of(r->c, r->ws, r->who, surface, id, false, &a, &j));
	r->art = a;
	TRY(quota_take(r));
	TRY(share_outside(r));
	TRY(governed_start(r->c, r->ws, r->who, a, j, &run));
	reply_header(r, "Location", "/v1/workspaces/%s/runs/%s/%s", r->ws->id, run->surface,
	    run->id);
	TRY(reply_flat(r,
	    &(struct governed_ran){ .message = run_words(run->status), .execution = run }));
	reply_status(r, run->finished_at ? 200 : 202);
	return E_OK;
}

static enum err
h_governed_runs(struct req *r)
{
	const char *id;
	enum surface surface = job_asked(r, &id);
	const struct logs_query *q = r->query;
	const struct governed_run_query of = {
		.job_id = id, .status = q->status, .limit = q->limit, .cursor = q->cursor
	};
	struct governed_job *j;

	TRY(governed_job_get(r->c, r->ws, surface, id, &j));
	return reply_list_of(r, struct governed_run_list, governed_runs, r->ws, &of);
}

static enum err
h_runs(struct req *r)
{
	return reply_list_of(r, struct governed_run_list, governed_runs, r->ws, r->query);
}

static enum err
h_run(struct req *r)
{
	struct governed_run *run;

	TRY(governed_run_get(r->c, r->ws, surface_of(req_param(r, "surface")),
	    req_param(r, "ws_run"), &run));
	return reply_noun(r, run);
}

/* ---- recipients of e-mails ---- */

static enum err
h_told(struct req *r)
{
	const struct runs_told_query *q = r->query;
	struct ws_user_list people;

	if (q->cursor && !id_valid(q->cursor, "usr_"))
		return fail_cursor(r->c);
	TRY(governed_told(r->c, r->ws, &people));
	return reply_part(
	    r, &(struct list){ people.v, people.n }, LIST_RISING, q->limit, q->cursor);
}

static enum err
h_told_set(struct req *r)
{
	const struct runs_told *in = r->in;
	struct ws_user_list people;

	TRY(governed_told_set(r->c, r->ws, r->who, &in->user_ids));
	TRY(governed_told(r->c, r->ws, &people));
	return reply_list(r, &(struct list){ people.v, people.n }, NULL);
}

#define SCHEDULES_AT "/v1/workspaces/{ws}/schedules"
#define AUTOMATIONS_AT "/v1/workspaces/{ws}/automations"
#define RUNS_AT "/v1/workspaces/{ws}/runs"
#define RUNS_BY_HAND \
	.limit = LIM_JOB_RUN, .slow = true, .no_transaction = true, .goes_on = true
static const struct route governed_routes[] = {
/*  method  path                                  who
    body                  reply                                     handler */
  { GET,    SCHEDULES_AT,                         WS_ADMIN,
    TAKES_NOTHING,        GIVES_LIST("schedules", governed_job),    h_schedules,
    .query = &governed_job_query_shape,
    .doc = "List the cron jobs of all artifacts of a workspace, oldest first" },
  { GET,    SCHEDULES_AT "/{sch}/logs",           WS_ADMIN,
    TAKES_NOTHING,        GIVES_LIST("logs", governed_run),         h_governed_runs,
    .query = &logs_query_shape,
    .doc = "List a schedule's runs, newest first; they are kept for 30 days" },
  { POST,   SCHEDULES_AT "/{sch}/run",            WS_ADMIN,
    TAKES_NOTHING,        GIVES_FLAT(governed_ran),                 h_governed_run, RUNS_BY_HAND,
    .doc = "Run a schedule now, even a paused one; when it runs next doesn't change" },
  { PATCH,  SCHEDULES_AT "/{sch}",                WS_ADMIN,
    TAKES(governed_edit), GIVES("schedule", governed_job),          h_governed_change,
    .doc = "Pause or resume a schedule, change when it runs or what it does; "
	   "its owner still answers for it unless you change what it does" },
  { DELETE, SCHEDULES_AT "/{sch}",                WS_ADMIN,
    TAKES_NOTHING,        GIVES_NOTHING,                            h_governed_delete,
    .doc = "Delete a schedule and its runs; what is under way has no effect" },
  { GET,    AUTOMATIONS_AT,                       WS_ADMIN,
    TAKES_NOTHING,        GIVES_LIST("automations", governed_job),  h_automations,
    .query = &governed_job_query_shape,
    .doc = "List the event jobs of all artifacts of a workspace, oldest first" },
  { GET,    AUTOMATIONS_AT "/{trg}/runs",         WS_ADMIN,
    TAKES_NOTHING,        GIVES_LIST("runs", governed_run),         h_governed_runs,
    .query = &logs_query_shape,
    .doc = "List an automation's runs, newest first; they are kept for 30 days" },
  { POST,   AUTOMATIONS_AT "/{trg}/run",          WS_ADMIN,
    TAKES_NOTHING,        GIVES_FLAT(governed_ran),                 h_governed_run, RUNS_BY_HAND,
    .doc = "Run an automation now, even a paused one" },
  { PATCH,  AUTOMATIONS_AT "/{trg}",              WS_ADMIN,
    TAKES(governed_edit), GIVES("automation", governed_job),        h_governed_change,
    .doc = "Pause or resume an automation, or change what it does; "
	   "its owner still answers for it unless you change what it does" },
  { DELETE, AUTOMATIONS_AT "/{trg}",              WS_ADMIN,
    TAKES_NOTHING,        GIVES_NOTHING,                            h_governed_delete,
    .doc = "Delete an automation and its runs; what is under way has no effect" },
};
ROUTES(governed, "Schedules and automations",
    "What runs by itself in a workspace, whoever made it: schedules are its cron jobs, automations "
    "its event jobs. For its admins.");

static const struct route governed_run_routes[] = {
/*  method  path                                  who
    body                  reply                                     handler */
  { GET,    RUNS_AT,                              WS_ADMIN,
    TAKES_NOTHING,        GIVES_LIST("runs", governed_run),         h_runs,
    .query = &governed_run_query_shape,
    .doc = "List the runs of all schedules and automations of a workspace, newest first" },
  { GET,    RUNS_AT "/{surface}/{ws_run}",        WS_ADMIN,
    TAKES_NOTHING,        GIVES("run", governed_run),               h_run,
    .doc = "Get one run with its attempts and the other server's replies" },
  { GET,    RUNS_AT "/told",                      WS_ADMIN,
    TAKES_NOTHING,        GIVES_LIST("people", ws_user),            h_told,
    .query = &runs_told_query_shape,
    .doc = "List the members who are e-mailed when a schedule or an automation fails, "
	   "beside who made it" },
  { PUT,    RUNS_AT "/told",                      WS_ADMIN,
    TAKES(runs_told),     GIVES_LIST("people", ws_user),            h_told_set,
    .doc = "Choose the members who are e-mailed when a schedule or an automation begins to fail, "
	   "and when it works again" },
};
ROUTES(governed_run, "Runs",
    "What has run by itself in a workspace, and who is told when it fails. For its admins.");
