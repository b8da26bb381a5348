/* SPDX-License-Identifier: Apache-2.0 */
#include "data/condition.h"

#include "base/json.h"
#include "base/str.h"
#include "data/celltext.h"
#include "inbox/daily.h"

SHAPE_DEFINE(typed_condition, TYPED_CONDITION);
SHAPE_DEFINE(condition_op, CONDITION_OP);
SHAPE_DEFINE(condition_group, CONDITION_GROUP);

/* ---- comparisons ---- */

enum takes { NONE, ONE, TWO, MANY, DAYS };

/* A word with a dot is the comparison and its value: is.empty. */
static const struct op {
	const char *word, *said;
	enum takes takes;
	const char *title; /* begins a group */
} ops[] = {
	{ "eq", "is", ONE, "All columns" },
	{ "neq", "is not", ONE, NULL },
	{ "in", "is one of", MANY, NULL },
	{ "nin", "is none of", MANY, NULL },
	{ "is.empty", "is empty", NONE, NULL },
	{ "is.notempty", "isn’t empty", NONE, NULL },
	{ "is.null", "has no value", NONE, NULL },
	{ "is.notnull", "has a value", NONE, NULL },
	{ "contains", "contains", ONE, "Text" },
	{ "ncontains", "doesn’t contain", ONE, NULL },
	{ "prefix", "begins with", ONE, NULL },
	{ "lt", "is less than", ONE, "In order" },
	{ "lte", "is at most", ONE, NULL },
	{ "gt", "is more than", ONE, NULL },
	{ "gte", "is at least", ONE, NULL },
	{ "between", "is between", TWO, NULL },
	{ "within.today", "is today", NONE, "Dates and times" },
	{ "within.yesterday", "is yesterday", NONE, NULL },
	{ "within.this_week", "is in this week", NONE, NULL },
	{ "within.last_week", "is in last week", NONE, NULL },
	{ "within.this_month", "is in this month", NONE, NULL },
	{ "within.last_month", "is in last month", NONE, NULL },
	{ "within.this_year", "is in this year", NONE, NULL },
	{ "within.last_days", "is in the last days", DAYS, NULL },
	{ "within.next_days", "is in the next days", DAYS, NULL },
};
enum { OPS = sizeof ops / sizeof *ops };

static const struct op *
op_named(const char *word)
{
	for (size_t i = 0; word && i < OPS; i++)
		if (str_eq(ops[i].word, word))
			return &ops[i];
	return NULL;
}

struct list
condition_groups(struct ctx *c)
{
	struct condition_group *group = mem_array(c->mem, struct condition_group, OPS);
	struct condition_op *op = mem_array(c->mem, struct condition_op, OPS);
	size_t n = 0;

	for (size_t i = 0; i < OPS; i++) {
		op[i] = (struct condition_op){ .word = ops[i].word,
			.said = ops[i].said,
			.bare = ops[i].takes == NONE,
			.two = ops[i].takes == TWO };
		if (ops[i].title)
			group[n++] = (struct condition_group){ .title = ops[i].title,
				.ops = { op + i, 0 } };
		group[n - 1].ops.n++;
	}
	return (struct list){ group, n };
}

/* ---- in words ---- */

static const char *
condition_words(struct ctx *c, const struct typed_condition *k)
{
	const struct op *op = op_named(k->op);

	if (op->takes == NONE)
		return mem_printf(c->mem, "%s %s", k->column, op->said);
	if (op->takes == TWO)
		return mem_printf(c->mem, "%s is between %s and %s", k->column, k->value, k->to);
	if (op->takes == DAYS)
		return mem_printf(c->mem, "%s is in the %s %s days", k->column,
		    str_ends(op->word, "last_days") ? "last" : "next", k->value);
	return mem_printf(c->mem, "%s %s %s", k->column, op->said,
	    *k->value ? k->value : "an empty text");
}

