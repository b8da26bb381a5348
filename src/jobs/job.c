/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs/job.h"

#include "base/conf.h"
#include "base/id.h"
#include "base/jobtitle.h"
#include "base/log.h"
#include "base/str.h"
#include "connections/use.h"
#include "core/find.h"
#include "core/round.h"
#include "db/db.h"
#include "db/ids.h"
#include "inbox/item.h"
#include "jobs/action_config.h"
#include "jobs/cron.h"
#include "jobs/job_row.h"
#include "jobs/run.h"
#include "jobs/schedule.h"
#include "store/rounds.h"

SHAPE_DEFINE(job_retry, JOB_RETRY);
SHAPE_DEFINE(job, JOB);
SHAPE_DEFINE(job_new, JOB_NEW);
SHAPE_DEFINE(job_edit, JOB_EDIT);
SHAPE_DEFINE(job_query, JOB_QUERY);

/* ---- reading ---- */

/* Destinations of alerts are not shown as jobs. */
#define JOB_IS_SEEN "j.deleted_at IS NULL AND j.trigger_type <> 'alert'"

enum err
job_list(struct ctx *c, const struct principal *who, const struct job_query *q,
    struct job_list *out, const char **next)
{
	const struct arg after = arg_after(q->cursor, "job_");

	if (q->artifact_id)
		return db_part(c,
		    ROWS(job,
			"SELECT " JOB_COLUMNS " FROM job j WHERE j.artifact_id = ? AND " JOB_IS_SEEN
			" AND j.id > ? ORDER BY j.id LIMIT ?"),
		    ARGS(q->artifact_id, after), q->limit, out, next, last->id);
	/* The jobs of all artifacts that the subject owns or edits: as the owner, as a
	 * collaborator, and only as a member. The artifacts lead, because the order of the list
	 * could otherwise make MariaDB read everybody's jobs. */
	return db_part(c,
	    ROWS(job,
		"SELECT STRAIGHT_JOIN " JOB_COLUMNS
		" FROM (SELECT a.id FROM " SUBJECT_TABLE
		" JOIN artifact a ON a.owner_id = s.user_id"
		ROLE_TABLES("s.user_id") " WHERE a.deleted_at IS NULL"
		" AND " ROLE_COLUMN " IS NOT NULL UNION ALL SELECT a.id"
		" FROM " SUBJECT_TABLE " JOIN collaborator co ON co.user_id = s.user_id"
		" JOIN artifact a ON a.id = co.artifact_id"
		" AND a.owner_id <> co.user_id" MEMBER_TABLES("s.user_id")
		" WHERE a.deleted_at IS NULL AND (a.paused_at IS NULL OR " GOVERNS ")"
		" AND " ROLE_COLUMN " = 'editor' UNION ALL SELECT a.id FROM " SUBJECT_TABLE
		" JOIN member wm ON wm.user_id = s.user_id"
		" JOIN workspace wk ON wk.id = wm.workspace_id AND wk.deleted_at IS NULL"
		" AND (wk.member_access = 'editor' OR " GOVERNS ")"
		" JOIN artifact a ON a.workspace_id = wk.id AND a.owner_id <> s.user_id"
		" LEFT JOIN collaborator co ON co.artifact_id = a.id AND co.user_id = s.user_id"
		" WHERE co.user_id IS NULL AND a.deleted_at IS NULL"
		" AND (a.paused_at IS NULL OR " GOVERNS ")"
		" AND " ROLE_COLUMN " = 'editor') mine"
		" JOIN job j ON j.artifact_id = mine.id WHERE " JOB_IS_SEEN " AND j.id > ?"
		" ORDER BY j.id LIMIT ?"),
	    ARGS(SUBJECT(who), SUBJECT(who), SUBJECT(who), after), q->limit, out, next, last->id);
}

enum err
job_get(struct ctx *c, const struct artifact *a, const char *id, struct job **out)
{
	return db_one(c,
	    ROWS(job,
		"SELECT " JOB_COLUMNS
		" FROM job j WHERE j.id = ? AND j.artifact_id = ? AND " JOB_IS_SEEN),
	    ARGS(id, a->id), out);
}

#define JOB_OF(F, T) F(T, ID, artifact_id, .arg = "art_")
SHAPE(job_of, JOB_OF);

