/* SPDX-License-Identifier: Apache-2.0 */
#include "http/filled.h"

#include "base/str.h"

/* What the field says, of value or of what is in it; NULL: nothing. */
static const char *
field_said(const struct shape *s, const void *value, const char *name)
{
	const struct field *f = s && value ? shape_field(s, name) : NULL;
	const char *said = NULL;

	if (f && f->kind == K_BOOL)
		return *(const bool *)((const char *)value + f->off) ? "true" : "false";
	if (f && f->kind <= K_WORD)
		said = *(const char *const *)((const char *)value + f->off);
	for (size_t i = 0; s && value && !said && i < s->n; i++)
		if (s->fields[i].kind == K_OBJ)
			said = field_said(s->fields[i].sub,
			    *(const void *const *)((const char *)value + s->fields[i].off), name);
	return said;
}

/* made: the API's answer, or NULL; it knows better than the form what is so now. */
static const char *
named_value(const struct req *r, const char *name, const void *made)
{
	const char *said;

	for (size_t i = 0; i < PATH_PARAMS && r->p[i].name; i++)
		if (str_eq(r->p[i].name, name))
			return r->p[i].value;
	said = field_said(r->route->answer.shape, made, name);
	said = said ? said : field_said(r->route->body.shape, r->in, name);
	return said ? said : "";
}

const char *
form_filled(const struct req *r, const char *path, const void *made)
{
	struct buf b = BUF(r->c->mem);

	for (const char *p = path; *p; p++) {
		if (*p != '{') {
			buf_chr(&b, *p);
			continue;
		}
		buf_url(&b,
		    named_value(r, mem_strndup(b.owner, p + 1, strcspn(p, "}") - 1), made));
		p += strcspn(p, "}");
	}
	return buf_done(&b);
}
