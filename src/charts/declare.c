/* SPDX-License-Identifier: Apache-2.0
 * The section `charts` of vitrine.yaml (core/declare.h). A chart has a name there, and names a view
 * and an alert by theirs. */
#include "core/declare.h"

#include "base/json.h"
#include "base/str.h"
#include "charts/chart.h"

#define CHART_NAMED(F, T) F(T, STR, id)
SHAPE(chart_named, CHART_NAMED);

static enum err
chart_find(struct declaring *d, const struct fm *wanted, struct declared_thing **out)
{
	return db_find(d->c,
	    ROWS(declared_thing,
		"SELECT id, " DECLARED_MARK(
		    "kind, table_name, view_id, where_json, group_column, period, bins,"
		    " split_column, measure, zone, alert_id") " FROM data_chart"
		" WHERE artifact_id = ? AND name = ? ORDER BY id LIMIT 1"),
	    ARGS(d->art->id, wanted->name), out);
}

/* Puts the ids of the view and the alert in place of their names. */
static enum err
names_read(struct declaring *d, const struct fm *wanted, struct chart_new *in)
{
	const struct fm *view = fm_get(wanted, "view"), *alert = fm_get(wanted, "alert");
	struct chart_named *row = NULL;

	in->has.view_id = in->has.alert_id = NULLED;
	if (view && view->text) {
		TRY(db_find(d->c,
		    ROWS(chart_named,
			"SELECT id FROM data_view WHERE artifact_id = ? AND table_name = ?"
			" AND name = ? AND user_id IS NULL LIMIT 1"),
		    ARGS(d->art->id, in->table, view->text), &row));
		if (!row)
			return fm_fail(d->c, view, "view: the table %s has no shared view %s",
			    in->table, str_cut(d->c->mem, view->text, 80));
		in->view_id = row->id;
		in->has.view_id = GIVEN;
	}
	if (alert && alert->text) {
		TRY(db_find(d->c,
		    ROWS(chart_named,
			"SELECT id FROM metric_alert WHERE artifact_id = ? AND name = ?"
			" ORDER BY id LIMIT 1"),
		    ARGS(d->art->id, alert->text), &row));
		if (!row)
			return fm_fail(d->c, alert, "alert: there's no alert %s",
			    str_cut(d->c->mem, alert->text, 80));
		in->alert_id = row->id;
		in->has.alert_id = GIVEN;
	}
	return E_OK;
}

static enum err
chart_store(struct declaring *d, const struct fm *wanted, const struct declared_thing *old)
{
	struct chart_new *in;
	const char *id;
	enum err e;
	void *read;

	TRY(declare_shape(d, wanted, NULL, &chart_new_shape, &read));
	if (d->dry)
		return E_OK;
	in = read;
	TRY(names_read(d, wanted, in));
	/* Fields that the file doesn't have anymore end. */
	if (in->has.where == ABSENT)
		in->has.where = NULLED;
	if (in->has.bins == ABSENT)
		in->has.bins = NULLED;
	e = old ? chart_put(d->c, d->art, d->who, old->id, in)
		: chart_add(d->c, d->art, d->who, in, &id);
	if (e == E_NOT_FOUND)
		return fm_fail(d->c, wanted, "table: there's no table %s", in->table);
	return declare_blame(d, wanted, e);
}

DECLARES(charts,
    .fields = "kind|table|view|where|group|by|bins|split|measure|zone|alert|place",
    .find = chart_find,
    .store = chart_store);
