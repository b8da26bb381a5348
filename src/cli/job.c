/* SPDX-License-Identifier: Apache-2.0
 * Commands about an artifact's jobs and their runs. */
#include "cli/job.h"

#include "base/jobtitle.h"
#include "base/str.h"
#include "cli/commands.h"
#include "cli/http.h"
#include "cli/jobadd.h"
#include "cli/line.h"
#include "cli/row.h"
#include "cli/which.h"

#include <unistd.h>

enum { WAIT_S = 300 };

/* ---- which job ---- */

bool
job_is_id(const char *named)
{
	return str_starts(named, "job_") &&
	    !named[strspn(named, "_0123456789abcdefghijklmnopqrstuvwxyz")];
}

const char *
job_named(struct cli *cli, const char *path, const char *list, const char *name,
    const char *command, int *status)
{
	const char *found = NULL;
	const struct json *jobs;
	struct http_res res;
	size_t n;

	if ((*status = http_do(cli, &res, "GET %s", path)))
		return NULL;
	jobs = json_list(res.json, list, &n);
	for (size_t i = 0; i < n; i++) {
		const struct json *job = json_at(jobs, i);
		const char *own = json_member(job, "name"), *title = own;

		/* Pages show a title for a job without a name. */
		if (!*own)
			title = job_action_title(json_member(job, "action"));
		if (!str_eq(title ? title : own, name))
			continue;
		if (found) {
			*status = cli_fail(
			    "more than one job is named %s: use its id, from vitrine %s", name,
			    command);
			return NULL;
		}
		found = json_member(job, "id");
	}
	if (!found)
		*status = cli_fail(
		    "there is no job named %s: use a name or an id that vitrine %s lists", name,
		    command);
	return found;
}

/* Returns the id of JOB: an id, or a name among the artifact's jobs. */
static const char *
job_find(struct cli *cli, const char *what, int *status)
{
	const char *named = row_given(cli, "JOB"), *artifact;

	if (!str_eq(what, "job"))
		return NULL;
	if (job_is_id(named))
		return named;
	if (!(artifact = row_found(cli, "artifact")))
		return NULL;
	return job_named(cli,
	    mem_printf(cli->c->mem, "/v1/jobs?artifact_id=%s&limit=200", artifact), "jobs", named,
	    "jobs", status);
}

/* ---- printing ---- */

#define JOB_LINE \
	"{id}  {-8 !enabled?'paused'|failures?'failing'|last_status|'new'}  {-11 action}  " \
	"[{schedule} {timezone}]{!schedule?'on '}{!schedule?event_type}[  {name}]"

/* ---- requests and replies ---- */

static bool
job_body(struct cli *cli, struct buf *body)
{
	const char *id = row_found(cli, "artifact");

	return id && jobadd_body(cli, id, body);
}

/* Prints the secret to standard output, since it is shown only once. */
static int
job_print(struct cli *cli, const struct json *reply)
{
	line_result(cli, "{job.id}", reply);
	if (cli->json || !*json_member(reply, "secret"))
		return EXIT_FINE;
	if (!cli->quiet)
		cli_note("the secret that signs its calls, shown only once:");
	return line_result(cli, "{secret}", reply);
}

int
job_run_wait(struct cli *cli, const struct json *reply, const char *runs)
{
	const struct json *run = json_get(reply, "execution");
	struct http_res res;
	const char *id;
	int status;

	if (!run)
		return cli_fail("%s answered without the run", cli->url);
	id = json_member(run, "id");
	for (int s = 0; s < WAIT_S && str_in(json_member(run, "status"), "queued|running"); s++) {
		if (s == 0 && !cli->quiet)
			cli_note("waiting for the run to finish…");
		sleep(1);
		if ((status = http_do(cli, &res, "GET %s/%s", runs, id)))
			return status;
		run = json_get(res.json, "run");
		if (!run)
			return cli_fail("%s answered without the run", cli->url);
	}
	line_result(cli, JOB_RUN_LINE "\n{output:lines}", run);
	return str_in(json_member(run, "status"), "failed|retrying") ? EXIT_REFUSED : EXIT_FINE;
}

static int
run_wait(struct cli *cli, const struct json *reply)
{
	return job_run_wait(cli, reply,
	    mem_printf(cli->c->mem, "/v1/jobs/%s/runs", row_found(cli, "job")));
}

int
job_run_say(struct cli *cli, const struct json *reply)
{
	const struct json *run = json_get(reply, "run");

	if (cli->json || !run) {
		cli_print(cli, reply);
		return EXIT_FINE;
	}
	line_print(cli, JOB_RUN_LINE, run, cli_line);
	line_each(cli,
	    "attempt {no}  {started_at:time|'(no time)'}  HTTP {http_status|'0'}  "
	    "{duration_ms:seconds|'0.0 s'}  {error}\n{output:lines}",
	    run, "attempts", cli_line);
	return EXIT_FINE;
}

