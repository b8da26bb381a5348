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

/* The features of the workspace's plan, and the plans that have the others (NULL: none). */
#define WS_PLAN(F, T) \
	F(T, STR,  plan_name) \
	F(T, BOOL, has_branding) \
	F(T, STR,  branding_plans) \
	F(T, BOOL, has_subdomain) \
	F(T, STR,  subdomain_plans) \
	F(T, BOOL, has_learning) \
	F(T, STR,  learning_plans) \
	F(T, BOOL, has_session_policy) \
	F(T, INT,  usual_days, .doc = "That people stay signed in, unless a policy says less")
SHAPE_DECLARE(ws_plan, WS_PLAN);
enum err ws_plan_find(struct req *, struct shown *);
/* For .shows: the plan, as {{plan.plan_name}}. */
#define SHOW_PLAN { "plan", .find = ws_plan_find, .of = &ws_plan_shape }

enum { WS_ROWS = 50 }; /* of a list */

/* E_TIER_REQUIRED, about that field of a form, in words for the viewer, unless the plan has the
 * feature. */
enum err ws_page_plan_need(struct req *, enum feature, const char *field);
#endif
