/* SPDX-License-Identifier: Apache-2.0
 * Chats that a workspace has connected: their channels, and messages to one. chat_a is Slack's
 * Web API, where each workspace has a token. chat_b is Discord's: one bot serves the guilds of
 * all workspaces, so each request is limited to the connection's guild. */
#ifndef VITRINE_CONNECTION_CHAT_H
#define VITRINE_CONNECTION_CHAT_H
#include "connections/use.h"
#include "ext/egress.h"

enum { CHAT_CHANNELS = 2000, CHANNEL_ID_CHARS = 40, CHAT_A_CHARS = 8000, CHAT_B_CHARS = 2000 };

#define CHAT_CHANNEL(F, T) \
	F(T, STR,  id) \
	F(T, STR,  name) \
	F(T, BOOL, is_private)
SHAPE_DECLARE(chat_channel, CHAT_CHANNEL);

#define CHAT_CHANNELS_ALL(F, T) F(T, LIST, channels, .sub = &chat_channel_shape)
SHAPE_DECLARE(chat_channels_all, CHAT_CHANNELS_ALL);

bool channel_id_valid(const char *id);

/* Lists the channels to which messages can be posted, by name, at most CHAT_CHANNELS.
 * E_CONFLICT: the chat no longer accepts the connection, which gets the status needs_auth.
 * E_UPSTREAM: other failures. */
enum err
chat_channels(struct ctx *c, const struct connection_used *, struct chat_channel_list *out);
/* Lists the channels of a connection that must be of this chat. E_INVALID: it is of another
 * service. E_CONFLICT: also if somebody must connect it again. Else like chat_channels(). */
enum err connection_channels(struct ctx *c, const struct connection *, const char *chat,
    struct chat_channel_list *out);
/* Writes a value into a message so that it contains no mention and no link that shows another
 * address. A message has at most CHAT_A_CHARS or CHAT_B_CHARS characters. */
void chat_a_escape(struct buf *, const char *value);
void chat_b_escape(struct buf *, const char *value);
/* Prepares the request that posts text to a channel. E_INVALID: the channel isn't of this
 * connection. E_UPSTREAM: the chat couldn't tell. */
enum err chat_message_req(struct ctx *c, const struct connection_used *, const char *channel,
    const char *text, struct egress_req **out);
/* Checks the response to that request. E_INVALID: not posted; the message tells the job's owner
 * why. E_CONFLICT and E_UPSTREAM as above. */
enum err chat_message_posted(
    struct ctx *c, const struct connection_used *, const struct egress_res *);
#endif
