/* SPDX-License-Identifier: Apache-2.0 */
#include "data/column.h"

#include "base/str.h"

SHAPE_DEFINE(data_column, DATA_COLUMN);

/* ---- stored form ---- */

static bool
column_has_more(const struct data_column *col)
{
	return col->choices.n || col->to;
}

static void
column_more_write(struct buf *b, const struct data_column *col)
{
	buf_str(b, ",{");
	if (col->choices.n) {
		json_key(b, "choices");
		buf_chr(b, '[');
		for (size_t i = 0; i < col->choices.n; i++) {
			buf_str(b, i ? "," : "");
			buf_json(b, col->choices.v[i]);
		}
		buf_chr(b, ']');
	}
	if (col->to)
		json_add(b, "to", col->to);
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
		if (column_has_more(&col[i]))
			column_more_write(&b, &col[i]);
		buf_chr(&b, ']');
	}
	buf_chr(&b, ']');
	return buf_done(&b);
}

static void
column_more_read(struct ctx *c, const struct json *more, struct data_column *col)
{
	const struct json *choices = json_get(more, "choices");

	for (size_t i = 0; choices && i < json_len(choices); i++)
		strs_add(c->mem, &col->choices, json_str(json_at(choices, i)));
	col->to = json_word(more, "to");
	col->has.choices = col->choices.n ? GIVEN : ABSENT;
	col->has.to = col->to ? GIVEN : ABSENT;
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

/* ---- a change ---- */

void
column_keep(const struct data_column *old, struct data_column *col)
{
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

static bool
strs_same(const struct strs *a, const struct strs *b)
{
	size_t i = 0;

	while (i < a->n && i < b->n && str_eq(a->v[i], b->v[i]))
		i++;
	return i == a->n && i == b->n;
}

bool
column_same(const struct data_column *old, const struct data_column *col)
{
	return column_type_same(old, col) && strs_same(&old->choices, &col->choices);
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
