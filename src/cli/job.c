/* SPDX-License-Identifier: Apache-2.0
 * Jobs of an artifact, and what they ran. */
#include "base/jobtitle.h"
#include "base/str.h"
#include "cli/cmd.h"
#include "cli/help.h"
#include "cli/http.h"
#include "cli/jobadd.h"
#include "cli/list.h"
#include "cli/which.h"

#include <unistd.h>

enum { WAIT_S = 300 };

/* ---- which job ---- */

static const char *
artifact_of(struct cli *cli, int *status)
{
	return which_artifact(cli, usage_option(&cli->with, "--artifact"), status);
}

static const char *
jobs_path(struct cli *cli, int *status)
{
	const char *id = artifact_of(cli, status);

	return id ? mem_printf(cli->c->mem, "/v1/jobs?artifact_id=%s", id) : NULL;
}

/* Its name, or what pages call one that has none. */
static const char *
job_called(const struct json *job)
{
	const char *name = json_member(job, "name");
	const char *title = *name ? name : job_action_title(json_member(job, "action"));

	return title ? title : name;
}

/* The id of the only job that is called so. */
static const char *
name_find(const struct json *jobs, size_t n, const char *name)
{
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		const struct json *job = json_at(jobs, i);

		if (!str_eq(job_called(job), name))
			continue;
		if (found) {
			cli_fail("more than one job is named %s: use its id, from vitrine jobs",
			    name);
			return NULL;
		}
		found = json_member(job, "id");
	}
	if (!found)
		cli_fail(
		    "there is no job named %s: use a name or an id that vitrine jobs lists", name);
	return found;
}

/* By its id, or by its name among those of the artifact. NULL after saying what is wrong. */
static const char *
job_named(struct cli *cli, const char *named, int *status)
{
	const struct json *jobs;
	const char *path;
	struct http_res res;
	size_t n;

	if (str_starts(named, "job_") &&
	    !named[strspn(named, "_0123456789abcdefghijklmnopqrstuvwxyz")])
		return named;
	path = jobs_path(cli, status);
	if (!path)
		return NULL;
	*status = http_call(
	    cli, "GET", mem_printf(cli->c->mem, "%s&limit=200", path), NULL, &res);
	if (*status)
		return NULL;
	jobs = json_list(res.json, "jobs", &n);
	*status = EXIT_REFUSED;
	return name_find(jobs, n, named);
}

static const char *
job_path(struct cli *cli, int *status)
{
	const char *id = job_named(cli, cli->with.args[1], status);

	return id ? mem_printf(cli->c->mem, "/v1/jobs/%s", id) : NULL;
}

/* ---- in words ---- */

static bool
job_is_on(const struct json *job)
{
	const struct json *on = json_get(job, "enabled");

	return on && json_true(on);
}

static const char *
job_state(const struct json *job)
{
	const char *last = json_member(job, "last_status");

	return !job_is_on(job)             ? "paused"
	    : json_number(job, "failures") ? "failing"
	    : *last                        ? last
					   : "new";
}

static const char *
job_when(struct cli *cli, const struct json *job)
{
	const char *schedule = json_member(job, "schedule");

	return *schedule ? mem_printf(cli->c->mem, "%s %s", schedule, json_member(job, "timezone"))
			 : mem_printf(cli->c->mem, "on %s", json_member(job, "event_type"));
}

static void
row_job(struct cli *cli, const struct json *job)
{
	const char *name = json_member(job, "name");

	cli_line("%s  %-8s  %-11s  %s%s%s", json_member(job, "id"), job_state(job),
	    json_member(job, "action"), job_when(cli, job), *name ? "  " : "", name);
}

static const char *
took_words(struct cli *cli, int64_t ms)
{
	return mem_printf(cli->c->mem, "%lld.%lld s", (long long)(ms / 1000),
	    (long long)(ms % 1000 / 100));
}

