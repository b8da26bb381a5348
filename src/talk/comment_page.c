/* SPDX-License-Identifier: Apache-2.0
 * The comments on an artifact in the browser: the latest, with what one may do about each. */
#include "base/str.h"
#include "core/artifact.h"
#include "http/req.h"
#include "talk/comment_page.h"
#include "talk/place.h"

enum { THREADS_A_PAGE = 50 };

SHAPE_DEFINE(comments_part, COMMENTS_PART);
SHAPE_DEFINE(comments_query, COMMENTS_QUERY);

/* A refused form for a comment's text has its id in the path; the page shows that form again. */
static enum err
refused_take(struct req *r, const struct comment_reader *reader, struct comments_query *q)
{
	const char *id = r->refused.path ? strrchr(r->refused.path, '/') + 1 : "";
	struct pair typed[PAIRS];
	size_t n = str_starts(id, "cmt_") ? req_form_pairs(r, typed) : 0;
	struct comment *m;

	if (!pair_value(typed, n, "text"))
		return E_OK;
	q->edit = id;
	TRY(comment_get(r->c, r->art, id, reader, &m));
	q->state = m->state;
	return E_OK;
}

enum err
comments_part_read(struct req *r, int64_t on_version, void **out)
{
	struct comments_query q = *(const struct comments_query *)r->query;
	const struct comment_reader reader = comment_reader_of(r->art, r->who, false);
	struct comments_part *part = *out = mem_new(r->c->mem, struct comments_part);
	struct comment_list all;
	const char *earlier;

	TRY(refused_take(r, &reader, &q));
	TRY(comment_threads(
	    r->c, r->art, q.state, q.cursor, THREADS_A_PAGE, &reader, &all, &earlier));
	TRY(comment_open_count(r->c, r->art, &reader, &part->open_count));
	part->talk_at = mem_strndup(r->c->mem, r->uri, strcspn(r->uri, "?"));
	part->on_version = on_version;
	if (on_version)
		TRY(places_set(r->c, r->art->id, on_version, all.v, all.n));
	part->comments = comments_said(
	    r->c, r->art, &all, r->art->comments_open ? q.edit : NULL, r->who);
	part->refused = r->refused.row != NULL;
	part->earlier = req_next(r, earlier, "cursor|done|reply_to|edit");
	part->reply_who = comment_author_of(&all, q.reply_to);
	part->resolved = str_eq(q.state, "resolved");
	part->people = reader.people;
	return E_OK;
}

static enum err
h_comments(struct req *r)
{
	void *part;

	TRY(comments_part_read(r, 0, &part));
	return reply_page(r, 0, part);
}

enum err
comment_find(struct req *r, struct shown *out)
{
	const struct comment_reader reader = comment_reader_of(r->art, r->who, false);
	struct comment *m;

	TRY(comment_get(r->c, r->art, req_param(r, "cmt"), &reader, &m));
	return ASKED(r, out, .name = comment_author(m), .url = r->art->url);
}

static const struct route comment_page_routes[] = {
  { PAGE_OF("/a/{art}/comments", ART_VIEW, "comments", &comments_part_shape, h_comments),
    .query = &comments_query_shape, .title = "Comments", .doc = "What people say about it" },
  { POST, "/a/{art}/comments", DOES("POST /v1/artifacts/{art}/comments"),
    .then = "/a/{art}/comments#{id}", .again = "/a/{art}/comments", .doc = "Add a comment" },
  { POST, "/a/{art}/comments/settings", DOES("PATCH /v1/artifacts/{art}"),
    .then = "/a/{art}/comments?done=saved", .again = "/a/{art}/comments",
    .doc = "Open or close comments, and choose whether to be e-mailed about them" },
  { POST, "/a/{art}/comments/{cmt}", DOES("PATCH /v1/artifacts/{art}/comments/{cmt}"),
    .then = "/a/{art}/comments?state={state}#{cmt}", .again = "/a/{art}/comments",
    .doc = "Change a comment of yours, or the state or audience of its thread" },
  { POST, "/a/{art}/comments/{cmt}/delete", DOES("DELETE /v1/artifacts/{art}/comments/{cmt}"),
    .ask = ASK(COMMENT_DELETE, "/a/{art}/comments#{cmt}", .find = comment_find,
	.url = "{url}", .who = ART_VIEW),
    .then = "/a/{art}/comments?done=comment_deleted",
    .doc = "Delete a comment" },
};
ROUTES(comment_page, "Pages: comments",
    "Comments on an artifact in the browser.");
