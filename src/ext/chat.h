/* SPDX-License-Identifier: Apache-2.0
 * Asks the language model that the operator has configured (agent_url), as OpenAI's chat
 * completions have it: https://platform.openai.com/docs/api-reference/chat. The key is sent there
 * and is in no message, log or answer. */
#ifndef VITRINE_EXT_CHAT_H
#define VITRINE_EXT_CHAT_H
#include "base/ctx.h"

enum { CHAT_REPLY_BYTES = 1 << 20, CHAT_S = 60 };

struct chat_line {
	const char *role, *content;
};
struct chat_ask {
	const char *model;
	const struct chat_line *lines;
	size_t line_n;
	int64_t max_tokens; /* 0: as many as the service thinks fit */
	double temperature; /* negative: the service's own */
	long seconds;       /* 0: CHAT_S */
	bool stream;
	/* As in egress_req: true ends it. */
	bool (*left)(void *arg);
	void *arg;
};
struct chat_said {
	const char *content; /* valid UTF-8, at most CHAT_REPLY_BYTES */
	const char *finish;  /* finish_reason, such as "stop" or "length"; NULL: not told */
};

/* False when the operator has configured none. */
bool chat_enabled(const struct ctx *c);
/* The model of that name when pages may choose it, else the first. */
const char *chat_model(struct ctx *c, const char *wanted);
/* The whole answer. E_UPSTREAM when the service can't be reached, answers with another status than
 * 200 or not as it must, or takes longer than ask.seconds; E_UNAVAILABLE when left() says so, or
 * when the key can't be read. */
enum err chat_whole(struct ctx *c, const struct chat_ask *, struct chat_said *out);

struct chat;
/* The answer as it comes. Fails as chat_whole() does, before the first word is there. */
enum err chat_open(struct ctx *c, const struct chat_ask *, struct chat **out);
/* The next piece, until said->content is NULL, which is the end; finish is told with that. An
 * answer that breaks off before its end is E_UPSTREAM. */
enum err chat_next(struct chat *, struct chat_said *said);
#endif