/* "success  HTTP 200  1.4 s", or why it failed. */
static const char *
run_words(struct cli *cli, const struct json *run)
{
	int64_t code = json_number(run, "http_status");
	const char *error = json_member(run, "error");
	struct buf b = BUF(cli->c->mem);

	buf_fmt(&b, "%-8s", json_member(run, "status"));
	if (code)
		buf_fmt(&b, "  HTTP %lld", (long long)code);
	if (json_number(run, "finished_at"))
		buf_fmt(&b, "  %s", took_words(cli, json_number(run, "duration_ms")));
	if (*error)
		buf_fmt(&b, "  %s", error);
	return buf_done(&b);
}

static void
row_run(struct cli *cli, const struct json *run)
{
	cli_line("%s  %s  %s", json_member(run, "id"),
	    list_time(cli, run, "scheduled_for", "(no time)"), run_words(cli, run));
}

static void
lines_print(struct cli *cli, const char *text)
{
	char *rest = mem_strdup(cli->c->mem, text), *line;

	while (rest && *rest && (line = str_split(&rest, '\n')))
		cli_line("  %s", line);
}

/* ---- what is done ---- */

static int
jobs_list(struct cli *cli)
{
	int status = EXIT_FINE;
	const char *path = jobs_path(cli, &status);

	return path ? list_all(cli, path, "jobs", row_job) : status;
}

/* The secret is a result, since nothing tells it again. */
static int
job_add(struct cli *cli)
{
	struct http_req req = {
		.method = "POST", .path = "/v1/jobs", .save_fd = -1, .told = jobadd_told
	};
	struct buf body = BUF(cli->c->mem);
	int status = EXIT_FINE;
	const char *id = artifact_of(cli, &status);
	struct http_res res;

	if (!id)
		return status;
	if (!jobadd_body(cli, id, &body))
		return EXIT_USAGE;
	req.body = body.s;
	req.body_n = body.n;
	if ((status = http_send(cli, &req, NULL, &res)))
		return status;
	if (cli->json) {
		cli_print(cli, res.json);
		return EXIT_FINE;
	}
	cli_line("%s", json_member(res.json, "job.id"));
	if (!*json_member(res.json, "secret"))
		return EXIT_FINE;
	if (!cli->quiet)
		cli_note("the secret that signs its calls, shown only once:");
	cli_line("%s", json_member(res.json, "secret"));
	return EXIT_FINE;
}

static int
job_show(struct cli *cli)
{
	int status = EXIT_FINE;
	const char *path = job_path(cli, &status);
	const struct json *job, *config;
	struct http_res res;

	if (!path || (status = http_call(cli, "GET", path, NULL, &res)))
		return status;
	if (cli->json) {
		cli_print(cli, res.json);
		return EXIT_FINE;
	}
	job = json_get(res.json, "job");
	if (!job)
		return cli_fail("%s answered without the job", cli->url);
	row_job(cli, job);
	cli_line("next run   %s", list_time(cli, job, "next_run_at", "none"));
	cli_line("last run   %s", list_time(cli, job, "last_run_at", "none"));
	config = json_get(job, "config");
	if (config)
		cli_line("config     %s", json_text(cli->c->mem, config));
	return EXIT_FINE;
}

static int
run_print(struct cli *cli, const struct json *run)
{
	const char *status = json_member(run, "status");

	if (cli->json)
		cli_print(cli, run);
	else {
		row_run(cli, run);
		lines_print(cli, json_member(run, "output"));
	}
	return str_in(status, "failed|retrying") ? EXIT_REFUSED : EXIT_FINE;
}

/* Until it is over, or fails and will be tried again. */
static int
run_wait(struct cli *cli, const char *job, const struct json *run)
{
	struct http_res res = { .json = run };
	const char *path = mem_printf(cli->c->mem, "%s/runs/%s", job, json_member(run, "id"));
	int status;

	for (int s = 0; s < WAIT_S && str_in(json_member(run, "status"), "queued|running"); s++) {
		if (s == 0 && !cli->quiet)
			cli_note("waiting for the run to finish…");
		sleep(1);
		if ((status = http_call(cli, "GET", path, NULL, &res)))
			return status;
		run = json_get(res.json, "run");
		if (!run)
			return cli_fail("%s answered without the run", cli->url);
	}
	return run_print(cli, run);
}

