/* SPDX-License-Identifier: Apache-2.0
 * Pages for admins of all jobs of a workspace: its schedules, its automations, and each of these
 * with its runs and the form that changes it. */
#include "base/str.h"
#include "jobs/governed_page.h"
#include "jobs/job_channels_page.h"

enum { JOBS_A_PAGE = 50 };

const char *
surface_part(const char *trigger_type)
{
	return str_eq(trigger_type, "event") ? "automations" : "schedules";
}

struct job
job_of_governed(const struct governed_job *g)
{
	return (struct job){ .id = g->id,
		.artifact_id = g->artifact_id,
		.name = g->name,
		.action = g->action,
		.trigger_type = g->trigger_type,
		.schedule = g->schedule,
		.timezone = g->timezone,
		.event_type = g->event_type,
		.config = g->config,
		.retry_config = g->retry_config,
		.enabled = g->enabled,
		.next_run_at = g->next_run_at,
		.last_run_at = g->last_run_at,
		.last_status = g->last_status,
		.failures = g->failures,
		.created_at = g->created_at };
}

const char *
governed_owner(const struct ws_user *o)
{
	return !o ? NULL : *o->name || !o->email ? o->name : o->email;
}

/* The surface that the page's path is about. */
static enum surface
surface_here(const struct req *r)
{
	return strstr(r->route->path, "/automations") ? AUTOMATIONS : SCHEDULES;
}

static const char *
job_here(const struct req *r)
{
	return req_param(r, surface_here(r) == AUTOMATIONS ? "trg" : "sch");
}

/* ---- all of a surface ---- */

#define WS_JOB_ROW(F, T) \
	F(T, ID,   id,  .arg = "job_") \
	F(T, STR,  title) \
	F(T, STR,  artifact_name) \
	F(T, STR,  owner) \
	F(T, STR,  when) \
	F(T, WORD, dot, .arg = "ok|bad|none") \
	F(T, STR,  state) \
	F(T, BOOL, enabled) \
	F(T, INT,  failures) \
	F(T, TIME, next_run_at) \
	F(T, STR,  success) \
	F(T, STR,  failed)
SHAPE_DECLARE(ws_job_row, WS_JOB_ROW);
SHAPE_DEFINE(ws_job_row, WS_JOB_ROW);

#define WS_RUN_JOBS_QUERY(F, T) \
	F(T, STR, q,      .hi = 200) \
	F(T, STR, state,  .hi = 20) \
	F(T, STR, cursor, .hi = 400) \
	F(T, STR, done,   .hi = 40)
SHAPE_DECLARE(ws_run_jobs_query, WS_RUN_JOBS_QUERY);
SHAPE_DEFINE(ws_run_jobs_query, WS_RUN_JOBS_QUERY);

#define WS_RUN_JOBS_PAGE(F, T) \
	RUNS_TOP(F, T) \
	F(T, STR,  q) \
	F(T, STR,  state) \
	F(T, BOOL, narrowed) \
	F(T, BOOL, some) \
	F(T, LIST, jobs, .sub = &ws_job_row_shape) \
	F(T, STR,  next)
SHAPE_DECLARE(ws_run_jobs_page, WS_RUN_JOBS_PAGE);
SHAPE_DEFINE(ws_run_jobs_page, WS_RUN_JOBS_PAGE);

static struct ws_job_row
job_row(struct ctx *c, const struct governed_job *g)
{
	const struct job job = job_of_governed(g);
	const struct governed_artifact *a = g->artifact;
	const struct governed_counts *day = g->runs_24h;

	return (struct ws_job_row){ .id = g->id,
		.title = job_title(&job),
		.artifact_name = a->name,
		.owner = governed_owner(g->owner),
		.when = job_when(c, &job),
		.dot = job_state(&job).dot,
		.state = job_state(&job).words,
		.enabled = g->enabled,
		.failures = g->failures,
		.next_run_at = g->next_run_at,
		.success = str_number(c->mem, day->success),
		.failed = str_number(c->mem, day->failed) };
}

