/* SPDX-License-Identifier: Apache-2.0
 * The comments on an artifact in the browser: the latest, with what one may do about each. */
#include "base/str.h"
#include "core/artifact.h"
#include "core/artifact_top_page.h"
#include "http/req.h"
#include "talk/comment_page.h"

enum { COMMENTS_A_PAGE = 50 };

SHAPE_DEFINE(said, SAID);
SHAPE_DEFINE(comments_part, COMMENTS_PART);
SHAPE_DEFINE(comments_query, COMMENTS_QUERY);

static const char *
author_told(const struct comment *m)
{
	const struct comment_author *who = m->author;

	return *who->name ? who->name : who->email ? who->email : "Someone";
}

static const char *
author_of(const struct comment_list *all, const char *id)
{
	for (size_t i = 0; id && i < all->n; i++)
		if (str_eq(all->v[i].id, id))
			return author_told(&all->v[i]);
	return NULL;
}

static const char *
page_url(struct req *r, const char *path)
{
	struct buf b = BUF(r->c->mem);

	if (!path)
		return NULL;
	buf_str(&b, artifact_origin(r->c, r->art));
	buf_url(&b, path);
	return buf_done(&b);
}

static struct said
said_of(struct req *r, const struct comment_list *all, struct comment *m)
{
	const struct comments_query *q = r->query;
	const struct comment_author *by = m->author;

	return (struct said){ .comment = m,
		.path_url = page_url(r, m->path),
		.answers_who = author_of(all, m->reply_to),
		.editing = r->art->comments_open && str_eq(q->edit, m->id) &&
		    str_eq(by->id, r->who->user_id) };
}

enum err
comments_part_read(struct req *r, enum comment_names names, void **out)
{
	const struct comments_query *q = r->query;
	struct comments_part *part = *out = mem_new(r->c->mem, struct comments_part);
	struct comment_list all;
	const char *earlier;

	TRY(comment_latest(r->c, r->art, q->cursor, COMMENTS_A_PAGE, names, &all, &earlier));
	*part = (struct comments_part){ .comments =
					    list_made(r->c->mem, &all, m, said_of(r, &all, m)),
		.earlier = req_next(r, earlier, "cursor|done|reply|edit"),
		.reply_who = author_of(&all, q->reply) };
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
	return ASKED(r, out, .name = author_told(m), .url = r->art->url);
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
