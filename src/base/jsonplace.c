/* SPDX-License-Identifier: Apache-2.0 */
#include "base/jsonplace.h"

static const char *
space_skip(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

/* p: at the opening quotation mark. */
static const char *
text_end(const char *p)
{
	for (p++; *p && *p != '"'; p++)
		p += *p == '\\' && p[1];
	return *p ? p + 1 : p;
}

static const char *
value_end(const char *p)
{
	int depth = 0;

	while (*p) {
		depth += *p == '{' || *p == '[';
		depth -= *p == '}' || *p == ']';
		p = *p == '"' ? text_end(p) : p + 1;
		if (depth <= 0 && (!*p || strchr(",}] \t\r\n", *p)))
			break;
	}
	return p;
}

/* Returns where the value of an object's member begins, and in *key its name; NULL if there is
 * none. */
static const char *
member_find(void *owner, const char *p, const char *name, const char **key)
{
	struct buf quoted = BUF(owner);

	buf_json(&quoted, name);
	if (*p != '{')
		return NULL;
	p = space_skip(p + 1);
	while (*p == '"') {
		const char *from = p, *end = text_end(p);

		p = space_skip(end);
		if (*p != ':')
			return NULL;
		p = space_skip(p + 1);
		if ((size_t)(end - from) == quoted.n && !memcmp(from, quoted.s, quoted.n)) {
			*key = from;
			return p;
		}
		p = space_skip(value_end(p));
		p = space_skip(*p == ',' ? p + 1 : p);
	}
	return NULL;
}

size_t
json_place(void *owner, const char *text, const char *const *keys, size_t n, bool name)
{
	const char *at = text, *key = text, *in = space_skip(text);

	for (size_t i = 0; i < n; i++) {
		in = member_find(owner, in, keys[i], &key);
		if (!in)
			return (size_t)(at - text);
		at = name && i + 1 == n ? key : in;
	}
	return (size_t)(at - text);
}

struct text_place
text_place(const char *text, size_t at)
{
	struct text_place out = { 1, 1 };

	for (size_t i = 0; i < at && text[i]; i++) {
		out.column = text[i] == '\n' ? 1 : out.column + ((text[i] & 0xc0) != 0x80);
		out.line += text[i] == '\n';
	}
	return out;
}
