/* SPDX-License-Identifier: Apache-2.0 */
#include "data/where.h"

#include "base/civil.h"
#include "base/num.h"
#include "base/str.h"
#include "data/carried.h"

/* ---- reading ---- */

struct reading {
	struct ctx *c;
	const struct table_for *tf;
	const struct zone *zone; /* NULL: UTC */
	struct where *out;
	size_t values;
};

/* A condition. Either text is its value as a parameter has it, or json is. */
struct condition {
	const char *at, *op; /* at: for messages */
	const struct data_column *col;
	const char *text;
	const struct json *json;
};

static enum err
wrong(const struct reading *r, const struct condition *k, const char *why)
{
	return fail(r->c, E_INVALID, "%s: %s", k->at, why);
}

/* Returns a value's text as JSON for a column of that type, or NULL. */
static const char *
value_json(struct ctx *c, enum cell_type type, const char *text)
{
	struct buf b = BUF(c->mem);
	struct json *tree;

	if (type == CELL_NUMBER || type == CELL_INTEGER)
		return num_span(text, strlen(text)) == strlen(text) && *text ? text : NULL;
	if (type == CELL_BOOLEAN)
		return str_in(text, "true|false") ? text : NULL;
	if (type == CELL_JSON && json_parse(c, text, strlen(text), &tree) == E_OK)
		return text;
	ctx_forgive(c);
	buf_json(&b, text);
	return buf_done(&b);
}

/* Returns the text of a value in JSON, or NULL if it has none. */
static const char *
scalar_text(struct ctx *c, const struct json *v)
{
	switch (json_kind(v)) {
	case J_STR: return json_str(v);
	case J_NULL:
	case J_ARR:
	case J_OBJ: return NULL;
	default: return json_text(c->mem, v);
	}
}

/* Makes the key of a value, from text or json. */
static enum err
value_key(struct reading *r, const struct condition *k, const char *text, const struct json *json,
    struct bytes *out)
{
	enum cell_type type = r->tf->columns.v[k->col->slot].type;
	bool as_is = json && type == CELL_JSON && json_kind(json) != J_NULL;
	const char *why = "", *written;
	struct json *tree;

	if (++r->values > WHERE_VALUES)
		return wrong(r, k, "the query has more than 50 values");
	if (json && !as_is)
		text = scalar_text(r->c, json);
	written = as_is || !text ? NULL : value_json(r->c, type, text);
	if (written)
		TRY(json_parse(r->c, written, strlen(written), &tree));
	if (written || as_is)
		why = cell_of(r->c->mem, type, as_is ? json : tree, out);
	if (!why && out->n)
		return E_OK;
	if (!text)
		text = json_text(r->c->mem, json);
	return fail(r->c, E_INVALID, "%s: %s isn't a valid value for a column of type %s%s", k->at,
	    text, k->col->type,
	    str_eq(text, "null") ? "; to find rows without a value, use is.null" : "");
}

static enum err
one_key(struct reading *r, const struct condition *k, struct bytes *out)
{
	return value_key(r, k, k->text, k->json, out);
}

/* Reads the next value of a,b,"c,d": quotes protect a comma and are doubled inside. `end` ends a
 * value that isn't quoted. *at becomes NULL after the last. */
static enum err
list_next(struct reading *r, const struct condition *k, const char *end, const char **at,
    const char **out)
{
	struct buf b = BUF(r->c->mem);
	const char *p = *at;
	bool quoted = *p == '"';

	p += quoted;
	for (; *p && (quoted || !str_starts(p, end)); p++) {
		if (quoted && *p == '"' && *++p != '"')
			break;
		buf_chr(&b, *p);
	}
	*out = buf_done(&b);
	*at = str_starts(p, end) ? p + strlen(end) : NULL;
	if (!*at && *p)
		return wrong(r, k,
		    str_eq(end, ",") ? "a quoted value must be followed by a comma"
				     : "a quoted value must be followed by ..");
	return E_OK;
}

