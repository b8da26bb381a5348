/* SPDX-License-Identifier: Apache-2.0
 * The comments on an artifact in the browser: the latest, with what one may do about each. */
#include "base/str.h"
#include "core/artifact.h"
#include "http/req.h"
#include "talk/comment_page.h"

enum { COMMENTS_A_PAGE = 50 };

SHAPE_DEFINE(comments_part, COMMENTS_PART);
SHAPE_DEFINE(comments_query, COMMENTS_QUERY);

enum err
comments_part_read(struct req *r, enum comment_names names, void **out)
{
	const struct comments_query *q = r->query;
	struct comments_part *part = *out = mem_new(r->c->mem, struct comments_part);
	struct comment_list all;
	const char *earlier;

	TRY(comment_latest(r->c, r->art, q->cursor, COMMENTS_A_PAGE, names, &all, &earlier));
	*part = (struct comments_part){
		.comments = comments_said(r->c, r->art, &all,
		    r->art->comments_open ? q->edit : NULL, r->who->user_id),
		.earlier = req_next(r, earlier, "cursor|done|reply|edit"),
		.reply_who = comment_author_of(&all, q->reply)
	};
	return E_OK;
}

static enum err
h_comments(struct req *r)
{
	void *part;

	TRY(comments_part_read(r, NAMES_AND_ADDRESSES, &part));
	return reply_page(r, 0, part);
}

enum err
comment_find(struct req *r, enum comment_names names, struct shown *out)
{
	struct comment *m;

	TRY(comment_get(r->c, r->art, req_param(r, "cmt"), names, &m));
	return ASKED(r, out, .name = comment_author(m), .url = r->art->url);
}

static enum err
comment_find_here(struct req *r, struct shown *out)
{
	return comment_find(r, NAMES_AND_ADDRESSES, out);
}

static const struct route comment_page_routes[] = {
  { PAGE_OF("/a/{art}/comments", ART_VIEW, "comments", &comments_part_shape, h_comments),
    .query = &comments_query_shape, .doc = "What people say about it" },
  { POST, "/a/{art}/comments", DOES("POST /v1/artifacts/{art}/comments"),
    .then = "/a/{art}/comments#{id}", .again = "/a/{art}/comments", .doc = "Add a comment" },
  { POST, "/a/{art}/comments/settings", DOES("PATCH /v1/artifacts/{art}"),
    .then = "/a/{art}/comments?done=saved", .again = "/a/{art}/comments",
    .doc = "Open or close comments, and choose whether to be e-mailed about them" },
  { POST, "/a/{art}/comments/{cmt}", DOES("PATCH /v1/artifacts/{art}/comments/{cmt}"),
    .then = "/a/{art}/comments#{cmt}", .again = "/a/{art}/comments",
    .doc = "Change a comment of yours" },
  { POST, "/a/{art}/comments/{cmt}/delete", DOES("DELETE /v1/artifacts/{art}/comments/{cmt}"),
    .ask = ASK(COMMENT_DELETE, "/a/{art}/comments#{cmt}", .find = comment_find_here,
	.url = "{url}", .who = ART_VIEW),
    .then = "/a/{art}/comments?done=comment_deleted",
    .doc = "Delete a comment" },
};
ROUTES(comment_page, "Pages: comments",
    "Comments on an artifact in the browser.");
