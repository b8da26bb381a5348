/* SPDX-License-Identifier: Apache-2.0
 * Writes values of shapes as JSON, and reads their fields by name. */
#include "base/json.h"
#include "base/shape.h"
#include "base/str.h"

#include <math.h>

#define CMEMBER(type, value, f) (*(type const *)((const char *)(value) + (f)->off))
#define CHAS(value, f) (*((const uint8_t *)(value) + (f)->has))

static bool
is_pointer(enum kind k)
{
	return k <= K_WORD || k == K_OBJ || k == K_JSON;
}

static void write_struct(
    struct buf *b, const struct shape *s, const void *value, bool lean);

/* lean: leaves out what is null. */
static void
write_value(struct buf *b, const struct field *f, const void *value, bool lean)
{
	const struct strs *strs = &CMEMBER(struct strs, value, f);
	const struct list *list = &CMEMBER(struct list, value, f);

	switch (f->kind) {
	case K_INT:
	case K_TIME:
		buf_fmt(b, "%lld", (long long)CMEMBER(int64_t, value, f));
		break;
	case K_DATETIME:
		buf_fmt(b, "\"%s\"", str_rfc3339(b->owner, CMEMBER(int64_t, value, f)));
		break;
	case K_NUM:
		buf_num(b, CMEMBER(double, value, f));
		break;
	case K_BOOL:
		buf_str(b, CMEMBER(bool, value, f) ? "true" : "false");
		break;
	case K_STRS:
		buf_jsons(b, strs->v, strs->n);
		break;
	case K_LIST:
		for (size_t i = 0; i < list->n; i++) {
			buf_chr(b, i ? ',' : '[');
			write_struct(b, f->sub, (const char *)list->v + i * f->sub->size, lean);
		}
		buf_str(b, list->n ? "]" : "[]");
		break;
	case K_OBJ:
		write_struct(b, f->sub, CMEMBER(void *, value, f), lean);
		break;
	case K_JSON:
		if (lean)
			json_lean_text(b, CMEMBER(char *, value, f));
		else
			buf_str(b, CMEMBER(char *, value, f));
		break;
	default:
		buf_json(b, CMEMBER(char *, value, f));
	}
}

static bool
is_null(const struct field *f, const void *value)
{
	return is_pointer(f->kind) ? !CMEMBER(void *, value, f) : CHAS(value, f) == NULLED;
}

static bool
is_left_out(const struct field *f, const void *value, bool lean)
{
	bool null = is_null(f, value);

	return f->flags & F_HID ||
	    (f->flags & F_OPT &&
		(null || (!is_pointer(f->kind) && CHAS(value, f) != GIVEN))) ||
	    (lean &&
		(null || (f->kind == K_NUM && !isfinite(CMEMBER(double, value, f))) ||
		    (f->kind == K_JSON && str_eq(CMEMBER(char *, value, f), "null"))));
}

static void
write_fields(struct buf *b, const struct shape *s, const void *value, bool lean)
{
	for (const struct field *f = s->fields; f < s->fields + s->n; f++) {
		if (is_left_out(f, value, lean))
			continue;
		json_key(b, field_wire(f));
		if (is_null(f, value))
			buf_str(b, "null");
		else
			write_value(b, f, value, lean);
	}
}

static void
write_struct(struct buf *b, const struct shape *s, const void *value, bool lean)
{
	if (!value) {
		buf_str(b, "null");
		return;
	}
	buf_chr(b, '{');
	write_fields(b, s, value, lean);
	buf_chr(b, '}');
}

void
shape_write_fields(struct buf *b, const struct shape *s, const void *value)
{
	write_fields(b, s, value, false);
}

void
shape_write(struct buf *b, const struct shape *s, const void *value)
{
	write_struct(b, s, value, false);
}

const char *
shape_text(void *owner, const struct shape *s, const void *value)
{
	struct buf b = BUF(owner);

	shape_write(&b, s, value);
	return buf_done(&b);
}

/* ---- fields by name ---- */

/* Returns the field unless it is null or absent. */
static const struct field *
shaped_field(struct shaped p, const char *name)
{
	const struct field *f = p.n ? shape_field(p.shape, name) : NULL;

	return f && !is_left_out(f, p.v, true) ? f : NULL;
}

bool
shaped_has(struct shaped p, const char *name)
{
	return shaped_field(p, name) != NULL;
}

struct shaped
shaped_at(struct shaped p, size_t i)
{
	return (struct shaped){ p.shape, (const char *)p.v + i * p.shape->size, i < p.n, false };
}

struct shaped
shaped_of(struct shaped p, const char *name)
{
	const struct field *f = shaped_field(p, name);

	if (!f)
		return (struct shaped){ 0 };
	if (f->kind == K_OBJ)
		return (struct shaped){ f->sub, CMEMBER(void *, p.v, f), 1, false };
	return (struct shaped){ f->sub, CMEMBER(struct list, p.v, f).v,
		CMEMBER(struct list, p.v, f).n, true };
}

void
shaped_write(struct buf *b, struct shaped p)
{
	if (!p.list) {
		write_struct(b, p.shape, p.n ? p.v : NULL, true);
		return;
	}
	for (size_t i = 0; i < p.n; i++) {
		buf_chr(b, i ? ',' : '[');
		write_struct(b, p.shape, shaped_at(p, i).v, true);
	}
	buf_str(b, p.n ? "]" : "[]");
}

void
shaped_write_field(struct buf *b, struct shaped p, const char *name)
{
	const struct field *f = shaped_field(p, name);

	if (f)
		write_value(b, f, p.v, true);
	else
		buf_str(b, "null");
}

const char *
shaped_text(struct shaped p, const char *name)
{
	const struct field *f = shaped_field(p, name);

	return f ? CMEMBER(char *, p.v, f) : NULL;
}

bool
shaped_true(struct shaped p, const char *name)
{
	const struct field *f = shaped_field(p, name);

	return f && CMEMBER(bool, p.v, f);
}

const struct strs *
shaped_strs(struct shaped p, const char *name)
{
	static const struct strs none;
	const struct field *f = shaped_field(p, name);

	return f ? &CMEMBER(struct strs, p.v, f) : &none;
}
