/* SPDX-License-Identifier: Apache-2.0
 * /v1/workspaces/…/context. Source: interface, "Policies, …, context". */
#include "team/context.h"

#include "base/json.h"
#include "base/str.h"
#include "http/req.h"

static enum err
h_context(struct req *r)
{
	struct context *out;

	TRY(context_get(r->c, r->ws, &out));
	return reply_flat(r, out);
}

static enum err
h_context_enter(struct req *r)
{
	const struct context_entry *in = r->in;

	TRY(context_enter(r->c, r->ws, r->who, in->entry));
	return h_context(r);
}

static const char *
context_etag(struct req *r, const struct context_text *t)
{
	return t ? mem_printf(r->c->mem, "\"%.24s\"", t->sha256) : NULL;
}

/* As JSON, or as it is for who asks for that. */
static enum err
h_context_read(struct req *r)
{
	const char *accept = req_header(r, "HTTP_ACCEPT");
	struct context_text *t;

	TRY(context_read(r->c, r->ws, req_param(r, "name"), &t));
	reply_header(r, "Vary", "Accept");
	if (reply_etag(r, context_etag(r, t)))
		return E_OK;
	if (!accept || !strstr(accept, "text/markdown"))
		return reply_flat(r, t);
	r->status = 200;
	buf_str(&r->out, t->content);
	reply_header(r, "Content-Type", "text/markdown; charset=utf-8");
	reply_header(r, "Content-Security-Policy", "default-src 'none'; sandbox");
	return E_OK;
}

#define CONTEXT_SENT(F, T) F(T, STR, content, .flags = F_REQ)
SHAPE_DECLARE(context_sent, CONTEXT_SENT);
SHAPE_DEFINE(context_sent, CONTEXT_SENT);

/* {"content": "…"} of a program that speaks JSON, else the file's own bytes. */
static enum err
content_read(struct req *r, struct bytes *out)
{
	const char *type = req_env(r, "CONTENT_TYPE");
	size_t n = (size_t)r->form.n;
	char *sent = mem_zalloc(r->c->mem, n + 1);
	struct context_sent *in;
	struct json *json;

	TRY(span_read(r->c, &r->form, sent, n));
	*out = (struct bytes){ sent, n };
	if (!type || strncasecmp(type, "application/json", strlen("application/json")) != 0)
		return E_OK;
	TRY(json_parse(r->c, sent, n, &json));
	TRY(shape_read(r->c, &context_sent_shape, json, (void **)&in));
	*out = (struct bytes){ in->content, strlen(in->content) };
	return E_OK;
}

static enum err
context_old(struct req *r, struct context_text **old)
{
	enum err e = context_read(r->c, r->ws, req_param(r, "name"), old);

	if (e && e != E_NOT_FOUND)
		return e;
	*old = e ? NULL : *old;
	return req_conditions(r, context_etag(r, *old));
}

static enum err
h_context_write(struct req *r)
{
	struct context_text *old, *now;
	struct bytes content;

	TRY(context_old(r, &old));
	TRY(content_read(r, &content));
	TRY(context_write(r->c, r->ws, r->who, old, req_param(r, "name"), content));
	TRY(context_read(r->c, r->ws, req_param(r, "name"), &now));
	TRY(reply_flat(r, now));
	reply_status(r, old ? 200 : 201);
	return E_OK;
}

static enum err
h_context_remove(struct req *r)
{
	struct context_text *old;

	TRY(context_old(r, &old));
	TRY(context_remove(r->c, r->ws, r->who, req_param(r, "name")));
	return reply_none(r);
}

static const struct route context_routes[] = {
/*  method  path                                  who
    body                  reply                     handler */
  { GET,    "/v1/workspaces/{ws}/context",        WS_READ,
    TAKES_NOTHING,        GIVES_FLAT(context),      h_context,
    .scope = ARTIFACTS_READ,
    .doc = "Get the workspace's context for agents: its files, and the one to start with" },
  { PUT,    "/v1/workspaces/{ws}/context",        WS_ADMIN,
    TAKES(context_entry), GIVES_FLAT(context),      h_context_enter,
    .doc = "Set which file to start with" },
  { GET,    "/v1/workspaces/{ws}/context/{name}", WS_READ,
    TAKES_NOTHING,        GIVES_FLAT(context_text), h_context_read,
    .scope = ARTIFACTS_READ,
    .doc = "Get a file as JSON, or as raw markdown with Accept: text/markdown" },
  { PUT,    "/v1/workspaces/{ws}/context/{name}", WS_ADMIN,
    TAKES_BYTES,          GIVES_FLAT(context_text), h_context_write,
    .makes = true, .doc = "Create or replace a file: send raw markdown, or {\"content\": \"…\"}" },
  { DELETE, "/v1/workspaces/{ws}/context/{name}", WS_ADMIN,
    TAKES_NOTHING,        GIVES_NOTHING,            h_context_remove,
    .doc = "Delete a file" },
};
ROUTES(context, "Context",
    "What a workspace tells its agents, as markdown.");
