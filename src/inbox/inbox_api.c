/* SPDX-License-Identifier: Apache-2.0
 * The caller's inbox. */
#include "core/who_api.h"
#include "http/await.h"
#include "http/req.h"
#include "inbox/inbox.h"

static enum err
h_inbox(struct req *r)
{
	const struct inbox_query *q = r->query;
	struct inbox_part part;
	struct awaited wait;

	await_list_begin(r, inbox_subject(r->c->mem, r->who->user_id), q->wait, &wait);
	TRY(inbox_list(r->c, r->who, q, &part));
	TRY(await_change(r, &wait, q->wait, q->has.since == GIVEN ? q->since : AWAIT_PRESENT,
	    part.change_no));
	if (part.next_cursor)
		reply_header(r, "Link", "<%s>; rel=\"next\"",
		    req_next(r, part.next_cursor, "cursor"));
	return reply_flat(r, &part);
}

static enum err
h_inbox_change(struct req *r)
{
	struct inbox_item *item;

	TRY(inbox_change(r->c, r->who, req_param(r, "inb"), r->in, &item));
	return reply_noun(r, item);
}

static enum err
h_inbox_seen(struct req *r)
{
	TRY(inbox_see(r->c, r->who, r->in));
	return reply_none(r);
}

static enum err
h_settings(struct req *r)
{
	struct inbox_settings s;

	TRY(inbox_settings_get(r->c, r->who, &s));
	return reply_flat(r, &s);
}

static enum err
h_settings_put(struct req *r)
{
	TRY(inbox_settings_put(r->c, r->who, r->in));
	return h_settings(r);
}

static const struct route inbox_routes[] = {
/*  method path                      who
    body                             reply                       handler */
  { GET,   "/v1/inbox",              SIGNED_IN,
    TAKES_NOTHING,                   GIVES_FLAT(inbox_part),     h_inbox,
    .scope = ARTIFACTS_READ, .query = &inbox_query_shape,
    .doc = "List what waits for you, what you should know, or what is done" },
  { PATCH, "/v1/inbox/{inb}",        SIGNED_IN,
    TAKES(inbox_edit),               GIVES("item", inbox_item),  h_inbox_change,
    .no_agents = true,
    .doc = "Mark an item as seen or done; what others wait for is decided where it is" },
  { POST,  "/v1/inbox/seen",         SIGNED_IN,
    TAKES(inbox_seen),               GIVES_NOTHING,              h_inbox_seen,
    .no_agents = true, .doc = "Mark items as seen" },
  { GET,   "/v1/inbox/settings",     SIGNED_IN,
    TAKES_NOTHING,                   GIVES_FLAT(inbox_settings), h_settings,
    .doc = "Get how you hear of each kind, and when of those that come once a day" },
  { PUT,   "/v1/inbox/settings",     SIGNED_IN,
    TAKES(inbox_settings_edit),      GIVES_FLAT(inbox_settings), h_settings_put,
    .no_agents = true, .doc = "Change how you hear of some kinds, and when" },
};
ROUTES(inbox, "Inbox",
    "What waits for you, and what you should know. You only see items whose page or workspace "
    "you can still open.");