enum err
job_artifact(struct ctx *c, const char *id, const char **artifact_id)
{
	struct job_of *row;

	TRY(db_find(c,
	    ROWS(job_of, "SELECT j.artifact_id FROM job j WHERE j.id = ? AND " JOB_IS_SEEN),
	    ARGS(id), &row));
	*artifact_id = row ? row->artifact_id : "";
	return E_OK;
}

const char *
job_title(const struct job *j)
{
	const char *title = j->name ? j->name : job_action_title(j->action);

	return title ? title : j->action;
}

const char *
job_when(struct ctx *c, const struct job *j)
{
	static const struct {
		const char *event, *words;
	} events[] = { { "artifact.updated", "When a version goes live" },
		{ "artifact.viewed", "When someone views it" },
		{ "comment.added", "When someone comments" } };

	for (size_t i = 0; i < sizeof events / sizeof *events; i++)
		if (str_eq(events[i].event, j->event_type))
			return events[i].words;
	return j->schedule ? schedule_words(c->mem, j->schedule, j->timezone) : "";
}

/* ---- when ---- */

/* E_INVALID if the schedule never runs. */
static enum err
job_next(struct ctx *c, const char *schedule, const char *timezone, int64_t *next)
{
	const struct cron *cron;
	const char *wrong = cron_parse(c->mem, schedule, &cron);

	if (wrong)
		return fail(c, E_INVALID, "schedule: %s", wrong);
	if (!cron_zone_valid(timezone))
		return fail(c, E_INVALID,
		    "timezone: must be an IANA time zone name, such as Europe/Dublin or UTC");
	*next = cron_next(cron, timezone, c->now);
	return *next ? E_OK : fail(c, E_INVALID, "schedule: has no run within the next five years");
}

static enum err
trigger_check(struct ctx *c, const struct job_new *in, const char *trigger)
{
	if (str_eq(trigger, "cron")) {
		if (in->event_type)
			return fail(c, E_INVALID,
			    "event_type: applies only to jobs with trigger_type event; "
			    "a cron job has a schedule");
		return in->schedule
		    ? E_OK
		    : fail(c, E_INVALID,
			  "schedule: is required for a cron job, such as \"0 9 * * mon-fri\"");
	}
	if (in->schedule)
		return fail(c, E_INVALID,
		    "schedule: applies only to cron jobs; an event job has an event_type");
	if (in->timezone && !str_eq(in->timezone, "UTC"))
		return fail(c, E_INVALID,
		    "timezone: applies only to cron jobs; an event job has an event_type");
	return in->event_type
	    ? E_OK
	    : fail(c, E_INVALID, "event_type: is required for an event job; it can be %s",
		  str_or(c->mem, JOB_EVENTS));
}

/* ---- writing ---- */

/* The given fields of `in`, over `was`. */
static struct job_retry
retry_over(struct job_retry was, const struct job_retry *in)
{
	if (in && in->has.maxAttempts)
		was.maxAttempts = in->maxAttempts;
	if (in && in->has.backoffType)
		was.backoffType = in->backoffType;
	if (in && in->has.initialDelay)
		was.initialDelay = in->initialDelay;
	return was;
}

static const char *
secrets_seal(struct ctx *c, const char *job_id, const char *secrets)
{
	return secrets ? sealed_close(c->mem, &job_sealed, job_id, NULL, secrets) : NULL;
}

static enum err
job_opened(struct ctx *c, const struct job *j, struct action_config *out)
{
	*out = (struct action_config){ .shown = j->config };
	if (!j->secrets)
		return E_OK;
	out->secrets = sealed_open(c->mem, &job_sealed, j->id, NULL, j->secrets);
	return out->secrets ? E_OK : fail_here(c, "the secrets of job %s can't be opened", j->id);
}

#define JOB_COUNT(F, T) F(T, INT, n)
SHAPE(job_count, JOB_COUNT);

/* A new row of job. */
struct job_row {
	const char *id, *artifact_id, *workspace_id, *created_by, *name, *action, *trigger,
	    *schedule, *timezone, *event_type;
	struct job_retry retry;
	bool enabled;
	int64_t next; /* 0: none */
};

#define JOB_CONNECTION(F, T) \
	F(T, STR, provider,     .flags = F_NUL) \
	F(T, STR, kind,         .flags = F_NUL) \
	F(T, STR, name,         .flags = F_NUL) \
	F(T, STR, workspace_id, .flags = F_NUL)
SHAPE(job_connection, JOB_CONNECTION);

