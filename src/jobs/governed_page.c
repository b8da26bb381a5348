/* SPDX-License-Identifier: Apache-2.0
 * Pages for admins of all runs of a workspace: the list with its figures, a run, and the people who
 * are mailed about a failure. */
#include "jobs/governed_page.h"

#include "base/id.h"
#include "base/str.h"
#include "core/member.h"
#include "core/way.h"
#include "http/form.h"
#include "jobs/job_look.h"
#include "jobs/run_chart.h"

enum { RUNS_A_PAGE = 25, HOSTS_SHOWN = 3 };

/* ---- all runs ---- */

/* Unknown choices are ignored. */
#define WS_RUNS_QUERY(F, T) \
	F(T, STR, surface, .hi = 20) \
	F(T, STR, status,  .hi = 20) \
	F(T, STR, action,  .hi = 20) \
	F(T, STR, q,       .hi = 200, .doc = "Looks for a job or an artifact") \
	F(T, STR, job,     .hi = 40) \
	F(T, STR, from,    .hi = 20, .doc = "2026-11-20") \
	F(T, STR, cursor,  .hi = 400) \
	F(T, STR, done,    .hi = 40)
SHAPE(ws_runs_query, WS_RUNS_QUERY);

#define WS_RUNS_PAGE(F, T) \
	F(T, STRS, told,     .doc = "Addresses of who gets e-mails") \
	F(T, LIST, hosts,    .sub = &governed_host_shape) \
	F(T, OBJ,  chart,    .sub = &run_chart_shape) \
	F(T, OBJ,  only,     .sub = &governed_job_shape, \
		.doc = "The job whose runs alone are shown") \
	F(T, STR,  all_jobs, .doc = "The address of all jobs' runs") \
	F(T, LIST, matches,  .sub = &governed_job_shape) \
	F(T, WORD, chosen,   .arg = "runs|many|none", .doc = "What q leads to") \
	F(T, BOOL, narrowed) \
	F(T, LIST, runs,     .sub = &governed_run_shape) \
	F(T, STR,  next)
SHAPE(ws_runs_page, WS_RUNS_PAGE);

static void
runs_asked(struct req *r, struct governed_run_query *ask, struct ws_runs_page *page)
{
	const struct ws_runs_query *q = r->query;
	const char *day = q->from ? mem_printf(r->c->mem, "%sT00:00:00Z", q->from) : "";

	ask->limit = RUNS_A_PAGE;
	ask->cursor = q->cursor;
	ask->surface = str_one_of(q->surface, SURFACES);
	ask->status = str_one_of(q->status, RUN_STATUSES);
	ask->action = str_one_of(q->action, JOB_ACTIONS);
	if (str_from_rfc3339(day, &ask->since))
		ask->has.since = GIVEN;
	page->narrowed = ask->surface || ask->status || ask->action || ask->has.since;
}

/* Runs of one job, if the query names one of the workspace. */
static enum err
runs_of_job(
    struct req *r, const char *id, struct governed_run_query *ask, struct ws_runs_page *page)
{
	struct governed_job *j;
	enum err e;

	if (!id_valid(id, "job_"))
		return E_OK;
	e = governed_job_get(r->c, r->ws, SURFACE_ANY, id, &j);
	if (e == E_NOT_FOUND)
		return ctx_forgive(r->c);
	TRY(e);
	governed_say(r->c, j);
	ask->job_id = j->id;
	page->narrowed = true;
	page->only = j;
	page->all_jobs = req_with(r, "job", "", "job|q|" NEXT_WITHOUT);
	return E_OK;
}

/* Finds jobs by their name or their artifact's. A single one is meant; of several, people choose.
 */
static enum err
runs_look(struct req *r, const char *q, struct governed_run_query *ask, struct ws_runs_page *page)
{
	struct governed_job_list found;

	TRY(governed_jobs_named(r->c, r->ws, q, &found));
	if (found.n == 1)
		return runs_of_job(r, found.v->id, ask, page);
	for (size_t i = 0; i < found.n; i++)
		governed_say(r->c, &found.v[i]);
	page->chosen = found.n ? "many" : "none";
	page->matches = (struct list){ found.v, found.n };
	return E_OK;
}

