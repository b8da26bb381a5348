/* SPDX-License-Identifier: Apache-2.0
 * Commands about a workspace's jobs and their runs, for its admins. */
#include "base/buf.h"
#include "base/str.h"
#include "cli/commands.h"
#include "cli/http.h"
#include "cli/job.h"
#include "cli/row.h"
#include "cli/workspace.h"

/* ---- which one ---- */

/* Returns the id of JOB: an id, or a name among the command's jobs. */
static const char *
jobs_find(struct cli *cli, const char *what, int *status)
{
	const char *named = row_given(cli, "JOB"), *surface = cli->cmd->name, *ws;

	if (!str_eq(what, "job"))
		return NULL;
	if (job_is_id(named))
		return named;
	if (!(ws = row_found(cli, "workspace")))
		return NULL;
	return job_named(cli,
	    mem_printf(cli->c->mem, "/v1/workspaces/%s/%s?limit=200&q=%s", ws, surface,
		form_encoded(cli->c->mem, named)),
	    surface, named, surface, status);
}

/* Returns the id of an artifact in the workspace, which may be anybody's. */
static const char *
artifact_find(struct cli *cli, const char *ws, const char *slug, int *status)
{
	const struct json *rows;
	struct http_res res;
	size_t n;

	*status = http_do(cli, &res, "GET /v1/workspaces/%s/admin/artifacts?limit=200&q=%s", ws,
	    form_encoded(cli->c->mem, slug));
	if (*status)
		return NULL;
	rows = json_list(res.json, "artifacts", &n);
	for (size_t i = 0; i < n; i++)
		if (str_eq(json_member(json_at(rows, i), "slug"), slug))
			return json_member(json_at(rows, i), "id");
	*status = cli_fail("no artifact of the workspace has the slug %s", slug);
	return NULL;
}

/* Asks on which surface a run is, since its id doesn't tell. */
static const char *
surface_find(struct cli *cli, const char *ws, int *status)
{
	struct http_req req = { .method = "GET", .save_fd = -1 };
	struct http_res res;

	req.path = mem_printf(
	    cli->c->mem, "/v1/workspaces/%s/runs/schedule/%s", ws, row_given(cli, "ID"));
	if (http_try(cli, &req, &res))
		return res.status == 404 ? "automation" : "schedule";
	*status = cli_fail("%s: %s", cli->url, res.again);
	return NULL;
}

static const char *
runs_find(struct cli *cli, const char *what, int *status)
{
	const char *ws;

	if (!str_in(what, "surface|of") || !(ws = row_found(cli, "workspace")))
		return NULL;
	return *what == 's'
	    ? surface_find(cli, ws, status)
	    : artifact_find(cli, ws, cli_option(cli, "--artifact"), status);
}

/* ---- the commands ---- */

static int
run_wait(struct cli *cli, const struct json *reply)
{
	return job_run_wait(cli, reply,
	    mem_printf(cli->c->mem, "/v1/workspaces/%s/runs/%s", row_found(cli, "workspace"),
		cli->cmd->name));
}

#define RUNS "/v1/workspaces/{@workspace}/runs"

static const struct cli_option runs_options[] = {
	{ "--workspace W", WORKSPACE_RULE },
	{ "--surface schedule|automation", "for list: only runs of schedules, or of automations",
	    .only = "[list]" },
	{ "--status STATUS", "only runs with this status: success, failed, retrying…",
	    .only = "[list]|logs" },
	{ "--artifact SLUG", "for list: only runs of this artifact", .only = "[list]" },
	{ 0 },
};

static const struct cli_row runs_rows[] = {
	{ "[list]", NULL, "GET " RUNS,
	    "artifact_id=--artifact?@of surface=--surface status=--status", .list = "runs",
	    .line = JOB_RUN_LINE "  {job_name|action} ({artifact_name})" },
	{ "show", "ID", "GET " RUNS "/{@surface}/{ID}", .then = job_run_say,
	    .id = { "run_", "the id of a run; vitrine runs lists them" } },
	{ "logs", "ID", "GET " RUNS, "job_id=ID status=--status", .list = "runs",
	    .line = JOB_RUN_LINE,
	    .id = { "job_", "the id of a job; vitrine schedules and automations list them" } },
	{ "told", NULL, "GET " RUNS "/told", .list = "people", .line = "{email}" },
	{ 0 },
};

static const struct cli_option jobs_options[] = {
	{ "--workspace W", WORKSPACE_RULE },
	{ "--state all|failing|paused", "for list: only those that are failing, or paused",
	    .only = "[list]" },
	{ "--status STATUS", "for logs: only runs with this status: success, failed, retrying…",
	    .only = "logs" },
	{ "--yes", "for delete: don't ask" },
	{ 0 },
};

/* at: the surface's plural, which also names its list in the reply. */
#define JOBS_ROWS(at, when, logs) \
	{ "[list]", NULL, "GET /v1/workspaces/{@workspace}/" at, "state=--state", .list = at, \
	    .line = "{id}  {-8 !enabled?'paused'|failures?'failing'|last_status|'new'}  " \
		    when "  {runs_24h.success} ok, {runs_24h.failed} failed in 24 h  " \
		    "{name|action} ({artifact.name})" }, \
	{ "run", "JOB", "POST /v1/workspaces/{@workspace}/" at "/{@job}/run", .then = run_wait }, \
	{ "logs", "JOB", "GET /v1/workspaces/{@workspace}/" at "/{@job}/" logs, \
	    "status=--status", .list = logs, .line = JOB_RUN_LINE }, \
	{ "pause", "JOB", "PATCH /v1/workspaces/{@workspace}/" at "/{@job}", \
	    "enabled:json='false'", .note = "{JOB} is paused" }, \
	{ "resume", "JOB", "PATCH /v1/workspaces/{@workspace}/" at "/{@job}", \
	    "enabled:json='true'", .note = "{JOB} is on" }, \
	{ "delete", "JOB", "DELETE /v1/workspaces/{@workspace}/" at "/{@job}", \
	    .note = "{JOB} is deleted", \
	    .asks = ASKS_DELETE( \
		"Delete {JOB} and its run history for everyone? This can't be undone.") }, \
	{ 0 }

static const struct cli_row schedules_rows[] = { JOBS_ROWS(
    "schedules", "{schedule} {timezone}", "logs") };
static const struct cli_row automations_rows[] = { JOBS_ROWS(
    "automations", "on {event_type}", "runs") };

#define JOBS_ARGS "[list|run|logs|pause|resume|delete] [JOB]"
const struct cli_cmd runs_cli[] = {
	{ "runs", "[list|show|logs|told] [ID]",
	    "see what ran by itself in a workspace you're an admin of: list; show ID of a run; "
	    "logs ID of a job; told, who is e-mailed when something fails",
	    runs_options, runs_rows, .find = runs_find },
	{ "schedules", JOBS_ARGS,
	    "all that runs by the clock in a workspace you're an admin of: list; "
	    "run, logs, pause, resume, or delete JOB",
	    jobs_options, schedules_rows, .find = jobs_find },
	{ "automations", JOBS_ARGS,
	    "all that runs on events in a workspace you're an admin of: list; "
	    "run, logs, pause, resume, or delete JOB",
	    jobs_options, automations_rows, .find = jobs_find },
	{ 0 },
};