/* An error for another workspace's connection is the same as for none. The sign-in of a service
 * is not renewed here, which may be slow; the run finds out whether it still works. */
static enum err
connection_check(struct ctx *c, const char *artifact_id, const char *maker,
    const struct action_config *config)
{
	struct job_connection *n;
	enum err e;

	if (!config->connection_id)
		return E_OK;
	TRY(db_one(c,
	    ROWS(job_connection,
		"SELECT n.provider, n.kind, n.name, a.workspace_id"
		" FROM artifact a LEFT JOIN connection n ON n.id = ?"
		" AND n.workspace_id = a.workspace_id WHERE a.id = ?"),
	    ARGS(config->connection_id, artifact_id), &n));
	if (!n->kind)
		return fail(c, E_INVALID,
		    "%s: the artifact's workspace has no connection %s", config->connection_at,
		    config->connection_id);
	if (!str_in(n->kind, config->kinds))
		return fail(c, E_INVALID,
		    "%s: the connection %s is of kind %s; this needs one of kind %s",
		    config->connection_at, n->name, n->kind, config->kinds);
	if (config->provider && !str_eq(n->provider, config->provider))
		return fail(c, E_INVALID,
		    "%s: the connection %s is of %s, and this job posts to %s",
		    config->connection_at, n->name, n->provider, config->provider);
	e = connection_may(c, config->connection_id, n->workspace_id, maker);
	if (e == E_INVALID && c->message)
		c->message = mem_printf(c->mem, "%s: %s", config->connection_at, c->message);
	return e;
}

