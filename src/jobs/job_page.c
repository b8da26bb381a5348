/* SPDX-License-Identifier: Apache-2.0
 * The tab "Jobs" of an artifact: its jobs, the form of one, and their runs. Its editors see it. */
#include "base/id.h"
#include "base/str.h"
#include "core/artifact.h"
#include "core/artifact_top_page.h"
#include "core/way.h"
#include "http/req.h"
#include "http/share.h"
#include "jobs/job_channels_page.h"
#include "jobs/runnow.h"

enum { RUNS_A_PAGE = 25 };

/* ---- runs ---- */

#define RUN_LINE(F, T) \
	F(T, ID,   id,      .arg = "run_") \
	F(T, ID,   job_id,  .arg = "job_") \
	F(T, WORD, status,  .arg = RUN_STATUSES) \
	F(T, STR,  lead,    .doc = "Its job, on the page of one job why it ran") \
	F(T, TIME, scheduled_for) \
	F(T, INT,  attempt) \
	F(T, STR,  took) \
	F(T, STR,  reply)
SHAPE_DECLARE(run_line, RUN_LINE);
SHAPE_DEFINE(run_line, RUN_LINE);

/* Runs with the titles of their jobs; of one job, why they ran. */
static struct list
run_lines(struct ctx *c, const struct run_list *runs, const struct job_list *jobs,
    const struct job *one)
{
	struct run_line *line = mem_array(c->mem, struct run_line, runs->n + 1);

	for (size_t i = 0; i < runs->n; i++) {
		const struct run *run = &runs->v[i];

		line[i] = (struct run_line){ .id = run->id, .job_id = run->job_id,
			.status = run->status,
			.lead = one ? run_why(run->trigger, one->event_type) : "",
			.scheduled_for = run->scheduled_for, .attempt = run->attempt,
			.took = run->finished_at ? run_took(c, run->duration_ms) : "",
			.reply = run_reply(c, run->status, run->error, run->http_status) };
		for (size_t k = 0; !one && k < jobs->n; k++)
			if (str_eq(jobs->v[k].id, run->job_id))
				line[i].lead = job_title(&jobs->v[k]);
	}
	return (struct list){ line, runs->n };
}

/* The fields of the part runs.html. */
#define RUNS_PART(F, T) \
	F(T, LIST, runs,     .sub = &run_line_shape) \
	F(T, INT,  run_n) \
	F(T, BOOL, one_job) \
	F(T, BOOL, filtered) \
	F(T, STR,  next)

/* ---- all jobs ---- */

/* The fields of the parts job-badges.html and job-buttons.html. */
#define JOB_HEAD(F, T) \
	F(T, ID,   id,           .arg = "job_") \
	F(T, STR,  title) \
	F(T, STR,  about) \
	F(T, STR,  when) \
	F(T, BOOL, enabled) \
	F(T, INT,  failures) \
	F(T, STR,  failed_words) \
	F(T, TIME, next_run_at) \
	F(T, TIME, last_run_at)
#define JOB_LINE(F, T) \
	JOB_HEAD(F, T) \
	F(T, WORD, dot,    .arg = "ok|bad|none") \
	F(T, STR,  state) \
	F(T, BOOL, chosen, .doc = "Its runs alone are shown")
SHAPE_DECLARE(job_line, JOB_LINE);
SHAPE_DEFINE(job_line, JOB_LINE);

#define JOBS_PAGE(F, T) \
	ARTIFACT_PAGE(F, T) \
	RUNS_PART(F, T) \
	F(T, LIST, jobs,    .sub = &job_line_shape) \
	F(T, INT,  job_n) \
	F(T, BOOL, room,    .doc = "For one more") \
	F(T, STR,  outcome) \
	F(T, WORD, from,    .arg = "list|job")
SHAPE_DECLARE(jobs_page, JOBS_PAGE);
SHAPE_DEFINE(jobs_page, JOBS_PAGE);

#define JOBS_QUERY(F, T) \
	F(T, STR, done,    .hi = 40) \
	F(T, STR, cursor,  .hi = 4096) \
	F(T, STR, job,     .hi = 40) \
	F(T, STR, outcome, .hi = 40)
SHAPE_DECLARE(jobs_query, JOBS_QUERY);
SHAPE_DEFINE(jobs_query, JOBS_QUERY);

#define JOB_HEAD_OF(c, j) \
	.id = (j)->id, .title = job_title(j), .about = job_about(c, j), .when = job_when(c, j), \
	.enabled = (j)->enabled, .failures = (j)->failures, \
	.failed_words = job_failed(c, (j)->failures), .next_run_at = (j)->next_run_at, \
	.last_run_at = (j)->last_run_at

