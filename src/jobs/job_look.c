/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs/job_look.h"

#include "base/json.h"
#include "base/str.h"

SHAPE_DEFINE(job_zone, JOB_ZONE);
SHAPE_DEFINE(job_source, JOB_SOURCE);

void
run_attempts_turn(struct list *attempts)
{
	struct run_attempt *v = attempts->v;

	for (size_t i = 0, k = attempts->n; i + 1 < k--; i++) {
		struct run_attempt first = v[i];

		v[i] = v[k];
		v[k] = first;
	}
}

void
job_say(struct ctx *c, struct job *j)
{
	const char *last = j->last_status;

	j->title = job_title(j);
	j->about = job_about(c, j);
	j->when = job_when(c, j);
	j->dot = !j->enabled          ? "none"
	    : j->failures             ? "bad"
	    : str_eq(last, "success") ? "ok"
				      : "none";
	j->state = !j->enabled        ? "Paused"
	    : j->failures             ? "Failing"
	    : !last                   ? "Not run yet"
	    : str_eq(last, "success") ? "Working"
	    : str_eq(last, "running") ? "Running"
	    : str_eq(last, "skipped") ? "Last run skipped"
				      : "Retrying";
}

/* ---- the form ---- */

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
	for (size_t i = 0; i < rows.n; i++) {
		const struct connection *k = &rows.v[i];
		const bool own = str_eq(k->auth_mode, "member");

		if (!str_in(k->kind, kinds) ||
		    (str_eq(kinds, "chat") && !str_eq(k->provider, form->action)))
			continue;
		to[n] = (struct job_source){
			.value = mem_printf(c->mem, "%s%s:%s", k->kind, own ? ".member" : "",
			    k->id),
			.label = own ? mem_printf(c->mem, "%s (each member’s credentials)", k->name)
				     : k->name,
			.chosen = str_eq(k->id, chosen)
		};
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

struct job
job_of_governed(const struct governed_job *g)
{
	struct job j = { 0 };

	/* Both structs begin with the fields of JOB. */
	_Static_assert(offsetof(struct job, state) == offsetof(struct governed_job, state),
	    "a governed job begins as a job does");
	memcpy(&j, g, offsetof(struct governed_job, artifact));
	return j;
}

void
governed_say(struct ctx *c, struct governed_job *g)
{
	struct job j = job_of_governed(g);

	job_say(c, &j);
	memcpy(g, &j, offsetof(struct governed_job, artifact));
}
