/* SPDX-License-Identifier: Apache-2.0
 * Charts in the browser: all of an artifact, one with its numbers, and forms to make and change
 * one. */
#include "base/str.h"
#include "charts/chart_api.h"
#include "core/artifact_top_page.h"
#include "core/rights.h"
#include "data/tableview.h"
#include "http/req.h"
#include "watch/alert.h"

enum { CHOICES_ROOM = 600 };

/* An option of a field. */
#define CHART_CHOICE(F, T) \
	F(T, STR,  word) \
	F(T, STR,  said) \
	F(T, BOOL, chosen)
SHAPE(chart_choice, CHART_CHOICE);

#define CHART_FIELDS(F, T) \
	F(T, STR,  table) \
	F(T, OBJ,  chart,    .sub = &chart_shape, .doc = "NULL: a new one") \
	F(T, STRS, periods) \
	F(T, LIST, measures, .sub = &chart_choice_shape) \
	F(T, LIST, groups,   .sub = &chart_choice_shape) \
	F(T, LIST, splits,   .sub = &chart_choice_shape) \
	F(T, LIST, views,    .sub = &chart_choice_shape) \
	F(T, LIST, alerts,   .sub = &chart_choice_shape)
SHAPE(chart_fields, CHART_FIELDS);

#define CHART_ROW(F, T) \
	F(T, STR,  label) \
	F(T, STRS, values)
SHAPE(chart_row, CHART_ROW);

#define CHART_PAGE(F, T) \
	F(T, OBJ,  chart,   .sub = &chart_shape) \
	F(T, STR,  wrong,   .doc = "Why it can't be drawn") \
	F(T, OBJ,  data,    .sub = &chart_data_shape) \
	F(T, STRS, heads) \
	F(T, LIST, rows,    .sub = &chart_row_shape) \
	F(T, OBJ,  fields,  .sub = &chart_fields_shape, .doc = "For editors")
SHAPE(chart_page, CHART_PAGE);

#define CHART_NEW_QUERY(F, T) \
	F(T, STR, table, .flags = F_REQ, .lo = 1, .hi = TABLE_NAME_CHARS)
SHAPE(chart_new_query, CHART_NEW_QUERY);

/* ---- options ---- */

struct options {
	struct ctx *c;
	struct chart_choice *v;
	size_t n;
	const char *chosen;
	bool any; /* the chosen one is among them */
};

static struct options
options_begin(struct ctx *c, const char *chosen)
{
	return (struct options){ c, mem_array(c->mem, struct chart_choice, CHOICES_ROOM), 0,
		chosen, !chosen };
}

static void
option_add(struct options *o, const char *word, const char *said)
{
	const bool chosen = str_eq(o->chosen, word);

	if (o->n == CHOICES_ROOM)
		return;
	o->v[o->n++] = (struct chart_choice){ word, said, chosen };
	o->any |= chosen;
}

/* Adds the chosen one, which nothing on the page offers, so that saving the form keeps it. */
static struct list
options_end(struct options *o, const char *said)
{
	if (!o->any)
		option_add(o, o->chosen, said ? said : o->chosen);
	return (struct list){ o->v, o->n };
}

static void
measure_add(struct options *o, const char *figure, const char *column)
{
	const char *word = mem_printf(o->c->mem, "%s.%s", figure, column);

	option_add(o, word, chart_measure_words(o->c->mem, word));
}

static struct list
measures_make(struct ctx *c, const struct data_table *t, const struct chart *ch)
{
	static const char *const numbers[] = { "sum", "avg", "min", "max", "median" };
	const struct data_column *col = t->columns.v;
	struct options o = options_begin(c, ch ? ch->measure : NULL);

	option_add(&o, "count", "Number of rows");
	for (size_t i = 0; i < t->columns.n; i++) {
		for (size_t k = 0; k < 5 && str_in(col[i].type, "number|integer"); k++)
			measure_add(&o, numbers[k], col[i].name);
		if (!str_eq(col[i].type, "json"))
			measure_add(&o, "distinct", col[i].name);
	}
	return options_end(&o, NULL);
}

static struct list
columns_make(struct ctx *c, const struct data_table *t, const char *chosen)
{
	const struct data_column *col = t->columns.v;
	struct options o = options_begin(c, chosen);

	for (size_t i = 0; i < t->columns.n; i++)
		if (!str_eq(col[i].type, "json"))
			option_add(&o, col[i].name, col[i].name);
	return options_end(&o, NULL);
}

static enum err
views_make(struct req *r, const char *table, const struct chart *ch, struct list *out)
{
	struct options o = options_begin(r->c, ch ? ch->view_id : NULL);
	struct data_view_list views;

	TRY(tableview_list(r->c, r->art, NULL, table, &views));
	for (size_t i = 0; i < views.n; i++)
		option_add(&o, views.v[i].id, views.v[i].name);
	*out = options_end(&o, "Another view");
	return E_OK;
}

