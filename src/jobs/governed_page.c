/* SPDX-License-Identifier: Apache-2.0
 * Pages for admins of all runs of a workspace: the list with its figures, a run, and the people who
 * are mailed about a failure. */
#include "jobs/governed_page.h"

#include "base/id.h"
#include "base/jobtitle.h"
#include "base/str.h"
#include "core/member.h"
#include "core/way.h"
#include "jobs/job_look.h"
#include "jobs/run_chart.h"

enum { RUNS_A_PAGE = 25, MATCHES = 20, HOSTS_SHOWN = 3 };

SHAPE_DEFINE(ws_run_row, WS_RUN_ROW);
SHAPE_DEFINE(run_bar, RUN_BAR);
SHAPE_DEFINE(run_strip, RUN_STRIP);

static const char *
run_title(const struct governed_run *run)
{
	return run->job_name ? run->job_name : job_action_title(run->action);
}

static struct ws_run_row
run_row(struct ctx *c, const struct governed_run *run, const struct job *of)
{
	return (struct ws_run_row){ .id = run->id,
		.status = run->status,
		.title = run_title(run),
		.artifact_name = of ? NULL : run->artifact_name,
		.why = of ? run_why(run->trigger, of->event_type) : NULL,
		.started = run->started_at ? run->started_at : run->scheduled_for,
		.next_attempt_at = run->next_attempt_at,
		.took = run->finished_at && run->has.duration_ms == GIVEN
		    ? run_took(c, run->duration_ms)
		    : "",
		.reply = run_reply(c, run->status, run->error, run->http_status) };
}

struct list
ws_run_rows(struct ctx *c, const struct governed_run_list *runs, const struct job *of)
{
	return list_made(c->mem, runs, run, run_row(c, run, of));
}

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
SHAPE_DECLARE(ws_runs_query, WS_RUNS_QUERY);
SHAPE_DEFINE(ws_runs_query, WS_RUNS_QUERY);

#define RUNS_MATCH(F, T) \
	F(T, STR, title) \
	F(T, STR, artifact_name) \
	F(T, STR, path)
SHAPE_DECLARE(runs_match, RUNS_MATCH);
SHAPE_DEFINE(runs_match, RUNS_MATCH);

#define HOST_JOB(F, T) F(T, STR, job_id)
SHAPE_DECLARE(host_job, HOST_JOB);
SHAPE_DEFINE(host_job, HOST_JOB);

#define HOST_ROW(F, T) \
	F(T, STR,  host) \
	F(T, INT,  jobs_n) \
	F(T, INT,  failures) \
	F(T, LIST, jobs, .sub = &host_job_shape)
SHAPE_DECLARE(host_row, HOST_ROW);
SHAPE_DEFINE(host_row, HOST_ROW);

#define WS_RUNS_PAGE(F, T) \
	RUNS_TOP(F, T) \
	F(T, STR,  told) \
	F(T, LIST, hosts,    .sub = &host_row_shape) \
	F(T, OBJ,  chart,    .sub = &run_chart_shape) \
	F(T, STR,  surface) \
	F(T, STR,  status) \
	F(T, STR,  action) \
	F(T, STR,  q) \
	F(T, STR,  from) \
	F(T, STR,  job) \
	F(T, STR,  only,     .doc = "The job whose runs alone are shown") \
	F(T, STR,  all_jobs, .doc = "The address of all jobs' runs") \
	F(T, LIST, matches,  .sub = &runs_match_shape) \
	F(T, WORD, chosen,   .arg = "runs|many|none", .doc = "What q leads to") \
	F(T, BOOL, narrowed) \
	F(T, BOOL, some) \
	F(T, LIST, runs,     .sub = &ws_run_row_shape) \
	F(T, STR,  next)
SHAPE_DECLARE(ws_runs_page, WS_RUNS_PAGE);
SHAPE_DEFINE(ws_runs_page, WS_RUNS_PAGE);

