/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs/action.h"

#include "base/conf.h"
#include "base/log.h"
#include "base/redact.h"
#include "base/str.h"
#include "connections/use.h"
#include "core/event.h"
#include "jobs/action_kind.h"

static enum err
run_read(struct ctx *c, const struct run_held *held, const struct action_kind **kind,
    struct action_run *out)
{
	const char *secrets = NULL;

	*out = (struct action_run){ .held = held };
	TRY(action_kind_find(c, held->action, kind));
	TRY(action_json_of(c, held->config, &out->config));
	TRY(action_json_of(c, held->payload, &out->data));
	if (held->secrets && !(secrets = sealed_open(
				   c->mem, &job_sealed, held->job_id, NULL, held->secrets)))
		return fail(c, E_INVALID,
		    "the secrets in this job's config can no longer be read; enter them again");
	TRY(action_secrets_read(c, secrets, &out->secrets));
	out->url = mem_printf(
	    c->mem, "%s/", conf_site_origin(c->mem, c->conf, held->artifact_slug));
	return E_OK;
}

enum err
action_artifact(struct ctx *c, const struct run_held *held, struct artifact **out)
{
	const struct principal who = { .user_id = held->created_by };

	TRY(artifact_get(c, held->artifact_id, &who, false, out));
	(*out)->access_policy = NULL;
	/* An admin of the workspace may answer for a job, which then acts with an editor's
	 * rights. */
	if (member_rank((*out)->workspace_role) >= MEMBER_ADMIN &&
	    role_rank((*out)->role) < ROLE_EDITOR)
		(*out)->role = "editor";
	return E_OK;
}

/* Alerts are exempt, since the reader who set one up need not be an editor. user_set_disabled()
 * turns off the jobs of a disabled account; this check ends the runs that were queued before. */
static enum err
maker_check(struct ctx *c, const struct run_held *held)
{
	enum job_maker_may may;

	if (str_eq(held->cause, "alert"))
		return E_OK;
	TRY(job_maker_may(c, held->created_by, held->artifact_id, &may));
	if (may == JOB_MAKER_MAY)
		return E_OK;
	if (may == JOB_MAKER_DISABLED)
		return fail(
		    c, E_INVALID, "the account of the person who set up this job is disabled");
	TRY(job_disable_of(c, held->created_by, held->artifact_id));
	return fail(c, E_INVALID,
	    "the person who set up this job can no longer edit the artifact, "
	    "so the job was paused; an editor can turn it back on");
}

/* An event's payload with "over" only records that the artifact had too many runs. */
static bool
run_reports_limit(const struct action_run *r)
{
	return r->data && json_kind(r->data) == J_OBJ && json_get(r->data, "over");
}

enum err
action_begin(struct ctx *c, const struct run_held *held, struct action_asked *out)
{
	const struct action_kind *kind;
	struct connection_used *used = NULL;
	struct action_run run;

	*out = (struct action_asked){ .between = out->between, .arg = out->arg };
	TRY(maker_check(c, held));
	TRY(run_read(c, held, &kind, &run));
	if (!kind->begin || run_reports_limit(&run))
		return E_OK;
	if (held->connection_id)
		TRY(connection_use(
		    c, held->connection_id, held->tenant, held->created_by, &used));
	run.used = out->used = used;
	return kind->ask && used && used->postgres ? kind->ask(c, &run, &out->query)
						   : kind->begin(c, &run, &out->req);
}

bool
action_err_is_told(enum err e)
{
	return e != E_INTERNAL && e != E_UNAVAILABLE && e != E_DISK_FULL;
}

static bool
answer_is_good(const struct action_answer *a)
{
	return a->rows || (a->res && a->res->status >= 200 && a->res->status <= 299);
}

