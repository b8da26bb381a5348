/* SPDX-License-Identifier: Apache-2.0
 * Watches and alerts in the browser, as part of the page of a table. */
#ifndef VITRINE_METRIC_PAGE_H
#define VITRINE_METRIC_PAGE_H
#include "http/req.h"
#include "watch/watch.h"

/* Lists the caller's own watches on a table, in words. */
enum err metric_page_watches(struct req *, const char *table, struct list *out);
#endif
