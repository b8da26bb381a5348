/* SPDX-License-Identifier: Apache-2.0
 * The section `charts` of vitrine.yaml (core/declare.h). A chart has a name there, and names a view
 * and an alert by theirs. */
#include "core/declare.h"

#include "base/json.h"
#include "base/str.h"
#include "charts/chart.h"

#define DECLARED_CHART "kind|table|view|where|group|by|bins|split|measure|zone|alert|place"

#define CHART_NAMED(F, T) F(T, STR, id)
SHAPE(chart_named, CHART_NAMED);

/* *id is NULL if there is no chart of this name. */
static enum err
chart_find(struct declaring *d, const char *name, const char **id)
{
	struct chart_named *row = NULL;

	if (d->art->id)
		TRY(db_find(d->c,
		    ROWS(chart_named,
			"SELECT id FROM data_chart WHERE artifact_id = ? AND name = ?"
			" ORDER BY id LIMIT 1"),
		    ARGS(d->art->id, name), &row));
	*id = row ? row->id : NULL;
	return E_OK;
}

static enum err
view_id(struct declaring *d, const char *table, const char *name, struct chart_named **out)
{
	return db_find(d->c,
	    ROWS(chart_named,
		"SELECT id FROM data_view WHERE artifact_id = ? AND table_name = ? AND name = ?"
		" AND user_id IS NULL LIMIT 1"),
	    ARGS(d->art->id, table, name), out);
}

static enum err
alert_id(struct declaring *d, const char *name, struct chart_named **out)
{
	return db_find(d->c,
	    ROWS(chart_named,
		"SELECT id FROM metric_alert WHERE artifact_id = ? AND name = ?"
		" ORDER BY id LIMIT 1"),
	    ARGS(d->art->id, name), out);
}

/* Puts the ids of the view and the alert in place of their names. */
static enum err
names_read(struct declaring *d, const struct fm *wanted, struct chart_new *in)
{
	const struct fm *view = fm_get(wanted, "view"), *alert = fm_get(wanted, "alert");
	struct chart_named *row = NULL;

	in->has.view_id = in->has.alert_id = NULLED;
	if (view && view->text) {
		TRY(view_id(d, in->table, view->text, &row));
		if (!row)
			return fm_fail(d->c, view, "view: the table %s has no shared view %s",
			    in->table, str_cut(d->c->mem, view->text, 80));
		in->view_id = row->id;
		in->has.view_id = GIVEN;
	}
	if (alert && alert->text) {
		TRY(alert_id(d, alert->text, &row));
		if (!row)
			return fm_fail(d->c, alert, "alert: there's no alert %s",
			    str_cut(d->c->mem, alert->text, 80));
		in->alert_id = row->id;
		in->has.alert_id = GIVEN;
	}
	return E_OK;
}

static enum err
chart_store(struct declaring *d, const struct fm *wanted, const char *id)
{
	struct chart_new *in;
	const char *new_id;
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
	e = id ? chart_put(d->c, d->art, d->who, id, in)
	       : chart_add(d->c, d->art, d->who, in, &new_id);
	if (e == E_NOT_FOUND)
		return fm_fail(d->c, wanted, "table: there's no table %s", in->table);
	return declare_blame(d, wanted, e);
}

static enum err
chart_declare(struct declaring *d, const struct fm *wanted, const struct fm *last)
{
	enum declared action;
	const char *id;

	TRY(declare_map(d, wanted, DECLARED_CHART));
	TRY(chart_find(d, wanted->name, &id));
	action = declare_named(d, "charts", wanted, last, id != NULL);
	return action == DECLARED_ADD || action == DECLARED_CHANGE ? chart_store(d, wanted, id)
								   : E_OK;
}

static enum err
charts_apply(struct declaring *d, const struct fm *wanted, const struct fm *last)
{
	TRY(declare_map(d, wanted, NULL));
	for (size_t i = 0; i < wanted->n; i++)
		TRY(chart_declare(d, &wanted->v[i], fm_get(last, wanted->v[i].name)));
	return E_OK;
}

DECLARES(charts, charts_apply);
