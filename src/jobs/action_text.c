/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"
#include "jobs/action_kind.h"
#include "jobs/run.h"

/* ---- placeholders ---- */

/* The placeholder at s, which begins with "{{", without spaces around its name; *end is behind
 * "}}". NULL: there is no "}}". */
static const char *
word_at(void *owner, const char *s, const char **end)
{
	const char *from = s + 2 + strspn(s + 2, " "), *to = strstr(s + 2, "}}");

	if (!to)
		return NULL;
	*end = to + 2;
	while (to > from && to[-1] == ' ')
		to--;
	return mem_strndup(owner, from, to > from ? (size_t)(to - from) : 0);
}

enum err
action_text_check(struct ctx *c, const char *at, const char *text)
{
	const char *end = text;

	while ((text = strstr(end, "{{"))) {
		const char *word = word_at(c->mem, text, &end);

		if (!word)
			return fail(c, E_INVALID, "%s: {{ has no closing }}", at);
		if (!*word || strchr(word, '|') || !str_in(word, ACTION_WORDS))
			return fail(c, E_INVALID, "%s: unknown placeholder {{%s}}; use one of %s",
			    at, str_cut(c->mem, word, 40), ACTION_WORDS);
	}
	return E_OK;
}

struct json_check {
	struct ctx *c;
	const char *at;
};

static int
member_check(void *arg, const char *name, const struct json *value)
{
	const struct json_check *k = arg;

	(void)name;
	return (int)action_json_check(k->c, k->at, value);
}

enum err
action_json_check(struct ctx *c, const char *at, const struct json *value)
{
	struct json_check k = { c, at };

	if (json_kind(value) == J_STR)
		return action_text_check(c, at, json_str(value));
	if (json_kind(value) == J_OBJ)
		return (enum err)json_each(value, member_check, &k);
	for (size_t i = 0; json_kind(value) == J_ARR && i < json_len(value); i++)
		TRY(action_json_check(c, at, json_at(value, i)));
	return E_OK;
}

/* ---- values of placeholders ---- */

const char *
action_type(const struct run_held *held)
{
	if (str_eq(held->cause, "event"))
		return held->event_type;
	return str_eq(held->cause, "alert") ? "metric.alert" : "job.run";
}

static const char *
word_value(struct ctx *c, const struct action_run *r, const char *word)
{
	const struct run_held *h = r->held;
	const struct json *data = r->data;
	char *rest, *name;
	const struct {
		const char *word, *value;
	} own[] = { { "artifact.id", h->artifact_id }, { "artifact.name", h->artifact_name },
		{ "artifact.slug", h->artifact_slug }, { "artifact.url", r->url },
		{ "job.id", h->job_id }, { "job.name", h->job_name ? h->job_name : "" },
		{ "run.id", h->id },
		{ "run.scheduled_for", str_rfc3339(c->mem, h->scheduled_for) },
		{ "run.trigger", h->cause }, { "event.type", action_type(h) } };

	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		if (str_eq(own[i].word, word))
			return own[i].value;
	if (!str_in(word, ACTION_WORDS))
		return "";
	/* "comment.text" is the member text of the member comment. */
	rest = mem_strdup(c->mem, word);
	while (data && (name = str_split(&rest, '.')))
		data = json_kind(data) == J_OBJ ? json_get(data, name) : NULL;
	if (!data || json_kind(data) == J_NULL)
		return "";
	return json_kind(data) == J_STR ? json_str(data) : json_text(c->mem, data);
}

const char *
action_text(struct ctx *c, const struct action_run *r, const char *text, action_escape *escape)
{
	struct buf b = BUF(c->mem);

	while (*text) {
		const char *at = strstr(text, "{{"), *end = NULL;
		const char *word = at ? word_at(c->mem, at, &end) : NULL;

		buf_add(&b, text, word ? (size_t)(at - text) : strlen(text));
		if (!word)
			break;
		(escape ? escape : buf_str)(&b, word_value(c, r, word));
		text = end;
	}
	return buf_done(&b);
}

struct json_fill {
	struct ctx *c;
	struct buf *b;
	const struct action_run *r;
	bool more;
};

static int
member_fill(void *arg, const char *name, const struct json *value)
{
	struct json_fill *f = arg;

	if (f->more)
		buf_chr(f->b, ',');
	f->more = true;
	buf_json(f->b, name);
	buf_chr(f->b, ':');
	action_json(f->c, f->b, f->r, value);
	return 0;
}

void
action_json(struct ctx *c, struct buf *b, const struct action_run *r, const struct json *value)
{
	struct json_fill f = { c, b, r, false };
	enum json_kind kind = json_kind(value);

	if (kind == J_STR) {
		buf_json(b, action_text(c, r, json_str(value), NULL));
	} else if (kind == J_OBJ) {
		buf_chr(b, '{');
		json_each(value, member_fill, &f);
		buf_chr(b, '}');
	} else if (kind == J_ARR) {
		for (size_t i = 0; i < json_len(value); i++) {
			buf_chr(b, i ? ',' : '[');
			action_json(c, b, r, json_at(value, i));
		}
		buf_str(b, json_len(value) ? "]" : "[]");
	} else {
		buf_str(b, json_text(c->mem, value));
	}
}