static enum err
job_insert(struct ctx *c, const struct job_row *j, const struct action_config *config)
{
	return db_exec(c,
	    EXEC(
		"INSERT INTO job (id, artifact_id, workspace_id, created_by, name, action,"
		" trigger_type,"
		" schedule, timezone, event_type, config, connection_id, fills, secrets,"
		" max_attempts, backoff,"
		" initial_delay, enabled, next_run_at, created_at, updated_at)"
		" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
	    ARGS(j->id, j->artifact_id, j->workspace_id, j->created_by, j->name, j->action,
		j->trigger, j->schedule, j->timezone, j->event_type, config->shown,
		config->connection_id, config->fills,
		secrets_seal(c, j->id, config->secrets), j->retry.maxAttempts,
		j->retry.backoffType, j->retry.initialDelay, j->enabled,
		j->enabled && j->next ? arg_int(j->next) : arg_null(), c->now, c->now),
	    NULL);
}

enum err
job_add(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct job_new *in, const char **id, const char **shown)
{
	struct job_retry usual = {
		.maxAttempts = 3, .backoffType = "exponential", .initialDelay = 60
	};
	struct job_row row = { .artifact_id = a->id,
		.workspace_id = a->workspace_id,
		.created_by = who->user_id,
		.name = in->name,
		.action = in->action,
		.trigger = in->trigger_type ? in->trigger_type
		    : in->event_type        ? "event"
					    : "cron",
		.schedule = in->schedule,
		.timezone = in->timezone ? in->timezone : "UTC",
		.event_type = in->event_type,
		.retry = retry_over(usual, in->retry_config),
		.enabled = !in->has.enabled || in->enabled };
	struct action_config config;
	struct job_count *jobs;

	TRY(trigger_check(c, in, row.trigger));
	if (in->schedule)
		TRY(job_next(c, in->schedule, row.timezone, &row.next));
	TRY(action_config(c, in->action, in->config, NULL, &config));
	TRY(connection_check(c, a->id, who->user_id, &config));
	/* The caller holds the lock on the artifact's row, so two counts can't overlap. */
	TRY(db_one(c,
	    ROWS(job_count,
		"SELECT COUNT(*) AS n FROM job j WHERE j.artifact_id = ? AND " JOB_IS_SEEN),
	    ARGS(a->id), &jobs));
	if (jobs->n >= JOBS_MAX)
		return fail(c, E_CONFLICT,
		    "%s has %d jobs, the maximum for an artifact; delete one first", a->slug,
		    JOBS_MAX);
	*id = row.id = id_new(c->mem, "job_");
	*shown = config.made;
	TRY(job_insert(c, &row, &config));
	return find_changed(c, FIND_JOB, *id);
}

/* The next time moves only with the schedule, the zone or the switch, so that a rename doesn't
 * lose a time that is already due. */
static enum err
job_next_after(
    struct ctx *c, const struct job *j, const struct job_edit *in, bool enabled, struct arg *next)
{
	const char *schedule = in->schedule ? in->schedule : j->schedule;
	const char *timezone = in->timezone ? in->timezone : j->timezone;
	int64_t at = j->next_run_at;

	*next = arg_null();
	if (!j->schedule && in->schedule)
		return fail(c, E_INVALID,
		    "schedule: applies only to cron jobs; this job is triggered by an event");
	if (!j->schedule && in->timezone && !str_eq(in->timezone, j->timezone))
		return fail(c, E_INVALID,
		    "timezone: applies only to cron jobs; this job is triggered by an event");
	if (!j->schedule)
		return E_OK;
	if (!str_eq(schedule, j->schedule) || !str_eq(timezone, j->timezone) ||
	    (enabled && !j->enabled))
		TRY(job_next(c, schedule, timezone, &at));
	if (enabled && at)
		*next = arg_int(at);
	return E_OK;
}

enum err
job_change(struct ctx *c, const struct artifact *a, const struct principal *who, bool governs,
    const struct job *j, const struct job_edit *in)
{
	const struct job_retry *was = j->retry_config;
	struct job_retry retry = retry_over(*was, in->retry_config);
	enum job_maker_may may = JOB_MAKER_MAY_NOT;
	const bool enabled = in->has.enabled ? in->enabled : j->enabled;
	const bool on = enabled && !j->enabled;
	bool other = false;
	struct action_config old, config = { 0 };
	struct action_config resumed = { .connection_at = "enabled", .kinds = CONNECTION_KINDS };
	const char *answers_id;
	struct arg next;

	TRY(job_next_after(c, j, in, enabled, &next));
	TRY(job_opened(c, j, &old));
	if (in->config)
		TRY(action_config(c, j->action, in->config, &old, &config));
	else if (on)
		resumed.connection_id = j->connection_id;
	if (in->config)
		other = !str_eq(config.shown, old.shown) || !str_eq(config.secrets, old.secrets);
	if (on && governs)
		TRY(job_maker_may(c, j->created_by ? j->created_by : "", j->artifact_id, &may));
	answers_id = other || (on && may != JOB_MAKER_MAY) ? who->user_id : j->created_by;
	TRY(connection_check(c, j->artifact_id, answers_id, in->config ? &config : &resumed));
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE job SET name = IF(?, ?, name), schedule = COALESCE(?, schedule),"
		" timezone = COALESCE(?, timezone), config = COALESCE(?, config),"
		" connection_id = IF(?, ?, connection_id), fills = IF(?, ?, fills),"
		" secrets = IF(?, ?, secrets), max_attempts = ?, backoff = ?, initial_delay = ?,"
		" created_by = ?, enabled = ?,"
		" next_run_at = ?, updated_at = ?"
		" WHERE id = ? AND artifact_id = ? AND deleted_at IS NULL"),
	    ARGS(in->has.name != ABSENT, in->name, in->schedule, in->timezone, config.shown,
		in->config != NULL, config.connection_id, in->config != NULL, config.fills,
		in->config != NULL, secrets_seal(c, j->id, config.secrets), retry.maxAttempts,
		retry.backoffType, retry.initialDelay, answers_id, enabled, next, c->now,
		j->id, j->artifact_id)));
	TRY(job_taken(c, a, j, who, answers_id));
	if (!enabled && j->enabled)
		TRY(inbox_end(c, j->id, NULL));
	return in->has.name != ABSENT && !str_eq(in->name, j->name)
	    ? find_changed(c, FIND_JOB, j->id)
	    : E_OK;
}

/* Raises the fence, so a runner that carries out a run finds at its end that the run was taken
 * from it. */
enum err
job_delete(struct ctx *c, const struct job *j)
{
	TRY(db_exec1(c,
	    EXEC(
		"UPDATE job SET deleted_at = ?, enabled = FALSE, next_run_at = NULL"
		" WHERE id = ? AND artifact_id = ? AND deleted_at IS NULL"),
	    ARGS(c->now, j->id, j->artifact_id)));
	TRY(find_changed(c, FIND_JOB, j->id));
	TRY(inbox_end(c, j->id, NULL));
	return db_exec(c,
	    EXEC(
		"UPDATE job j STRAIGHT_JOIN job_run r ON r.id = j.busy_run"
		" SET r.fence = r.fence + 1, r.status = 'skipped', r.due_at = NULL,"
		" r.error = 'The job was deleted while it ran', r.finished_at = ?"
		" WHERE j.id = ? AND r.status = 'running'"),
	    ARGS(c->now, j->id), NULL);
}

