/* SPDX-License-Identifier: Apache-2.0
 * The agent of a published page: its visitors chat with the operator's language model. The model
 * gets the publisher's instructions (publish request, "agent") and data that the visitor may
 * see. Source: interface, "Publish request"; talk/README.md. */
#ifndef VITRINE_PAGECHAT_H
#define VITRINE_PAGECHAT_H
#include "core/artifact.h"
#include "ext/chat.h"

enum { CHAT_MESSAGES = 50, CHAT_BYTES = 64 << 10, CONTEXT_BYTES = 128 << 10 };

#define CHAT_MESSAGE(F, T) \
	F(T, WORD, role,    .flags = F_REQ, .arg = "user|assistant", .eg = "\"user\"") \
	F(T, STR,  content, .flags = F_REQ, .lo = 1, \
		.eg = "\"What does the report say about March?\"")
SHAPE_DECLARE(chat_message, CHAT_MESSAGE);

#define CHAT_NEW(F, T) \
	F(T, LIST, messages, .flags = F_REQ, \
		.lo = 1, .hi = CHAT_MESSAGES, .sub = &chat_message_shape, .eg = "{}", \
		.doc = "The conversation so far, ending with the question; " \
		       "at most 64 KiB in total") \
	F(T, BOOL, stream, \
		.doc = "Stream the answer as server-sent events; " \
		       "sending Accept: text/event-stream does the same")
SHAPE_DECLARE(chat_new, CHAT_NEW);

#define CHAT_REPLY(F, T) \
	F(T, OBJ, message,       .sub = &chat_message_shape) \
	F(T, STR, model) \
	F(T, STR, finish_reason, .flags = F_NUL, \
		.doc = "stop; length if maxTokens cut the answer short; " \
		       "or another value from the model's provider")
SHAPE_DECLARE(chat_reply, CHAT_REPLY);

/* Prepares the question for chat_whole() or chat_open(). The caller sets `stream` and `left`.
 * `who` is the visitor, or NULL. E_CONFLICT: no agent, or no model configured. E_INVALID:
 * messages too long in total, or the last one isn't the user's. */
enum err agent_ask(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct chat_new *, struct chat_ask *out);
#endif
