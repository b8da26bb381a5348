/* SPDX-License-Identifier: Apache-2.0
 * Views of a table in the browser: the grid's page lists them, saves what it shows as one, and
 * changes the one that it shows. */
#include "base/str.h"
#include "core/artifact.h"
#include "data/row_api.h"
#include "data/table_page.h"
#include "data/tableview.h"
#include "http/quota.h"
#include "http/req.h"

/* where and order say what the page shows. */
#define VIEW_FORM(F, T) \
	F(T, STR,  name,   .flags = F_REQ, .lo = 1, .hi = 80) \
	F(T, BOOL, shared) \
	F(T, STR,  where,  .hi = WHERE_CHARS) \
	F(T, STR,  order,  .hi = VIEW_ORDER_CHARS) \
	F(T, STR,  cursor, .hi = 2048) \
	F(T, STR,  view,   .hi = 40)
SHAPE(saved_view_form, VIEW_FORM);

/* Keeps what the page doesn't show. */
static enum err
look_keep(struct ctx *c, const struct data_view *from, struct data_view_new *new)
{
	struct json *all;

	if (!from)
		return E_OK;
	new->widths = from->widths;
	new->totals = from->totals;
	new->group = from->group;
	if (!from->columns)
		return E_OK;
	TRY(json_parse(c, from->columns, strlen(from->columns), &all));
	for (size_t i = 0; i < json_len(all); i++)
		strs_add(c->mem, &new->columns, json_str(json_at(all, i)));
	new->has.columns = GIVEN;
	return E_OK;
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
	new.where = str_given(in->where);
	new.order = str_given(in->order);
	TRY(look_keep(r->c, from, &new));
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
	new.where = str_given(in->where);
	new.order = str_given(in->order);
	TRY(look_keep(r->c, old, &new));
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
