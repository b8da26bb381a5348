/* SPDX-License-Identifier: Apache-2.0
 * Ends attempts: writes the outcome, sends e-mails, extends leases, and gives runs back. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/conf.h"
#include "base/crypto.h"
#include "base/jobtitle.h"
#include "base/str.h"
#include "core/branding.h"
#include "core/mail.h"
#include "db/ids.h"
#include "inbox/item.h"
#include "inbox/stop.h"
#include "jobs/run.h"
#include "jobs/run_row.h"

enum { BACKOFF_MAX_S = 3600, ASKED_MAX_S = 3600, HTTP_GONE = 410 };

/* ---- the end of an attempt ---- */

#define RUN_FENCE(F, T) \
	F(T, STR, id) \
	F(T, INT, fence)
SHAPE(run_fence, RUN_FENCE);

enum err
run_hold_many(struct ctx *c, const struct run_held *const *v, size_t n, bool *mine)
{
	const char **ids = mem_array(c->mem, const char *, n + 1);
	struct run_fence_list rows;

	for (size_t i = 0; i < n; i++) {
		ids[i] = v[i]->id;
		mine[i] = false;
	}
	if (!n)
		return E_OK;
	TRY(db_all(c,
	    ROWS(run_fence,
		"SELECT r.id, r.fence FROM " ID_TABLE " STRAIGHT_JOIN job_run r ON r.id = t.id"
		" WHERE r.status = 'running' FOR UPDATE"),
	    ARGS(ids_json(c, ids, n)), &rows));
	/* MariaDB may scan a small table and return rows in another order than that of the ids. */
	for (size_t row = 0, i = 0; row < rows.n; row++, i = (i + 1) % n) {
		for (size_t looked = 0; looked < n && !str_eq(v[i]->id, rows.v[row].id); looked++)
			i = (i + 1) % n;
		mine[i] |= str_eq(v[i]->id, rows.v[row].id) && v[i]->fence == rows.v[row].fence;
	}
	return E_OK;
}

enum err
run_hold(struct ctx *c, const struct run_held *h, bool *mine)
{
	return run_hold_many(c, &h, 1, mine);
}

/* The delay is up to a fifth longer than the job's, so that runs that failed together don't
 * return together. The division rounds up, so it is never shorter. */
static int64_t
retry_at(struct ctx *c, const struct run_ended *e)
{
	const struct run_held *h = e->held;
	bool doubles = str_eq(h->backoff, "exponential");
	int64_t made = h->attempt - h->attempt_base, wait_ms;
	int64_t asked = e->outcome.retry_after_s;
	uint32_t dice;

	crypto_random(&dice, sizeof dice);
	wait_ms = wait_doubled(h->initial_delay, doubles ? made - 1 : 0, BACKOFF_MAX_S) * 10 *
	    (80 + dice % 41);
	if (asked > ASKED_MAX_S)
		asked = ASKED_MAX_S;
	if (asked * 1000 > wait_ms)
		wait_ms = asked * 1000;
	return c->now + (wait_ms + 999 + 999) / 1000;
}

static bool
is_gone(const struct run_ended *e)
{
	return e->outcome.http_status == HTTP_GONE &&
	    (e->outcome.verdict == RUN_TRY_AGAIN || e->outcome.verdict == RUN_FAILED);
}

static const char *
ended_status(const struct run_ended *e)
{
	int64_t made = e->held->attempt - e->held->attempt_base;

	switch (e->outcome.verdict) {
	case RUN_DONE: return "success";
	case RUN_SKIPPED: return "skipped";
	case RUN_TRY_AGAIN:
		return !is_gone(e) && made < e->held->max_attempts ? "retrying" : "failed";
	default: return "failed";
	}
}

static const char gone_text[] =
    "The receiver answered 410 Gone, so the job was paused. "
    "To resume it, give it a different address and enable it";

static struct arg
text_arg(struct ctx *c, const char *s, size_t chars)
{
	return arg_str(s ? str_cut(c->mem, s, chars) : NULL);
}

