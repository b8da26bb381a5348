/* SPDX-License-Identifier: Apache-2.0
 * The tab "Jobs" of an artifact: its jobs, the form of one, and their runs. Its editors see it. */
#include "base/id.h"
#include "base/str.h"
#include "core/artifact_top_page.h"
#include "core/find.h"
#include "http/form.h"
#include "jobs/job_channels_page.h"
#include "jobs/runnow.h"

enum { RUNS_A_PAGE = 25 };

/* ---- all jobs ---- */

#define JOBS_PAGE(F, T) \
	F(T, LIST, runs, .sub = &run_shape) \
	F(T, LIST, jobs, .sub = &job_shape) \
	F(T, BOOL, room, .doc = "For one more") \
	F(T, STR,  next)
SHAPE(jobs_page, JOBS_PAGE);

#define JOBS_QUERY(F, T) \
	F(T, STR, done,    .hi = 40) \
	F(T, STR, cursor,  .hi = 4096) \
	F(T, STR, job,     .hi = 40) \
	F(T, STR, outcome, .hi = 40)
SHAPE(jobs_query, JOBS_QUERY);

static enum err
runs_find(struct req *r, const struct jobs_query *q, const struct job_list *jobs,
    struct jobs_page *page)
{
	bool one = q->job && id_valid(q->job, "job_");
	struct run_query asked = { .status = str_one_of(q->outcome, RUN_STATUSES),
		.limit = RUNS_A_PAGE,
		.cursor = q->cursor };
	struct run_list runs;
	const char *cursor;
	struct job *j;

	if (one) {
		TRY(job_get(r->c, r->art, q->job, &j));
		TRY(run_list(r->c, j, &asked, &runs, &cursor));
	} else {
		TRY(run_list_all(r->c, r->art, &asked, &runs, &cursor));
	}
	for (size_t i = 0; i < runs.n; i++)
		for (size_t k = 0; k < jobs->n; k++)
			if (str_eq(jobs->v[k].id, runs.v[i].job_id))
				runs.v[i].lead = jobs->v[k].title;
	page->runs = (struct list){ runs.v, runs.n };
	page->next = req_next(r, cursor, NEXT_WITHOUT);
	return E_OK;
}

static enum err
h_jobs_page(struct req *r)
{
	const struct jobs_query *q = r->query;
	struct jobs_page page = { 0 };
	struct job_list jobs;
	const char *more;

	TRY(job_list(r->c, r->who,
	    &(struct job_query){ .artifact_id = r->art->id, .limit = JOBS_MAX,
		.has.artifact_id = GIVEN },
	    &jobs, &more));
	for (size_t i = 0; i < jobs.n; i++)
		job_say(r->c, &jobs.v[i]);
	TRY(runs_find(r, q, &jobs, &page));
	page.jobs = (struct list){ jobs.v, jobs.n };
	page.room = jobs.n < JOBS_MAX;
	return reply_page(r, 0, &page);
}

/* ---- the form ---- */

/* A job's page. The page of a new job has the same shape and fills in the form only. */
#define JOB_PAGE(F, T) \
	FORM_PART(F, T) \
	F(T, OBJ,  job,  .sub = &job_shape) \
	F(T, LIST, runs, .sub = &run_shape) \
	F(T, STR,  next)
SHAPE(job_page, JOB_PAGE);

#define JOB_NEW_QUERY(F, T) F(T, WORD, action, .arg = JOB_ACTIONS)
SHAPE(job_new_query, JOB_NEW_QUERY);

/* Fills the page of a new job. channels: those of the chosen connection, or NULL. */
static enum err
job_new_page_of(
    struct req *r, const char *action, const struct list *channels, struct job_page *page)
{
	struct job_form *form = mem_new(r->c->mem, struct job_form);

	job_form_begin(form, action, r->who->email);
	*page = (struct job_page){ FORM_PART_OF(form),
		CHANNELS_PART_OF(channels) };
	TRY(job_sources(r->c, r->who, r->art->workspace_id, r->art->workspace_role, form,
	    &page->sources));
	return E_OK;
}

