/* SPDX-License-Identifier: Apache-2.0 */
#include "base/unknown.h"

#include "base/json.h"
#include "base/str.h"

enum { NAME_CHARS = 60 };

/* Another's name among ours: cut, and without what would steer a terminal. */
static const char *
name_plain(struct ctx *c, const char *name)
{
	const char *cut = str_cut(c->mem, name, NAME_CHARS);
	size_t run = str_plain_run(cut);

	return !cut[run] && str_eq(cut, name)
	    ? cut
	    : mem_printf(c->mem, "%s…", mem_strndup(c->mem, cut, run));
}

static const char *
name_near(const struct shape *s, const char *name)
{
	const char *found = NULL;
	size_t least = STR_FAR;

	for (size_t i = 0; s && i < s->n; i++) {
		const struct field *f = &s->fields[i];
		size_t slips = f->flags & F_HID ? STR_FAR : str_slips(name, field_wire(f));

		if (slips >= least)
			continue;
		found = field_wire(f);
		least = slips;
	}
	return found;
}

static void
warn_name(struct ctx *c, const struct shape *s, const char *where, const char *name)
{
	const char *near = name_near(s, name);

	warn(c, "%s%s%s: is not known here and was ignored%s%s%s", where, *where ? "." : "",
	    name_plain(c, name), near ? "; did you mean " : "", near ? near : "",
	    near ? "?" : "");
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
		warn_name(c, s, "", name);
}

struct strange {
	struct ctx *c;
	const struct shape *shape;
	const char *where;
};

static int
warn_member(void *arg, const char *key, const struct json *value)
{
	const struct strange *in = arg;

	(void)value;
	if (!name_known(in->shape, key))
		warn_name(in->c, in->shape, in->where, key);
	return in->c->warning_n == WARNINGS;
}

static void
warn_object(struct ctx *c, const struct shape *s, const char *where, const struct json *j)
{
	struct strange in = { c, s, where };

	if (json_kind(j) != J_OBJ)
		return;
	json_each(j, warn_member, &in);
	for (size_t i = 0; i < s->n && c->warning_n < WARNINGS; i++) {
		const struct field *f = &s->fields[i];
		const struct json *value = f->sub ? json_get(j, field_wire(f)) : NULL;
		char *name;

		if (!value || f->flags & F_HID)
			continue;
		name = mem_printf(c->mem, "%s%s%s", where, *where ? "." : "", field_wire(f));
		warn_object(c, f->sub, name, value);
		if (json_kind(value) != J_ARR)
			continue;
		for (size_t k = 0; k < json_len(value) && c->warning_n < WARNINGS; k++) {
			char *item = mem_printf(c->mem, "%s[%zu]", name, k);

			warn_object(c, f->sub, item, json_at(value, k));
			mem_free(item);
		}
	}
}

void
unknown_members(struct ctx *c, const struct shape *s, const struct json *j)
{
	warn_object(c, s, "", j);
}
