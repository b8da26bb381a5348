/* SPDX-License-Identifier: Apache-2.0 */
#include "connections/chat.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/str.h"
#include "connections/provider.h"
#include "connections/renew.h"

SHAPE_DEFINE(chat_channel, CHAT_CHANNEL);
SHAPE_DEFINE(chat_channels_all, CHAT_CHANNELS_ALL);

enum { PAGES = 10, NAME_CHARS = 100, MESSAGE_S = 30, MESSAGE_BYTES = 64 << 10 };
/* chat_b: kinds of channels with messages, and the permission to see a channel. */
enum { TEXT = 0, ANNOUNCEMENT = 5, VIEW_CHANNEL = 0x400 };

bool
channel_id_valid(const char *id)
{
	return *id && strlen(id) <= CHANNEL_ID_CHARS &&
	    !id[strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")];
}

static bool
is_chat_b(const struct connection_used *u)
{
	return str_eq(u->connection->provider, "chat_b");
}

/* ---- failures ---- */

/* Returns the error for a response without the expected data. code: chat_a's error word, or
 * NULL. */
static enum err
chat_failed(
    struct ctx *c, const struct connection_used *u, const struct egress_res *res, const char *code)
{
	/* If the bot was removed from a guild, the guild answers 403 or 404. The bot's token is
	 * the operator's, so 401 isn't the workspace's fault. */
	bool gone = is_chat_b(u) && (res->status == 403 || res->status == 404);

	if (gone || (!is_chat_b(u) && res->status == 401) ||
	    str_in(code ? code : "", "invalid_auth|not_authed|token_revoked|token_expired|"
				     "account_inactive|team_access_not_granted")) {
		TRY(credential_refused(c, u->connection, CREDENTIAL_SHARED, NULL));
		return fail(c, E_CONFLICT,
		    "%s no longer accepts this connection; an admin must connect it again",
		    u->connection->name);
	}
	c->retry_after_s = res->retry_after_s;
	if (res->status == 429 || str_in(code ? code : "", "ratelimited|rate_limited"))
		return fail(c, E_UPSTREAM, "%s was asked too often; try again in a minute",
		    u->connection->name);
	return fail(c, E_UPSTREAM, "%s didn't respond as expected (status %ld)",
	    u->connection->name, res->status);
}

static enum err
chat_send(struct ctx *c, const struct connection_used *u, const char *path,
    const struct connector **p, struct egress_res **res)
{
	TRY(provider_find(c, u->connection->provider, p));
	return provider_ask(
	    c, *p, mem_printf(c->mem, "%s/%s", u->base_url, path), u->headers[0], res);
}

static enum err
chat_ask(struct ctx *c, const struct connection_used *u, const char *path,
    struct egress_res **res, const struct json **out)
{
	const struct connector *p;
	const char *code;

	TRY(chat_send(c, u, path, &p, res));
	if ((*res)->status != 200)
		return chat_failed(c, u, *res, NULL);
	TRY(provider_json(c, p, *res, out));
	if (is_chat_b(u))
		return E_OK;
	if (json_kind(*out) != J_OBJ)
		return chat_failed(c, u, *res, NULL);
	code = json_word(*out, "error");
	return code ? chat_failed(c, u, *res, code) : E_OK;
}

/* ---- channels ---- */

static bool
is_true(const struct json *object, const char *name)
{
	const struct json *v = json_get(object, name);

	return v && json_kind(v) == J_BOOL && json_true(v);
}

/* The guild's own id is the role that everybody has. */
static bool
hidden_from_everyone(const struct json *channel, const char *guild)
{
	const struct json *all = json_get(channel, "permission_overwrites"), *one;
	int64_t deny;

	for (size_t i = 0; all && json_kind(all) == J_ARR && i < json_len(all); i++) {
		one = json_at(all, i);
		if (json_kind(one) == J_OBJ && str_eq(json_word(one, "id"), guild) &&
		    json_word(one, "deny") && str_int(json_word(one, "deny"), &deny))
			return deny & VIEW_CHANNEL;
	}
	return false;
}

static void
channels_read(struct ctx *c, const struct connection_used *u, const struct json *all,
    struct chat_channel_list *out)
{
	for (size_t i = 0; i < json_len(all) && out->n < CHAT_CHANNELS; i++) {
		const struct json *one = json_at(all, i), *type;
		const char *id, *name;

		if (json_kind(one) != J_OBJ)
			continue;
		type = json_get_as(one, "type", J_INT);
		if (is_chat_b(u) &&
		    !(type && (json_int(type) == TEXT || json_int(type) == ANNOUNCEMENT)))
			continue;
		id = json_word(one, "id");
		name = json_word(one, "name");
		if (!id || !channel_id_valid(id) || !name || !str_plain(name))
			continue;
		out->v[out->n++] = (struct chat_channel){ .id = id,
			.name = str_cut(c->mem, name, NAME_CHARS),
			.is_private = is_chat_b(u)
			    ? hidden_from_everyone(one, u->connection->remote_account)
			    : is_true(one, "is_private") };
	}
}

static enum err
channels_a(struct ctx *c, const struct connection_used *u, struct chat_channel_list *out)
{
	const char *next = "";

	for (int page = 0; page < PAGES && (!page || *next); page++) {
		struct buf path = BUF(c->mem);
		const struct json *tree, *all, *meta;
		struct egress_res *res;

		buf_str(&path, "conversations.list?types=public_channel,private_channel"
			       "&exclude_archived=true&limit=200&cursor=");
		buf_form(&path, next);
		TRY(chat_ask(c, u, buf_done(&path), &res, &tree));
		all = json_get(tree, "channels");
		if (!all || json_kind(all) != J_ARR)
			return chat_failed(c, u, res, NULL);
		channels_read(c, u, all, out);
		meta = json_get(tree, "response_metadata");
		next = meta && json_kind(meta) == J_OBJ ? json_word(meta, "next_cursor") : NULL;
		next = next ? next : "";
	}
	return E_OK;
}

static enum err
channels_b(struct ctx *c, const struct connection_used *u, struct chat_channel_list *out)
{
	struct egress_res *res;
	const struct json *all;

	TRY(chat_ask(c, u,
	    mem_printf(c->mem, "guilds/%s/channels", u->connection->remote_account), &res, &all));
	if (json_kind(all) != J_ARR)
		return chat_failed(c, u, res, NULL);
	channels_read(c, u, all, out);
	return E_OK;
}

static int
by_name(const void *a, const void *b)
{
	const struct chat_channel *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : strcmp(x->id, y->id);
}

enum err
chat_channels(struct ctx *c, const struct connection_used *u, struct chat_channel_list *out)
{
	*out = (struct chat_channel_list){ mem_array(c->mem, struct chat_channel, CHAT_CHANNELS),
		0 };
	TRY((is_chat_b(u) ? channels_b : channels_a)(c, u, out));
	qsort(out->v, out->n, sizeof *out->v, by_name);
	return E_OK;
}

enum err
connection_channels(struct ctx *c, const struct connection *con, const char *chat,
    struct chat_channel_list *out)
{
	struct connection_used used = { .connection = con };
	enum err e;

	if (!str_eq(con->provider, chat))
		return fail(c, E_INVALID, "connection_id: %s isn't a connection of %s", con->name,
		    chat);
	e = provider_use(c, CREDENTIAL_SHARED, &used);
	if (e == E_INVALID)
		return fail(c, E_CONFLICT, "%s", c->message);
	TRY(e);
	return chat_channels(c, &used, out);
}

/* ---- messages ---- */

/* The word joiner U+2060 is invisible and stops @everyone from being a mention. */
void
chat_b_escape(struct buf *b, const char *value)
{
	for (; *value; value++) {
		buf_chr(b, *value);
		if (*value == '@')
			buf_str(b, "\xe2\x81\xa0");
	}
}

/* chat_a writes mentions and links in angle brackets: <!channel>, <@U1>. */
void
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
			chat_b_escape(b, (const char[]){ *value, 0 });
}

