/* SPDX-License-Identifier: Apache-2.0
 * Jobs that use a connection of their workspace. */
#include "base/buf.h"
#include "base/redact.h"
#include "base/str.h"
#include "connections/use.h"
#include "jobs/action.h"
#include "jobs/action_kind.h"
#include "jobs/run.h"
#include "store/temp.h"

#include <unistd.h>

enum { CONNECTION_BYTES = 5 << 20, PIECE_BYTES = 64 << 10 };

/* ---- in a config ---- */

enum err
action_source_check(struct ctx *c, const char *at, const struct action_source *s, bool may_query,
    struct action_config *out)
{
	const char *odd, *url;

	if (!s->connection_id) {
		odd = s->path ? "path" : s->query ? "query" : NULL;
		if (odd)
			return fail(c, E_INVALID,
			    "%s%s: applies only with a connection_id, not with a url", at, odd);
		return s->url ? action_url_check(c, mem_printf(c->mem, "%surl", at), s->url)
			      : fail(c, E_INVALID, "%surl: is required, or a connection_id", at);
	}
	out->connection_id = s->connection_id;
	out->connection_at = mem_printf(c->mem, "config.%sconnection_id", at);
	out->kinds = s->query ? "postgres" : "http|oauth2";
	odd = s->url ? "url" : s->headers ? "headers" : NULL;
	if (odd)
		return fail(c, E_INVALID,
		    "%s%s: applies only without a connection_id; a connection has its own", at,
		    odd);
	if (s->query && (!may_query || s->path))
		return fail(c, E_INVALID,
		    may_query ? "%squery: goes with a database, path with an HTTP API; "
				"give one of the two"
			      : "%squery: only jobs with action materialize can query a database",
		    at);
	if (s->query)
		return s->query[strspn(s->query, " \t\r\n;")]
		    ? E_OK
		    : fail(c, E_INVALID, "%squery: must be an SQL query", at);
	if (!s->path)
		return fail(c, E_INVALID,
		    may_query ? "%spath: is required, or query if the connection is a database"
			      : "%spath: is required with a connection_id",
		    at);
	return connection_path(c, "https://connection", s->path, &url)
	    ? fail(c, E_INVALID, "%s%s", at, ctx_why(c))
	    : E_OK;
}

void
action_source_write(
    struct ctx *c, struct buf *b, const struct action_source *s, const char *headers)
{
	if (!s->connection_id) {
		buf_str(b, "\"url\":");
		buf_json(b, s->url);
		buf_chr(b, ',');
		action_header_names(c, b, headers);
		return;
	}
	buf_str(b, "\"connection_id\":");
	buf_json(b, s->connection_id);
	buf_str(b, s->query ? ",\"query\":" : ",\"path\":");
	buf_json(b, s->query ? s->query : s->path);
}

/* ---- carrying out ---- */

enum err
action_connection_fetch(struct ctx *c, const struct action_run *r, const struct json *source,
    struct egress_req **req)
{
	const char *path = json_word(source, "path"), *url;

	if (!path || !r->used->base_url)
		return fail(c, E_INVALID,
		    "the connection %s isn't one that can be asked for this; choose another one",
		    r->used->connection->name);
	TRY(connection_path(c, r->used->base_url, path, &url));
	TRY(action_fetch(c, url, NULL, CONNECTION_BYTES, req));
	(*req)->headers = r->used->headers;
	(*req)->max_redirects = 0;
	return E_OK;
}

enum err
action_connection_ask(struct ctx *c, const struct action_run *r, const struct json *source,
    struct postgres_req **query)
{
	const struct connection_postgres_config *p = r->used->postgres;
	const char *text = json_word(source, "query");
	struct postgres_req *q = mem_new(c->mem, struct postgres_req);

	if (!text)
		return fail(c, E_INVALID,
		    "the connection %s is a database, and the job has no query for it",
		    r->used->connection->name);
	*q = (struct postgres_req){ .server = { .host = p->host,
					.port = p->port,
					.database = p->database,
					.username = p->username,
					.password = r->used->password,
					.verify = !str_eq(p->sslmode, "require") },
		.query = text,
		.read_s = POSTGRES_READ_S,
		.tenant = r->held->tenant };
	TRY(temp_nameless(c, c->mem, &q->fd));
	*query = q;
	return E_OK;
}

/* Strikes the connection's secrets out of the rows, into another file. */
static enum err
rows_redact(struct ctx *c, struct redact *secrets, struct span *file)
{
	struct buf out = BUF(c->mem);
	char piece[PIECE_BYTES];
	int64_t written = 0;
	int fd;

	TRY(temp_nameless(c, c->mem, &fd));
	for (int64_t at = 0; at < file->n;) {
		ssize_t n = pread(file->fd, piece, sizeof piece, file->at + at);

		if (n <= 0)
			return fail_here(c, "the rows can't be read");
		at += n;
		redact(secrets, piece, (size_t)n, at >= file->n, &out);
		if (out.n && pwrite(fd, out.s, out.n, written) != (ssize_t)out.n)
			return fail_here(c, "the rows can't be written");
		written += (int64_t)out.n;
		out.n = 0;
	}
	*file = (struct span){ .fd = fd, .n = written };
	return E_OK;
}

enum err
action_query_rows(struct ctx *c, const struct action_run *r, struct feed **out)
{
	const struct postgres_res *rows = r->rows;
	struct span file = { .fd = r->asked->query->fd, .n = rows->bytes };
	struct feed_known *known = mem_array(c->mem, struct feed_known, rows->column_n + 1);
	enum err e;

	for (size_t i = 0; i < rows->column_n; i++)
		known[i] = (struct feed_known){ rows->columns[i].name, rows->columns[i].type };
	if (r->secrets_used)
		TRY(rows_redact(c, r->secrets_used, &file));
	e = feed_read_rows(c, &file, rows->rows, known, rows->column_n, out);
	if (e && c->message)
		c->message = mem_printf(c->mem, "the query's answer %s", c->message);
	return e;
}
