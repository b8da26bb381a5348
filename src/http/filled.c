/* SPDX-License-Identifier: Apache-2.0 */
#include "http/filled.h"

#include "base/conf.h"
#include "base/str.h"

/* Returns the text of the field `name` in value or in an object within it; NULL if there is none.
 */
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

static const char *
param_text(const struct req *r, const char *name)
{
	for (size_t i = 0; i < PATH_PARAMS && r->p[i].name; i++)
		if (str_eq(r->p[i].name, name))
			return r->p[i].value;
	return NULL;
}

const char *
form_filled(const struct req *r, const char *path, const void *made)
{
	struct buf b = BUF(r->c->mem);

	for (const char *p = path; *p; p++) {
		const char *name, *text;

		if (*p != '{') {
			buf_chr(&b, *p);
			continue;
		}
		name = mem_strndup(b.owner, p + 1, strcspn(p, "}") - 1);
		text = param_text(r, name);
		/* The answer has the state after the change, the form what was asked for. */
		text = text ? text : field_text(b.owner, r->route->answer.shape, made, name);
		text = text ? text : field_text(b.owner, r->route->body.shape, r->in, name);
		buf_url(&b, text ? text : "");
		p += strcspn(p, "}");
	}
	return buf_done(&b);
}

/* name is "a" or "a|b". */
static const char *
text_named(const struct req *r, char *name, const struct shape *shape, const void *value)
{
	void *mem = r->c->mem;

	for (char *one; (one = str_split(&name, '|'));) {
		const char *text = field_text(mem, shape, value, one);
		const int64_t *number = text ? NULL : conf_number(r->c->conf, one);

		text = text ? text : number ? str_number(mem, *number) : param_text(r, one);
		if (text && *text)
			return text;
	}
	return "";
}

const char *
text_filled(const struct req *r, const char *text, const struct shape *shape, const void *value)
{
	struct buf b = BUF(r->c->mem);

	for (const char *p = text; *p; p++) {
		if (*p != '{') {
			buf_chr(&b, *p);
			continue;
		}
		buf_str(&b,
		    text_named(
			r, mem_strndup(b.owner, p + 1, strcspn(p, "}") - 1), shape, value));
		p += strcspn(p, "}");
	}
	return buf_done(&b);
}
