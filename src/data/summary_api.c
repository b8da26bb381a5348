/* SPDX-License-Identifier: Apache-2.0
 * GET /v1/data/{art}/tables/{table}/summary. */
#include "base/str.h"
#include "core/artifact.h"
#include "data/row_api.h"
#include "data/summary.h"
#include "data/tableview.h"
#include "http/quota.h"
#include "http/share.h"

/* All are texts, because each is a condition in a table with a column of its name. */
#define SUMMARY_QUERY(F, T) \
	F(T, STR, group,   .hi = 2048, .doc = "A column whose values make the groups", \
		.eg = "\"title\"") \
	F(T, STR, by,      .hi = 2048, \
		.doc = "hour, day, week, month, quarter or year: groups of a timestamp or date") \
	F(T, STR, bins,    .hi = 2048, \
		.doc = "1 to 100: that many groups of equal width, of a number") \
	F(T, STR, split,   .hi = 2048, .doc = "A column that divides each group") \
	F(T, STR, measure, .hi = 2048, \
		.doc = "Up to eight, separated by commas: count, or sum, avg, min, max, median, " \
		       "distinct or empty with a column. By default count", \
		.eg = "\"count\"") \
	ROW_WHERE(F, T) \
	ROW_VIEW(F, T) \
	F(T, INT, limit,   .lo = 1, .hi = SUMMARY_GROUPS, .def = "1000", \
		.doc = "Of groups; those with the most rows")
SHAPE(summary_query, SUMMARY_QUERY);

static enum err
h_summary(struct req *r)
{
	struct summary_query q = *(const struct summary_query *)r->query;
	const struct yielding params[] = { { "group", &q.group }, { "by", &q.by },
		{ "bins", &q.bins }, { "split", &q.split }, { "measure", &q.measure },
		{ "where", &q.where }, { "zone", &q.zone },
		{ "view", &q.view } };
	struct summary_asked asked = { .limit = q.limit };
	struct summary out = { 0 };
	struct table_for tf;
	bool slow = false;

	TRY(table_for_get(r, &tf));
	TRY(rows_asked(r, &tf, params, sizeof params / sizeof *params, &asked.asked));
	asked.asked.where = q.where;
	asked.asked.zone = q.zone;
	TRY(tableview_use(r->c, &tf, r->who, q.view, &asked.asked, NULL, NULL));
	asked.group = q.group;
	asked.by = q.by;
	asked.bins = q.bins;
	asked.split = q.split;
	asked.measure = q.measure;
	TRY(summary_make(r->c, &tf, &asked, &slow, &out));
	if (slow) {
		TRY(share_slow(r));
		TRY(summary_make(r->c, &tf, &asked, NULL, &out));
	}
	return reply_flat(r, &out);
}

static const struct route summary_routes[] = {
  { GET, "/v1/data/{art}/tables/{table}/summary", ART_READ, TAKES_NOTHING, GIVES_FLAT(summary),
    h_summary, .scope = DATA_READ, .limit = LIM_DATA, .content = true,
    .query = &summary_query_shape, .open_query = true,
    .doc = "Groups of the rows that match, with exact sums and other figures; "
	   "conditions as in the list of rows" },
};
ROUTES(summary, "Summaries",
    "Figures of a table's rows, of all or by groups. They cover the rows that the reader may "
    "read.");
