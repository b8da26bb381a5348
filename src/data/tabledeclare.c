/* SPDX-License-Identifier: Apache-2.0
 * The section `tables` of vitrine.yaml (core/declare.h). */
#include "core/declare.h"

#include "base/str.h"
#include "data/celltext.h"
#include "data/row.h"

/* ---- columns ---- */

/* A table that is being compared. */
struct compared {
	struct declaring *d;
	const char *name;
	const struct fm *wanted, *last; /* last: NULL if it wasn't applied */
	const struct data_table *now;   /* NULL if it is to be made */
	struct data_table_new new;
	bool changes;
};

static const char *
plan_path(const struct compared *t, const char *column)
{
	return column ? mem_printf(t->d->c->mem, "tables.%s.columns.%s", t->name, column)
		      : mem_printf(t->d->c->mem, "tables.%s", t->name);
}

/* Returns the type as vitrine.yaml has it: "integer", "choice(open|done)". */
static const char *
type_text(struct ctx *c, const struct data_column *col)
{
	if (str_eq(col->type, "link"))
		return mem_printf(c->mem, "%s(%s)", col->type, col->to);
	return str_eq(col->type, "choice")
	    ? mem_printf(c->mem, "choice(%s)", strs_join(c->mem, &col->choices, "|"))
	    : col->type;
}

static void
column_add(struct compared *t, const struct data_column *col)
{
	struct data_column *v = t->new.columns.v;

	v[t->new.columns.n++] = *col;
}

/* Compares a column that is wanted and there, of another type. */
static enum err
column_differs(struct compared *t, const struct fm *at, const struct data_column *now,
    const struct data_column *wanted, const struct fm *last)
{
	struct ctx *c = t->d->c;
	bool grows = str_eq(now->type, "choice") && str_eq(wanted->type, "choice");

	for (size_t i = 0; grows && i < now->choices.n; i++) {
		size_t k = 0;

		while (k < wanted->choices.n && !str_eq(now->choices.v[i], wanted->choices.v[k]))
			k++;
		grows = k < wanted->choices.n;
	}
	if (last && str_eq(last->text, at->text) && !(grows && t->d->reset)) {
		declare_step(
		    t->d, DECLARED_DRIFT, plan_path(t, now->name), type_text(c, now), at->text, at);
		column_add(t, now);
		return E_OK;
	}
	if (!grows)
		return declare_conflict(t->d, at,
		    "the column %s of %s is %s; give it another type with vitrine table retype "
		    "first",
		    now->name, t->name, type_text(c, now));
	declare_step(
	    t->d, DECLARED_CHANGE, plan_path(t, now->name), type_text(c, now), at->text, at);
	column_add(t, wanted);
	t->changes = true;
	return E_OK;
}

static enum err
column_wanted(struct compared *t, const struct fm *at)
{
	const struct fm *last = fm_get(fm_get(t->last, "columns"), at->name);
	const struct data_column *now = t->now ? table_column(t->now, at->name) : NULL;
	struct data_column wanted;

	if (at->kind != FM_TEXT || !at->text || !column_typed(t->d->c, at->text, &wanted))
		return fm_fail(t->d->c, at,
		    "%s: the type is one of text, number, integer, boolean, date, timestamp, json, "
		    "choice(a|b), and link" "(table)%s%s",
		    str_cut(t->d->c->mem, at->name, TABLE_NAME_CHARS),
		    at->kind == FM_TEXT && at->text ? ", not " : "",
		    at->kind == FM_TEXT && at->text ? value_quoted(t->d->c, at->text) : "");
	wanted.name = at->name;
	if (!now && t->now && last && !t->d->reset) {
		declare_step(t->d, DECLARED_DRIFT, plan_path(t, at->name), NULL, at->text, at);
		return E_OK;
	}
	if (now && !str_eq(type_text(t->d->c, now), type_text(t->d->c, &wanted)))
		return column_differs(t, at, now, &wanted, last);
	if (t->now && !now)
		declare_step(t->d, DECLARED_ADD, plan_path(t, at->name), NULL, at->text, at);
	t->changes |= !now;
	column_add(t, now ? now : &wanted);
	return E_OK;
}