static enum err
read_between(struct reading *r, const struct condition *k, struct filter *out)
{
	const char *at = k->text, *low = NULL, *high = NULL;

	if (!at && (json_kind(k->json) != J_ARR || json_len(k->json) != 2))
		return wrong(r, k, "between requires two values, such as [1,5]");
	if (at)
		TRY(list_next(r, k, "..", &at, &low));
	if (k->text && !at)
		return wrong(r, k, "between requires two values, such as between.1..5");
	if (at)
		TRY(list_next(r, k, "\n", &at, &high));
	TRY(value_key(r, k, low, k->json ? json_at(k->json, 0) : NULL, &out->low));
	TRY(value_key(r, k, high, k->json ? json_at(k->json, 1) : NULL, &out->high));
	out->kind = FILTER_RANGE;
	out->low_in = out->high_in = true;
	return cell_same_kind(out->low, out->high)
	    ? E_OK
	    : wrong(r, k, "between requires two values of one kind");
}

/* Comparisons apply only to values of the same kind, like in access_policy. */
static enum err
read_range(struct reading *r, const struct condition *k, struct filter *out)
{
	struct bytes key;

	TRY(one_key(r, k, &key));
	out->kind = FILTER_RANGE;
	out->low_in = !str_eq(k->op, "gt");
	out->high_in = str_eq(k->op, "lte");
	out->low = *k->op == 'l' ? cell_kind_first(key) : key;
	out->high = *k->op == 'l' ? key : cell_kind_end(r->c->mem, key);
	return E_OK;
}

static enum err
read_prefix(struct reading *r, const struct condition *k, struct filter *out)
{
	const char *text = k->text ? k->text : scalar_text(r->c, k->json);
	struct bytes key;

	TRY(one_key(r, k, &key));
	if (!str_in(k->col->type, "text|choice|json") || !text || strlen(text) > TEXT_BYTES)
		return wrong(
		    r, k, "prefix accepts a text of at most 128 bytes, on a column of type text");
	out->kind = FILTER_RANGE;
	out->low_in = true;
	out->low = cell_text(r->c->mem, text);
	out->high = cell_prefix_end(r->c->mem, out->low);
	return E_OK;
}

static enum err
read_contains(struct reading *r, const struct condition *k, struct filter *out)
{
	const char *text = k->text ? k->text : scalar_text(r->c, k->json);
	struct buf b = BUF(r->c->mem);

	if (++r->values > WHERE_VALUES)
		return wrong(r, k, "the query has more than 50 values");
	if (!str_in(k->col->type, "text|choice") || !text || !*text || strlen(text) > TEXT_BYTES)
		return fail(r->c, E_INVALID,
		    "%s: %s accepts a text of 1 to 128 bytes, on a column of type text", k->at,
		    k->op);
	buf_chr(&b, '%');
	for (; *text; text++) {
		if (strchr("%_!", *text))
			buf_chr(&b, '!');
		buf_chr(&b, *text);
	}
	buf_chr(&b, '%');
	out->like = buf_done(&b);
	out->kind = *k->op == 'c' ? FILTER_HAS : FILTER_LACKS;
	r->out->texts = true;
	return E_OK;
}

static enum err
read_is(struct reading *r, const struct condition *k, struct filter *out)
{
	static const struct {
		const char *word;
		enum filter_kind kind;
	} states[] = { { "null", FILTER_NULL }, { "notnull", FILTER_GIVEN },
		{ "empty", FILTER_EMPTY }, { "notempty", FILTER_FILLED } };
	const char *word = k->text ? k->text : scalar_text(r->c, k->json);
	size_t i = 0;

	if (!word && json_kind(k->json) == J_NULL)
		word = "null";
	if (word && str_in(word, "true|false") && str_eq(k->col->type, "boolean")) {
		out->keys = mem_array(r->c->mem, struct bytes, out->n = 1);
		return value_key(r, k, word, NULL, out->keys);
	}
	if (!word || !str_in(word, "null|notnull|empty|notempty"))
		return wrong(r, k,
		    "is accepts null, notnull, empty and notempty, and for a boolean also true "
		    "and false");
	while (!str_eq(word, states[i].word))
		i++;
	out->kind = states[i].kind;
	return E_OK;
}

static const struct {
	const char *word;
	enum period period;
	int64_t first, end; /* in periods, from the present one */
} within_words[] = {
	{ "today", PERIOD_DAY, 0, 1 },
	{ "yesterday", PERIOD_DAY, -1, 0 },
	{ "this_week", PERIOD_WEEK, 0, 1 },
	{ "last_week", PERIOD_WEEK, -1, 0 },
	{ "this_month", PERIOD_MONTH, 0, 1 },
	{ "last_month", PERIOD_MONTH, -1, 0 },
	{ "this_year", PERIOD_YEAR, 0, 1 },
};

