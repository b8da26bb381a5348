/* SPDX-License-Identifier: Apache-2.0 */
#include "data/columnlook.h"

#include "base/json.h"
#include "base/str.h"

SHAPE_DEFINE(look_column, LOOK_COLUMN);

/* ---- texts of an address ---- */

static int
member_text(void *arg, const char *name, const struct json *value)
{
	struct buf *b = arg;

	buf_fmt(b, "%s%s.%s", b->n ? "," : "", name,
	    json_kind(value) == J_STR ? json_str(value) : json_text(b->owner, value));
	return 0;
}

/* Returns {"a": 120} as a.120, or ["a", "b"] as a,b; NULL for nothing. */
static const char *
json_look(struct ctx *c, const char *text)
{
	struct buf b = BUF(c->mem);
	struct json *tree;
	size_t at;

	if (!text || json_wrong(c, text, strlen(text), &tree, &at))
		return NULL;
	if (json_kind(tree) == J_OBJ)
		json_each(tree, member_text, &b);
	for (size_t i = 0; json_kind(tree) == J_ARR && i < json_len(tree); i++)
		buf_fmt(&b, "%s%s", i ? "," : "", json_str(json_at(tree, i)));
	return str_given(buf_done(&b));
}

struct look
look_of_view(struct ctx *c, const struct data_view *view)
{
	if (!view)
		return (struct look){ 0 };
	return (struct look){ json_look(c, view->columns), json_look(c, view->widths),
		json_look(c, view->totals) };
}

/* Returns the text after "name." in a.120,b.sum; NULL if there is none. */
static const char *
text_of(struct ctx *c, const char *texts, const char *name)
{
	char *rest = mem_strdup(c->mem, texts), *one;
	const size_t n = strlen(name);

	while (rest && (one = str_split(&rest, ',')))
		if (str_starts(one, name) && one[n] == '.')
			return one + n + 1;
	return NULL;
}

/* ---- rows ---- */

static struct look_column
row_of(const struct data_column *col, const char *width, const char *total)
{
	int64_t wide = 0;

	if (!width || !str_int(width, &wide) || wide < VIEW_WIDTH_LEAST || wide > VIEW_WIDTH_MOST)
		wide = 0;
	return (struct look_column){ .name = col->name,
		.slot = col->slot,
		.width = wide,
		.total = total && view_total_fits(col, total) ? total : NULL,
		.figures = view_total_fits(col, "empty"),
		.numbers = view_total_fits(col, "sum") };
}

static void
rows_begin(struct ctx *c, const struct data_table *t, struct look_column_list *out)
{
	*out = (struct look_column_list){
		mem_array(c->mem, struct look_column, t->columns.n + 1), 0
	};
}

static bool
rows_have(const struct look_column_list *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(all->v[i].name, name))
			return true;
	return false;
}

/* Adds the columns that the view's list lacks, as hidden ones. If the list is empty, the table's
 * visible columns come first, with their places. */
static void
rows_end(const struct data_table *t, struct look_column_list *all,
    struct look_column (*make)(void *arg, const struct data_column *col), void *arg)
{
	const struct data_column *col = t->columns.v;
	const bool own = !all->n;
	int64_t place = 0;

	for (size_t hidden = 0; hidden < 2; hidden++)
		for (size_t i = 0; i < t->columns.n; i++) {
			if (rows_have(all, col[i].name) || (own && col[i].hidden != (bool)hidden))
				continue;
			all->v[all->n] = make(arg, &col[i]);
			all->v[all->n++].place = own && !hidden ? ++place : 0;
		}
}

struct look_texts {
	struct ctx *c;
	const struct look *look;
};

static struct look_column
row_of_texts(void *arg, const struct data_column *col)
{
	const struct look_texts *s = arg;

	return row_of(col, text_of(s->c, s->look->widths, col->name),
	    text_of(s->c, s->look->totals, col->name));
}

void
look_read(struct ctx *c, const struct data_table *t, const struct look *look,
    struct look_column_list *out)
{
	struct look_texts s = { c, look };
	char *rest = mem_strdup(c->mem, look->columns), *name;

	rows_begin(c, t, out);
	while (rest && (name = str_split(&rest, ','))) {
		const struct data_column *col = table_column(t, name);

		if (!col || rows_have(out, name))
			continue;
		out->v[out->n] = row_of_texts(&s, col);
		out->v[out->n].place = (int64_t)out->n + 1;
		out->n++;
	}
	rows_end(t, out, row_of_texts, &s);
}

/* ---- a form ---- */

struct look_form {
	struct ctx *c;
	const struct pair *pairs;
	size_t n;
};

static const char *
typed_pair(const struct look_form *f, const char *name, const struct data_column *col)
{
	return pair_value(f->pairs, f->n,
	    mem_printf(f->c->mem, "%s.%lld", name, (long long)col->slot));
}

static struct look_column
row_of_form(void *arg, const struct data_column *col)
{
	return row_of(col, typed_pair(arg, "width", col), typed_pair(arg, "total", col));
}