/* Drops, keeps, or refuses a column that is there and not wanted. */
static enum err
column_extra(struct compared *t, const struct fm *columns, const struct data_column *now)
{
	const struct fm *last = fm_get(fm_get(t->last, "columns"), now->name);
	const char *what = mem_printf(t->d->c->mem, "%s.%s", t->name, now->name);
	const char *type = type_text(t->d->c, now);

	if (declare_drops(t->d, what)) {
		declare_step(t->d, DECLARED_CHANGE, plan_path(t, now->name), type, NULL, columns);
		strs_add(t->d->c->mem, &t->new.drop, now->name);
		t->changes = true;
		return E_OK;
	}
	if (last)
		return declare_conflict(t->d, columns,
		    "the table %s has a column %s; to delete it with its values, add drop: [%s]",
		    t->name, now->name, what);
	declare_step(t->d, DECLARED_DRIFT, plan_path(t, now->name), type, NULL, columns);
	column_add(t, now);
	return E_OK;
}

static enum err
columns_compare(struct compared *t)
{
	const struct fm *columns = fm_get(t->wanted, "columns");
	const struct data_column *now = t->now ? t->now->columns.v : NULL;
	size_t n = t->now ? t->now->columns.n : 0;

	if (!columns || columns->kind != FM_MAP || !columns->n)
		return fm_fail(t->d->c, columns ? columns : t->wanted,
		    "%s: columns is required, such as columns: {title: text}", t->name);
	if (columns->n > CELL_SLOTS)
		return fm_fail(t->d->c, columns, "a table can have at most %d columns", CELL_SLOTS);
	t->new.columns.v = mem_array(t->d->c->mem, struct data_column, columns->n + n + 1);
	for (size_t i = 0; i < columns->n; i++)
		TRY(column_wanted(t, &columns->v[i]));
	for (size_t i = 0; i < n; i++)
		if (!fm_get(columns, now[i].name))
			TRY(column_extra(t, columns, &now[i]));
	return E_OK;
}

static enum err
key_compare(struct compared *t)
{
	const struct fm *at = fm_get(t->wanted, "key"), *last = fm_get(t->last, "key");
	enum declared action;

	if (!at)
		return E_OK;
	if (at->kind != FM_TEXT)
		return fm_fail(t->d->c, at, "key is the name of a column");
	t->new.key = at->text;
	t->new.has.key = at->text ? GIVEN : NULLED;
	if (!t->now)
		return E_OK;
	action = declare_decide(t->d, t->now->key, last ? last->text : NULL, at->text);
	if (action == DECLARED_KEEP || action == DECLARED_DRIFT)
		t->new.has.key = ABSENT;
	else
		t->changes = true;
	if (action != DECLARED_KEEP)
		declare_step(t->d, action, mem_printf(t->d->c->mem, "tables.%s.key", t->name),
		    t->now->key, at->text, at);
	return E_OK;
}

/* ---- first rows ---- */

static enum err
seed_value(struct ctx *c, const struct data_table *t, const struct fm *v, struct buf *b)
{
	const struct data_column *col = table_column(t, v->name);

	if (!col)
		return fm_fail(c, v, "the table %s has no column %s; its columns are %s", t->name,
		    str_cut(c->mem, v->name, TABLE_NAME_CHARS), table_column_names(c->mem, t));
	json_key(b, v->name);
	if (v->kind != FM_TEXT || str_eq(col->type, "json"))
		fm_json(b, v);
	else if (v->text)
		cell_typed(c, b, col->type, v->text);
	else
		buf_str(b, "null");
	return E_OK;
}

static enum err
seed_store(struct compared *t, const struct fm *seed)
{
	static const char place[] = "rows[";
	struct ctx *c = t->d->c;
	struct table_for tf = { .a = t->d->art, WRITES_ANY };
	struct table_past past = { .via = "app" };
	struct buf b = BUF(c->mem);
	struct data_table *table;
	struct json *rows;
	struct strs ids;
	char *end;
	size_t at;

	TRY(table_named(c, t->d->art, t->name, &table));
	tf.t = table;
	tf.past = &past;
	table_columns(table, &tf.columns);
	for (size_t i = 0; i < seed->n; i++) {
		buf_str(&b, i ? ",{" : "[{");
		for (size_t k = 0; k < seed->v[i].n; k++)
			TRY(seed_value(c, table, &seed->v[i].v[k], &b));
		buf_chr(&b, '}');
	}
	buf_chr(&b, ']');
	TRY(json_parse(c, b.s, b.n, &rows));
	if (!rows_insert(c, &tf, rows, &ids))
		return E_OK;
	/* "rows[3].n: must be …" is about a line of the file. */
	if (c->err != E_INVALID || !c->message || !str_starts(c->message, place))
		return c->err;
	at = strtoull(c->message + sizeof place - 1, &end, 10);
	return *end == ']' && at < seed->n
	    ? fm_fail(c, &seed->v[at], "%s", end + 1 + strspn(end + 1, ".: "))
	    : c->err;
}