/* Finds the days from *first until before *end. Both last_N_days and next_N_days include today. */
static bool
within_days(const char *word, int64_t today, int64_t *first, int64_t *end)
{
	enum { WORDS = sizeof within_words / sizeof *within_words, DAYS_MOST = 3660 };
	bool last = str_starts(word, "last_");
	int64_t n;
	size_t i = 0;

	while (i < WORDS && !str_eq(within_words[i].word, word))
		i++;
	if (i < WORDS) {
		*first = period_day(within_words[i].period, today, within_words[i].first);
		*end = period_day(within_words[i].period, today, within_words[i].end);
		return true;
	}
	if (!last && !str_starts(word, "next_"))
		return false;
	for (n = 0, word += 5; *word >= '0' && *word <= '9' && n <= DAYS_MOST; word++)
		n = n * 10 + (*word - '0');
	*first = last ? today - n + 1 : today;
	*end = last ? today + 1 : today + n;
	return str_eq(word, "_days") && n && n <= DAYS_MOST;
}

static enum err
read_within(struct reading *r, const struct condition *k, struct filter *out)
{
	const char *word = k->text ? k->text : scalar_text(r->c, k->json);
	bool dates = str_eq(k->col->type, "date");
	const struct zone *zone = dates ? NULL : r->zone;
	int64_t first, end;

	if (!str_in(k->col->type, "timestamp|date"))
		return wrong(r, k, "within requires a column of type timestamp or date");
	if (!word || !within_days(word, civil_day_at(r->zone, r->c->now), &first, &end))
		return wrong(r, k,
		    "within accepts today, yesterday, this_week, last_week, this_month, "
		    "last_month, this_year, last_7_days and next_7_days, with any number of days "
		    "up to 3,660");
	out->kind = FILTER_RANGE;
	out->low_in = true;
	out->low = cell_instant(r->c->mem, civil_begin(zone, first), 0);
	out->high = cell_instant(r->c->mem, civil_begin(zone, end), 0);
	return E_OK;
}

/* Reads eq and neq, or a list: in."" contains one empty text, in. none. */
static enum err
read_keys(struct reading *r, const struct condition *k, struct filter *out)
{
	const char *at = k->text, *text;

	out->kind = *k->op == 'n' ? FILTER_OTHER : FILTER_KEYS;
	if (!str_in(k->op, "in|nin")) {
		out->keys = mem_array(r->c->mem, struct bytes, out->n = 1);
		return one_key(r, k, out->keys);
	}
	out->keys = mem_array(r->c->mem, struct bytes, WHERE_VALUES + 1);
	if (!at && json_kind(k->json) != J_ARR)
		return wrong(r, k, "in and nin require a list of values");
	for (size_t i = 0; i < json_len(k->json); i++)
		TRY(value_key(r, k, NULL, json_at(k->json, i), &out->keys[out->n++]));
	while (at && (*at || out->n)) {
		TRY(list_next(r, k, ",", &at, &text));
		TRY(value_key(r, k, text, NULL, &out->keys[out->n++]));
	}
	return E_OK;
}

static const struct {
	const char *name;
	enum err (*read)(struct reading *r, const struct condition *k, struct filter *out);
} ops[] = {
	{ "eq", read_keys },
	{ "neq", read_keys },
	{ "lt", read_range },
	{ "lte", read_range },
	{ "gt", read_range },
	{ "gte", read_range },
	{ "in", read_keys },
	{ "nin", read_keys },
	{ "is", read_is },
	{ "prefix", read_prefix },
	{ "between", read_between },
	{ "contains", read_contains },
	{ "ncontains", read_contains },
	{ "within", read_within },
};
enum { OPS = sizeof ops / sizeof *ops };

static size_t
op_no(const char *name)
{
	size_t i = 0;

	while (i < OPS && !str_eq(ops[i].name, name))
		i++;
	return i;
}

static enum err
read_condition(struct reading *r, const struct condition *k, size_t op, struct filter *out)
{
	*out = (struct filter){ .slot = k->col->slot, .col = k->col };
	if (++r->out->conditions > WHERE_MOST)
		return fail(r->c, E_INVALID, "the query has more than %d conditions", WHERE_MOST);
	return ops[op].read(r, k, out);
}

