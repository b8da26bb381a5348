/* SPDX-License-Identifier: Apache-2.0
 * The text that people read on the first page of an artifact’s live version, as the browser that
 * opened it reported (site/seen.h). Search finds the artifact by it, for callers who may open
 * it. Source: site/README.md. */
#ifndef VITRINE_PAGETEXT_H
#define VITRINE_PAGETEXT_H
#include "site/due.h"

/* Stores the text of a version that was opened; a version that is no longer live is skipped. In a
 * transaction of its own. */
enum err pagetext_keep(struct ctx *c, const struct page_due *, const char *text);
#endif