static enum err
runs_write(struct ctx *c, const struct run_ended *v, size_t n)
{
	enum { EACH = 10 };
	struct arg *args = mem_array(c->mem, struct arg, n * EACH + 1), *at = args;

	for (size_t i = 0; i < n; i++, at += EACH) {
		const struct run_outcome *o = &v[i].outcome;
		const char *status = ended_status(&v[i]);
		bool retry = str_eq(status, "retrying");
		int64_t took = o->duration_ms ? o->duration_ms : clock_ms() - v[i].held->taken_ms;

		at[0] = arg_str(status);
		at[1] = retry ? arg_int(retry_at(c, &v[i])) : arg_null();
		at[2] = retry ? arg_null() : arg_int(c->now);
		at[3] = took < 0 ? arg_null() : arg_int(took);
		at[4] = o->http_status > 0 ? arg_int(o->http_status) : arg_null();
		at[5] = text_arg(c, is_gone(&v[i]) ? gone_text : o->error, RUN_ERROR_CHARS);
		at[6] = text_arg(c, o->output, RUN_OUTPUT_BYTES);
		at[7] = arg_int(retry);
		at[8] = arg_str(v[i].held->id);
		at[9] = arg_int(v[i].held->fence);
	}
	return db_exec_many(c,
	    EXEC(
		"UPDATE job_run SET status = ?, due_at = ?, finished_at = ?, duration_ms = ?,"
		" http_status = ?, error = ?, output = ?,"
		" deaths = IF(?, deaths, 0), ready = NULL, parked_of = NULL"
		" WHERE id = ? AND fence = ?"),
	    args, EACH, n);
}

static int
ended_by_job(const void *a, const void *b)
{
	const struct run_ended *x = a, *y = b;

	return strcmp(x->held->job_id, y->held->job_id);
}

static enum err
jobs_write(struct ctx *c, const struct run_ended *v, size_t n)
{
	enum { EACH = 6 };
	struct arg *args = mem_array(c->mem, struct arg, n * EACH + 1), *at = args;

	for (size_t i = 0; i < n; i++, at += EACH) {
		const char *status = ended_status(&v[i]);
		bool failed = str_eq(status, "failed");

		at[0] = arg_str(status);
		at[1] = arg_int(str_eq(status, "success"));
		at[2] = arg_int(failed);
		at[3] = arg_str(v[i].held->id);
		at[4] = arg_str(v[i].held->id);
		at[5] = arg_str(v[i].held->job_id);
	}
	return db_exec_many(c,
	    EXEC(
		"UPDATE job SET last_status = ?, failures = IF(?, 0, failures + ?),"
		" busy_until = IF(busy_run = ?, NULL, busy_until),"
		" busy_run = IF(busy_run = ?, NULL, busy_run) WHERE id = ?"),
	    args, EACH, n);
}

/* Unparks the next run of each job. */
static enum err
jobs_unpark(struct ctx *c, const struct run_ended *v, size_t n)
{
	enum { EACH = 2 };
	struct arg *args = mem_array(c->mem, struct arg, n * EACH + 1);

	for (size_t i = 0; i < n * EACH; i++)
		args[i] = arg_str(v[i / EACH].held->job_id);
	return db_exec_many(c,
	    EXEC("UPDATE job_run SET ready = " RUN_QUEUE_OF
		 ", due_at = NULL, parked_of = NULL WHERE job_id = ? AND finished_at IS NULL"
		 " AND parked_of = ? ORDER BY turn LIMIT 1"),
	    args, EACH, n);
}

/* ---- e-mails about jobs ---- */

/* A recipient. notice: chosen by the workspace (runnotice.c); email is NULL if it chose nobody.
 * governs: they may see the run's page. */
#define RECIPIENT(F, T) \
	F(T, STR,  id) \
	F(T, STR,  run_id) \
	F(T, STR,  name) \
	F(T, STR,  action) \
	F(T, STR,  user_id) \
	F(T, STR,  email) \
	F(T, STR,  artifact_id) \
	F(T, STR,  artifact_name) \
	F(T, STR,  error) \
	F(T, BOOL, works) \
	F(T, BOOL, notice) \
	F(T, STR,  workspace_id) \
	F(T, BOOL, governs)