static enum err
read_pair(struct reading *r, const struct pair *p, struct filter *out)
{
	const char *dot = strchr(p->value, '.');
	struct condition k = { .at = p->name, .col = table_column(r->tf->t, p->name) };
	size_t op;

	k.op = mem_strndup(r->c->mem, p->value, dot ? (size_t)(dot - p->value) : 0);
	k.text = dot ? dot + 1 : "";
	op = op_no(k.op);
	if (!k.col)
		return fail(r->c, E_INVALID,
		    "%s: the table %s has no such column; its columns are %s",
		    p->name, r->tf->t->name, table_column_names(r->c->mem, r->tf->t));
	if (op == OPS)
		return fail(r->c, E_INVALID,
		    "%s: must start with one of eq. neq. lt. lte. gt. gte. in. nin. is. prefix. "
		    "between. contains. ncontains. within., as in %s=eq.value",
		    p->name, p->name);
	return read_condition(r, &k, op, out);
}

/* ---- conditions in JSON ---- */

static enum err
read_triple(struct reading *r, const char *at, const struct json *j, struct filter *out)
{
	struct condition k = { .at = at };
	size_t op;

	if (json_kind(j) != J_ARR || json_len(j) != 3 || json_kind(json_at(j, 0)) != J_STR ||
	    json_kind(json_at(j, 1)) != J_STR)
		return fail(r->c, E_INVALID,
		    "%s: must be a condition such as [\"city\",\"eq\",\"Oslo\"], or an object with "
		    "the member `and` or `or`, a list of conditions",
		    at);
	k.col = table_column(r->tf->t, json_str(json_at(j, 0)));
	k.op = json_str(json_at(j, 1));
	k.json = json_at(j, 2);
	op = op_no(k.op);
	if (!k.col)
		return fail(r->c, E_INVALID,
		    "%s: the table %s has no column %s; its columns are %s",
		    at, r->tf->t->name, json_str(json_at(j, 0)),
		    table_column_names(r->c->mem, r->tf->t));
	if (op == OPS)
		return fail(r->c, E_INVALID,
		    "%s: %s isn't one of eq, neq, lt, lte, gt, gte, in, nin, is, prefix, between, "
		    "contains, ncontains, within",
		    at, k.op);
	return read_condition(r, &k, op, out);
}

/* Depth counts objects. An index serves a group if all of it is about one column. */
static enum err
read_node(
    struct reading *r, const char *at, const struct json *j, int depth, struct filter *out)
{
	const char *word = json_get(j, "or") ? "or" : "and";
	const struct json *list =
	    json_kind(j) == J_OBJ && json_len(j) == 1 ? json_get_as(j, word, J_ARR) : NULL;
	size_t n = json_len(list);

	if (!list)
		return read_triple(r, at, j, out);
	if (depth == WHERE_DEPTH)
		return fail(r->c, E_INVALID, "%s: is nested deeper than %d", at, WHERE_DEPTH);
	if (!n || n > WHERE_MOST)
		return fail(r->c, E_INVALID, "%s.%s: must have from 1 to %d conditions", at, word,
		    WHERE_MOST);
	*out = (struct filter){ .kind = str_eq(word, "or") ? FILTER_ANY : FILTER_ALL,
		.parts = mem_array(r->c->mem, struct filter, n), .parts_n = n };
	for (size_t i = 0; i < n; i++) {
		struct filter *part = &out->parts[i];

		TRY(read_node(r, mem_printf(r->c->mem, "%s.%s[%zu]", at, word, i),
		    json_at(list, i), depth + 1, part));
		if (!i)
			out->slot = part->slot;
		if (out->slot != part->slot || part->kind >= FILTER_HAS)
			out->slot = CARRIED_NONE;
	}
	return E_OK;
}

static enum err
where_add(struct reading *r, const struct filter *f)
{
	if (f->kind != FILTER_ALL) {
		r->out->v[r->out->n++] = *f;
		return E_OK;
	}
	for (size_t i = 0; i < f->parts_n; i++)
		TRY(where_add(r, &f->parts[i]));
	return E_OK;
}

static enum err
read_where(struct reading *r, const char *at, const char *text)
{
	struct filter all;
	struct json *tree;
	size_t byte;
	const char *why = json_wrong(r->c, text, strlen(text), &tree, &byte);

	if (why)
		return fail(
		    r->c, E_INVALID, "%s: isn't valid JSON: %s, at byte %zu", at, why, byte);
	TRY(read_node(r, at, tree, 0, &all));
	return where_add(r, &all);
}