/* Notes on the connection whether its last use worked, for its owner to see. */
static void
connection_note(struct ctx *c, const struct action_asked *asked, const struct action_answer *a)
{
	const char *why = a->why;

	if (!asked->used)
		return;
	if (a->res && !answer_is_good(a))
		why = mem_printf(c->mem, "the server answered %ld", a->res->status);
	if (!connection_ended(c, asked->used->connection, why))
		return;
	log_line(LOG_LEVEL_WARN, "a connection's use isn't noted", "why", ctx_why(c), NULL);
	ctx_again(c);
}

enum err
action_take(struct ctx *c, const struct run_held *held, const struct action_asked *asked,
    const struct action_answer *a, struct action_taken **out)
{
	struct redact secrets = REDACT(c->mem);
	struct buf body = BUF(c->mem);
	const struct action_kind *kind;
	struct egress_res res = { 0 };
	struct action_run run;
	enum err e;

	*out = mem_new(c->mem, struct action_taken);
	connection_note(c, asked, a);
	TRY(action_kind_find(c, held->action, &kind));
	if (!kind->take || !answer_is_good(a))
		return E_OK;
	TRY(run_read(c, held, &kind, &run));
	run.used = asked->used;
	run.asked = asked;
	run.rows = a->rows;
	if (run.used) {
		connection_used_redact(run.used, &secrets);
		run.secrets_used = &secrets;
	}
	if (a->res)
		res = *a->res;
	/* The connection's server may repeat its secrets, and others can read what a job saves. */
	if (a->res && run.used) {
		if (res.body_n)
			redact(&secrets, res.body, res.body_n, true, &body);
		res.body_n = body.n;
		res.body = buf_done(&body);
	}
	e = kind->take(c, &run, a->res ? &res : NULL, &(*out)->found);
	(*out)->struck = secrets.found;
	if (!e || !action_err_is_told(e))
		return e;
	(*out)->wrong = ctx_why(c);
	ctx_again(c);
	return E_OK;
}

/* ---- output and errors of answers ---- */

static int
header_redact(void *arg, const char *name, const struct json *value)
{
	const char *text = json_str(value), *last = strrchr(text, ' ');

	(void)name;
	redact_add(arg, text);
	/* The server may repeat the token of "Bearer …" alone. */
	redact_add(arg, last ? last + 1 : NULL);
	return 0;
}

/* The start of the response body, at most RUN_OUTPUT_BYTES; NULL: the body is empty. Secrets are
 * removed before the cut, since a cut could leave half of one. */
static const char *
answer_text(struct ctx *c, const struct egress_res *res, struct redact *secrets)
{
	struct buf all = BUF(c->mem), b = BUF(c->mem);
	size_t n;

	for (size_t at = 0, step; at < res->body_n && all.n <= RUN_OUTPUT_BYTES; at += step) {
		step = res->body_n - at < RUN_OUTPUT_BYTES ? res->body_n - at : RUN_OUTPUT_BYTES;
		redact(secrets, res->body + at, step, at + step == res->body_n, &all);
	}
	n = all.n < RUN_OUTPUT_BYTES ? all.n : RUN_OUTPUT_BYTES;
	if (!n)
		return NULL;
	/* Leaves out a character that the limit cuts in two. */
	for (int i = 0; i < 3 && n < all.n && ((uint8_t)all.s[n] & 0xc0) == 0x80; i++)
		n--;
	if (memchr(all.s, 0, n))
		return mem_printf(c->mem, "%zu bytes of binary data", res->body_n);
	for (size_t i = 0, step; i < n && b.n + 4 <= RUN_OUTPUT_BYTES; i += step ? step : 1) {
		uint32_t code;

		step = str_utf8(all.s + i, n - i, &code);
		if (step)
			buf_add(&b, all.s + i, step);
		else
			buf_utf8(&b, 0xfffd);
	}
	return buf_done(&b);
}

