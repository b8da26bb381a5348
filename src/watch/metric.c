/* SPDX-License-Identifier: Apache-2.0 */
#include "watch/metric.h"

#include "base/id.h"
#include "base/num.h"
#include "base/str.h"
#include "core/follow.h"
#include "data/row.h"
#include "data/summary.h"
#include "data/tableindex.h"

#include <math.h>

/* ---- measures ---- */

static const struct {
	const char *kind, *words; /* put before the column's name */
	bool column, numbers;
} metric_kinds[] = {
	{ "row_count", "Number of rows", false, false },
	{ "sum", "Sum of", true, true },
	{ "avg", "Average of", true, true },
	{ "min", "Lowest", true, true },
	{ "max", "Highest", true, true },
	{ "distinct", "Different values of", true, false },
	{ "latest", "Latest", true, true },
};

static size_t
kind_no(const char *kind)
{
	size_t i = 0;

	while (!str_eq(metric_kinds[i].kind, kind))
		i++;
	return i;
}

static bool
column_is_numeric(const struct data_column *col)
{
	return str_in(col->type, "integer|number");
}

enum err
metric_check(struct ctx *c, const struct data_table *t, const struct metric *m)
{
	size_t kind = kind_no(m->kind);
	const struct data_column *col = m->column ? table_column(t, m->column) : NULL;

	if (!metric_kinds[kind].column && m->column)
		return fail(c, E_INVALID,
		    "column: must be omitted for %s, which applies to the whole table",
		    m->kind);
	if (metric_kinds[kind].column && !m->column)
		return fail(c, E_INVALID,
		    "column: is required for %s; the table %s has the columns %s",
		    m->kind, t->name, table_column_names(c->mem, t));
	if (m->column && !col)
		return fail(c, E_INVALID,
		    "column: the table %s has no column %s; its columns are %s",
		    t->name, m->column, table_column_names(c->mem, t));
	if (col && metric_kinds[kind].numbers && !column_is_numeric(col))
		return fail(c, E_INVALID,
		    "column: must be numeric for %s; %s is of type %s", m->kind, col->name,
		    col->type);
	return E_OK;
}

const char *
metric_words(void *owner, const struct metric *m)
{
	const char *words = metric_kinds[kind_no(m->kind)].words;

	return m->column ? mem_printf(owner, "%s %s in %s", words, m->column, m->table)
			 : mem_printf(owner, "%s in %s", words, m->table);
}

bool
metric_differs(double before, double now, double percent)
{
	return now != before && fabs(now - before) >= fabs(before) * percent / 100;
}

/* ---- measuring ---- */

struct measuring {
	struct ctx *c;
	const struct table_for *tf;
	int64_t slot;          /* the column's; -1 for row_count */
	struct expr_lead lead; /* a key that the rule requires; slot -1: none */
};

#define METRIC_TAKEN(F, T) \
	F(T, STR, id) \
	F(T, STR, k) \
	F(T, INT, n)
SHAPE(metric_taken, METRIC_TAKEN);

static bool
sees_all_rows(const struct measuring *t)
{
	return t->tf->read.verdict == VERDICT_YES;
}

/* Reads the rows that the reader may read, as r: by a key that the rule requires, if there is
 * one. */
static void
sql_add_rows(const struct measuring *t, struct sql *q)
{
	int64_t no = t->tf->t->no;

	if (t->lead.slot < 0)
		sql_add(q, " FROM data_row r WHERE r.table_no = ?", ARGS(no));
	else
		sql_add(q,
		    " FROM data_cell l"
		    " STRAIGHT_JOIN data_row r ON r.table_no = l.table_no AND r.id = l.row_id"
		    " WHERE l.table_no = ? AND l.slot = ? AND l.k = ?",
		    ARGS(no, t->lead.slot, t->lead.key));
	if (t->slot >= 0) {
		sql_add(q, " AND ", NOARGS);
		sql_pick(q, CELL_R_NAMES, (size_t)t->slot);
		sql_add(q, " IS NOT NULL", NOARGS);
	}
	row_rule_sql(q, &t->tf->read, &t->tf->columns);
}