/* ---- the command ---- */

static const struct cli_option jobs_options[] = {
	{ "--artifact SLUG", "whose jobs (default: what was published from here)" },
	{ "--name NAME", "for add: name of the job", .only = "add" },
	{ "--cron EXPR", "for add: when to run: '0 7 * * *', '*/15 9-17 * * mon-fri', @daily",
	    .only = "add" },
	{ "--timezone ZONE", "for --cron: such as America/New_York (default: UTC)", .only = "add" },
	{ "--on updated|viewed|comment", "for add: run when this happens to the artifact",
	    .only = "add" },
	{ "--email ADDRESSES", "for add: e-mail these addresses, separated by commas",
	    .only = "add" },
	{ "--subject TEXT", "for --email: subject of the e-mail", .only = "add" },
	{ "--text TEXT",
	    "for --email and chats; placeholders such as {{artifact.url}} are filled in",
	    .only = "add" },
	{ "--link", "for --email: include a link to the artifact", .only = "add" },
	{ "--webhook URL", "for add: call it with signed JSON; prints the secret once",
	    .only = "add" },
	{ "--payload JSON",
	    "for --webhook: JSON to send instead of the service's own, or a file with it",
	    .only = "add" },
	{ "--chat-a URL",
	    "for add: post to this Slack webhook, "
	    "or, with --connection, to the channel with this ID; - reads it from standard input",
	    .only = "add" },
	{ "--chat-b URL",
	    "for add: post to this Discord webhook, "
	    "or, with --connection, to the channel with this ID; - reads it from standard input",
	    .only = "add" },
	{ "--get URL", "for add: fetch this address", .only = "add" },
	{ "--save-to WHERE", "for --get: json, table:NAME, or blob:NAME (default: save nothing)",
	    .only = "add" },
	{ "--materialize URL", "for add: load its data into the document", .only = "add" },
	{ "--query SQL",
	    "for add: load what a database answers to this; - reads it from standard input",
	    .only = "add" },
	{ "--connection ID",
	    "for --query: the database; for --get and --materialize: whose address the path that "
	    "they give is beneath; for chats: whose channel they give", .only = "add" },
	{ "--table NAME", "for --materialize and --query: load into this table instead",
	    .only = "add" },
	{ "--append",
	    "for --materialize and --query: add to what is there instead of replacing it",
	    .only = "add" },
	{ "--format json|csv|ndjson", "for --materialize: the format, if the source doesn't say",
	    .only = "add" },
	{ "--header HEADER",
	    "for --webhook, --get, and --materialize: 'Name: value'; "
	    "- reads it from standard input", .only = "add" },
	{ "--attempts N", "for add: how often to try (default: 3 times)", .only = "add" },
	{ "--status STATUS", "for logs: only runs with this status: success, failed, retrying…",
	    .only = "logs" },
	{ "--yes", "for delete: don't ask" },
	{ 0 },
};

static const struct cli_row jobs_rows[] = {
	{ "[list]", NULL, "GET /v1/jobs", "artifact_id=@artifact", .list = "jobs",
	    .line = JOB_LINE },
	{ "add", NULL, "POST /v1/jobs", .adds = job_body, .reword = jobadd_reword,
	    .then = job_print },
	{ "show", "JOB", "GET /v1/jobs/{@job}", .of = "job",
	    .line = JOB_LINE "\nnext run   {next_run_at:time|'none'}\n"
			     "last run   {last_run_at:time|'none'}\n[config     {config:json}]" },
	{ "run", "JOB", "POST /v1/jobs/{@job}/run", .then = run_wait },
	{ "logs", "JOB", "GET /v1/jobs/{@job}/runs", "status=--status", .list = "runs",
	    .line = JOB_RUN_LINE },
	{ "logs", "JOB RUN", "GET /v1/jobs/{@job}/runs/{RUN}", .then = job_run_say },
	{ "pause", "JOB", "PATCH /v1/jobs/{@job}", "enabled:json='false'",
	    .note = "{JOB} is paused" },
	{ "resume", "JOB", "PATCH /v1/jobs/{@job}", "enabled:json='true'", .note = "{JOB} is on" },
	{ "delete", "JOB", "DELETE /v1/jobs/{@job}", .note = "{JOB} is deleted",
	    .asks = ASKS_DELETE("Delete job {JOB} and its run history? This can't be undone.") },
	{ "rotate-secret", "JOB", "POST /v1/jobs/{@job}/rotate-secret", .line = "{secret}" },
	{ 0 },
};

const struct cli_cmd job_cli[] = {
	{ "jobs", "[list|add|show|run|logs|pause|resume|delete|rotate-secret] [JOB] [RUN]",
	    "run jobs on a schedule or on an event: list; add; "
	    "show, run, pause, resume, or delete JOB; logs JOB [RUN]; rotate-secret JOB",
	    jobs_options, jobs_rows, .find = job_find },
	{ 0 },
};
