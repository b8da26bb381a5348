/* SPDX-License-Identifier: Apache-2.0 */
#include "ext/chat.h"

#include "base/buf.h"
#include "base/conf.h"
#include "base/json.h"
#include "base/redact.h"
#include "base/sse.h"
#include "base/str.h"
#include "ext/egress.h"

/* The framing needs more bytes than the words: each event of a stream is an object of some 300
 * bytes. */
enum { BYTES = 16 << 20, EVENT_BYTES = CHAT_REPLY_BYTES + (64 << 10) };

struct chat {
	struct ctx *c;
	struct egress_stream *stream;
	struct sse sse;
	const char *bytes; /* received, not yet read */
	size_t n, words_n;
	struct buf words;    /* words of the current event, as received */
	struct buf given;    /* words for the caller, from the last call of chat_next() */
	struct redact key;   /* the service may repeat the key in its answer */
	const char *finish;
	bool ended; /* the service has sent its end mark */
};

bool
chat_enabled(const struct ctx *c)
{
	return conf_has(c->conf->agent_url);
}

const char *
chat_model(struct ctx *c, const char *wanted)
{
	char *rest = mem_strdup(c->mem, c->conf->agent_models), *one;
	const char *first = NULL;

	while ((one = str_split(&rest, ' '))) {
		if (str_eq(one, wanted))
			return one;
		if (*one && !first)
			first = one;
	}
	return first;
}

static enum err
chat_failed(struct ctx *c, const char *why)
{
	/* The service's message about a refusal may contain part of the key, so it isn't used. */
	if (why)
		fail_here(c, "agent_url: %s", why);
	return fail(c, E_UPSTREAM, "%s", err_table[E_UPSTREAM].text);
}

/* Converts a failure of egress into one of this file. */
static enum err
chat_broken(struct ctx *c, enum err e)
{
	return e == E_UNAVAILABLE ? e : chat_failed(c, NULL);
}

static const char *
ask_write(struct ctx *c, const struct chat_ask *ask)
{
	struct buf b = BUF(c->mem);

	buf_chr(&b, '{');
	json_add(&b, "model", ask->model);
	buf_fmt(&b, ",\"stream\":%s", ask->stream ? "true" : "false");
	if (ask->max_tokens)
		json_add_int(&b, "max_tokens", ask->max_tokens);
	if (ask->temperature >= 0) {
		json_key(&b, "temperature");
		buf_num(&b, ask->temperature);
	}
	buf_str(&b, ",\"messages\":");
	for (size_t i = 0; i < ask->line_n; i++) {
		buf_str(&b, i ? ",{" : "[{");
		json_add(&b, "role", ask->lines[i].role);
		json_add(&b, "content", ask->lines[i].content);
		buf_chr(&b, '}');
	}
	buf_str(&b, "]}");
	return buf_done(&b);
}

/* *out is the header with the key; NULL if none is configured. */
static enum err
key_line(struct ctx *c, struct redact *r, const char **out)
{
	const char *path = c->conf->agent_key_file, *key;

	*out = NULL;
	if (!conf_has(path))
		return E_OK;
	key = conf_secret(c->mem, path);
	if (!key || !*key || !str_plain(key)) {
		fail_here(c, "agent_key_file: %s can't be read, or has no key in it", path);
		return fail(c, E_UNAVAILABLE, "%s", err_table[E_UNAVAILABLE].text);
	}
	redact_add(r, key);
	*out = mem_printf(c->mem, "Authorization: Bearer %s", key);
	return E_OK;
}

enum err
chat_open(struct ctx *c, const struct chat_ask *ask, struct chat **out)
{
	struct egress_req *req = mem_new(c->mem, struct egress_req);
	const char **headers = mem_array(c->mem, const char *, 3);
	struct chat *chat = *out = mem_new(c->mem, struct chat);
	long status = 0;
	enum err e;

	*chat = (struct chat){ .c = c,
		.sse = SSE(c->mem, EVENT_BYTES),
		.words = BUF(c->mem),
		.given = BUF(c->mem),
		.key = REDACT(c->mem) };
	headers[0] = ask->stream ? "Accept: text/event-stream" : "Accept: application/json";
	TRY(key_line(c, &chat->key, &headers[1]));
	*req = (struct egress_req){
		.url = mem_printf(c->mem, "%s/chat/completions", c->conf->agent_url),
		.max_bytes = BYTES,
		.timeout_s = ask->seconds ? ask->seconds : CHAT_S,
		.json = ask_write(c, ask),
		.headers = headers,
		.trusted = true,
		.patient = true,
		.left = ask->left,
		.arg = ask->arg,
	};
	e = egress_open(c, req, &chat->stream, &status);
	if (e)
		return chat_broken(c, e);
	return status == 200
	    ? E_OK
	    : chat_failed(c, mem_printf(c->mem, "it returned status %ld", status));
}