/* The outcome of a request without an answer, or with a status other than 2xx. */
static struct run_outcome
outcome_of(struct ctx *c, const struct action_answer *a, struct redact *secrets)
{
	const struct egress_res *res = a->res;
	struct run_outcome out = { .verdict = a->rows ? RUN_DONE
		    : a->final			      ? RUN_FAILED
						      : RUN_TRY_AGAIN,
		.error = a->why };

	if (!res)
		return out;
	out.http_status = res->status;
	out.output = answer_text(c, res, secrets);
	out.retry_after_s = res->retry_after_s;
	if (res->status == 410)
		out.verdict = RUN_FAILED;
	if (answer_is_good(a))
		return (struct run_outcome){
			.verdict = RUN_DONE, .http_status = res->status, .output = out.output
		};
	out.error = res->status == 410
	    ? "the server answered 410: the address is permanently gone"
	    : mem_printf(c->mem, "the server answered %ld%s", res->status,
		  res->status >= 300 && res->status <= 399
		      ? ", a redirect, which isn't followed; use the address it redirects to"
		      : "");
	return out;
}

/* Rolls back to a savepoint on an error, so that nothing half written stays, while the run's row
 * stays locked. A used-up budget skips the run: nothing was done, so nothing failed. */
static enum err
end_keep(struct ctx *c, const struct action_kind *kind, const struct action_run *run,
    const struct egress_res *res, const void *found, struct run_outcome *out)
{
	enum err e;

	TRY(db_exec(c, EXEC("SAVEPOINT action"), NOARGS, NULL));
	e = kind->end(c, run, res, found, out);
	if (!e || c->replay || !action_err_is_told(e))
		return e;
	*out = (struct run_outcome){ .verdict = e == E_RATE_LIMITED ? RUN_SKIPPED : RUN_FAILED,
		.http_status = res ? res->status : 0,
		.error = ctx_why(c) };
	ctx_again(c);
	return db_exec(c, EXEC("ROLLBACK TO SAVEPOINT action"), NOARGS, NULL);
}

static enum err
outcome_find(struct ctx *c, const struct action_kind *kind, const struct action_run *run,
    const struct action_answer *a, const struct action_taken *taken, struct run_outcome *out)
{
	const struct action_secrets *s = run->secrets;
	struct redact secrets = REDACT(c->mem);
	const struct json *headers;

	TRY(action_json_of(c, s->headers, &headers));
	if (headers)
		json_each(headers, header_redact, &secrets);
	redact_add(&secrets, s->secret);
	redact_add(&secrets, s->secret_old);
	redact_add(&secrets, s->webhook_url);
	if (s->webhook_url)
		redact_add(&secrets,
		    s->webhook_url + strlen(action_origin(c->mem, s->webhook_url)));
	if (run->used)
		connection_used_redact(run->used, &secrets);
	*out = kind->begin ? outcome_of(c, a, &secrets)
			   : (struct run_outcome){ .verdict = RUN_DONE };
	if (out->verdict == RUN_DONE && taken->wrong) {
		out->verdict = RUN_FAILED;
		out->error = taken->wrong;
	}
	if (out->verdict == RUN_DONE && kind->end)
		TRY(end_keep(c, kind, run, a->res, taken->found, out));
	if (out->verdict == RUN_DONE && taken->struck)
		out->output = mem_printf(c->mem, "%s; the connection's secret was struck out of it",
		    out->output ? out->output : "kept");
	out->error = redact_text(&secrets, out->error);
	return E_OK;
}

enum err
action_end(struct ctx *c, const struct run_held *held, const struct action_asked *asked,
    const struct action_answer *a, const struct action_taken *taken, struct run_outcome *out)
{
	const struct action_kind *kind;
	struct action_run run;

	TRY(run_read(c, held, &kind, &run));
	run.used = asked->used;
	run.rows = a->rows;
	if (!run_reports_limit(&run))
		return outcome_find(c, kind, &run, a, taken, out);
	*out = (struct run_outcome){ .verdict = RUN_SKIPPED,
		.error = mem_printf(c->mem,
		    "events of this artifact triggered %d runs within an hour, "
		    "so further runs are skipped until the rate drops; "
		    "check whether one of its jobs changes the artifact and so triggers itself",
		    EVENT_RUNS_HOURLY) };
	return E_OK;
}
