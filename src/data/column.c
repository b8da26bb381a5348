/* SPDX-License-Identifier: Apache-2.0 */
#include "data/column.h"

#include "base/str.h"

SHAPE_DEFINE(column_was, COLUMN_WAS);
SHAPE_DEFINE(data_column, DATA_COLUMN);

/* ---- stored form ---- */

static void
column_more_write(struct buf *b, const struct data_column *col)
{
	const struct column_was *was = col->was.v;

	buf_str(b, ",{");
	if (col->choices.n) {
		json_key(b, "choices");
		buf_jsons(b, col->choices.v, col->choices.n);
	}
	if (col->to)
		json_add(b, "to", col->to);
	if (col->hidden)
		json_add_int(b, "hidden", 1);
	if (col->keyed)
		json_add_int(b, "keyed", 1);
	if (col->was.n) {
		json_key(b, "was");
		for (size_t i = 0; i < col->was.n; i++)
			buf_fmt(b, "%s[\"%s\",%lld]", i ? "," : "[", was[i].name,
			    (long long)was[i].until);
		buf_chr(b, ']');
	}
	buf_chr(b, '}');
}

const char *
columns_write(struct ctx *c, const struct list *columns)
{
	const struct data_column *col = columns->v;
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < columns->n; i++) {
		buf_fmt(&b, "%s[\"%s\",\"%s\",%lld,%lld", i ? "," : "[", col[i].name, col[i].type,
		    (long long)col[i].slot, (long long)col[i].since);
		if (col[i].choices.n || col[i].to || col[i].hidden || col[i].was.n || col[i].keyed)
			column_more_write(&b, &col[i]);
		buf_chr(&b, ']');
	}
	buf_chr(&b, ']');
	return buf_done(&b);
}

static void
column_more_read(struct ctx *c, const struct json *more, struct data_column *col)
{
	const struct json *choices = json_get(more, "choices"), *was = json_get(more, "was");
	struct column_was *names;

	for (size_t i = 0; choices && i < json_len(choices); i++)
		strs_add(c->mem, &col->choices, json_str(json_at(choices, i)));
	col->to = json_word(more, "to");
	col->has.choices = col->choices.n ? GIVEN : ABSENT;
	col->has.to = col->to ? GIVEN : ABSENT;
	col->hidden = json_get(more, "hidden") != NULL;
	col->has.hidden = col->hidden ? GIVEN : ABSENT;
	col->keyed = json_get(more, "keyed") != NULL;
	if (!was)
		return;
	col->was.n = json_len(was);
	col->was.v = names = mem_array(c->mem, struct column_was, col->was.n + 1);
	for (size_t i = 0; i < col->was.n; i++)
		names[i] = (struct column_was){ .name = json_str(json_at(json_at(was, i), 0)),
			.until = json_int(json_at(json_at(was, i), 1)) };
}

enum err
columns_read(struct ctx *c, const char *fields, struct list *columns)
{
	struct data_column *col;
	struct json *tree;

	TRY(json_parse(c, fields, strlen(fields), &tree));
	columns->n = json_len(tree);
	columns->v = col = mem_array(c->mem, struct data_column, columns->n + 1);
	for (size_t i = 0; i < columns->n; i++) {
		const struct json *one = json_at(tree, i);

		col[i] = (struct data_column){ .name = json_str(json_at(one, 0)),
			.type = json_str(json_at(one, 1)),
			.slot = json_int(json_at(one, 2)),
			.since = json_int(json_at(one, 3)),
			.has = { .name = GIVEN, .type = GIVEN } };
		if (json_len(one) > 4)
			column_more_read(c, json_at(one, 4), &col[i]);
	}
	return E_OK;
}

const struct data_column *
column_of_slot(const struct list *columns, int64_t slot)
{
	const struct data_column *col = columns->v;

	for (size_t i = 0; i < columns->n; i++)
		if (col[i].slot == slot)
			return &col[i];
	return NULL;
}

/* ---- names in older rows ---- */

const char *
column_name_at(const struct data_column *col, int64_t shape_no)
{
	const struct column_was *was = col->was.v;

	for (size_t i = 0; i < col->was.n; i++)
		if (shape_no < was[i].until)
			return was[i].name;
	return col->name;
}

void
column_renamed(struct ctx *c, const struct data_column *old, int64_t shape_no,
    struct data_column *col)
{
	const size_t n = old->was.n;
	struct column_was *was = mem_array(c->mem, struct column_was, n + 1);

	if (n)
		memcpy(was, old->was.v, n * sizeof *was);
	was[n] = (struct column_was){ .name = old->name, .until = shape_no };
	col->was = (struct list){ was, n + 1 };
}

enum err
column_rename(struct ctx *c, const struct data_column *old, int64_t shape_no,
    struct data_column *col)
{
	if (old->was.n >= COLUMN_NAMES_KEPT)
		return fail(c, E_CONFLICT,
		    "renames: %s has had %d names, which is the most",
		    old->name, COLUMN_NAMES_KEPT);
	column_renamed(c, old, shape_no, col);
	return E_OK;
}

/* ---- a change ---- */

void
column_keep(const struct data_column *old, struct data_column *col)
{
	if (old && col->has.hidden != GIVEN) {
		col->hidden = old->hidden;
		col->has.hidden = old->has.hidden;
	}
	if (!old || !str_eq(old->type, col->type))
		return;
	if (col->has.choices != GIVEN) {
		col->choices = old->choices;
		col->has.choices = old->has.choices;
	}
	if (!col->to) {
		col->to = old->to;
		col->has.to = old->has.to;
	}
}

bool
column_type_same(const struct data_column *old, const struct data_column *col)
{
	return str_eq(old->type, col->type) && (!col->to || str_eq(old->to, col->to));
}

bool
column_same(const struct data_column *old, const struct data_column *col)
{
	const struct strs *a = &old->choices, *b = &col->choices;
	size_t i = 0;

	if (!column_type_same(old, col) || !str_eq(old->name, col->name) ||
	    old->hidden != col->hidden || a->n != b->n)
		return false;
	while (i < a->n && str_eq(a->v[i], b->v[i]))
		i++;
	return i == a->n;
}

/* ---- names ---- */

enum err
columns_names_check(struct ctx *c, const struct list *columns)
{
	const struct data_column *col = columns->v;

	for (size_t i = 0; i < columns->n; i++) {
		if (!column_name_valid(col[i].name))
			return fail(c, E_INVALID,
			    "columns[%zu].name: must contain only letters, digits and _, "
			    "and must not start with a digit",
			    i);
		for (size_t j = 0; j < i; j++)
			if (str_eq(col[i].name, col[j].name))
				return fail(c, E_INVALID,
				    "columns[%zu].name: %s is already the name of columns[%zu]", i,
				    col[i].name, j);
	}
	return E_OK;
}
