/* SPDX-License-Identifier: Apache-2.0
 * /v1/workspaces/…/context. Source: interface, "Policies, …, context". */
#include "team/context.h"

#include "base/etag.h"
#include "team/textfile_api.h"

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

static enum err
h_context_read(struct req *r)
{
	struct context_text *t;

	TRY(context_read(r->c, r->ws, req_param(r, "name"), &t));
	return text_file_reply(r, t->sha256, t->content, t);
}

static enum err
context_old(struct req *r, struct context_text **old)
{
	enum err e = context_read(r->c, r->ws, req_param(r, "name"), old);

	if (e && e != E_NOT_FOUND)
		return e;
	*old = e ? NULL : *old;
	return req_conditions(r, etag_of_sha256(r->c->mem, *old ? (*old)->sha256 : NULL));
}

static enum err
h_context_write(struct req *r)
{
	struct context_text *old, *now;
	struct bytes content;

	TRY(context_old(r, &old));
	TRY(text_file_sent(r, &content));
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
