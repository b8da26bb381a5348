/* SPDX-License-Identifier: Apache-2.0
 * Views of a table in the browser: the grid's page lists them, saves what it shows as one, and
 * changes the one that it shows. */
#include "base/str.h"
#include "core/artifact.h"
#include "data/columnlook.h"
#include "data/row_api.h"
#include "data/table_page.h"
#include "http/quota.h"
#include "http/req.h"

/* The fields after shared say what the page shows. */
#define VIEW_FORM(F, T) \
	F(T, STR,  name,   .flags = F_REQ, .lo = 1, .hi = 80) \
	F(T, BOOL, shared) \
	F(T, STR,  where,  .hi = WHERE_CHARS) \
	F(T, STR,  order,  .hi = VIEW_ORDER_CHARS) \
	F(T, STR,  columns, .hi = 4500) \
	F(T, STR,  widths, .hi = 6000) \
	F(T, STR,  totals, .hi = 6000) \
	F(T, STR,  cursor, .hi = 2048) \
	F(T, STR,  view,   .hi = 40)
SHAPE(saved_view_form, VIEW_FORM);

/* from: the view that the page shows, or NULL. */
static void
shown_read(struct ctx *c, const struct data_table *t, const struct saved_view_form *in,
    const struct data_view *from, struct data_view_new *new)
{
	const struct look look = { str_given(in->columns), str_given(in->widths),
		str_given(in->totals) };

	new->where = str_given(in->where);
	new->order = str_given(in->order);
	new->group = from ? from->group : NULL;
	look_save(c, t, &look, new);
}

static enum err
h_view_save(struct req *r)
{
	const struct saved_view_form *in = r->in;
	struct data_view_new new = { .name = in->name, .scope = in->shared ? "shared" : "private" };
	struct data_view *from = NULL;
	struct table_for tf;
	const char *id;

	TRY(table_for_get(r, &tf));
	if (in->view)
		TRY(tableview_get(r->c, r->art, r->who, tf.t->name, in->view, &from));
	shown_read(r->c, tf.t, in, from, &new);
	TRY(tableview_add(r->c, &tf, r->who, &new, &id));
	return reply_go(
	    r, "%s?view=%s&done=view_saved", table_page_path(r, tf.t->name), id);
}

static enum err
h_view_change(struct req *r)
{
	const struct saved_view_form *in = r->in;
	const char *id = req_param(r, "viw");
	struct data_view_new new = { .name = in->name };
	struct data_view *old;
	struct table_for tf;

	TRY(table_for_get(r, &tf));
	TRY(tableview_get(r->c, r->art, r->who, tf.t->name, id, &old));
	if (role_rank(r->art->role) >= ROLE_EDITOR)
		new.scope = in->shared ? "shared" : "private";
	shown_read(r->c, tf.t, in, old, &new);
	TRY(tableview_put(r->c, &tf, r->who, id, &new));
	return reply_go(
	    r, "%s?view=%s&done=view_saved", table_page_path(r, tf.t->name), id);
}

#define GRID "/a/{art}/data/tables/{table}"
static const struct route tableview_page_routes[] = {
  { FORM(GRID "/views", ART_VIEW, saved_view_form, h_view_save), .again = GRID, .limit = LIM_DATA,
    .doc = "Save what a table's page shows as a view" },
  { FORM(GRID "/views/{viw}", ART_VIEW, saved_view_form, h_view_change), .again = GRID,
    .limit = LIM_DATA, .doc = "Change a view to what a table's page shows" },
  { POST, GRID "/views/{viw}/delete", DOES("DELETE /v1/data/{art}/tables/{table}/views/{viw}"),
    .then = GRID "?done=gone", .again = GRID, .doc = "Delete a view" },
};
ROUTES(tableview_page, "Pages: views", "Saved views of a table in the browser.");