static void
runs_asked(struct req *r, struct governed_run_query *ask, struct ws_runs_page *page)
{
	const struct ws_runs_query *q = r->query;
	const char *day = q->from ? mem_printf(r->c->mem, "%sT00:00:00Z", q->from) : "";

	ask->limit = RUNS_A_PAGE;
	ask->cursor = q->cursor;
	ask->surface = page->surface = str_one_of(q->surface, SURFACES);
	ask->status = page->status = str_one_of(q->status, RUN_STATUSES);
	ask->action = page->action = str_one_of(q->action, JOB_ACTIONS);
	if (str_from_rfc3339(day, &ask->since)) {
		ask->has.since = GIVEN;
		page->from = q->from;
	}
	page->narrowed = page->surface || page->status || page->action || page->from;
}

static const char *
job_named(struct ctx *c, const struct governed_job *j)
{
	const struct governed_artifact *a = j->artifact;
	const struct job job = job_of_governed(j);

	return mem_printf(c->mem, "%s in %s", job_title(&job), a->name);
}

/* Of one job, if the query names one of the workspace. */
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
	ask->job_id = page->job = j->id;
	page->narrowed = true;
	page->only = job_named(r->c, j);
	page->all_jobs = req_with(r, "job", "", "job|q|" NEXT_WITHOUT);
	return E_OK;
}

/* Jobs with that in their name, or in their artifact's: one is meant, several are to choose from.
 */
static enum err
runs_look(struct req *r, struct governed_run_query *ask, struct ws_runs_page *page)
{
	struct governed_job_query look = { .q = page->q, .state = "all", .limit = MATCHES };
	struct runs_match *match = mem_array(r->c->mem, struct runs_match, 2 * MATCHES + 1);
	const char *more, *only = NULL;
	size_t n = 0;

	for (enum surface s = SCHEDULES; s <= AUTOMATIONS; s++) {
		struct governed_job_list found;

		TRY(governed_jobs(r->c, r->ws, s, &look, &found, &more));
		for (size_t i = 0; i < found.n; i++) {
			const struct governed_artifact *a = found.v[i].artifact;
			const struct job job = job_of_governed(&found.v[i]);

			only = found.v[i].id;
			match[n++] = (struct runs_match){ .title = job_title(&job),
				.artifact_name = a->name,
				.path = req_with(r, "job", only, "job|q|" NEXT_WITHOUT) };
		}
	}
	if (n == 1)
		return runs_of_job(r, only, ask, page);
	page->chosen = n ? "many" : "none";
	page->matches = (struct list){ match, n };
	return E_OK;
}

static struct host_row
host_row_of(struct ctx *c, const struct governed_host *h)
{
	struct host_job *job = mem_array(c->mem, struct host_job, h->job_ids.n + 1);

	for (size_t i = 0; i < h->job_ids.n; i++)
		job[i].job_id = h->job_ids.v[i];
	return (struct host_row){ .host = h->host,
		.jobs_n = (int64_t)h->job_ids.n,
		.failures = h->failures,
		.jobs = { job, h->job_ids.n } };
}

/* The part above the list: common causes of failing jobs, and figures. */
static enum err
runs_overview(struct req *r, struct ws_runs_page *page)
{
	struct governed_host_list hosts;
	struct governed_day_list days;

	TRY(governed_hosts(r->c, r->ws, &hosts));
	hosts.n = hosts.n < HOSTS_SHOWN ? hosts.n : HOSTS_SHOWN;
	page->hosts = list_made(r->c->mem, &hosts, h, host_row_of(r->c, h));
	TRY(governed_days(r->c, r->ws, SURFACE_ANY, &days));
	page->chart = run_chart_of(r->c, &days);
	return E_OK;
}

static enum err
runs_told(struct req *r, const char **out)
{
	struct ws_user_list people;
	const char **names;

	TRY(governed_told(r->c, r->ws, &people));
	names = mem_array(r->c->mem, const char *, people.n + 1);
	for (size_t i = 0; i < people.n; i++)
		names[i] = people.v[i].email;
	*out = people.n ? str_some(r->c->mem, names, people.n) : NULL;
	return E_OK;
}

