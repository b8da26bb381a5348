/* SPDX-License-Identifier: Apache-2.0 */
#include "data/rowlead.h"

#include "data/carried.h"
#include "data/tableindex.h"

/* PART: reading a row by an entry costs about as much as reading so many one after the other. */
enum { LEADS_MAX = 8, PART = 4 };

/* ---- conditions as SQL ---- */

bool
filter_of_entry(const struct finding_rows *f, const struct filter *one)
{
	return one->slot >= 0 && one->kind < FILTER_HAS &&
	    f->where.conditions <= ENTRY_CONDITIONS;
}

void
carried_conditions_sql(struct sql *q, const struct finding_rows *f, int64_t slot)
{
	for (size_t i = 0; i < f->where.n; i++) {
		const struct filter *one = &f->where.v[i];
		const int place = filter_of_entry(f, one) ? carried_place(f->tf->t, one->slot)
							  : CARRIED_NONE;

		if (place == CARRIED_NONE || one->slot == slot)
			continue;
		sql_add(q, " AND (", NOARGS);
		key_sql(q, FROM_CARRIED + place, one->slot);
		sql_add(q, " IS NULL OR (", NOARGS);
		filter_sql(q, FROM_CARRIED + place, one);
		sql_add(q, "))", NOARGS);
	}
}

void
conditions_sql(struct sql *q, const struct finding_rows *f)
{
	where_sql(q, &f->where);
	row_rule_sql(q, &f->tf->read, &f->tf->columns);
}

void
entries_sql(struct sql *q, const struct finding_rows *f, const struct filter *lead)
{
	sql_add(q, " x.table_no = ? AND x.slot = ? AND ", ARGS(f->tf->t->no, lead->slot));
	filter_sql(q, FROM_ENTRY, lead);
}

/* ---- the leading index ---- */

bool
filter_is_one_key(const struct filter *f)
{
	return f->kind == FILTER_NULL || (f->kind == FILTER_KEYS && f->n == 1);
}

/* Combines two ranges of one column, because n=gte.10&n=lt.20 may match few rows while each half
 * matches many. False if they can't be combined. */
static bool
range_narrow(struct filter *to, const struct filter *by)
{
	int low, high;

	if (to->kind != FILTER_RANGE || by->kind != FILTER_RANGE || to->slot != by->slot)
		return false;
	low = cell_order(by->low, to->low);
	high = cell_order(by->high, to->high);
	if (low > 0 || (!low && !by->low_in)) {
		to->low = by->low;
		to->low_in = by->low_in;
	}
	if (high < 0 || (!high && !by->high_in)) {
		to->high = by->high;
		to->high_in = by->high_in;
	}
	return true;
}

/* Finds conditions that an index can serve, from the query and the rule. */
static size_t
leads_find(const struct finding_rows *f, struct filter out[LEADS_MAX])
{
	const struct row_rule *rule = &f->tf->read;
	struct expr_lead more[2];
	size_t n = 0, of_rule = 0;

	if (rule->verdict == VERDICT_ROW)
		of_rule = expr_leads(
		    f->c->mem, rule->expr, rule->viewer, &f->tf->columns, more, 2);
	for (size_t i = 0; i < of_rule; i++, n++) {
		out[n] = (struct filter){ .kind = more[i].key.n ? FILTER_KEYS : FILTER_NULL,
			.slot = more[i].slot, .n = 1 };
		out[n].keys = mem_dup(f->c->mem, &more[i].key, sizeof more[i].key);
	}
	for (size_t i = 0; i < f->where.n && n < LEADS_MAX; i++) {
		const struct filter *one = &f->where.v[i];
		size_t of = 0;

		if (one->kind >= FILTER_OTHER ||
		    (one->kind == FILTER_ANY && !filter_of_entry(f, one)))
			continue;
		while (of < n && !range_narrow(&out[of], one))
			of++;
		if (of == n)
			out[n++] = *one;
	}
	return n;
}