static struct list
job_lines(struct ctx *c, const struct job_list *jobs, const char *chosen)
{
	struct job_line *line = mem_array(c->mem, struct job_line, jobs->n + 1);

	for (size_t i = 0; i < jobs->n; i++) {
		const struct job *j = &jobs->v[i];

		line[i] = (struct job_line){ JOB_HEAD_OF(c, j), .chosen = str_eq(j->id, chosen),
			.dot = job_state(j).dot, .state = job_state(j).words };
	}
	return (struct list){ line, jobs->n };
}

static enum err
runs_find(struct req *r, const struct jobs_query *q, const struct job_list *jobs,
    struct jobs_page *page)
{
	bool one = q->job && id_valid(q->job, "job_");
	bool some = q->outcome && str_in(q->outcome, RUN_STATUSES);
	struct run_query asked = { .status = some ? q->outcome : NULL, .limit = RUNS_A_PAGE,
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
	page->runs = run_lines(r->c, &runs, jobs, NULL);
	page->run_n = (int64_t)runs.n;
	page->filtered = one || some;
	page->next = req_next(r, cursor, NEXT_WITHOUT);
	return E_OK;
}

static enum err
h_jobs_page(struct req *r)
{
	const struct jobs_query *q = r->query;
	struct jobs_page page = { ARTIFACT_PAGE_OF(r, "jobs"), .outcome = q->outcome,
		.from = "list" };
	struct job_list jobs;
	const char *more;

	TRY(job_list(r->c, r->who,
	    &(struct job_query){ .artifact_id = r->art->id, .limit = JOBS_MAX,
		.has.artifact_id = GIVEN },
	    &jobs, &more));
	TRY(runs_find(r, q, &jobs, &page));
	page.jobs = job_lines(r->c, &jobs, q->job);
	page.job_n = (int64_t)jobs.n;
	page.room = jobs.n < JOBS_MAX;
	return reply_page(r, 0, &page);
}

/* ---- the form ---- */

#define JOB_NEW_PAGE(F, T) \
	ARTIFACT_PAGE(F, T) \
	FORM_PART(F, T) \
	F(T, STR, title)
SHAPE_DECLARE(job_new_page, JOB_NEW_PAGE);
SHAPE_DEFINE(job_new_page, JOB_NEW_PAGE);

#define JOB_NEW_QUERY(F, T) F(T, WORD, action, .arg = JOB_ACTIONS)
SHAPE_DECLARE(job_new_query, JOB_NEW_QUERY);
SHAPE_DEFINE(job_new_query, JOB_NEW_QUERY);

static const char *
action_verb(const char *action)
{
	static const struct {
		const char *action, *verb;
	} verbs[] = { { "email", "Send an e-mail" }, { "webhook", "Call a webhook" },
		{ "chat_a", "Post to Slack" }, { "chat_b", "Post to Discord" },
		{ "http_get", "Fetch a URL" }, { "materialize", "Load data" } };

	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		if (str_eq(verbs[i].action, action))
			return verbs[i].verb;
	return action;
}

/* channels: of the connection that was chosen, or NULL. */
static enum err
job_new_page_of(
    struct req *r, const char *action, const struct list *channels, struct job_new_page *page)
{
	struct job_form *form = mem_new(r->c->mem, struct job_form);