/* Adds a row, and sets what follows from its other fields. */
static bool
row_add(struct ctx *c, const struct data_table *t, struct typed_condition_list *out,
    struct typed_condition row)
{
	if (out->n == CONDITIONS_SHOWN)
		return false;
	row.no = (int64_t)out->n + 1;
	row.first = !out->n;
	row.begins &= !row.first;
	row.value = row.value ? row.value : "";
	row.to = row.to ? row.to : "";
	row.gone = !table_column(t, row.column);
	row.said = condition_words(c, &row);
	out->v[out->n++] = row;
	return true;
}

static void
rows_begin(struct ctx *c, struct typed_condition_list *out)
{
	*out = (struct typed_condition_list){
		mem_array(c->mem, struct typed_condition, CONDITIONS_SHOWN + 1), 0
	};
}

/* ---- from JSON ---- */

/* Returns a list as a, "b,c": a value with a comma is quoted. */
static const char *
list_text(struct ctx *c, const struct json *list)
{
	struct buf b = BUF(c->mem);

	for (size_t i = 0; i < json_len(list); i++) {
		const char *text = cell_shown(c, json_at(list, i));
		const bool quoted = !text || !*text || strpbrk(text, ",\"") || *text == ' ' ||
		    str_ends(text, " ");

		buf_str(&b, i ? ", " : "");
		if (quoted)
			buf_chr(&b, '"');
		for (const char *p = text ? text : ""; *p; p++) {
			if (*p == '"')
				buf_chr(&b, '"');
			buf_chr(&b, *p);
		}
		if (quoted)
			buf_chr(&b, '"');
	}
	return buf_done(&b);
}

/* Splits last_7_days. */
static void
days_read(struct ctx *c, const char *word, struct typed_condition *out)
{
	const size_t digits = strlen(word) > 5 ? strspn(word + 5, "0123456789") : 0;

	out->op = mem_printf(c->mem, "within.%s", word);
	if (!digits || !str_eq(word + 5 + digits, "_days"))
		return;
	out->op = mem_printf(c->mem, "within.%.5sdays", word);
	out->value = mem_strndup(c->mem, word + 5, digits);
}

/* False: it isn't a condition. */
static bool
triple_read(struct ctx *c, const struct data_table *t, const struct json *j,
    struct typed_condition_list *out)
{
	const char *op = cell_shown(c, json_at(j, 1));
	const struct json *v = json_at(j, 2);
	struct typed_condition row = { .column = cell_shown(c, json_at(j, 0)), .op = op };
	const bool list = json_kind(v) == J_ARR;

	if (json_len(j) != 3 || !row.column || !op)
		return false;
	if (str_eq(op, "is")) {
		const char *word = cell_shown(c, v);
		const bool equals = word && str_in(word, "true|false");

		row.op = equals ? "eq" : mem_printf(c->mem, "is.%s", word ? word : "null");
		row.value = equals ? word : NULL;
	} else if (str_eq(op, "within"))
		days_read(c, cell_shown(c, v) ? cell_shown(c, v) : "", &row);
	else if (str_in(op, "in|nin") && list)
		row.value = list_text(c, v);
	else if (str_eq(op, "between") && json_len(v) == 2 && list) {
		row.value = cell_shown(c, json_at(v, 0));
		row.to = cell_shown(c, json_at(v, 1));
	} else
		row.value = cell_shown(c, v);
	return op_named(row.op) && row_add(c, t, out, row);
}

/* Returns the end of the group that begins at i. */
static size_t
group_end(const struct typed_condition_list *all, size_t i)
{
	for (i++; i < all->n && !all->v[i].begins; i++)
		continue;
	return i;
}

static bool
rows_copy(struct ctx *c, const struct data_table *t, const struct typed_condition_list *from,
    size_t first, size_t end, bool begins, struct typed_condition_list *out)
{
	for (size_t i = first; i < end; i++) {
		struct typed_condition row = from->v[i];

		row.begins = i == first && begins;
		if (!row_add(c, t, out, row))
			return false;
	}
	return true;
}

/* Joins by `and`: each group of one with each of the other. */
static bool
rows_multiply(struct ctx *c, const struct data_table *t, const struct typed_condition_list *one,
    const struct typed_condition_list *other, struct typed_condition_list *out)
{
	for (size_t i = 0, i_end; i < one->n; i = i_end) {
		i_end = group_end(one, i);
		for (size_t k = 0, k_end; k < other->n; k = k_end) {
			k_end = group_end(other, k);
			if (!rows_copy(c, t, one, i, i_end, true, out) ||
			    !rows_copy(c, t, other, k, k_end, false, out))
				return false;
		}
	}
	return true;
}