/* Inserts a column by the place that was typed. One that moved up comes before the column that has
 * the place, one that moved down after it. Without a place it comes last. */
static void
row_place(struct look_column_list *out, struct look_column row, int64_t was, double *keys)
{
	double key = (double)row.place;
	size_t at = out->n++;

	if (!row.place)
		key = 2 * CELL_SLOTS;
	else if (was != row.place)
		key += row.place < was ? -0.5 : 0.5;
	for (; at && keys[at - 1] > key; at--) {
		out->v[at] = out->v[at - 1];
		keys[at] = keys[at - 1];
	}
	out->v[at] = row;
	keys[at] = key;
}

void
look_typed(struct ctx *c, const struct data_table *t, const struct pair *pairs, size_t n,
    struct look_column_list *out)
{
	struct look_form f = { c, pairs, n };
	double keys[CELL_SLOTS + 1];
	int64_t was = 0, slot;

	rows_begin(c, t, out);
	for (size_t i = 0; i < n; i++) {
		const struct data_column *col = t->columns.v;
		struct look_column row;
		size_t k = 0;

		if (!str_starts(pairs[i].name, "place.") || !str_int(pairs[i].name + 6, &slot))
			continue;
		was++;
		while (k < t->columns.n && col[k].slot != slot)
			k++;
		if (k == t->columns.n || rows_have(out, col[k].name) ||
		    !typed_pair(&f, "show", &col[k]))
			continue;
		row = row_of_form(&f, &col[k]);
		if (!str_int(pairs[i].value, &row.place) || row.place < 1 ||
		    row.place > CELL_SLOTS)
			row.place = 0;
		row_place(out, row, was, keys);
	}
	for (size_t i = 0; i < out->n; i++)
		out->v[i].place = (int64_t)i + 1;
	rows_end(t, out, row_of_form, &f);
}

/* ---- texts and a view ---- */

const char *
look_names(struct ctx *c, const struct look_column_list *all)
{
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < all->n && all->v[i].place; i++)
		buf_fmt(&b, "%s%s", i ? "," : "", all->v[i].name);
	return buf_done(&b);
}

struct look
look_text(struct ctx *c, const struct data_table *t, const struct look_column_list *all)
{
	struct buf own = BUF(c->mem), widths = BUF(c->mem), totals = BUF(c->mem);
	const char *columns = look_names(c, all);
	const struct data_column *col = t->columns.v;

	for (size_t i = 0; i < all->n; i++) {
		const struct look_column *row = &all->v[i];

		if (row->width)
			buf_fmt(&widths, "%s%s.%lld", widths.n ? "," : "", row->name,
			    (long long)row->width);
		if (row->total)
			buf_fmt(&totals, "%s%s.%s", totals.n ? "," : "", row->name, row->total);
	}
	for (size_t i = 0; i < t->columns.n; i++)
		if (!col[i].hidden)
			buf_fmt(&own, "%s%s", own.n ? "," : "", col[i].name);
	return (struct look){ str_eq(columns, buf_done(&own)) ? NULL : columns,
		str_given(buf_done(&widths)), str_given(buf_done(&totals)) };
}

void
look_save(struct ctx *c, const struct data_table *t, const struct look *look,
    struct data_view_new *in)
{
	struct buf widths = BUF(c->mem), totals = BUF(c->mem);
	struct look_column_list all;

	look_read(c, t, look, &all);
	in->has.columns = look_text(c, t, &all).columns ? GIVEN : NULLED;
	for (size_t i = 0; i < all.n; i++) {
		const struct look_column *row = &all.v[i];

		if (row->place && in->has.columns == GIVEN)
			strs_add(c->mem, &in->columns, row->name);
		if (row->width)
			buf_fmt(&widths, "%c\"%s\":%lld", widths.n ? ',' : '{', row->name,
			    (long long)row->width);
		if (row->total)
			buf_fmt(&totals, "%c\"%s\":\"%s\"", totals.n ? ',' : '{', row->name,
			    row->total);
	}
	in->widths = widths.n ? mem_printf(c->mem, "%s}", widths.s) : NULL;
	in->totals = totals.n ? mem_printf(c->mem, "%s}", totals.s) : NULL;
}

struct data_table *
look_table(struct ctx *c, const struct data_table *t, const struct look_column_list *all)
{
	struct data_table *out = mem_dup(c->mem, t, sizeof *out);
	struct data_column *v = mem_array(c->mem, struct data_column, all->n + 1);

	for (size_t i = 0; i < all->n; i++) {
		v[i] = *table_column(t, all->v[i].name);
		v[i].hidden = !all->v[i].place;
	}
	out->columns = (struct list){ v, all->n };
	return out;
}

const char *
total_words(const char *figure)
{
	static const char *const words[][2] = { { "sum", "Sum" }, { "avg", "Average" },
		{ "min", "Least" }, { "max", "Most" }, { "median", "Median" },
		{ "distinct", "Different" }, { "empty", "Empty" } };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_eq(words[i][0], figure))
			return words[i][1];
	return figure;
}