/* The part above the list: common causes of failing jobs, and figures. */
static enum err
runs_overview(struct req *r, struct ws_runs_page *page)
{
	struct governed_host_list hosts;
	struct governed_day_list days;

	TRY(governed_hosts(r->c, r->ws, &hosts));
	page->hosts = (struct list){ hosts.v, hosts.n < HOSTS_SHOWN ? hosts.n : HOSTS_SHOWN };
	TRY(governed_days(r->c, r->ws, SURFACE_ANY, &days));
	page->chart = run_chart_of(r->c, &days);
	return E_OK;
}

static enum err
h_ws_runs(struct req *r)
{
	const struct ws_runs_query *q = r->query;
	struct ws_runs_page page = { .chosen = "runs" };
	struct governed_run_query ask = { 0 };
	struct governed_run_list runs;
	struct ws_user_list people;
	const char *next;

	runs_asked(r, &ask, &page);
	TRY(governed_told(r->c, r->ws, &people));
	for (size_t i = 0; i < people.n; i++)
		strs_add(r->c->mem, &page.told, people.v[i].email);
	if (str_given(q->job))
		TRY(runs_of_job(r, q->job, &ask, &page));
	else if (str_given(q->q))
		TRY(runs_look(r, q->q, &ask, &page));
	if (!q->cursor && !q->q)
		TRY(runs_overview(r, &page));
	if (!str_eq(page.chosen, "runs"))
		return reply_page(r, 0, &page);
	TRY(governed_runs(r->c, r->ws, &ask, &runs, &next));
	page.runs = (struct list){ runs.v, runs.n };
	page.next = req_next(r, next, NEXT_WITHOUT);
	return reply_page(r, 0, &page);
}

/* ---- several at once ---- */

#define RUNS_SELECTED(F, T) \
	F(T, STRS, run, .item = K_ID, .arg = "run_", .hi = GOVERNED_AT_ONCE) \
	F(T, WORD, act, .flags = F_REQ, .arg = "again|pause")
SHAPE(runs_selected, RUNS_SELECTED);

static enum err
h_ws_runs_selected(struct req *r)
{
	const struct runs_selected *in = r->in;
	const char *done = "jobs_paused";
	struct strs jobs;
	int64_t n;

	if (!in->run.n) {
		done = "no_runs_chosen";
	} else if (str_eq(in->act, "again")) {
		TRY(governed_again(r->c, r->ws, r->who, &in->run, &n));
		done = n ? "runs_again" : "no_runs_over";
	} else {
		TRY(governed_jobs_of(r->c, r->ws, &in->run, &jobs));
		TRY(governed_pause(r->c, r->ws, r->who, &jobs, &n));
	}
	return reply_go(r, "/w/%s/runs?done=%s", r->ws->id, done);
}

#define JOBS_PICKED(F, T) \
	F(T, STRS, job, .flags = F_REQ, .item = K_ID, .arg = "job_", .lo = 1, \
	    .hi = GOVERNED_AT_ONCE)
SHAPE(jobs_picked, JOBS_PICKED);

static enum err
h_ws_jobs_pause(struct req *r)
{
	const struct jobs_picked *in = r->in;
	int64_t n;

	TRY(governed_pause(r->c, r->ws, r->who, &in->job, &n));
	return form_done(r, NULL);
}

/* ---- one run ---- */

/* The run, its job, and the job's last runs. */
#define WS_RUN_PAGE(F, T) \
	F(T, OBJ, run,  .sub = &governed_run_shape) \
	F(T, OBJ, job,  .sub = &governed_job_shape) \
	F(T, OBJ, past, .sub = &run_strip_shape)
SHAPE(ws_run_page, WS_RUN_PAGE);

static enum err
h_ws_run(struct req *r)
{
	struct governed_run_list past;
	struct governed_run *run;
	struct governed_job *j;
	const char *next;

	TRY(governed_run_get(r->c, r->ws, SURFACE_ANY, req_param(r, "ws_run"), &run));
	TRY(governed_job_get(r->c, r->ws, surface_of(run->surface), run->job_id, &j));
	TRY(governed_runs(r->c, r->ws,
	    &(struct governed_run_query){ .job_id = j->id, .limit = STRIP_RUNS }, &past, &next));
	run_attempts_turn(&run->attempts);
	governed_say(r->c, j);
	return reply_page(r, 0,
	    &(struct ws_run_page){
		.run = run, .job = j, .past = run_strip_of(r->c, &past) });
}

