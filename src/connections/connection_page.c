/* SPDX-License-Identifier: Apache-2.0
 * The pages of a workspace's connections: all of them, one with its test and what uses it, and the
 * question before one is deleted. */
#include "connections/connection_page.h"

#include "base/str.h"
#include "connections/used.h"
#include "core/way.h"
#include "http/share.h"

enum { CONNECTIONS_A_PAGE = 50 };

const char *
connections_at(const struct req *r, const char *beneath)
{
	return mem_printf(r->c->mem, "/w/%s/connections%s", r->ws->id, beneath);
}

static bool
is_admin(const struct req *r)
{
	return member_rank(r->ws->role) >= MEMBER_ADMIN;
}

/* True if the viewer may test the connection and has credentials to test with. */
static bool
is_testable(const struct req *r, const struct connection *k)
{
	return (connection_is_own(k) || is_admin(r)) && !connection_needs_credentials(k);
}

/* ---- all connections ---- */

#define CONNECTION_ROW(F, T) \
	F(T, ID,   id,       .arg = "con_") \
	F(T, STR,  name) \
	F(T, WORD, kind,     .arg = CONNECTION_KINDS) \
	F(T, WORD, state,    .arg = CONNECTION_STATES) \
	F(T, STR,  about) \
	F(T, STR,  last_error) \
	F(T, TIME, last_used_at) \
	F(T, STR,  jobs) \
	F(T, BOOL, testable)
SHAPE(connection_row, CONNECTION_ROW);

#define CONNECTIONS_PAGE(F, T) \
	F(T, LIST, connections, .sub = &connection_row_shape) \
	F(T, STR,  next)
SHAPE(connections_page, CONNECTIONS_PAGE);

static struct connection_row
row_of(struct req *r, const struct connection *k, const struct connection_job_count_list *counts)
{
	int64_t jobs = connection_jobs_of(counts, k->id);

	return (struct connection_row){ .id = k->id,
		.name = k->name,
		.kind = k->kind,
		.state = connection_state(k, is_admin(r)),
		.about = mem_printf(r->c->mem, "%s · %s", connection_where(r->c, k),
		    connection_is_own(k) ? "each member’s own credentials" : "shared"),
		.last_error = k->last_error,
		.last_used_at = k->last_used_at,
		.jobs = jobs ? str_count(r->c->mem, jobs, "job") : NULL,
		.testable = is_testable(r, k) };
}

static enum err
h_connections(struct req *r)
{
	const struct tab_query *q = r->query;
	struct connections_page page = { 0 };
	struct connection_job_count_list counts;
	struct connection_list rows;
	const char *next;

	TRY(connection_list(r->c, r->ws, r->who,
	    &(struct connection_query){ .limit = CONNECTIONS_A_PAGE, .cursor = q->cursor }, &rows,
	    &next));
	TRY(connection_jobs_counted(r->c, r->who, r->ws->id, &counts));
	page.connections = list_made(r->c->mem, &rows, k, row_of(r, k, &counts));
	page.next = req_next(r, next, NEXT_WITHOUT);
	return reply_page(r, 0, &page);
}

/* ---- its jobs ---- */

#define USED_LINE(F, T) \
	F(T, WORD, dot,   .arg = "ok|bad|none") \
	F(T, STR,  state) \
	F(T, STR,  to) \
	F(T, STR,  title) \
	F(T, STR,  about) \
	F(T, STR,  last) \
	F(T, TIME, last_run_at)
SHAPE(used_line, USED_LINE);

/* Editors go to the artifact's page of it, who governs it to the workspace's. */
static const char *
job_address(struct req *r, const struct connection_job *j)
{
	if (!j->name || str_eq(j->trigger_type, "alert"))
		return mem_printf(r->c->mem, "/a/%s", j->artifact_id);
	if (j->edits)
		return mem_printf(r->c->mem, "/a/%s/jobs/%s", j->artifact_id, j->id);
	return mem_printf(r->c->mem, "/w/%s/runs/%s/%s", r->ws->id,
	    str_eq(j->trigger_type, "cron") ? "schedules" : "automations", j->id);
}

static const char *
fills_words(struct ctx *c, const char *fills)
{
	if (!fills)
		return "";
	return *fills ? mem_printf(c->mem, " · fills the table %s", fills)
		      : " · fills the document";
}

