/* SPDX-License-Identifier: Apache-2.0
 * What people read on an artifact's first page: its live version's, as the browser that opened it
 * said (site/pagecheck.h). It is found by it, by whoever may open it. Source: site/README.md. */
#ifndef VITRINE_PAGETEXT_H
#define VITRINE_PAGETEXT_H
#include "site/due.h"

/* Of a version that was opened; one that is not live anymore is left out. A transaction of its
 * own. */
enum err pagetext_keep(struct ctx *c, const struct page_due *, const char *text);
#endif
