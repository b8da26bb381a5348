/* SPDX-License-Identifier: Apache-2.0 */
#include "connections/try.h"

#include "base/redact.h"
#include "base/str.h"
#include "connections/chat.h"
#include "connections/connection_look.h"
#include "core/member.h"
#include "ext/egress.h"
#include "ext/postgres.h"

SHAPE_DEFINE(connection_step, CONNECTION_STEP);
SHAPE_DEFINE(connection_test, CONNECTION_TEST);

enum {
	WAIT_MS = 250,
	HTTP_S = 15,
	HTTP_BYTES = 1 << 20,
	READ_S = 10,
	QUERIES = 8, /* queries of jobs that are tested */
	STEPS = POSTGRES_STEPS + QUERIES + 1
};

struct trial {
	struct ctx *c;
	const struct connection_used *used;
	struct connection_step *steps;
	size_t n;
	struct redact secrets;
};

static void
trial_begin(struct trial *t, struct ctx *c, const struct connection_used *used)
{
	*t = (struct trial){ .c = c,
		.used = used,
		.steps = mem_array(c->mem, struct connection_step, STEPS),
		.secrets = REDACT(c->mem) };
	if (used)
		connection_used_redact(used, &t->secrets);
}

/* Returns ok. */
static bool
step_add(struct trial *t, const char *name, bool ok, const char *says, int64_t took_ms)
{
	t->steps[t->n++] = (struct connection_step){
		.name = name, .ok = ok, .says = redact_text(&t->secrets, says), .took_ms = took_ms
	};
	return ok;
}

static void
trial_end(const struct trial *t, struct connection_test *out)
{
	*out = (struct connection_test){ .ok = t->n && t->steps[t->n - 1].ok,
		.steps = { t->steps, t->n } };
}

/* ---- databases ---- */

static struct postgres_req *
query_req(const struct trial *t, const char *query)
{
	const struct connection_postgres_config *p = t->used->postgres;
	struct postgres_req *q = mem_new(t->c->mem, struct postgres_req);

	*q = (struct postgres_req){ .server = { .host = p->host,
					.port = p->port,
					.database = p->database,
					.username = p->username,
					.password = t->used->password,
					.verify = !str_eq(p->sslmode, "require") },
		.query = query,
		.dry = true,
		.fd = -1,
		.read_s = READ_S };
	return q;
}

static const char *
step_words(const struct trial *t, const struct postgres_done *done, enum postgres_step step)
{
	const struct connection_postgres_config *p = t->used->postgres;
	void *mem = t->c->mem;

	switch (step) {
	case POSTGRES_FIND: return mem_printf(mem, "%s is at %s", p->host, done->addresses);
	case POSTGRES_REACH:
		return mem_printf(mem, "It answers at port %lld", (long long)p->port);
	case POSTGRES_ENCRYPT:
		return str_eq(p->sslmode, "require")
		    ? "The connection is encrypted; its certificate isn't checked"
		    : mem_printf(mem,
			  "The connection is encrypted, and the certificate is valid for %s",
			  p->host);
	case POSTGRES_SIGN_IN:
		return mem_printf(mem, "Signed in to %s as %s", p->database, p->username);
	case POSTGRES_READ:
	case POSTGRES_STEPS: break;
	}
	return "It can be read";
}

static bool
server_try(struct trial *t)
{
	static const char *const names[POSTGRES_STEPS] = { "Find the server", "Reach it",
		"Encrypt the connection", "Sign in", "Read" };
	struct postgres_many *m = postgres_many(t->c->mem, t->c->conf);
	struct postgres_done done;

	postgres_add(m, t->c, query_req(t, "SELECT 1"), NULL);
	while (!postgres_next(m, WAIT_MS, &done))
		;
	for (enum postgres_step step = 0; step < POSTGRES_STEPS; step++) {
		bool ok = done.res || step < done.step;

		if (!step_add(t, names[step], ok, ok ? step_words(t, &done, step) : done.why,
			done.took_ms[step]))
			return false;
	}
	return true;
}

#define JOB_QUERY_TEXT(F, T) F(T, STR, query)
SHAPE(job_query_text, JOB_QUERY_TEXT);

/* Opening a cursor checks the rights without reading a row. PostgreSQL's message names the
 * table. */
static enum err
queries_try(struct trial *t, const char *maker)
{
	struct postgres_many *m = postgres_many(t->c->mem, t->c->conf);
	struct job_query_text_list q;
	struct postgres_done done;
	size_t good = 0;
	int64_t ms = 0;

	TRY(db_all(t->c,
	    ROWS(job_query_text,
		"SELECT DISTINCT JSON_VALUE(j.config, '$.source.query') AS query FROM job j"
		" WHERE j.connection_id = ? AND (? IS NULL OR j.created_by = ?)"
		" AND j.deleted_at IS NULL"
		" AND JSON_VALUE(j.config, '$.source.query') IS NOT NULL LIMIT ?"),
	    ARGS(t->used->connection->id, maker, maker, (int)QUERIES), &q));
	for (size_t i = 0; i < q.n; i++)
		postgres_add(m, t->c, query_req(t, q.v[i].query), NULL);
	for (size_t left = q.n; left;) {
		if (!postgres_next(m, WAIT_MS, &done))
			continue;
		left--;
		ms = done.took_ms[POSTGRES_READ] > ms ? done.took_ms[POSTGRES_READ] : ms;
		good += done.res != NULL;
		if (!done.res)
			step_add(t, "Read what a job asks", false, done.why,
			    done.took_ms[POSTGRES_READ]);
	}
	if (q.n && good == q.n)
		step_add(t, "Read what jobs ask", true,
		    mem_printf(t->c->mem, "%s of jobs can be read",
			good == 1 ? "The query" : str_count(t->c->mem, (int64_t)good, "query")),
		    ms);
	return E_OK;
}