static bool
node_read(struct ctx *c, const struct data_table *t, const struct json *j,
    struct typed_condition_list *out)
{
	const bool any = json_get(j, "or") != NULL;
	const struct json *list = json_get_as(j, any ? "or" : "and", J_ARR);

	rows_begin(c, out);
	if (json_kind(j) == J_ARR)
		return triple_read(c, t, j, out);
	if (json_len(j) != 1 || !json_len(list))
		return false;
	for (size_t i = 0; i < json_len(list); i++) {
		struct typed_condition_list part, all;

		if (!node_read(c, t, json_at(list, i), &part))
			return false;
		if (!i)
			*out = part;
		else if (any) {
			for (size_t k = 0, end; k < part.n; k = end) {
				end = group_end(&part, k);
				if (!rows_copy(c, t, &part, k, end, true, out))
					return false;
			}
		} else {
			rows_begin(c, &all);
			if (!rows_multiply(c, t, out, &part, &all))
				return false;
			*out = all;
		}
	}
	return true;
}

bool
conditions_read(struct ctx *c, const struct data_table *t, const char *where,
    struct typed_condition_list *out)
{
	struct json *tree;
	size_t at;

	rows_begin(c, out);
	if (!where)
		return true;
	if (!json_wrong(c, where, strlen(where), &tree, &at) && node_read(c, t, tree, out))
		return true;
	rows_begin(c, out);
	return false;
}

/* ---- from a form ---- */

static const char *
typed_pair(
    struct ctx *c, const struct pair *pairs, size_t n, const char *name, size_t no)
{
	return pair_value(pairs, n, mem_printf(c->mem, "%s.%zu", name, no));
}

void
conditions_typed(struct ctx *c, const struct data_table *t, const struct pair *pairs, size_t n,
    int64_t drop, struct typed_condition_list *out)
{
	bool begins = false;

	rows_begin(c, out);
	for (size_t i = 1; i <= CONDITIONS_SHOWN + 1; i++) {
		struct typed_condition row = {
			.column = str_given(typed_pair(c, pairs, n, "column", i)),
			.op = typed_pair(c, pairs, n, "op", i),
			.value = typed_pair(c, pairs, n, "value", i),
			.to = typed_pair(c, pairs, n, "to", i)
		};

		/* A group that loses its first row begins with the next. */
		begins |= str_eq(typed_pair(c, pairs, n, "join", i), "or");
		row.begins = begins;
		if (!row.column || !op_named(row.op) || (int64_t)i == drop)
			continue;
		row_add(c, t, out, row);
		begins = false;
	}
}

/* ---- to JSON ---- */

/* Writes a value. In a column of JSON, a text that is JSON is written as that. */
static void
value_write(struct ctx *c, struct buf *b, const struct data_column *col, const char *text)
{
	struct json *tree;
	size_t at;

	if (col && str_eq(col->type, "json") && *text &&
	    !json_wrong(c, text, strlen(text), &tree, &at))
		json_into(b, tree);
	else
		buf_json(b, text);
}

/* Writes a, "b,c" as a list. Spaces around a value don't count, unless it is quoted. */
static void
list_write(struct ctx *c, struct buf *b, const struct data_column *col, const char *text)
{
	bool any = false;

	buf_chr(b, '[');
	for (const char *p = text + strspn(text, " "); *p;) {
		const bool quoted = *p == '"';
		struct buf one = BUF(c->mem);
		size_t kept = 0;

		for (p += quoted; *p && (quoted || *p != ','); p++) {
			if (quoted && *p == '"' && *++p != '"')
				break;
			buf_chr(&one, *p);
			kept = quoted || *p != ' ' ? one.n : kept;
		}
		buf_str(b, any ? "," : "");
		value_write(c, b, col, mem_strndup(c->mem, buf_done(&one), kept));
		any = true;
		p += strcspn(p, ",");
		p += *p == ',';
		p += strspn(p, " ");
	}
	buf_chr(b, ']');
}