static enum err
measure_count(const struct measuring *t, struct metric_value *out)
{
	struct sql q = SQL(t->c->mem);
	struct metric_taken *row;

	out->there = true;
	out->v = (double)t->tf->t->row_count;
	if (sees_all_rows(t))
		return E_OK;
	sql_add(&q, "SELECT COUNT(*) AS n", NOARGS);
	sql_add_rows(t, &q);
	TRY(db_find(t->c, BUILT(metric_taken, &q), sql_args(&q), &row));
	out->v = (double)row->n;
	return E_OK;
}

/* A result outside a double's range counts as missing. */
static struct metric_value
value_from(long double v)
{
	double d = (double)v;

	return (struct metric_value){ isfinite(d), isfinite(d) ? d : 0 };
}

static enum err
number_read(const struct measuring *t, struct sql *q, struct metric_value *out)
{
	struct metric_taken *row;
	long double v;
	uint8_t *key;
	size_t n;

	TRY(db_find(t->c, BUILT(metric_taken, q), sql_args(q), &row));
	n = row && row->k ? strlen(row->k) / 2 : 0;
	key = mem_array(t->c->mem, uint8_t, n + 1);
	if (n && crypto_unhex(row->k, key, n) && cell_to_number((struct bytes){ key, n }, &v))
		*out = value_from(v);
	return E_OK;
}

static enum err
measure_extreme(const struct measuring *t, bool greatest, struct metric_value *out)
{
	struct sql q = SQL(t->c->mem);

	if (!sees_all_rows(t) || !table_has_index(t->tf->t, t->slot)) {
		sql_add(&q, "SELECT LOWER(HEX(", NOARGS);
		if (greatest)
			sql_add(&q, "MAX(", NOARGS);
		else
			sql_add(&q, "MIN(", NOARGS);
		sql_pick(&q, CELL_R_NAMES, (size_t)t->slot);
		sql_add(&q, "))) AS k", NOARGS);
		sql_add_rows(t, &q);
		return number_read(t, &q, out);
	}
	sql_add(&q,
	    "SELECT LOWER(HEX(x.k)) AS k"
	    " FROM data_cell x WHERE x.table_no = ? AND x.slot = ? AND x.k > ''",
	    ARGS(t->tf->t->no, t->slot));
	if (greatest)
		sql_add(&q, " ORDER BY x.k DESC LIMIT 1", NOARGS);
	else
		sql_add(&q, " ORDER BY x.k LIMIT 1", NOARGS);
	return number_read(t, &q, out);
}

/* Uses the newest row even if it has no value. */
static enum err
measure_latest(struct measuring *t, struct metric_value *out)
{
	struct sql q = SQL(t->c->mem);
	int64_t slot = t->slot;

	sql_add(&q, "SELECT LOWER(HEX(", NOARGS);
	sql_pick(&q, CELL_R_NAMES, (size_t)slot);
	sql_add(&q, ")) AS k", NOARGS);
	t->slot = -1;
	sql_add_rows(t, &q);
	sql_add(&q, " ORDER BY r.id DESC LIMIT 1", NOARGS);
	return number_read(t, &q, out);
}

/* Finds the key that leads to the rows. Asks for an index that the measure needs and that isn't
 * there yet. */
static enum err
lead_find(struct measuring *t)
{
	const struct row_rule *rule = &t->tf->read;

	t->lead.slot = -1;
	if (rule->verdict == VERDICT_ROW &&
	    !expr_leads(t->c->mem, rule->expr, rule->viewer, &t->tf->columns, &t->lead, 1))
		t->lead.slot = -1;
	if (t->lead.slot >= 0 && table_lacks_index(t->tf->t, t->lead.slot))
		TRY(table_index_want(t->c, t->tf->t, t->lead.slot));
	if (t->lead.slot >= 0 && !table_has_index(t->tf->t, t->lead.slot))
		t->lead.slot = -1;
	return E_OK;
}

