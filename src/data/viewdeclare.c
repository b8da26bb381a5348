/* SPDX-License-Identifier: Apache-2.0
 * The section `views` of vitrine.yaml (core/declare.h). A view has a name there, and is shared. */
#include "core/declare.h"

#include "base/json.h"
#include "base/str.h"
#include "data/table.h"
#include "data/tableview.h"

static enum err
view_find(struct declaring *d, const struct fm *wanted, struct declared_thing **out)
{
	return db_find(d->c,
	    ROWS(declared_thing,
		"SELECT id, " DECLARED_MARK(
		    "where_json, sorted, column_names, widths, totals, group_column")
		" FROM data_view WHERE artifact_id = ? AND table_name = ? AND name = ?"
		" AND user_id IS NULL LIMIT 1"),
	    ARGS(d->art->id, fm_get(wanted, "table")->text, wanted->name), out);
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

DECLARES(views,
    .fields = "table|where|order|columns|widths|totals|group",
    .of = "table",
    .find = view_find,
    .store = view_store);