static enum err
h_ws_run_jobs(struct req *r)
{
	const struct ws_run_jobs_query *q = r->query;
	bool by_state = q->state && str_in(q->state, "failing|paused");
	struct governed_job_query ask = { .q = str_given(q->q),
		.state = by_state ? q->state : "all",
		.limit = JOBS_A_PAGE,
		.cursor = q->cursor };
	enum surface s = surface_here(r);
	struct ws_run_jobs_page page = { RUNS_TOP_OF(
					     r, s == SCHEDULES ? "schedules" : "automations"),
		.q = ask.q, .state = ask.state, .narrowed = ask.q || by_state };
	struct governed_job_list jobs;
	const char *next;

	TRY(governed_jobs(r->c, r->ws, s, &ask, &jobs, &next));
	page.some = jobs.n > 0;
	page.jobs = list_made(r->c->mem, &jobs, g, job_row(r->c, g));
	page.next = req_next(r, next, NEXT_WITHOUT);
	return reply_page(r, 0, &page);
}

/* ---- one of them ---- */

/* Whose credentials it uses; NULL: those of whoever looks. */
static const char *
governed_answers(const struct req *r, const struct ws_user *owner)
{
	if (owner && str_eq(owner->user_id, r->who->user_id))
		return NULL;
	return owner ? governed_owner(owner) : "the person who resumes it";
}

#define WS_RUN_JOB_PAGE(F, T) \
	RUNS_TOP(F, T) \
	FORM_PART(F, T) \
	F(T, ID,   id,          .arg = "job_") \
	F(T, STR,  title) \
	F(T, STR,  about) \
	F(T, STR,  when) \
	F(T, STR,  schedule) \
	F(T, STR,  event_type) \
	F(T, BOOL, enabled) \
	F(T, INT,  failures) \
	F(T, STR,  failed_words) \
	F(T, TIME, next_run_at) \
	F(T, TIME, last_run_at) \
	F(T, TIME, created_at) \
	F(T, STR,  owner) \
	F(T, ID,   artifact_id, .arg = "art_") \
	F(T, STR,  artifact_name) \
	F(T, OBJ,  past,        .sub = &run_strip_shape) \
	F(T, BOOL, ran) \
	F(T, LIST, runs,        .sub = &ws_run_row_shape)
SHAPE_DECLARE(ws_run_job_page, WS_RUN_JOB_PAGE);
SHAPE_DEFINE(ws_run_job_page, WS_RUN_JOB_PAGE);

static enum err
ws_run_job_page_of(struct req *r, const struct list *channels, struct ws_run_job_page *page)
{
	struct job_form *form = mem_new(r->c->mem, struct job_form);
	enum surface s = surface_here(r);
	const struct governed_artifact *a;
	struct governed_run_list runs;
	struct governed_job *g;
	const char *next;
	struct job job;

	TRY(governed_job_get(r->c, r->ws, s, job_here(r), &g));
	TRY(governed_runs(r->c, r->ws,
	    &(struct governed_run_query){ .job_id = g->id, .limit = STRIP_RUNS }, &runs, &next));
	job = job_of_governed(g);
	a = g->artifact;
	TRY(job_form_show(r->c, &job, form));
	/* The event of an automation can’t be changed, so the form doesn’t ask for it. */
	if (s == AUTOMATIONS)
		form->when = NULL;
	*page = (struct ws_run_job_page){ RUNS_TOP_OF(
					     r, s == SCHEDULES ? "schedules" : "automations"),
		FORM_PART_OF_JOB(r->c, form, &job), CHANNELS_PART_OF(channels), .id = g->id,
		.title = job_title(&job),
		.about = job_about(r->c, &job), .when = job_when(r->c, &job),
		.schedule = g->schedule, .event_type = g->event_type, .enabled = g->enabled,
		.failures = g->failures, .failed_words = job_failed(r->c, g->failures),
		.next_run_at = g->next_run_at, .last_run_at = g->last_run_at,
		.created_at = g->created_at, .owner = governed_owner(g->owner),
		.artifact_id = a->id, .artifact_name = a->name, .past = run_strip_of(r->c, &runs),
		.ran = runs.n > 0, .runs = ws_run_rows(r->c, &runs, &job),
		.runs_as = governed_answers(r, g->owner) };
	TRY(job_sources(r->c, r->who, r->ws->id, r->ws->role, form, &page->sources));
	page->connected = page->sources.n > 0;
	return E_OK;
}