enum err
metric_measure(struct ctx *c, const struct table_for *tf, const struct metric *m,
    struct metric_value *out)
{
	const struct data_column *col = m->column ? table_column(tf->t, m->column) : NULL;
	size_t kind = kind_no(m->kind);
	struct measuring t = { .c = c, .tf = tf, .slot = col ? col->slot : -1 };
	const char *figure;
	double v;

	*out = (struct metric_value){ 0 };
	if (tf->read.verdict == VERDICT_NO || (metric_kinds[kind].column && !col) ||
	    (metric_kinds[kind].numbers && !column_is_numeric(col)))
		return E_OK;
	TRY(lead_find(&t));
	if (sees_all_rows(&t) && col && !str_eq(m->kind, "latest") &&
	    table_lacks_index(tf->t, col->slot))
		TRY(table_index_want(c, tf->t, col->slot));
	if (str_eq(m->kind, "row_count"))
		return measure_count(&t, out);
	if (str_eq(m->kind, "latest"))
		return measure_latest(&t, out);
	if (str_in(m->kind, "min|max"))
		return measure_extreme(&t, str_eq(m->kind, "max"), out);
	/* Sums, averages and numbers of different values. */
	TRY(summary_figure(c, tf, mem_printf(c->mem, "%s.%s", m->kind, m->column), &figure));
	if (figure && num_read(figure, &v))
		*out = value_from(v);
	return E_OK;
}

enum err
metric_measure_once(struct ctx *c, const struct table_for *tf, const struct metric *m,
    struct metric_seen *seen, struct metric_value *out)
{
	enum { MOST = sizeof seen->v / sizeof *seen->v };
	size_t i = 0;

	if (tf->read.verdict != VERDICT_YES)
		return metric_measure(c, tf, m, out);
	while (i < seen->n &&
	    !(str_eq(seen->v[i].m.kind, m->kind) && str_eq(seen->v[i].m.column, m->column)))
		i++;
	if (i < seen->n) {
		*out = seen->v[i].v;
		return E_OK;
	}
	TRY(metric_measure(c, tf, m, out));
	if (seen->n == MOST)
		return E_OK;
	seen->v[seen->n].m = (struct metric){ .kind = metric_kinds[kind_no(m->kind)].kind,
		.column = mem_strdup(seen->mem, m->column) };
	seen->v[seen->n++].v = *out;
	return E_OK;
}

/* ---- the artifact and the table ---- */

enum err
metric_artifact(struct ctx *c, const char *id, const struct principal *who, bool lock,
    enum role least, struct artifact **out)
{
	enum err e = artifact_get(c, id, who, lock, out);
	const struct artifact *a = *out;
	bool governs;

	if (e == E_NOT_FOUND || (!e && (a->deleted_at || (!a->role && !a->is_open))))
		return fail(c, E_NOT_FOUND,
		    "artifact_id: there is no such artifact, or you don't have access to it");
	TRY(e);
	if (lock)
		TRY(agent_changes(c, who, a->agent_bound));
	governs = member_rank(a->workspace_role) >= MEMBER_ADMIN;
	if (a->paused && role_rank(a->role) != ROLE_OWNER && !governs)
		return fail(c, E_PAUSED, "%s is paused", a->slug);
	if (role_rank(a->role) < least && !governs)
		return fail(c, E_DENIED, "This requires the role of %s on %s, which you don't have",
		    least == ROLE_VIEWER ? "viewer, editor or owner" : "editor or owner", a->slug);
	return E_OK;
}

enum err
metric_table(struct ctx *c, const struct artifact *a, const struct principal *who,
    const char *name, struct table_for *out)
{
	enum err e = table_get(c, a, who, name, out);

	if (e == E_NOT_FOUND || (!e && out->read.verdict == VERDICT_NO))
		return fail(c, E_NOT_FOUND,
		    "table: there is no table %s, or you don't have access to it", name);
	return e;
}

enum err
metric_begin(struct ctx *c, const struct data_table *t)
{
	return db_exec1(c,
	    EXEC("UPDATE data_table SET watched = TRUE WHERE no = ? AND artifact_id IS NOT NULL"),
	    ARGS(t->no));
}

