/* SPDX-License-Identifier: Apache-2.0
 * Calls the language model that the operator has configured (agent_url) by OpenAI's protocol for
 * chat completions: https://platform.openai.com/docs/api-reference/chat. The key is sent only there
 * and appears in no message, log or answer. */
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
	int64_t max_tokens; /* 0: the service's default */
	double temperature; /* negative: the service's default */
	long seconds;       /* 0: CHAT_S */
	bool stream;
	/* Returns true to stop waiting, as in egress_req. */
	bool (*left)(void *arg);
	void *arg;
};
struct chat_answer {
	const char *content; /* valid UTF-8, at most CHAT_REPLY_BYTES */
	const char *finish;  /* finish_reason, such as "stop" or "length"; NULL if not given */
};

/* True if the operator has configured a model. */
bool chat_enabled(const struct ctx *c);
/* Returns the wanted model if pages may choose it, else the first. */
const char *chat_model(struct ctx *c, const char *wanted);
/* Returns the whole answer. E_UPSTREAM if the service can't be reached, its status isn't 200, its
 * answer is malformed, or takes longer than ask.seconds; E_UNAVAILABLE if left() returns true or
 * the key can't be read. */
enum err chat_whole(struct ctx *c, const struct chat_ask *, struct chat_answer *out);

struct chat;
/* Begins an answer that is read in pieces. Fails like chat_whole(), before the first words. */
enum err chat_open(struct ctx *c, const struct chat_ask *, struct chat **out);
/* Returns the next piece; out->content is NULL at the end, and then finish is set. E_UPSTREAM if
 * the answer breaks off. */
enum err chat_next(struct chat *, struct chat_answer *out);
#endif
