/* SPDX-License-Identifier: Apache-2.0
 * The part that each of a workspace’s settings pages has (core/ws-top.html). Title and notice come
 * from the row (.title) and the query; a page with another title has WS_PAGE in its shape.
 */
#ifndef VITRINE_WORKSPACE_PAGE_H
#define VITRINE_WORKSPACE_PAGE_H
#include "core/artifact.h"
#include "core/artifact_top_page.h"

#define WS_PAGE(F, T) \
	F(T, STR, title)
#define WS_PAGE_OF(r, title_) .title = (title_)

/* A filter of a list, or the number of its rows. */
enum { WS_ROWS = 50 };

/* Leads back to one of the workspace's pages ("/agents"), with a notice. */
enum err ws_page_back(struct req *, const char *page, const char *done);
/* Returns the text of a field of several lines, without carriage returns; NULL if it is empty. */
const char *ws_page_text(struct req *, const char *typed);
/* E_TIER_REQUIRED, about that field of a form, in words for the viewer, unless the plan has the
 * feature. */
enum err ws_page_plan_need(struct req *, enum feature, const char *field);
#endif
