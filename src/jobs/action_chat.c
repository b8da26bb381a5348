/* SPDX-License-Identifier: Apache-2.0
 * Writes into a channel of a chat by its incoming webhook: a as Slack and those like it have it, b
 * as Discord. Whoever has such an address may write there, so it is a secret. */
#include "base/str.h"
#include "jobs/action_kind.h"

enum { CHAT_SECONDS = 30, CHAT_BYTES = 64 << 10, CHAT_CHARS = 4000, CHAT_B_CHARS = 2000 };

#define CHAT_CONFIG(F, T) \
	F(T, URL, webhook_url) \
	F(T, STR, text, .flags = F_REQ | F_LONG, .lo = 1, .hi = CHAT_CHARS)
SHAPE_DECLARE(chat_config, CHAT_CONFIG);
SHAPE_DEFINE(chat_config, CHAT_CONFIG);

static enum err
chat_config_check(struct ctx *c, const struct action_input *in, struct action_config *out)
{
	struct action_secrets s = { 0 };
	struct chat_config *cfg;
	struct buf b = BUF(c->mem);

	TRY(shape_read(c, &chat_config_shape, in->sent, (void **)&cfg));
	TRY(action_text_check(c, "text", cfg->text));
	s.webhook_url = cfg->webhook_url ? cfg->webhook_url : in->old->webhook_url;
	if (!s.webhook_url)
		return fail(c, E_INVALID,
		    "webhook_url: is required; "
		    "create an incoming webhook for the channel in your chat service");
	TRY(action_url_check(c, "webhook_url", s.webhook_url));
	buf_str(&b, "{\"webhook_host\":");
	buf_json(&b, egress_host(c->mem, s.webhook_url));
	buf_str(&b, ",\"text\":");
	buf_json(&b, cfg->text);
	buf_chr(&b, '}');
	out->shown = buf_done(&b);
	out->secrets = action_secrets_text(c, &s);
	return E_OK;
}

/* The joiner shows nothing and keeps @everyone from being one. */
static void
chat_escape(struct buf *b, const char *value)
{
	for (; *value; value++) {
		buf_chr(b, *value);
		if (*value == '@')
			buf_str(b, "\xe2\x81\xa0");
	}
}

/* <!channel>, <@U1> and links that say one thing and lead to another are written in angle
 * brackets. */
static void
chat_a_escape(struct buf *b, const char *value)
{
	for (; *value; value++)
		if (*value == '&')
			buf_str(b, "&amp;");
		else if (*value == '<')
			buf_str(b, "&lt;");
		else if (*value == '>')
			buf_str(b, "&gt;");
		else
			chat_escape(b, (const char[]){ *value, 0 });
}

static enum err
chat_begin(struct ctx *c, const struct action_run *r, const char *member, action_escape *escape,
    size_t chars, struct egress_req **req)
{
	const char *text = action_text(c, r, json_str(json_get(r->config, "text")), escape);
	const char *cut = str_cut(c->mem, text, chars);
	struct buf b = BUF(c->mem);

	buf_fmt(&b, "{\"%s\":", member);
	buf_json(&b,
	    str_eq(cut, text) ? text : mem_printf(c->mem, "%s…", str_cut(c->mem, text, chars - 1)));
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
	return chat_begin(c, r, "text", chat_a_escape, 2 * CHAT_CHARS, req);
}

static enum err
chat_b_begin(struct ctx *c, const struct action_run *r, struct egress_req **req)
{
	return chat_begin(c, r, "content", chat_escape, CHAT_B_CHARS, req);
}

const struct action_kind action_chat_a = { .name = "chat_a", .config = chat_config_check,
	.begin = chat_a_begin };
const struct action_kind action_chat_b = { .name = "chat_b", .config = chat_config_check,
	.begin = chat_b_begin };