/* Reads a member of `unlike` into the next part of the filter. */
static int
unlike_add(void *arg, const char *name, const struct json *value)
{
	struct reading *r = arg;
	struct filter *any = &r->out->v[r->out->n], *f = &any->parts[any->parts_n++];
	const struct data_column *col = table_column(r->tf->t, name);
	const char *why;

	if (!col)
		return (int)fail(r->c, E_INVALID,
		    "%s: the table %s has no such column; its columns are %s", name,
		    r->tf->t->name, table_column_names(r->c->mem, r->tf->t));
	*f = (struct filter){ .kind = FILTER_GIVEN, .slot = col->slot, .col = col };
	f->keys = mem_array(r->c->mem, struct bytes, f->n = 1);
	why = cell_of_column(r->c->mem, &r->tf->columns.v[col->slot], value, f->keys);
	if (f->keys->n)
		f->kind = FILTER_OTHER;
	return why ? (int)fail(r->c, E_INVALID, "%s: %s", name, why) : 0;
}

enum err
where_read(struct ctx *c, const struct table_for *tf, const struct where_asked *asked,
    struct where *out)
{
	struct reading r = { .c = c, .tf = tf, .out = out };

	*out = (struct where){ 0 };
	if (asked->n > WHERE_MOST)
		return fail(c, E_INVALID, "the query has more than %d conditions", WHERE_MOST);
	if (asked->zone && !(r.zone = zone_find(asked->zone)))
		return fail(c, E_INVALID,
		    "zone: %s isn't a time zone; use a name such as Europe/Oslo or UTC",
		    asked->zone);
	if (asked->n || asked->where || asked->view || asked->unlike)
		out->v = mem_array(c->mem, struct filter, asked->n + WHERE_MOST + 1);
	for (; out->n < asked->n; out->n++)
		TRY(read_pair(&r, &asked->filters[out->n], &out->v[out->n]));
	if (asked->where)
		TRY(read_where(&r, "where", asked->where));
	if (asked->view)
		TRY(read_where(&r, "view", asked->view));
	if (!asked->unlike)
		return E_OK;
	out->v[out->n] = (struct filter){ .kind = FILTER_ANY, .slot = CARRIED_NONE,
		.parts = mem_array(c->mem, struct filter, json_len(asked->unlike) + 1) };
	TRY((enum err)json_each(asked->unlike, unlike_add, &r));
	out->n++;
	return E_OK;
}

/* ---- conditions as SQL ---- */

void
key_sql(struct sql *q, int from, int64_t slot)
{
	if (from >= FROM_CARRIED)
		sql_pick(q, CARRIED_X_KEYS, (size_t)(from - FROM_CARRIED));
	else if (from == FROM_ENTRY)
		sql_add(q, "x.k", NOARGS);
	else
		sql_pick(q, CELL_R_NAMES, (size_t)slot);
}

static void
list_sql(struct sql *q, const struct filter *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (i)
			sql_add(q, ", ?", ARGS(f->keys[i]));
		else
			sql_add(q, "?", ARGS(f->keys[i]));
}

/* An empty list has no row. */
static void
keys_sql(struct sql *q, int from, const struct filter *f)
{
	if (!f->n) {
		sql_add(q, "FALSE", NOARGS);
		return;
	}
	key_sql(q, from, f->slot);
	if (f->n == 1) {
		sql_add(q, " = ?", ARGS(f->keys[0]));
		return;
	}
	sql_add(q, " IN (", NOARGS);
	list_sql(q, f);
	sql_add(q, ")", NOARGS);
}

static void
other_sql(struct sql *q, int from, const struct filter *f)
{
	if (!f->n) {
		sql_add(q, "TRUE", NOARGS);
		return;
	}
	if (f->n == 1) {
		sql_add(q, "NOT ", NOARGS);
		key_sql(q, from, f->slot);
		sql_add(q, " <=> ?", ARGS(f->keys[0]));
		return;
	}
	sql_add(q, "COALESCE(", NOARGS);
	key_sql(q, from, f->slot);
	sql_add(q, ", '') NOT IN (", NOARGS);
	list_sql(q, f);
	sql_add(q, ")", NOARGS);
}

static void
range_sql(struct sql *q, int from, const struct filter *f)
{
	key_sql(q, from, f->slot);
	if (f->low_in)
		sql_add(q, " >= ? AND ", ARGS(f->low));
	else
		sql_add(q, " > ? AND ", ARGS(f->low));
	key_sql(q, from, f->slot);
	if (f->high_in)
		sql_add(q, " <= ?", ARGS(f->high));
	else
		sql_add(q, " < ?", ARGS(f->high));
}

