/* SPDX-License-Identifier: Apache-2.0
 * The route of /v1/agent: visitors chat with a page's agent. Source: talk/README.md. */
#include "talk/pagechat.h"

#include "http/quota.h"
#include "http/req.h"
#include "http/share.h"

/* A streamed answer. */
struct talk {
	const char *model;
	struct chat *chat;
	struct chat_answer said; /* the next piece to send */
};

static bool
visitor_left(void *arg)
{
	return req_left(arg);
}

static enum err
event_send(struct req *r, struct buf *b)
{
	buf_str(b, "\n\n");
	return req_write(r, b->s, b->n);
}

/* The status has left already, so an event reports the failure. The stream ends without [DONE]. */
static enum err
talk_fail(struct req *r)
{
	struct buf b = BUF(r->c->mem);

	buf_fmt(&b,
	    "event: error\n"
	    "data: {\"success\":false,\"error\":\"%s\",\"code\":\"%s\",\"request_id\":",
	    err_table[E_UPSTREAM].text, err_table[E_UPSTREAM].code);
	buf_json(&b, r->id);
	buf_chr(&b, '}');
	return event_send(r, &b);
}

static enum err
talk_write(struct req *r, void *arg)
{
	struct talk *t = arg;
	struct buf b = BUF(r->c->mem);

	while (t->said.content) {
		b.n = 0;
		buf_str(&b, "data: {\"delta\":");
		buf_json(&b, t->said.content);
		buf_chr(&b, '}');
		TRY(event_send(r, &b));
		if (!chat_next(t->chat, &t->said))
			continue;
		r->gone = req_left(r);
		return r->gone ? r->c->err : talk_fail(r);
	}
	b.n = 0;
	buf_str(&b, "data: {\"finish_reason\":");
	buf_json(&b, t->said.finish);
	buf_str(&b, ",\"model\":");
	buf_json(&b, t->model);
	buf_str(&b, "}\n\ndata: [DONE]");
	return event_send(r, &b);
}

/* Waits for the first words: until then a failure can still have a status. */
static enum err
talk_begin(struct req *r, const struct chat_ask *ask)
{
	struct talk *t = mem_new(r->c->mem, struct talk);

	t->model = ask->model;
	TRY(chat_open(r->c, ask, &t->chat));
	TRY(chat_next(t->chat, &t->said));
	reply_events(r, talk_write, t);
	return E_OK;
}

static enum err
h_chat(struct req *r)
{
	const struct chat_new *in = r->in;
	const char *accept = req_header(r, "HTTP_ACCEPT");
	struct chat_answer said;
	struct chat_ask ask;

	TRY(agent_ask(r->c, r->art, r->who, in, &ask));
	TRY(share_outside(r));
	ask.stream = in->stream || (accept && strstr(accept, "text/event-stream"));
	ask.left = visitor_left;
	ask.arg = r;
	if (ask.stream)
		return talk_begin(r, &ask);
	TRY(chat_whole(r->c, &ask, &said));
	return reply_flat(r,
	    &(struct chat_reply){
		.message = &(struct chat_message){ .role = "assistant", .content = said.content },
		.model = ask.model,
		.finish_reason = said.finish });
}

static LIMIT(LIM_CHAT, "chat", OF_ARTIFACT, ALL, chats_per_minute,
    "messages to an artifact's agent", 60);

static const struct route agent_routes[] = {
/* method path                     who        body             reply                   handler */
  { POST, "/v1/agent/{art}/chat",   ART_VISIT, TAKES(chat_new), GIVES_FLAT(chat_reply), h_chat,
    .scope = DATA_READ, .no_agents = true, .limit = LIM_CHAT, .slow = true, .content = true,
    .no_transaction = true,
    .doc = "Send a message to the page's agent" },
};
ROUTES(agent, "Agent",
    "A page's visitors chat with its agent: the operator's language model, "
    "set up with the \"agent\" object that the artifact was published with. "
    "Visitors use the page's own host; the API is for people with a role on the artifact.");
