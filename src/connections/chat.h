/* SPDX-License-Identifier: Apache-2.0
 * A chat that a workspace has connected: its channels, and messages to one. chat_a as Slack's Web
 * API has it: each workspace has a token of its own. chat_b as Discord's: one bot is in the guilds
 * of all workspaces, so whatever it is asked is held to the connection's own guild. */
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

/* Those that messages can be posted to, by name, at most CHAT_CHANNELS. E_CONFLICT: the chat no
 * longer accepts the connection, which says needs_auth from then on; E_UPSTREAM for other
 * failures. */
enum err
chat_channels(struct ctx *c, const struct connection_used *, struct chat_channel_list *out);
/* The same of a connection that is to be of this chat: E_INVALID where it is another's, E_CONFLICT
 * also where somebody has to connect it again. */
enum err connection_channels(struct ctx *c, const struct connection *, const char *chat,
    struct chat_channel_list *out);
/* A value in a message, in which nothing is a mention or a link that says another. Messages of
 * chat_a have CHAT_A_CHARS at most, of chat_b CHAT_B_CHARS. */
void chat_a_escape(struct buf *, const char *value);
void chat_b_escape(struct buf *, const char *value);
/* What posts text to a channel. E_INVALID when the channel is not this connection's; E_UPSTREAM
 * when that can't be found out. */
enum err chat_message_req(struct ctx *c, const struct connection_used *, const char *channel,
    const char *text, struct egress_req **out);
/* Whether the answer to it says that the message was posted. E_INVALID: why not, in words for the
 * job's owner; E_CONFLICT and E_UPSTREAM as above. */
enum err chat_message_posted(
    struct ctx *c, const struct connection_used *, const struct egress_res *);
#endif