static enum err
alerts_make(struct req *r, const char *table, const struct chart *ch, struct list *out)
{
	struct options o = options_begin(r->c, ch ? ch->alert_id : NULL);
	struct metric_alert_list alerts;

	TRY(alert_list(r->c, r->who, r->art->id, &alerts));
	for (size_t i = 0; i < alerts.n; i++)
		if (str_eq(alerts.v[i].table, table) && !str_eq(alerts.v[i].op, "change_pct"))
			option_add(&o, alerts.v[i].id, alerts.v[i].name);
	*out = options_end(&o, "Another alert");
	return E_OK;
}

/* ch: NULL for a new chart. */
static enum err
fields_make(struct req *r, const char *table, struct chart *ch, struct chart_fields **out)
{
	struct chart_fields *f = mem_new(r->c->mem, struct chart_fields);
	struct data_table *t;

	TRY(table_show(r->c, r->art, r->who, table, &t));
	*f = (struct chart_fields){ .table = t->name,
		.chart = ch,
		.periods = strs_split(r->c->mem, CIVIL_PERIODS, '|'),
		.measures = measures_make(r->c, t, ch),
		.groups = columns_make(r->c, t, ch ? ch->group : NULL),
		.splits = columns_make(r->c, t, ch ? ch->split : NULL) };
	TRY(views_make(r, table, ch, &f->views));
	TRY(alerts_make(r, table, ch, &f->alerts));
	*out = f;
	return E_OK;
}

/* ---- pages ---- */

/* Finds the fields of a new chart. */
static enum err
fields_find(struct req *r, struct shown *out)
{
	const struct chart_new_query *q = r->query;
	struct chart_fields *fields;

	TRY(fields_make(r, q->table, NULL, &fields));
	*out = SHOWN(chart_fields, fields);
	return E_OK;
}

static void
numbers_make(struct ctx *c, struct chart_data *data, const struct chart_points *p,
    struct chart_page *page)
{
	struct chart_row *row = mem_array(c->mem, struct chart_row, p->n + 1);

	for (size_t s = 0; s < p->series_n; s++)
		strs_add(c->mem, &page->heads, p->names[s]);
	for (size_t i = 0; i < p->n; i++) {
		row[i].label = p->labels[i];
		for (size_t s = 0; s < p->series_n; s++)
			strs_add(c->mem, &row[i].values, chart_value_shown(c, p->texts[s][i]));
	}
	page->rows = (struct list){ row, data->rows ? p->n : 0 };
	page->data = data;
}

static enum err
h_chart_page(struct req *r)
{
	struct chart_page page = { 0 };
	struct chart_points points;
	struct chart_fields *fields;
	struct chart_data data;
	struct chart *ch = NULL;
	enum err e = chart_for_get(r, &ch, &data, &points);

	if (e && (!ch || (e != E_CONFLICT && e != E_NOT_FOUND)))
		return e;
	if (e)
		page.wrong = mem_strdup(r->c->mem, r->c->message);
	if (e)
		ctx_forgive(r->c);
	else
		numbers_make(r->c, &data, &points, &page);
	page.chart = ch;
	if (role_rank(r->art->role) < ROLE_EDITOR)
		return reply_page(r, 0, &page);
	e = fields_make(r, ch->table, ch, &fields);
	if (e == E_NOT_FOUND)
		ctx_forgive(r->c);
	else if (e)
		return e;
	else
		page.fields = fields;
	return reply_page(r, 0, &page);
}

#define CHARTS "/a/{art}/data/charts"
#define API "/v1/data/{art}/charts"
static const struct route chart_page_routes[] = {
  { SHOWN_PAGE(CHARTS, ART_VIEW, "charts"), .query = &tab_query_shape,
    .shows = SHOWS({ "charts", "GET " API "?limit=100" },
	{ "tables", "GET /v1/data/{art}/tables?limit=200" }),
    .title = "Charts", .doc = "Its charts" },
  { POST, CHARTS, DOES("POST " API), .then = CHARTS "/{id}?done=chart_made",
    .again = CHARTS "/new", .doc = "Make a chart" },
  { SHOWN_PAGE(CHARTS "/new", ART_EDIT, "chart_new"), .query = &chart_new_query_shape,
    .shows = SHOWS({ "fields", .find = fields_find, .of = &chart_fields_shape }),
    .title = "New chart", .doc = "What a new chart of a table shows" },
  { PAGE(CHARTS "/{cht}", ART_VIEW, chart, h_chart_page), .query = &tab_query_shape,
    .title = "Chart", .doc = "One chart, with its numbers" },
  { POST, CHARTS "/{cht}", DOES("PUT " API "/{cht}"), .then = CHARTS "/{cht}?done=saved",
    .again = CHARTS "/{cht}", .doc = "Change a chart" },
  { POST, CHARTS "/{cht}/delete", DOES("DELETE " API "/{cht}"),
    .ask = ASK("Delete {name}?", "Pages that show the chart have a gap then. Its rows stay.",
	"Delete chart", CHARTS "/{cht}", .of = "GET " API "/{cht}"),
    .then = CHARTS "?done=gone", .doc = "Delete a chart" },
};
ROUTES(chart_page, "Pages: charts", "Charts of an artifact's tables in the browser.");
