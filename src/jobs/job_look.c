/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs/job_look.h"

#include "base/json.h"
#include "base/str.h"

enum { REPLY_CHARS = 90 };

SHAPE_DEFINE(attempt_line, ATTEMPT_LINE);
SHAPE_DEFINE(job_zone, JOB_ZONE);
SHAPE_DEFINE(job_source, JOB_SOURCE);

/* ---- runs ---- */

const char *
run_took(struct ctx *c, int64_t ms)
{
	if (ms < 1000)
		return mem_printf(c->mem, "%lld ms", (long long)ms);
	if (ms < 60000)
		return mem_printf(c->mem, "%.1f s", (double)ms / 1000);
	return mem_printf(c->mem, "%lld min", (long long)(ms / 60000));
}

const char *
run_why(const char *cause, const char *event_type)
{
	static const struct {
		const char *cause, *words;
	} causes[] = { { "cron", "On schedule" }, { "catch_up", "On schedule, late" },
		{ "manual", "Run by hand" }, { "artifact.updated", "A version went live" },
		{ "artifact.viewed", "Someone viewed it" },
		{ "comment.added", "Someone commented" } };
	const char *why = str_eq(cause, "event") ? event_type : cause;

	for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
		if (str_eq(causes[i].cause, why))
			return causes[i].words;
	return why;
}

const char *
run_error(struct ctx *c, const char *error)
{
	char *out = mem_strdup(c->mem, error);

	if (out)
		*out = (char)toupper((unsigned char)*out);
	return out;
}

const char *
run_reply(struct ctx *c, const char *status, const char *error, int64_t http_status)
{
	const char *wrong = run_error(c, error);

	if (wrong)
		return str_chars(wrong) > REPLY_CHARS
		    ? mem_printf(c->mem, "%s…", str_cut(c->mem, wrong, REPLY_CHARS))
		    : wrong;
	if (http_status)
		return mem_printf(c->mem, "HTTP %lld", (long long)http_status);
	return str_eq(status, "success") ? "Done" : "";
}

bool
run_is_over(const char *status)
{
	return str_in(status, "success|failed|skipped");
}

struct list
run_attempt_lines(struct ctx *c, const struct list *attempts)
{
	const struct run_attempt *from = attempts->v;
	struct attempt_line *to = mem_array(c->mem, struct attempt_line, attempts->n + 1);

	for (size_t i = 0; i < attempts->n; i++) {
		const struct run_attempt *a = &from[attempts->n - 1 - i];

		to[i] = (struct attempt_line){ .no = a->no,
			.http_status = a->http_status,
			.good = !a->error && a->has.duration_ms == GIVEN,
			.started_at = a->started_at,
			.took = a->has.duration_ms == GIVEN ? run_took(c, a->duration_ms) : "",
			.error = run_error(c, a->error),
			.output = a->output };
	}
	return (struct list){ to, attempts->n };
}

/* ---- jobs ---- */

struct job_state
job_state(const struct job *j)
{
	const char *last = j->last_status;

	if (!j->enabled)
		return (struct job_state){ "none", "Paused" };
	if (j->failures)
		return (struct job_state){ "bad", "Failing" };
	if (str_eq(last, "success"))
		return (struct job_state){ "ok", "Working" };
	return (struct job_state){ "none",
		!last                         ? "Not run yet"
		    : str_eq(last, "running") ? "Running"
		    : str_eq(last, "skipped") ? "Last run skipped"
					      : "Retrying" };
}

const char *
job_failed(struct ctx *c, int64_t times)
{
	return times == 1 ? "once" : mem_printf(c->mem, "%lld times in a row", (long long)times);
}

/* ---- the form ---- */

static struct job_source
source_of(struct ctx *c, const struct connection *k, const char *chosen)
{
	bool own = str_eq(k->auth_mode, "member");

	return (struct job_source){
		.value = mem_printf(c->mem, "%s%s:%s", k->kind, own ? ".member" : "", k->id),
		.label = own ? mem_printf(c->mem, "%s (each member’s credentials)", k->name)
			     : k->name,
		.chosen = str_eq(k->id, chosen)
	};
}

