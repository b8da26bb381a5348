/* SPDX-License-Identifier: Apache-2.0
 * Pages for admins of all jobs of a workspace: its schedules, its automations, and each of these
 * with its runs and the form that changes it. */
#include "base/str.h"
#include "http/form.h"
#include "jobs/governed_page.h"
#include "jobs/job_channels_page.h"
#include "jobs/run_chart.h"

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

#define WS_RUN_JOBS_QUERY(F, T) \
	F(T, STR, q,      .hi = 200) \
	F(T, STR, state,  .hi = 20) \
	F(T, STR, cursor, .hi = 400) \
	F(T, STR, done,   .hi = 40)
SHAPE(ws_run_jobs_query, WS_RUN_JOBS_QUERY);

static enum err
jobs_say(struct req *r, struct shown *out)
{
	struct governed_job *j = out->rows.v;

	for (size_t i = 0; i < out->rows.n; i++)
		governed_say(r->c, &j[i]);
	return E_OK;
}

/* ---- one job ---- */

#define WS_RUN_JOB_PAGE(F, T) \
	FORM_PART(F, T) \
	F(T, OBJ,  job,  .sub = &governed_job_shape) \
	F(T, OBJ,  past, .sub = &run_strip_shape) \
	F(T, LIST, runs, .sub = &governed_run_shape)
SHAPE(ws_run_job_page, WS_RUN_JOB_PAGE);

static enum err
ws_run_job_page_of(struct req *r, const struct list *channels, struct ws_run_job_page *page)
{
	struct job_form *form = mem_new(r->c->mem, struct job_form);
	struct governed_run_list runs;
	struct governed_job *g;
	const char *next;
	const struct ws_user *owner;
	struct job job;

	TRY(governed_job_get(r->c, r->ws, surface_here(r), job_here(r), &g));
	TRY(governed_runs(r->c, r->ws,
	    &(struct governed_run_query){ .job_id = g->id, .limit = STRIP_RUNS }, &runs, &next));
	owner = g->owner;
	job = job_of_governed(g);
	TRY(job_form_show(r->c, &job, form));
	/* The event of an automation can’t be changed, so the form doesn’t ask for it. */
	if (g->event_type)
		form->when = NULL;
	governed_say(r->c, g);
	*page = (struct ws_run_job_page){ FORM_PART_OF_JOB(r->c, form, &job),
		CHANNELS_PART_OF(channels), .job = g,
		.past = run_strip_of(r->c, &runs), .runs = { runs.v, runs.n },
		.runs_as = !owner ? "the person who resumes it"
		    : str_eq(owner->user_id, r->who->user_id) ? NULL
		    : *owner->name || !owner->email           ? owner->name
							      : owner->email };
	TRY(job_sources(r->c, r->who, r->ws->id, r->ws->role, form, &page->sources));
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
		 : form_done(r, NULL);
}

#define RUNS "/w/{ws}/runs"
#define API "/v1/workspaces/{ws}"
/* The two surfaces have the same pages, each over its own routes of the API. */
#define SURFACE_ROWS(at, one, name) \
  { SHOWN_PAGE(RUNS at, WS_ADMIN, "ws_run_jobs"), .query = &ws_run_jobs_query_shape, \
    .shows = SHOWS({ "jobs", "GET " API at "?limit=50", jobs_say }), \
    .doc = "The " name "s of all artifacts" }, \
  { PAGE(RUNS at one, WS_ADMIN, ws_run_job, h_ws_run_job), .query = &tab_query_shape, \
    .doc = "One " name ": its runs and its form" }, \
  { FORM(RUNS at one, WS_ADMIN, job_form, h_ws_run_job_save), .then = RUNS at one "?done=saved", \
    .again = RUNS at one, .slow = true, .quick_when_small = true, .prepare = p_ws_run_job_save, \
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
  SURFACE_ROWS("/schedules", "/{sch}", "schedule"),
  SURFACE_ROWS("/automations", "/{trg}", "automation"),
};
ROUTES(governed_job_page, "Pages: schedules and automations of a workspace",
    "What admins see in the browser of what runs by itself in a workspace.");
