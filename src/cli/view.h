/* SPDX-License-Identifier: Apache-2.0
 * Commands about views and charts of tables. */
#ifndef VITRINE_CLI_VIEW_H
#define VITRINE_CLI_VIEW_H
#include "cli/cli.h"

#define VIEW_OPTIONS \
	{ "--view VIEW", "for rows, export, and chart add: only rows of this view" }, \
	{ "--columns LIST", "for view add: columns with commas between them" }, \
	{ "--shared", "for view add: for all who have a role, not only for you" }, \
	{ "--kind KIND", "for chart add: bar (default), stacked, line, area, histogram, scatter, " \
	    "number, or table" }, \
	{ "--group COLUMN", "for view add and chart add" }, \
	{ "--by PERIOD", "for chart add: hour, day, week, month, quarter, or year" }, \
	{ "--split COLUMN", "for chart add: a series for each of its values" }, \
	{ "--measure LIST", "for chart add: such as sum.amount (default: count)" }, \
	{ "--bins N", "for chart add: of a histogram" }, \
	{ "--theme THEME", "for chart svg: light or dark" },

#define VIEWS "/v1/data/{@artifact}/tables/{TABLE}/views"
#define CHARTS "/v1/data/{@artifact}/charts"
#define CHART_IS { "cht_", "the id of a chart: vitrine table chart list lists them" }
#define VIEW_ROWS \
	{ "view list", "TABLE", "GET " VIEWS, .list = "views", \
	    .line = "{id}  {-7 scope}  {name}" }, \
	{ "view add", "TABLE NAME", "POST " VIEWS, \
	    "name=NAME scope=--shared?'shared' order=--order columns:list=--columns " \
	    "group=--group", \
	    .adds = view_where_add, .line = "{view.id}" }, \
	{ "view remove", "TABLE ID", "DELETE " VIEWS "/{ID}", .note = "removed", \
	    .id = { "viw_", "the id of a view: vitrine table view list lists them" } }, \
	{ "chart list", NULL, "GET " CHARTS, .list = "charts", \
	    .line = "{id}  {-9 kind}  {name}: {measure}[ by {group}] of {table}" }, \
	{ "chart add", "TABLE NAME", "POST " CHARTS, \
	    "table=TABLE name=NAME kind=--kind|'bar' group=--group by=--by split=--split " \
	    "measure=--measure bins:number=--bins zone=--zone view_id=--view", \
	    .adds = view_where_add, .line = "{chart.id}" }, \
	{ "chart data", "ID", "GET " CHARTS "/{ID}/data", .line = "{description}", \
	    .id = CHART_IS }, \
	{ "chart svg", "CHART [FILE]", .run = view_chart_save }, \
	{ "chart remove", "ID", "DELETE " CHARTS "/{ID}", .note = "removed", \
	    .id = CHART_IS },

/* Adds --where, written as in a query ("age=gte.18&name=in.Ann,Bo") or as JSON, to a body. */
bool view_where_add(struct cli *, struct buf *body);
int view_chart_save(struct cli *);
/* Saves what a GET of the path returns as a new file. Returns the exit status. */
int table_save(struct cli *, const char *path, const char *file);
#endif