static enum err
h_ws_runs(struct req *r)
{
	const struct ws_runs_query *q = r->query;
	struct ws_runs_page page = { RUNS_TOP_OF(r, "runs"), .q = q->q, .chosen = "runs" };
	struct governed_run_query ask = { 0 };
	struct governed_run_list runs;
	const char *next;

	runs_asked(r, &ask, &page);
	TRY(runs_told(r, &page.told));
	if (q->job && *q->job)
		TRY(runs_of_job(r, q->job, &ask, &page));
	else if (q->q && *q->q)
		TRY(runs_look(r, &ask, &page));
	if (!q->cursor && !page.q)
		TRY(runs_overview(r, &page));
	if (!str_eq(page.chosen, "runs"))
		return reply_page(r, 0, &page);
	TRY(governed_runs(r->c, r->ws, &ask, &runs, &next));
	page.some = runs.n > 0;
	page.runs = ws_run_rows(r->c, &runs, NULL);
	page.next = req_next(r, next, NEXT_WITHOUT);
	return reply_page(r, 0, &page);
}

static enum err
runs_back(struct req *r, const char *page, const char *done)
{
	return reply_redirect(
	    r, mem_printf(r->c->mem, "/w/%s/runs%s?done=%s", r->ws->id, page, done));
}

#define RUNS_SELECTED(F, T) \
	F(T, STRS, run, .item = K_ID, .arg = "run_", .hi = GOVERNED_AT_ONCE) \
	F(T, WORD, act, .flags = F_REQ, .arg = "again|pause")
SHAPE_DECLARE(runs_selected, RUNS_SELECTED);
SHAPE_DEFINE(runs_selected, RUNS_SELECTED);

static enum err
jobs_of_runs(struct req *r, const struct strs *runs, struct strs *out)
{
	*out = (struct strs){ mem_array(r->c->mem, const char *, runs->n + 1), 0 };
	for (size_t i = 0; i < runs->n; i++) {
		struct governed_run *run;

		TRY(governed_run_get(r->c, r->ws, SURFACE_ANY, runs->v[i], &run));
		out->v[out->n++] = run->job_id;
	}
	return E_OK;
}

static enum err
h_ws_runs_selected(struct req *r)
{
	const struct runs_selected *in = r->in;
	struct strs jobs;
	int64_t n;

	if (!in->run.n)
		return runs_back(r, "", "no_runs_chosen");
	if (str_eq(in->act, "again")) {
		TRY(governed_again(r->c, r->ws, r->who, &in->run, &n));
		return runs_back(r, "", n ? "runs_again" : "no_runs_over");
	}
	TRY(jobs_of_runs(r, &in->run, &jobs));
	TRY(governed_pause(r->c, r->ws, r->who, &jobs, &n));
	return runs_back(r, "", "jobs_paused");
}

#define JOBS_PICKED(F, T) \
	F(T, STRS, job, .flags = F_REQ, .item = K_ID, .arg = "job_", .lo = 1, \
	    .hi = GOVERNED_AT_ONCE)
SHAPE_DECLARE(jobs_picked, JOBS_PICKED);
SHAPE_DEFINE(jobs_picked, JOBS_PICKED);

static enum err
h_ws_jobs_pause(struct req *r)
{
	const struct jobs_picked *in = r->in;
	int64_t n;

	TRY(governed_pause(r->c, r->ws, r->who, &in->job, &n));
	return runs_back(r, "", "jobs_paused");
}

/* ---- one run ---- */

struct run_strip *
run_strip_of(struct ctx *c, const struct governed_run_list *newest)
{
	struct run_strip *out = mem_new(c->mem, struct run_strip);
	struct run_bar *bar = mem_array(c->mem, struct run_bar, newest->n + 1);
	int64_t good = 0, bad = 0;

	if (newest->n < 2)
		return NULL;
	for (size_t i = 0; i < newest->n; i++) {
		const struct governed_run *run = &newest->v[newest->n - 1 - i];

		bar[i].x = mem_printf(c->mem, "%zu", i * 100 / STRIP_RUNS);
		bar[i].is = str_eq(run->status, "success") ? "ok"
		    : str_eq(run->status, "failed")        ? "bad"
							   : "none";
		good += str_eq(bar[i].is, "ok");
		bad += str_eq(bar[i].is, "bad");
		if (str_eq(bar[i].is, "bad") && !out->failing_since)
			out->failing_since = run->scheduled_for;
		else if (str_eq(bar[i].is, "ok"))
			out->failing_since = 0;
	}
	out->strip = (struct list){ bar, newest->n };
	out->strip_about = mem_printf(c->mem, "Of the last %zu, %lld succeeded and %lld failed",
	    newest->n, (long long)good, (long long)bad);
	return out;
}