static enum err
h_job_new(struct req *r)
{
	const struct job_new_query *q = r->query;
	struct job_page page;

	if (!q->action)
		return reply_page(
		    r, 0, &(struct job_page){ 0 });
	TRY(job_new_page_of(r, q->action, NULL, &page));
	return reply_page(r, 0, &page);
}

/* ---- one job ---- */

static enum err
job_page_of(struct req *r, const char *id, const char *cursor, const struct list *channels,
    struct job_page *page)
{
	struct job_form *form = mem_new(r->c->mem, struct job_form);
	struct run_list runs;
	const char *more;
	struct job *j;

	TRY(job_get(r->c, r->art, id, &j));
	TRY(run_list(r->c, j, &(struct run_query){ .limit = RUNS_A_PAGE, .cursor = cursor }, &runs,
	    &more));
	TRY(job_form_show(r->c, j, form));
	/* The event of a job can’t be changed, so the form doesn’t ask for it. */
	if (j->event_type)
		form->when = NULL;
	job_say(r->c, j);
	*page = (struct job_page){ FORM_PART_OF_JOB(r->c, form, j),
		CHANNELS_PART_OF(channels), .job = j, .runs = { runs.v, runs.n },
		.next = more ? mem_printf(r->c->mem, "/a/%s/jobs/%s?cursor=%s", r->art->id,
				   j->id, more)
			     : NULL,
		.runs_as = !j->created_by ? "the person who resumes it"
		    : str_eq(j->created_by, r->who->user_id)
		    ? NULL
		    : "the person who answers for the job, and with yours once you change what it "
		      "does" };
	TRY(job_sources(r->c, r->who, r->art->workspace_id, r->art->workspace_role, form,
	    &page->sources));
	return E_OK;
}

static enum err
h_job_page(struct req *r)
{
	const struct tab_query *q = r->query;
	struct job_page page;

	TRY(job_page_of(r, req_param(r, "job"), q ? q->cursor : NULL, NULL, &page));
	return reply_page(r, 0, &page);
}

static enum err
h_job_make(struct req *r)
{
	const struct job_form *in = r->in;
	struct job_page page;
	struct job_page made;
	const char *id;
	struct job_new job;
	enum err e;

	if (r->prepared) {
		TRY(job_new_page_of(r, in->action, r->prepared, &page));
		return job_channels_reply(r, &page);
	}
	e = job_form_new(r->c, r->art, in, &job);
	if (!e)
		e = job_add(r->c, r->art, r->who, &job, &id, &r->made);
	if (e)
		return job_form_refused(r->c, e, in->action);
	if (!r->made)
		return reply_go(r, "/a/%s/jobs/%s?done=job_made", r->art->id, id);
	TRY(job_page_of(r, id, NULL, NULL, &made));
	return reply_page(r, 0, &made);
}

/* The action of a job that is there is its own, whatever the form says. */
static enum err
p_job(struct req *r)
{
	const char *action = ((const struct job_form *)r->in)->action;
	struct job *j;

	if (route_has_param(r->route, "job")) {
		TRY(job_get(r->c, r->art, req_param(r, "job"), &j));
		action = j->action;
	}
	return job_channels_prepare(r, action, r->art->workspace_id, r->art->workspace_role);
}

static enum err
h_job_save(struct req *r)
{
	const struct job_form *in = r->in;
	struct job_page page;
	struct job_edit edit;
	struct job *j;
	enum err e;

	if (r->prepared) {
		TRY(job_page_of(r, req_param(r, "job"), NULL, r->prepared, &page));
		return job_channels_reply(r, &page);
	}
	TRY(job_get(r->c, r->art, req_param(r, "job"), &j));
	e = job_form_edit(r->c, j, in, &edit);
	if (!e)
		e = job_change(r->c, r->art, r->who, false, j, &edit);
	return e ? job_form_refused(r->c, e, j->action) : form_done(r, NULL);
}

/* ---- one run ---- */

#define RUN_PAGE(F, T) \
	F(T, OBJ, run, .sub = &run_shape) \
	F(T, OBJ, job, .sub = &job_shape)