static struct used_line
used_line_of(struct req *r, const struct connection_job *j)
{
	bool bad = j->enabled && j->failures;

	if (!j->name)
		return (struct used_line){ .dot = "none",
			.state = "Job",
			.title = j->artifact_name,
			.to = job_address(r, j),
			.about = "Its editors know the job" };
	return (struct used_line){
		.dot = bad ? "bad" : j->enabled && j->last_run_at ? "ok" : "none",
		.state = bad               ? "Failing"
		    : !j->enabled          ? "Paused"
		    : j->last_run_at       ? "Works"
					   : "Not run yet",
		.to = job_address(r, j),
		.title = j->name,
		.about = mem_printf(r->c->mem, "%s%s%s%s", j->artifact_name,
		    j->maker ? " · " : "", j->maker ? j->maker : "",
		    fills_words(r->c, j->fills)),
		.last = !j->enabled           ? "paused"
		    : bad                     ? "failed"
		    : j->last_run_at          ? "ran"
					      : "never ran",
		.last_run_at = j->enabled ? j->last_run_at : 0 };
}

/* ---- one connection ---- */

#define CONNECTION_PAGE(F, T) \
	TEST_PART(F, T) \
	F(T, OBJ,  connection,     .sub = &connection_shape) \
	F(T, WORD, state,          .arg = CONNECTION_STATES) \
	F(T, STR,  kind_words) \
	F(T, STR,  server) \
	F(T, STR,  secret,         .doc = "What it keeps and nobody sees") \
	F(T, STR,  needs,          .doc = "What is missing, and who can add it") \
	F(T, STR,  signin) \
	F(T, STR,  signin_host) \
	F(T, BOOL, testable) \
	F(T, BOOL, editable) \
	F(T, BOOL, typed,          .doc = "They are typed here") \
	F(T, BOOL, used) \
	F(T, STR,  jobs_n) \
	F(T, LIST, jobs,           .sub = &used_line_shape) \
	F(T, STR,  more) \
	F(T, STR,  hidden)
SHAPE(connection_page, CONNECTION_PAGE);

/* Says what the caller must do before it can be used; NULL if nothing. */
static const char *
needs_words(const struct connection *k, bool admin)
{
	bool signs_in = connection_signs_in(k->kind);

	if (!connection_needs_credentials(k))
		return NULL;
	if (connection_is_own(k))
		return signs_in ? "Sign in at the service, so that your jobs can use it."
				: "Add your credentials, so that your jobs can use it.";
	if (admin)
		return signs_in ? "The service doesn’t accept its sign-in anymore. Sign in again."
				: "Its credentials are missing. Edit it to add them.";
	return signs_in ? "An admin of this workspace has to sign in there again."
			: "An admin of this workspace has to add its credentials.";
}

static const char *
hidden_words(struct ctx *c, int64_t hidden)
{
	return hidden == 1 ? "1 job of an artifact that you can’t open"
	    : hidden       ? mem_printf(c->mem, "%s of artifacts that you can’t open",
				   str_count(c->mem, hidden, "job"))
			   : NULL;
}

/* Only people who could stop hidden jobs see their number. */
static enum err
used_fill(struct req *r, const struct connection *k, struct connection_page *page)
{
	struct connection_job_list jobs;
	int64_t seen, all;

	TRY(connection_jobs(r->c, r->who, k->id, &jobs, &seen, &all));
	page->jobs = list_made(r->c->mem, &jobs, j, used_line_of(r, j));
	page->jobs_n = seen ? str_number(r->c->mem, seen) : NULL;
	if (seen > (int64_t)jobs.n)
		page->more = mem_printf(r->c->mem, "And %s more",
		    str_number(r->c->mem, seen - (int64_t)jobs.n));
	if (is_admin(r))
		page->hidden = hidden_words(r->c, all - seen);
	page->used = seen || page->hidden;
	return E_OK;
}