/* The guild of a channel never changes, so each process asks once and keeps the answer here. */
static struct {
	char channel[CHANNEL_ID_CHARS + 1], guild[CHANNEL_ID_CHARS + 1];
} known[256];

static enum err
guild_check(struct ctx *c, const struct connection_used *u, const char *channel)
{
	const char *ours = u->connection->remote_account, *guild = NULL;
	const struct json *tree = NULL;
	const struct connector *p;
	struct egress_res *res;
	size_t at = 5381;

	for (const char *s = channel; *s; s++)
		at = at * 33 + (unsigned char)*s;
	at %= sizeof known / sizeof *known;
	if (str_eq(known[at].channel, channel) && str_eq(known[at].guild, ours))
		return E_OK;
	TRY(chat_send(c, u, mem_printf(c->mem, "channels/%s", channel), &p, &res));
	if (res->status == 200)
		TRY(provider_json(c, p, res, &tree));
	else if (!(res->status == 400 || res->status == 403 || res->status == 404))
		return chat_failed(c, u, res, NULL);
	if (tree && json_kind(tree) == J_OBJ)
		guild = json_word(tree, "guild_id");
	if (!str_eq(guild, ours))
		return fail(c, E_INVALID, "%s has no channel %s", u->connection->name, channel);
	snprintf(known[at].channel, sizeof known[at].channel, "%s", channel);
	snprintf(known[at].guild, sizeof known[at].guild, "%s", ours);
	return E_OK;
}