#define WS_RUN_PAGE(F, T) \
	RUNS_TOP(F, T) \
	F(T, ID,   id,          .arg = "run_") \
	F(T, ID,   job_id,      .arg = "job_") \
	F(T, STR,  title) \
	F(T, STR,  part,        .doc = "Of the job's path") \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, STR,  artifact_name) \
	F(T, STR,  owner) \
	F(T, STR,  about) \
	F(T, STR,  when) \
	F(T, BOOL, enabled) \
	F(T, WORD, status,      .arg = RUN_STATUSES) \
	F(T, STR,  why) \
	F(T, BOOL, over) \
	F(T, TIME, scheduled_for) \
	F(T, TIME, next_attempt_at) \
	F(T, INT,  next_attempt) \
	F(T, TIME, started_at) \
	F(T, STR,  took) \
	F(T, INT,  attempt) \
	F(T, TIME, next_run_at) \
	F(T, STR,  error) \
	F(T, LIST, attempts,    .sub = &attempt_line_shape) \
	F(T, OBJ,  past,        .sub = &run_strip_shape)
SHAPE_DECLARE(ws_run_page, WS_RUN_PAGE);
SHAPE_DEFINE(ws_run_page, WS_RUN_PAGE);

static void
run_job_show(struct ctx *c, const struct governed_job *j, struct ws_run_page *page)
{
	const struct job job = job_of_governed(j);

	page->job_id = j->id;
	page->title = job_title(&job);
	page->part = surface_part(j->trigger_type);
	page->owner = governed_owner(j->owner);
	page->about = job_about(c, &job);
	page->when = job_when(c, &job);
	page->enabled = j->enabled;
	page->next_run_at = j->next_run_at;
}

static enum err
h_ws_run(struct req *r)
{
	struct ws_run_page page = { RUNS_TOP_OF(r, "runs") };
	struct governed_run_list past;
	struct governed_run *run;
	struct governed_job *j;
	const char *next;

	TRY(governed_run_get(r->c, r->ws, SURFACE_ANY, req_param(r, "ws_run"), &run));
	TRY(governed_job_get(r->c, r->ws, surface_of(run->surface), run->job_id, &j));
	TRY(governed_runs(r->c, r->ws,
	    &(struct governed_run_query){ .job_id = j->id, .limit = STRIP_RUNS }, &past, &next));
	run_job_show(r->c, j, &page);
	page.id = run->id;
	page.artifact_id = run->artifact_id;
	page.artifact_name = run->artifact_name;
	page.status = run->status;
	page.why = run_why(run->trigger, j->event_type);
	page.over = run_is_over(run->status);
	page.scheduled_for = run->scheduled_for;
	page.next_attempt_at = run->next_attempt_at;
	page.next_attempt = run->attempt + 1;
	page.started_at = run->started_at;
	page.took = page.over && run->has.duration_ms == GIVEN ? run_took(r->c, run->duration_ms)
							       : NULL;
	page.attempt = run->attempt;
	page.error = run_error(r->c, run->error);
	page.attempts = run_attempt_lines(r->c, &run->attempts);
	page.past = run_strip_of(r->c, &past);
	return reply_page(r, 0, &page);
}

static enum err
h_ws_run_again(struct req *r)
{
	const char *id = req_param(r, "ws_run");
	int64_t n;

	TRY(governed_again(r->c, r->ws, r->who, &(struct strs){ &id, 1 }, &n));
	if (!n)
		return fail(r->c, E_CONFLICT, "This run hasn’t ended yet");
	return runs_back(r, mem_printf(r->c->mem, "/%s", id), "job_again");
}

static enum err
h_ws_run_stop(struct req *r)
{
	const char *id = req_param(r, "ws_run");
	struct governed_run *run;

	TRY(governed_run_get(r->c, r->ws, SURFACE_ANY, id, &run));
	TRY(governed_stop(r->c, r->ws, r->who, id));
	return runs_back(r, mem_printf(r->c->mem, "/%s", id), "run_stopped");
}

/* ---- who is told ---- */

#define WS_RUNS_TOLD_PAGE(F, T) \
	RUNS_TOP(F, T) \
	F(T, BOOL, room, .doc = "For one more") \
	F(T, LIST, told, .sub = &ws_user_shape)