/* Also the answer to a test. */
static enum err
connection_reply(struct req *r, const char *id, const struct connection_test *test)
{
	bool admin = is_admin(r);
	struct connection *k;
	struct connection_page page;
	const char *asks;

	TRY(connection_get(r->c, r->ws, r->who, id, &k));
	asks = credentials_asked(r->c, k->kind, k->auth_mode, k->config);
	page = (struct connection_page){ TEST_PART_OF(r->c, test), .connection = k,
		.state = connection_state(k, admin),
		.kind_words = mem_printf(r->c->mem, "%s, %s", connection_kind_words(k->kind),
		    connection_is_own(k) ? "each member’s own credentials" : "shared credentials"),
		.server = connection_server(r->c, k),
		.secret = str_eq(asks, "login")      ? "Password"
		    : str_eq(asks, "token")          ? "Token"
		    : connection_signs_in(k->kind)   ? "Sign-in"
						     : NULL,
		.needs = needs_words(k, admin), .testable = is_testable(r, k),
		.editable = !connection_signs_in(k->kind), .typed = !str_eq(asks, "none") };
	if (page.needs && (admin || connection_is_own(k)))
		page.signin = connection_signin(r->c, r->ws->id, k);
	page.signin_host = connection_service(r->c, k);
	TRY(used_fill(r, k, &page));
	return reply_page(r, 0, &page);
}

static enum err
h_connection(struct req *r)
{
	return connection_reply(r, req_param(r, "con"), NULL);
}

static enum err
h_connection_test(struct req *r)
{
	struct connection_test test;
	struct connection *k;

	TRY(connection_get(r->c, r->ws, r->who, req_param(r, "con"), &k));
	TRY(share_outside(r));
	TRY(connection_try(r->c, k, r->who, r->ws->role, &test));
	return connection_reply(r, k->id, &test);
}

/* ---- deleted ---- */

static const char *
gone_words(struct req *r, const struct connection_job_list *jobs, int64_t seen, int64_t all)
{
	const char **names = mem_array(r->c->mem, const char *, jobs->n + 2),
		   *hidden = hidden_words(r->c, all - seen);
	size_t n = 0;

	for (size_t i = 0; i < jobs->n; i++)
		names[n++] = mem_printf(r->c->mem, "%s (%s)",
		    jobs->v[i].name ? jobs->v[i].name : "a job", jobs->v[i].artifact_name);
	if (!all)
		return "No job uses it. Its credentials are deleted, too.";
	return mem_printf(r->c->mem,
	    "%s %s it and will fail: %s%s%s. Its credentials are deleted, too.",
	    str_count(r->c->mem, all, "job"), all == 1 ? "uses" : "use",
	    str_some(r->c->mem, names, n), n && hidden ? "; also " : "", hidden ? hidden : "");
}

static enum err
connection_find(struct req *r, struct shown *out)
{
	struct connection_job_list jobs;
	struct connection *k;
	int64_t seen, all;

	TRY(connection_get(r->c, r->ws, r->who, req_param(r, "con"), &k));
	TRY(connection_jobs(r->c, r->who, k->id, &jobs, &seen, &all));
	return ASKED(r, out, .name = k->name, .words = gone_words(r, &jobs, seen, all));
}

#define CONNECTIONS "/w/{ws}/connections"
#define ONE CONNECTIONS "/{con}"
#define API "/v1/workspaces/{ws}/connections/{con}"
static const struct route connection_page_routes[] = {
/*  method path        who
    body           reply                    handler */
  { GET,  CONNECTIONS, WS_MEMBER,
    TAKES_NOTHING, GIVES_PAGE(connections), h_connections, .title = "Connections",
    .query = &tab_query_shape, .doc = "Its connections" },
  { GET,  ONE,         WS_MEMBER,
    TAKES_NOTHING, GIVES_PAGE(connection),  h_connection, .title = "Connections",
    .query = &tab_query_shape, .opened = true, .doc = "One: what it is, and what uses it" },
  { POST, ONE "/test", WS_MEMBER,
    TAKES_FORM(button), GIVES_PAGE(connection), h_connection_test, .title = "Connections",
    .again = ONE, .slow = true, .no_transaction = true, .limit = LIM_CONNECTION_TEST,
    .doc = "Test it, step by step" },
  { POST, ONE "/delete", DOES("DELETE " API),
    .ask = ASK("Delete the connection {name}?", "{words}", "Delete connection", ONE,
	.find = connection_find),
    .then = CONNECTIONS "?done=connection_gone", .doc = "Delete it" },
};
ROUTES(connection_page, "Pages: connections",
    "What people see in the browser of a workspace's connections.");
