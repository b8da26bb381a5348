/* SPDX-License-Identifier: Apache-2.0
 * Views of a version: list them, make them anew. */
#include "site/fileview.h"

#include "core/artifact.h"
#include "http/quota.h"
#include "http/req.h"

static enum err
h_view_list(struct req *r)
{
	return reply_list_of(
	    r, struct list, fileview_list, r->art, req_param_no(r, "no"), r->query);
}

static enum err
p_view_remake(struct req *r)
{
	struct fileviews *made;

	TRY(fileviews_remake(r->c, r->art, req_param_no(r, "no"), &made));
	r->prepared = made;
	return E_OK;
}

static enum err
h_view_remake(struct req *r)
{
	/* A version has fewer. */
	struct page_query all = { .limit = 1000 };

	TRY(fileviews_replace(r->prepared, r->art, req_param_no(r, "no")));
	return reply_list_of(
	    r, struct list, fileview_list, r->art, req_param_no(r, "no"), &all);
}

static LIMIT(LIM_VIEWS, "views", OF_ARTIFACT, ALL, views_made_per_hour, "views made anew");

static const struct route fileview_routes[] = {
/*  method path                                         who
    body                 reply                           handler */
  { GET,   "/v1/artifacts/{art}/versions/{no}/views",   ART_READ,
    TAKES_NOTHING,       GIVES_LIST("views", file_view), h_view_list,
    .scope = ARTIFACTS_READ, .query = &page_query_shape,
    .doc = "List the views of a version: pages that show its files" },
  { POST,  "/v1/artifacts/{art}/versions/{no}/views",   ART_EDIT,
    TAKES_NOTHING,       GIVES_LIST("views", file_view), h_view_remake,
    .slow = true, .scope = ARTIFACTS_PUBLISH, .limit = LIM_VIEWS, .prepare = p_view_remake,
    .doc = "Make the views of a version anew, as they would be made today" },
};
ROUTES(fileview, "Views of files",
    "Pages that show files which are no pages, such as Markdown, CSV, or source code.");