static enum err
job_configure(struct ctx *c, const struct job *j, const struct action_config *config)
{
	return db_exec1(c,
	    EXEC(
		"UPDATE job SET config = ?, connection_id = ?, fills = ?, secrets = ?,"
		" updated_at = ? WHERE id = ? AND artifact_id = ? AND deleted_at IS NULL"),
	    ARGS(config->shown, config->connection_id, config->fills,
		secrets_seal(c, j->id, config->secrets), c->now, j->id,
		j->artifact_id));
}

enum err
job_rotate(struct ctx *c, const struct job *j, const char **shown)
{
	struct action_config old, config;

	if (!str_eq(j->action, "webhook"))
		return fail(c, E_INVALID,
		    "Only webhook jobs have a signing secret; the action of this job is %s",
		    j->action);
	TRY(job_opened(c, j, &old));
	TRY(action_rotate(c, &old, &config));
	*shown = config.made;
	return job_configure(c, j, &config);
}

#define JOB_MAKER_IS(F, T) \
	F(T, STR,  role) \
	F(T, STR,  workspace_role) \
	F(T, BOOL, disabled)
SHAPE(job_maker_is, JOB_MAKER_IS);

enum err
job_maker_may(
    struct ctx *c, const char *user_id, const char *artifact_id, enum job_maker_may *out)
{
	struct job_maker_is *m;

	TRY(db_find(c,
	    ROWS(job_maker_is,
		"SELECT " ROLE_OF("u.id") " AS role,"
		" wm.role AS workspace_role,"
		" u.disabled_at IS NOT NULL AS disabled"
		" FROM user u JOIN artifact a" ROLE_TABLES("u.id") " WHERE u.id = ? AND a.id = ?"),
	    ARGS(user_id, artifact_id), &m));
	if (!m || (role_rank(m->role) < ROLE_EDITOR &&
		      member_rank(m->workspace_role) < MEMBER_ADMIN))
		*out = JOB_MAKER_MAY_NOT;
	else
		*out = m->disabled ? JOB_MAKER_DISABLED : JOB_MAKER_MAY;
	return E_OK;
}

enum err
job_disable_of(struct ctx *c, const char *user_id, const char *artifact_id)
{
	return db_exec(c,
	    EXEC(
		"UPDATE job SET enabled = FALSE, next_run_at = NULL, updated_at = ?"
		" WHERE created_by = ? AND (? IS NULL OR artifact_id = ?) AND enabled"),
	    ARGS(c->now, user_id, artifact_id, artifact_id), NULL);
}

/* ---- destinations of alerts ---- */

enum err
job_add_alert(struct ctx *c, const struct artifact *a, const char *action, const char *config_json,
    const char **id, const char **shown)
{
	struct job_row row = { .artifact_id = a->id,
		.workspace_id = a->workspace_id,
		.action = action,
		.trigger = "alert",
		.timezone = "UTC",
		.retry = { .maxAttempts = 5, .backoffType = "exponential", .initialDelay = 30 },
		.enabled = true };
	struct action_config config;

	TRY(action_config(c, action, config_json, NULL, &config));
	*id = row.id = id_new(c->mem, "job_");
	*shown = config.made;
	return job_insert(c, &row, &config);
}

static enum err
job_get_alert(struct ctx *c, const struct artifact *a, const char *id, struct job **out)
{
	return db_one(c,
	    ROWS(job,
		"SELECT " JOB_COLUMNS
		" FROM job j WHERE j.id = ? AND j.artifact_id = ? AND j.deleted_at IS NULL"
		" AND j.trigger_type = 'alert'"),
	    ARGS(id, a->id), out);
}

enum err
job_change_alert(struct ctx *c, const struct artifact *a, const char *id, const char *config_json,
    const char **shown)
{
	struct action_config old, config;
	struct job *j;

	TRY(job_get_alert(c, a, id, &j));
	TRY(job_opened(c, j, &old));
	TRY(action_config(c, j->action, config_json, &old, &config));
	*shown = config.made;
	return job_configure(c, j, &config);
}

enum err
job_delete_alert(struct ctx *c, const struct artifact *a, const char *id)
{
	struct job *j;

	TRY(job_get_alert(c, a, id, &j));
	return job_delete(c, j);
}

