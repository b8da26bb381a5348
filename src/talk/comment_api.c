/* SPDX-License-Identifier: Apache-2.0
 * Routes of /v1/artifacts/{art}/comments. Source: talk/README.md. */
#include "core/artifact.h"
#include "http/await.h"
#include "http/quota.h"
#include "http/req.h"
#include "talk/comment.h"
#include "talk/place.h"
#include "talk/remark.h"

/* A published page gets no addresses, because its script may be somebody else's. */
static struct comment_reader
reader_of(const struct req *r)
{
	return comment_reader_of(r->art, r->who, r->site != NULL);
}

static enum err
h_comment_list(struct req *r)
{
	const struct comment_reader reader = reader_of(r);
	const struct comment_query *q = r->query;
	bool since = q->has.since == GIVEN;
	struct comments out = { 0 };
	struct awaited wait;

	await_begin(r, comment_subject(r->c->mem, r->art->id), &wait);
	if (since || q->wait) {
		TRY(comment_change_no(r->c, r->art, &reader, &out.change_no));
		out.has.change_no = GIVEN;
		TRY(await_change(
		    r, &wait, q->wait, since ? q->since : AWAIT_PRESENT, out.change_no));
	}
	TRY(comment_list(r->c, r->art, q, &reader, &out));
	if (q->version) {
		TRY(spot_version(r->c, r->art, r->who, q->version));
		TRY(places_set(r->c, r->art->id, q->version, out.comments.v, out.comments.n));
	}
	if (out.next_cursor)
		reply_header(
		    r, "Link", "<%s>; rel=\"next\"", req_next(r, out.next_cursor, "cursor"));
	return reply_flat(r, &out);
}

static enum err
comment_reply(struct req *r, const char *id)
{
	const struct comment_reader reader = reader_of(r);
	struct comment *m;

	TRY(comment_get(r->c, r->art, id, &reader, &m));
	return reply_noun(r, m);
}

static enum err
h_comment_get(struct req *r)
{
	return comment_reply(r, req_param(r, "cmt"));
}

static enum err
h_comment_add(struct req *r)
{
	const char *id;

	TRY(comment_add(r->c, r->art, r->who, r->site != NULL, r->in, &id));
	reply_header(r, "Location", "/v1/artifacts/%s/comments/%s", r->art->id, id);
	return comment_reply(r, id);
}

static enum err
h_comment_change(struct req *r)
{
	TRY(comment_change(r->c, r->art, r->who, req_param(r, "cmt"), r->in));
	return comment_reply(r, req_param(r, "cmt"));
}

static enum err
h_comment_remove(struct req *r)
{
	TRY(comment_remove(r->c, r->art, r->who, req_param(r, "cmt")));
	return reply_none(r);
}

static enum err
h_people(struct req *r)
{
	const struct named_query *q = r->query;
	struct named_people out = { 0 };

	TRY(named_search(r->c, r->art, r->who, q->q, &out.people));
	return reply_flat(r, &out);
}

LIMIT(LIM_COMMENT, "comment", OF_CALLER, SUCCESSES, comments_per_hour, "comments");

static const struct route comment_routes[] = {
/* method  path                                  who body                 reply
 * handler */
  { GET,    "/v1/artifacts/{art}/comments",       ART_DISCUSS,
    TAKES_NOTHING,       GIVES_FLAT(comments),             h_comment_list,
    .scope = ARTIFACTS_READ, .query = &comment_query_shape, .content = true,
    .doc = "List the comments, oldest first" },
  { POST,   "/v1/artifacts/{art}/comments",       ART_DISCUSS,
    TAKES(comment_new),  GIVES("comment", comment),       h_comment_add,
    .scope = DATA_WRITE, .limit = LIM_COMMENT, .success = 201, .content = true,
    .doc = "Add a comment, or a reply to one",
    .did = "Commented on" },
  { GET,    "/v1/artifacts/{art}/comments/{cmt}", ART_DISCUSS,
    TAKES_NOTHING,       GIVES("comment", comment),       h_comment_get,
    .scope = ARTIFACTS_READ, .doc = "Get one comment" },
  { PATCH,  "/v1/artifacts/{art}/comments/{cmt}", ART_DISCUSS,
    TAKES(comment_edit), GIVES("comment", comment),       h_comment_change,
    .scope = DATA_WRITE, .doc = "Edit your comment; resolve its thread, or open it again" },
  { DELETE, "/v1/artifacts/{art}/comments/{cmt}", ART_DISCUSS,
    TAKES_NOTHING,       GIVES_NOTHING,                   h_comment_remove,
    .scope = DATA_WRITE, .doc = "Delete your comment; editors and the owner can delete any" },
  { GET,    "/v1/artifacts/{art}/people",         ART_DISCUSS,
    TAKES_NOTHING,       GIVES_FLAT(named_people),         h_people,
    .scope = ARTIFACTS_READ, .query = &named_query_shape,
    .doc = "Find people whom a comment can mention" },
};
ROUTES(comment, "Comments",
    "What people say about an artifact, in threads that are open or resolved. Anyone who is "
    "signed in and can see it can comment, unless its owner has turned comments off "
    "(comments_open) or limited them to people with a role or a grant (comments_from).");