SHAPE(recipient, RECIPIENT);

#define RECIPIENT_COLUMNS(notice, governs) \
	"SELECT STRAIGHT_JOIN j.id, r.id AS run_id, j.name, j.action," \
	" IF(" INBOX_MAILED("job", "u.id") ", u.email, NULL) AS email, u.id AS user_id," \
	" j.artifact_id," \
	" a.name AS artifact_name, r.error, j.failures = 0 AS works, " notice " AS notice," \
	" a.workspace_id, " governs " AS governs" \
	" FROM " ID_TABLE " JOIN job_run r ON r.id = t.id" \
	" JOIN job j ON j.id = r.job_id JOIN artifact a ON a.id = j.artifact_id"
#define MAKERS RECIPIENT_COLUMNS("FALSE", "FALSE") " JOIN user u ON u.id = j.created_by"
/* The chosen members who may know of the job: they govern, or edit the artifact. */
#define CHOSEN \
	RECIPIENT_COLUMNS("TRUE", "COALESCE(" GOVERNS ", FALSE)") \
	" LEFT JOIN run_notice n ON n.workspace_id = a.workspace_id" \
	ROLE_TABLES("n.user_id") \
	" LEFT JOIN user u ON u.id = n.user_id AND u.disabled_at IS NULL" \
	" AND (" GOVERNS " OR " ROLE_OF("n.user_id") " IN ('editor', 'owner'))"

/* email NULL: they want none. Over the budget, no e-mail goes out; the pages show the state. */
static bool
recipient_mail(struct ctx *c, const struct recipient *m, enum mail_template template)
{
	struct mail mail = { .template = template,
		.to = m->email,
		.artifact_id = m->artifact_id,
		.values = { .artifact = m->artifact_name,
		    .what = m->name && *m->name ? str_cut(c->mem, m->name, 60)
			: m->notice             ? job_action_title(m->action)
						: "Your job",
		    .message = m->error ? m->error : "",
		    .link = m->governs
			? mem_printf(c->mem, "/w/%s/runs/%s", m->workspace_id, m->run_id)
			: mem_printf(c->mem, "/a/%s/jobs", m->artifact_id),
		    .stop = inbox_stop_path(c, "job", m->user_id) } };
	bool sent = !m->email || (mail_enabled(c) &&
	    (!m->notice || !branding_on_mail(c, m->workspace_id, &mail.values)) &&
	    mail_send(c, &mail) == E_OK);

	if (!sent && !c->replay)
		ctx_again(c);
	return sent;
}

static enum err
maker_notify(struct ctx *c, const struct recipient *m)
{
	if (!recipient_mail(c, m, m->works ? MAIL_JOB_WORKS : MAIL_JOB_FAILS) && !m->works)
		return c->replay ? c->err : E_OK;
	return db_exec(c, EXEC("UPDATE job SET told = ? WHERE id = ?"), ARGS(!m->works, m->id),
	    NULL);
}

static enum err
chosen_notify(struct ctx *c, const struct recipient *m)
{
	if (m->email)
		recipient_mail(c, m, m->works ? MAIL_RUN_WORKS : MAIL_RUN_FAILS);
	if (c->replay)
		return c->err;
	return db_exec(c, EXEC("UPDATE job SET noticed = failures > 0 WHERE id = ?"), ARGS(m->id),
	    NULL);
}

