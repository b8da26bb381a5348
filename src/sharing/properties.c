/* SPDX-License-Identifier: Apache-2.0 */
#include "sharing/properties.h"

#include "base/buf.h"
#include "base/json.h"
#include "base/str.h"

/* True if JSON has the text for a single value: a number, true, false, null, or a quoted text. */
static bool
is_scalar(struct ctx *c, const char *text)
{
	struct json *value;
	size_t at;

	return !json_wrong(c, text, strlen(text), &value, &at) && json_kind(value) < J_ARR;
}

static bool
needs_no_quotes(const char *text)
{
	size_t n = strlen(text);

	return n && str_plain(text) && !strchr("\" ", *text) && text[n - 1] != ' ';
}

struct lines {
	struct ctx *c;
	struct buf out;
};

/* Values that could be mistaken for another kind are written as JSON. */
static int
line_write(void *arg, const char *key, const struct json *value)
{
	struct lines *to = arg;
	const char *text = json_kind(value) == J_STR ? json_str(value) : NULL;
	bool plain = needs_no_quotes(key) && !strchr(key, ':');

	if (plain)
		buf_str(&to->out, key);
	else
		buf_json(&to->out, key);
	buf_str(&to->out, ": ");
	if (plain && text && needs_no_quotes(text) && !is_scalar(to->c, text))
		buf_str(&to->out, text);
	else
		json_into(&to->out, value);
	buf_chr(&to->out, '\n');
	return 0;
}

enum err
properties_told(struct ctx *c, const char *properties, const char **out)
{
	struct lines to = { c, BUF(c->mem) };
	struct json *all;

	TRY(json_parse(c, properties, strlen(properties), &all));
	json_each(all, line_write, &to);
	*out = buf_done(&to.out);
	return E_OK;
}

/* "name: value", or a member as JSON has it. */
static enum err
line_read(struct ctx *c, const char *line, struct buf *out)
{
	const char *member = mem_printf(c->mem, "{%s}", line), *colon = strchr(line, ':'), *value;
	struct json *parsed;
	size_t at, n;

	if (!json_wrong(c, member, strlen(member), &parsed, &at) && json_len(parsed) == 1) {
		buf_fmt(out, "%s%s", out->n ? "," : "", line);
		return E_OK;
	}
	if (!colon)
		return fail(c, E_INVALID, "properties: “%s” has no colon; write name: value", line);
	for (n = (size_t)(colon - line); n && line[n - 1] == ' ';)
		n--;
	value = colon + 1 + strspn(colon + 1, " ");
	buf_str(out, out->n ? "," : "");
	buf_json(out, mem_strndup(c->mem, line, n));
	buf_chr(out, ':');
	if (is_scalar(c, value))
		buf_str(out, value);
	else
		buf_json(out, value);
	return E_OK;
}

enum err
properties_read(struct ctx *c, const char *typed, const char **out)
{
	char *rest = mem_strdup(c->mem, typed ? str_lines(c->mem, typed) : ""), *line;
	struct buf b = BUF(c->mem);
	struct json *parsed;
	const char *why;
	size_t at;

	while ((line = str_split(&rest, '\n')))
		if (line[strspn(line, " \t")])
			TRY(line_read(c, line + strspn(line, " \t"), &b));
	*out = mem_printf(c->mem, "{%s}", buf_done(&b));
	why = json_wrong(c, *out, strlen(*out), &parsed, &at);
	return why ? fail(c, E_INVALID, "properties: %s", why) : E_OK;
}