/* ---- for the runner ---- */

enum { LATE_S = 60, RUNS_KEPT_S = 30 * 86400 };

#define JOB_DUE(F, T) \
	F(T, ID,   id, .arg = "job_") \
	F(T, STR,  schedule) \
	F(T, STR,  timezone) \
	F(T, TIME, next_run_at) \
	F(T, BOOL, awake)
SHAPE(job_due, JOB_DUE);

/* The first time after `after`; 0: none, or the schedule is no longer valid, for example when
 * its zone has left the system's database. */
static int64_t
due_next(struct ctx *c, const struct job_due *d, int64_t after)
{
	const struct cron *cron;

	return cron_parse(c->mem, d->schedule, &cron) ? 0 : cron_next(cron, d->timezone, after);
}

/* The run is for the first of the times that have passed. */
static struct run_new
due_run(struct ctx *c, const struct job_due *d)
{
	int64_t second = due_next(c, d, d->next_run_at);
	bool missed = d->next_run_at < c->now - LATE_S || (second && second <= c->now);

	return (struct run_new){ .job_id = d->id,
		.cause = missed ? "catch_up" : "cron",
		.occasion = mem_printf(c->mem, "at:%lld", (long long)d->next_run_at),
		.scheduled_for = d->next_run_at };
}

/* Appends ["job_…",due time,next time]. */
static void
due_next_add(struct ctx *c, struct buf *b, const struct job_due *d)
{
	int64_t next = due_next(c, d, c->now);

	buf_fmt(b, "%c[\"%s\",%lld,", b->n ? ',' : '[', d->id, (long long)d->next_run_at);
	if (next)
		buf_fmt(b, "%lld]", (long long)next);
	else
		buf_str(b, "null]");
	if (!next)
		log_line(LOG_LEVEL_WARN, "a job has no next time and is switched off", "job", d->id,
		    NULL);
}

static enum err
due_arm(struct ctx *c, int64_t limit, int64_t *n)
{
	struct buf next = BUF(c->mem);
	struct job_due_list due;
	struct run_new *runs;
	size_t run_n = 0;

	/* SKIP LOCKED leaves jobs that another runner holds to it. Artifacts are read without a
	 * lock, since a publish may hold one for long. */
	TRY(db_all(c,
	    ROWS(job_due,
		"SELECT j.id, j.schedule, j.timezone, j.next_run_at,"
		" (SELECT " ARTIFACT_IS_AWAKE " FROM artifact a"
		" WHERE a.id = j.artifact_id) AS awake FROM job j WHERE j.next_run_at <= ?"
		" ORDER BY j.next_run_at, j.id LIMIT ? FOR UPDATE SKIP LOCKED"),
	    ARGS(c->now, limit), &due));
	*n = (int64_t)due.n;
	if (!due.n)
		return E_OK;
	runs = mem_array(c->mem, struct run_new, due.n);
	for (size_t i = 0; i < due.n; i++) {
		due_next_add(c, &next, &due.v[i]);
		if (due.v[i].awake)
			runs[run_n++] = due_run(c, &due.v[i]);
	}
	buf_chr(&next, ']');
	TRY(db_exec(c,
	    EXEC(
		"UPDATE JSON_TABLE(?, '$[*]' COLUMNS"
		" (id " SQL_ID " PATH '$[0]', due BIGINT PATH '$[1]', next BIGINT PATH '$[2]')) t"
		" STRAIGHT_JOIN job j ON j.id = t.id AND j.next_run_at = t.due"
		" SET j.next_run_at = t.next, j.enabled = j.enabled AND t.next IS NOT NULL"),
	    ARGS(buf_done(&next)), NULL));
	return run_queue_many(c, runs, run_n);
}

enum err
job_arm(struct ctx *c, int64_t limit, int64_t *n)
{
	enum err e;

	*n = 0;
	TRY(db_begin(c));
	e = due_arm(c, limit, n);
	if (!e && *n)
		e = db_commit(c);
	db_rollback(c);
	return e;
}

#define JOB_AHEAD " FROM job WHERE next_run_at > ? AND (updated_at > ? OR last_run_at > ?) LIMIT ?"

