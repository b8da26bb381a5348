/* SPDX-License-Identifier: Apache-2.0 */
#include "http/filled.h"

#include "base/conf.h"
#include "base/str.h"

/* Returns the text of the field `name` in value or in an object within it, or NULL. */
static const char *
field_text(void *mem, const struct shape *s, const void *value, const char *name)
{
	const struct field *f = s && value ? shape_field(s, name) : NULL;
	const void *at = f ? (const char *)value + f->off : NULL;
	const char *text = NULL;

	if (f && f->kind == K_BOOL)
		return *(const bool *)at ? "true" : "false";
	if (f && f->kind == K_INT)
		return str_number(mem, *(const int64_t *)at);
	if (f && f->kind <= K_WORD)
		text = *(const char *const *)at;
	for (size_t i = 0; s && value && !text && i < s->n; i++)
		if (s->fields[i].kind == K_OBJ)
			text = field_text(mem, s->fields[i].sub,
			    *(const void *const *)((const char *)value + s->fields[i].off), name);
	return text;
}

/* A struct whose fields a text names; shape NULL: none. */
struct source {
	const struct shape *shape;
	const void *value;
};

/* Returns what {name} stands for; name is "a" or "a|b". */
static const char *
name_text(const struct req *r, char *name, const struct source from[2])
{
	void *mem = r->c->mem;

	for (char *one; (one = str_split(&name, '|'));) {
		const char *text = NULL;
		const int64_t *number;

		for (size_t i = 0; i < PATH_PARAMS && r->p[i].name && !text; i++)
			if (str_eq(r->p[i].name, one))
				text = r->p[i].value;
		for (int i = 0; i < 2 && !text; i++)
			text = field_text(mem, from[i].shape, from[i].value, one);
		if (!text && (number = conf_number(r->c->conf, one)))
			text = str_number(mem, *number);
		if (text && *text)
			return text;
	}
	return "";
}

/* Replaces each {name} in text; add appends a value, escaped or not. */
static const char *
text_fill(const struct req *r, const char *text, const struct source from[2],
    void (*add)(struct buf *, const char *))
{
	struct buf b = BUF(r->c->mem);

	for (const char *p = text; *p; p++) {
		if (*p != '{') {
			buf_chr(&b, *p);
			continue;
		}
		add(&b, name_text(r, mem_strndup(b.owner, p + 1, strcspn(p, "}") - 1), from));
		p += strcspn(p, "}");
	}
	return buf_done(&b);
}

const char *
form_filled(const struct req *r, const char *path, const void *made)
{
	/* The answer has the state after the change, the form what was asked for. */
	const struct source from[] = { { r->route->answer.shape, made },
		{ r->route->body.shape, r->in } };

	return text_fill(r, path, from, buf_url);
}

const char *
text_filled(const struct req *r, const char *text, const struct shape *shape, const void *value)
{
	const struct source from[] = { { shape, value }, { NULL, NULL } };

	return text_fill(r, text, from, buf_str);
}
