/* SPDX-License-Identifier: Apache-2.0 */
#include "jobs/job_channels_page.h"

#include "base/str.h"
#include "http/share.h"

enum err
job_channels_prepare(
    struct req *r, const char *action, const char *workspace_id, const char *workspace_role)
{
	const struct workspace w = { .id = workspace_id, .role = workspace_role };
	const struct job_form *form = r->in;
	const char *id = job_form_connection(form);
	bool chosen = form->channel && *form->channel;
	struct chat_channel_list all;
	struct connection *con;
	struct list *out;
	enum err e;

	if (!str_starts(action, "chat_") || (!form->list && (!*id || chosen)))
		return E_OK;
	if (!*id)
		return fail(r->c, E_INVALID, "source: choose a connection first");
	if (member_rank(workspace_role) < MEMBER_MEMBER)
		return fail(r->c, E_INVALID,
		    "source: only members of the workspace can choose its connections");
	TRY(share_slow(r));
	TRY(share_outside(r));
	e = connection_get(r->c, &w, r->who, id, &con);
	if (e == E_NOT_FOUND)
		return fail(r->c, E_INVALID, "source: the workspace has no such connection");
	e = e ? e : connection_channels(r->c, con, action, &all);
	/* A chat that doesn’t answer is reported beside the connection, too. */
	if (e == E_INVALID || e == E_CONFLICT || e == E_UPSTREAM)
		return fail(r->c, E_INVALID, "source: %s", r->c->message);
	TRY(e);
	r->prepared = out = mem_new(r->c->mem, struct list);
	*out = (struct list){ all.v, all.n };
	return E_OK;
}

enum err
job_channels_reply(struct req *r, const void *page)
{
	const struct job_form *form = r->in;

	return form->list
	    ? reply_again(r, 200, "", page)
	    : reply_again(r, 400, "channel: choose the channel to post to", page);
}
