/* SPDX-License-Identifier: Apache-2.0 */
#include "data/rowchange.h"

#include "base/principal.h"
#include "base/str.h"
#include "data/past.h"
#include "data/rowlead.h"

const char *
rows_ids_json(struct ctx *c, const struct data_row_list *rows)
{
	const char **ids = mem_array(c->mem, const char *, rows->n + 1);

	for (size_t i = 0; i < rows->n; i++)
		ids[i] = rows->v[i].id;
	return ids_json(c, ids, rows->n);
}

static const struct row_rule *
rule_for(const struct table_for *tf, const struct json *values)
{
	return values ? &tf->change : &tf->delete;
}

/* Locks the rows that still match. */
static enum err
found_lock(struct ctx *c, const struct table_for *tf, const struct row_find *what,
    const struct data_row_list *found, struct data_row_list *out)
{
	struct finding_rows *f = mem_new(c->mem, struct finding_rows);
	struct sql q = SQL(c->mem);

	TRY(finding_begin(c, tf, what, f));
	sql_add(&q, "SELECT r.id, r.doc, r.shape_no, LENGTH(r.doc) AS n, (TRUE", NOARGS);
	row_rule_sql(&q, rule_for(tf, what->asked.unlike), &tf->columns);
	sql_add(&q,
	    ") AS may_write"
	    " FROM " HEX_ID_TABLE("?")
	    " STRAIGHT_JOIN data_row r ON r.table_no = ? AND r.id = UNHEX(j.i) WHERE TRUE",
	    ARGS(rows_ids_json(c, found), tf->t->no));
	conditions_sql(&q, f);
	sql_add(&q, " FOR UPDATE", NOARGS);
	return db_all(c, BUILT(data_row, &q), sql_args(&q), out);
}

static enum err
change_begin(struct ctx *c, const struct table_for *tf, const struct json *values)
{
	if (rule_for(tf, values)->verdict == VERDICT_NO)
		return row_refused(c, tf, rule_for(tf, values), "");
	return json_get(values, "id")
	    ? fail(c, E_INVALID, "id: can't be changed")
	    : E_OK;
}

enum err
rows_change(struct ctx *c, const struct table_for *tf, const struct row_find *what,
    const struct json *values, int64_t *n, const char **next)
{
	struct row_find all = *what;
	struct data_row_list found, held;
	int64_t bytes = 0;

	*n = 0;
	*next = what->cursor;
	TRY(change_begin(c, tf, values));
	all.asked.unlike = values;
	all.limit = ROWS_AT_ONCE;
	do {
		TRY(rows_find(c, tf, &all, &found, next));
		all.cursor = *next;
	} while (!found.n && *next);
	if (!found.n)
		return E_OK;
	all.cursor = NULL;
	TRY(found_lock(c, tf, &all, &found, &held));
	for (size_t i = 0; i < held.n; i++) {
		if (!held.v[i].may_write)
			return rows_refused(c, tf, rule_for(tf, values));
		bytes += held.v[i].n;
	}
	*n = (int64_t)held.n;
	if (!held.n)
		return E_OK;
	return values ? rows_patch(c, tf, values, &held)
		      : rows_take_away(c, tf, rows_ids_json(c, &held), *n, bytes);
}

/* ---- operations ---- */

/* Format of an operation's `asked`:
 * {"filters":[["n","gt.5"]],"where":…,"zone":…,"order":"n","values":{…}}. */
static const char *
asked_write(struct ctx *c, const struct where_asked *asked, const char *order,
    const struct json *values)
{
	struct json *out = json_new(
	    c, "where", asked->where, "zone", asked->zone, "order", order, NULL);
	struct json *filters = json_new_list(c);

	for (size_t i = 0; i < asked->n; i++)
		json_push(filters,
		    json_new(c, "name", asked->filters[i].name, "value",
			asked->filters[i].value, NULL));
	json_set(out, "filters", filters);
	json_set(out, "values", values);
	return json_text(c->mem, out);
}

static enum err
asked_read(struct ctx *c, const char *text, struct row_find *what, const struct json **values)
{
	const struct json *filters;
	struct pair *pairs;
	struct json *tree;

	TRY(json_parse(c, text, strlen(text), &tree));
	filters = json_get(tree, "filters");
	pairs = mem_array(c->mem, struct pair, json_len(filters) + 1);
	for (size_t i = 0; i < json_len(filters); i++)
		pairs[i] = (struct pair){ json_word(json_at(filters, i), "name"),
			json_word(json_at(filters, i), "value") };
	what->asked = (struct where_asked){ .filters = pairs, .n = json_len(filters),
		.where = json_word(tree, "where"), .zone = json_word(tree, "zone") };
	what->order = json_word(tree, "order");
	*values = json_get(tree, "values");
	return E_OK;
}

enum err
rows_change_count(struct ctx *c, const struct table_for *tf, const struct row_find *what,
    const struct json *values, int64_t *n, int64_t *denied)
{
	struct row_find all = *what;

	TRY(change_begin(c, tf, values));
	all.asked.unlike = values;
	return rows_total(c, tf, &all, rule_for(tf, values), n, denied);
}

enum err
rows_change_all(struct ctx *c, const struct table_for *tf, const struct row_find *what,
    const struct json *values, struct operation **out)
{
	const char *order;
	int64_t n, denied;

	*out = NULL;
	TRY(rows_change_count(c, tf, what, values, &n, &denied));
	if (denied)
		return rows_refused(c, tf, rule_for(tf, values));
	if (n <= ROWS_AT_ONCE)
		return E_OK;
	TRY(rows_order(c, tf, what, &order));
	*out = mem_new(c->mem, struct operation);
	**out = (struct operation){ .artifact_id = tf->a->id, .table_no = tf->t->no,
		.table = tf->t->name, .kind = values ? "change" : "delete", .total = n,
		.asked = asked_write(c, &what->asked, order, values),
		.created_by = c->actor ? c->actor->user_id : NULL };
	return operation_add(c, *out);
}

static enum err
change_piece(struct ctx *c, struct operation *op, bool *end)
{
	struct row_find what = { .cursor = op->place };
	const struct json *values;
	struct principal *who;
	struct table_for tf;
	struct artifact *a;
	const char *next;
	int64_t n;

	TRY(operation_maker(c, op, &who, &a));
	TRY(table_get(c, a, who, op->table, &tf));
	if (tf.t->no != op->table_no)
		return fail(c, E_CONFLICT,
		    "the table was replaced after %s rows", str_number(c->mem, op->done));
	/* All pieces are one batch, of the person who asked. */
	c->actor = who;
	tf.past->via = "api";
	tf.past->begun = op->batch_id && id_bytes(op->batch_id, "bat_", tf.past->batch);
	TRY(asked_read(c, op->asked, &what, &values));
	if (rows_change(c, &tf, &what, values, &n, &next))
		return c->err == E_DENIED && op->done
		    ? fail(c, E_DENIED, "%s rows were changed before: %s",
			  str_number(c->mem, op->done), ctx_why(c))
		    : c->err;
	if (tf.past->begun)
		op->batch_id = id_text(c->mem, "bat_", tf.past->batch);
	op->done += n;
	op->place = next;
	*end = !next;
	return E_OK;
}

const struct operation_kind change_operation = { "change", change_piece, NULL };
const struct operation_kind delete_operation = { "delete", change_piece, NULL };