enum err
job_sources(struct ctx *c, const struct principal *who, const char *workspace_id,
    const char *workspace_role, const struct job_form *form, struct list *out)
{
	const char *chosen = form->source && *form->source ? form->source : NULL, *more = NULL,
		   *kinds = str_eq(form->action, "materialize") ? "http|oauth2|postgres"
		       : str_eq(form->action, "http_get")       ? "http|oauth2"
		       : str_starts(form->action, "chat_")      ? "chat"
								: "";
	struct workspace w = { .id = workspace_id, .role = workspace_role };
	bool is_member = *kinds && member_rank(workspace_role) >= MEMBER_MEMBER, sees_all;
	struct connection_list rows = { 0 };
	struct job_source *to;
	bool found = false;
	size_t n = 0;

	if (is_member)
		TRY(connection_list(c, &w, who, &(struct connection_query){ .limit = PAGE_MAX },
		    &rows, &more));
	sees_all = is_member && !more;
	to = mem_array(c->mem, struct job_source, rows.n + 2);
	for (size_t i = 0; i < rows.n; i++)
		if (str_in(rows.v[i].kind, kinds) &&
		    (!str_eq(kinds, "chat") || str_eq(rows.v[i].provider, form->action))) {
			to[n] = source_of(c, &rows.v[i], chosen);
			found = found || to[n++].chosen;
		}
	if (chosen && !found)
		to[n++] = (struct job_source){ .value = mem_printf(c->mem, "gone:%s", chosen),
			.label = sees_all ? "A connection that this workspace doesn’t have"
					  : "The connection that it uses now",
			.chosen = true };
	*out = (struct list){ to, n };
	return E_OK;
}

struct list
job_zones(void)
{
	static struct job_zone zones[] = {
#define Z(name) { .zone = name }
		Z("UTC"), Z("Africa/Cairo"), Z("Africa/Johannesburg"), Z("Africa/Lagos"),
		Z("Africa/Nairobi"), Z("America/Argentina/Buenos_Aires"), Z("America/Bogota"),
		Z("America/Chicago"), Z("America/Denver"), Z("America/Halifax"),
		Z("America/Lima"), Z("America/Los_Angeles"), Z("America/Mexico_City"),
		Z("America/New_York"), Z("America/Santiago"), Z("America/Sao_Paulo"),
		Z("America/Toronto"), Z("Asia/Bangkok"), Z("Asia/Dhaka"), Z("Asia/Dubai"),
		Z("Asia/Hong_Kong"), Z("Asia/Jakarta"), Z("Asia/Jerusalem"), Z("Asia/Karachi"),
		Z("Asia/Kolkata"), Z("Asia/Manila"), Z("Asia/Seoul"), Z("Asia/Shanghai"),
		Z("Asia/Singapore"), Z("Asia/Tokyo"), Z("Australia/Brisbane"),
		Z("Australia/Perth"), Z("Australia/Sydney"), Z("Europe/Amsterdam"),
		Z("Europe/Athens"), Z("Europe/Berlin"), Z("Europe/Dublin"), Z("Europe/Helsinki"),
		Z("Europe/Istanbul"), Z("Europe/Kyiv"), Z("Europe/Lisbon"), Z("Europe/London"),
		Z("Europe/Madrid"), Z("Europe/Paris"), Z("Europe/Prague"), Z("Europe/Rome"),
		Z("Europe/Stockholm"), Z("Europe/Warsaw"), Z("Europe/Zurich"),
		Z("Pacific/Auckland"), Z("Pacific/Honolulu"),
#undef Z
	};

	return (struct list){ zones, sizeof zones / sizeof *zones };
}

const char *
job_chat_host(struct ctx *c, const struct job *j)
{
	struct json *config;
	const struct json *host;

	if (!str_starts(j->action, "chat_") || json_parse(c, j->config, strlen(j->config), &config))
		return NULL;
	host = json_get(config, "webhook_host");
	return host && json_kind(host) == J_STR ? json_str(host) : NULL;
}
