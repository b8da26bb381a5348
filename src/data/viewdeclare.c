/* SPDX-License-Identifier: Apache-2.0
 * The section `views` of vitrine.yaml (core/declare.h). A view has a name there, and is shared. */
#include "core/declare.h"

#include "base/json.h"
#include "base/str.h"
#include "data/table.h"
#include "data/tableview.h"

#define DECLARED_VIEW "table|where|order|columns|widths|totals|group"

#define VIEW_NAMED(F, T) F(T, STR, id)
SHAPE(view_named, VIEW_NAMED);

/* *id is NULL if the table has no shared view of this name. */
static enum err
view_find(struct declaring *d, const char *table, const char *name, const char **id)
{
	struct view_named *row = NULL;

	if (d->art->id)
		TRY(db_find(d->c,
		    ROWS(view_named,
			"SELECT id FROM data_view WHERE artifact_id = ? AND table_name = ?"
			" AND name = ? AND user_id IS NULL LIMIT 1"),
		    ARGS(d->art->id, table, name), &row));
	*id = row ? row->id : NULL;
	return E_OK;
}

static enum err
view_store(struct declaring *d, const struct fm *wanted, const struct fm *table, const char *id)
{
	const struct json *shared = json_new(d->c, "scope", "shared", NULL);
	struct table_for tf;
	const char *new_id;
	enum err e;
	void *in;

	TRY(declare_shape(d, wanted, shared, &data_view_new_shape, &in));
	if (d->dry)
		return E_OK;
	e = table_get(d->c, d->art, d->who, table->text, &tf);
	if (e == E_NOT_FOUND)
		return fm_fail(d->c, table, "table: there's no table %s", table->text);
	TRY(e);
	e = id ? tableview_put(d->c, &tf, d->who, id, in)
	       : tableview_add(d->c, &tf, d->who, in, &new_id);
	return declare_blame(d, wanted, e);
}

static enum err
view_declare(struct declaring *d, const struct fm *wanted, const struct fm *last)
{
	const struct fm *table, *was = fm_get(last, "table");
	enum declared action;
	const char *id;

	TRY(declare_map(d, wanted, DECLARED_VIEW));
	TRY(declare_text(d, wanted, "table", &table));
	TRY(view_find(d, table->text, wanted->name, &id));
	/* Of another table it is another view. */
	if (was && !str_eq(was->text, table->text))
		last = NULL;
	action = declare_named(d, "views", wanted, last, id != NULL);
	return action == DECLARED_ADD || action == DECLARED_CHANGE
	    ? view_store(d, wanted, table, id)
	    : E_OK;
}

static enum err
views_apply(struct declaring *d, const struct fm *wanted, const struct fm *last)
{
	TRY(declare_map(d, wanted, NULL));
	for (size_t i = 0; i < wanted->n; i++)
		TRY(view_declare(d, &wanted->v[i], fm_get(last, wanted->v[i].name)));
	return E_OK;
}

DECLARES(views, views_apply);