static enum err
seed_check(struct compared *t, const struct fm *seed)
{
	if (!seed || (seed->kind == FM_TEXT && !seed->text))
		return E_OK;
	if (seed->kind != FM_LIST || seed->n > ROWS_AT_ONCE)
		return fm_fail(t->d->c, seed, "seed is a list of at most %d rows", ROWS_AT_ONCE);
	for (size_t i = 0; i < seed->n; i++)
		TRY(declare_map(t->d, &seed->v[i], NULL));
	return E_OK;
}

/* ---- a table ---- */

static enum err
table_compare(struct compared *t)
{
	struct ctx *c = t->d->c;
	const struct fm *seed = fm_get(t->wanted, "seed");
	struct data_table *now = NULL;
	const char *sums;
	size_t before = t->d->plan.n;
	bool made;

	if (!table_name_valid(t->name))
		return fm_fail(c, t->wanted,
		    "a table's name has letters, digits, _ and -, and starts with a letter or _");
	TRY(declare_map(t->d, t->wanted, "columns|key|seed"));
	TRY(seed_check(t, seed));
	if (t->d->art->id)
		TRY(table_named(c, t->d->art, t->name, &now));
	t->now = now;
	if (!t->now && t->last && !t->d->reset) {
		declare_step(t->d, DECLARED_DRIFT, plan_path(t, NULL), NULL, "a table", t->wanted);
		return E_OK;
	}
	TRY(columns_compare(t));
	TRY(key_compare(t));
	sums = mem_printf(c->mem, "%s, %s", str_count(c->mem, (int64_t)t->new.columns.n, "column"),
	    str_count(c->mem, seed ? (int64_t)seed->n : 0, "row"));
	if (!t->now)
		declare_step(t->d, DECLARED_ADD, plan_path(t, NULL), NULL, sums, t->wanted);
	else if (t->d->plan.n == before)
		declare_step(t->d, DECLARED_KEEP, plan_path(t, NULL), NULL, NULL, t->wanted);
	if (t->d->dry || (t->now && !t->changes))
		return E_OK;
	if (table_put(c, t->d->art, t->d->who, t->name, &t->new, &made))
		return c->err == E_INVALID ? fm_fail(c, t->wanted, "%s: %s", t->name, c->message)
		    : c->err == E_CONFLICT
		    ? declare_conflict(t->d, t->wanted, "%s: %s", t->name, c->message)
		    : c->err;
	return made && seed && seed->n ? seed_store(t, seed) : E_OK;
}

/* Deletes a table that the file doesn't name anymore, only if `drop` names it. */
static enum err
tables_extra(struct declaring *d, const struct fm *wanted, const struct fm *last)
{
	struct data_table *now;

	for (size_t i = 0; last && d->art->id && i < last->n; i++) {
		const char *name = last->v[i].name;

		if (fm_get(wanted, name))
			continue;
		TRY(table_named(d->c, d->art, name, &now));
		if (!now)
			continue;
		if (!declare_drops(d, name))
			return declare_conflict(d, wanted,
			    "the artifact has a table %s; to delete it with its rows, add "
			    "drop: [%s]",
			    name, name);
		declare_step(d, DECLARED_CHANGE, mem_printf(d->c->mem, "tables.%s", name),
		    str_count(d->c->mem, now->row_count, "row"), NULL, wanted);
		if (!d->dry)
			TRY(table_delete(d->c, d->art, name));
	}
	return E_OK;
}

static enum err
tables_apply(struct declaring *d, const struct fm *wanted, const struct fm *last)
{
	TRY(declare_map(d, wanted, NULL));
	TRY(tables_extra(d, wanted, last));
	for (size_t i = 0; i < wanted->n; i++) {
		struct compared t = { .d = d,
			.name = wanted->v[i].name,
			.wanted = &wanted->v[i],
			.last = fm_get(last, wanted->v[i].name) };

		TRY(table_compare(&t));
	}
	return E_OK;
}

DECLARES(tables, .apply = tables_apply);