	job_form_begin(form, action, r->who->email);
	*page = (struct job_new_page){ ARTIFACT_PAGE_OF(r, "jobs"), FORM_PART_OF(r->c, form),
		CHANNELS_PART_OF(channels), .title = action_verb(action) };
	TRY(job_sources(r->c, r->who, r->art->workspace_id, r->art->workspace_role, form,
	    &page->sources));
	page->connected = page->sources.n > 0;
	return E_OK;
}

static enum err
h_job_new(struct req *r)
{
	const struct job_new_query *q = r->query;
	struct job_new_page page;

	if (!q->action)
		return reply_page(
		    r, 0, &(struct job_new_page){ ARTIFACT_PAGE_OF(r, "jobs") });
	TRY(job_new_page_of(r, q->action, NULL, &page));
	return reply_page(r, 0, &page);
}

static enum err
p_job_make(struct req *r)
{
	const struct job_form *in = r->in;

	return job_channels_prepare(
	    r, in->action, r->art->workspace_id, r->art->workspace_role);
}

/* ---- one job ---- */

#define JOB_PAGE(F, T) \
	ARTIFACT_PAGE(F, T) \
	RUNS_PART(F, T) \
	FORM_PART(F, T) \
	JOB_HEAD(F, T) \
	F(T, STR,  schedule) \
	F(T, STR,  event_type) \
	F(T, TIME, created_at) \
	F(T, BOOL, signs) \
	F(T, STR,  secret, .doc = "A new one, to be shown once") \
	F(T, WORD, from,   .arg = "list|job")
SHAPE_DECLARE(job_page, JOB_PAGE);
SHAPE_DEFINE(job_page, JOB_PAGE);

/* Whose credentials a job uses; NULL: those of whoever looks. */
static const char *
answers_words(const struct req *r, const struct job *j)
{
	return !j->created_by                            ? "the person who resumes it"
	    : str_eq(j->created_by, r->who->user_id) ? NULL
						 : "the person who answers for the job, "
						   "and with yours once you change what it does";
}

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
	*page = (struct job_page){ ARTIFACT_PAGE_OF(r, "jobs"), FORM_PART_OF_JOB(r->c, form, j),
		CHANNELS_PART_OF(channels),
		JOB_HEAD_OF(r->c, j), .runs = run_lines(r->c, &runs, NULL, j),
		.run_n = (int64_t)runs.n, .one_job = true,
		.next = more ? mem_printf(r->c->mem, "/a/%s/jobs/%s?cursor=%s", r->art->id,
				   j->id, more)
			     : NULL,
		.schedule = j->schedule,
		.event_type = j->event_type, .created_at = j->created_at,
		.signs = str_eq(j->action, "webhook"), .from = "job",
		.runs_as = answers_words(r, j) };
	TRY(job_sources(r->c, r->who, r->art->workspace_id, r->art->workspace_role, form,
	    &page->sources));
	page->connected = page->sources.n > 0;
	return E_OK;
}

/* Also the answer to a form, so it does not go by the request's address. */
static enum err
job_reply(struct req *r, const char *id, const char *cursor, const char *secret)
{
	struct job_page page;

	TRY(job_page_of(r, id, cursor, NULL, &page));
	page.secret = secret;
	return reply_page(r, 0, &page);
}

static enum err
h_job_page(struct req *r)
{
	const struct tab_query *q = r->query;

	return job_reply(r, req_param(r, "job"), q->cursor, NULL);
}

static enum err
job_back(struct req *r, const char *id, const char *done)
{
	return artifact_page_back(r, mem_printf(r->c->mem, "/jobs/%s", id), done);
}

static enum err
h_job_make(struct req *r)
{
	const struct job_form *in = r->in;
	struct job_new_page page;
	const char *id, *shown;
	struct job_new job;
	enum err e;

	if (r->prepared) {
		TRY(job_new_page_of(r, in->action, r->prepared, &page));
		return job_channels_reply(r, &page);
	}
	e = job_form_new(r->c, r->art, in, &job);
	if (!e)
		e = job_add(r->c, r->art, r->who, &job, &id, &shown);
	if (e)
		return job_form_refused(r->c, e, in->action);
	return shown ? job_reply(r, id, NULL, shown) : job_back(r, id, "job_made");
}

/* The action is the job’s, whatever the form says. */
static enum err
p_job_save(struct req *r)
{
	struct job *j;

	TRY(job_get(r->c, r->art, req_param(r, "job"), &j));
	return job_channels_prepare(
	    r, j->action, r->art->workspace_id, r->art->workspace_role);
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
	return e ? job_form_refused(r->c, e, j->action) : job_back(r, j->id, "saved");
}

static enum err
h_job_rotate(struct req *r)
{
	const char *shown;
	struct job *j;

	TRY(job_get(r->c, r->art, req_param(r, "job"), &j));
	TRY(job_rotate(r->c, j, &shown));
	return job_reply(r, j->id, NULL, shown);
}

/* ---- one run ---- */

#define RUN_PAGE(F, T) \
	ARTIFACT_PAGE(F, T) \
	F(T, ID,   id,       .arg = "run_") \
	F(T, ID,   job_id,   .arg = "job_") \
	F(T, STR,  title) \
	F(T, WORD, status,   .arg = RUN_STATUSES) \
	F(T, STR,  why) \
	F(T, BOOL, over) \
	F(T, BOOL, delivers, .doc = "It is a webhook's") \
	F(T, TIME, scheduled_for) \
	F(T, TIME, next_attempt_at) \
	F(T, TIME, started_at) \
	F(T, TIME, finished_at) \
	F(T, STR,  took) \
	F(T, INT,  attempt) \
	F(T, STR,  error) \
	F(T, LIST, attempts, .sub = &attempt_line_shape)