static void
condition_write(struct ctx *c, const struct data_table *t, struct buf *b,
    const struct typed_condition *k)
{
	const struct data_column *col = table_column(t, k->column);
	const struct op *op = op_named(k->op);
	const char *dot = strchr(k->op, '.');

	buf_chr(b, '[');
	buf_json(b, k->column);
	buf_chr(b, ',');
	buf_json(b, dot ? mem_strndup(c->mem, k->op, (size_t)(dot - k->op)) : k->op);
	buf_chr(b, ',');
	if (op->takes == NONE)
		buf_json(b, dot + 1);
	else if (op->takes == DAYS)
		buf_json(b, mem_printf(c->mem, "%.5s%s_days", dot + 1, k->value));
	else if (op->takes == MANY)
		list_write(c, b, col, k->value);
	else if (op->takes == TWO) {
		buf_chr(b, '[');
		value_write(c, b, col, k->value);
		buf_chr(b, ',');
		value_write(c, b, col, k->to);
		buf_chr(b, ']');
	} else
		value_write(c, b, col, k->value);
	buf_chr(b, ']');
}

/* Returns the rows without one. */
static struct typed_condition_list
rows_without(struct ctx *c, const struct typed_condition_list *all, int64_t drop)
{
	struct typed_condition_list out;
	bool begins = false;

	rows_begin(c, &out);
	for (size_t i = 0; i < all->n; i++) {
		begins |= all->v[i].begins;
		if (all->v[i].no == drop)
			continue;
		out.v[out.n] = all->v[i];
		out.v[out.n].begins = begins && out.n;
		out.n++;
		begins = false;
	}
	return out;
}

const char *
conditions_json(struct ctx *c, const struct data_table *t, const struct typed_condition_list *all,
    int64_t drop)
{
	struct typed_condition_list kept = rows_without(c, all, drop);
	struct buf b = BUF(c->mem);
	size_t end = kept.n ? group_end(&kept, 0) : 0;
	bool any = end < kept.n;

	buf_str(&b, any ? "{\"or\":[" : "");
	for (size_t i = 0; i < kept.n; i = end) {
		end = group_end(&kept, i);
		buf_str(&b, i ? "," : "");
		buf_str(&b, end - i > 1 ? "{\"and\":[" : "");
		for (size_t k = i; k < end; k++) {
			buf_str(&b, k > i ? "," : "");
			condition_write(c, t, &b, &kept.v[k]);
		}
		buf_str(&b, end - i > 1 ? "]}" : "");
	}
	buf_str(&b, any ? "]}" : "");
	return kept.n ? buf_done(&b) : NULL;
}

/* ---- refusals ---- */

/* Returns the name of a row's place in the JSON, with the colon that follows it in refusals. */
static const char *
place_of(struct ctx *c, const struct typed_condition_list *all, size_t at)
{
	size_t group = 0, first = 0, end = group_end(all, 0);
	const char *place = "where";

	for (; end <= at; group++) {
		first = end;
		end = group_end(all, first);
	}
	if (first || end < all->n)
		place = mem_printf(c->mem, "where.or[%zu]", group);
	return end - first > 1 ? mem_printf(c->mem, "%s.and[%zu]: ", place, at - first)
			       : mem_printf(c->mem, "%s: ", place);
}

bool
conditions_blame(struct ctx *c, const struct typed_condition_list *all, const char *why)
{
	for (size_t i = 0; i < all->n; i++) {
		const char *place = place_of(c, all, i);

		if (!str_starts(why, place))
			continue;
		all->v[i].wrong = why + strlen(place);
		return true;
	}
	return false;
}

enum err
conditions_zone(struct ctx *c, const char *user_id, const char *where, const char **zone)
{
	struct daily daily = { .zone = DAILY_ZONE };

	*zone = NULL;
	if (!where || !strstr(where, "\"within\""))
		return E_OK;
	if (user_id)
		TRY(daily_get(c, user_id, &daily));
	*zone = daily.zone;
	return E_OK;
}