SHAPE_DECLARE(ws_runs_told_page, WS_RUNS_TOLD_PAGE);
SHAPE_DEFINE(ws_runs_told_page, WS_RUNS_TOLD_PAGE);

static enum err
h_ws_runs_told(struct req *r)
{
	struct ws_runs_told_page page = { RUNS_TOP_OF(r, "runs") };
	struct ws_user_list told;

	TRY(governed_told(r->c, r->ws, &told));
	page.room = told.n < GOVERNED_TOLD_MAX;
	page.told = (struct list){ told.v, told.n };
	return reply_page(r, 0, &page);
}

/* Returns the people to mail, without one and with another; NULL if there is nobody. */
static enum err
told_change(struct req *r, const char *without, const char *with)
{
	struct ws_user_list told;
	struct strs ids;

	TRY(governed_told(r->c, r->ws, &told));
	ids = (struct strs){ mem_array(r->c->mem, const char *, told.n + 1), 0 };
	for (size_t i = 0; i < told.n; i++)
		if (!str_eq(told.v[i].user_id, without) && !str_eq(told.v[i].user_id, with))
			ids.v[ids.n++] = told.v[i].user_id;
	if (with)
		ids.v[ids.n++] = with;
	TRY(governed_told_set(r->c, r->ws, r->who, &ids));
	return runs_back(r, "/told", with ? "run_told" : "run_told_not");
}

#define TOLD_FORM(F, T) F(T, EMAIL, email, .flags = F_REQ)
SHAPE_DECLARE(told_form, TOLD_FORM);
SHAPE_DEFINE(told_form, TOLD_FORM);

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
	return told_change(r, NULL, id);
}

static enum err
h_ws_runs_told_remove(struct req *r)
{
	return told_change(r, req_param(r, "user"), NULL);
}

#define RUNS "/w/{ws}/runs"
static const struct route governed_page_routes[] = {
/*  method path                       who
    body                       reply                     handler */
  { GET,  RUNS,                       WS_ADMIN,
    TAKES_NOTHING,             GIVES_PAGE(ws_runs),      h_ws_runs,
    .query = &ws_runs_query_shape, .doc = "All runs of a workspace, with figures" },
  { POST, RUNS "/selected",           WS_ADMIN,
    TAKES_FORM(runs_selected), GIVES_REDIRECT,           h_ws_runs_selected,
    .again = RUNS, .doc = "Run some again, or pause their jobs" },
  { POST, RUNS "/pause",              WS_ADMIN,
    TAKES_FORM(jobs_picked),   GIVES_REDIRECT,           h_ws_jobs_pause,
    .again = RUNS, .doc = "Pause several jobs" },
  { GET,  RUNS "/{ws_run}",              WS_ADMIN,
    TAKES_NOTHING,             GIVES_PAGE(ws_run),       h_ws_run,
    .query = &tab_query_shape, .doc = "A run: its attempts and the replies" },
  { POST, RUNS "/{ws_run}/again",        WS_ADMIN,
    TAKES_FORM(button),        GIVES_REDIRECT,           h_ws_run_again,
    .again = RUNS "/{ws_run}", .doc = "Repeat a run" },
  { POST, RUNS "/{ws_run}/stop",      WS_ADMIN,
    TAKES_FORM(button),        GIVES_REDIRECT,           h_ws_run_stop,
    .again = RUNS "/{ws_run}", .doc = "Stop retrying a run" },
  { GET,  RUNS "/told",               WS_ADMIN,
    TAKES_NOTHING,             GIVES_PAGE(ws_runs_told), h_ws_runs_told,
    .query = &tab_query_shape, .doc = "Who is told when a run fails" },
  { POST, RUNS "/told",               WS_ADMIN,
    TAKES_FORM(told_form),     GIVES_REDIRECT,           h_ws_runs_told_add,
    .again = RUNS "/told", .doc = "Tell another member" },
  { POST, RUNS "/told/{user}/remove", WS_ADMIN,
    TAKES_FORM(button),        GIVES_REDIRECT,           h_ws_runs_told_remove,
    .again = RUNS "/told", .doc = "Tell somebody no longer" },
};
ROUTES(governed_page, "Pages: runs of a workspace",
    "What admins see of all runs of a workspace in the browser.");