SHAPE_DECLARE(run_page, RUN_PAGE);
SHAPE_DEFINE(run_page, RUN_PAGE);

static enum err
h_run_page(struct req *r)
{
	struct run *run;
	struct job *j;

	TRY(job_get(r->c, r->art, req_param(r, "job"), &j));
	TRY(run_get(r->c, j, req_param(r, "run"), &run));
	return reply_page(r, 0,
	    &(struct run_page){ ARTIFACT_PAGE_OF(r, "jobs"), .id = run->id, .job_id = j->id,
		.title = job_title(j), .status = run->status,
		.why = run_why(run->trigger, j->event_type),
		.over = run_is_over(run->status),
		.delivers = str_eq(j->action, "webhook"),
		.scheduled_for = run->scheduled_for, .next_attempt_at = run->next_attempt_at,
		.started_at = run->started_at, .finished_at = run->finished_at,
		.took = run->finished_at ? run_took(r->c, run->duration_ms) : "",
		.attempt = run->attempt, .error = run_error(r->c, run->error),
		.attempts = run_attempt_lines(r->c, &run->attempts) });
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
/*  method path                who
    body                    reply                handler */
  { GET,  "/a/{art}/jobs",     ART_EDIT,
    TAKES_NOTHING,          GIVES_PAGE(jobs),    h_jobs_page,
    .query = &jobs_query_shape, .doc = "Its jobs and their runs" },
  { GET,  "/a/{art}/jobs/new", ART_EDIT,
    TAKES_NOTHING,          GIVES_PAGE(job_new), h_job_new,
    .query = &job_new_query_shape,
    .doc = "The form of a new job; without an action, what it could do" },
  { POST, "/a/{art}/jobs",     ART_EDIT,
    TAKES_FORM(job_form),   GIVES_PAGE(job),     h_job_make,
    .again = "/a/{art}/jobs/new", .slow = true, .quick_when_small = true,
    .prepare = p_job_make,
    .doc = "Create a job, or show the channels of the chat that it is to post to" },
  { GET,  A_JOB,               ART_EDIT,
    TAKES_NOTHING,          GIVES_PAGE(job),     h_job_page,
    .query = &tab_query_shape, .opened = true,
    .doc = "A job: what it does, its runs, its form" },
  { POST, A_JOB,               ART_EDIT,
    TAKES_FORM(job_form),   GIVES_REDIRECT,      h_job_save,
    .again = A_JOB, .slow = true, .quick_when_small = true, .prepare = p_job_save,
    .doc = "Change a job, or show the channels of its chat" },
  { POST, A_JOB "/enabled", DOES("PATCH /v1/jobs/{job}"),
    .then = A_JOB "?done=job_enabled_{enabled}", .again = A_JOB,
    .doc = "Pause a job, or resume it" },
  { POST, A_JOB "/list/enabled", DOES("PATCH /v1/jobs/{job}"),
    .then = "/a/{art}/jobs?done=job_enabled_{enabled}", .again = "/a/{art}/jobs",
    .doc = "Pause one in the list, or resume it" },
  { POST, A_JOB "/run", DOES("POST /v1/jobs/{job}/run"),
    .then = A_JOB "/runs/{id}?done=job_ran", .again = A_JOB, .doc = "Run a job now" },
  { POST, A_JOB "/rotate",     ART_EDIT,
    TAKES_FORM(button),     GIVES_PAGE(job),     h_job_rotate,
    .again = A_JOB, .doc = "Create a new secret for a webhook" },
  { POST, A_JOB "/delete", DOES("DELETE /v1/jobs/{job}"),
    .ask = ASK("Delete the job {name}?",
	"It won’t run anymore, and its run history is deleted too. This can’t be undone; "
	"pause the job instead if you might need it again.",
	"Delete job", A_JOB, .find = job_find, .url = "{url}", .who = ART_EDIT),
    .then = "/a/{art}/jobs?done=gone", .doc = "Delete a job" },
  { GET,  A_RUN,               ART_EDIT,
    TAKES_NOTHING,          GIVES_PAGE(run),     h_run_page,
    .query = &tab_query_shape, .doc = "A run of a job: its attempts and the replies" },
  { POST, A_RUN "/redeliver", DOES("POST /v1/jobs/{job}/runs/{run}/redeliver"),
    .then = A_RUN "?done=job_again", .again = A_RUN, .doc = "Repeat a run" },
};
ROUTES(job_page, "Pages: jobs",
    "What editors see of an artifact's jobs in the browser.");