static enum err
job_ahead(struct ctx *c, bool *yes)
{
	const int64_t slack = c->now + CLOCK_SLACK_S;
	struct job_of *one;

	TRY(db_find(c, ROWS(job_of, "SELECT id AS artifact_id" JOB_AHEAD),
	    ARGS(c->now, slack, slack, 1), &one));
	*yes = one != NULL;
	return E_OK;
}

/* After the clock was ahead, a job's next time may lie beyond the schedule's own. Each such job
 * is checked once. */
static enum err
ahead_mend(struct ctx *c, int64_t limit, int64_t *mended)
{
	struct job_due_list jobs;
	bool ahead;

	*mended = 0;
	TRY(clock_was_ahead(c, &ahead));
	if (!ahead)
		return E_OK;
	TRY(db_all(c,
	    ROWS(job_due,
		"SELECT id, schedule, timezone, next_run_at, TRUE AS awake" JOB_AHEAD),
	    ARGS(c->now, c->now + CLOCK_SLACK_S, c->now + CLOCK_SLACK_S, limit), &jobs));
	for (size_t i = 0; i < jobs.n; i++) {
		struct job_due *d = &jobs.v[i];
		int64_t next = due_next(c, d, c->now);

		TRY(db_exec(c,
		    EXEC("UPDATE job SET next_run_at = LEAST(next_run_at, ?),"
			 " updated_at = LEAST(updated_at, ?), last_run_at = LEAST(last_run_at, ?)"
			 " WHERE id = ? AND next_run_at = ?"),
		    ARGS(next ? next : d->next_run_at, c->now, c->now, d->id, d->next_run_at),
		    NULL));
	}
	*mended = (int64_t)jobs.n;
	return E_OK;
}

enum err
job_reap(struct ctx *c, int64_t limit, int64_t *removed)
{
	struct job_of_list jobs = { 0 };

	*removed = 0;
	TRY(db_exec(c, EXEC("DELETE FROM job_run WHERE finished_at <= ? LIMIT ?"),
	    ARGS(c->now - RUNS_KEPT_S, limit), removed));
	/* A run in progress finds at its end that its job is gone. */
	if (*removed < limit)
		TRY(db_all(c,
		    ROWS(job_of,
			"SELECT id AS artifact_id FROM job WHERE deleted_at <= ?"
			" ORDER BY deleted_at LIMIT ?"),
		    ARGS(c->now - c->conf->run_lease_s, limit), &jobs));
	for (size_t i = 0; i < jobs.n && *removed < limit; i++) {
		int64_t runs, gone = 0;

		TRY(db_exec(c, EXEC("DELETE FROM job_run WHERE job_id = ? LIMIT ?"),
		    ARGS(jobs.v[i].artifact_id, limit - *removed), &runs));
		*removed += runs;
		if (*removed < limit)
			TRY(db_exec(c, EXEC("DELETE FROM job WHERE id = ?"),
			    ARGS(jobs.v[i].artifact_id), &gone));
		*removed += gone;
	}
	return E_OK;
}

/* ---- reactions to other nouns ---- */

static enum err
editor_lost(struct ctx *c, const struct happened *h)
{
	enum job_maker_may may;

	TRY(job_maker_may(c, h->user_id, h->art->id, &may));
	return may == JOB_MAKER_MAY ? E_OK : job_disable_of(c, h->user_id, h->art->id);
}

static enum err
member_left(struct ctx *c, const struct happened *h)
{
	return db_exec(c,
	    EXEC(
		"UPDATE job j JOIN artifact a ON a.id = j.artifact_id"
		" SET j.enabled = FALSE, j.next_run_at = NULL, j.updated_at = ?"
		" WHERE j.created_by = ? AND a.workspace_id = ? AND j.enabled"),
	    ARGS(c->now, h->user_id, h->workspace_id), NULL);
}

static enum err
user_disabled(struct ctx *c, const struct happened *h)
{
	return job_disable_of(c, h->user_id, NULL);
}

static enum err
user_merged(struct ctx *c, const struct happened *h)
{
	return db_exec(c, EXEC("UPDATE job SET created_by = ? WHERE created_by = ?"),
	    ARGS(h->user_id, h->from_id), NULL);
}

static enum err
user_deleted(struct ctx *c, const struct happened *h)
{
	/* An editor who enables it again becomes responsible for it. */
	return db_exec(c,
	    EXEC(
		"UPDATE job SET created_by = NULL, enabled = FALSE, next_run_at = NULL"
		" WHERE created_by = ?"),
	    ARGS(h->user_id), NULL);
}