/* A maker who is also chosen gets one e-mail. */
static enum err
states_notify(struct ctx *c, const char *ids)
{
	struct recipient_list rows;

	TRY(db_all(c,
	    ROWS(recipient,
		MAKERS
		" WHERE ((j.failures >= ? AND NOT j.told) OR (j.failures = 0 AND j.told))"
		" AND NOT EXISTS (SELECT 1 FROM run_notice n"
		" WHERE n.workspace_id = a.workspace_id AND n.user_id = j.created_by)"
		" UNION ALL " CHOSEN
		" WHERE a.workspace_id IS NOT NULL AND r.surface IS NOT NULL"
		" AND j.noticed <> (j.failures > 0)"),
	    ARGS(ids, RUN_FAILURES_TOLD, ids), &rows));
	for (size_t i = 0; i < rows.n; i++)
		TRY((rows.v[i].notice ? chosen_notify : maker_notify)(c, &rows.v[i]));
	return E_OK;
}

#define FAILURES_WAIT 3

static enum err
gone_disable(struct ctx *c, const char *ids)
{
	struct recipient_list rows;

	TRY(db_exec(c,
	    EXEC(
		"UPDATE " ID_TABLE " STRAIGHT_JOIN job_run r ON r.id = t.id"
		" STRAIGHT_JOIN job j ON j.id = r.job_id"
		" SET j.enabled = FALSE, j.next_run_at = NULL, j.updated_at = ?"),
	    ARGS(ids, c->now), NULL));
	TRY(db_all(c, ROWS(recipient, MAKERS), ARGS(ids), &rows));
	TRY(inbox_put(c,
	    INBOX_PUT("SELECT " INBOX_ROW("j.created_by", "j.id", "NULL", "NULL",
		"j.artifact_id", "a.workspace_id", "COALESCE(NULLIF(j.name, ''), 'Your job')",
		"NULL", "NULL", "NULL") " FROM " ID_TABLE
		" STRAIGHT_JOIN job_run r ON r.id = t.id STRAIGHT_JOIN job j ON j.id = r.job_id"
		" JOIN artifact a ON a.id = j.artifact_id"),
	    ITEM_JOB_OFF, ARGS(ids)));
	for (size_t i = 0; i < rows.n; i++) {
		recipient_mail(c, &rows.v[i], MAIL_JOB_GONE);
		if (c->replay)
			return c->err;
	}
	return E_OK;
}

/* ---- ends of many runs ---- */

enum err
run_end_many(struct ctx *c, const struct run_ended *v, size_t n)
{
	const char **over = mem_array(c->mem, const char *, n + 1),
		   **gone = mem_array(c->mem, const char *, n + 1),
		   **works = mem_array(c->mem, const char *, n + 1);
	size_t over_n = 0, gone_n = 0, works_n = 0;
	struct run_ended *sorted;

	if (!n)
		return E_OK;
	sorted = mem_dup(c->mem, v, n * sizeof *v);
	qsort(sorted, n, sizeof *sorted, ended_by_job);
	TRY(runs_write(c, sorted, n));
	TRY(jobs_write(c, sorted, n));
	TRY(jobs_unpark(c, sorted, n));
	for (size_t i = 0; i < n; i++) {
		if (is_gone(&sorted[i]))
			gone[gone_n++] = sorted[i].held->id;
		if (str_eq(ended_status(&sorted[i]), "success"))
			works[works_n++] = sorted[i].held->job_id;
		if (str_in(ended_status(&sorted[i]), "success|failed"))
			over[over_n++] = sorted[i].held->id;
	}
	/* Two statements for any number of runs. */
	if (over_n) {
		TRY(inbox_end_many(c, ids_json(c, works, works_n), NULL));
		TRY(inbox_put(c,
		    INBOX_PUT("SELECT " INBOX_ROW("j.created_by", "j.id", "NULL", "NULL",
			"j.artifact_id", "a.workspace_id",
			"COALESCE(NULLIF(j.name, ''), 'Your job')", "j.failures", "r.error", "NULL")
			" FROM " ID_TABLE " STRAIGHT_JOIN job_run r ON r.id = t.id"
			" STRAIGHT_JOIN job j ON j.id = r.job_id"
			" AND j.failures >= " SQL_NUMBER(FAILURES_WAIT)
			" JOIN artifact a ON a.id = j.artifact_id"),
		    ITEM_JOB_FAILS, ARGS(ids_json(c, over, over_n))));
	}
	if (gone_n)
		TRY(gone_disable(c, ids_json(c, gone, gone_n)));
	return over_n ? states_notify(c, ids_json(c, over, over_n)) : E_OK;
}