static int
job_run(struct cli *cli)
{
	int status = EXIT_FINE;
	const char *path = job_path(cli, &status);
	const struct json *run;
	struct http_res res;

	if (!path ||
	    (status = http_call(
		 cli, "POST", mem_printf(cli->c->mem, "%s/run", path), NULL, &res)))
		return status;
	run = json_get(res.json, "execution");
	return run ? run_wait(cli, path, run) : cli_fail("%s answered without the run", cli->url);
}

static int
run_show(struct cli *cli, const char *job, const char *id)
{
	const struct json *attempts, *run;
	struct buf path = BUF(cli->c->mem);
	struct http_res res;
	int status;
	size_t n;

	buf_fmt(&path, "%s/runs/", job);
	buf_url(&path, id);
	if ((status = http_call(cli, "GET", path.s, NULL, &res)))
		return status;
	run = json_get(res.json, "run");
	if (cli->json || !run) {
		cli_print(cli, res.json);
		return EXIT_FINE;
	}
	row_run(cli, run);
	attempts = json_list(run, "attempts", &n);
	for (size_t i = 0; i < n; i++) {
		const struct json *a = json_at(attempts, i);

		cli_line("attempt %lld  %s  HTTP %lld  %s  %s", (long long)json_number(a, "no"),
		    list_time(cli, a, "started_at", "(no time)"),
		    (long long)json_number(a, "http_status"),
		    took_words(cli, json_number(a, "duration_ms")), json_member(a, "error"));
		lines_print(cli, json_member(a, "output"));
	}
	return EXIT_FINE;
}

static int
job_logs(struct cli *cli)
{
	const char *only = usage_option(&cli->with, "--status"), *path;
	int status = EXIT_FINE;
	struct buf query = BUF(cli->c->mem);

	if (!(path = job_path(cli, &status)))
		return status;
	if (cli->with.n > 2)
		return run_show(cli, path, cli->with.args[2]);
	buf_fmt(&query, "%s/runs", path);
	if (only) {
		buf_str(&query, "?status=");
		buf_form(&query, only);
	}
	return list_all(cli, query.s, "runs", row_run);
}

static int
job_switch(struct cli *cli, bool on)
{
	struct buf body = BUF(cli->c->mem);
	int status = EXIT_FINE;
	const char *path = job_path(cli, &status);
	struct http_res res;

	buf_fmt(&body, "{\"enabled\":%s}", on ? "true" : "false");
	if (!path || (status = http_call(cli, "PATCH", path, &body, &res)))
		return status;
	if (cli->json)
		cli_print(cli, res.json);
	else if (!cli->quiet)
		cli_note("%s is %s", cli->with.args[1], on ? "on" : "paused");
	return EXIT_FINE;
}

static int
job_pause(struct cli *cli)
{
	return job_switch(cli, false);
}

static int
job_resume(struct cli *cli)
{
	return job_switch(cli, true);
}

static int
job_delete(struct cli *cli)
{
	int status = EXIT_FINE;
	const char *path = job_path(cli, &status);
	struct http_res res;

	if (!path)
		return status;
	if (!usage_option(&cli->with, "--yes") &&
	    !cli_ask("Delete job %s and its run history? This can't be undone.",
		cli->with.args[1])) {
		return cli_fail("nothing was deleted; --yes deletes without asking");
	}
	status = http_call(cli, "DELETE", path, NULL, &res);
	if (!status && !cli->quiet)
		cli_note("%s is deleted", cli->with.args[1]);
	return status;
}

static int
job_rotate(struct cli *cli)
{
	int status = EXIT_FINE;
	const char *path = job_path(cli, &status);
	struct http_res res;

	if (!path ||
	    (status = http_call(cli, "POST",
		 mem_printf(cli->c->mem, "%s/rotate-secret", path), NULL, &res)))
		return status;
	if (cli->json)
		cli_print(cli, res.json);
	else
		cli_line("%s", json_member(res.json, "secret"));
	return EXIT_FINE;
}

