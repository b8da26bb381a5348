/* SPDX-License-Identifier: Apache-2.0
 * The section `views` of vitrine.yaml (core/declare.h). A view has a name there, and is shared. */
#include "core/declare.h"

#include "base/json.h"
#include "base/str.h"
#include "data/table.h"
#include "data/tableview.h"

#define DECLARED_VIEW "table|where|order|columns|widths|totals|group"

static enum err
view_find(struct declaring *d, const struct fm *wanted, struct declared_thing **out)
{
	const struct fm *table;

	*out = NULL;
	TRY(declare_text(d, wanted, "table", &table));
	return d->art->id
	    ? db_find(d->c,
		  ROWS(declared_thing,
		      "SELECT id, " DECLARED_MARK(
			  "where_json, sorted, column_names, widths, totals, group_column")
		      " FROM data_view WHERE artifact_id = ? AND table_name = ? AND name = ?"
		      " AND user_id IS NULL LIMIT 1"),
		  ARGS(d->art->id, table->text, wanted->name), out)
	    : E_OK;
}

static enum err
view_store(struct declaring *d, const struct fm *wanted, const struct declared_thing *old)
{
	const struct json *shared = json_new(d->c, "scope", "shared", NULL);
	const struct fm *table = fm_get(wanted, "table");
	struct table_for tf;
	const char *id;
	enum err e;
	void *in;

	TRY(declare_shape(d, wanted, shared, &data_view_new_shape, &in));
	if (d->dry)
		return E_OK;
	e = table_get(d->c, d->art, d->who, table->text, &tf);
	if (e == E_NOT_FOUND)
		return fm_fail(d->c, table, "table: there's no table %s", table->text);
	TRY(e);
	e = old ? tableview_put(d->c, &tf, d->who, old->id, in)
		: tableview_add(d->c, &tf, d->who, in, &id);
	return declare_blame(d, wanted, e);
}

static enum err
views_apply(struct declaring *d, const struct fm *wanted, const struct fm *last)
{
	static const struct declares_things how = { .section = "views",
		.fields = DECLARED_VIEW,
		.of = "table",
		.find = view_find,
		.store = view_store };

	return declare_things(d, &how, wanted, last);
}

DECLARES(views, views_apply);
