/* SPDX-License-Identifier: Apache-2.0
 * The figures of a chart for a request of the API, or of its page. */
#ifndef VITRINE_CHART_API_H
#define VITRINE_CHART_API_H
#include "charts/chart.h"

struct req;
/* Computes the chart that the path names, for the caller. A chart of many rows moves the request
 * to the slow pool. *ch is set before a failure that isn't about the chart's id. */
enum err chart_for_get(struct req *r, struct chart **ch, struct chart_data *data,
    struct chart_points *points);
#endif
