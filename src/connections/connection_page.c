/* SPDX-License-Identifier: Apache-2.0
 * The pages of a workspace's connections: all of them, one with its test and what uses it, and the
 * question before one is deleted. */
#include "connections/connection_page.h"

#include "connections/used.h"
#include "core/find.h"
#include "core/way.h"
#include "http/quota.h"
#include "http/share.h"

static bool
is_admin(const struct req *r)
{
	return member_rank(r->ws->role) >= MEMBER_ADMIN;
}

static void
connection_dress(struct req *r, struct connection *k)
{
	bool admin = is_admin(r);

	k->state = connection_state(k, admin);
	k->host = connection_host(r->c, k->config);
	k->testable = (connection_is_own(k) || admin) && !connection_needs_credentials(k);
}

static enum err
connections_dress(struct req *r, struct shown *out)
{
	struct connection_job_count_list counts;
	struct connection *k = out->rows.v;

	TRY(connection_jobs_counted(r->c, r->who, r->ws->id, &counts));
	for (size_t i = 0; i < out->rows.n; i++) {
		connection_dress(r, &k[i]);
		k[i].job_n = connection_jobs_of(&counts, k[i].id);
	}
	return E_OK;
}

/* ---- one connection ---- */

#define CONNECTION_PAGE(F, T) \
	F(T, OBJ,  connection,     .sub = &connection_shape) \
	F(T, OBJ,  tested,         .sub = &connection_test_shape, .doc = "NULL: none was made") \
	F(T, STR,  server) \
	F(T, BOOL, needs,          .doc = "Credentials are missing") \
	F(T, STR,  signin) \
	F(T, STR,  signin_host) \
	F(T, WORD, asks,           .arg = CREDENTIALS_ASKED, .doc = "What is typed here") \
	F(T, INT,  jobs_n) \
	F(T, LIST, jobs,           .sub = &connection_job_shape) \
	F(T, INT,  more,           .doc = "Of these that aren't listed") \
	F(T, STR,  hidden,         .doc = "Those that the viewer doesn't see, for admins")
SHAPE(connection_page, CONNECTION_PAGE);

/* Only people who could stop hidden jobs see their number. */
static enum err
used_fill(struct req *r, const struct connection *k, struct connection_page *page)
{
	struct connection_job_list jobs;
	int64_t all;

	TRY(connection_jobs(r->c, r->who, k->id, &jobs, &page->jobs_n, &all));
	for (size_t i = 0; i < jobs.n; i++)
		jobs.v[i].fills_document = jobs.v[i].fills && !*jobs.v[i].fills;
	page->jobs = (struct list){ jobs.v, jobs.n };
	page->more = page->jobs_n - (int64_t)jobs.n;
	if (is_admin(r))
		page->hidden = connection_hidden(r->c, all - page->jobs_n);
	return E_OK;
}

/* The page of one; also the answer to a test. */
static enum err
connection_reply(struct req *r, struct connection_test *test)
{
	struct connection_page page = { .tested = test };
	struct connection *k;

	TRY(connection_get(r->c, r->ws, r->who, req_param(r, "con"), &k));
	test_say(r->c, test);
	connection_dress(r, k);
	page.connection = k;
	page.server = connection_server(r->c, k);
	page.needs = connection_needs_credentials(k);
	page.asks = credentials_asked(r->c, k->kind, k->auth_mode, k->config);
	if (page.needs && (is_admin(r) || connection_is_own(k)))
		page.signin = connection_signin(r->c, r->ws->id, k);
	page.signin_host = connection_service(r->c, k);
	TRY(used_fill(r, k, &page));
	return reply_page(r, 0, &page);
}

static enum err
h_connection(struct req *r)
{
	return connection_reply(r, NULL);
}

static enum err
h_connection_test(struct req *r)
{
	struct connection_test test;
	struct connection *k;

	TRY(connection_get(r->c, r->ws, r->who, req_param(r, "con"), &k));
	TRY(share_outside(r));
	TRY(connection_try(r->c, k, r->who, r->ws->role, &test));
	return connection_reply(r, &test);
}

/* ---- deleted ---- */

static enum err
connection_find(struct req *r, struct shown *out)
{
	struct connection_job_list jobs;
	struct connection *k;
	int64_t seen, all;

	TRY(connection_get(r->c, r->ws, r->who, req_param(r, "con"), &k));
	TRY(connection_jobs(r->c, r->who, k->id, &jobs, &seen, &all));
	return ASKED(r, out, .name = k->name,
	    .words = connection_gone_words(r->c, &jobs, seen, all));
}

#define CONNECTIONS "/w/{ws}/connections"
#define ONE CONNECTIONS "/{con}"
#define API "/v1/workspaces/{ws}/connections/{con}"
LIMIT(LIM_CONNECTION_TEST, "connection_test", OF_USER, ALL, connection_tests_per_minute,
    "tests of connections", 60);

static const struct route connection_page_routes[] = {
  { SHOWN_PAGE(CONNECTIONS, WS_MEMBER, "connections"), .title = "Connections",
    .shows = SHOWS({ "connections", "GET /v1/workspaces/{ws}/connections?limit=50",
	connections_dress }),
    .query = &tab_query_shape, .doc = "Its connections" },
  { PAGE(ONE, WS_MEMBER, connection, h_connection), .title = "Connections",
    .query = &tab_query_shape, .opened = FIND_CONNECTION,
    .doc = "One: what it is, and what uses it" },
  { FORM_PAGE(ONE "/test", WS_MEMBER, button, connection, h_connection_test),
    .title = "Connections", .again = ONE, .slow = true, .no_transaction = true,
    .limit = LIM_CONNECTION_TEST, .doc = "Test it, step by step" },
  { POST, ONE "/delete", DOES("DELETE " API),
    .ask = ASK("Delete the connection {name}?", "{words}", "Delete connection", ONE,
	.find = connection_find),
    .then = CONNECTIONS "?done=connection_gone", .doc = "Delete it" },
};
ROUTES(connection_page, "Pages: connections",
    "What people see in the browser of a workspace's connections.");