enum err
chat_message_req(struct ctx *c, const struct connection_used *u, const char *channel,
    const char *text, struct egress_req **out)
{
	struct buf b = BUF(c->mem);

	if (!channel_id_valid(channel))
		return fail(c, E_INVALID, "channel: isn't the id of a channel");
	if (is_chat_b(u))
		TRY(guild_check(c, u, channel));
	buf_str(&b, is_chat_b(u) ? "{\"content\":" : "{\"text\":");
	buf_json(&b, text);
	if (!is_chat_b(u))
		buf_fmt(&b, ",\"channel\":\"%s\"", channel);
	buf_chr(&b, '}');
	*out = mem_new(c->mem, struct egress_req);
	**out = (struct egress_req){ .url = is_chat_b(u)
		    ? mem_printf(c->mem, "%s/channels/%s/messages", u->base_url, channel)
		    : mem_printf(c->mem, "%s/chat.postMessage", u->base_url),
		.json = buf_done(&b),
		.headers = u->headers,
		.max_bytes = MESSAGE_BYTES,
		.timeout_s = MESSAGE_S,
		.patient = true };
	return E_OK;
}

enum err
chat_message_posted(
    struct ctx *c, const struct connection_used *u, const struct egress_res *res)
{
	struct json *tree;
	const char *code;

	if (is_chat_b(u))
		return E_OK;
	if (json_parse(c, res->body, res->body_n, &tree) || json_kind(tree) != J_OBJ)
		return fail(c, E_INVALID, "the chat's response isn't JSON");
	if (is_true(tree, "ok"))
		return E_OK;
	code = json_word(tree, "error");
	if (str_in(code ? code : "", "channel_not_found|not_in_channel|is_archived"))
		return fail(c, E_INVALID,
		    "%s can't post to this channel (%s); invite the app to it, or choose another",
		    u->connection->name, code);
	if (chat_failed(c, u, res, code) == E_UPSTREAM && code)
		return fail(c, E_INVALID, "the chat refused the message: %s",
		    strlen(code) < 64 && !code[strspn(code, "abcdefghijklmnopqrstuvwxyz_")] ? code
											    : "?");
	return c->err;
}