/* ---- HTTP and chats ---- */

static const char *
answer_wrong(struct ctx *c, const struct egress_res *res)
{
	long status = res->status;

	if (status == 401 || status == 403)
		return mem_printf(c->mem,
		    "the server answered %ld: it doesn't accept the credentials", status);
	if (status >= 300 && status <= 399)
		return mem_printf(c->mem,
		    "the server answered %ld, a redirect, which isn't followed; "
		    "use the address it redirects to",
		    status);
	return status >= 500 || status == 407
	    ? mem_printf(c->mem, "the server answered %ld", status)
	    : NULL;
}

/* The base address itself may have no page, so 404 counts as success. */
static void
http_try(struct trial *t)
{
	struct egress_many *m = egress_many(t->c->mem, t->c->conf, 1);
	struct egress_req req = { .url = t->used->base_url,
		.headers = t->used->headers,
		.max_bytes = HTTP_BYTES,
		.timeout_s = HTTP_S,
		.patient = true };
	struct egress_done done;
	const char *wrong;

	egress_add(m, t->c, &req, NULL);
	while (!egress_next(m, WAIT_MS, &done))
		;
	if (!step_add(t, "Reach the server", done.res,
		done.res ? mem_printf(t->c->mem, "%s answers",
			       egress_host(t->c->mem, t->used->base_url))
			 : done.why,
		done.took_ms))
		return;
	wrong = answer_wrong(t->c, done.res);
	step_add(t, "Sign in", !wrong,
	    wrong ? wrong
		  : mem_printf(t->c->mem, "The server answered %ld and doesn't refuse us",
			done.res->status),
	    0);
}

static void
chat_try(struct trial *t)
{
	struct chat_channel_list all;
	enum err e = chat_channels(t->c, t->used, &all);

	step_add(t, "List the channels", !e,
	    e ? t->c->message
	      : mem_printf(t->c->mem, "It has %s that messages can be posted to",
		    str_count(t->c->mem, (int64_t)all.n, "channel")),
	    0);
	ctx_forgive(t->c);
}

static enum err
trial_run(struct trial *t, const char *maker, bool jobs)
{
	if (str_eq(t->used->connection->kind, "chat"))
		chat_try(t);
	else if (!t->used->postgres)
		http_try(t);
	else if (server_try(t) && jobs)
		return queries_try(t, maker);
	return E_OK;
}

enum err
connection_try(struct ctx *c, const struct connection *s, const struct principal *who,
    const char *workspace_role, struct connection_test *out)
{
	bool shared = str_eq(s->auth_mode, "shared");
	struct connection_used *used;
	struct trial t;
	enum err e;

	if (shared && member_rank(workspace_role) < MEMBER_ADMIN)
		return fail(c, E_DENIED,
		    "Only admins of the workspace can test a connection with shared credentials");
	e = connection_use(c, s->id, s->workspace_id, who->user_id, &used);
	if (e && e != E_INVALID && e != E_UPSTREAM)
		return e;
	trial_begin(&t, c, e ? NULL : used);
	if (e) {
		step_add(&t, "Find the credentials", false, c->message, 0);
		ctx_again(c);
		trial_end(&t, out);
		return E_OK;
	}
	TRY(trial_run(&t, shared ? NULL : who->user_id, true));
	trial_end(&t, out);
	return connection_ended(c, used->connection, out->ok ? NULL : t.steps[t.n - 1].says);
}

enum err
connection_try_new(struct ctx *c, const struct connection_new *in, struct connection_test *out)
{
	struct connection_used *used;
	struct trial t;

	TRY(connection_use_new(c, in, &used));
	trial_begin(&t, c, used);
	TRY(trial_run(&t, NULL, false));
	trial_end(&t, out);
	return E_OK;
}

/* ---- typed in a form ---- */

enum err
connection_credentials_kept(struct ctx *c, const struct connection *k,
    const struct principal *who, const char *config, struct credential_new **out)
{
	struct connection_config was, now;
	const struct credential *has;
	struct credential_new *to;

	*out = NULL;
	TRY(connection_config(c, k->kind, k->auth_mode, k->config, &was));
	TRY(connection_config(c, k->kind, k->auth_mode, config, &now));
	if (now.sign_in != was.sign_in || !str_eq(now.server, was.server) || !k->my_credentials)
		return E_OK;
	TRY(credential_open(
	    c, k, connection_is_own(k) ? who->user_id : CREDENTIAL_SHARED, &has));
	*out = to = mem_new(c->mem, struct credential_new);
	*to = (struct credential_new){ .token = has->token,
		.username = now.sign_in == SIGN_IN_PAIR ? has->username : NULL,
		.password = has->password };
	to->has.token = to->token ? GIVEN : ABSENT;
	to->has.username = to->username ? GIVEN : ABSENT;
	to->has.password = to->password ? GIVEN : ABSENT;
	return E_OK;
}

struct connection_step *
connection_step_failed(const struct connection_test *test)
{
	struct connection_step *steps = test->steps.v;

	return !test->ok && test->steps.n ? &steps[test->steps.n - 1] : NULL;
}