static enum err
watched_set(struct ctx *c, const char *artifact_id, const char *table)
{
	return db_exec(c,
	    EXEC(
		"UPDATE data_table SET watched ="
		" EXISTS (SELECT 1 FROM metric_watch w"
		" WHERE w.artifact_id = ? AND w.table_name = ?)"
		" OR EXISTS (SELECT 1 FROM metric_alert al"
		" WHERE al.artifact_id = ? AND al.table_name = ?)"
		" WHERE artifact_id = ? AND name = ?"),
	    ARGS(artifact_id, table, artifact_id, table, artifact_id, table), NULL);
}

#define METRIC_HELD(F, T) F(T, INT, no)
SHAPE(metric_held, METRIC_HELD);

enum err
metric_end(struct ctx *c, const char *artifact_id, const char *table)
{
	struct metric_held *held;

	TRY(db_begin(c));
	TRY(db_find(c,
	    ROWS(metric_held,
		"SELECT no FROM data_table WHERE artifact_id = ? AND name = ? FOR UPDATE"),
	    ARGS(artifact_id, table), &held));
	TRY(watched_set(c, artifact_id, table));
	return db_commit(c);
}

/* ---- checks ---- */

/* Each table has its own second of the minute. A waiting row keeps its time. For a row that a
 * runner carries out now, attempts = 0 tells that runner to keep it: it may have read the table
 * before this commit. */
enum err
metric_queue(struct ctx *c, const char *artifact_id, const char *table)
{
	return db_exec(c,
	    EXEC(
		"INSERT INTO outbox (id, kind, subject, payload, due_at)"
		" SELECT CONCAT('mea_', LEFT(SHA2(CONCAT(t.artifact_id, '/', t.name), 256), 32)),"
		" 'measure', t.artifact_id,"
		" CONCAT('{\"table\":\"', t.name, '\"}'),"
		" ? + MOD(MOD(CRC32(CONCAT(t.artifact_id, t.name)), 60) + 60 - MOD(?, 60), 60)"
		" FROM data_table t"
		" WHERE t.artifact_id = ? AND (? IS NULL OR t.name = ?) AND t.watched"
		" ON DUPLICATE KEY UPDATE due_at = LEAST(outbox.due_at, VALUES(due_at)),"
		" attempts = 0, payload = VALUES(payload)"),
	    ARGS(c->now + 1, c->now + 1, artifact_id, table, table), NULL);
}

/* A new table with the name of a deleted one is watched again. */
static enum err
table_made(struct ctx *c, const struct happened *h)
{
	TRY(watched_set(c, h->artifact_id, h->table));
	return metric_queue(c, h->artifact_id, h->table);
}

static enum err
table_changed(struct ctx *c, const struct happened *h)
{
	return metric_queue(c, h->artifact_id, h->table);
}

/* Columns may swap their names, so one statement changes all. */
static enum err
columns_renamed(struct ctx *c, const struct happened *h)
{
	TRY(db_exec(c,
	    EXEC("UPDATE metric_watch SET column_name = COALESCE(JSON_VALUE(?,"
		 " CONCAT('$.', column_name)), column_name)"
		 " WHERE artifact_id = ? AND table_name = ? AND column_name IS NOT NULL"),
	    ARGS(h->renames, h->artifact_id, h->table), NULL));
	return db_exec(c,
	    EXEC("UPDATE metric_alert SET column_name = COALESCE(JSON_VALUE(?,"
		 " CONCAT('$.', column_name)), column_name)"
		 " WHERE artifact_id = ? AND table_name = ? AND column_name IS NOT NULL"),
	    ARGS(h->renames, h->artifact_id, h->table), NULL);
}

/* No checks ran while the artifact was paused or in the trash. */
static enum err
artifact_back(struct ctx *c, const struct happened *h)
{
	return metric_queue(c, h->art->id, NULL);
}

FOLLOWS(metric, { TABLE_MADE, table_made }, { TABLE_CHANGED, table_changed },
    { COLUMNS_RENAMED, columns_renamed },
    { ARTIFACT_BACK, artifact_back });