/* An entry has '' for null. The key of "" is one byte. */
static void
given_sql(struct sql *q, int from, const struct filter *f)
{
	bool empty = f->kind == FILTER_EMPTY || f->kind == FILTER_FILLED;

	if (empty && from == FROM_ROW)
		sql_add(q, "COALESCE(", NOARGS);
	key_sql(q, from, f->slot);
	if (empty && from == FROM_ROW)
		sql_add(q, ", '')", NOARGS);
	if (f->kind == FILTER_EMPTY)
		sql_add(q, " IN ('', ?)", ARGS(cell_text(q->text.owner, "")));
	else if (f->kind == FILTER_FILLED)
		sql_add(q, " NOT IN ('', ?)", ARGS(cell_text(q->text.owner, "")));
	else if (from != FROM_ROW && f->kind == FILTER_NULL)
		sql_add(q, " = ''", NOARGS);
	else if (from != FROM_ROW)
		sql_add(q, " > ''", NOARGS);
	else if (f->kind == FILTER_NULL)
		sql_add(q, " IS NULL", NOARGS);
	else
		sql_add(q, " IS NOT NULL", NOARGS);
}

/* Adds where a row's text has the column: '$.name', with the name of the row's day. */
static void
path_sql(struct sql *q, const struct data_column *col)
{
	const struct column_was *was = col->was.v;

	for (size_t i = 0; i < col->was.n; i++)
		if (i)
			sql_add(q, " WHEN r.shape_no < ? THEN ?",
			    ARGS(was[i].until, mem_printf(q->text.owner, "$.%s", was[i].name)));
		else
			sql_add(q, "CASE WHEN r.shape_no < ? THEN ?",
			    ARGS(was[i].until, mem_printf(q->text.owner, "$.%s", was[i].name)));
	if (col->was.n)
		sql_add(q, " ELSE ? END", ARGS(mem_printf(q->text.owner, "$.%s", col->name)));
	else
		sql_add(q, "?", ARGS(mem_printf(q->text.owner, "$.%s", col->name)));
}

/* A text of up to TEXT_BYTES is in its key. A longer one is read from the row. */
static void
contains_sql(struct sql *q, const struct filter *f)
{
	if (f->kind == FILTER_LACKS)
		sql_add(q, "NOT ", NOARGS);
	sql_add(q, "COALESCE(CASE WHEN LENGTH(", NOARGS);
	key_sql(q, FROM_ROW, f->slot);
	sql_add(q, ") > 129 THEN JSON_VALUE(r.doc, ", NOARGS);
	path_sql(q, f->col);
	sql_add(q, ") ELSE CONVERT(SUBSTR(", NOARGS);
	key_sql(q, FROM_ROW, f->slot);
	sql_add(q,
	    ", 2) USING utf8mb4) END COLLATE utf8mb4_unicode_520_ci LIKE ? ESCAPE '!', FALSE)",
	    ARGS(f->like));
}

static void
parts_sql(struct sql *q, int from, const struct filter *f)
{
	if (!f->parts_n)
		sql_add(q, "((FALSE", NOARGS);
	for (size_t i = 0; i < f->parts_n; i++) {
		if (!i)
			sql_add(q, "((", NOARGS);
		else if (f->kind == FILTER_ANY)
			sql_add(q, ") OR (", NOARGS);
		else
			sql_add(q, ") AND (", NOARGS);
		filter_sql(q, from, &f->parts[i]);
	}
	sql_add(q, "))", NOARGS);
}

void
filter_sql(struct sql *q, int from, const struct filter *f)
{
	switch (f->kind) {
	case FILTER_KEYS: keys_sql(q, from, f); break;
	case FILTER_RANGE: range_sql(q, from, f); break;
	case FILTER_OTHER: other_sql(q, from, f); break;
	case FILTER_ANY:
	case FILTER_ALL: parts_sql(q, from, f); break;
	case FILTER_HAS:
	case FILTER_LACKS: contains_sql(q, f); break;
	default: given_sql(q, from, f);
	}
}

void
where_sql(struct sql *q, const struct where *w)
{
	for (size_t i = 0; i < w->n; i++) {
		sql_add(q, " AND ", NOARGS);
		filter_sql(q, FROM_ROW, &w->v[i]);
	}
}