/* ---- the command ---- */

static int
run_jobs(struct cli *cli)
{
	static const struct {
		const char *name;
		int (*run)(struct cli *);
		size_t least, most; /* arguments behind the name */
	} verbs[] = { { "list", jobs_list, 0, 0 }, { "add", job_add, 0, 0 },
		{ "show", job_show, 1, 1 }, { "run", job_run, 1, 1 }, { "logs", job_logs, 1, 2 },
		{ "pause", job_pause, 1, 1 }, { "resume", job_resume, 1, 1 },
		{ "delete", job_delete, 1, 1 }, { "rotate-secret", job_rotate, 1, 1 } };
	const char *verb = cli->with.n ? cli->with.args[0] : "list";
	size_t n = cli->with.n ? cli->with.n - 1 : 0;

	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		if (str_eq(verb, verbs[i].name) && n >= verbs[i].least && n <= verbs[i].most)
			return verbs[i].run(cli);
	return help_usage(cli);
}

static const struct cli_option jobs_options[] = {
	{ "--artifact SLUG", "whose jobs (default: what was published from here)" },
	{ "--name NAME", "for add: name of the job" },
	{ "--cron EXPR", "for add: when to run: '0 7 * * *', '*/15 9-17 * * mon-fri', @daily" },
	{ "--timezone ZONE", "for --cron: such as America/New_York (default: UTC)" },
	{ "--on updated|viewed|comment", "for add: run when this happens to the artifact" },
	{ "--email ADDRESSES", "for add: e-mail these addresses, separated by commas" },
	{ "--subject TEXT", "for --email: subject of the e-mail" },
	{ "--text TEXT",
	    "for --email and chats; placeholders such as {{artifact.url}} are filled in" },
	{ "--link", "for --email: include a link to the artifact" },
	{ "--webhook URL", "for add: call it with signed JSON; prints the secret once" },
	{ "--payload JSON",
	    "for --webhook: JSON to send instead of the service's own, or a file with it" },
	{ "--chat-a URL",
	    "for add: post to this Slack webhook; - reads the address from standard input" },
	{ "--chat-b URL",
	    "for add: post to this Discord webhook; - reads the address from standard input" },
	{ "--get URL", "for add: fetch this address" },
	{ "--save-to WHERE", "for --get: json, table:NAME, or blob:NAME (default: save nothing)" },
	{ "--materialize URL", "for add: load its data into the document" },
	{ "--table NAME", "for --materialize: load into this table instead" },
	{ "--append", "for --materialize: add to what is there instead of replacing it" },
	{ "--format json|csv|ndjson", "for --materialize: the format, if the source doesn't say" },
	{ "--header HEADER",
	    "for --webhook, --get, and --materialize: 'Name: value'; "
	    "- reads it from standard input" },
	{ "--attempts N", "for add: how often to try (default: 3 times)" },
	{ "--status STATUS", "for logs: only runs with this status: success, failed, retrying…" },
	{ "--yes", "for delete: don't ask" },
	{ 0 },
};

const struct cli_cmd job_cli[] = {
	{ "jobs",
	    "[list|add|show|run|logs|pause|resume|delete|rotate-secret] [JOB] [RUN]"
	    " [--artifact SLUG] [--name NAME] [--cron EXPR] [--timezone ZONE]"
	    " [--on updated|viewed|comment]"
	    " [--email ADDRESSES] [--subject TEXT] [--text TEXT] [--link] [--webhook URL]"
	    " [--payload JSON] [--chat-a URL] [--chat-b URL] [--get URL] [--save-to WHERE]"
	    " [--materialize URL] [--table NAME] [--append] [--format json|csv|ndjson]"
	    " [--header HEADER] [--attempts N] [--status STATUS] [--yes]",
	    "run jobs on a schedule or on an event: list; add; "
	    "show, run, pause, resume, or delete JOB; logs JOB [RUN]; rotate-secret JOB",
	    run_jobs, NEEDS_TOKEN, jobs_options },
	{ 0 },
};