enum err
run_end(struct ctx *c, const struct run_held *h, const struct run_outcome *o)
{
	const struct run_ended one = { h, *o };

	return run_end_many(c, &one, 1);
}

/* ---- extending leases ---- */

static enum err
renew_try(struct ctx *c, const char *ids)
{
	TRY(db_begin(c));
	TRY(db_exec(c,
	    EXEC(
		"UPDATE JSON_TABLE(?, '$[*]' COLUMNS"
		" (id " SQL_ID " PATH '$[0]', fence BIGINT PATH '$[1]')) t"
		" STRAIGHT_JOIN job_run r ON r.id = t.id AND r.fence = t.fence"
		" STRAIGHT_JOIN job j ON j.id = r.job_id"
		" SET r.due_at = ?, j.busy_until = ?"
		" WHERE r.status = 'running' AND j.busy_run = r.id"),
	    ARGS(ids, c->now + c->conf->run_lease_s, c->now + c->conf->run_lease_s), NULL));
	return db_commit(c);
}

enum err
run_renew(struct ctx *c, const struct run_held *const *v, size_t n)
{
	struct buf b = BUF(c->mem);
	enum err e;
	int tries = 0;

	if (!n)
		return E_OK;
	for (size_t i = 0; i < n; i++)
		buf_fmt(&b, "%c[\"%s\",%lld]", i ? ',' : '[', v[i]->id, (long long)v[i]->fence);
	buf_chr(&b, ']');
	do
		e = renew_try(c, buf_done(&b));
	while (db_again(c, e, &tries));
	return e;
}

/* ---- giving back ---- */

static enum err
put_off_try(struct ctx *c, const struct run_held *const *v, const int64_t *wait_s, size_t n)
{
	enum { EACH = 5, JOB_EACH = 3 };
	struct arg *args = mem_array(c->mem, struct arg, n * EACH + 1), *at = args;
	struct arg *jobs = mem_array(c->mem, struct arg, n * JOB_EACH + 1), *job = jobs;

	for (size_t i = 0; i < n; i++, at += EACH, job += JOB_EACH) {
		at[0] = arg_int(v[i]->attempt > 1);
		at[1] = wait_s[i] ? arg_int(c->now + wait_s[i]) : arg_null();
		at[2] = arg_int(wait_s[i] == 0);
		at[3] = arg_str(v[i]->id);
		at[4] = arg_int(v[i]->fence);
		job[0] = job[1] = arg_str(v[i]->id);
		job[2] = arg_str(v[i]->job_id);
	}
	TRY(db_begin(c));
	TRY(db_exec_many(c,
	    EXEC(
		"UPDATE job_run SET status = IF(?, 'retrying', 'queued'), attempt = attempt - 1,"
		" started_at = NULL, due_at = ?, ready = IF(?, " RUN_QUEUE_OF
		", NULL) WHERE id = ? AND fence = ? AND status = 'running'"),
	    args, EACH, n));
	TRY(db_exec_many(c,
	    EXEC(
		"UPDATE job SET busy_until = IF(busy_run = ?, NULL, busy_until),"
		" busy_run = IF(busy_run = ?, NULL, busy_run) WHERE id = ?"),
	    jobs, JOB_EACH, n));
	return db_commit(c);
}

enum err
run_put_off(
    struct ctx *c, const struct run_held *const *v, const int64_t *wait_s, size_t n)
{
	enum err e;
	int tries = 0;

	if (!n)
		return E_OK;
	do
		e = put_off_try(c, v, wait_s, n);
	while (db_again(c, e, &tries));
	return e;
}

enum err
run_release(struct ctx *c, const struct run_held *h)
{
	const int64_t at_once = 0;

	return run_put_off(c, &h, &at_once, 1);
}
