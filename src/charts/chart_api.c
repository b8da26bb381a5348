/* SPDX-License-Identifier: Apache-2.0
 * Routes of /v1/data/{art}/charts. Source: charts/README.md. */
#include "charts/chart_api.h"

#include "core/artifact.h"
#include "http/quota.h"
#include "http/req.h"
#include "http/share.h"

#define CHARTS_PATH "/v1/data/{art}/charts"

#define CHART_PICTURE(F, T) \
	F(T, WORD, theme, .arg = "light|dark", .doc = "By default what the browser prefers") \
	F(T, INT,  width, .lo = CHART_WIDTH_LEAST, .hi = CHART_WIDTH_MOST, .def = "640")
SHAPE(chart_picture, CHART_PICTURE);

static enum err
h_charts(struct req *r)
{
	const struct page_query *q = r->query;
	struct chart_list rows;

	TRY(chart_list(r->c, r->art, r->who, &rows));
	return reply_part(
	    r, &(struct list){ rows.v, rows.n }, LIST_UNSORTED, q->limit, q->cursor);
}

static enum err
chart_reply(struct req *r, const char *id)
{
	struct chart *ch;

	TRY(chart_get(r->c, r->art, r->who, id, &ch));
	return reply_noun(r, ch);
}

static enum err
h_chart(struct req *r)
{
	return chart_reply(r, req_param(r, "cht"));
}

static enum err
h_chart_add(struct req *r)
{
	const char *id;

	TRY(chart_add(r->c, r->art, r->who, r->in, &id));
	reply_header(r, "Location", "/v1/data/%s/charts/%s", r->art->id, id);
	return chart_reply(r, id);
}

static enum err
h_chart_put(struct req *r)
{
	TRY(chart_put(r->c, r->art, r->who, req_param(r, "cht"), r->in));
	return chart_reply(r, req_param(r, "cht"));
}

static enum err
h_chart_delete(struct req *r)
{
	TRY(chart_delete(r->c, r->art, req_param(r, "cht")));
	return reply_none(r);
}

enum err
chart_for_get(struct req *r, struct chart **ch, struct chart_data *data,
    struct chart_points *points)
{
	bool slow = false;

	TRY(chart_get(r->c, r->art, r->who, req_param(r, "cht"), ch));
	TRY(chart_compute(r->c, r->art, r->who, *ch, &slow, data, points));
	if (!slow)
		return E_OK;
	TRY(share_slow(r));
	return chart_compute(r->c, r->art, r->who, *ch, NULL, data, points);
}

static enum err
h_chart_data(struct req *r)
{
	struct chart_points points;
	struct chart_data data;
	struct chart *ch;

	TRY(chart_for_get(r, &ch, &data, &points));
	return reply_flat(r, &data);
}

static enum err
h_chart_svg(struct req *r)
{
	const struct chart_picture *q = r->query;
	struct chart_points points;
	struct chart_data data;
	struct chart *ch;

	TRY(chart_for_get(r, &ch, &data, &points));
	r->status = 200;
	buf_str(&r->out, chart_draw(r->c, ch, &data, &points, q->theme, (int)q->width));
	reply_header(r, "Content-Type", "image/svg+xml");
	reply_header(r, "Cache-Control", "private, no-cache");
	reply_header(
	    r, "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox");
	return E_OK;
}

static const struct route chart_routes[] = {
/* method  path                        who body              reply
 * handler */
  { GET,    CHARTS_PATH,              ART_READ,
    TAKES_NOTHING,    GIVES_LIST("charts", chart), h_charts,
    .scope = DATA_READ, .limit = LIM_DATA, .content = true, .query = &page_query_shape,
    .doc = "List the charts of an artifact, by place" },
  { POST,   CHARTS_PATH,              ART_EDIT,
    TAKES(chart_new), GIVES("chart", chart),       h_chart_add,
    .scope = DATA_WRITE, .limit = LIM_DATA, .success = 201, .doc = "Make a chart of a table",
    .did = "Made a chart of" },
  { GET,    CHARTS_PATH "/{cht}",      ART_READ,
    TAKES_NOTHING,    GIVES("chart", chart),       h_chart,
    .scope = DATA_READ, .limit = LIM_DATA, .content = true, .doc = "Get a chart's settings" },
  { PUT,    CHARTS_PATH "/{cht}",      ART_EDIT,
    TAKES(chart_new), GIVES("chart", chart),       h_chart_put,
    .scope = DATA_WRITE, .limit = LIM_DATA,
    .doc = "Replace a chart's settings; only where, bins and place stay if they are absent",
    .did = "Changed a chart of" },
  { DELETE, CHARTS_PATH "/{cht}",      ART_EDIT,
    TAKES_NOTHING,    GIVES_NOTHING,               h_chart_delete,
    .scope = DATA_WRITE, .limit = LIM_DATA, .doc = "Delete a chart",
    .did = "Deleted a chart of" },
  { GET,    CHARTS_PATH "/{cht}/data", ART_READ,
    TAKES_NOTHING,    GIVES_FLAT(chart_data),      h_chart_data,
    .scope = DATA_READ, .limit = LIM_DATA, .content = true,
    .doc = "Get a chart's figures, of the rows that you can read" },
  { GET,    CHARTS_PATH "/{cht}/svg",  ART_READ,
    TAKES_NOTHING,    GIVES_TYPED("image/svg+xml"), h_chart_svg,
    .scope = DATA_READ, .limit = LIM_DATA, .content = true, .query = &chart_picture_shape,
    .doc = "Get a chart as an SVG image, of the rows that you can read" },
};
ROUTES(chart, "Charts",
    "Charts of an artifact's tables: exact figures, and an SVG image for light and dark pages. "
    "Everyone sees them over the rows that they may read.");