static enum err
finders_change(struct ctx *c, const struct happened *h)
{
	return db_exec(c,
	    EXEC(FIND_LATER "SELECT ?, j.id" FIND_HAPPENED
		 " JOIN job j ON j.artifact_id = a.id AND " JOB_IS_SEEN),
	    ARGS(FIND_JOB, FIND_HAPPENED_ARGS(h)), NULL);
}

FOLLOWS(job, { EDITOR_LOST, editor_lost }, { MEMBER_LEFT, member_left },
    { USER_DISABLED, user_disabled }, { USER_MERGED, user_merged },
    { USER_DELETED, user_deleted }, { FINDERS_CHANGE, finders_change });
ROUNDS(job, { "runs", .rows = job_reap }, { "jobs_ahead", .rows = ahead_mend, .ahead = job_ahead });
PURGES(job, ROWS_OF(job_run), ROWS_OF(job));

/* ---- search ---- */

#define JOB_FOUND(F, T) \
	FOUND(F, T) \
	F(T, STR,  event_type) \
	F(T, STR,  schedule) \
	F(T, STR,  timezone) \
	F(T, BOOL, edits)
SHAPE(found_job, JOB_FOUND);

/* Found by editors of the artifact, and by admins among all jobs of the workspace. Tokens with
 * scopes don't see the latter. */
static enum err
job_found(struct ctx *c, const struct find_asked *asked, struct found_list *out)
{
	struct found_job_list rows;

	TRY(db_all(c,
	    ROWS(found_job,
		"SELECT j.id AS `key`, j.id, COALESCE(j.name, " JOB_ACTION_TITLE ") AS title,"
		" a.name AS subtitle,"
		" IF(COALESCE(" ROLE_COLUMN " IN ('editor', 'owner'), FALSE),"
		" CONCAT('/a/', a.id, '/jobs/', j.id),"
		" CONCAT('/w/', wk.id, '/runs?job=', j.id)) AS url, COALESCE("
		ROLE_COLUMN " IN ('editor', 'owner'), FALSE) AS edits,"
		" a.id AS artifact_id, a.workspace_id,"
		" a.owner_id = s.user_id OR j.created_by <=> s.user_id AS own, j.updated_at,"
		" j.event_type, j.schedule, j.timezone"
		" FROM " FIND_ASKED " STRAIGHT_JOIN job j ON j.id = t.id"
		" STRAIGHT_JOIN artifact a ON a.id = j.artifact_id" ROLE_TABLES("s.user_id")
		" WHERE " JOB_IS_SEEN " AND " FIND_ARTIFACT_SHOWN
		" AND (COALESCE(" ROLE_COLUMN " IN ('editor', 'owner'), FALSE)"
		" OR " WORKSPACE_ROLE_COLUMN " IN ('admin', 'owner'))"),
	    FIND_ARGS(asked), &rows));
	*out = (struct found_list){ mem_array(c->mem, struct found, rows.n + 1), 0 };
	for (size_t i = 0; i < rows.n; i++) {
		struct found_job *j = &rows.v[i];

		if (!j->edits && principal_is_limited(asked->who))
			continue;
		j->subtitle = mem_printf(c->mem, "%s · %s",
		    job_when(c,
			&(struct job){ .event_type = j->event_type,
			    .schedule = j->schedule,
			    .timezone = j->timezone }),
		    j->subtitle);
		out->v[out->n++] = FOUND_OF(c, j);
	}
	return E_OK;
}

FINDS(job, FIND_JOB, "schedules", ARTIFACTS_READ, job_found,
    .text = ROWS(find_text,
	"SELECT j.id, CONCAT_WS(',', a.owner_id, CONCAT(a.workspace_id, '" FIND_EDITORS "'),"
	" (SELECT GROUP_CONCAT(co.user_id) FROM collaborator co"
	" WHERE co.artifact_id = a.id AND co.role = 'editor')) AS audiences,"
	" COALESCE(j.name, " JOB_ACTION_TITLE ") AS name,"
	" IF(j.name IS NULL, NULL, " JOB_ACTION_TITLE ") AS text FROM " ID_TABLE
	" STRAIGHT_JOIN job j ON j.id = t.id AND " JOB_IS_SEEN
	" STRAIGHT_JOIN artifact a ON a.id = j.artifact_id AND a.owner_id IS NOT NULL"),
    .all = FIND_ALL("job"));
