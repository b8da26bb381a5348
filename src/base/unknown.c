/* SPDX-License-Identifier: Apache-2.0 */
#include "base/unknown.h"

#include "base/json.h"
#include "base/str.h"

enum { NAME_CHARS = 60 };

/* The place of an object in the body; converted to text only for an unknown name. */
struct place {
	const struct place *outer; /* NULL for the body itself */
	const char *name;
	size_t item;
	bool in_list;
};

static void
place_print(struct buf *b, const struct place *at)
{
	if (!at->outer)
		return;
	place_print(b, at->outer);
	buf_str(b, at->name);
	if (at->in_list)
		buf_fmt(b, "[%zu]", at->item);
	buf_chr(b, '.');
}

static void
warn_name(struct ctx *c, const struct shape *s, const struct place *at, const char *name)
{
	struct str_near near = STR_NEAR(name);
	struct buf where = BUF(c->mem);
	/* Cuts a name from outside, and removes what could control a terminal. */
	const char *shown = str_cut(c->mem, name, NAME_CHARS);
	size_t run = str_plain_run(shown);

	if (shown[run] || !str_eq(shown, name))
		shown = mem_printf(c->mem, "%s…", mem_strndup(c->mem, shown, run));
	for (size_t i = 0; s && i < s->n; i++)
		if (!(s->fields[i].flags & F_HID))
			str_near_try(&near, field_wire(&s->fields[i]));
	place_print(&where, at);
	warn(c, "%s%s: isn't recognized and was ignored%s%s%s", buf_done(&where),
	    shown, near.word ? "; did you mean " : "",
	    near.word ? near.word : "", near.word ? "?" : "");
}

static bool
name_known(const struct shape *s, const char *name)
{
	const struct field *f = s ? shape_field(s, name) : NULL;

	return f && !(f->flags & F_HID);
}

void
unknown_name(struct ctx *c, const struct shape *s, const char *name)
{
	if (!name_known(s, name))
		warn_name(c, s, &(struct place){ 0 }, name);
}

struct strange {
	struct ctx *c;
	const struct shape *shape;
	const struct place *at;
};

static int
warn_member(void *arg, const char *key, const struct json *value)
{
	const struct strange *in = arg;

	(void)value;
	if (!name_known(in->shape, key))
		warn_name(in->c, in->shape, in->at, key);
	return in->c->warning_n == WARNINGS;
}

static void warn_value(
    struct ctx *c, const struct field *f, const struct place *outer, const struct json *value);

static void
warn_object(struct ctx *c, const struct shape *s, const struct place *at, const struct json *j)
{
	if (json_kind(j) != J_OBJ)
		return;
	json_each(j, warn_member, &(struct strange){ c, s, at });
	for (const struct field *f = s->fields; f < s->fields + s->n; f++)
		if (f->sub && !(f->flags & F_HID))
			warn_value(c, f, at, json_get(j, field_wire(f)));
}

static void
warn_value(
    struct ctx *c, const struct field *f, const struct place *outer, const struct json *value)
{
	struct place at = { outer, field_wire(f), 0, value && json_kind(value) == J_ARR };

	if (!value)
		return;
	if (!at.in_list) {
		warn_object(c, f->sub, &at, value);
		return;
	}
	for (; at.item < json_len(value) && c->warning_n < WARNINGS; at.item++)
		warn_object(c, f->sub, &at, json_at(value, at.item));
}

void
unknown_members(struct ctx *c, const struct shape *s, const struct json *j)
{
	warn_object(c, s, &(struct place){ 0 }, j);
}
