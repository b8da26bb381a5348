/* SPDX-License-Identifier: Apache-2.0
 * Posts to a channel of a chat: chat_a is Slack's format, chat_b Discord's. The job names a
 * connection and a channel, or the channel's incoming webhook, whose address is kept secret
 * because it lets anyone post. */
#include "base/str.h"
#include "connections/chat.h"
#include "jobs/action_kind.h"
#include "jobs/run.h"

enum { CHAT_SECONDS = 30, CHAT_BYTES = 64 << 10, CHAT_CHARS = 4000 };

#define CHAT_CONFIG(F, T) \
	F(T, URL, webhook_url) \
	F(T, ID,  connection_id, .arg = "con_") \
	F(T, STR, channel) \
	F(T, STR, text, .flags = F_REQ | F_LONG, .lo = 1, .hi = CHAT_CHARS)
SHAPE(chat_config, CHAT_CONFIG);

/* The public part of a config. */
#define CHAT_SHOWN(F, T) \
	F(T, STR, connection_id, .flags = F_OPT) \
	F(T, STR, channel,       .flags = F_OPT) \
	F(T, STR, webhook_host,  .flags = F_OPT) \
	F(T, STR, text)
SHAPE(chat_shown, CHAT_SHOWN);

static enum err
by_connection_check(struct ctx *c, const struct chat_config *cfg, struct action_config *out)
{
	if (cfg->webhook_url)
		return fail(c, E_INVALID,
		    "webhook_url: applies only without a connection_id; give one of the two");
	if (!cfg->channel || !channel_id_valid(cfg->channel))
		return fail(c, E_INVALID,
		    "channel: is required with a connection_id, and must be the id of a channel; "
		    "the connection's channels are at …/connections/{connection}/{chat}/channels");
	out->connection_id = cfg->connection_id;
	out->connection_at = "config.connection_id";
	out->kinds = "chat";
	return E_OK;
}

static enum err
chat_config_check(struct ctx *c, const struct action_input *in, struct action_config *out)
{
	struct action_secrets s = { 0 };
	struct chat_config *cfg;
	struct chat_shown shown;

	TRY(shape_read(c, &chat_config_shape, in->sent, (void **)&cfg));
	TRY(action_text_check(c, "text", cfg->text));
	shown = (struct chat_shown){
		.connection_id = cfg->connection_id, .channel = cfg->channel, .text = cfg->text
	};
	if (cfg->connection_id) {
		TRY(by_connection_check(c, cfg, out));
	} else {
		if (cfg->channel)
			return fail(c, E_INVALID,
			    "channel: applies only with a connection_id; "
			    "a webhook_url has its own");
		s.webhook_url = cfg->webhook_url ? cfg->webhook_url : in->old->webhook_url;
		if (!s.webhook_url)
			return fail(c, E_INVALID,
			    "webhook_url: is required, or a connection_id; "
			    "create an incoming webhook for the channel in your chat service");
		TRY(action_url_check(c, "webhook_url", s.webhook_url));
		shown.webhook_host = egress_host(c->mem, s.webhook_url);
	}
	out->shown = shape_text(c->mem, &chat_shown_shape, &shown);
	out->secrets = action_secrets_text(c, &s);
	return E_OK;
}

static enum err
chat_take(struct ctx *c, const struct action_run *r, const struct egress_res *res,
    const void **found)
{
	*found = NULL;
	return r->used ? chat_message_posted(c, r->used, res) : E_OK;
}

static enum err
chat_begin(struct ctx *c, const struct action_run *r, const char *member, action_escape *escape,
    size_t chars, struct egress_req **req)
{
	const char *text = action_text(c, r, json_str(json_get(r->config, "text")), escape);
	struct buf b = BUF(c->mem);

	if (!str_eq(str_cut(c->mem, text, chars), text))
		text = mem_printf(c->mem, "%s…", str_cut(c->mem, text, chars - 1));
	if (r->used) {
		const struct connection *con = r->used->connection;

		if (!str_eq(con->provider, r->held->action))
			return fail(c, E_INVALID,
			    "the connection %s is of %s, and this job posts to %s; "
			    "choose another one",
			    con->name, con->provider, r->held->action);
		return chat_message_req(c, r->used, json_word(r->config, "channel"), text, req);
	}
	buf_fmt(&b, "{\"%s\":", member);
	buf_json(&b, text);
	buf_chr(&b, '}');
	*req = mem_new(c->mem, struct egress_req);
	**req = (struct egress_req){ .url = r->secrets->webhook_url,
		.json = buf_done(&b),
		.max_bytes = CHAT_BYTES,
		.timeout_s = CHAT_SECONDS,
		.patient = true };
	return E_OK;
}

static enum err
chat_a_begin(struct ctx *c, const struct action_run *r, struct egress_req **req)
{
	return chat_begin(c, r, "text", chat_a_escape, CHAT_A_CHARS, req);
}

static enum err
chat_b_begin(struct ctx *c, const struct action_run *r, struct egress_req **req)
{
	return chat_begin(c, r, "content", chat_b_escape, CHAT_B_CHARS, req);
}

const struct action_kind action_chat_a = { .name = "chat_a", .config = chat_config_check,
	.begin = chat_a_begin, .take = chat_take };
const struct action_kind action_chat_b = { .name = "chat_b", .config = chat_config_check,
	.begin = chat_b_begin, .take = chat_take };
