/* SPDX-License-Identifier: Apache-2.0 */
#include "charts/chart.h"

#include "base/id.h"
#include "base/str.h"
#include "core/artifact.h"
#include "core/follow.h"
#include "core/rights.h"
#include "data/rename.h"
#include "data/tableview.h"
#include "watch/alert.h"

SHAPE_DEFINE(chart, CHART);
SHAPE_DEFINE(chart_new, CHART_NEW);
SHAPE_DEFINE(chart_line, CHART_LINE);
SHAPE_DEFINE(chart_threshold, CHART_THRESHOLD);
SHAPE_DEFINE(chart_data, CHART_DATA);

/* ---- reading ---- */

#define CHART_COLUMNS \
	"id, name, kind, table_name AS `table`, view_id, where_json AS `where`," \
	" group_column AS `group`, period AS `by`, bins, split_column AS `split`, measure, zone," \
	" alert_id, place, created_at, updated_at"

static bool
is_editor(const struct artifact *a)
{
	return role_rank(a->role) >= ROLE_EDITOR;
}

static void
where_hide(struct chart *ch)
{
	ch->where = NULL;
	ch->has.where = NULLED;
}

/* Returns "Sum of amount and Rows by city and paid, per month". */
static const char *
chart_words(void *owner, const struct chart *ch)
{
	char *rest = mem_strdup(owner, ch->measure), *one;
	struct buf b = BUF(owner);

	while ((one = str_split(&rest, ',')))
		buf_fmt(&b, "%s%s", !b.n ? "" : rest ? ", " : " and ",
		    chart_measure_words(owner, one));
	if (ch->group)
		buf_fmt(&b, " by %s", ch->group);
	if (ch->split)
		buf_fmt(&b, "%s%s", ch->group ? " and " : " by ", ch->split);
	if (ch->by)
		buf_fmt(&b, ", per %s", ch->by);
	return buf_done(&b);
}

enum err
chart_list(struct ctx *c, const struct artifact *a, const struct principal *who,
    struct chart_list *out)
{
	struct data_table_list tables;
	const char *next;
	size_t n;

	TRY(db_all(c,
	    ROWS(chart,
		"SELECT " CHART_COLUMNS " FROM data_chart WHERE artifact_id = ?"
		" ORDER BY place, id"),
	    ARGS(a->id), out));
	for (size_t i = 0; i < out->n; i++)
		out->v[i].words = chart_words(c->mem, &out->v[i]);
	if (is_editor(a) || !out->n)
		return E_OK;
	TRY(table_list(c, a, who, &(struct page_query){ .limit = TABLES_MAX }, &tables, &next));
	n = out->n;
	out->n = 0;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < tables.n; k++)
			if (str_eq(tables.v[k].name, out->v[i].table)) {
				where_hide(&out->v[i]);
				out->v[out->n++] = out->v[i];
				break;
			}
	return E_OK;
}

static enum err
chart_absent(struct ctx *c)
{
	ctx_forgive(c);
	return fail(c, E_NOT_FOUND, "This chart doesn't exist, or you don't have access to it");
}

enum err
chart_get(struct ctx *c, const struct artifact *a, const struct principal *who, const char *id,
    struct chart **out)
{
	struct data_table *t;
	enum err e;

	TRY(db_find(c,
	    ROWS(chart,
		"SELECT " CHART_COLUMNS " FROM data_chart WHERE id = ? AND artifact_id = ?"),
	    ARGS(id, a->id), out));
	if (!*out)
		return chart_absent(c);
	if (is_editor(a))
		return E_OK;
	where_hide(*out);
	e = table_show(c, a, who, (*out)->table, &t);
	return e == E_NOT_FOUND ? chart_absent(c) : e;
}

/* ---- changes ---- */

/* Returns NULL for an empty text. */
static const char *
text_or_null(const char *text)
{
	return text && *text ? text : NULL;
}

/* old: NULL for a new chart. */
static struct chart
chart_of(const struct chart_new *in, const struct chart *old)
{
	struct chart ch = { .name = in->name, .kind = in->kind, .table = in->table,
		.view_id = in->view_id, .where = in->where, .group = text_or_null(in->group),
		.by = text_or_null(in->by), .split = text_or_null(in->split),
		.measure = text_or_null(in->measure) ? in->measure : "count",
		.zone = text_or_null(in->zone), .alert_id = in->alert_id, .place = in->place };

	ch.bins = in->has.bins == GIVEN ? in->bins : 0;
	if (old && in->has.bins == ABSENT && str_eq(old->kind, ch.kind))
		ch.bins = old->bins;
	if (old && in->has.where == ABSENT && !in->view_id)
		ch.where = old->where;
	if (old && in->has.place != GIVEN)
		ch.place = old->place;
	if (str_eq(ch.kind, "histogram") && !ch.bins && !ch.by)
		ch.bins = CHART_BINS;
	return ch;
}

static enum err
view_check(struct ctx *c, const struct table_for *tf, const struct principal *who,
    const struct chart *ch)
{
	struct data_view *v;
	enum err e;

	if (!ch->view_id)
		return E_OK;
	if (ch->where)
		return fail(c, E_INVALID, "where: a chart has a view or conditions, not both");
	e = tableview_get(c, tf->a, who, ch->table, ch->view_id, &v);
	if (e == E_NOT_FOUND) {
		ctx_forgive(c);
		return fail(c, E_INVALID, "view_id: the table %s has no view %s", ch->table,
		    ch->view_id);
	}
	TRY(e);
	return str_eq(v->scope, "shared")
	    ? E_OK
	    : fail(c, E_INVALID, "view_id: the view %s is private; a chart needs a shared one",
		  v->name);
}