SHAPE(run_page, RUN_PAGE);

static enum err
h_run_page(struct req *r)
{
	struct run *run;
	struct job *j;

	TRY(job_get(r->c, r->art, req_param(r, "job"), &j));
	TRY(run_get(r->c, j, req_param(r, "run"), &run));
	run_attempts_turn(&run->attempts);
	job_say(r->c, j);
	return reply_page(
	    r, 0, &(struct run_page){ .run = run, .job = j });
}

static enum err
job_find(struct req *r, struct shown *out)
{
	struct job *j;

	TRY(job_get(r->c, r->art, req_param(r, "job"), &j));
	return ASKED(r, out, .name = job_title(j), .url = r->art->url);
}

#define A_JOB "/a/{art}/jobs/{job}"
#define A_RUN A_JOB "/runs/{run}"
static const struct route job_page_routes[] = {
  { PAGE("/a/{art}/jobs", ART_EDIT, jobs, h_jobs_page), .query = &jobs_query_shape,
    .title = "Jobs", .doc = "Its jobs and their runs" },
  { PAGE_OF("/a/{art}/jobs/new", ART_EDIT, "job_new", &job_page_shape, h_job_new),
    .query = &job_new_query_shape,
    .title = "New job", .doc = "The form of a new job; without an action, what it could do" },
  { FORM_PAGE("/a/{art}/jobs", ART_EDIT, job_form, job, h_job_make), .again = "/a/{art}/jobs/new",
    .slow = true, .quick_when_small = true, .prepare = p_job, .title = "New job",
    .doc = "Create a job, or show the channels of the chat that it is to post to" },
  { PAGE(A_JOB, ART_EDIT, job, h_job_page), .query = &tab_query_shape, .opened = FIND_JOB,
    .title = "Job", .doc = "A job: what it does, its runs, its form" },
  { FORM(A_JOB, ART_EDIT, job_form, h_job_save), .then = A_JOB "?done=saved", .again = A_JOB,
    .slow = true, .quick_when_small = true, .prepare = p_job,
    .doc = "Change a job, or show the channels of its chat" },
  { POST, A_JOB "/enabled", DOES("PATCH /v1/jobs/{job}"),
    .then = A_JOB "?done=job_enabled_{enabled}", .again = A_JOB,
    .doc = "Pause a job, or resume it" },
  { POST, A_JOB "/list/enabled", DOES("PATCH /v1/jobs/{job}"),
    .then = "/a/{art}/jobs?done=job_enabled_{enabled}", .again = "/a/{art}/jobs",
    .doc = "Pause one in the list, or resume it" },
  { POST, A_JOB "/run", DOES("POST /v1/jobs/{job}/run"),
    .then = A_JOB "/runs/{id}?done=job_ran", .again = A_JOB, .doc = "Run a job now" },
  { POST, A_JOB "/rotate", DOES("POST /v1/jobs/{job}/rotate-secret"),
    .stays = A_JOB, .again = A_JOB, .doc = "Create a new secret for a webhook" },
  { POST, A_JOB "/delete", DOES("DELETE /v1/jobs/{job}"),
    .ask = ASK("Delete the job {name}?",
	"It won’t run anymore, and its run history is deleted too. This can’t be undone; "
	"pause the job instead if you might need it again.",
	"Delete job", A_JOB, .find = job_find, .url = "{url}", .who = ART_EDIT),
    .then = "/a/{art}/jobs?done=gone", .doc = "Delete a job" },
  { PAGE(A_RUN, ART_EDIT, run, h_run_page), .query = &tab_query_shape,
    .title = "Run", .doc = "A run of a job: its attempts and the replies" },
  { POST, A_RUN "/redeliver", DOES("POST /v1/jobs/{job}/runs/{run}/redeliver"),
    .then = A_RUN "?done=job_again", .again = A_RUN, .doc = "Repeat a run" },
};
ROUTES(job_page, "Pages: jobs",
    "What editors see of an artifact's jobs in the browser.");