static enum err
h_ws_run_job(struct req *r)
{
	struct ws_run_job_page page;

	TRY(ws_run_job_page_of(r, NULL, &page));
	return reply_page(r, 0, &page);
}

static enum err
p_ws_run_job_save(struct req *r)
{
	struct governed_job *g;

	TRY(governed_job_get(r->c, r->ws, surface_here(r), job_here(r), &g));
	return job_channels_prepare(r, g->action, r->ws->id, r->ws->role);
}

/* Admins of the workspace may change fewer fields than the form for the artifact’s editors has. */
static enum err
h_ws_run_job_save(struct req *r)
{
	enum surface s = surface_here(r);
	struct ws_run_job_page page;
	struct governed_edit edit;
	struct governed_job *g;
	struct job_edit all;
	struct job job;
	enum err e;

	if (r->prepared) {
		TRY(ws_run_job_page_of(r, r->prepared, &page));
		return job_channels_reply(r, &page);
	}
	TRY(governed_job_get(r->c, r->ws, s, job_here(r), &g));
	job = job_of_governed(g);
	e = job_form_edit(r->c, &job, r->in, &all);
	edit = (struct governed_edit){ .schedule = all.schedule,
		.timezone = all.timezone,
		.config = all.config,
		.has = {
		    .schedule = all.has.schedule, .timezone = all.has.timezone, .config = GIVEN } };
	if (!e)
		e = governed_change(r->c, r->ws, r->who, s, g->id, &edit);
	return e ? job_form_refused(r->c, e, g->action)
		 : reply_redirect(r,
		       mem_printf(r->c->mem, "/w/%s/runs/%s/%s?done=saved", r->ws->id,
			   surface_part(g->trigger_type), g->id));
}

#define RUNS "/w/{ws}/runs"
#define API "/v1/workspaces/{ws}"
/* The two surfaces have the same pages, each over its own routes of the API. */
#define SURFACE_ROWS(at, one, name) \
  { GET,  RUNS at,          WS_ADMIN, \
    TAKES_NOTHING,        GIVES_PAGE(ws_run_jobs), h_ws_run_jobs, \
    .query = &ws_run_jobs_query_shape, .doc = "The " name "s of all artifacts" }, \
  { GET,  RUNS at one, WS_ADMIN, \
    TAKES_NOTHING,        GIVES_PAGE(ws_run_job),  h_ws_run_job, \
    .query = &tab_query_shape, .doc = "One " name ": its runs and its form" }, \
  { POST, RUNS at one, WS_ADMIN, \
    TAKES_FORM(job_form), GIVES_REDIRECT,          h_ws_run_job_save, \
    .again = RUNS at one, .slow = true, .quick_when_small = true, \
    .prepare = p_ws_run_job_save, \
    .doc = "Change it, or show the channels of its chat" }, \
  { POST, RUNS at one "/run", DOES("POST " API at one "/run"), \
    .then = RUNS "/{id}?done=job_ran", .again = RUNS at one, .doc = "Run it now" }, \
  { POST, RUNS at one "/enabled", DOES("PATCH " API at one), \
    .then = RUNS at one "?done=job_enabled_{enabled}", .again = RUNS at one, \
    .doc = "Pause it, or resume it" }, \
  { POST, RUNS at one "/list/enabled", DOES("PATCH " API at one), \
    .then = RUNS at "?done=job_enabled_{enabled}", .again = RUNS at, \
    .doc = "Pause one in the list, or resume it" }
static const struct route governed_job_page_routes[] = {
/*  method path             who
    body                  reply                    handler */
  SURFACE_ROWS("/schedules", "/{sch}", "schedule"),
  SURFACE_ROWS("/automations", "/{trg}", "automation"),
};
ROUTES(governed_job_page, "Pages: schedules and automations of a workspace",
    "What admins see in the browser of what runs by itself in a workspace.");