static enum err
limit_check(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct chart *ch)
{
	struct metric_alert *al;
	enum err e;

	if (!ch->alert_id)
		return E_OK;
	e = alert_get(c, a, who, ch->alert_id, &al);
	if (e == E_NOT_FOUND) {
		ctx_forgive(c);
		return fail(c, E_INVALID, "alert_id: the artifact has no such alert");
	}
	TRY(e);
	if (!str_eq(al->table, ch->table))
		return fail(c, E_INVALID, "alert_id: %s is about the table %s, not %s", al->name,
		    al->table, ch->table);
	return str_eq(al->op, "change_pct")
	    ? fail(c, E_INVALID, "alert_id: %s is about changes in percent, which are no line",
		  al->name)
	    : E_OK;
}

/* Locks the table, so that a concurrent change of its columns ends before they are read. */
static enum err
all_check(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct chart *ch)
{
	struct table_for tf;
	struct data_table *t;

	TRY(table_lock(c, a, ch->table, &t));
	TRY(table_get(c, a, who, ch->table, &tf));
	TRY(view_check(c, &tf, who, ch));
	TRY(chart_check(c, &tf, ch));
	return limit_check(c, a, who, ch);
}

enum err
chart_add(struct ctx *c, const struct artifact *a, const struct principal *who,
    const struct chart_new *in, const char **id)
{
	const struct chart ch = chart_of(in, NULL);
	int64_t made;

	TRY(all_check(c, a, who, &ch));
	*id = id_new(c->mem, "cht_");
	TRY(db_exec(c,
	    EXEC("INSERT INTO data_chart (id, artifact_id, place, name, kind, table_name, view_id,"
		 " where_json, group_column, period, bins, split_column, measure, zone, alert_id,"
		 " created_at, updated_at)"
		 " SELECT ?, ?, COALESCE(?, o.last + 1), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
		 " FROM (SELECT COUNT(*) AS n, LEAST(COALESCE(MAX(place), 0), 999999) AS last"
		 " FROM data_chart WHERE artifact_id = ?) o WHERE o.n < ?"),
	    ARGS(*id, a->id, arg_opt(in->has.place, in->place), ch.name, ch.kind, ch.table,
		ch.view_id, ch.where, ch.group, ch.by, ch.bins ? arg_int(ch.bins) : arg_null(),
		ch.split, ch.measure, ch.zone, ch.alert_id, c->now, c->now, a->id,
		(int64_t)CHARTS_MOST),
	    &made));
	return made ? E_OK
		    : fail(c, E_LIMIT_REACHED,
			  "the artifact has %d charts, the maximum; delete one first",
			  CHARTS_MOST);
}

enum err
chart_put(struct ctx *c, const struct artifact *a, const struct principal *who, const char *id,
    const struct chart_new *in)
{
	struct chart *old, ch;

	TRY(chart_get(c, a, who, id, &old));
	ch = chart_of(in, old);
	TRY(all_check(c, a, who, &ch));
	return db_exec1(c,
	    EXEC("UPDATE data_chart SET place = ?, name = ?, kind = ?, table_name = ?,"
		 " view_id = ?, where_json = ?, group_column = ?, period = ?, bins = ?,"
		 " split_column = ?, measure = ?, zone = ?, alert_id = ?, updated_at = ?"
		 " WHERE id = ? AND artifact_id = ?"),
	    ARGS(ch.place, ch.name, ch.kind, ch.table, ch.view_id, ch.where, ch.group, ch.by,
		ch.bins ? arg_int(ch.bins) : arg_null(), ch.split, ch.measure, ch.zone,
		ch.alert_id, c->now, id, a->id));
}

enum err
chart_delete(struct ctx *c, const struct artifact *a, const char *id)
{
	enum err e = db_exec1(c, EXEC("DELETE FROM data_chart WHERE id = ? AND artifact_id = ?"),
	    ARGS(id, a->id));

	return e == E_NOT_FOUND ? chart_absent(c) : e;
}

/* ---- what happens elsewhere ---- */

static enum err
columns_renamed(struct ctx *c, const struct happened *h)
{
	const char *where, *group, *split;
	struct renames renames;
	struct chart_list all;

	TRY(renames_read(c, h->renames, &renames));
	TRY(db_all(c,
	    ROWS(chart,
		"SELECT " CHART_COLUMNS " FROM data_chart WHERE artifact_id = ?"
		" AND table_name = ? FOR UPDATE"),
	    ARGS(h->artifact_id, h->table), &all));
	for (size_t i = 0; i < all.n; i++) {
		const struct chart *ch = &all.v[i];

		TRY(renames_where(c, &renames, ch->where, &where));
		group = ch->group ? renamed_to(&renames, ch->group) : NULL;
		split = ch->split ? renamed_to(&renames, ch->split) : NULL;
		TRY(db_exec(c,
		    EXEC("UPDATE data_chart SET where_json = ?, group_column = ?, split_column = ?,"
			 " measure = ? WHERE id = ?"),
		    ARGS(where, group ? group : ch->group, split ? split : ch->split,
			renames_measures(c, &renames, ch->measure), ch->id),
		    NULL));
	}
	return E_OK;
}

FOLLOWS(chart, { COLUMNS_RENAMED, columns_renamed });
PURGES(chart, ROWS_OF(data_chart));