/* *least: index of the lead with the fewest rows; *rows: their number, at most most + 1. */
static enum err
leads_count(struct finding_rows *f, const struct filter *leads, size_t n, int64_t most,
    size_t *least, int64_t *rows)
{
	struct sql q = SQL(f->c->mem);
	struct data_row_list counts;

	for (size_t i = 0; i < n; i++) {
		if (i)
			sql_add(&q, " UNION ALL ", NOARGS);
		sql_add(&q, "SELECT ", NOARGS);
		sql_pick(&q, "0|1|2|3|4|5|6|7", i);
		sql_add(&q, " AS shape_no, COUNT(*) AS n FROM (SELECT 1 FROM data_cell x WHERE",
		    NOARGS);
		entries_sql(&q, f, &leads[i]);
		sql_add(&q, " LIMIT ?) counted", ARGS(most + 1));
	}
	TRY(db_all(f->c, BUILT(data_row, &q), sql_args(&q), &counts));
	*rows = most + 1;
	*least = 0;
	for (size_t i = 0; i < counts.n; i++) {
		if (counts.v[i].n >= *rows)
			continue;
		*rows = counts.v[i].n;
		*least = (size_t)counts.v[i].shape_no;
	}
	return E_OK;
}

/* Keeps the conditions whose columns have an index. Returns how many, and sets f->lacking. */
static size_t
leads_keep(struct finding_rows *f, struct filter *leads, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		if (table_has_index(f->tf->t, leads[i].slot))
			leads[kept++] = leads[i];
		else
			f->lacking |= slot_bit(leads[i].slot);
	return kept;
}

int64_t
looked_most(const struct finding_rows *f)
{
	return f->where.texts ? LOOKED_TEXTS : LOOKED_MOST;
}

bool
order_has_index(const struct finding_rows *f)
{
	return f->order && table_has_index(f->tf->t, f->order->slot);
}

enum err
lead_choose(struct finding_rows *f, const struct filter **lead)
{
	struct filter *leads = mem_array(f->c->mem, struct filter, LEADS_MAX);
	size_t all = leads_find(f, leads), n, least, one = 0;
	int64_t rows, most = FEW;
	bool by_id = !f->order && !f->several_n;

	*lead = NULL;
	if (f->tf->t->row_count <= TABLE_SMALL)
		return E_OK;
	/* Up to so many rows, reading and sorting them all is faster than following the order until
	 * the page is full. */
	while (most < LOOKED_MOST && most * most < f->what->limit * f->tf->t->row_count)
		most += FEW;
	n = leads_keep(f, leads, all);
	while (one < n && !filter_is_one_key(&leads[one]))
		one++;
	/* The order's own index serves conditions on its column already. */
	if (f->order && all == 1 && n && leads[0].slot == f->order->slot)
		return E_OK;
	if (all == 1 && by_id && one < n) {
		*lead = &leads[0];
		return E_OK;
	}
	if (n)
		TRY(leads_count(f, leads, n, most, &least, &rows));
	if (n && rows <= most)
		*lead = &leads[least];
	/* We ask for the order's index only if no condition lacks one, because each index costs
	 * every writer. So two lists may be slow until all are there. */
	else if (f->order && !order_has_index(f) && !f->lacking)
		f->lacking = slot_bit(f->order->slot);
	else if (by_id && one < n && !f->lacking)
		*lead = &leads[one];
	if (*lead)
		f->lacking = 0;
	f->sorts_all = f->lacking || (f->several_n && !*lead);
	return E_OK;
}

enum err
lead_of_all(struct finding_rows *f, const struct filter **lead)
{
	struct filter *leads = mem_array(f->c->mem, struct filter, LEADS_MAX);
	const int64_t most = f->tf->t->row_count / PART;
	size_t n, least;
	int64_t rows;

	*lead = NULL;
	if (f->tf->t->row_count <= TABLE_SMALL)
		return E_OK;
	n = leads_keep(f, leads, leads_find(f, leads));
	if (!n)
		return E_OK;
	TRY(leads_count(f, leads, n, most, &least, &rows));
	if (rows > most)
		return E_OK;
	*lead = &leads[least];
	f->lacking = 0;
	return E_OK;
}

enum err
indexes_want(const struct finding_rows *f)
{
	for (int64_t slot = 0; f->lacking && slot < CELL_SLOTS; slot++)
		if (f->lacking & slot_bit(slot))
			TRY(table_index_want(f->c, f->tf->t, slot));
	return E_OK;
}