static enum err
h_ws_run_again(struct req *r)
{
	const char *id = req_param(r, "ws_run");
	int64_t n;

	TRY(governed_again(r->c, r->ws, r->who, &(struct strs){ &id, 1 }, &n));
	if (!n)
		return fail(r->c, E_CONFLICT, "This run hasn’t ended yet");
	return form_done(r, NULL);
}

static enum err
h_ws_run_stop(struct req *r)
{
	const char *id = req_param(r, "ws_run");
	struct governed_run *run;

	TRY(governed_run_get(r->c, r->ws, SURFACE_ANY, id, &run));
	TRY(governed_stop(r->c, r->ws, r->who, id));
	return form_done(r, NULL);
}

/* ---- recipients of e-mails ---- */

#define TOLD_FORM(F, T) F(T, EMAIL, email, .flags = F_REQ)
SHAPE(told_form, TOLD_FORM);

static enum err
h_ws_runs_told_add(struct req *r)
{
	const struct told_form *in = r->in;
	const char *id;
	bool member = false;

	TRY(user_id_of_email(r->c, email_fold(r->c, in->email), &id));
	if (id)
		TRY(member_is_in(r->c, r->ws->id, id, &member));
	if (!member)
		return fail(
		    r->c, E_INVALID, "email: %s isn’t a member of this workspace", in->email);
	TRY(governed_told_change(r->c, r->ws, r->who, NULL, id));
	return form_done(r, NULL);
}

static enum err
h_ws_runs_told_remove(struct req *r)
{
	TRY(governed_told_change(r->c, r->ws, r->who, req_param(r, "user"), NULL));
	return form_done(r, NULL);
}

#define RUNS "/w/{ws}/runs"
#define ONE RUNS "/{ws_run}"
#define TOLD RUNS "/told"
static const struct route governed_page_routes[] = {
  { PAGE(RUNS, WS_ADMIN, ws_runs, h_ws_runs), .query = &ws_runs_query_shape,
    .doc = "All runs of a workspace, with figures" },
  { FORM(RUNS "/selected", WS_ADMIN, runs_selected, h_ws_runs_selected), .again = RUNS,
    .doc = "Run some again, or pause their jobs" },
  { FORM(RUNS "/pause", WS_ADMIN, jobs_picked, h_ws_jobs_pause), .then = RUNS "?done=jobs_paused",
    .again = RUNS, .doc = "Pause several jobs" },
  { PAGE(ONE, WS_ADMIN, ws_run, h_ws_run), .query = &tab_query_shape,
    .doc = "A run: its attempts and the replies" },
  { FORM(ONE "/again", WS_ADMIN, button, h_ws_run_again), .then = ONE "?done=job_again",
    .again = ONE, .doc = "Repeat a run" },
  { FORM(ONE "/stop", WS_ADMIN, button, h_ws_run_stop), .then = ONE "?done=run_stopped",
    .again = ONE, .doc = "Stop retrying a run" },
  { SHOWN_PAGE(TOLD, WS_ADMIN, "ws_runs_told"),
    .shows = SHOWS({ "told", "GET /v1/workspaces/{ws}/runs/told?limit=50" }),
    .query = &tab_query_shape, .doc = "Who is told when a run fails" },
  { FORM(TOLD, WS_ADMIN, told_form, h_ws_runs_told_add), .then = TOLD "?done=run_told",
    .again = TOLD, .doc = "Tell another member" },
  { FORM(TOLD "/{user}/remove", WS_ADMIN, button, h_ws_runs_told_remove),
    .then = TOLD "?done=run_told_not", .again = TOLD, .doc = "Tell somebody no longer" },
};
ROUTES(governed_page, "Pages: runs of a workspace",
    "What admins see of all runs of a workspace in the browser.");
