/* SPDX-License-Identifier: Apache-2.0
 * Watches and alerts in the browser, as part of the page of a table. */
#ifndef VITRINE_METRIC_PAGE_H
#define VITRINE_METRIC_PAGE_H
#include "data/table.h"
#include "http/req.h"

#define WATCH_LINE(F, T) \
	F(T, ID,   id, .arg = "wat_") \
	F(T, STR,  words) \
	F(T, STR,  threshold) \
	F(T, STR,  baseline, .doc = "NULL: there was nothing to measure") \
	F(T, TIME, fired_at)
SHAPE_DECLARE(watch_line, WATCH_LINE);
/* The caller's own watches on a table, as lines of watch_line. */
enum err metric_page_watches(struct req *, const char *table, struct list *out);
#endif