/* ---- reading ---- */

/* Reads the first choice of an answer, whose words are in member name ("message" or "delta"). No
 * words count as "". Fails if the object has an error or no choices. */
static enum err
choice_read(struct chat *chat, const struct json *tree, const char *name)
{
	const struct json *choices = json_get_as(tree, "choices", J_ARR), *choice, *content,
			  *finish;

	if (!choices || json_get(tree, "error"))
		return chat_failed(chat->c, "its response has no choices");
	choice = json_len(choices) ? json_at(choices, 0) : NULL;
	content = json_get_as(json_get_as(choice, name, J_OBJ), "content", J_STR);
	finish = json_get_as(choice, "finish_reason", J_STR);
	chat->words.n = 0;
	if (content)
		buf_str(&chat->words, json_str(content));
	if (finish && str_plain(json_str(finish)))
		chat->finish =
		    str_cut(chat->c->mem, redact_text(&chat->key, json_str(finish)), 40);
	chat->words_n += chat->words.n;
	return chat->words_n <= CHAT_REPLY_BYTES
	    ? E_OK
	    : chat_failed(chat->c, "its response is longer than 1 MiB");
}

/* A stream has thousands of events, and a JSON tree takes a hundred times the memory of its text,
 * so each tree is freed directly. */
static enum err
text_read(struct chat *chat, const char *text, size_t n, const char *name)
{
	struct ctx *one = ctx_begin(chat->c->conf, NULL);
	struct json *tree;
	enum err e = json_parse(one, text, n, &tree)
	    ? chat_failed(chat->c, "its response isn't JSON")
	    : choice_read(chat, tree, name);

	ctx_end(one);
	return e;
}

/* Reads more bytes. Some services close the connection after finish_reason, without [DONE]. */
static enum err
chat_more(struct chat *chat)
{
	enum err e = egress_read(chat->stream, &chat->bytes, &chat->n);

	if (e)
		return chat_broken(chat->c, e);
	if (chat->n)
		return E_OK;
	chat->ended = true;
	return chat->finish ? E_OK : chat_failed(chat->c, "its response ended early");
}

/* Text that may be the start of the key is kept back until the next event or the end. */
static void
words_give(struct chat *chat)
{
	redact(&chat->key, buf_done(&chat->words), chat->words.n, chat->ended, &chat->given);
	chat->words.n = 0;
}

enum err
chat_next(struct chat *chat, struct chat_answer *out)
{
	chat->given.n = 0;
	while (!chat->ended && !chat->given.n) {
		const char *event = NULL;
		size_t taken;

		if (!chat->n)
			TRY(chat_more(chat));
		taken = sse_take(&chat->sse, chat->bytes, chat->n, &event);
		chat->bytes += taken;
		chat->n -= taken;
		if (chat->sse.too_long)
			return chat_failed(chat->c, "one of its events is too long");
		if (event) {
			chat->ended = str_eq(event, "[DONE]");
			TRY(chat->ended ? E_OK : text_read(chat, event, strlen(event), "delta"));
		}
		words_give(chat);
	}
	*out = chat->given.n ? (struct chat_answer){ .content = buf_done(&chat->given) }
			     : (struct chat_answer){ .finish = chat->finish };
	return E_OK;
}

enum err
chat_whole(struct ctx *c, const struct chat_ask *ask, struct chat_answer *out)
{
	struct buf all = BUF(c->mem);
	struct chat *chat;

	TRY(chat_open(c, ask, &chat));
	do {
		enum err e = egress_read(chat->stream, &chat->bytes, &chat->n);

		if (e)
			return chat_broken(c, e);
		buf_add(&all, chat->bytes, chat->n);
		if (all.n > EVENT_BYTES)
			return chat_failed(c, "its response is longer than 1 MiB");
	} while (chat->n);
	TRY(text_read(chat, buf_done(&all), all.n, "message"));
	chat->ended = true;
	words_give(chat);
	*out = (struct chat_answer){ .content = buf_done(&chat->given), .finish = chat->finish };
	return E_OK;
}
