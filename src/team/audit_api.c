/* SPDX-License-Identifier: Apache-2.0
 * The audit of a workspace. Source: team/README.md. */
#include "team/audit_api.h"

#include "base/str.h"
#include "core/workspace.h"
#include "http/req.h"

#define NDJSON "application/x-ndjson"

/* Writes some lines, in a context of their own, because a year may have many. */
static enum err
lines_part(struct req *r, struct ctx *c, const struct audit_query *q, const char **next)
{
	struct buf b = BUF(c->mem);
	struct audited_list rows;

	TRY(audit_list(c, r->ws->id, q, &rows, next));
	for (size_t i = 0; i < rows.n; i++) {
		shape_write(&b, &audited_shape, &rows.v[i]);
		buf_chr(&b, '\n');
	}
	return b.n ? req_write(r, b.s, b.n) : E_OK;
}

static enum err
lines_write(struct req *r, void *arg)
{
	struct audit_query q = *(const struct audit_query *)arg;
	char cursor[64];
	enum err e = E_OK;

	for (bool more = true; more && !e;) {
		struct ctx *c = ctx_begin(r->c->conf, r->c->db);
		const char *next = NULL;

		e = lines_part(r, c, &q, &next);
		more = next != NULL;
		if (more)
			snprintf(cursor, sizeof cursor, "%s", next);
		q.cursor = cursor;
		ctx_end(c);
	}
	return e;
}

enum err
audit_lines_reply(struct req *r, const struct audit_query *which)
{
	enum { ROWS_A_PART = 500 };
	struct audit_query *q = mem_dup(r->c->mem, which, sizeof *q);
	struct audited_list first;
	const char *next;

	/* A wrong query must be refused before the head is sent. */
	q->limit = 1;
	TRY(audit_list(r->c, r->ws->id, q, &first, &next));
	q->limit = ROWS_A_PART;
	return reply_stream(
	    r, NDJSON, mem_printf(r->c->mem, "audit-%s.ndjson", r->ws->slug), lines_write, q);
}

static enum err
h_audit_list(struct req *r)
{
	const char *accept = req_header(r, "HTTP_ACCEPT");

	reply_header(r, "Vary", "Accept");
	TRY(audit_query_check(r->c, r->query));
	if (accept && strstr(accept, NDJSON))
		return audit_lines_reply(r, r->query);
	return reply_list_of(r, struct audited_list, audit_list, r->ws->id, r->query);
}

static const struct route audit_routes[] = {
/*  method path                       who
    body           reply                         handler */
  { GET, "/v1/workspaces/{ws}/audit", WS_ADMIN,
    TAKES_NOTHING, GIVES_LIST("audit", audited), h_audit_list,
    .slow = true, .query = &audit_query_shape,
    .doc = "List a workspace's audit log, newest first; "
	   "with Accept: application/x-ndjson, all of it, one JSON object per line" },
};
ROUTES(audit, "Audit",
    "Who changed a workspace's permissions, members, policies and tokens: "
    "when, from where, and what it was before and after. Entries are kept for a year.");
